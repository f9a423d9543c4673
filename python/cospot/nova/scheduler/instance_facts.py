"""Facts of an instance on a host: a VM or a spot, its size, its age.

Facts are read once and kept by UUID. Nova replaces an Instance object when it hears of a change, so
the object itself tells whether its facts are still good. Where instance tracking is off (or a host
has not reported yet) Nova knows only UUIDs; such stubs are looked up in the database in bulk, as
far as a request can wait for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Final, TypeAlias

from cospot.nova import spot_flavors
from cospot.nova.promises import asked_lifetime
from cospot.nova.scheduler.cpu_classes import cpus_of, image_of
from cospot.nova.scheduler.questions import Asker

_MIB_PER_GIB: Final = 1024
_ASKED_DISK: Final = f"resources:{spot_flavors.DISK_GB}"
_DELETING: Final = frozenset({"deleting", "soft-deleting"})
_GONE: Final = frozenset({"deleted", "soft-delete"})

LoadInstances: TypeAlias = Callable[[Any, list[str]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Size:
    """vCPUs on shared cores, MiB, GiB, dedicated CPUs."""

    vcpus: int
    memory_mb: int
    disk_gb: int
    pcpus: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(
            self.vcpus + other.vcpus,
            self.memory_mb + other.memory_mb,
            self.disk_gb + other.disk_gb,
            self.pcpus + other.pcpus,
        )

    def __sub__(self, other: Size) -> Size:
        return Size(
            self.vcpus - other.vcpus,
            self.memory_mb - other.memory_mb,
            self.disk_gb - other.disk_gb,
            self.pcpus - other.pcpus,
        )

    def at_least(self, other: Size) -> Size:
        """Return the larger of each amount."""
        return Size(
            max(self.vcpus, other.vcpus),
            max(self.memory_mb, other.memory_mb),
            max(self.disk_gb, other.disk_gb),
            max(self.pcpus, other.pcpus),
        )

    def pooled(self) -> Size:
        """Return it with dedicated CPUs counted as vCPUs, as Nova counts what a host uses."""
        return Size(self.vcpus + self.pcpus, self.memory_mb, self.disk_gb)


NOTHING: Final = Size(0, 0, 0)


@dataclass(frozen=True, slots=True)
class InstanceFacts:
    """The known facts of one instance."""

    uuid: str
    size: Size
    is_spot: bool
    started_at: float
    """When it was launched, seconds since the epoch; infinity while it is being built."""
    is_leaving: bool
    """A spot that is being deleted: its room is as good as free."""
    asked_s: float = 0.0
    """How long its flavor asks that a spot may live, seconds; 0: for nothing."""
    unheld_disk_gb: int = 0
    """What of its disk its host reports as used although placement holds nothing for it."""


def size_of_flavor(flavor: Any, image: Any = None, *, with_root_disk: bool = True) -> Size:
    """Return what an instance of a flavor takes.

    A spot takes the disk that its flavor asks placement for, also where it boots from a volume:
    placement holds it, and cospot-evictor counts it. So does a VM whose flavor asks for another
    amount of DISK_GB than its disks have, such as 0 where they are on shared storage.

    Args:
        flavor: Nova's Flavor.
        image: Nova's ImageMeta, which may ask for dedicated CPUs; None if it is not known.
        with_root_disk: False for an instance that boots from a volume.
    """
    cpus = cpus_of(flavor, image)
    specs = flavor.extra_specs if "extra_specs" in flavor else None
    if spot_flavors.is_spot_flavor(specs):
        spot_disk_gb = spot_flavors.spot_amount(specs, spot_flavors.SPOT_DISK_GB)
        return Size(cpus.shared, flavor.memory_mb, spot_disk_gb, cpus.dedicated)
    asked_gb = str((specs or {}).get(_ASKED_DISK, ""))
    disk_gb = int(asked_gb) if asked_gb.isdecimal() else _disk_of(flavor, with_root_disk)
    return Size(cpus.shared, flavor.memory_mb, disk_gb, cpus.dedicated)


def _disk_of(flavor: Any, with_root_disk: bool) -> int:
    """Return what the disks of a flavor have, GiB, as its host counts them."""
    disk_gb = (flavor.root_gb if with_root_disk else 0) + flavor.ephemeral_gb
    return int(disk_gb - (-flavor.swap // _MIB_PER_GIB))


def flavor_of(instance: Any) -> Any:
    """Return the flavor of a Nova Instance without asking a database; None if it is not there."""
    return instance.flavor if "flavor" in instance else None


def read_facts(instance: Any) -> InstanceFacts | None:
    """Read a Nova Instance without asking a database.

    Returns:
        None for one whose flavor is not there: it may be a VM or a spot of any size.
    """
    flavor = flavor_of(instance)
    if flavor is None:
        return None
    is_spot = spot_flavors.is_spot_flavor(flavor.extra_specs if "extra_specs" in flavor else None)
    # Nova's mark of one that boots from a volume: it has no image.
    with_root_disk = _value(instance, "image_ref") != ""
    size = size_of_flavor(flavor, image_of(instance), with_root_disk=with_root_disk)
    leaves = _value(instance, "task_state") in _DELETING or _value(instance, "vm_state") in _GONE
    return InstanceFacts(
        uuid=instance.uuid,
        size=size,
        is_spot=is_spot,
        started_at=_started_at(instance),
        is_leaving=is_spot and leaves,
        asked_s=_asked_by(flavor) if is_spot else 0.0,
        unheld_disk_gb=0 if is_spot else _disk_of(flavor, with_root_disk) - size.disk_gb,
    )


def _asked_by(flavor: Any) -> float:
    text = flavor.extra_specs.get(asked_lifetime.NAME)
    try:
        return 0.0 if text is None else asked_lifetime.read_lifetime(text)
    except asked_lifetime.LifetimeError:
        return 0.0  # its spots get no host


def _value(instance: Any, field: str) -> Any:
    return getattr(instance, field) if field in instance else None


def _started_at(instance: Any) -> float:
    launched: datetime | None = _value(instance, "launched_at")
    if launched is None:
        return float("inf")
    # Nova's objects carry UTC; an older one may come without saying so.
    if launched.tzinfo is None:
        launched = launched.replace(tzinfo=timezone.utc)
    # The database of a cell may keep fractions, which Nova's messages leave out.
    return float(int(launched.timestamp()))


def load_instances(context: Any, uuids: list[str]) -> Iterable[Any]:
    """Read instances of one cell from Nova's database."""
    from nova import objects

    filters = {"uuid": uuids, "deleted": False}
    return list(objects.InstanceList.get_by_filters(context, filters, expected_attrs=["flavor"]))


