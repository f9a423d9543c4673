#!/usr/bin/env python3
"""Drives `cospot workload import` as a user does, on invented exports in every format.

Needs the environment variable COSPOT_PROGRAM: the program to test.
"""

import contextlib
import csv
import gzip
import json
import pathlib
import random
import re
import resource
import sqlite3
import unittest

import operator_exports as exports
from import_case import PROGRAM, ImportCase

SECONDS = "t.csv --time-unit s --spot-if 0"
EVENTS = "time,type,collection_id,instance_index,priority,cpus,memory\n"


class Formats(ImportCase):
    """What is imported is what the exports were made of."""

    def test_google_events(self):
        instances = exports.draw_instances(1, 120, 4)
        expected = exports.expected_rows(instances, vcpus=10000 / 64, memory=10000 / 65536)
        exports.write_google(self.folder / "events.csv", instances)
        exports.write_google(self.folder / "events.json.gz", instances, json_lines=True)
        for file in ("events.csv", "events.json.gz"):
            printed = self.import_files(f"{file} --format google2019")
            assert self.imported() == expected
            assert f"left out: {len(instances)} rows that are no requests" in printed  # SUBMIT
            assert self.statements["vcpus_unit"] == "relative"
        # Three instances of a collection share its tenant.
        assert {
            row["tenant_id"] for row in self.rows() if row["instance_id"].startswith("1000-")
        } == {"1000"}

    def test_google_lives_after_one_another(self):
        self.write(
            "events.csv",
            "time,type,collection_id,instance_index,priority,"
            "alloc_collection_id,cpus,memory\n"
            "0,3,5,0,103,0,0.5,0.25\n"  # starts
            "1000000,3,5,0,103,0,0.5,0.25\n"  # runs already
            "2000000,4,5,0,103,0,0.5,0.25\n"  # evicted
            "3000000,6,9,0,103,0,0.5,0.25\n"  # an end without a start
            "4000000,3,5,0,103,0,0.5,0.25\n"  # starts again
            "4500000,3,6,0,103,5,0.5,0.25\n"  # in an alloc set
            "5000000,3,7,0,360,,0.00001,0\n",
        )
        printed = self.import_files("events.csv --format google2019")
        assert "left out: 2 rows that are no requests" in printed
        assert "left out: 1 ends without a start" in printed
        names = ("start_s", "end_s", "class", "vcpus", "memory_mb")
        assert {row["instance_id"]: [row[name] for name in names] for row in self.rows()} == {
            "5-0": ["0", "2", "spot", "5000", "2500"],
            "5-0#2": ["4", "never", "spot", "5000", "2500"],
            "7-0": ["5", "never", "vm", "1", "0"],  # the least there is
        }

    def test_swf(self):
        instances = exports.draw_instances(2, 100, 5)
        exports.write_swf(self.folder / "log.swf", instances)
        printed = self.import_files("log.swf --format swf --spot-if 'queue = 2'")
        # A log has jobs that are over; when is unknown of those that have no run time.
        ended = [one for one in instances if one.end is not None]
        assert f"left out: {len(instances) - len(ended)} rows that are over" in printed
        assert self.imported() == exports.expected_rows(ended)
        assert set(self.column("tenant_id")) <= {"0", "1", "2", "3", "4"}

    def test_alibaba_2018(self):
        exports.write_alibaba2018(self.folder)
        self.import_files("container_meta.csv --format alibaba2018")
        # 400 are 4 cores: the unit is a hundredth.
        assert self.imported() == [(False, 400, 313, 0, None), (False, 800, 625, 86400, None)]
        assert self.statements["vcpus_unit"] == "0.01"
        printed = self.import_files("batch_task.csv --format alibaba2018 --window-start 0")
        assert "left out: 1 rows that are no requests" in printed
        assert self.imported() == [*[(True, 100, 50, 3600, 7200)] * 3, (True, 50, 29, 7200, None)]
        assert set(self.column("instance_id")) == {
            *("j_1/M1/1", "j_1/M1/2", "j_1/M1/3", "j_1/R2_1")
        }

    def test_alibaba_2023(self):
        exports.write_alibaba2023(self.folder / "pods.csv")
        self.import_files("pods.csv --format alibaba2023 --window-start 0")
        assert self.imported() == [(False, 12000, 16384, 10, 86400), (True, 6300, 2048, 100, 7300)]
        assert self.statements["vcpus_unit"] == "0.001"

    def test_kubernetes(self):
        instances = exports.draw_instances(3, 60, 2)
        exports.write_kubernetes(self.folder / "pods.json", instances)
        pods = "pods.json --format kubernetes --spot-if"
        printed = self.import_files(pods, "json_extract(labels, '$.tier') = 'batch'")
        # Two containers of cpus / 4 each.
        assert self.imported() == exports.expected_rows(instances, vcpus=500)
        # 15 CPUs and 62 GiB, less 100m and 128Mi of the DaemonSet.
        assert "hosts: 4 of --host 14900,63360" in printed
        assert "left out: 4 rows that are no requests" in printed
        by_label = self.rows()
        self.import_files(pods, "priority < 0")
        assert self.rows() == by_label

    def test_kubernetes_snapshots(self):
        first = exports.draw_instances(4, 6, 1)
        for one in first:
            one.end = None
        late = exports.Instance("late", "t1", 1, 1024, True, 90000, None)
        exports.write_kubernetes(self.folder / "1.json", first)
        exports.write_kubernetes(self.folder / "2.json", [*first[1:], late])
        self.import_files(
            "1.json 2.json --format kubernetes --spot-if 'priority < 0' --window-start",
            exports.iso(0),
        )
        ends = {row["instance_id"]: row["end_s"] for row in self.rows()}
        # The one that vanished ended before the latest time that the second snapshot knows.
        assert ends == {one.name: "never" for one in [*first[1:], late]} | {first[0].name: "90000"}

    def test_nova_dump_and_usage(self):
        instances = exports.draw_instances(5, 50, 6)
        exports.write_nova_dump(self.folder / "instances.csv", instances)
        nova = "--format openstack --spot-if \"flavor like 'batch%'\""
        self.import_files(f"instances.csv {nova}")
        # The window begins with the first end: what ended earlier may have been purged.
        first_end = min(one.end for one in instances if one.end is not None)
        for one in instances:
            one.start -= first_end
            one.end = None if one.end is None else one.end - first_end
        assert self.imported() == exports.expected_rows(instances)
        # As `mysql --batch` prints it: tabs, and NULL where there is nothing.
        rows = csv.reader((self.folder / "instances.csv").read_text().splitlines())
        lines = ("\t".join(field or "NULL" for field in row) + "\n" for row in rows)
        self.write("instances.tsv", "".join(lines))
        self.import_files(f"instances.tsv --separator tab {nova}")
        assert self.imported() == exports.expected_rows(instances)

        def usage(name, tenant, vcpus, memory_mb, flavor, start, end):
            times = {"started_at": f"2024-05-01T{start}", "ended_at": end and f"2024-05-01T{end}"}
            return {
                "instance_id": name, "tenant_id": tenant, "vcpus": vcpus, "memory_mb": memory_mb,
                "flavor": flavor, **times,
            }  # fmt: skip

        day = {"start": "2024-05-01T00:00:00.000000", "stop": "2024-05-01T04:00:00.000000"}
        first = usage("a", "p", 2, 512, "m1", "00:00:00.000000", None)
        second = usage("b", "q", 1, 256, "batch", "01:00:00.500000", "03:00:00.000000")
        tenants = [
            {"tenant_id": "p", **day, "server_usages": [first]},
            {"tenant_id": "q", "server_usages": [second]},
        ]
        self.write_json("usage.json", {"tenant_usages": tenants})
        self.import_files(f"usage.json {nova}")
        assert self.imported() == [(False, 2, 512, 0, None), (True, 1, 256, 3600.5, 10800)]

    def test_servers_of_flavors(self):
        # What `openstack server list --all-projects -f json -c ID -c 'Project ID' -c 'Flavor Name'
        # -c 'Created At'` prints; older clients call the flavor's column Flavor.
        flavors = [
            {"ID": "1", "Name": "m1.big", "RAM": 4096, "Disk": 0, "VCPUs": 2, "Is Public": True},
            {"ID": "2", "Name": "batch", "RAM": 512, "Disk": 0, "VCPUs": 1, "Is Public": False},
        ]
        self.write_json("flavors.json", flavors)
        self.write("flavors.csv", "name,vcpus,memory_mb\nm1.big,2,4096\nbatch,1,512\n")
        self.write("other.csv", "name,size\n")
        servers = "servers.json --format openstack"
        for column, names in (("Flavor Name", ("m1.big", "batch")), ("Flavor ID", ("1", "2"))):
            listed = [
                {"ID": f"server-{i}", "Project ID": "p", column: name}
                | {"Created At": f"2024-05-01T0{i}:00:00Z"}
                for i, name in enumerate(names)
            ]
            self.write_json("servers.json", listed)
            spots = f"\"{column}\" = '{names[1]}'"
            self.import_files(f"{servers} --flavors flavors.json --spot-if", spots)
            assert self.imported() == [(False, 2, 4096, 0, None), (True, 1, 512, 3600, None)]
        # The last ones name ids, which a table without them does not know.
        self.refuse(
            f"{servers} --spot-if 0",
            "servers.json: has names of flavors, but no sizes; --flavors FILE",
        )
        unknown = self.refused(f"{servers} --spot-if 0 --flavors flavors.csv")
        assert "servers.json: item 1: the flavor '1' is not in flavors.csv" in unknown
        assert "2 rows whose flavor is not in flavors.csv" in " ".join(unknown.split()), unknown
        self.refuse(
            "flavors.csv --format openstack --spot-if 0 --flavors flavors.json",
            "flavors: no column names a flavor",
        )
        self.refuse(
            f"{servers} --spot-if 0 --flavors other.csv",
            "other.csv: there is no column VCPUs or vcpus",
        )

    def test_what_a_format_refuses(self):
        self.write("x.csv", "a,b\n")
        self.write("events.csv", EVENTS + "5,3,1,0,0,1,1\n3,3,2,0,0,1,1\n7,6,1,0,0,1,1\n")
        self.refuse("x.csv --format alibaba2018", "2 fields, expected one of the tables")
        self.refuse("x.csv --format azure-packing", "use cospot workload reconstruct x.csv -o FILE")
        self.refuse(
            "events.csv --format google2019",
            "events.csv:3: the event is earlier than the one before it",
        )

    def test_formats_are_listed(self):
        done = self.cospot("workload import --list-formats")
        assert done.returncode == 0
        assert {line.split()[0] for line in done.stdout.splitlines()} == {
            *("google2019", "alibaba2018", "alibaba2023", "swf", "openstack", "kubernetes"),
            "azure-packing",
        }


