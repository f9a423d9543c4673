"""What was first within a second: Nova keeps times in whole seconds, and the order of actions.

A spot that is evicted for a VM ends a moment after that was asked for, often in the same second. At
equal times departures come first, so it would be gone before the VM came.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence

from cospot.nova.tools.history.past_instance import PastInstance

_STEP_S = 1e-6  # the least that a workload file tells apart


def in_order(instances: Sequence[PastInstance]) -> list[PastInstance]:
    """Return instances with times by which nobody is gone before a request that it saw come.

    Only the seconds are changed in which an instance ended whose deletion was asked for after
    another had been created: those created in it then follow each other by a microsecond.

    Args:
        instances: As they were asked for.
    """
    created = _by_second(instances)
    ends: dict[str, float] = {}
    crowded: set[tuple[int, int]] = set()
    for one in instances:
        if one.ended is None or not one.deletion:
            continue
        second = (one.cell, int(one.ended))
        before = [
            rank
            for rank, other in enumerate(created.get(second, ()))
            if 0 < other.creation < one.deletion and one.ended <= other.created and other is not one
        ]
        if before:
            crowded.add(second)
            ends[one.uuid] = second[1] + (before[-1] + 1) * _STEP_S
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


def _by_second(
    instances: Sequence[PastInstance],
) -> dict[tuple[int, int], list[PastInstance]]:
    """Return those created in each second of each cell, where that is a whole one."""
    found = defaultdict(list)
    for one in instances:
        if one.created == int(one.created):
            found[one.cell, int(one.created)].append(one)
    return found
