"""Judge lifetime models by what evictors earned with them (README.md beside this file).

    judge.py choose DATABASE       the evictor of the largest mean, by label
    judge.py choices DATABASE...   what each evictor earned, one column a database
    judge.py table DATABASE...     differences between evictors, paired by workload

Earnings are spot revenue, % of what spots requested; VM loss is % of what VMs requested.
"""

from __future__ import annotations

import math
import sqlite3
import statistics
import sys
from collections.abc import Iterable

Means = dict[tuple[str, str], tuple[float, float]]
"""(workload, evictor) to (earned, VM loss), each the mean over all settings."""

#: Student's t for 95 %, by degrees of freedom.
_T = {4: 2.776, 9: 2.262, 19: 2.093}
_PAIRS = (
    ("LPML", "FIFO"),
    ("LPKM", "FIFO"),
    ("LPKM", "LPML"),
    ("YJF", "FIFO"),
    ("LPKM", "YJF"),
    ("LPO", "LPKM"),
)
_SETTINGS = {
    "headroom": "headroom_percent || ' %'",
    "VM policy": "vm",
    "spot policy": "spot",
    "SAF": "CASE saf WHEN 1 THEN 'on' ELSE 'off' END",
    "OTN": "otn",
}


def read_means(database: str, where: str = "1") -> Means:
    """Read a results database; `where` chooses runs."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    rows = connection.execute(
        "SELECT workload, evictor, 100 * avg(spot_revenue / spot_revenue_requested),"
        " 100 * avg(vm_revenue_lost / vm_revenue_requested)"
        f" FROM run WHERE {where} GROUP BY 1, 2"
    ).fetchall()
    connection.close()
    return {(workload, evictor): (earned, lost) for workload, evictor, earned, lost in rows}


def interval(values: Iterable[float], digits: int = 2) -> str:
    """Return the mean of workloads with its 95 % interval, as text."""
    numbers = list(values)
    half = _T[len(numbers) - 1] * statistics.stdev(numbers) / math.sqrt(len(numbers))
    mean = statistics.mean(numbers)
    return f"{mean:+.{digits}f} ({mean - half:+.{digits}f} to {mean + half:+.{digits}f})"


def mean_by_evictor(means: Means, figure: int) -> dict[str, float]:
    """Return the mean over workloads; figure 0: earned, 1: VM loss."""
    return {
        evictor: statistics.mean(v[figure] for (_, e), v in means.items() if e == evictor)
        for evictor in dict.fromkeys(evictor for _, evictor in means)
    }


def differences(means: Means, one: str, other: str, figure: int) -> dict[str, float]:
    """Return what `one` has more than `other`, by workload."""
    return {
        workload: value[figure] - means[workload, other][figure]
        for (workload, evictor), value in means.items()
        if evictor == one
    }


def choose(database: str) -> str:
    """Return the label of the evictor that earned most."""
    earned = mean_by_evictor(read_means(database), 0)
    return max(sorted(earned), key=lambda label: earned[label])


def choices(databases: list[str]) -> str:
    """Return what each evictor earned, one column a database."""
    columns = [mean_by_evictor(read_means(database), 0) for database in databases]
    lines = ["| design | " + " | ".join(f"fold {chr(65 + i)}" for i in range(len(columns))) + " |"]
    lines.append("|---|" + "---|" * len(columns))
    lines += [
        f"| {label} | " + " | ".join(f"{column[label]:.2f}" for column in columns) + " |"
        for label in columns[0]
    ]
    return "\n".join(lines)


def _read_all(databases: list[str], where: str = "1") -> Means:
    means: Means = {}
    for database in databases:
        means |= read_means(database, where)
    return means


def table(databases: list[str]) -> str:
    """Return means, paired differences of all workloads, and the same by kind and by setting."""
    means = _read_all(databases)
    earned, lost = (mean_by_evictor(means, figure) for figure in (0, 1))
    lines = ["| evictor | spot revenue, % | VM loss, % |", "|---|---|---|"]
    lines += [f"| {name} | {earned[name]:.2f} | {lost[name]:.4f} |" for name in earned]
    lines += ["", "| difference | spot revenue, points | workloads with more | VM loss, points |"]
    lines.append("|---|---|---|---|")
    for one, other in _PAIRS:
        more = differences(means, one, other, 0).values()
        loss = differences(means, one, other, 1).values()
        lines.append(
            f"| {one} - {other} | {interval(more)} | {sum(d > 0 for d in more)} of {len(more)} |"
            f" {interval(loss, 4)} |"
        )
    lines += ["", "| runs | LPKM - LPML | LPKM - FIFO |", "|---|---|---|"]
    for label, part in _parts(means, databases):
        cells = [
            interval(differences(part, "LPKM", other, 0).values()) for other in ("LPML", "FIFO")
        ]
        lines.append(f"| {label} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def _parts(means: Means, databases: list[str]) -> Iterable[tuple[str, Means]]:
    for kind in ("batched", "bernoulli"):
        yield kind, {key: value for key, value in means.items() if kind in key[0]}
    for name, column in _SETTINGS.items():
        connection = sqlite3.connect(f"file:{databases[0]}?mode=ro", uri=True)
        found = connection.execute(f"SELECT DISTINCT {column} FROM run ORDER BY 1").fetchall()
        connection.close()
        for (value,) in found:
            yield f"{name} {value}", _read_all(databases, f"{column} = {value!r}")


def main() -> None:
    """Run a command."""
    command, *databases = sys.argv[1:]
    if command == "choose":
        print(choose(databases[0]))
    else:
        print({"choices": choices, "table": table}[command](databases))


if __name__ == "__main__":
    main()
