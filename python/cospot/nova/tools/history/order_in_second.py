"""Restores the order of events: Nova stores times in whole seconds, but orders actions.

A spot evicted for a VM ends a moment after the VM's request, often in the same second. At equal
times departures come first, so the spot would leave before the VM arrives. It can even end before
Nova's creation time of the VM, which is set once the VM has its host: on a busy conductor, seconds
later.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from cospot.nova.tools.history.past_instance import PastInstance

_STEP_S: Final = 1e-6  # the resolution of a workload file


def in_order(instances: Sequence[PastInstance]) -> list[PastInstance]:
    """Adjust times so that no instance ends before a request that it outlived in Nova.

    Only creation times within the second of the last such request change: they then follow each
    other by a microsecond.

    Args:
        instances: In order of creation.
    """
    created = _by_second(instances)
    under_way = _UnderWay(instances)
    ends: dict[str, float] = {}
    crowded: set[tuple[int, int]] = set()
    for one in instances:
        last = _last_seen(one, created, under_way)
        if last is None:
            continue
        second = (last.cell, int(last.created))
        crowded.add(second)
        ends[one.uuid] = second[1] + (created[second].index(last) + 1) * _STEP_S
    starts = {
        one.uuid: second[1] + rank * _STEP_S
        for second in crowded
        for rank, one in enumerate(created[second])
    }
    return [
        dataclasses.replace(
            one, created=starts.get(one.uuid, one.created), ended=ends.get(one.uuid, one.ended)
        )
        if one.uuid in starts or one.uuid in ends
        else one
        for one in instances
    ]


class _UnderWay:
    """The VMs of each host in order of creation that were requested earlier."""

    def __init__(self, instances: Sequence[PastInstance]) -> None:
        self._vms: dict[tuple[int, str], list[PastInstance]] = defaultdict(list)
        self._longest: dict[tuple[int, str], float] = defaultdict(float)
        for one in instances:
            if one.host and one.creation and not one.is_spot and _is_whole(one.created):
                place = (one.cell, one.host)
                self._vms[place].append(one)
                self._longest[place] = max(self._longest[place], one.created - _asked(one))

    def during(self, spot: PastInstance) -> Iterator[PastInstance]:
        """Yield the VMs on a spot's host that were requested before its eviction."""
        if spot.deletion is None or spot.deletion.by_owner or not spot.is_spot:
            return
        vms = self._vms.get((spot.cell, spot.host), [])
        latest = spot.deletion.asked + self._longest.get((spot.cell, spot.host), 0.0)
        first = bisect.bisect_left(vms, spot.ended or 0.0, key=lambda vm: vm.created)
        for vm in vms[first:]:
            if vm.created > latest:
                return
            if _asked(vm) <= spot.deletion.asked:
                yield vm


def _last_seen(
    one: PastInstance,
    created: dict[tuple[int, int], list[PastInstance]],
    under_way: _UnderWay,
) -> PastInstance | None:
    """Return the last request that an instance outlived, among those dated after its end."""
    if one.ended is None or one.deletion is None:
        return None
    number, ended = one.deletion.number, one.ended
    before = [
        other
        for other in created.get((one.cell, int(ended)), ())
        if 0 < other.creation < number and ended <= other.created and other is not one
    ]
    seen = [*before[-1:], *under_way.during(one)]
    return max(seen, key=lambda other: (other.created, other.number)) if seen else None


def _asked(one: PastInstance) -> float:
    """Return when an instance was requested, as far as known."""
    return one.created if one.asked is None else min(one.asked, one.created)


def _is_whole(moment: float) -> bool:
    return moment == int(moment)


def _by_second(
    instances: Sequence[PastInstance],
) -> dict[tuple[int, int], list[PastInstance]]:
    """Return the instances created in each second of each cell with whole-second times."""
    found = defaultdict(list)
    for one in instances:
        if _is_whole(one.created):
            found[one.cell, int(one.created)].append(one)
    return found
