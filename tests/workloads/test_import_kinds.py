#!/usr/bin/env python3
"""What `cospot workload import` must not believe of other systems' files.

Each class is one kind of mistake, looked for in every format that can have it.
Needs the environment variable COSPOT_PROGRAM: the program to test.
"""

import csv
import itertools
import json
import unittest

from test_import import ImportCase

KUBERNETES = ("--format", "kubernetes", "--spot-if", "0")
OPENSTACK = ("--format", "openstack", "--spot-if", "0", "--window-days", "14")
FLAVORS = [
    {"ID": "f1", "Name": "m1.small", "RAM": 2048, "VCPUs": 1},
    {"ID": "f2", "Name": "m1.large", "RAM": 8192, "VCPUs": 4},
]
NULLS = ("", "never", "inf", "NULL", "null", "\\N", "None", "none", "NaT", "-")


def at(hour, minute=0):
    return f"2026-03-10T{hour:02}:{minute:02}:00Z"


def container(cpu=None, memory=None, name="c", **members):
    requests = {
        key: value for key, value in (("cpu", cpu), ("memory", memory)) if value is not None
    }
    return {"name": name, "resources": {"requests": requests}} | members


def pod(name, *, started=at(8), owner="ReplicaSet", node="n1", spec=None, **status):
    """Return a running pod of 2 CPUs and 2 GiB, unless `spec` or the members of its status differ."""
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": name,
            "creationTimestamp": started,
            "ownerReferences": [{"kind": owner, "name": name}],
        },
        "spec": {"nodeName": node, "containers": [container("2", "2Gi")]} | (spec or {}),
        "status": {"phase": "Running", "startTime": started} | status,
    }


def node(name, heartbeat):
    return {
        "kind": "Node",
        "metadata": {"name": name},
        "status": {
            "allocatable": {"cpu": "16", "memory": "64Gi"},
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": heartbeat}],
        },
    }


def disrupted(time, status="True"):
    return [{"type": "DisruptionTarget", "status": status, "lastTransitionTime": time}]


class KindCase(ImportCase):
    def write_json(self, name, value):
        self.write(name, json.dumps(value))
        return name

    def snapshot(self, name, *items, **metadata):
        return self.write_json(name, {"kind": "List", "items": items, "metadata": metadata})

    def ends(self):
        return {row["instance_id"]: row["end_s"] for row in self.rows()}

    def sizes(self):
        return {
            row["instance_id"]: (int(row["vcpus"]), int(row["memory_mb"])) for row in self.rows()
        }


