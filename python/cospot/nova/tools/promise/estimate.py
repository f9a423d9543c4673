"""From a history (a workload file) to the table of lifetimes to promise.

A history does not contain the hosts of its instances. So cospot's simulation places its requests on
the current hosts with the policies of nova.conf, and lifetimes are estimated from what happens
there (docs/lifetime-sla.md).
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cospot
from cospot.errors import ConfigError
from cospot.nova import promises
from cospot.nova.promises.kept_share import CONFIDENCE
from cospot.nova.promises.promise_table import SizeKey, SizePromises, Step, slots_of
from cospot.nova.tools.history import hosts_file
from cospot.nova.tools.history.hosts_file import HostPlace, PastHost
from cospot.nova.tools.simulated_events import US, simulate_events

_AMOUNTS: Final = ("vcpus", "memory_mb", "disk_gb")


@dataclass(frozen=True)
class SpotHosts:
    """The hosts of a cloud.

    Attributes:
        names: of all.
        totals: vCPUs, MiB, GiB of each.
        take_spots: the indices of the hosts that take spots.
        places: zone and aggregates of each, for requests that need them.
    """

    names: Sequence[str]
    totals: Sequence[SizeKey]
    take_spots: Sequence[int]
    places: Sequence[HostPlace]


@dataclass(frozen=True)
class Placing:
    """The policies by which VMs and spots are placed when the history is replayed."""

    vm: str = "COS"
    spot: str = "sCOS"
    otn: int = 1
    saf: bool = False


@dataclass(frozen=True)
class Estimating:
    """The settings of the estimate; docs/lifetime-sla.md describes them."""

    targets: Sequence[float]
    samples: int = 10_000
    least_samples: int = 100
    condition_width: float = 0.05
    seed: int = 1
    confidence: float = CONFIDENCE


@dataclass(frozen=True)
class Replayed:
    """A history replayed on hosts.

    Attributes:
        history: of the hosts that take spots.
        from_us, to_us: the observed time in it, microseconds: the window from the first instance
            on. Whether there was a cloud before is unknown.
        vms, spots: their number in that time.
        evictions: the number of spots evicted in it.
        rejected_vms: the number of VMs that found no host, whenever.
    """

    history: cospot.History
    from_us: int
    to_us: int
    vms: int = 0
    spots: int = 0
    evictions: int = 0
    rejected_vms: int = 0

    @property
    def days(self) -> float:
        """The length of the observed time."""
        return (self.to_us - self.from_us) / (86400 * US)


def replay(
    workload: cospot.Workload,
    hosts: SpotHosts,
    placing: Placing,
    asked_s: Mapping[str, float] | None = None,
) -> Replayed:
    """Place the requests of a history on hosts.

    Args:
        workload: the history.
        hosts: of the cloud.
        placing: the policies.
        asked_s: the lifetimes that spots asked for, seconds; 0: none, so that the spot is evicted
            before spots with a promise. A spot that is missing here, or came before any spot had
            asked, counts as promised for as long as it runs.

    Raises:
        ConfigError: a policy is unknown, no host takes spots, or none satisfies a request.
        InputError: the history is too long.
    """
    if not hosts.take_spots:
        raise ConfigError("no host has an inventory for spots; see cospot-nova inventory")
    recorder = _Recorder(hosts, asked_s or {}, workload.window_us)
    with tempfile.TemporaryDirectory() as folder:
        host = Path(folder) / "hosts.csv"
        _write_hosts(host, hosts)
        result = simulate_events(
            workload,
            recorder.record,
            host=host,
            hosts=len(hosts.totals),
            vm=placing.vm,
            spot=placing.spot,
            evictor=promises.EVICTOR,
            saf=placing.saf,
            otn=placing.otn,
        )
    return recorder.replayed(result.vm_rejected)


def _write_hosts(path: Path, hosts: SpotHosts) -> None:
    rows = [
        PastHost(_name_of(row), _name_of(row), *total) for row, total in enumerate(hosts.totals)
    ]
    places = {one.host: place for one, place in zip(rows, hosts.places, strict=True)}
    hosts_file.write_hosts(path, rows, places, str)


def _name_of(row: int) -> str:
    return f"h{row:08}"  # the file is sorted by these names


class _Recorder:
    """Records a simulation's events on the hosts that take spots."""

    def __init__(self, hosts: SpotHosts, asked_s: Mapping[str, float], window_us: int) -> None:
        self._window_us = window_us
        self._asked_s = asked_s
        self._anybody_asked = False
        self._row_of = {_name_of(host): row for row, host in enumerate(hosts.take_spots)}
        self._history = cospot.History([hosts.totals[host] for host in hosts.take_spots])
        self._numbers: dict[str, int] = {}
        self._running: set[str] = set()
        self._counts = {"vm": 0, "spot": 0, "eviction": 0}
        self._first_us: int | None = None
        self._shift = 0

    def record(self, row: dict[str, Any], time_us: int) -> None:
        """Record one event, in order of time; those after the window do not count."""
        if time_us >= self._window_us:
            return
        if self._first_us is None:
            self._first_us = time_us
            self._shift = -min(time_us, 0)
        instance, event = row["instance_id"], row["event"]
        if event == "placement" and row["host"] in self._row_of:
            number = self._numbers.setdefault(instance, len(self._numbers))
            vcpus, memory_mb, disk_gb = (int(row[name]) for name in _AMOUNTS)
            is_spot = row["class"] == "spot"
            at = time_us + self._shift
            request = cospot.Request(vcpus, memory_mb, disk_gb, is_spot, number, at)
            until = self._promised_until_us(instance, at) if is_spot else None
            self._history.place(request, self._row_of[row["host"]], until)
            self._running.add(instance)
            self._counts[row["class"]] += 1
        elif event in ("departure", "eviction") and instance in self._running:
            end = self._history.evict if event == "eviction" else self._history.end
            end(self._numbers[instance], time_us + self._shift)
            self._running.remove(instance)
            if time_us < 0:  # before the window
                self._counts[row["class"]] -= 1
            elif event == "eviction":
                self._counts["eviction"] += 1

    def _promised_until_us(self, spot: str, at_us: int) -> int | None:
        asked_s = self._asked_s.get(spot)
        if asked_s is not None and asked_s > 0:
            self._anybody_asked = True
            return at_us + round(asked_s * US)
        # Before the first request for a lifetime, it is unknown which spots would have asked.
        return None if asked_s is not None and self._anybody_asked else cospot.NEVER_US

    def replayed(self, rejected_vms: int) -> Replayed:
        """Return the history recorded up to the end of the window."""
        first_us = 0 if self._first_us is None else max(self._first_us, 0)
        return Replayed(
            self._history,
            self._shift + first_us,
            self._shift + self._window_us,
            self._counts["vm"],
            self._counts["spot"],
            self._counts["eviction"],
            rejected_vms,
        )


