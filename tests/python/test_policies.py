"""Policies written in Python: same results as compiled ones, and errors that name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cospot
import numpy as np
import pytest
from cospot import Chain, HostSpec, HostTable, Request
from host_size import HOST
from sample_policies import (
    ChargingFifo,
    FewSpots,
    Fifo,
    Scaled,
    SpotUtil,
    Util,
    UtilByHost,
)

HOSTS = HostTable(
    [
        HostSpec("a", (8, 16), vm_used=(2, 2), num_vms=1),
        HostSpec("b", (8, 16), vm_used=(4, 4), num_vms=1, spot_used=(2, 2), num_spots=2),
        HostSpec("c", (8, 16)),
    ]
)
REQUEST = Request(1, 1)


def outcome(result: cospot.RunResult) -> dict[str, float]:
    """All of a result but how long it took."""
    return {
        name: value for name, value in result.as_dict().items() if not name.endswith(("_ns", "_ms"))
    }


@pytest.mark.parametrize("util", [Util, Util(), UtilByHost, Scaled, "python:sample_policies.Util"])
@pytest.mark.parametrize(("saf", "otn"), [(False, 1), (True, 4)])
def test_util_in_python_is_util(workload: cospot.Workload, util: Any, saf: bool, otn: int) -> None:
    evictions = 0
    for hosts in (34, 36):
        common: dict[str, Any] = {"hosts": hosts, "host": HOST, "saf": saf, "otn": otn}
        compiled = cospot.simulate(workload, vm="UTIL", spot="sUTIL", evictor="FIFO", **common)
        evictions += compiled.evictions
        result = cospot.simulate(workload, vm=util, spot="sUTIL", evictor="FIFO", **common)
        assert outcome(result) == outcome(compiled)
    assert evictions > 0


@pytest.mark.parametrize("evictor", [Fifo, Fifo(), ChargingFifo, "python:sample_policies.Fifo"])
def test_python_evictor_and_spot_chain(workload: cospot.Workload, evictor: Any) -> None:
    common: dict[str, Any] = {"hosts": 36, "host": HOST, "vm": "COS", "otn": 3}
    compiled = cospot.simulate(workload, spot="sUTIL", evictor="FIFO", **common)
    result = cospot.simulate(workload, spot=SpotUtil, evictor=evictor, **common)
    assert outcome(result) == outcome(compiled)


def test_filters_and_weighted_sums_mix() -> None:
    chain = Chain([(Util, 2.0), "UTIL"], filters=[FewSpots(2)])
    assert chain.label == "python:sample_policies.FewSpots+python:sample_policies.Util+UTIL"
    # Host b has two spots. Used vCPUs 2 and 0, normalised 1 and 0: 3 * 1 and 0.
    rows, _, weights = chain.weigh(HOSTS, REQUEST)
    assert rows.tolist() == [0, 2] and weights.tolist() == [3, 0]

    class PreferNoSpots(FewSpots):
        def mode(self) -> Any:
            return "prefer"

    rows, tiers, _ = Chain(["UTIL"], filters=[PreferNoSpots(1)]).weigh(HOSTS, REQUEST)
    assert rows.tolist() == [0, 2, 1] and tiers.tolist() == [1, 1, 0]


def test_tier_bounds_and_multiplier() -> None:
    class Tiered(UtilByHost):
        def tier(self) -> Any:
            return "holds_no_vm"

    assert Chain([Tiered]).rank(HOSTS, REQUEST).tolist() == [2, 1, 0]

    class Bounded(Util):
        def minval(self) -> float | None:
            return 0.0

        def maxval(self) -> float | None:
            return 8.0

        def default_multiplier(self) -> float:
            return -1.0

    rows, _, weights = Chain([Bounded]).weigh(HOSTS, REQUEST)
    # Used vCPUs 2, 4, 0 of 8.
    assert rows.tolist() == [2, 0, 1] and weights.tolist() == [0, -0.25, -0.5]


def weigher(answer: Callable[[Any, Any], Any]) -> type[cospot.Weigher]:
    class Answer(cospot.Weigher):
        def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
            return answer(hosts, candidates)

    return Answer


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda h, c: [1.0], r"weigh_all returned an array of shape \(1,\) for 3 candidates"),
        (lambda h, c: np.zeros((3, 1)), r"shape \(3, 1\) for 3 candidates"),
        (lambda h, c: [1, 2, float("nan")], "weigh_all returned nan for host 2, expected finite"),
        (lambda h, c: [1, float("inf"), 2], "weigh_all returned inf for host 1, expected finite"),
        (lambda h, c: ["a", "b", "c"], "weigh_all returned values of type <U1, expected"),
        (lambda h, c: [1j, 2, 3], "weigh_all returned values of type complex128, expected"),
        (lambda h, c: None, "weigh_all returned"),
        (lambda h, c: {}, "weigh_all returned"),
    ],
)
def test_weights_that_cannot_be_used(answer: Callable[[Any, Any], Any], text: str) -> None:
    with pytest.raises(
        cospot.PolicyError, match=r"policy 'python:test_policies\.weigher.*Answer'"
    ) as raised:
        Chain([weigher(answer)]).rank(HOSTS, REQUEST)
    assert raised.match(text)


def test_passes_that_cannot_be_used() -> None:
    class Answer(cospot.Filter):
        def __init__(self, passes: Any) -> None:
            self.passes = passes

        def filter_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
            return self.passes

    assert Chain(["UTIL"], filters=[Answer([True, False, True])]).rank(HOSTS, REQUEST).tolist() == [
        0,
        2,
    ]
    assert Chain(["UTIL"], filters=[Answer(np.array([0, 2, 0]))]).rank(HOSTS, REQUEST).tolist() == [
        1
    ]
    for passes in ([True], [0.5, 1, 1], None, "yes"):
        with pytest.raises(cospot.PolicyError, match=r"Answer': filter_all returned"):
            Chain(["UTIL"], filters=[Answer(passes)]).rank(HOSTS, REQUEST)


def test_what_a_policy_raises_is_the_cause(workload: cospot.Workload) -> None:
    class Broken(cospot.Weigher):
        def weigh_host(self, host: Any, request: Any) -> float:
            raise ZeroDivisionError("no divisor")

    with pytest.raises(cospot.PolicyError) as raised:
        cospot.simulate(workload, hosts=40, host=HOST, vm=Broken, spot="sUTIL", evictor="FIFO")
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    assert raised.match(
        r"policy 'python:test_policies\..*Broken': weigh_all raised ZeroDivisionError: no divisor"
        r" \(test_policies\.py:\d+\)"
    )

    class Nothing(cospot.Weigher):
        pass

    with pytest.raises(cospot.PolicyError, match="has neither weigh_host nor weigh_all"):
        Chain([Nothing]).rank(HOSTS, REQUEST)

    class Interrupted(cospot.Weigher):
        def weigh_host(self, host: Any, request: Any) -> float:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cospot.simulate(workload, hosts=40, host=HOST, vm=Interrupted, spot="sUTIL", evictor="FIFO")


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (([], 1.0), r"0 victims do not free enough: \d+ vcpus"),
        (([0, 0], 1.0), "named victim 0 twice"),
        (([10**6], 1.0), "named victim 1000000 of"),
        (([-1], 1.0), "named victim -1 of"),
        ((["a"], 1.0), "make_plan raised TypeError"),
        ((None, 1.0), "make_plan raised TypeError"),
        (None, r"make_plan returned None, although its \d+ spots free enough"),
        (3, r"make_plan returned an int, expected \(victims, score\) or None"),
        (("all", float("nan")), "make_plan returned the score nan"),
        (("all", float("-inf")), "make_plan returned the score -inf"),
        (("all", "cheap"), "make_plan raised ValueError"),
    ],
)
def test_plans_that_cannot_be_used(workload: cospot.Workload, plan: Any, text: str) -> None:
    class Planner(cospot.Evictor):
        def make_plan(self, spots: Any, shortfall: Any, now_us: int) -> Any:
            if isinstance(plan, tuple) and plan[0] == "all":
                return list(range(len(spots))), plan[1]
            return plan

    with pytest.raises(
        cospot.PolicyError, match=r"policy 'python:test_policies.*Planner'"
    ) as raised:
        cospot.simulate(workload, hosts=34, host=HOST, vm="UTIL", spot="sUTIL", evictor=Planner)
    assert raised.match(text)


def test_an_evictor_that_says_it_charges_must() -> None:
    class Free(ChargingFifo):
        def make_plan(self, spots: Any, shortfall: Any, now_us: int) -> Any:
            return list(range(len(spots))), 0.0

    datacenter = cospot.Datacenter(HostTable.uniform(1, (4, 4)))
    datacenter.add_spot(0, Request(4, 4, spot=True, instance=1))
    offer = cospot.make_offer(Chain(["UTIL"]), datacenter.hosts, Request(1, 1, instance=2), 1)
    with pytest.raises(cospot.PolicyError, match="score 0, but the policy charges every victim"):
        cospot.choose(offer, Free, datacenter)


def test_policies_that_cannot_be_made() -> None:
    with pytest.raises(cospot.ConfigError, match="there is no Python module 'nowhere'"):
        Chain(["python:nowhere.Weigher"])
    with pytest.raises(cospot.ConfigError, match="module 'sample_policies' has no class 'Absent'"):
        Chain(["python:sample_policies.Absent"])
    with pytest.raises(cospot.ConfigError, match=r"sample_policies\.Fifo is no weigher"):
        Chain(["python:sample_policies.Fifo"])

    class NeedsMore(Util):
        def __init__(self, more: int) -> None:
            self.more = more

    with pytest.raises(cospot.ConfigError, match=r"NeedsMore: TypeError: .*'more'") as raised:
        Chain([NeedsMore])
    assert isinstance(raised.value.__cause__, TypeError)

    class Odd(Util):
        def tier(self) -> Any:
            return "best"

    with pytest.raises(
        cospot.PolicyError, match="Odd': tier returned 'best', expected one of: none"
    ):
        Chain([Odd])


def test_one_object_is_shared_and_a_class_is_made_anew(workload: cospot.Workload) -> None:
    class Counted(Util):
        made = 0

        def __init__(self) -> None:
            type(self).made += 1

    common: dict[str, Any] = {"hosts": 40, "host": HOST, "spot": "sUTIL", "evictor": "FIFO"}
    shared = Counted()
    cospot.simulate(workload, vm=shared, **common)
    assert Counted.made == 1
    cospot.simulate(workload, vm=Counted, **common)
    cospot.simulate(workload, vm=Counted, **common)
    assert Counted.made >= 3
