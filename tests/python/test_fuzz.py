"""Random arguments of calls that belong together; test_any_call.py has each call by itself."""

from __future__ import annotations

import os
from typing import Any

import cospot
import numpy as np
from cospot import Chain, Choice, Datacenter, HostSpec, HostTable, Offer, Request, Workload
from host_size import HOST
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

#: What a call may raise. RuntimeError, SystemError and the like would be a fault of the binding.
NAMED = (cospot.CospotError, TypeError, IndexError)

settings.register_profile(
    "fuzz",
    max_examples=int(os.environ.get("COSPOT_FUZZ_EXAMPLES", "60")),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("fuzz")

integers = st.one_of(
    st.integers(-3, 12), st.integers(),
    st.sampled_from([2**26, 2**26 + 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, -(2**63)]),
)  # fmt: skip
texts = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["UTIL", "COS", "FIFO", "LPO", "\ud800", "a\0b", "python:", "nova:x", "1/2", ""]
    ),
)
anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), integers, st.floats(), texts, st.binary(max_size=8),
        st.sampled_from([object(), Request(1, 1), np.int64(3), np.zeros((2, 2)), int, Ellipsis,
                         cospot.make_weigher("UTIL"), cospot.Weigher, Chain(["COS"])]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner),
        st.dictionaries(texts, inner, max_size=3),
    ),
    max_leaves=5,
)  # fmt: skip


def works_or_raises(call: Any, *arguments: Any, **keywords: Any) -> Any:
    try:
        return call(*arguments, **keywords)
    except NAMED as error:
        assert str(error)
        return None


@given(integers, integers, integers, integers)
def test_sums(a: int, b: int, c: int, d: int) -> None:
    one = works_or_raises(cospot.ResourceVector, a, b, c)
    other = works_or_raises(cospot.ResourceVector, d, a, b)
    if one is not None and other is not None:
        total = works_or_raises(lambda: one + other)
        if total is not None:
            assert total.vcpus == a + d
        works_or_raises(lambda: one - other)


policy = st.one_of(
    st.sampled_from([info.name for info in cospot.list_weighers()]), st.just("python:x.Y")
)


@given(
    st.lists(st.tuples(policy, st.floats()), min_size=1, max_size=3),
    st.lists(
        st.tuples(
            st.integers(1, 2**26), st.integers(1, 2**26), st.integers(0, 2**26),
            st.integers(0, 2**26), st.integers(0, 2**26), st.integers(0, 2**26),
        ),
        max_size=4,
    ),
    st.integers(0, 2**26), st.integers(0, 2**26), st.integers(0, 2**26), st.booleans(),
)  # fmt: skip
def test_chains_on_any_hosts(
    weighers: Any, hosts: Any, vcpus: int, memory_mb: int, disk_gb: int, spot: bool
) -> None:
    table = HostTable(
        [
            HostSpec(
                f"h{i}", (a, b, c), vm_used=(d % (a + 1), e % (b + 1)),
                spot_used=(e % (a + 1), f % (b + 1), d % (c + 1)), num_vms=a, num_spots=f,
            )
            for i, (a, b, c, d, e, f) in enumerate(hosts)
        ]
    )  # fmt: skip
    chain = works_or_raises(Chain, weighers)
    if chain is None:
        return
    request = Request(vcpus, memory_mb, disk_gb, spot=spot)
    rows, tiers, weights = chain.weigh(table, request)
    assert len(set(rows.tolist())) == len(rows) <= len(table)
    order = list(
        zip((-tiers.astype(np.int64)).tolist(), (-weights).tolist(), rows.tolist(), strict=True)
    )
    assert order == sorted(order)
    assert chain.rank(table, request).tolist() == rows.tolist()


spots_of_a_host = st.lists(st.tuples(integers, integers, integers, integers, integers), max_size=6)


@given(spots_of_a_host, anything, anything, st.sampled_from(["FIFO", "LPO", "YJF"]))
def test_plans(spots: Any, shortfall: Any, now_us: Any, evictor: str) -> None:
    made = [works_or_raises(cospot.RunningSpot, a, (b, c), d, e) for a, b, c, d, e in spots]
    running = [spot for spot in made if spot is not None]
    compiled = cospot.make_evictor(evictor)
    works_or_raises(compiled.make_plan, running, shortfall, now_us)
    plan = works_or_raises(compiled.make_plan, running, cospot.ResourceVector(1, 1), 0)
    if plan is not None:
        assert sum(running[v].resources.vcpus for v in plan.victims) >= 1


@given(anything, anything, anything, anything)
def test_handshake(a: Any, b: Any, c: Any, d: Any) -> None:
    datacenter = Datacenter(HostTable.uniform(2, (8, 8)))
    datacenter.add_spot(0, Request(8, 8, spot=True, instance=1))
    request = Request(1, 1, instance=7)
    works_or_raises(datacenter.add_vm, a, b)
    works_or_raises(datacenter.add_spot, a, Request(1, 1, spot=True, instance=3), b)
    works_or_raises(datacenter.remove, a)
    works_or_raises(datacenter.evict, b)
    works_or_raises(datacenter.spots_on, a)
    works_or_raises(datacenter.host_of, b)
    offer = works_or_raises(Offer, request, [(a, b), (0, 1)])
    works_or_raises(cospot.choose, offer, c, datacenter)
    choice = works_or_raises(Choice, a, b, c, d)
    works_or_raises(datacenter.commit, choice, request)
    assert (datacenter.hosts.vcpus_free_ignoring_spots >= 0).all()


@given(
    st.dictionaries(
        st.sampled_from(
            ["is_spot", "vcpus", "memory_mb", "disk_gb", "start_us", "end_us", "instance_id", "x"]
        ),
        st.one_of(st.lists(integers, max_size=3), st.lists(st.floats(), max_size=3), anything),
    ),
    anything,
    anything,
)
def test_workload_columns(columns: dict[str, Any], name: Any, window_us: Any) -> None:
    whole = {
        "is_spot": [0, 1], "vcpus": [1, 2], "memory_mb": [1, 1], "start_us": [0, 1],
        "end_us": [3, 4], **columns,
    }  # fmt: skip
    for given_columns in (columns, whole):
        workload = works_or_raises(Workload.from_columns, given_columns, name=name)
        works_or_raises(Workload.from_columns, given_columns, window_us=window_us)
        if workload is not None:
            workload.info((2**26, 2**26, 2**26))
            works_or_raises(workload.sample, window_us, seed=name)
            result = works_or_raises(
                cospot.simulate, workload, hosts=2, host=(2**26, 2**26, 2**26), vm="COS",
                spot="sDPD", evictor="LPO", otn=2,
            )  # fmt: skip
            assert result is None or result.vm_requests + result.spot_requests == len(workload)


@given(st.data())
def test_compare(tmp_path: Any, data: st.DataObject) -> None:
    sweep = {
        "workloads": [{"synthetic": "azure2020", "scale": 0.0001}], "hosts": [4],
        "host": {"vcpus": HOST[0], "memory_mb": HOST[1]}, "vm": ["UTIL"], "spot": ["sUTIL"],
        "evictor": ["FIFO"], "saf": [False], "otn": [1],
    }  # fmt: skip
    key = data.draw(st.sampled_from(["vm", "spot", "evictor", "saf", "otn", "host", "x"]))
    sweep[key] = data.draw(anything)
    works_or_raises(cospot.compare, sweep, db=tmp_path / "r.db", force=True)
    works_or_raises(cospot.compare, data.draw(anything), db=tmp_path / "r.db", force=True)