def estimate(
    replayed: Replayed,
    hosts: SpotHosts,
    sizes: dict[SizeKey, list[str]],
    settings: Estimating,
) -> list[SizePromises]:
    """Return the possible promises to spots of some sizes.

    Promises only what the history supports (`cospot.Evidence`).

    Args:
        replayed: the history.
        hosts: on which it was replayed.
        sizes: of spots, with the names of their flavors.
        settings: of the estimate.

    Raises:
        ConfigError: a setting is out of range.
        InputError: the history is too short.
    """
    evidence = cospot.Evidence(
        replayed.history, replayed.to_us, settings.targets, from_us=replayed.from_us
    )
    quantiles = cospot.estimate_lifetimes(
        replayed.history,
        list(sizes),
        evidence.probabilities or settings.targets,
        now_us=replayed.to_us,
        from_us=replayed.from_us,
        samples=settings.samples,
        least_samples=settings.least_samples,
        condition_width=settings.condition_width,
        censored="survival",  # a spot alive at the end is censored
        seed=settings.seed,
    )
    found = []
    for size in sorted(sizes):
        most = sum(slots_of(size, hosts.totals[host]) for host in hosts.take_spots)
        numbers = _numbers(most, settings.condition_width)
        steps = [
            _steps(
                [
                    (slots, _whole_seconds(evidence.supported(quantiles, size, slots, target)))
                    for slots in numbers
                ]
            )
            for target in settings.targets
        ]
        found.append(SizePromises(size, steps, sorted(sizes[size]), sum(quantiles.samples(size))))
    return found


def _whole_seconds(lifetime_us: int | None) -> float | None:
    return float((lifetime_us or 0) // US) or None  # 0 s is not a promise


def _numbers(most: int, width: float) -> list[int]:
    """Return numbers of free slots up to `most`, including the first of each group."""
    if width <= 0:
        return list(range(1, most + 1))
    exact = math.ceil(1 / width)  # up to here each number is a group of its own
    found, group = set(range(1, min(exact, most) + 1)), exact
    while (first := exact * (1 + width) ** (group - exact)) <= most:
        # Both, because the estimate may round either way.
        found.update((math.floor(first), math.floor(first) + 1))
        group += 1
    return sorted(each for each in found if each <= most)


def _steps(promised: Sequence[Step]) -> list[Step]:
    """Return the steps at which the promise changes."""
    steps: list[Step] = [(0, None)]
    for step in promised:
        if step[1] != steps[-1][1]:
            steps.append(step)
    return steps


def is_compiled(policy: str) -> bool:
    """Tell whether a policy of nova.conf can be used outside Nova."""
    return policy != "nova" and not policy.startswith("python:")


def check_targets(targets: Sequence[float]) -> tuple[float, ...]:
    """Return the distinct targets in ascending order.

    Raises:
        ConfigError: one is not a probability.
    """
    for target in targets:
        if not (math.isfinite(target) and 0 < target < 1):
            raise ConfigError(f"--target {target:g}: expected a probability between 0 and 1")
    return tuple(sorted(set(targets)))