FactsOfObjects: TypeAlias = dict[str, tuple[Any, InstanceFacts]]


class InstanceReader:
    """Facts of instances, kept by UUID. Threads may share it."""

    _CHUNK: Final = 500
    _KEEP_SECONDS: Final = 600.0
    """A stub does not say when its instance was resized to another flavor."""

    def __init__(
        self,
        load: LoadInstances = load_instances,
        clock: Callable[[], float] = time.monotonic,
        asker: Asker | None = None,
    ) -> None:
        self.asker = asker or Asker("database")
        self._load = load
        self._clock = clock
        self._lock = threading.Lock()
        self._stubs: dict[str, tuple[float, InstanceFacts]] = {}

    def read(
        self, instances: Mapping[str, Any], before: FactsOfObjects
    ) -> tuple[list[InstanceFacts], list[Any], FactsOfObjects]:
        """Read the instances of a host.

        Args:
            instances: Nova's, by UUID.
            before: What the last read of this host returned.

        Returns:
            The facts that are known, the stubs of which nothing is, and what to pass next time.
        """
        known: list[InstanceFacts] = []
        unknown: list[Any] = []
        read: FactsOfObjects = {}
        for uuid, instance in list(instances.items()):
            earlier = before.get(uuid)
            if earlier is not None and earlier[0] is instance:
                facts: InstanceFacts | None = earlier[1]
            else:
                facts = read_facts(instance)
            if facts is not None:
                read[uuid] = (instance, facts)
            else:
                facts = self._kept(uuid)
            if facts is None:
                unknown.append(instance)
            else:
                known.append(facts)
        return known, unknown, read

    def look_up(self, stubs: Iterable[Any], seconds: float) -> None:
        """Read stubs from the database, as many as the time allows. Failures are logged."""
        deadline = self._clock() + seconds
        by_context: dict[int, tuple[Any, list[str]]] = {}
        for stub in stubs:
            context = getattr(stub, "_context", None)
            if context is not None:
                by_context.setdefault(id(context), (context, []))[1].append(stub.uuid)
        for context, uuids in by_context.values():
            for start in range(0, len(uuids), self._CHUNK):
                left = deadline - self._clock()
                if left <= 0 or not self.asker.may_ask():
                    return
                self._look_up_chunk(context, uuids[start : start + self._CHUNK], left)

    def _look_up_chunk(self, context: Any, uuids: list[str], seconds: float) -> None:
        loaded = self.asker.ask_or_warn(
            lambda: list(self._load(context, uuids)),
            seconds,
            f"{len(uuids)} instances",
            "they count as VMs",
        )
        if loaded is None:
            return
        now = self._clock()
        with self._lock:
            for instance in loaded:
                facts = read_facts(instance)
                if facts is not None:
                    self._stubs[facts.uuid] = (now, facts)

    def _kept(self, uuid: str) -> InstanceFacts | None:
        with self._lock:
            found = self._stubs.get(uuid)
            if found is None:
                return None
            if self._clock() - found[0] < self._KEEP_SECONDS:
                return found[1]
            del self._stubs[uuid]
            return None