class OverButUnknownWhen(KindCase):
    """What is over ends when it was first seen so; else it is left out and counted."""

    def test_pods_that_failed_between_snapshots(self):
        status = {"state": {"terminated": {"finishedAt": None}}}
        fates = {
            "evicted": {"phase": "Failed", "reason": "Evicted"},
            "lost": {"phase": "Failed", "containerStatuses": [status]},
            "done": {"phase": "Succeeded"},
            # Chosen to go at 09:40, and at 09:45 not to.
            "chosen": {"phase": "Failed", "conditions": disrupted(at(9, 40))},
            "spared": {"phase": "Failed", "conditions": disrupted(at(9, 45), "False")},
            # A container that tells is believed; an init container tells too.
            "told": {
                "phase": "Failed",
                "conditions": disrupted(at(9, 40)),
                "containerStatuses": [{"state": {"terminated": {"finishedAt": at(9, 50)}}}],
            },
            "init": {
                "phase": "Failed",
                "containerStatuses": [{"state": {"waiting": {}}}],
                "initContainerStatuses": [{"state": {"terminated": {"finishedAt": at(9, 20)}}}],
            },
            # Still runs, whoever is to go.
            "leaving": {"phase": "Running", "conditions": disrupted(at(9, 40))},
        }
        files = [
            self.snapshot("09.json", node("n1", at(9)), *[pod(name) for name in fates]),
            *(
                self.snapshot(
                    f"{hour}.json",
                    node("n1", at(hour)),
                    *[pod(name, **fate) for name, fate in fates.items()],
                )
                for hour in (10, 11)
            ),
        ]
        # The window begins at 09:00; the snapshot of 10:00 is the first that shows them over.
        expected = {name: "3600" for name in fates} | {
            "chosen": "2400",
            "told": "3000",
            "init": "1200",
            "leaving": "never",
        }
        for order in itertools.permutations(files):
            self.import_files(*order, *KUBERNETES)
            assert self.ends() == expected, (order, self.ends())

    def test_pods_that_came_and_failed_between_snapshots(self):
        self.snapshot("09.json", node("n1", at(9)), pod("web"))
        self.snapshot(
            "10.json", node("n1", at(10)), pod("web"), pod("new", started=at(9, 30), phase="Failed")
        )
        self.import_files("09.json", "10.json", *KUBERNETES)
        assert self.ends() == {"web": "never", "new": "3600"}

    def test_pods_that_were_over_before_the_first_snapshot(self):
        items = (
            node("n1", at(9)),
            pod("web"),
            pod("old", phase="Failed"),
            pod("older", phase="Succeeded"),
        )
        self.snapshot("09.json", *items)
        self.snapshot("10.json", node("n1", at(10)), pod("web"), pod("old", phase="Failed"))
        for files in (("09.json",), ("09.json", "10.json"), ("10.json", "09.json")):
            printed = self.import_files(*files, *KUBERNETES)
            assert self.ends() == {"web": "never"}, files
            assert "left out: 2 rows that are over, at a time that is unknown" in printed

    def test_daemons_that_are_over_take_nothing_off_a_node(self):
        daemons = [pod(f"agent-{i}", owner="DaemonSet", phase="Failed") for i in range(4)]
        self.snapshot(
            "p.json", node("n1", at(9)), pod("web"), *daemons, pod("agent", owner="DaemonSet")
        )
        self.import_files("p.json", *KUBERNETES, "--window-days", "14", "--hosts-out", "h.csv")
        # 16 CPUs and 64 GiB, less 2 CPUs and 2 GiB of the one that runs.
        assert "n1,16cpu-65536mib,14000,63488,,up" in (self.folder / "h.csv").read_text()

    def test_servers_without_a_host(self):
        # Fails before it has a host; on a host; shelved and still there; hidden from a customer.
        servers = [
            ("runs", "ACTIVE", "h1"),
            ("away", "SHELVED_OFFLOADED", None),
            ("failed", "ERROR", None),
            ("coming", "BUILD", None),
            ("gone", "DELETED", "h1"),
            ("broken", "ERROR", "h1"),
            ("shelved", "SHELVED", "h1"),
            ("hidden", "ACTIVE", None),
        ]
        kept = {"runs", "broken", "shelved", "hidden"}
        self.write_json("flavors.json", FLAVORS)
        listed = [
            {"ID": name, "Flavor Name": "m1.small", "Status": status, "Host": host}
            | {"Created At": at(9)}
            for name, status, host in servers
        ]
        api = [
            {"id": name, "tenant_id": "p", "status": status, "created": at(9)}
            | {"OS-EXT-SRV-ATTR:host": host, "flavor": {"vcpus": 1, "ram": 2048}}
            | {"OS-SRV-USG:launched_at": at(9), "OS-SRV-USG:terminated_at": None}
            for name, status, host in servers
        ]
        states = {"ACTIVE": "active", "BUILD": "building"}
        lines = [
            f"{name},{host or 'NULL'},{states.get(status, status.lower())},1,2048,2026-03-10 09:00,"
            "2026-03-10 09:00,NULL"
            for name, status, host in servers
        ]
        columns = "uuid,host,vm_state,vcpus,memory_mb,created_at,launched_at,deleted_at"
        self.write_json("list.json", listed)
        self.write_json("api.json", {"servers": api})
        self.write("dump.csv", "\n".join([columns, *lines]) + "\n")
        for file, options in (
            ("list.json", ("--flavors", "flavors.json")),
            ("api.json", ()),
            ("dump.csv", ()),
        ):
            printed = self.import_files(file, *OPENSTACK, *options)
            assert set(self.ends()) == kept, (file, self.ends())
            assert "left out: 4 rows that are over, at a time that is unknown" in printed
        # Without the hosts nobody knows of failed ones that they have none.
        for server in listed:
            del server["Host"]
        self.write_json("list.json", listed)
        self.import_files("list.json", *OPENSTACK, "--flavors", "flavors.json")
        assert set(self.ends()) == kept | {"failed", "coming"}

    def test_deleted_and_shelved_in_usage_and_rows_marked_deleted(self):
        usage = [
            {"instance_id": name, "vcpus": 1, "memory_mb": 2048, "state": state}
            | {"started_at": at(9), "ended_at": end}
            for name, state, end in (
                ("runs", "active", None),
                ("ended", "terminated", at(10)),
                ("gone", "terminated", None),
                ("away", "shelved_offloaded", None),
            )
        ]
        self.write_json("usage.json", {"tenant_usage": {"server_usages": usage}})
        self.import_files("usage.json", *OPENSTACK)
        assert set(self.ends()) == {"runs", "ended"}
        self.write(
            "dump.csv",
            "uuid,vcpus,memory_mb,created_at,deleted\nruns,1,2048,2026-03-10 09:00,0\n"
            "unknown,1,2048,2026-03-10 09:00,\\N\ngone,1,2048,2026-03-10 09:00,17\n",
        )
        self.import_files("dump.csv", *OPENSTACK)
        assert set(self.ends()) == {"runs", "unknown"}

    def test_pods_of_alibaba(self):
        self.write(
            "pods.csv",
            "name,cpu_milli,memory_mib,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
            "runs,1000,1024,LS,Running,0,,10\nended,1000,1024,LS,Failed,0,90,10\n"
            "failed,1000,1024,LS,Failed,0,,10\ndone,1000,1024,BE,Succeeded,0,,10\n",
        )
        printed = self.import_files("pods.csv", "--format", "alibaba2023")
        assert self.ends() == {"runs": "never", "ended": "80"}
        assert "left out: 2 rows that are over, at a time that is unknown" in printed


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
            self.import_files("dump.csv", *OPENSTACK)
            rows = {row["instance_id"]: row for row in self.rows()}
            lives = {
                name: row["end_s"] and row["end_s"] != "never" and
                int(row["end_s"]) - int(row["start_s"])
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
            self.import_files("e.csv", "--format", "google2019")
            assert self.ends() == {"5-0": "1"}, null
            self.write(
                "pods.csv",
                "name,cpu_milli,memory_mib,qos,creation_time,deletion_time,scheduled_time\n"
                f"runs,1000,1024,LS,0,{null},10\nwaits,1000,1024,LS,0,30,{null}\n",
            )
            self.import_files("pods.csv", "--format", "alibaba2023")
            assert self.ends() == {"runs": "never"}, null
            self.write("batch_task.csv", f"M1,1,j,1,Running,10,{null},100,0.5\n")
            self.import_files("batch_task.csv", "--format", "alibaba2018")
            assert self.ends() == {"j/M1": "never"}, null

    def test_a_table_of_anybody(self):
        for null in NULLS:
            self.write(
                "t.csv",
                "vm,vcpus,memory_mb,start_s,end_s,began\n"
                f"a,1,64,0,{null},5\nb,1,64,0,9,{null}\n",
            )
            options = ("t.csv", "--time-unit", "s", "--spot-if", "0", "--map", "instance_id=vm")
            self.import_files(*options, "--only", "began is not null")
            assert self.ends() == {"a": "never"}, null
            # Whoever names the text means it.
            if null:
                self.import_files(*options, "--only", f"began = '{null}'")
                assert self.ends() == {"b": "9"}, null


class Looks(KindCase):
    """A file without a kind of object is no look at it."""

    def test_pods_and_nodes_in_two_files(self):
        agent = pod("agent", owner="DaemonSet", spec={"containers": [container("500m", "1Gi")]})
        pods = (pod("web"), agent)
        self.snapshot("pods.json", *pods)
        self.snapshot("nodes.json", node("n1", at(12)), node("n2", at(12)))
        for files in (("pods.json", "nodes.json"), ("nodes.json", "pods.json")):
            self.import_files(
                *files, *KUBERNETES, "--window-days", "14", "--hosts-out", "h.csv"
            )
            assert self.ends() == {"web": "never"}
            hosts = list(csv.DictReader((self.folder / "h.csv").read_text().splitlines()))
            # Less 500m and 1 GiB of the DaemonSet.
            assert [(h["name"], h["vcpus"], h["memory_mb"]) for h in hosts] == [
                ("n1", "15500", "64512"),
                ("n2", "16000", "65536"),
            ]
            assert "pods.json: no node tells when the snapshot was taken" in self.warnings[0]

    def test_the_api_states_the_kind_of_its_items_once(self):
        def without_kind(item):
            return {key: value for key, value in item.items() if key != "kind"}

        pods = [without_kind(pod(name)) for name in ("web", "db")]
        self.write_json("pods.json", {"kind": "PodList", "items": pods})
        nodes = [without_kind(node("n1", at(12)))]
        self.write_json("nodes.json", {"kind": "NodeList", "items": nodes})
        self.import_files(
            *("pods.json", "nodes.json", *KUBERNETES, "--window-days", "14"),
            *("--hosts-out", "h.csv"),
        )
        assert self.ends() == {"web": "never", "db": "never"}

    def test_two_looks_at_one_moment(self):
        self.snapshot("a.json", node("n1", at(9)), pod("web"))
        self.snapshot("b.json", node("n2", at(9)), pod("db", node="n2"))
        self.snapshot("c.json", node("n1", at(10)), node("n2", at(10)), pod("db", node="n2"))
        self.import_files("a.json", "b.json", "c.json", *KUBERNETES)
        assert self.ends() == {"web": "3600", "db": "never"}


class PodRequests(KindCase):
    """What a pod requests is what its scheduler counts."""

    def imported_sizes(self, **specs):
        pods = [
            pod(name, spec=spec.pop("spec"), **spec) for name, spec in specs.items()
        ]
        self.snapshot("p.json", node("n1", at(9)), *pods)
        self.import_files("p.json", *KUBERNETES, "--window-days", "14")
        return self.sizes()

    def test_init_containers_run_beside_the_sidecars_before_them(self):
        def spec(*init, cpu="100m", memory="100Mi"):
            return {
                "spec": {
                    "containers": [container(cpu, memory)],
                    "initContainers": [
                        container(cpu, memory, **({"restartPolicy": "Always"} if always else {}))
                        for always, cpu, memory in init
                    ],
                }
            }

        sizes = self.imported_sizes(
            before=spec((True, "100m", "100Mi"), (False, "200m", "200Mi")),
            after=spec((False, "200m", "200Mi"), (True, "100m", "100Mi")),
            two=spec(
                *((True, "250m", "256Mi"), (False, "500m", "512Mi"), (True, "250m", "256Mi")),
                (False, "2", "1Gi"),
                cpu="1",
                memory="1Gi",
            ),
        )
        # before: 100 + 200 while starting, 100 + 100 later. after: 200, then 100 + 100. two: 250,
        # 250 + 500, 500, 500 + 2000 of CPU against 1000 + 500; 512 + 1024 of memory both times.
        assert sizes == {"before": (300, 300), "after": (200, 200), "two": (2500, 1536)}

    def test_pod_level_resources_come_first(self):
        def spec(part, overhead=None, **whole):
            return {
                "spec": {
                    "containers": [container(*part), container(name="d")],
                    "resources": {"requests": whole},
                    "overhead": overhead or {},
                }
            }

        sizes = self.imported_sizes(
            none=spec((), cpu="2", memory="4Gi"),
            both=spec(("500m", "1Gi"), cpu="2", memory="4Gi"),
            cpu=spec(("500m", "1Gi"), cpu="3"),
            over=spec(("500m", "1Gi"), cpu="2", overhead={"cpu": "250m", "memory": "64Mi"}),
        )
        # Resource by resource; overhead (250m, 64Mi) comes on top of either.
        assert sizes == {
            "none": (2000, 4096),
            "both": (2000, 4096),
            "cpu": (3000, 1024),
            "over": (2250, 1088),
        }

    def test_a_resize_in_place_counts_as_the_most_until_it_is_done(self):
        def spec(asked, has, allocated, init=False, **status):
            sidecar = [container("1", "0", name="side", restartPolicy="Always")] if init else []
            statuses = "initContainerStatuses" if init else "containerStatuses"
            name = "side" if init else "c"
            return {
                "spec": {"containers": [container(asked, "1Gi")], "initContainers": sidecar},
                statuses: [
                    {
                        "name": name,
                        "resources": {"requests": {"cpu": has}},
                        "allocatedResources": {"cpu": allocated, "memory": "2Gi"},
                    }
                ],
            } | status

        refused = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]
        deferred = [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}]
        sizes = self.imported_sizes(
            up=spec("4", "2", "2"),
            down=spec("1", "3", "2"),
            refused=spec("64", "2", "2", conditions=refused),
            before_1_33=spec("64", "2", "2", resize="Infeasible"),
            deferred=spec("8", "2", "2", conditions=deferred),
            sidecar=spec("1", "3", "2", init=True),
        )
        # Of asked, set and set aside the most; what no node can give does not count. Memory: 2 GiB
        # are set aside. The sidecar has 3 CPUs, and the container asks for 1 CPU and 1 GiB.
        assert sizes == {
            "up": (4000, 2048),
            "down": (3000, 2048),
            "refused": (2000, 2048),
            "before_1_33": (2000, 2048),
            "deferred": (8000, 2048),
            "sidecar": (4000, 3072),
        }


