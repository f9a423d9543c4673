#!/usr/bin/env python3
"""What `cospot workload import` knows of when its files were made, of hosts, zones and units.

Needs the environment variable COSPOT_PROGRAM: the program to test.
"""

import dataclasses
import json
import random
import unittest

import operator_exports as exports
from import_case import ImportCase

DAY = 86400
SPOTS = "--format kubernetes --spot-if 'priority < 0'"
SECONDS = "t.csv --time-unit s --spot-if 0"


def snapshots(folder, days):
    """Write what kubectl prints once a day; return the files' names.

    One database pod of 242 days before the first look, and jobs of 12 hours around each look.
    """
    instances = [exports.Instance("db", "t", 4, 4096, False, -242 * DAY, None)]
    for day in range(15):
        around = (day * DAY - DAY // 4, day * DAY + DAY // 4)
        instances.append(exports.Instance(f"job-{day}", "t", 2, 2048, True, *around))
    names = []
    for day in days:
        alive = [
            dataclasses.replace(one, end=None)
            for one in instances
            if one.start <= day * DAY and (one.end is None or one.end > day * DAY)
        ]
        names.append(f"pods-{day:02}.json")
        exports.write_kubernetes(folder / names[-1], alive, taken=day * DAY)
    return names


class Observed(ImportCase):
    """The window begins when everything that ran was known."""

    def test_the_window_begins_with_the_first_snapshot(self):
        files = snapshots(self.folder, range(15))
        printed = self.import_files(SPOTS, *files)
        assert "14.0417 days from 2024-05-01T00:00:00Z, the first of 15 snapshots\n" in printed
        assert "  of 256 days only the last 14 were observed\n" in printed
        assert self.warnings == []
        rows = {row["instance_id"]: row for row in self.rows()}
        assert rows["db"]["start_s"] == str(-242 * DAY) and rows["db"]["end_s"] == "never"
        assert rows["job-3"]["start_s"] == str(3 * DAY - DAY // 4)
        # What is gone at the next look ended by then.
        assert rows["job-3"]["end_s"] == str(4 * DAY)
        # 14 days and the hour after the last look; 4 cpus / 4 * 2 containers are 2 CPUs.
        assert abs(float(self.statements["window_days"]) - (14 + 1 / 24)) < 1e-9
        done = self.cospot("workload info w.csv")
        assert "VMs 28.1 vCPU-days" in done.stdout, done.stdout
        # Their order does not matter.
        in_order = (self.folder / "w.csv").read_bytes()
        random.Random(1).shuffle(files)
        self.import_files(SPOTS, *files)
        assert (self.folder / "w.csv").read_bytes() == in_order

    def test_an_earlier_window_is_warned_of_with_a_remedy(self):
        files = snapshots(self.folder, range(15))
        self.import_files(SPOTS, *files, "--window-start", exports.iso(-242 * DAY))
        (warning,) = self.warnings
        assert "w.csv: of 256 days only the last 14 were observed: before," in warning
        assert "--window-start 2024-05-01T00:00:00Z begins with the first of 15 snap" in warning

    def test_one_snapshot_observes_a_moment(self):
        (file,) = snapshots(self.folder, [0])
        printed = self.import_files(f"{file} {SPOTS}")
        assert "14.0417 days from 2024-04-17T00:00:00Z, 14 days before the only snap" in printed
        (warning,) = self.warnings
        assert "only the moment 2024-05-01T00:00:00Z was observed" in warning
        assert "take several snapshots" in warning and "--window-days" in warning
        self.import_files(f"{file} {SPOTS} --window-days 14")
        assert self.warnings == []

    def test_snapshots_without_nodes(self):
        files = snapshots(self.folder, range(3))
        for file in files:
            document = json.loads((self.folder / file).read_text())
            document["items"] = [one for one in document["items"] if one["kind"] == "Pod"]
            self.write_json(file, document)
        self.import_files(SPOTS, *files)
        assert "pods-00.json: no node tells when the snapshot was taken" in self.warnings[0]

    def test_a_dump_whose_deleted_instances_were_purged(self):
        # Two that live since day 0; what was deleted before day 100 is purged.
        old = [exports.Instance(f"old-{i}", "p", 2, 2048, False, 0, None) for i in range(2)]
        short = [
            exports.Instance(f"s-{i}", "p", 1, 1024, True, (99 + i) * DAY, (100 + i) * DAY)
            for i in range(10)
        ]
        options = "--format openstack --spot-if \"flavor like 'batch.%'\""
        exports.write_nova_dump(self.folder / "dump.csv", [*old, *short])
        printed = self.import_files(f"dump.csv {options}")
        assert "9.04167 days from 2024-08-09T00:00:00Z, the first end" in printed  # day 100
        assert "of 109 days only the last 9 were observed" in printed
        assert set(self.column("start_s")) >= {str(-100 * DAY), str(-DAY), "0"}
        # Only what lives: nothing but the moment of the dump is known.
        late = exports.Instance("late", "p", 1, 1024, True, 100 * DAY, None)
        exports.write_nova_dump(self.folder / "living.csv", [*old, late])
        printed = self.import_files(f"living.csv {options}")
        assert "days from 2024-07-26T00:00:00Z, 14 days before the newest start" in printed
        assert "only the moment 2024-08-09T00:00:00Z was observed" in self.warnings[0]

    def test_a_usage_report_says_from_when_it_is(self):
        usage = [
            {"instance_id": name, "vcpus": 2, "memory_mb": 2048, "flavor": flavor}
            | {"started_at": exports.iso(start), "ended_at": None}
            for name, flavor, start in (("a", "m1", -50 * DAY), ("b", "batch", 2 * DAY))
        ]
        report = {"start": exports.iso(0), "stop": exports.iso(7 * DAY), "server_usages": usage}
        self.write_json("usage.json", {"tenant_usages": [report]})
        printed = self.import_files("usage.json --format openstack --spot-if", "flavor = 'batch'")
        assert "7.04167 days from 2024-05-01T00:00:00Z, the start of the report" in printed
        assert "of 57 days only the last 7 were observed" in printed

    def test_a_table_whose_ends_come_late(self):
        rows = [f"s{i},1,1024,{(99 + i) * DAY},{(100 + i) * DAY}\n" for i in range(10)]
        header = "instance_id,vcpus,memory_mb,start_s,end_s\nold,1,1024,0,\n"
        self.write("t.csv", header + "".join(rows))
        self.import_files(SECONDS)
        (warning,) = self.warnings
        assert "nothing ends in the first 100 days after the first start" in warning
        assert "of 109 days only the last 9 were observed" in warning
        assert f"--window-start {100 * DAY} begins with the first end" in warning
        self.import_files(f"{SECONDS} --window-start {100 * DAY}")
        assert self.warnings == []


class Hosts(ImportCase):
    """Nodes become a file of hosts."""

    def test_nodes_become_hosts(self):
        instances = exports.draw_instances(3, 40, 2)
        for one in instances:
            one.end = None
        exports.write_kubernetes(self.folder / "1.json", instances, nodes=5, taken=2 * DAY)
        exports.write_kubernetes(self.folder / "2.json", instances, taken=3 * DAY)
        document = json.loads((self.folder / "2.json").read_text())
        nodes = [one for one in document["items"] if one["kind"] == "Node"]
        nodes[0]["spec"] = {"unschedulable": True}
        nodes[1]["status"]["conditions"][0]["status"] = "Unknown"
        self.write_json("2.json", document)
        printed = self.import_files(f"1.json 2.json {SPOTS} --hosts-out hosts.csv")
        # 15 CPUs and 62 GiB, less 100m and 128Mi of the DaemonSet.
        assert "hosts: 2 of --host 14900,63360 (m5.4xlarge)" in printed
        hosts = self.rows("hosts.csv")
        assert [(host["name"], host["zone"], host["status"]) for host in hosts] == [
            ("node-0", "a", "disabled"),
            ("node-1", "b", "down"),
            ("node-2", "a", "up"),
            ("node-3", "b", "up"),
            ("node-4", "a", "down"),  # gone in the second snapshot
        ]
        assert {(h["type"], h["vcpus"], h["memory_mb"]) for h in hosts[:4]} == {
            ("m5.4xlarge", "14900", "63360")
        }
        done = self.cospot("workload info w.csv --host hosts.csv")
        assert "on hosts of types in proportion to m5.4xlarge 2" in done.stdout
        # In whole vCPUs, where requests count so.
        self.import_files(f"2.json {SPOTS} --hosts-out whole.csv --map vcpus=cpu --vcpus-unit 1")
        assert "node-2,m5.4xlarge,14,63360,a,up" in (self.folder / "whole.csv").read_text()

    def test_files_without_hosts(self):
        self.write("t.csv", "vcpus,memory_mb,start_s\n1,1024,0\n")
        for file, expected in (
            ("h.csv", "t.csv: there are no hosts for --hosts-out"),
            ("refused.csv", "is the file of -o too"),
            ("t.csv", "is an input of this run"),
        ):
            self.refuse(f"{SECONDS} --hosts-out {file}", expected)


class Placements(ImportCase):
    """Requests may ask for zones, extra specs and groups."""

    TABLE = "vcpus,memory_mb,start_s,az,specs,team\n1,1024,0,z1,disk=ssd,a\n2,2048,5,,,\n"

    def test_they_are_mapped(self):
        self.write("t.csv", self.TABLE)
        self.import_files(
            f"{SECONDS} --map zone=az --map extra_specs=specs --map group=team --map",
            "group_policy='anti-affinity'",
        )
        first, second = self.rows()
        names = ("zone", "extra_specs", "group", "group_policy", "max_server_per_host")
        assert [first[name] for name in names] == ["z1", "disk=ssd", "a", "anti-affinity", ""]
        assert [second[name] for name in names] == [""] * 5
        assert self.cospot("workload info w.csv").returncode == 0

    def test_a_column_is_not_taken_for_a_group_by_its_name(self):
        self.write("t.csv", self.TABLE.replace("team", "group"))
        self.import_files(SECONDS)
        assert "group" not in self.rows()[0]

    def test_what_cannot_be_asked_for(self):
        self.write("t.csv", self.TABLE.replace("disk=ssd", "ssd"))
        exports.write_kubernetes(self.folder / "pods.json", exports.draw_instances(1, 4, 1))
        near = "--map group=team --map \"group_policy='near'\""
        for command, expected in (
            (f"{SECONDS} --map extra_specs=specs", "t.csv:2: extra_specs is 'ssd', expected key=v"),
            (f"{SECONDS} --map group=team", "--map group= and --map group_policy= belong together"),
            (f"{SECONDS} {near}", "group_policy is 'near', expected affinity, anti-affinity"),
            # A column that is not there is told of, of what may be left out too.
            (f"{SECONDS} --map zone=zone", "no such column: zone; the columns are vcpus, "),
            (f"pods.json {SPOTS} --map end_s=gone", "no such column: gone"),
        ):
            self.refuse(command, expected)


class Plausible(ImportCase):
    """What looks like another unit, or a condition that misses, is warned of."""

    def warnings_of(self, memory, spot_if="prio < 100"):
        rows = "".join(f"{1 + i % 4},{memory},{i},{50 + 10 * i}\n" for i in range(12))
        self.write("t.csv", "vcpus,memory_mb,start_s,prio\n" + rows)
        self.import_files("t.csv --time-unit s --spot-if", spot_if)
        return self.warnings

    def test_units_of_memory(self):
        assert self.warnings_of(4096) == []
        # 12 requests of 2.5 vcpus and 4 each: 1.6 a vCPU.
        (warning,) = self.warnings_of(4)
        assert "requests ask for 1.6 MiB of memory a vCPU, which looks like GiB" in warning
        assert "--map 'memory_mb=COLUMN * 1024'" in warning
        (warning,) = self.warnings_of(4 * 2**20)
        assert "looks like KiB or bytes" in warning and "/ 1024.0" in warning

    def test_conditions_that_hold_for_none_or_all(self):
        (warning,) = self.warnings_of(4096, "prio < 0")
        assert "--spot-if 'prio < 0' holds for none of 12 requests" in warning
        (warning,) = self.warnings_of(4096, "prio >= 0")
        assert "--spot-if 'prio >= 0' holds for all of 12 requests" in warning
        assert self.warnings_of(4096, "0") == self.warnings_of(4096, "1") == []

    def test_hosts_in_another_unit(self):
        instances = exports.draw_instances(3, 40, 2)
        exports.write_kubernetes(self.folder / "pods.json", instances)
        self.import_files(f"pods.json {SPOTS}")
        wrong = self.cospot("workload info w.csv --host 16,65536").stderr
        assert "a host of 16,65536 has 4096" in wrong and "a vcpu counting 0.001 vCPU" in wrong
        right = self.cospot("workload info w.csv --host 14900,63360").stderr
        assert "units" not in right


class Dates(ImportCase):
    """One reader of dates, for imports and for use over time."""

    def test_economy_reads_what_import_reads(self):
        def usage(time_text):
            return "time_s,capacity,used\n" + "".join(
                f"{time_text(hour)},100,{50 + hour % 7}\n" for hour in range(24 * 20)
            )

        def at(form):
            hours = exports.datetime.timedelta(hours=1)
            return lambda hour: (exports.EPOCH + hour * hours).strftime(form)

        plan = "economy plan usage.csv --period-hours 1 --training-days 7 --horizon-days 7"
        printed = set()
        for text in (
            usage(lambda hour: str(int(exports.EPOCH.timestamp()) + 3600 * hour)),
            usage(at("%Y-%m-%dT%H:%M:%SZ")),
            usage(at("%Y-%m-%d %H:%M")),
            usage(at("%d.%m.%Y %H:%M")),
            usage(at("%Y/%m/%d %H:%M:%S +0000")),
        ):
            self.write("usage.csv", text)
            done = self.cospot(f"{plan} --forecaster mean")
            assert done.returncode == 0, done.stderr
            printed.add("\n".join(x for x in done.stdout.splitlines() if "SHA" not in x))
        assert len(printed) == 1, printed
        # May or January: nobody can tell.
        self.write("usage.csv", usage(at("%m/%d/%Y")))
        done = self.cospot(plan)
        assert done.returncode == 2
        assert "time_s is '05/01/2024', expected a time in seconds, or a date such" in done.stderr


if __name__ == "__main__":
    unittest.main()
