#!/usr/bin/env python3
r"""Proves how few VM types have to be left out for the others' sizes to be consistent.

`cospot workload reconstruct` leaves out types one by one, which need not be the fewest. This solves
a mixed-integer program instead (SciPy's HiGHS): a binary variable for each type, 1 = left out: its
equations then do not count; the least sum is the answer. It is for checks, not for use: it has no
bound on its time.

Example:
    /usr/bin/python3 scripts/fewest_inconsistent_types.py vmType.csv.gz zone.sizes.csv \
        --resource core
"""

import argparse
import csv
import gzip
import math
import pathlib

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

# In natural logarithms: the largest contradiction that leaving out a type has to cover; sizes.
LARGEST_SLACK = 12.0
LARGEST_SIZE = 20.0
ROUNDING = 1e-7


def read_rows(path: pathlib.Path) -> list[dict[str, str]]:
    """The rows of a CSV file, plain or gzip."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def fewest(equations: list[tuple[int, int, float]]) -> tuple[list[int], float]:
    """The types to leave out, and the proven lower bound of their number.

    Args:
        equations: VM type, machine type, and the type's share of the machine.
    """
    types = sorted({vm_type for vm_type, _, _ in equations})
    machines = sorted({machine for _, machine, _ in equations})
    column = {("type", key): i for i, key in enumerate(types)}
    column |= {("machine", key): len(types) + i for i, key in enumerate(machines)}
    sizes = len(types) + len(machines)
    rows, columns, values, limits = [], [], [], []
    for vm_type, machine, share in equations:
        for sign in (1, -1):
            row = len(limits)
            rows += [row] * 3
            columns += [column["type", vm_type], column["machine", machine],
                        sizes + column["type", vm_type]]
            values += [sign, -sign, -LARGEST_SLACK]
            limits.append(sign * math.log(share) + ROUNDING)
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=(len(limits), sizes + len(types)))
    is_binary = np.r_[np.zeros(sizes), np.ones(len(types))]
    result = milp(is_binary, constraints=LinearConstraint(matrix, -np.inf, limits),
                  integrality=is_binary,
                  bounds=Bounds(np.where(is_binary == 1, 0, -LARGEST_SIZE),
                                np.where(is_binary == 1, 1, LARGEST_SIZE)))
    if result.x is None:
        raise SystemExit(f"the solver gave no result: {result.message}")
    left_out = [vm_type for i, vm_type in enumerate(types) if result.x[sizes + i] > 0.5]
    return left_out, result.mip_dual_bound


def main() -> None:
    """Reads the arguments and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("types", type=pathlib.Path, help="the table vmType as CSV")
    parser.add_argument("sizes", type=pathlib.Path, help="what reconstruct wrote: names the types")
    parser.add_argument("--resource", choices=("core", "memory"), default="core")
    arguments = parser.parse_args()
    listed = [(row["kind"], int(row["id"])) for row in read_rows(arguments.sizes)]
    equations = [(int(row["vmTypeId"]), int(row["machineId"]), float(row[arguments.resource]))
                 for row in read_rows(arguments.types)
                 if ("vm_type", int(row["vmTypeId"])) in listed
                 and ("machine_type", int(row["machineId"])) in listed]
    left_out, bound = fewest(equations)
    print(f"{len(left_out)} types, at least {bound:.2f}: {' '.join(map(str, left_out))}")


if __name__ == "__main__":
    main()