class Pages(KindCase):
    """The first page is not the whole."""

    def test_usage_and_servers(self):
        def usage(*names):
            rows = [
                {"instance_id": name, "vcpus": 1, "memory_mb": 64, "started_at": at(9)}
                for name in names
            ]
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
            self.import_files("1.json", *OPENSTACK)
            assert any(
                f"1.json: {member}_links says that there is a next page" in warning
                for warning in self.warnings
            ), self.warnings
            self.import_files("1.json", "2.json", *OPENSTACK)
            assert set(self.ends()) == {"a", "b", "c"}
            assert not any("page" in warning for warning in self.warnings), self.warnings

    def test_as_many_servers_as_nova_lists_at_once(self):
        self.write_json("flavors.json", FLAVORS)
        for count, warns in ((999, False), (1000, True), (1001, False)):
            servers = [
                {"ID": f"s{i}", "Flavor Name": "m1.small", "Created At": at(9)}
                for i in range(count)
            ]
            self.write_json("servers.json", servers)
            self.import_files("servers.json", *OPENSTACK, "--flavors", "flavors.json")
            found = any("servers.json has exactly 1000 rows" in line for line in self.warnings)
            assert found == warns, (count, self.warnings)

    def test_pages_of_pods_are_one_look(self):
        version = {"resourceVersion": "77"}
        self.snapshot("1.json", pod("web"), pod("db"), **version, **{"continue": "token"})
        # Its newest pod came later, but it is a part of the same list.
        self.snapshot("2.json", pod("late", started=at(10)), **version)
        self.import_files("1.json", *KUBERNETES)
        assert any("1.json: metadata.continue says that there is a next page" in line
                   for line in self.warnings), self.warnings
        for files in (("1.json", "2.json"), ("2.json", "1.json")):
            self.import_files(*files, *KUBERNETES)
            assert self.ends() == {"web": "never", "db": "never", "late": "never"}
            assert not any("page" in warning for warning in self.warnings), self.warnings


