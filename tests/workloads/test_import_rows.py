#!/usr/bin/env python3
"""How `cospot workload import` takes fields, names, pages and odd documents.

Each class is one kind of mistake, looked for in every format that can have it.
Needs the environment variable COSPOT_PROGRAM: the program to test.
"""

import itertools
import json
import unittest

from cloud_objects import FLAVORED, FLAVORS, KUBERNETES, NULLS, OPENSTACK, KindCase, at, node, pod


class Nulls(KindCase):
    """NULL has several spellings, in every column."""

    def test_a_dump_of_nova(self):
        for null in NULLS:
            self.write(
                "dump.csv",
                "uuid,project_id,vcpus,memory_mb,created_at,launched_at,terminated_at,deleted_at\n"
                f"runs,p,2,4096,2026-03-01 10:00:00,2026-03-01 10:00:05,{null},{null}\n"
                "ended,p,2,4096,2026-03-01 10:00:00,2026-03-01 10:00:05,"
                f"2026-03-02 10:00:00,{null}\n"
                f"deleted,{null},2,4096,2026-03-01 10:00:00,2026-03-01 10:00:05,"
                f"{null},2026-03-01 12:00:00\n"
                f"never-ran,p,2,4096,2026-03-01 10:00:00,{null},{null},{null}\n",
            )
            self.import_files(f"dump.csv {OPENSTACK}")
            rows = {row["instance_id"]: row for row in self.rows()}
            lives = {
                name: row["end_s"] != "never" and int(row["end_s"]) - int(row["start_s"])
                for name, row in rows.items()
            }
            assert lives == {"runs": False, "ended": 86400, "deleted": 7200}, (null, lives)
            assert rows["deleted"]["tenant_id"] == "unknown"

    def test_other_formats(self):
        for null in NULLS:
            self.write(
                "e.csv",
                "time,type,collection_id,instance_index,priority,alloc_collection_id,cpus,memory\n"
                f"0,3,5,0,103,{null},0.5,0.25\n1000000,6,5,0,103,{null},0.5,0.25\n",
            )
            self.import_files("e.csv --format google2019")
            assert self.ends() == {"5-0": "1"}, null
            self.write(
                "pods.csv",
                "name,cpu_milli,memory_mib,qos,creation_time,deletion_time,scheduled_time\n"
                f"runs,1000,1024,LS,0,{null},10\nwaits,1000,1024,LS,0,30,{null}\n",
            )
            self.import_files("pods.csv --format alibaba2023")
            assert self.ends() == {"runs": "never"}, null
            self.write("batch_task.csv", f"M1,1,j,1,Running,10,{null},100,0.5\n")
            self.import_files("batch_task.csv --format alibaba2018")
            assert self.ends() == {"j/M1": "never"}, null

    def test_a_table_of_anybody(self):
        for null in NULLS:
            self.write(
                "t.csv",
                f"vm,vcpus,memory_mb,start_s,end_s,began\na,1,64,0,{null},5\nb,1,64,0,9,{null}\n",
            )
            options = "t.csv --time-unit s --spot-if 0 --map instance_id=vm --only"
            self.import_files(options, "began is not null")
            assert self.ends() == {"a": "never"}, null
            # Whoever names the text means it.
            if null:
                self.import_files(options, f"began = '{null}'")
                assert self.ends() == {"b": "9"}, null


class Ids(KindCase):
    """An id is not a number."""

    def test_they_stay_texts(self):
        accounts = ("012345678901", "12345678901", "1e3", "1000", "70296325381051001234567")
        self.write(
            "t.csv",
            "vm,account,cores,ram,start,end\n"
            + "".join(f"v{i},{account},2,64,0,100\n" for i, account in enumerate(accounts)),
        )
        options = (
            "t.csv --time-unit s --map vcpus=cores --map memory_mb=ram --map start_s=start"
            " --map end_s=end --map instance_id=vm --spot-if"
        )
        for account in accounts:
            self.import_files(options, f"account = '{account}'")
            spots = [row["instance_id"] for row in self.rows() if row["class"] == "spot"]
            assert spots == [f"v{accounts.index(account)}"], (account, spots)
        for tenant in ("account", "coalesce(account, 'none')", "trim(account)"):
            self.import_files(f"{options} 0", "--map", f"tenant_id={tenant}")
            assert self.column("tenant_id") == list(accounts), tenant


