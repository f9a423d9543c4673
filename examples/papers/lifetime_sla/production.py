"""E3 and E4: production traces, or their stand-ins, on their platforms and on smaller ones."""

from __future__ import annotations

import itertools
from pathlib import Path

from lifetime_sla.results import Combination, Results, letters
from reproduction.page import Table

#: Tables III and IV: on-demand admitted, spot admitted, evicted; without a promise and with 0.01.
PAPER_PRODUCTION = {
    "ab": ((0.977, 1.000, 0.013), (0.977, 0.884, 0.009)),
    "ba": ((1.000, 0.850, 0.024), (1.000, 0.757, 0.000)),
    "cd": ((1.000, 0.943, 0.016), (1.000, 0.491, 0.002)),
    "dc": ((0.997, 0.963, 0.013), (0.999, 0.278, 0.006)),
}
NATIVE_HOSTS = {"ab": 7, "ba": 7, "cd": 31, "dc": 31}
#: The names of run.sh's runs, and the settings in them; `few` is what `all` is to be compared with.
SETTINGS = {
    "first": "`victim: first_host`",
    "shift": "`spot_end: shift`",
    "order": "of spots that start in one second the last goes first",
    "without": "`history: without_evictions`",
    "sofar": "`censored: so_far`",
    "few": "`samples: 100`",
    "all": "`samples: 100`, `samples_kept: all`",
    "vms": "`history: on_demand`",
    "vms50": "`history: on_demand`, `least_samples: 50`",
}


def production(results: Results) -> Table:
    """E3."""
    rows = []
    for pair, papers in PAPER_PRODUCTION.items():
        every = results.replays(f"e3-{pair}")
        native = [one for one in every if one.hosts == NATIVE_HOSTS[pair]]
        for one, paper in zip(native, papers, strict=True):
            ours = (one.on_demand_admission, one.spot_admission, one.evicted)
            figures = itertools.chain.from_iterable(zip(paper, ours, strict=True))
            numbers = [f"{figure:.3f}" for figure in figures]
            rows.append((letters(pair), one.name, *numbers, one.spread, one.interval, one.verdict))
    header = (
        "pair, target, on-demand: paper, ours, spot: paper, ours, evicted: paper, ours, "
        "over seeds, 95 % interval of one replay, promise"
    )
    return Table(header.split(", "), rows)


def scaling(results: Results) -> Table:
    """E4."""
    rows = [
        (
            letters(pair),
            str(one.hosts),
            one.name,
            f"{one.on_demand_admission:.3f}",
            f"{one.spot_admission:.3f}",
            f"{one.evicted:.4f}",
            one.spread,
            one.verdict,
        )
        for pair in ("ab", "cd")
        for one in on_fewer_hosts(results, pair)
    ]
    header = "pair, hosts, target, on-demand admitted, spot admitted, evicted, over seeds, promise"
    return Table(header.split(", "), rows)


def on_fewer_hosts(results: Results, pair: str) -> list[Combination]:
    """Return what has a target, and what has none on the pair's own hosts."""
    every = results.replays(f"e3-{pair}")
    return [one for one in every if one.target is not None or one.hosts == NATIVE_HOSTS[pair]]


def settings(results: Results) -> Table:
    """Return what the promise comes to under settings on which the paper is silent.

    The last column sums up how far the shares admitted are from Table IV's.
    """
    rows = [_settings_row(results, "default", "e3"), _settings_row(results, _SIX, "e3", ab_hosts=6)]
    for name, label in SETTINGS.items():
        if results.runs(f"{name}-ab") is None:
            continue
        rows.append(_settings_row(results, label, name))
        if name == "vms":
            rows.append(_settings_row(results, f"{label}, {_SIX}", name, ab_hosts=6))
    header = ("setting", *map(letters, PAPER_PRODUCTION), "distance of the admitted")
    return Table(header, rows, text_columns=1)


_SIX = "A-B on 6 hosts"


def _settings_row(results: Results, label: str, name: str, ab_hosts: int = 7) -> tuple[str, ...]:
    cells, distance = [], 0.0
    for pair, (_, (_, published, _)) in PAPER_PRODUCTION.items():
        hosts = ab_hosts if pair == "ab" else NATIVE_HOSTS[pair]
        (one,) = (
            one
            for one in results.replays(f"{name}-{pair}")
            if one.target is not None and one.hosts == hosts
        )
        cells.append(f"{one.spot_admission:.3f} / {one.evicted:.4f}")
        distance += abs(one.spot_admission - published)
    return label, *cells, f"{distance:.2f}"


def load_over_time(trace: Path) -> tuple[list[float], list[int]]:
    """Days, and the cores that the instances of a Eucalyptus trace hold from then on."""
    days, cores, held, sizes = [0.0], [0], 0, {}
    for line in trace.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "START":
            sizes[words[2]] = int(float(words[4]))
            held += sizes[words[2]]
        else:
            held -= sizes.pop(words[2])
        days.append(float(words[1]) / 86400)
        cores.append(held)
    return days, cores