class Ids(KindCase):
    """An id is not a number."""

    def test_they_stay_texts(self):
        accounts = ("012345678901", "12345678901", "1e3", "1000", "70296325381051001234567")
        self.write(
            "t.csv",
            "vm,account,cores,ram,start,end\n"
            + "".join(f"v{i},{account},2,64,0,100\n" for i, account in enumerate(accounts)),
        )
        columns = {"vcpus": "cores", "memory_mb": "ram", "start_s": "start", "end_s": "end"}
        maps = [part for pair in columns.items() for part in ("--map", "=".join(pair))]
        options = ("t.csv", *maps, "--time-unit", "s", "--map", "instance_id=vm")
        for account in accounts:
            self.import_files(*options, "--spot-if", f"account = '{account}'")
            spots = [row["instance_id"] for row in self.rows() if row["class"] == "spot"]
            assert spots == [f"v{accounts.index(account)}"], (account, spots)
        for tenant in ("account", "coalesce(account, 'none')", "trim(account)"):
            self.import_files(*options, "--map", f"tenant_id={tenant}", "--spot-if", "0")
            assert [row["tenant_id"] for row in self.rows()] == list(accounts), tenant


class Ties(KindCase):
    """Rows of one time come in any order."""

    HEADER = "time,type,collection_id,instance_index,priority,cpus,memory\n"

    def lives(self, events):
        """Import (second, type) of one instance; return its lives."""
        lines = (f"{second}000000,{kind},5,0,103,0.5,0.25\n" for second, kind in events)
        other = "0,3,1,0,103,0.5,0.25\n"
        self.write("e.csv", self.HEADER + other + "".join(lines))
        self.printed = self.import_files("e.csv", "--format", "google2019")
        return [
            (row["start_s"], row["end_s"]) for row in self.rows() if row["tenant_id"] == "5"
        ]

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


