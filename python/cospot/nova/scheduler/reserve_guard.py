"""Keeps new spots out of the capacity that is reserved for VMs.

cospot-evictor gives notice to the spots that are in a reserve. Were new ones placed there
meanwhile, they would be told to go as soon as they have come, again and again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cospot.nova.promises import asked_lifetime
from cospot.nova.reserved_capacity import ReservedCapacity
from cospot.nova.scheduler.host_mirror import MirroredHost
from cospot.nova.scheduler.instance_facts import NOTHING, Size
from cospot.nova.spot_flavors import MEMORY_MB, SPOT_CLASS_OF, VCPU

#: A host that Nova's filters have not let through for so long, of any request, counts no more: its
#: compute may be disabled or down.
SEEN_WITHIN_S: Final = 300.0
#: Extra specs that say how much is asked for, and not where.
_SIZE_SPECS: Final = frozenset(
    {asked_lifetime.NAME, *(f"resources:{name}" for pair in SPOT_CLASS_OF.items() for name in pair)}
)


def aggregates_of(state: Any) -> frozenset[str]:
    """Return the names and UUIDs of a HostState's aggregates."""
    return frozenset(
        getattr(each, field)
        for each in state.aggregates
        for field in ("name", "uuid")
        if field in each
    )


def kind_of(spec: Any, is_spot: bool) -> Hashable | None:
    """Return what requests have in common that can have the same hosts, if these have enough.

    Returns:
        None for a request that is kept from hosts for a reason of its own: its group, its hints, a
        host by name, or hosts that were tried before.
    """
    given = {
        field: getattr(spec, field)
        for field in (
            *("force_hosts", "force_nodes", "ignore_hosts", "instance_group", "scheduler_hints"),
            *("requested_destination", "availability_zone", "image"),
        )
        if field in spec and getattr(spec, field)
    }
    destination = given.get("requested_destination")
    if destination is not None and "host" in destination and destination.host:
        return None
    hints = set(given.get("scheduler_hints", ())) - {asked_lifetime.NAME}
    if hints or given.keys() & {"force_hosts", "force_nodes", "ignore_hosts", "instance_group"}:
        return None
    cell = destination.cell if destination is not None and "cell" in destination else None
    image = given.get("image")
    return (
        is_spot,
        frozenset(item for item in spec.flavor.extra_specs.items() if item[0] not in _SIZE_SPECS),
        given.get("availability_zone"),
        image.id if image is not None and "id" in image else None,
        cell.uuid if cell else None,
    )


def spare_hosts(
    reserves: Sequence[ReservedCapacity],
    candidates: Sequence[MirroredHost],
    everyone: Sequence[MirroredHost],
    size: Size,
) -> tuple[npt.NDArray[np.bool_], set[str]]:
    """Tell on which hosts a spot may be, as far as reserves go.

    It may if it takes no room there for one of a reserve's VMs, or the reserve does without. While
    the reserve is not complete it may not where one more of its VMs would fit without spots:
    notices free capacity there, and a spot that took part of it would cost another one. The filter
    `Reserve` of the simulation has the same rule.

    Args:
        reserves: all that are configured.
        candidates: the hosts that it could have.
        everyone: all hosts that can take a VM.
        size: of the spot.

    Returns:
        Of each candidate, whether it may; and the labels of the reserves that were in the way.
    """
    may = np.ones(len(candidates), dtype=bool)
    in_the_way = set()
    free = _amounts(host.free for host in everyone)
    free_of_candidates = _amounts(host.free for host in candidates)
    beside_vms = _amounts(host.free_beside_vms for host in candidates)
    for reserve in reserves:
        left = _pieces(reserve, free)[_are_of(reserve, everyone, reserves)].sum()
        now = _pieces(reserve, free_of_candidates)
        takes = now - _pieces(reserve, free_of_candidates, size)
        may_be_freed = (_pieces(reserve, beside_vms) > now) & (left < reserve.count)
        refused = may & (((takes > 0) & (left - takes < reserve.count)) | may_be_freed)
        refused &= _are_of(reserve, candidates, reserves)
        if refused.any():
            may &= ~refused
            in_the_way.add(reserve.label)
    return may, in_the_way


def _are_of(
    reserve: ReservedCapacity, hosts: Sequence[MirroredHost], reserves: Sequence[ReservedCapacity]
) -> npt.NDArray[np.bool_]:
    if reserve.aggregate:
        return np.array([reserve.aggregate in host.aggregates for host in hosts], dtype=bool)
    named = {each.aggregate for each in reserves if each.aggregate}
    return np.array([named.isdisjoint(host.aggregates) for host in hosts], dtype=bool)


def _amounts(of_hosts: Iterable[Size]) -> dict[str, npt.NDArray[np.int64]]:
    sizes = list(of_hosts)
    return {
        VCPU: np.array([size.vcpus for size in sizes], dtype=np.int64),
        MEMORY_MB: np.array([size.memory_mb for size in sizes], dtype=np.int64),
    }


def _pieces(
    reserve: ReservedCapacity, free: Mapping[str, npt.NDArray[np.int64]], beside: Size = NOTHING
) -> npt.NDArray[np.int64]:
    """Return how many VMs of a reserve fit on each host beside its VMs and spots."""
    less = {VCPU: beside.vcpus, MEMORY_MB: beside.memory_mb}
    fit = [(free[each] - less[each]) // amount for each, amount in reserve.size.items()]
    pieces: npt.NDArray[np.int64] = np.maximum(np.min(fit, axis=0), 0)
    return pieces
