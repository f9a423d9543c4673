"""From a history (a workload file) to the table of lifetimes to promise.

A history does not contain the hosts of its instances. So cospot's simulation places its requests on
the current hosts with the policies of nova.conf, and lifetimes are estimated from what happens
there (docs/lifetime-sla.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cospot
from cospot.errors import ConfigError
from cospot.nova import promises
from cospot.nova.promises.kept_share import CONFIDENCE
from cospot.nova.promises.promise_table import SizeKey, SizePromises, slots_of
from cospot.nova.tools.history import hosts_file
from cospot.nova.tools.history.hosts_file import HostPlace, PastHost


@dataclass(frozen=True)
class SpotHost:
    """A host of a cloud.

    Attributes:
        total: its vCPUs, MiB, GiB.
        takes_spots: false for a host of VMs alone.
        place: its zone and aggregates, for requests that need them.
    """

    total: SizeKey
    takes_spots: bool
    place: HostPlace


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
        counts: the `vms`, `spots` and `evictions` in that time, and `rejected_vms` that found no
            host, whenever.
    """

    history: cospot.History
    from_us: int
    to_us: int
    counts: Mapping[str, int]

    @property
    def days(self) -> float:
        """The length of the observed time."""
        return (self.to_us - self.from_us) / 86400e6


def replay(
    workload: cospot.Workload,
    hosts: Sequence[SpotHost],
    placing: Mapping[str, Any],
    asked_s: Mapping[str, float] | None = None,
) -> Replayed:
    """Place the requests of a history on hosts.

    Args:
        workload: the history.
        hosts: of the cloud.
        placing: the policies `vm` and `spot`, `otn` and `saf`, as `cospot.simulate` takes them.
        asked_s: the lifetimes that spots asked for, seconds; 0: none, so that the spot is evicted
            before spots with a promise. A spot that is missing here, or came before any spot had
            asked, counts as promised for as long as it runs.

    Raises:
        ConfigError: a policy is unknown, no host takes spots, or none satisfies a request.
    """
    from cospot._core import _replay_history

    rows = [row for row, host in enumerate(hosts) if host.takes_spots]
    if not rows:
        raise ConfigError("no host has an inventory for spots; see cospot-nova inventory")
    history, from_us, *counts = _replay_history(
        workload,
        host=_hosts_file(hosts),
        **placing,
        evictor=promises.EVICTOR,
        rows=rows,
        asked_s=dict(asked_s or {}),
    )
    names = ("vms", "spots", "evictions", "rejected_vms")
    named = dict(zip(names, counts, strict=True))
    return Replayed(history, from_us, workload.window_us, named)


def _hosts_file(hosts: Sequence[SpotHost]) -> bytes:
    """Return the hosts as the content of a file, which has them in order of their names."""
    named = {f"h{row:08}": host for row, host in enumerate(hosts)}
    rows = [PastHost(name, name, *host.total) for name, host in named.items()]
    places = {name: host.place for name, host in named.items()}
    return hosts_file.hosts_text(rows, places, str).encode()


def estimate(
    replayed: Replayed,
    hosts: Sequence[SpotHost],
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
        most = sum(slots_of(size, host.total) for host in hosts if host.takes_spots)
        steps = [evidence.steps(quantiles, size, most, target) for target in settings.targets]
        found.append(SizePromises(size, steps, sorted(sizes[size]), sum(quantiles.samples(size))))
    return found


def check_targets(targets: Sequence[float]) -> tuple[float, ...]:
    """Return the distinct targets in ascending order.

    Raises:
        ConfigError: one is not a probability.
    """
    for target in targets:
        if not (math.isfinite(target) and 0 < target < 1):
            raise ConfigError(f"--target {target:g}: expected a probability between 0 and 1")
    return tuple(sorted(set(targets)))