class Names(KindCase):
    """A name stands for one thing."""

    def servers(self, column, value):
        return self.write_json(
            "servers.json", [{"ID": "a", column: value, "Created At": at(9)}]
        )

    def test_flavors(self):
        twice = {"ID": "f9", "Name": "m1.small", "RAM": 16384, "VCPUs": 8}
        self.write_json("flavors.json", [*FLAVORS, twice])
        self.servers("Flavor Name", "m1.large")
        error = self.refused("servers.json", *OPENSTACK, "--flavors", "flavors.json")
        assert (
            "flavors.json: item 3: the flavor 'm1.small' has 8 vCPUs and 16384 MiB, but 1 and 2048 "
            "at flavors.json: item 1, expected one of the two" in error
        )
        self.write_json("flavors.json", [*FLAVORS, twice | {"Name": "other", "ID": "f1"}])
        error = self.refused("servers.json", *OPENSTACK, "--flavors", "flavors.json")
        assert "the flavor 'f1' has 8 vCPUs" in error
        # Twice the same is no doubt.
        self.write_json("flavors.json", [*FLAVORS, *FLAVORS])
        self.import_files("servers.json", *OPENSTACK, "--flavors", "flavors.json")

    def test_an_id_that_is_another_flavors_name(self):
        self.write_json("flavors.json", {"flavors": [
            {"id": "1", "name": "2", "ram": 64, "vcpus": 1},
            {"id": "2", "name": "3", "ram": 128, "vcpus": 2},
        ]})
        for column, size in (("Flavor Name", (1, 64)), ("Flavor ID", (2, 128))):
            self.servers(column, "2")
            self.import_files("servers.json", *OPENSTACK, "--flavors", "flavors.json")
            assert self.sizes() == {"a": size}, column

    def test_nodes_and_pods(self):
        self.snapshot("p.json", node("n1", at(9)), node("n1", at(10)), pod("web"))
        assert "p.json: node 'n1' comes twice" in self.refused("p.json", *KUBERNETES)
        self.snapshot("p.json", node("n1", at(9)), pod("web"), pod("db"), pod("web"))
        error = self.refused("p.json", *KUBERNETES)
        assert "the uid 'web' comes twice, also in p.json: item 2" in error