class OwnTables(ImportCase):
    """CSV of anybody, by --map."""

    MAP = (
        "--map vcpus=cpu --map 'memory_mb=ram_gib * 1024' --map start_s=from --map end_s=to"
        " --map 'instance_id=vm id'"
    )

    def test_every_time_unit_gives_the_same(self):
        times = {
            "s": ("1714521600", "1714528800.5"),
            "ms": ("1714521600000", "1714528800500"),
            "us": ("1714521600000000", "1714528800500000"),
            "days": ("19844", "19844.08333912037"),
            "iso": ("2024-05-01T00:00:00Z", "2024-05-01 04:00:00.5+02:00"),
        }
        for unit, (start, end) in times.items():
            self.write("t.csv", f'vm id,cpu,ram_gib,from,to\n"a, ""b""",1.5,0.5,{start},{end}\n')
            self.import_files(f"t.csv {self.MAP} --time-unit {unit} --spot-if 'cpu > 1'")
            (row,) = self.rows()
            found = [row[name] for name in ("start_s", "class", "vcpus", "memory_mb")]
            assert found == ["0", "spot", "2", "512"]
            assert abs(float(row["end_s"]) - 7200.5) < 1e-5, (unit, row)
            assert row["instance_id"] == "a_ _b_"  # a workload file has no quotation marks

    def test_dates_of_a_time_zone(self):
        # Clocks of Berlin skip 02:00 to 03:00 on 29 March, so 01:00 to 04:00 are two hours.
        self.write(
            "t.csv",
            "vcpus,memory_mb,start_s,end_s\n"
            "1,64,2026-03-29 01:00,2026-03-29 04:00\n"
            "2,64,2026-03-29T00:30Z,2026-03-29T06:00+02:00\n",
        )
        dates = "t.csv --time-unit iso --spot-if 0 --time-zone Europe"
        assert "from 2026-03-29T00:00:00Z" in self.import_files(f"{dates}/Berlin")
        assert (self.column("start_s"), self.column("end_s")) == (["0", "1800"], ["7200", "14400"])
        self.import_files(f"{dates}/Berlin --window-start '2026-03-29 00:00'")  # 23:00 UTC
        assert self.column("start_s") == ["3600", "5400"]
        self.refuse(f"{dates}/Berln", "expected a time zone of ")
        self.refuse(f"{SECONDS} --time-zone UTC", "the times are numbers")
        self.refuse(
            "t.csv --format openstack --spot-if 0 --time-zone Europe/Berlin",
            "the format openstack has its times in UTC",
        )

    def test_durations_windows_and_what_is_left_out(self):
        self.write(
            "t.csv",
            "vcpus;memory_mb;start_s;end_s\n1;1;0;60\n2;1;86400;60\n"
            "3;1;172800;never\n4;1;1728000;60\n",
        )
        common = f"{SECONDS} --end duration --separator ';'"
        self.import_files(common)
        assert self.column("start_s") == ["0", "86400", "172800", "1728000"]
        assert self.column("end_s") == ["60", "86460", "never", "1728060"]
        # The hour after the last end: 20 days and 1 hour.
        assert float(self.statements["window_days"]) * 24 == 20 * 24 + 1
        window = " --window-start 86400 --window-days 2 --lead-days 0.5"
        printed = self.import_files(common + window)
        assert self.column("start_s") == ["0", "86400"]
        assert "left out: 1 requests that ended before the window" in printed
        assert "left out: 1 requests that start after the window" in printed
        # Only its length: until a second after the last time seen, which is second 1728060.
        self.import_files(f"{common} --window-days 1")
        assert self.column("start_s") == [str(172800 - 1641661), str(1728000 - 1641661)]

    def test_what_was_seen_last_is_in_the_window(self):
        self.write("t.csv", "vcpus,memory_mb,start_s\n1,1,0\n2,1,864000\n3,1,864000\n")
        printed = self.import_files(f"{SECONDS} --window-days 1")
        # The window goes from 864001 - 86400 on: the newest two come in its last second.
        assert "left out" not in printed
        assert self.column("start_s") == ["-777601", "86399", "86399"]

    def test_headerless_tabs_counts_and_gzip(self):
        with gzip.open(self.folder / "t.tsv.gz", "wt") as table:
            table.write("\ufeffx\t2\t1000\t5\t3\n")
        done = self.cospot(
            "workload import t.tsv.gz --columns id,cpu,mem,at,n --separator tab --time-unit s"
            " --map vcpus=cpu --map memory_mb=mem --map start_s=at --map count=n --spot-if 1"
            " -o w.csv.gz"
        )
        assert (done.returncode, done.stderr) == (0, "")
        names = [row["instance_id"] for row in self.rows("w.csv.gz")]
        assert names == ["row-1/1", "row-1/2", "row-1/3"]

    def test_conditions(self):
        self.write(
            "t.csv",
            "vcpus,memory_mb,start_s,prio,tier\n1,1,0,50,prod\n2,1,0,150,free\n"
            "3,1,0,,batch\n4,1,0,007,\n",
        )
        for condition, spots in {
            "prio < 100": {"1", "4"},
            "not prio < 100": {"2"},
            "prio is null": {"3"},
            "tier in ('free', 'batch')": {"2", "3"},
            "tier = 'prod' or prio = 7": {"1", "4"},
            "tier = 'prod' or prio = '7'": {"1"},  # a text in quotes is compared with the text
            "tier = 'prod' or prio = '007'": {"1", "4"},
            "prio between 7 and 50 and tier is not null": {"1"},
            "tier like 'b%'": {"3"},
            "case when prio > 100 then 1 else 0 end": {"2"},
            "1": {"1", "2", "3", "4"},
            "0": set(),
        }.items():
            window = "t.csv --time-unit s --window-days 1 --window-start 0 --spot-if"
            self.import_files(window, condition)
            found = {row["vcpus"] for row in self.rows() if row["class"] == "spot"}
            assert found == spots, (condition, found)

    def test_expressions_that_cannot_be_used(self):
        self.write("t.csv", "vcpus,memory_mb,start_s\n1,1,0\n")
        for condition, fault in {
            "prio < 100": "no such column: prio; the columns are vcpus, memory_mb, start_s",
            "vcpus <": "syntax error",
            "vcpus < 'a": "unrecognized token",
            "(select 1); drop table line": "syntax error",
            "1, 2": "",
            '"vcpu" = 1': "no such column: vcpu",
        }.items():
            error = self.refused("t.csv --time-unit s --spot-if", condition)
            assert f"--spot-if '{condition}': " in error and fault in error, error
            assert "the columns are vcpus, memory_mb, start_s" in error

    def test_what_is_missing_or_wrong(self):
        self.write("t.csv", "vcpus,mem,start_s\n1,1,0\n")
        self.write("empty.csv", "")
        self.write("twice.csv", "vcpus,VCPUS\n")
        self.write("far.csv", "vcpus,memory_mb,start_s\n1,1,0\n1,1,1714521600000\n")
        seconds = "--time-unit s --spot-if 0"
        for command, expected in (
            ("t.csv --spot-if 0", "--time-unit is missing"),
            ("t.csv --time-unit s", "--spot-if is missing"),
            (SECONDS, "--map memory_mb=COLUMN is missing; the columns are vcpus, mem, start_s"),
            (f"{SECONDS} --map ram=mem", "expected NAME=COLUMN; the names are instance_id"),
            (
                f"{SECONDS} --map vcpus=mem --map vcpus=start_s",
                "--map vcpus is given twice, expected once",
            ),
            ("t.csv --time-unit hours --spot-if 0", "expected one of: s, ms, us, days, iso"),
            ("t.csv --format google", "expected one of: google2019, "),
            (f"none.csv {seconds}", "cannot be read"),
            (f"empty.csv {seconds}", "the file is empty"),
            (f"twice.csv {seconds}", "comes twice"),
            (f"far.csv {seconds}", "is --time-unit right?"),
        ):
            self.refuse(command, expected)

    def test_an_input_is_not_overwritten(self):
        self.write("w.csv", "vcpus,memory_mb,start_s\n1,1,0\n")
        done = self.cospot("workload import w.csv --time-unit s --spot-if 0 -o w.csv")
        assert done.returncode == 2 and "is an input of this run" in done.stderr


