"""Attributes what is used beyond a host's capacity to the claims that made it, in order of time.

Starting from the last state within capacity, a VM's claim always counts, and what it takes beyond
the capacity is what spots owe it. A spot's claim counts only if it fits: one that does not fit came
by a race with others, and is what made the excess. What neither explains has another cause: the
capacity became smaller. Claims are therefore held against the larger of both capacities. It also
makes the answer the same after each eviction: what was made free for a VM is not owed to it again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cospot.nova.evictor.room import Amounts, HostRoom
from cospot.nova.spot_flavors import SPOT_CLASS_OF, holds_only_spot_classes


@dataclass(frozen=True)
class Reference:
    """What a host had and who held how much of it when it was last within its capacity.

    Attributes:
        consumers: amounts by resource class, by UUID of the consumer.
        capacity: by VCPU, MEMORY_MB, DISK_GB; empty when it is not known.
        is_assumed: worked out from the instances' ages because the host was never seen within
            its capacity.
    """

    consumers: Mapping[str, Amounts]
    capacity: Amounts
    is_assumed: bool = False


@dataclass(frozen=True)
class Claim:
    """What a consumer took of a host since the reference.

    Attributes:
        amounts: by VCPU, MEMORY_MB, DISK_GB.
        made_at: when, seconds since the epoch; see `claimed_at`.
    """

    consumer: str
    is_spot: bool
    amounts: Amounts
    made_at: float


@dataclass(frozen=True)
class Attribution:
    """What made an excess.

    Attributes:
        for_vms: how much of it VMs' claims made, by resource; without zeros.
        vms: those VMs, in the order of their claims.
        race: spots that did not fit when they came, the newest first.
        unexplained: the rest, by resource; without zeros.
    """

    for_vms: Mapping[str, int]
    vms: tuple[str, ...]
    race: tuple[str, ...]
    unexplained: Mapping[str, int]


def capacity_of(room: HostRoom, resources: Iterable[str]) -> dict[str, int]:
    """Return a host's capacity of the resources that it has."""
    found = {resource: room.inventories.get(resource) for resource in resources}
    return {name: inventory.capacity for name, inventory in found.items() if inventory}


def grown(reference: Reference, room: HostRoom, gone: Collection[str] = ()) -> dict[str, Amounts]:
    """Return what each consumer holds more than in the reference, by resource class."""
    more: dict[str, Amounts] = {}
    for consumer, held in room.consumers.items():
        if consumer in gone:
            continue
        before = reference.consumers.get(consumer, {})
        growth = {name: held[name] - before.get(name, 0) for name in held}
        growth = {name: amount for name, amount in growth.items() if amount > 0}
        if growth:
            more[consumer] = growth
    return more


def claimed_at(consumer: str, room: HostRoom, created_at: Mapping[str, float]) -> float:
    """Return when a consumer came, seconds since the epoch.

    What Nova does not list on the host is a VM that moves here, later than all others, or what is
    left of a spot, which came first.
    """
    is_spot = holds_only_spot_classes(room.consumers[consumer])
    return created_at.get(consumer, float("-inf") if is_spot else float("inf"))


def attribute(
    reference: Reference,
    room: HostRoom,
    shortfall: Amounts,
    made_at: Mapping[str, float],
    gone: Collection[str] = (),
) -> Attribution:
    """Work out what made a host's shortfall.

    Args:
        reference: the host when it was last within its capacity.
        room: the host now.
        shortfall: what is used beyond its capacity, by resource, with `gone` counted as gone.
        made_at: when each instance was created, seconds since the epoch.
        gone: consumers to count as gone.
    """
    growth = grown(reference, room, gone)
    claims = [
        Claim(
            consumer,
            holds_only_spot_classes(room.consumers[consumer]),
            _by_resource(amounts, shortfall),
            claimed_at(consumer, room, made_at),
        )
        for consumer, amounts in growth.items()
    ]
    # Nova's times have whole seconds. In the same second a VM comes last: its plan knew the spots.
    claims.sort(key=lambda each: (each.made_at, not each.is_spot, each.consumer))
    kept = {
        resource: sum(room.used(resource, gone)) - sum(each.amounts[resource] for each in claims)
        for resource in shortfall
    }
    before = reference.capacity
    capacity = {
        name: max(amount, before.get(name, 0))
        for name, amount in capacity_of(room, shortfall).items()
    }
    return _replay(claims, kept, capacity, shortfall)


def _replay(
    claims: Sequence[Claim], used: dict[str, int], capacity: Amounts, shortfall: Amounts
) -> Attribution:
    """Make the claims again, one after the other; `used` is what was there before them."""
    for_vms = dict.fromkeys(shortfall, 0)
    vms: list[str] = []
    race: list[Claim] = []
    for claim in claims:
        if claim.is_spot and not _fits(claim, used, capacity):
            race.append(claim)
            continue
        owed = 0
        for resource, amount in claim.amounts.items():
            used[resource] += amount
            displaced = max(0, used[resource] - capacity[resource])
            # What spots owe a VM is as good as free for the next claim.
            used[resource] -= displaced
            for_vms[resource] += displaced
            owed += displaced
        if owed:
            vms.append(claim.consumer)
    by_race = {each: sum(spot.amounts[each] for spot in race) for each in shortfall}
    rest = {each: short - for_vms[each] - by_race[each] for each, short in shortfall.items()}
    return Attribution(
        for_vms={each: min(owed, shortfall[each]) for each, owed in for_vms.items() if owed > 0},
        vms=tuple(vms),
        race=tuple(claim.consumer for claim in reversed(race)),
        unexplained={each: amount for each, amount in rest.items() if amount > 0},
    )


def _fits(spot: Claim, used: Mapping[str, int], capacity: Amounts) -> bool:
    return all(
        amount == 0 or used[resource] + amount <= capacity[resource]
        for resource, amount in spot.amounts.items()
    )


def _by_resource(amounts: Amounts, resources: Iterable[str]) -> dict[str, int]:
    return {each: amounts.get(each, 0) + amounts.get(SPOT_CLASS_OF[each], 0) for each in resources}
