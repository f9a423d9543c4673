"""compare_policies: paired by workload, on equal hosts, with an interval."""

from __future__ import annotations

import math
import statistics
from typing import Any

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

import cospot
import numpy as np
from sample_policies import Util

HOST = (10400, 2250)
STUDY: dict[str, Any] = {
    "workloads": [{"synthetic": "azure2020", "seed": seed, "scale": 0.001} for seed in (1, 2, 3)],
    "host": {"vcpus": HOST[0], "memory_mb": HOST[1]},
    "headroom_percent": [2],
    "vm": ["UTIL", "COS"],
    "spot": ["sDPD"],
    "evictor": ["FIFO"],
    "saf": [False, True],
    "otn": [1, 4],
}
PLAIN = {"vm": "COS", "spot": "sDPD", "evictor": "FIFO", "saf": False, "otn": 1}


class Spread(cospot.Weigher):
    """The fewer VMs a host holds, the better: needs more hosts than any policy that packs."""

    def weigh_host(self, host: cospot.HostRow, request: cospot.Request) -> float:
        return -float(host.num_vms)


def test_difference_and_interval_are_of_runs_on_the_same_hosts() -> None:
    result = cospot.compare_policies({"saf": True}, PLAIN, study=STUDY)
    differences = []
    for seed in (1, 2, 3):
        workload = cospot.Workload.generate(scale=0.001, seed=seed)
        # The fewest hosts over the study's VM policies, and 2 % more.
        fewest = min(cospot.size(workload, vm=vm, host=HOST).hosts for vm in ("UTIL", "COS"))
        hosts = fewest + math.floor(fewest * 0.02 + 0.5)
        shares = []
        for saf in (True, False):
            run = cospot.simulate(
                workload, hosts=hosts, host=HOST, vm="COS", spot="sDPD", evictor="FIFO", saf=saf
            )
            shares.append(run.spot_revenue / run.spot_revenue_requested)
        differences.append(shares[0] - shares[1])
    row = result.table.loc["2 %"]
    assert row["difference"] == pytest.approx(statistics.mean(differences))
    # Student's t, 2 degrees of freedom, 97.5 %: 4.3027.
    half = 4.302653 * statistics.stdev(differences) / math.sqrt(3)
    assert row["low"] == pytest.approx(statistics.mean(differences) - half, rel=1e-6)
    assert row["high"] == pytest.approx(statistics.mean(differences) + half, rel=1e-6)
    assert row["workloads"] == 3
    hosts_of = result.runs.pivot(index="workload", columns="whose", values="hosts")
    assert (hosts_of["mine"] == hosts_of["against"]).all()


def test_objects_and_arrays_are_the_same_study() -> None:
    objects = {
        **STUDY,
        "workloads": [cospot.Workload.generate(scale=0.001, seed=seed) for seed in (1, 2, 3)],
        "headroom_percent": np.array([2.0]),
        "vm": np.array(["UTIL", "COS"]),
        "otn": range(1, 5, 3),
    }
    listed = cospot.compare_policies({"otn": 1}, study=STUDY)
    found = cospot.compare_policies({"otn": np.int64(1)}, study=objects)
    assert found.table.equals(listed.table)
    assert found.against.astype(str).equals(listed.against.astype(str))


def test_a_policy_that_only_spreads_vms_is_not_called_better() -> None:
    # On hosts of its own it would earn more than any: it needs more of them.
    table = cospot.compare_policies({"vm": Spread()}, study=STUDY).table
    assert table["mine"].iloc[0] > table["against"].iloc[0]
    assert table["verdict"].tolist() == ["loses VMs"]


def test_equal_settings_differ_by_nothing() -> None:
    # Util in Python is UTIL (tests/python/sample_policies.py).
    study = {**STUDY, "vm": "UTIL", "saf": False, "otn": 1, "hosts": [80]}
    del study["headroom_percent"]
    row = cospot.compare_policies({"vm": Util}, study=study).table.loc["80 hosts"]
    assert (row["difference"], row["low"], row["high"]) == (0, 0, 0)
    assert row["verdict"] == "not significant"


def test_it_is_shown_as_its_two_tables() -> None:
    study = {**STUDY, "vm": "UTIL", "saf": False, "otn": 1, "hosts": [80]}
    del study["headroom_percent"]
    found = cospot.compare_policies({"vm": Util}, study=study)
    for shown in (repr(found), found._repr_html_()):
        assert "not significant" in shown and "against" in shown and "sDPD" in shown
        assert "PolicyComparison(" not in shown


def test_one_workload_has_no_interval() -> None:
    study = {**STUDY, "workloads": STUDY["workloads"][:1]}
    row = cospot.compare_policies({"otn": 4}, PLAIN, study=study).table.loc["2 %"]
    assert math.isnan(row["low"]) and math.isnan(row["high"])
    assert row["verdict"] == "one workload: no interval"


@pytest.mark.parametrize(
    ("mine", "against", "changes", "message"),
    [
        ({"vms": "COS"}, "best", {}, "mine: unknown key 'vms'; valid names: vm, spot"),
        ({}, "best", {}, "mine: found nothing, expected some of vm"),
        ({"vm": ["COS", "UTIL"]}, "best", {}, "mine.vm: found 2 values, expected one"),
        ({"vm": "COS"}, "worst", {}, "against: found 'worst', expected 'best' or a dict"),
        ({"vm": "COS"}, {"vm": "COS"}, {}, "against: missing key 'spot'"),
        ({"vm": "COS"}, "best", {"headroom_of": "each_policy"}, "compared on equal hosts"),
    ],
)
def test_refuses(mine: Any, against: Any, changes: Any, message: str) -> None:
    with pytest.raises(cospot.ConfigError, match=message):
        cospot.compare_policies(mine, against, study={**STUDY, **changes})


def test_mean_interval_by_hand() -> None:
    # Mean 3, standard deviation sqrt(((-1)^2 + 1^2) / 1) = sqrt(2), t(1) = 12.7062:
    # 12.7062 * sqrt(2) / sqrt(2).
    mean, half = cospot._core.mean_interval([2.0, 4.0])
    assert (mean, half) == (3.0, pytest.approx(12.7062, abs=1e-4))
    assert cospot._core.mean_interval([5.0]) == (5.0, None)