class Units(ImportCase):
    """What one of the vcpus is goes along with results."""

    def test_databases_know_it(self):
        instances = exports.draw_instances(3, 60, 2)
        exports.write_kubernetes(self.folder / "pods.json", instances)
        self.import_files("pods.json --format kubernetes --spot-if 'priority < 0'")
        done = self.cospot(
            "tune w.csv --host 14900,63360 --vm UTIL --spot sUTIL --evictor FIFO --otn 1,4"
            " --db t.db"
        )
        assert done.returncode == 0, done.stderr
        with contextlib.closing(sqlite3.connect(self.folder / "t.db")) as database:
            units = [unit for (unit,) in database.execute("SELECT vcpus_unit FROM input")]
        assert units == ["0.001"] * 7  # the parts of the one


class BadRows(ImportCase):
    """Everything that is wrong, in one report."""

    TABLE = (
        "id,vcpus,memory_mb,start_s,end_s\n"
        "a,1,1,0,60\n"  # fine
        "b,x,1,0,60\n"
        "c,1,1,0\n"
        "d,0,1,0,60\n"
        "e,1,-1,0,60\n"
        "f,1,1,,60\n"
        "g,1,1,100,60\n"
        "a,1,1,0,60\n"
        ",1,1,0,60\n"
        'h,"1,1,0,60\n'
    )

    OPTIONS = f"{SECONDS} --map instance_id=id --window-days 1 --window-start 0"

    def test_all_is_said_at_once(self):
        self.write("t.csv", self.TABLE)
        self.refuse(
            self.OPTIONS,
            "t.csv: 9 of 10 rows cannot be used",
            "t.csv:3: vcpus is 'x', expected a number more than 0",
            "t.csv:4: 4 fields, expected 5",
            "t.csv:5: vcpus is '0', expected a number more than 0",
            "t.csv:6: memory_mb is '-1', expected a number from 0",
            "t.csv:7: start_s is empty, expected a number of seconds",
            "t.csv:8: end_s is '60', expected a time from start_s on",
            "t.csv:9: instance_id 'a' comes twice, expected another in each row",
            "t.csv:10: instance_id is empty, expected a name",
            "t.csv:11: a quotation mark is not closed on its line",
            "2  vcpus is not a number more than 0",
            "2  rows that cannot be split into columns",
        )

    def test_texts_do_not_count_as_numbers_in_expressions(self):
        """SQL counts a text as the number that it begins with, and as larger than all numbers."""
        self.write(
            "t.csv",
            "cores,ram_gib,tier,created,priority\n1,16GiB,dev,0,1\n1,n/a,dev,0,1\n"
            '1,"1,5",dev,0,1\n1,,dev,0,1\n1,2,dev,5s,1\n1, 2.5 ,dev,5,high\n1,2,dev,5,\n',
        )
        self.refuse(
            "t.csv --time-unit s --spot-if \"priority < 10 and tier in ('dev', 'ci')\""
            " --map vcpus=cores --map 'memory_mb=coalesce(ram_gib, 0) * 1024'"
            " --map 'start_s=created + 60'",
            "t.csv: 5 of 7 rows cannot be used",
            "t.csv:2: ram_gib is '16GiB', expected a number, or nothing: --map memory_mb uses it",
            "t.csv:3: ram_gib is 'n/a', expected a number",
            "t.csv:4: ram_gib is '1,5', expected a number",
            "t.csv:6: created is '5s', expected a number, or nothing: --map start_s uses it",
            "t.csv:7: priority is 'high', expected a number, or nothing: --spot-if uses it",
            "3  ram_gib is not a number",
        )

    def test_a_condition_is_no_text(self):
        self.write("t.csv", "vcpus,memory_mb,start_s,preemptible\n1,1,0,yes\n1,1,0,\n")
        for condition in ("preemptible", "coalesce(preemptible, 'no')"):
            error = self.refused("t.csv --time-unit s --spot-if", condition)
            assert "t.csv:2: --spot-if gives 'yes', expected 0, 1 or a condition" in error

    def test_fields_of_built_in_formats(self):
        """What such logs have as numbers; one row is right in each."""
        job = "{} {} {} 600 2 -1 -1 2 -1 {} 1 3 1 -1 {} -1 -1 -1"
        jobs = [(1, 0, 5, 64, 1), (2, "x", 5, 64, 1), (3, 0, "5s", 64, 1), (4, 0, 5, "oops", 1)]
        jobs.append((5, 0, 5, 64, "2x"))
        self.write("t.swf", "".join(f"{job.format(*each)}\n" for each in jobs))
        self.refuse(
            "t.swf --format swf --spot-if 'queue = 2'",
            "t.swf: 4 of 5 rows cannot be used",
            "t.swf:2: submit_time is 'x', expected a number",
            "t.swf:3: wait_time is '5s', expected a number",
            "t.swf:4: requested_memory is 'oops', expected a number",
            "t.swf:5: queue is '2x', expected a number",
        )
        events = ("200,0.5,0.5", "200,-0.1,0.5", "200,big,0.5", "abc,0,0")
        self.write(
            "e.csv",
            EVENTS + "".join(f"{10**6},3,{7 + i},0,{row}\n" for i, row in enumerate(events)),
        )
        self.refuse(
            "e.csv --format google2019",
            "e.csv: 3 of 4 rows cannot be used",
            "e.csv:3: vcpus is '-1000', expected a number more than 0",
            "e.csv:4: cpus is 'big', expected a number",
            "e.csv:5: priority is 'abc', expected a number",
        )

    def test_bad_rows_are_left_out_when_asked(self):
        self.write("t.csv", self.TABLE)
        printed = self.import_files(f"{self.OPTIONS} --skip-bad-rows")
        assert self.column("instance_id") == ["a"]
        assert "left out: 9 bad rows: " in printed and "2 vcpus is not a number" in printed

    def test_the_first_of_each_kind_are_shown(self):
        self.write("t.csv", "vcpus,memory_mb,start_s\n" + "x,1,0\n" * 50 + "1,16 GiB,0\n")
        error = self.refused(SECONDS)
        assert error.count("vcpus is 'x'") == 5
        assert "t.csv:52: memory_mb is '16 GiB', expected" in error
        assert "; quantity(COLUMN) / 1048576 makes MiB of it" in error
        assert "and 45 more" in error and "50  vcpus is not a number" in error
        self.write("t.csv", "vcpus,memory_mb,start_s\n" + "x,1,0\n" * 50)
        # With nothing that is right there is no workload either.
        self.refuse(f"{SECONDS} --skip-bad-rows", "50 of 50 rows")

    def test_exports_write_memory_with_units_and_missing_ends_as_words(self):
        ends = ("", "NULL", "None", "\\N", "-", "60")
        lines = "".join(f"{i},1,16 GiB,0,{end}\n" for i, end in enumerate(ends))
        self.write("t.csv", "id,vcpus,ram,start_s,end_s\n" + lines)
        memory = "--map 'memory_mb=quantity(ram) / 1048576'"
        self.import_files(f"{SECONDS} --map instance_id=id {memory}")
        assert self.column("end_s") == ["never"] * 5 + ["60"]
        assert set(self.column("memory_mb")) == {"16384"}

    def test_quantities_and_pods(self):
        exports.write_kubernetes(self.folder / "pods.json", exports.draw_instances(3, 3, 1))
        pods = (self.folder / "pods.json").read_text()
        # A word for an amount, a pod that asks for less than nothing, and a word for a priority.
        high = json.loads(pods)
        high["items"][0]["spec"]["priority"] = "high"
        wrong = "is no quantity from 0, expected one such as 500m or 2Gi"
        for text, expected in (
            (re.sub(r'"\d+m"', '"half"', pods), f"bad.json: item 1: 'half' {wrong}"),
            (re.sub(r'"\d+m"', '"-5"', pods), f"'-5' {wrong}"),
            (json.dumps(high), "item 1: priority is 'high', expected a number, or nothing"),
            ('{"items": []}', "bad.json: there are no pods"),
            ("not JSON", "not valid JSON"),
        ):
            self.write("bad.json", text)
            self.refuse("bad.json --format kubernetes --spot-if 'priority < 0'", expected)

    def test_mangled_files_never_crash(self):
        rng = random.Random(7)
        exports.write_google(self.folder / "e.csv", exports.draw_instances(1, 20, 1))
        good = bytearray((self.folder / "e.csv").read_bytes())
        for _ in range(40):
            bad = bytearray(good)
            for _ in range(rng.randrange(1, 30)):
                bad[rng.randrange(len(bad))] = rng.randrange(256)
            (self.folder / "bad.csv").write_bytes(bytes(bad[: rng.randrange(1, len(bad))]))
            done = self.cospot("workload import bad.csv --format google2019 -o m.csv")
            assert done.returncode in (0, 2), (done.returncode, done.stderr)