class Ties(KindCase):
    """Rows of one time come in any order."""

    HEADER = "time,type,collection_id,instance_index,priority,cpus,memory\n"

    def lives(self, events):
        """Import (second, type) of one instance; return its lives."""
        lines = (f"{second}000000,{kind},5,0,103,0.5,0.25\n" for second, kind in events)
        other = "0,3,1,0,103,0.5,0.25\n"
        self.write("e.csv", self.HEADER + other + "".join(lines))
        self.printed = self.import_files("e.csv --format google2019")
        return [(row["start_s"], row["end_s"]) for row in self.rows() if row["tenant_id"] == "5"]

    def test_an_end_needs_a_start(self):
        for tie in ([(6, 3), (6, 5)], [(6, 5), (6, 3)]):
            assert self.lives(tie) == [("6", "6")], tie
            assert "left out" not in self.printed

    def test_of_one_that_runs_the_end_comes_first(self):
        # Whichever way: [2, 6) and then [6, 9).
        for tie in itertools.permutations([(6, 4), (6, 3)]):
            assert self.lives([(2, 3), *tie, (9, 6)]) == [("2", "6"), ("6", "9")], tie
            assert "left out" not in self.printed

    def test_more_of_them(self):
        # Runs from 2; ends, starts and ends at 6: [2, 6) and [6, 6].
        for tie in itertools.permutations([(6, 3), (6, 4), (6, 5)]):
            assert self.lives([(2, 3), *tie]) == [("2", "6"), ("6", "6")], tie
        # Of two starts and an end at 6, one starts, ends, and another starts.
        for tie in itertools.permutations([(6, 3), (6, 5), (6, 3)]):
            assert self.lives([*tie, (9, 6)]) == [("6", "6"), ("6", "9")], tie

    def test_other_times_are_no_tie(self):
        assert self.lives([(5, 5), (6, 3)]) == [("6", "never")]
        assert "left out: 1 ends without a start" in self.printed
        assert self.lives([(2, 3), (5, 3), (6, 5)]) == [("2", "6")]
        assert "left out: 1 rows that are no requests" in self.printed

    def test_a_resize_is_named(self):
        assert self.lives([(2, 3), (3, 10), (4, 6)]) == [("2", "4")]
        assert "left out: 1 resizes: an instance keeps the size of its start" in self.printed


class Pages(KindCase):
    """The first page is not the whole."""

    def test_usage_and_servers(self):
        def usage(*names):
            size = {"vcpus": 1, "memory_mb": 64, "started_at": at(9)}
            rows = [{"instance_id": name} | size for name in names]
            return {"tenant_usages": [{"server_usages": rows}]}, "tenant_usages"

        def one_usage(*names):
            document, _ = usage(*names)
            return {"tenant_usage": document["tenant_usages"][0]}, "tenant_usage"

        def servers(*names):
            flavor = {"flavor": {"vcpus": 1, "ram": 64}}
            rows = [{"id": name, "created": at(9), "status": "ACTIVE"} | flavor for name in names]
            return {"servers": rows}, "servers"

        for make in (usage, one_usage, servers):
            first, member = make("a", "b")
            links = [{"rel": "self", "href": "x"}, {"rel": "next", "href": "x?marker=b"}]
            self.write_json("1.json", first | {f"{member}_links": links})
            self.write_json("2.json", make("c")[0] | {f"{member}_links": links[:1]})
            self.import_files(f"1.json {OPENSTACK}")
            (warning,) = self.pages_warned_of()
            assert f"1.json: {member}_links says that there is a next page" in warning
            self.import_files(f"1.json 2.json {OPENSTACK}")
            assert set(self.ends()) == {"a", "b", "c"}
            assert self.pages_warned_of() == []

    def test_as_many_servers_as_nova_lists_at_once(self):
        self.write_json("flavors.json", FLAVORS)
        for count, warns in ((999, False), (1000, True), (1001, False)):
            server = {"Flavor Name": "m1.small", "Created At": at(9)}
            self.write_json("servers.json", [{"ID": f"s{i}"} | server for i in range(count)])
            self.import_files(FLAVORED)
            found = any("servers.json has exactly 1000 rows" in line for line in self.warnings)
            assert found == warns, (count, self.warnings)

    def test_pages_of_pods_are_one_look(self):
        version = {"resourceVersion": "77"}
        self.snapshot("1.json", pod("web"), pod("db"), **version, **{"continue": "token"})
        # Its newest pod came later, but it is a part of the same list.
        self.snapshot("2.json", pod("late", started=at(10)), **version)
        self.import_files(f"1.json {KUBERNETES}")
        (warning,) = self.pages_warned_of()
        assert "1.json: metadata.continue says that there is a next page" in warning
        for files in ("1.json 2.json", "2.json 1.json"):
            self.import_files(f"{files} {KUBERNETES}")
            assert self.ends() == {"web": "never", "db": "never", "late": "never"}
            assert self.pages_warned_of() == []


