"""From a history (a workload file) to the table of lifetimes that may be promised.

A history does not say on which host an instance was. So its requests are placed on the hosts that
there are, by cospot's simulation and the policies of nova.conf; what happened there is what
lifetimes are estimated from (docs/lifetime-sla.md).
"""

from __future__ import annotations

import csv
import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cospot
from cospot.errors import ConfigError
from cospot.nova import promises
from cospot.nova.promises.promise_table import SizeKey, SizePromises, Step

_US: Final = 1_000_000
_AMOUNTS: Final = ("vcpus", "memory_mb", "disk_gb")


@dataclass(frozen=True)
class SpotHosts:
    """The hosts of a cloud.

    Attributes:
        names: of all.
        totals: vCPUs, MiB, GiB of each.
        take_spots: the positions of those on which spots may be.
    """

    names: Sequence[str]
    totals: Sequence[SizeKey]
    take_spots: Sequence[int]


@dataclass(frozen=True)
class Placing:
    """How VMs and spots are placed when the history is replayed."""

    vm: str = "COS"
    spot: str = "sCOS"
    otn: int = 1
    saf: bool = False


@dataclass(frozen=True)
class Estimating:
    """How lifetimes are estimated; docs/lifetime-sla.md says what each setting does."""

    targets: Sequence[float]
    samples: int = 10_000
    least_samples: int = 100
    condition_width: float = 0.05
    seed: int = 1


@dataclass(frozen=True)
class Replayed:
    """A history that has happened on some hosts.

    Attributes:
        history: of the hosts that take spots.
        from_us, to_us: the window in it, microseconds.
    """

    history: cospot.History
    from_us: int
    to_us: int
    vms: int = 0
    spots: int = 0
    evictions: int = 0

    @property
    def days(self) -> float:
        """The length of the window."""
        return (self.to_us - self.from_us) / (86400 * _US)


def replay(workload: cospot.Workload, hosts: SpotHosts, placing: Placing) -> Replayed:
    """Place the requests of a history on hosts.

    Raises:
        ConfigError: a policy is unknown, or no host takes spots.
        InputError: the history is too long.
    """
    if not hosts.take_spots:
        raise ConfigError("no host has an inventory for spots; see cospot-nova inventory")
    table = cospot.HostTable(
        [cospot.HostSpec(f"h{row}", total) for row, total in enumerate(hosts.totals)]
    )
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events.csv"
        cospot.simulate(
            workload,
            hosts=table,
            vm=placing.vm,
            spot=placing.spot,
            evictor=promises.EVICTOR,
            saf=placing.saf,
            otn=placing.otn,
            events=events,
        )
        return _recorded(events, hosts, workload.window_us)


def _recorded(events: Path, hosts: SpotHosts, window_us: int) -> Replayed:
    row_of = {f"h{host}": row for row, host in enumerate(hosts.take_spots)}
    row_of |= {f"host-{host}": row for row, host in enumerate(hosts.take_spots)}
    history = cospot.History([hosts.totals[host] for host in hosts.take_spots])
    numbers: dict[str, int] = {}
    running: set[str] = set()
    counts = {"vm": 0, "spot": 0, "eviction": 0}
    shift: int | None = None
    for row in _rows(events):
        time_us = round(float(row["time_s"]) * _US)
        shift = -min(time_us, 0) if shift is None else shift
        if time_us >= window_us:
            break
        instance, event = row["instance_id"], row["event"]
        if event == "placement" and row["host"] in row_of:
            number = numbers.setdefault(instance, len(numbers))
            vcpus, memory_mb, disk_gb = (int(row[name]) for name in _AMOUNTS)
            request = cospot.Request(
                vcpus, memory_mb, disk_gb, row["class"] == "spot", number, time_us + shift
            )
            history.place(request, row_of[row["host"]])
            running.add(instance)
            counts[row["class"]] += 1
        elif event in ("departure", "eviction") and instance in running:
            end = history.evict if event == "eviction" else history.end
            end(numbers[instance], time_us + shift)
            running.remove(instance)
            counts["eviction"] += event == "eviction"
    shift = shift or 0
    return Replayed(
        history, shift, shift + window_us, counts["vm"], counts["spot"], counts["eviction"]
    )


def _rows(events: Path) -> Iterator[dict[str, Any]]:
    with events.open(newline="") as file:
        yield from csv.DictReader(file)


def estimate(
    replayed: Replayed,
    hosts: SpotHosts,
    sizes: dict[SizeKey, list[str]],
    settings: Estimating,
) -> list[SizePromises]:
    """Return what spots of some sizes may be promised.

    Nothing longer than the history is promised: it says nothing of what comes after so long.

    Args:
        replayed: the history.
        hosts: on which it was replayed.
        sizes: of spots, with the names of their flavors.
        settings: how to estimate.

    Raises:
        ConfigError: a setting is out of range.
        InputError: the history is too short.
    """
    longest = (replayed.to_us - replayed.from_us) // _US
    quantiles = cospot.estimate_lifetimes(
        replayed.history,
        list(sizes),
        list(settings.targets),
        now_us=replayed.to_us,
        from_us=replayed.from_us,
        samples=settings.samples,
        least_samples=settings.least_samples,
        condition_width=settings.condition_width,
        seed=settings.seed,
    )
    found = []
    for size in sorted(sizes):
        most = sum(slots_of(size, hosts.totals[host]) for host in hosts.take_spots)
        steps = [_steps(quantiles, size, most, target, longest) for target in settings.targets]
        samples = sum(quantiles.samples(size))
        found.append(SizePromises(size, steps, sorted(sizes[size]), samples))
    return found


def slots_of(size: SizeKey, free: Sequence[int]) -> int:
    """Return how many spots of a size fit into what is free on a host."""
    limits = [has // wants for has, wants in zip(free, size, strict=True) if wants > 0]
    return max(0, min(limits, default=0))


def _steps(
    quantiles: cospot.LifetimeQuantiles, size: SizeKey, most: int, target: float, longest: int
) -> list[Step]:
    steps: list[Step] = [(0, None)]
    for slots in range(1, most + 1):
        lifetime_us = quantiles.promised(size, slots, target)
        seconds = None if lifetime_us is None else float(min(lifetime_us // _US, longest))
        seconds = seconds or None  # 0 s are no promise
        if seconds != steps[-1][1]:
            steps.append((slots, seconds))
    return steps


def is_compiled(policy: str) -> bool:
    """Tell whether a policy of nova.conf can be used outside of Nova."""
    return policy != "nova" and not policy.startswith("python:")


def check_targets(targets: Sequence[float]) -> tuple[float, ...]:
    """Return the targets ascending, each once.

    Raises:
        ConfigError: one is no probability.
    """
    for target in targets:
        if not (math.isfinite(target) and 0 < target < 1):
            raise ConfigError(f"--target {target:g}: expected a probability between 0 and 1")
    return tuple(sorted(set(targets)))
