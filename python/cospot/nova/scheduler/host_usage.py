"""The use of a host by VMs, and the spots that it holds, from all that is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from cospot.nova.scheduler.claims import HostClaims
from cospot.nova.scheduler.instance_facts import InstanceFacts, Size

_MIB_PER_GIB: Final = 1024
_AGE: Final = attrgetter("started_at", "uuid")


@dataclass(frozen=True)
class HostUsage:
    """The VMs and spots that a host holds."""

    vms: Size
    num_vms: int
    spots: tuple[InstanceFacts, ...]
    """Those that may be evicted, the one placed first in front."""
    listed_spots: tuple[InstanceFacts, ...]
    """Those that the host itself lists, also when they are about to go."""


def reported_use(host_state: Any) -> Size:
    """Return what a HostState says is in use: instances, and what is reserved."""
    memory_mb = host_state.total_usable_ram_mb - host_state.free_ram_mb
    # Not free_disk_mb: that may be what the disk really has left.
    return Size(host_state.vcpus_used, memory_mb, -(-host_state.disk_mb_used // _MIB_PER_GIB))


def usage_of(
    reported: Size,
    instances: Sequence[InstanceFacts],
    num_unknown: int,
    claims: HostClaims,
    asking: str | None = None,
) -> HostUsage:
    """Work out what VMs use and which spots are there.

    A host's report and its list of instances come at different times. What is reported and belongs
    to no known instance is use by VMs: an instance that moves here, one of another scheduler that
    is being built, one whose flavor could not be read. It is not counted beside a claim, because
    the claim is probably what it is. What is listed and not reported is there all the same.

    Args:
        reported: what the host's instances use by its own report, without what is reserved.
        instances: those that are known.
        num_unknown: how many more it holds.
        claims: decisions that the host does not show yet.
        asking: the instance that is being decided on. When it is a spot on this very host it is no
            victim of itself: it keeps what it has until its move is confirmed.
    """
    spots: list[InstanceFacts] = []
    vms: list[InstanceFacts] = []
    for facts in instances:
        (spots if facts.is_spot and facts.uuid != asking else vms).append(facts)
    vms_known = sum_of(vms)
    known = vms_known + sum_of(spots)
    claimed_spots = sum_of(claims.spots)
    # A host reports dedicated CPUs among its vCPUs.
    unheld = Size(0, 0, sum(each.unheld_disk_gb for each in instances))
    unseen = (reported - known.pooled() - unheld).at_least((claims.vms + claimed_spots).pooled())
    staying = [
        spot
        for spot in (*spots, *claims.spots)
        if not spot.is_leaving and spot.uuid not in claims.victims
    ]
    pinned = claims.vms.pcpus
    unseen_vms = unseen - claimed_spots + Size(-pinned, 0, 0, pinned)
    return HostUsage(
        vms=vms_known + unseen_vms,
        num_vms=len(vms) + num_unknown + (1 if unseen_vms.pooled().vcpus > 0 else 0),
        spots=tuple(sorted(staying, key=_AGE)),
        listed_spots=tuple(spots),
    )


def sum_of(instances: Iterable[InstanceFacts]) -> Size:
    """Add the sizes of instances up."""
    vcpus = memory_mb = disk_gb = pcpus = 0
    for facts in instances:
        size = facts.size
        vcpus += size.vcpus
        memory_mb += size.memory_mb
        disk_gb += size.disk_gb
        pcpus += size.pcpus
    return Size(vcpus, memory_mb, disk_gb, pcpus)
