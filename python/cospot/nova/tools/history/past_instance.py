"""An instance of the past, as both sources give it, and which ones are kept."""

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

#: The most that a workload file takes of any resource.
_MOST: Final = 67_108_864
#: How long, and how large a part of the window, may pass without an end.
_QUIET_S: Final = 86400.0
_QUIET_PARTS: Final = 4


@dataclass(frozen=True, slots=True)
class Wishes:
    """What an instance asked of its host beside room.

    Attributes:
        zone: The availability zone that was asked for; empty: any, or it is not known.
        group: UUID of its server group; empty: in none.
        policy: Of the group, as Nova writes it.
        max_server_per_host: Of anti-affinity.
    """

    zone: str = ""
    group: str = ""
    policy: str = ""
    max_server_per_host: int = 1


NO_WISHES: Final = Wishes()


@dataclass(frozen=True, slots=True)
class Request:
    """What the API wrote down when it was asked for an instance, before that had a host.

    Attributes:
        asked: When that was, seconds since the epoch; None: not known.
        wishes: What was asked beside room.
        lifetime: The hint `cospot:lifetime`; empty: there was none; None: not known.
    """

    asked: float | None = None
    wishes: Wishes = NO_WISHES
    lifetime: str | None = None


@dataclass(frozen=True, slots=True)
class Deletion:
    """The first time that somebody asked for the deletion of an instance.

    Attributes:
        number: Of the action; of those of one cell, the lower began first.
        asked: When it began, seconds since the epoch.
        by_owner: Whether the user asked for it whose instance it was.
    """

    number: int
    asked: float
    by_owner: bool


#: The scope of the extra specs that are compared with aggregate metadata. Those without a scope are
#: too where Nova's filter is on; where it is off, they mean something else.
_AGGREGATE_SCOPE: Final = "aggregate_instance_extra_specs:"


@dataclass(frozen=True, slots=True)
class PastInstance:
    """One instance, running or gone. Times are seconds since the epoch, UTC.

    Attributes:
        created: When it had its host. (The launch time changes when it is resized.)
        launched: Whether it ever ran.
        ended: When it was deleted; None while it exists.
        flavor: The flavor's name; empty when it is not known any more.
        number: Of those that were asked for in one second, the lower came first; 0: not known.
        cell: Whose numbers can be compared.
        creation: Number of the action that created it, after it got its host; 0: not known.
        deletion: None where nobody asked for it, or that is not known.
        host: Its compute service, the last one; empty: not known.
        asked: When it was asked for; None: not known.
        lifetime: The hint with which it asked for one; empty: it did not; None: not known.
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
        """Return how long it asked to live, seconds; 0: for nothing; None: not known."""
        if self.lifetime is None:
            return None
        text = self.lifetime or self.extra_specs.get(asked_lifetime.NAME, "")
        try:
            return asked_lifetime.read_lifetime(text) if text else 0.0
        except asked_lifetime.LifetimeError:
            return 0.0  # it came while nobody read such hints

    @property
    def is_spot(self) -> bool:
        """Tell whether its flavor says that it can be evicted."""
        return spot_flavors.is_spot_flavor(self.extra_specs)

    @property
    def aggregate_specs(self) -> Mapping[str, str]:
        """What its flavor asks of aggregate metadata."""
        return {
            key: value
            for key, value in self.extra_specs.items()
            if key.startswith(_AGGREGATE_SCOPE)
        }


@dataclass(frozen=True)
class SpotRule:
    """Which instances count as spots.

    Attributes:
        patterns: Also those whose flavor's name matches one of these (`*` and `?`).
    """

    patterns: Sequence[str] = ()

    def is_spot(self, instance: PastInstance) -> bool:
        """Tell whether an instance is, or is to count as, a spot."""
        if instance.is_spot:
            return True
        return any(fnmatch.fnmatchcase(instance.flavor, pattern) for pattern in self.patterns)


def kept(
    instances: Iterable[PastInstance], since: float, left_out: Counter[str]
) -> Iterator[PastInstance]:
    """Yield the instances that a workload can hold, each once.

    Args:
        instances: Of all sources.
        since: Those that ended before do not matter.
        left_out: Is told how many were left out, and why.
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
    """When the first of the instances ended that passed by.

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
        """Return for how long nothing ended from the start of a window on; 0: not oddly long."""
        quiet_s = (end if self.at is None else self.at) - start
        is_odd = quiet_s > _QUIET_S and _QUIET_PARTS * quiet_s > end - start
        return quiet_s if is_odd else 0.0

    def doubt(self, start: float, end: float) -> str:
        """Return why a window may not have been observed from its start; empty: it seems to be.

        Args:
            start: Of the window, seconds since the epoch.
            end: Until when it was observed.
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
    """Yield all instances; those that asked for a zone which is no more ask for none.

    Args:
        instances: In any order.
        read_zones: Returns those of the hosts.
        left_out: Is told of how many the zone was left out.
    """
    for instance in instances:
        if not instance.wishes.zone or instance.wishes.zone in read_zones():
            yield instance
            continue
        left_out["asked for a zone that no host is in (the zone alone)"] += 1
        yield dataclasses.replace(instance, wishes=dataclasses.replace(instance.wishes, zone=""))