class Servers(KindCase):
    """What people have at hand, or what it lacks by its name."""

    def test_the_api_with_flavors_embedded_and_named(self):
        def server(name, flavor, **members):
            return {"id": name, "tenant_id": "p", "status": "ACTIVE", "created": at(9)} | {
                "flavor": flavor, "metadata": {name: "x", name.upper(): "y"}, **members
            }

        embedded = {"original_name": "batch.small", "vcpus": 2, "ram": 4096, "disk": 20}
        ended = {"OS-SRV-USG:launched_at": at(9), "OS-SRV-USG:terminated_at": at(10)}
        never = {"OS-SRV-USG:launched_at": None, "OS-SRV-USG:terminated_at": None}
        self.write_json(
            "api.json",
            {
                "servers": [
                    server("a", embedded, **ended),
                    server("b", embedded | {"original_name": "m1"}, **ended | {
                        "OS-SRV-USG:terminated_at": None}),
                    server("never", embedded, **never),
                ]
            },
        )
        self.import_files(
            *("api.json", "--format", "openstack", "--window-days", "14"),
            *("--spot-if", "\"flavor.original_name\" like 'batch.%'"),
        )
        rows = {row["instance_id"]: row for row in self.rows()}
        assert set(rows) == {"a", "b"} and rows["b"]["end_s"] == "never"
        assert int(rows["a"]["end_s"]) - int(rows["a"]["start_s"]) == 3600
        assert (rows["a"]["class"], rows["b"]["class"]) == ("spot", "vm")
        assert self.sizes() == {"a": (2, 4096), "b": (2, 4096)}
        # Before microversion 2.47 a server names its flavor only.
        self.write_json("flavors.json", FLAVORS)
        self.write_json("api.json", {"servers": [server("a", {"id": "f2", "links": []})]})
        assert "--flavors FILE gives them" in self.refused("api.json", *OPENSTACK)
        self.import_files("api.json", *OPENSTACK, "--flavors", "flavors.json")
        assert self.sizes() == {"a": (4, 8192)}

    def test_a_list_without_times(self):
        self.write_json("flavors.json", FLAVORS)
        self.write_json("servers.json", [{"ID": "a", "Flavor Name": "m1.small", "Status": "ACTIVE"}])
        error = self.refused("servers.json", *OPENSTACK, "--flavors", "flavors.json")
        assert "openstack server list prints it with -c 'Created At'" in error


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
    FORMATS = ("google2019", "alibaba2018", "alibaba2023", "swf", "openstack", "kubernetes", "")

    def test_every_format(self):
        self.write_json("flavors.json", FLAVORS)
        good = self.write_json(
            "servers.json", [{"ID": "a", "Flavor Name": "m1.small", "Created At": at(9)}]
        )
        cases = [(*(("--format", name) if name else ("--time-unit", "s")), "--spot-if", "0")
                 for name in self.FORMATS]
        for document in self.DOCUMENTS:
            self.write("odd", document)
            runs = [("odd", *case) for case in cases]
            runs.append(("odd", *OPENSTACK, "--flavors", "flavors.json"))
            runs.append((good, *OPENSTACK, "--flavors", "odd"))
            for run in runs:
                error = self.refused(*run)
                assert error.startswith("cospot: ") and "internal" not in error, (run, error)
                assert len(error) < 4000, (run, document[:50], len(error))

    def test_names_of_columns_given_twice(self):
        self.write("t.csv", "1,2\n")
        for columns in ("a,a", "a,A"):
            error = self.refused(
                "t.csv", "--time-unit", "s", "--spot-if", "0", "--columns", columns
            )
            assert "comes twice" in error

    def test_keys_that_differ_in_case_only(self):
        row = {"vcpus": 1, "memory_mb": 64, "start_s": 0}
        options = ("t.json", "--time-unit", "s", "--spot-if", "0")
        self.write_json("t.json", [row | {"VCPUS": 8}])
        error = self.refused(*options)
        assert "--map vcpus: the columns 'vcpus' and 'VCPUS' differ in case only" in error
        # Of what nobody asks for it does not matter.
        self.write_json("t.json", [row | {"Owner": "x"}, row | {"owner": "y"}])
        self.import_files(*options)


if __name__ == "__main__":
    unittest.main()
