#!/usr/bin/env python3
"""Counts the smallest sets of machine types that run all VM types of the CoSpot release.

The release's solution has a memory size for every VM type it looked at but type 14, which takes all
of any machine. A set runs a VM type when one of its machine types does.

Example:
    scripts/fewest_machine_types.py vmType.csv.gz server_vm_cores_ram.json
"""

import argparse
import csv
import gzip
import itertools
import json
import pathlib

WHOLE_MACHINE_TYPE = 14


def needs_of(table: pathlib.Path, solution: pathlib.Path) -> tuple[int, list[frozenset[int]]]:
    """The number of VM types, and the machine types that run each, without implied ones."""
    released = {WHOLE_MACHINE_TYPE}
    for part in json.loads(solution.read_text(encoding="utf-8")):
        released |= {int(name[7:-1]) for name in part if name.startswith("vm_ram[")}
    runs_on: dict[int, set[int]] = {vm: set() for vm in released}
    with gzip.open(table, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if int(row["vmTypeId"]) in released:
                runs_on[int(row["vmTypeId"])].add(int(row["machineId"]))
    needs = {frozenset(machines) for machines in runs_on.values()}
    return len(released), [need for need in needs if not any(other < need for other in needs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=pathlib.Path, help="vmType.csv.gz")
    parser.add_argument("solution", type=pathlib.Path, help="server_vm_cores_ram.json")
    options = parser.parse_args()
    vm_types, needs = needs_of(options.table, options.solution)
    machines = sorted(set().union(*needs))
    for size in range(1, len(machines) + 1):
        sets = [
            chosen
            for chosen in itertools.combinations(machines, size)
            if all(need & set(chosen) for need in needs)
        ]
        print(f"{size}: {len(sets)} sets run all {vm_types} VM types")
        if sets:
            return


if __name__ == "__main__":
    main()
