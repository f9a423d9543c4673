"""The scheduler's guard of reserves lets the same through as the filter of the simulation."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, cast

import cospot
import numpy as np
import pytest
from cospot.nova.reserved_capacity import read_reserved
from cospot.nova.scheduler.instance_facts import Size
from cospot.nova.scheduler.reserve_guard import spare_hosts


@dataclass
class Host:
    """What the guard asks of a host."""

    free: Size
    free_beside_vms: Size
    aggregates: frozenset[str] = field(default_factory=frozenset)


@pytest.mark.parametrize("seed", range(200))
def test_the_filter_and_the_guard_agree(seed):
    draw = random.Random(seed)
    sizes = [Size(draw.randrange(17), draw.randrange(33), 0) for _ in range(6)]
    beside_vms = [
        Size(draw.randrange(free.vcpus, 17), draw.randrange(free.memory_mb, 33), 0)
        for free in sizes
    ]
    reserve = f"{draw.randrange(1, 6)}:{draw.randrange(6)}:{draw.randrange(1, 9)}"
    spot = Size(draw.randrange(1, 6), draw.randrange(1, 6), 0)
    fits = [i for i, free in enumerate(sizes) if spot.vcpus <= free.vcpus]
    fits = [i for i in fits if spot.memory_mb <= sizes[i].memory_mb]
    hosts = cast("list[Any]", list(map(Host, sizes, beside_vms)))
    may, _ = spare_hosts(read_reserved([], reserve), [hosts[i] for i in fits], hosts, spot)

    vcpus, memory_mb, count = map(int, reserve.split(":"))
    table = cospot.HostTable(
        [
            cospot.HostSpec(
                f"h{i}",
                (16, 32),
                vm_used=(16 - most.vcpus, 32 - most.memory_mb),
                spot_used=(most.vcpus - free.vcpus, most.memory_mb - free.memory_mb),
            )
            for i, (free, most) in enumerate(zip(sizes, beside_vms, strict=True))
        ]
    )
    compiled = cospot.make_filter("Reserve", vcpus=vcpus, memory_mb=memory_mb, count=count)
    request = cospot.Request(spot.vcpus, spot.memory_mb, spot=True)
    passes = compiled.filter_all(table, np.array(fits, dtype=np.uint32), request)
    assert passes.tolist() == may.tolist()