class Names(KindCase):
    """A name stands for one thing."""

    def servers(self, column, value):
        return self.write_json("servers.json", [{"ID": "a", column: value, "Created At": at(9)}])

    def test_flavors(self):
        twice = {"ID": "f9", "Name": "m1.small", "RAM": 16384, "VCPUs": 8}
        self.write_json("flavors.json", [*FLAVORS, twice])
        self.servers("Flavor Name", "m1.large")
        self.refuse(
            FLAVORED,
            "flavors.json: item 3: the flavor 'm1.small' has 8 vCPUs and 16384 MiB, but 1 and 2048 "
            "at flavors.json: item 1, expected one of the two",
        )
        self.write_json("flavors.json", [*FLAVORS, twice | {"Name": "other", "ID": "f1"}])
        self.refuse(FLAVORED, "the flavor 'f1' has 8 vCPUs")
        # Twice the same is no doubt.
        self.write_json("flavors.json", [*FLAVORS, *FLAVORS])
        self.import_files(FLAVORED)

    def test_an_id_that_is_another_flavors_name(self):
        flavors = [
            {"id": "1", "name": "2", "ram": 64, "vcpus": 1},
            {"id": "2", "name": "3", "ram": 128, "vcpus": 2},
        ]
        self.write_json("flavors.json", {"flavors": flavors})
        for column, size in (("Flavor Name", (1, 64)), ("Flavor ID", (2, 128))):
            self.servers(column, "2")
            self.import_files(FLAVORED)
            assert self.sizes() == {"a": size}, column

    def test_nodes_and_pods(self):
        self.snapshot("p.json", node("n1", at(9)), node("n1", at(10)), pod("web"))
        self.refuse(f"p.json {KUBERNETES}", "p.json: node 'n1' comes twice")
        self.snapshot("p.json", node("n1", at(9)), pod("web"), pod("db"), pod("web"))
        self.refuse(f"p.json {KUBERNETES}", "the uid 'web' comes twice, also in p.json: item 2")


class Servers(KindCase):
    """What people have at hand, or what it lacks by its name."""

    def test_the_api_with_flavors_embedded_and_named(self):
        def server(name, flavor, **members):
            return {"id": name, "tenant_id": "p", "status": "ACTIVE", "created": at(9)} | {
                "flavor": flavor, "metadata": {name: "x", name.upper(): "y"}, **members,
            }  # fmt: skip

        embedded = {"original_name": "batch.small", "vcpus": 2, "ram": 4096, "disk": 20}

        def times(launched, terminated):
            return {"OS-SRV-USG:launched_at": launched, "OS-SRV-USG:terminated_at": terminated}

        servers = [
            server("a", embedded, **times(at(9), at(10))),
            server("b", embedded | {"original_name": "m1"}, **times(at(9), None)),
            server("never", embedded, **times(None, None)),
        ]
        self.write_json("servers.json", {"servers": servers})
        self.import_files(
            "servers.json --format openstack --window-days 14 --spot-if",
            "\"flavor.original_name\" like 'batch.%'",
        )
        rows = {row["instance_id"]: row for row in self.rows()}
        assert set(rows) == {"a", "b"} and rows["b"]["end_s"] == "never"
        assert int(rows["a"]["end_s"]) - int(rows["a"]["start_s"]) == 3600
        assert (rows["a"]["class"], rows["b"]["class"]) == ("spot", "vm")
        assert self.sizes() == {"a": (2, 4096), "b": (2, 4096)}
        # Before microversion 2.47 a server names its flavor only.
        self.write_json("flavors.json", FLAVORS)
        self.write_json("servers.json", {"servers": [server("a", {"id": "f2", "links": []})]})
        self.refuse(f"servers.json {OPENSTACK}", "--flavors FILE gives them")
        self.import_files(FLAVORED)
        assert self.sizes() == {"a": (4, 8192)}

    def test_a_list_without_times(self):
        self.write_json("flavors.json", FLAVORS)
        listed = {"ID": "a", "Flavor Name": "m1.small", "Status": "ACTIVE"}
        self.write_json("servers.json", [listed])
        self.refuse(FLAVORED, "openstack server list prints it with -c 'Created At'")


