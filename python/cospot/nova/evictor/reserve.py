"""A reserve: room kept free of spots for so many VMs of a size, each on one host."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cospot.nova.evictor.errors import SettingError
from cospot.nova.evictor.room import HostRoom
from cospot.nova.spot_flavors import MEMORY_MB, VCPU


@dataclass(frozen=True)
class Reserve:
    """Room for `count` VMs of `size`, which is by resource and without zeros.

    Attributes:
        label: the aggregate's name or UUID as configured; "default" for the other hosts.
        aggregate: the same; empty for the other hosts.
    """

    label: str
    aggregate: str
    size: Mapping[str, int]
    count: int

    def counts(self, room: HostRoom) -> bool:
        """Tell whether a host has all the resources; one without some is no host for such VMs."""
        return all(resource in room.inventories for resource in self.size)

    def pieces(self, room: HostRoom, gone: Collection[str] = ()) -> int:
        """Return how many such VMs fit on a host beside its VMs and spots.

        Raises:
            MissingInventoryError: the host has none of a resource.
        """
        return max(0, min(room.free(each, gone) // size for each, size in self.size.items()))

    def need(self, room: HostRoom, gone: Collection[str] = ()) -> dict[str, int]:
        """Return what must become free on a host for one more such VM, by resource."""
        pieces = self.pieces(room, gone) + 1
        lacks = {each: pieces * size - room.free(each, gone) for each, size in self.size.items()}
        return {each: lack for each, lack in lacks.items() if lack > 0}

    def missing(self, rooms: Iterable[HostRoom], gone: Collection[str] = ()) -> int:
        """Return for how many such VMs there is no room on these hosts."""
        return max(0, self.count - sum(self.pieces(room, gone) for room in rooms))


def read_reserves(entries: Sequence[str], default: str) -> list[Reserve]:
    """Read the options `reserve` and `default_reserve`.

    Raises:
        SettingError: an entry is not of the form that the options' help says.
    """
    reserves = [_read_entry(entry) for entry in entries]
    labels = [reserve.label for reserve in reserves]
    for label in labels:
        if labels.count(label) > 1:
            raise SettingError(f"[cospot_evictor] reserve: aggregate {label} is named twice")
    if default:
        size, count = _read_amounts("default_reserve", default, default.split(":"))
        reserves.append(Reserve("default", "", size, count))
    return reserves


def _read_entry(entry: str) -> Reserve:
    aggregate, colon, amounts = entry.partition(":")
    if not colon or not aggregate.strip():
        raise SettingError(
            f"[cospot_evictor] reserve: {entry!r}, expected aggregate:vcpus:memory_mb[:count]"
        )
    size, count = _read_amounts("reserve", entry, amounts.split(":"))
    return Reserve(aggregate.strip(), aggregate.strip(), size, count)


def _read_amounts(option: str, entry: str, parts: Sequence[str]) -> tuple[dict[str, int], int]:
    numbers = [int(part) for part in parts if part.strip().isdecimal()]
    if len(numbers) != len(parts) or len(numbers) not in {2, 3} or max(numbers[:2]) == 0:
        raise SettingError(
            f"[cospot_evictor] {option}: {entry!r}, expected vcpus:memory_mb or "
            "vcpus:memory_mb:count in whole numbers, not both sizes 0"
        )
    size = {VCPU: numbers[0], MEMORY_MB: numbers[1]}
    count = numbers[2] if len(numbers) == 3 else 1
    return {each: amount for each, amount in size.items() if amount}, count
