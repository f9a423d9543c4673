#!/usr/bin/env python3
"""Runs the commands of docs/cookbook-import.md, block by block, on small invented exports.

Needs the environment variable COSPOT_PROGRAM: the program to test.
"""

import csv
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import operator_exports as exports

PROGRAM = pathlib.Path(os.environ["COSPOT_PROGRAM"]).resolve()
PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "cookbook-import.md").read_text()


def blocks():
    """Return the commands of each block that the page says is run."""
    found = re.findall(r"<!-- run: (\w+) -->\n```sh\n(.*?)```", PAGE, re.DOTALL)
    return {name: text.strip().split("\n") for name, text in found}


def write_table(file, instances):
    with file.open("w", newline="") as table:
        writer = csv.writer(table)
        writer.writerow(["vm", "customer", "cores", "ram_gib", "created", "deleted", "tier"])
        for one in instances:
            times, tier = map(exports.iso, (one.start, one.end)), "batch" if one.is_spot else "prod"
            writer.writerow([one.name, one.tenant, one.cpus, one.memory / 1024, *times, tier])


def write_flavors(file, instances):
    sizes = sorted({(one.cpus, one.memory) for one in instances})
    lines = ["vcpus,memory_mb,on_demand,spot"]
    lines += [f"{cpus},{memory},{0.04 * cpus},{0.012 * cpus}" for cpus, memory in sizes]
    file.write_text("\n".join(lines) + "\n")


class Cookbook(unittest.TestCase):
    """Four commands each, from an export to a report with money in it."""

    def run_block(self, name, file, write):
        commands = blocks()[name]
        assert len(commands) == 4, (name, commands)
        instances = exports.draw_instances(11, 160, 5)
        if name == "swf":  # all of whose jobs are over: without an end they are left out
            instances = [one for one in instances if one.end is not None]
        with tempfile.TemporaryDirectory(prefix="cospot-cookbook-") as scratch:
            folder = pathlib.Path(scratch)
            write(folder / file, instances)
            environment = dict(os.environ, PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
            printed = []
            for command in commands:
                done = subprocess.run(
                    ["bash", "-euc", command],
                    cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                    capture_output=True, timeout=300, check=False,
                )  # fmt: skip
                assert done.returncode == 0, (command, done.stdout, done.stderr)
                printed.append(done.stdout)
            report = (folder / "report.html").read_text()
        assert f"{len(instances)} requests: " in printed[0]
        recommended = re.search(
            r"Money on the validation.*\n  recommendation +spots earn ([\d.,]+) of ([\d.,]+), "
            r"VMs lose ([\d.,]+) of ([\d.,]+):",
            printed[2],
        )
        earned, requested, lost, vms = (
            float(text.replace(",", "")) for text in recommended.groups()
        )
        assert 0 < earned <= requested and 0 <= lost < vms
        if name == "nova":  # by flavor, which all cost the same by the vCPU
            assert "Money by flavors.csv" in report and "is 0.04 on demand" in report
        else:
            assert "Money, at 0.04 for a" in report
        assert "spots earn" in report
        assert '"role":"money"' in report
        # Spots asked, by the instances themselves, for the vCPU-hours in the last five of seven
        # parts of the window, which judge, at 0.012.
        end, judged = 5 * 86400, 5 * 86400 * 2 / 7
        hours = sum(
            one.cpus * max(0, min(one.end or 10**9, end) - max(one.start, judged)) / 3600
            for one in instances
            if one.is_spot
        )
        return requested, hours * 0.012

    def test_every_block(self):
        def write_nova(file, instances):
            exports.write_nova_dump(file, instances)
            write_flavors(file.parent / "flavors.csv", instances)

        cases = {
            # 10,000 units are a machine of 64 vCPUs there, as in these exports.
            "google": ("instance_events.csv", exports.write_google, 1),
            "swf": ("log.swf", exports.write_swf, 1),
            # Two containers of a quarter each.
            "kubernetes": ("pods.json", exports.write_kubernetes, 0.5),
            "nova": ("instances.csv", write_nova, 1),
            "table": ("vms.csv", write_table, 1),
        }
        assert set(blocks()) == set(cases)
        for name, (file, write, vcpus) in cases.items():
            with self.subTest(name):
                requested, expected = self.run_block(name, file, write)
                # The window ends within two hours of the last end.
                assert abs(requested - expected * vcpus) <= 0.04 * expected, (requested, expected)


if __name__ == "__main__":
    unittest.main()
