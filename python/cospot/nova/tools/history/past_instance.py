"""A past instance, as both sources return it, and the selection of instances to keep."""

from __future__ import annotations

import dataclasses
import fnmatch
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Final

from cospot.nova import spot_flavors
from cospot.nova.promises import asked_lifetime

#: The maximum of any resource in a workload file.
_MOST: Final = 67_108_864
#: Maximum plausible time, and share of the window, without an end.
_QUIET_S: Final = 86400.0
_QUIET_PARTS: Final = 4


@dataclass(frozen=True, slots=True)
class Wishes:
    """An instance's placement requirements.

    Attributes:
        zone: The requested availability zone; empty: any, or unknown.
        group: UUID of its server group; empty: none.
        policy: Of the group, in Nova's spelling.
        max_server_per_host: For anti-affinity.
    """

    zone: str = ""
    group: str = ""
    policy: str = ""
    max_server_per_host: int = 1


NO_WISHES: Final = Wishes()


@dataclass(frozen=True, slots=True)
class Request:
    """The API's record of a request for an instance, made before it had a host.

    Attributes:
        asked: Its time, seconds since the epoch; None: unknown.
        wishes: Placement requirements.
        lifetime: The hint `cospot:lifetime`; empty: none; None: unknown.
    """

    asked: float | None = None
    wishes: Wishes = NO_WISHES
    lifetime: str | None = None


@dataclass(frozen=True, slots=True)
class Deletion:
    """The first request to delete an instance.

    Attributes:
        number: Of the action; within a cell, lower numbers began first.
        asked: When it began, seconds since the epoch.
        by_owner: Whether the instance's own user requested it.
    """

    number: int
    asked: float
    by_owner: bool


#: The scope of extra specs that are compared with aggregate metadata. Nova also compares unscoped
#: ones if its filter is enabled; otherwise they have another meaning.
_AGGREGATE_SCOPE: Final = "aggregate_instance_extra_specs:"


@dataclass(frozen=True, slots=True)
class PastInstance:
    """One instance, running or gone. Times are seconds since the epoch, UTC.

    Attributes:
        created: When it got its host. (The launch time changes on a resize.)
        launched: Whether it ever ran.
        ended: When it was deleted; None while it exists.
        flavor: The flavor's name; empty if no longer known.
        number: Orders instances requested in the same second; 0: unknown.
        cell: The cell in which numbers are comparable.
        creation: Number of the creating action, set after it got its host; 0: unknown.
        deletion: None if not requested, or unknown.
        host: Its last compute service; empty: unknown.
        asked: When it was requested; None: unknown.
        lifetime: The hint with the requested lifetime; empty: none; None: unknown.
    """

    uuid: str
    project: str
    vcpus: int
    memory_mb: int
    disk_gb: int
    created: float
    launched: bool
    ended: float | None
    flavor: str = ""
    extra_specs: Mapping[str, str] = field(default_factory=dict)
    wishes: Wishes = NO_WISHES
    number: int = 0
    cell: int = 0
    creation: int = 0
    deletion: Deletion | None = None
    host: str = ""
    asked: float | None = None
    lifetime: str | None = None

    @property
    def asked_lifetime_s(self) -> float | None:
        """Return the requested lifetime, seconds; 0: none; None: unknown."""
        if self.lifetime is None:
            return None
        text = self.lifetime or self.extra_specs.get(asked_lifetime.NAME, "")
        try:
            return asked_lifetime.read_lifetime(text) if text else 0.0
        except asked_lifetime.LifetimeError:
            return 0.0  # requested before such hints existed

    @property
    def is_spot(self) -> bool:
        """Tell whether its flavor makes it a spot."""
        return spot_flavors.is_spot_flavor(self.extra_specs)

    @property
    def aggregate_specs(self) -> Mapping[str, str]:
        """Its flavor's requirements on aggregate metadata."""
        return {
            key: value
            for key, value in self.extra_specs.items()
            if key.startswith(_AGGREGATE_SCOPE)
        }


@dataclass(frozen=True)
class SpotRule:
    """The rule of which instances count as spots.

    Attributes:
        patterns: Flavor names (with `*` and `?`) that count as spots too.
    """

    patterns: Sequence[str] = ()

    def is_spot(self, instance: PastInstance) -> bool:
        """Tell whether an instance is, or counts as, a spot."""
        if instance.is_spot:
            return True
        return any(fnmatch.fnmatchcase(instance.flavor, pattern) for pattern in self.patterns)


def kept(
    instances: Iterable[PastInstance], since: float, left_out: Counter[str]
) -> Iterator[PastInstance]:
    """Yield the instances that a workload can represent, each once.

    Args:
        instances: From all sources.
        since: Skip those that ended before.
        left_out: Receives the number of skipped ones, and the reason.
    """
    seen = set()
    for instance in instances:
        if instance.uuid in seen:
            continue
        seen.add(instance.uuid)
        if instance.ended is not None and instance.ended < since:
            left_out["ended before"] += 1
        elif not instance.launched:
            left_out["never ran"] += 1
        elif not (0 < instance.vcpus <= _MOST and 0 <= instance.memory_mb <= _MOST):
            left_out["have no size"] += 1
        else:
            yield instance


@dataclass
class FirstEnd:
    """Records when the first of the instances seen ended.

    Attributes:
        at: Seconds since the epoch; None: none of them ended.
    """

    at: float | None = None

    def watch(self, instances: Iterable[PastInstance]) -> Iterator[PastInstance]:
        """Yield all instances."""
        for instance in instances:
            if instance.ended is not None:
                self.note(instance.ended)
            yield instance

    def note(self, ended: float) -> None:
        """Note an end, seconds since the epoch."""
        self.at = ended if self.at is None else min(self.at, ended)

    def quiet_s(self, start: float, end: float) -> float:
        """Return how long nothing ended after the start of a window; 0: plausibly short."""
        quiet_s = (end if self.at is None else self.at) - start
        is_odd = quiet_s > _QUIET_S and _QUIET_PARTS * quiet_s > end - start
        return quiet_s if is_odd else 0.0

    def doubt(self, start: float, end: float) -> str:
        """Return why a window may not have been observed from its start; empty if plausible.

        Args:
            start: Of the window, seconds since the epoch.
            end: End of observation.
        """
        quiet_s = self.quiet_s(start, end)
        if quiet_s == 0:
            return ""
        remedy = "export from databases that still have archived instances"
        if self.at is not None:
            moment = datetime.fromtimestamp(self.at, timezone.utc)
            remedy = f"--window-start {moment:%Y-%m-%dT%H:%M:%S} begins with the first end"
        return (
            f"no instance is known to have ended in the first {quiet_s / 86400:.3g} of"
            f" {(end - start) / 86400:.3g} days; if deleted instances were purged (or, with --api,"
            f" archived) since, those days look emptier than they were: {remedy}"
        )


def in_known_zones(
    instances: Iterable[PastInstance],
    read_zones: Callable[[], Container[str]],
    left_out: Counter[str],
) -> Iterator[PastInstance]:
    """Yield all instances; drop the requested zone of those whose zone no longer exists.

    Args:
        instances: In any order.
        read_zones: Returns the zones of the hosts.
        left_out: Receives the number of dropped zones.
    """
    for instance in instances:
        if not instance.wishes.zone or instance.wishes.zone in read_zones():
            yield instance
            continue
        left_out["asked for a zone that no host is in (the zone alone)"] += 1
        yield dataclasses.replace(instance, wishes=dataclasses.replace(instance.wishes, zone=""))