class Streaming(ImportCase):
    """Large files are read row by row."""

    def test_memory_does_not_grow_with_the_length_of_rows(self):
        # 150 MB of rows, unpacked; far less is held.
        filler = "x" * 3000
        with gzip.open(self.folder / "t.csv.gz", "wt", compresslevel=1) as table:
            table.write("vcpus,memory_mb,start_s,note\n")
            for i in range(50_000):
                table.write(f"1,1,{i},{filler}\n")
        done = self.cospot("workload import t.csv.gz --time-unit s -o w.csv --spot-if", "note = ''")
        assert done.returncode == 0, done.stderr
        if b"__asan_init" in pathlib.Path(PROGRAM).read_bytes():
            self.skipTest("a sanitizer keeps what is freed")
        peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        assert peak_mb < 100, peak_mb


class WhatIsSaid(ImportCase):
    """What a user would otherwise find out late."""

    OPTIONS = (
        "t.csv --spot-if 0 --time-unit days --map instance_id=id --map vcpus=cpus"
        " --map memory_mb=mb --map start_s=start --map end_s=stop"
    )

    def check_warning(self, rows, warning, remedy):
        self.write("t.csv", "id,cpus,mb,start,stop\n" + rows)
        self.import_files(self.OPTIONS)
        assert self.warnings == [f"cospot: warning: w.csv: {warning}"]
        self.import_files(f"{self.OPTIONS} {remedy}")
        assert self.warnings == []

    def test_a_window_that_goes_on_long_after_the_last_start(self):
        # 30 days and the hour after the last end; c is the last to start, on day 6.5.
        self.check_warning(
            "a,1,1024,0,2\nb,1,1024,3,4\nc,1,1024,6.5,30\n",
            "the window of 30.042 days goes on to the last end, but "
            "nothing starts in its last 23.5; if no starts were recorded then, --window-start 0 "
            "--window-days 7 ends it after the last start",
            "--window-start 0 --window-days 7",
        )

    def test_a_table_that_begins_with_an_empty_cloud(self):
        # Seen are 20 days: a quarter of them is 5.
        self.check_warning(
            "".join(f"v{day},1,1024,{day},{day + 1}\n" for day in range(20)),
            "nothing starts before the window: if the cloud was in use "
            "then, its first days look emptier than they were; --window-start 5 begins later, "
            "with the instances that ran by then",
            "--window-start 5",
        )

    def test_an_empty_file_before_anything_else(self):
        self.write("t.csv", "")
        assert self.refused("t.csv") == (
            "cospot: t.csv: the file is empty, expected records of instances: a CSV table with a "
            "header line, or a format of --list-formats\n"
        )


if __name__ == "__main__":
    unittest.main()
