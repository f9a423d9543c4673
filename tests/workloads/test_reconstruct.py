#!/usr/bin/env python3
"""Drives `cospot workload reconstruct` as a user does, from a SQLite trace to a comparison.

Needs the environment variable COSPOT_PROGRAM: the program to test.
"""

import unittest

import packing_trace
from import_case import ProgramCase

SWEEP = """\
workloads: [sample.csv]
host: {vcpus: 64, memory_mb: 256}
headroom_percent: [0, 2]
vm: [COS]
spot: [sCOS]
evictor: [FIFO]
saf: [false, true]
otn: [1, 4]
"""


class Reconstruct(ProgramCase):
    def succeed(self, command):
        done = self.cospot(f"workload {command}")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    def write_sqlite(self, **recipe):
        trace = packing_trace.make_trace(seed=1, **recipe)
        packing_trace.write_sqlite(trace, self.folder / "trace.sqlite")
        return trace

    def check_sizes(self, trace, rows):
        machines, types, left_out = {}, {}, set()
        for row in rows:
            if row["kind"] == "vm_type" and row["status"] != "recovered":
                left_out.add(int(row["id"]))
            else:
                found = {"machine_type": machines, "vm_type": types}[row["kind"]]
                found[int(row["id"])] = (int(row["vcpus"]), int(row["memory"]))
        assert (machines, types, left_out) == (trace.machines, trace.types, trace.inconsistent)

    def test_sqlite_to_comparison(self):
        trace = self.write_sqlite(inconsistent=2)
        output = self.succeed("reconstruct trace.sqlite -o zone.csv.gz")
        assert "16 of 18 requested VM types have consistent sizes\n" in output
        assert "2 left out, inconsistent vcpus: 100 101\n" in output
        self.check_sizes(trace, self.rows("zone.sizes.csv"))

        rows = self.rows("zone.csv.gz")
        kept = sorted(
            (row for row in trace.request_rows if row[2] not in trace.inconsistent),
            key=lambda row: (row[4], row[0]),
        )
        assert [int(row["instance_id"]) for row in rows] == [row[0] for row in kept]
        for row, (_, tenant, vm_type, priority, start, end) in zip(rows, kept, strict=False):
            assert (int(row["vcpus"]), int(row["memory_mb"])) == trace.types[vm_type]
            assert row["tenant_id"] == str(tenant)
            assert row["class"] == ("spot" if priority == 1 else "vm")
            assert abs(float(row["start_s"]) - start * 86400) <= 1e-06
            if end is None:
                assert row["end_s"] == "never"
            else:
                assert abs(float(row["end_s"]) - end * 86400) <= 1e-06

        self.succeed("info zone.csv.gz --host 64,256")
        self.succeed("sample zone.csv.gz -o sample.csv --probability 0.5 --batched --seed 7")
        self.write("sweep.yaml", SWEEP)
        done = self.cospot("compare sweep.yaml --db results.db --csv results.csv")
        assert done.returncode == 0, done.stderr
        results = self.rows("results.csv")
        assert len(results) == 8
        for row in results:
            assert int(row["spot_requests"]) > 100
            assert row["vm_requests"] == results[0]["vm_requests"]

    def test_csv_gives_the_same_as_sqlite(self):
        trace = self.write_sqlite()
        trace.request_rows.sort(key=lambda row: (row[4], row[0]))  # as SQLite is read
        for columns, rows, name in (
            (packing_trace.REQUEST_COLUMNS, trace.request_rows, "vm.csv.gz"),
            (packing_trace.TYPE_COLUMNS, trace.type_rows, "types.csv"),
        ):
            packing_trace.write_csv(columns, rows, self.folder / name)
        self.succeed("reconstruct trace.sqlite -o a.csv")
        self.succeed("reconstruct vm.csv.gz --types types.csv -o b.csv")
        for name in ("a.csv", "a.sizes.csv"):
            other = name.replace("a", "b", 1)
            assert (self.folder / name).read_bytes() == (self.folder / other).read_bytes()

    def test_known_totals(self):
        trace = self.write_sqlite(requests=300)
        self.succeed(
            "reconstruct trace.sqlite -o zone.csv --machines 3,9 --host-cores 9=960"
            " --host-memory 3=1920 --sizes sizes.csv"
        )
        rows = self.rows("sizes.csv")
        for row in rows:
            known = trace.machines if row["kind"] == "machine_type" else trace.types
            cores, memory = known[int(row["id"])]
            assert (int(row["vcpus"]), int(row["memory"])) == (10 * cores, 10 * memory)

    def test_bad_input_leaves_nothing(self):
        self.write_sqlite(requests=300)
        good = (self.folder / "trace.sqlite").read_bytes()
        (self.folder / "cut.sqlite").write_bytes(good[: len(good) // 2])
        self.write("text.csv", "vmId\n1\n")
        twice = packing_trace.make_trace(seed=1, requests=300)
        twice.request_rows.append((5, 1, 20, 0, 20.0, None))
        packing_trace.write_sqlite(twice, self.folder / "twice.sqlite")
        before = sorted(self.folder.iterdir())
        cases = [
            ("none.sqlite", "none.sqlite: cannot be read: there is no such file"),
            ("cut.sqlite", "cut.sqlite: is damaged"),
            ("text.csv", "text.csv: is not an SQLite file, expected one with the tables"),
            ("text.csv --types none.csv", "none.csv: cannot be read"),
            ("twice.sqlite", "two requests with the vmId 5, expected unique ids"),
            ("trace.sqlite --machines 3,4", "the trace has no machine type 4, valid ones"),
            ("trace.sqlite --machines x", "--machines: found 'x', expected machine types"),
            ("trace.sqlite --host-cores 9=97", "--host-cores 9=97: expected a multiple of"),
            ("trace.sqlite --host-cores 9", "expected MACHINE=TOTAL"),
            ("trace.sqlite --tolerance nan", "--tolerance is nan, expected a number"),
            ("trace.sqlite --schema x", "unknown workload schema 'x'"),
            ("trace.sqlite --sizes out.csv", "expected two files"),
            ("trace.sqlite --sizes none/sizes.csv", "none/sizes.csv: cannot be written"),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments=arguments):
                done = self.cospot(f"workload reconstruct {arguments} -o out.csv")
                assert (done.returncode, done.stdout) == (2, "")
                assert expected in done.stderr
                assert done.stderr.count("\n") == 1
                assert sorted(self.folder.iterdir()) == before
        done = self.cospot("workload reconstruct trace.sqlite -o trace.sqlite")
        assert done.returncode == 2
        assert (self.folder / "trace.sqlite").read_bytes() == good


if __name__ == "__main__":
    unittest.main()
