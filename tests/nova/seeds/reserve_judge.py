"""Judges where schedulers send spots while a reserve of VMs is not complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cospot.nova.reserved_capacity import read_reserved
from cospot.nova.spot_flavors import MEMORY_MB, VCPU

from seeds.cloud import Host, Instance

if TYPE_CHECKING:
    from seeds.services import Scheduler

#: A change reaches the schedulers within so long: a compute's message or its report, seconds.
_KNOWN_AFTER_S = 2.0
Amounts = tuple[int, int]


class ReserveJudge:
    """Knows at a request how it is about the reserve, at best and for certain.

    Made before a scheduler decides, asked afterwards: what changes meanwhile does not count.

    Args:
        scheduler: which decides.
        entry: its `default_reserve`; empty: it has none.
    """

    def __init__(self, scheduler: Scheduler, entry: str) -> None:
        self._scheduler = scheduler
        self._cloud = scheduler.cloud
        self._reserves = read_reserved([], entry)

    def look(self, spot: Instance) -> dict[str, str]:
        """Return the hosts that a spot must not get, by UUID, and why."""
        return {
            host.uuid: why
            for reserve in self._reserves
            for host in self._cloud.hosts.values()
            if (why := self._why_not(reserve, spot, host))
        }

    def _why_not(self, reserve: Any, spot: Instance, host: Host) -> str:
        if not self._is_settled(host):
            return ""
        hosts = self._cloud.hosts.values()
        most_left = sum(self._pieces(reserve, self._free_at_most(each)) for each in hosts)
        vms, spots = self._use(host, spots=False), self._use(host, spots=True)
        beside_vms = (host.most[0] - vms[0], host.most[1] - vms[1])
        free = (beside_vms[0] - spots[0], beside_vms[1] - spots[1])
        pieces = self._pieces(reserve, free)
        takes = pieces - self._pieces(reserve, (free[0] - spot.vcpus, free[1] - spot.memory_mb))
        if most_left < reserve.count and self._pieces(reserve, beside_vms) > pieces:
            return f"its reserve lacks a VM, and {free} of {beside_vms} are free there"
        if takes > 0 and most_left - takes < reserve.count:
            return f"it takes the capacity of {takes} VMs of its reserve"
        return ""

    @staticmethod
    def _pieces(reserve: Any, free: Amounts) -> int:
        by_class = {VCPU: free[0], MEMORY_MB: free[1]}
        return max(0, min(by_class[each] // size for each, size in reserve.size.items()))

    def _use(self, host: Host, *, spots: bool) -> Amounts:
        prefix = "CUSTOM_SPOT_" if spots else ""
        held = host.consumers.values()
        return (
            sum(each.get(f"{prefix}VCPU", 0) for each in held),
            sum(each.get(f"{prefix}MEMORY_MB", 0) for each in held),
        )

    def _free_at_most(self, host: Host) -> Amounts:
        """Return what may seem to be free, if all goes that may seem to go."""
        there = [each for each in self._cloud.instances.values() if self._is_known(each, host)]
        if not self._scheduler.is_sure_of(host):  # a decision may count some as gone
            there = [each for each in there if not each.is_spot]
        return (
            host.most[0] - sum(each.vcpus for each in there),
            host.most[1] + host.real.reserved[1] - sum(each.memory_mb for each in there),
        )

    def _is_known(self, each: Instance, host: Host) -> bool:
        """Tell whether an instance counts on a host for each scheduler."""
        return (
            each.host is host
            and each.task_state is None
            and each.status == "ACTIVE"
            and not (each.deleted or each.marks or each.has_moved)
            and each.launched is not None
            and self._cloud.now() - each.launched > _KNOWN_AFTER_S
        )

    def _is_settled(self, host: Host) -> bool:
        """Tell whether a scheduler knows exactly who is on a host."""
        instances = self._cloud.instances
        there = [instances.get(each) for each in host.consumers]
        states = self._cloud.judge.states.get(host.uuid)
        changed_at = states[-1].at if states else 0.0
        return (
            self._scheduler.is_sure_of(host)
            and host.is_up
            and self._cloud.kernel.now - changed_at > _KNOWN_AFTER_S
            and host.at_compute == set(host.consumers)
            and all(each is not None and self._is_known(each, host) for each in there)
        )