class Degenerate(KindCase):
    """Empty and odd answers of every importer get one clear error."""

    DOCUMENTS = (
        "{}", "[]", "[{}]", "[[]]", "[1, 2]", '["a"]', "null", "1", '"a"', "{}\n{}\n", "[null]",
        '{"servers": []}', '{"servers": [{}]}', '{"servers": {}}', '{"servers": ["a"]}',
        '{"servers": null}', '{"tenant_usages": []}', '{"tenant_usages": [{}]}',
        '{"tenant_usages": ["a"]}', '{"tenant_usages": [{"server_usages": [{}]}]}',
        '{"tenant_usages": [{"server_usages": ["a"]}]}', '{"tenant_usage": {}}',
        '{"items": []}', '{"items": null}', '{"items": {}}', '{"items": ["a", 1, null, []]}',
        '{"items": [{}]}', '{"items": [{"kind": "Node"}]}', '{"kind": "PodList", "items": []}',
        '{"kind": "Pod"}', '{"kind": 5, "items": [{"kind": "Pod"}]}',
        '{"items": [{"kind": "Pod", "spec": {"containers": "a"}, "status": []}]}',
        '{"items": [{"kind": "Pod", "metadata": 1, "spec": {"containers": ["a"]}}]}',
        '{"items": [{"kind": "Node", "status": {"conditions": ["a"]}}]}',
        '{"flavors": []}', '{"a": 1}', '{"a": 1, "A": 2}', '[{"a": 1}, {"A": 2}]',
        '[{"ID": "a", "id": "b", "vcpus": 1, "VCPUS": 2, "memory_mb": 4, "created_at": "x"}]',
        '[{"": 1}]', '[{"a": {"": {"b": 1}}}]', '[{"\\"": 1}]', "[" * 3000, "{" * 3000, "\ufeff",
        '[{"a": 1}', json.dumps([{f"m{i}": i for i in range(2500)}]), "a", "a\n", "a,b\n", "a,a\n",
        "a,A\n1,2\n", ",\n", "\n", " \n", "\n\n1\n", "a\n1\n", ";", "; a\n", "\0", "\0\0\n",
        ",".join(f"c{i}" for i in range(2500)) + "\n", '"', '"a\n', "1 2 3\n", "-1 " * 18,
    )  # fmt: skip
    FORMATS = ("google2019", "alibaba2018", "alibaba2023", "swf", "openstack", "kubernetes")

    def test_every_format(self):
        self.write_json("flavors.json", FLAVORS)
        server = {"ID": "a", "Flavor Name": "m1.small", "Created At": at(9)}
        self.write_json("servers.json", [server])
        runs = [f"odd --format {name} --spot-if 0" for name in self.FORMATS]
        runs.append("odd --time-unit s --spot-if 0")
        runs.append(f"odd {OPENSTACK} --flavors flavors.json")
        runs.append(f"servers.json {OPENSTACK} --flavors odd")
        for document in self.DOCUMENTS:
            self.write("odd", document)
            for run in runs:
                error = self.refused(run)
                assert error.startswith("cospot: ") and "internal" not in error, (run, error)
                assert len(error) < 4000, (run, document[:50], len(error))

    def test_names_of_columns_given_twice(self):
        self.write("t.csv", "1,2\n")
        for columns in ("a,a", "a,A"):
            self.refuse(f"t.csv --time-unit s --spot-if 0 --columns {columns}", "comes twice")

    def test_keys_that_differ_in_case_only(self):
        row = {"vcpus": 1, "memory_mb": 64, "start_s": 0}
        options = "t.json --time-unit s --spot-if 0"
        self.write_json("t.json", [row | {"VCPUS": 8}])
        self.refuse(options, "--map vcpus: the columns 'vcpus' and 'VCPUS' differ in case only")
        # Of what nobody asks for it does not matter.
        self.write_json("t.json", [row | {"Owner": "x"}, row | {"owner": "y"}])
        self.import_files(options)


if __name__ == "__main__":
    unittest.main()
