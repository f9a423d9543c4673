"""The study schedulers: its frames, and one scheduler without delays against the study compare."""

from __future__ import annotations

import sys
from pathlib import Path

import cospot
import pytest
from programs import printed_by

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "schedulers.yaml"

PROVIDER = """
workloads: [{synthetic: azure2020, seed: 1, scale: 0.002}]
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [0, 5]
vm: [UTIL, COS]
spot: vmaDPD
evictor: [FIFO, LPO]
saf: [false, true]
otn: [1, 8]
"""
SCHEDULERS = """
study: schedulers
schedulers: [1, 8]
refresh_interval_s: 0
decision_ms: [0, 20]
commit_rule: [generation, capacity]
"""
AXES = ["workload", "headroom_percent", "vm", "spot", "evictor", "saf", "otn"]
SAME = ["hosts", "vm_requests", "vm_rejected", "evictions", "vm_revenue", "spot_revenue"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schedulers")
    (folder / "study.yaml").write_text(SCHEDULERS + PROVIDER)
    cospot.sweep(folder / "study.yaml", db=folder / "study.db")
    (folder / "compare.yaml").write_text(PROVIDER)
    cospot.sweep(folder / "compare.yaml", db=folder / "compare.db")
    return folder


def test_one_scheduler_without_delays_is_what_compare_simulates(results: Path) -> None:
    runs = cospot.load_results(results / "study.db").runs
    expected = cospot.load_results(results / "compare.db").runs.set_index(AXES)
    assert len(expected) == 32
    one = runs[(runs["schedulers"] == 1) & (runs["decision_ms"] == 0)]
    assert len(one) == 2 * len(expected)  # by generation and by capacity
    for _, rows in one.groupby("commit_rule"):
        same = rows.set_index(AXES)
        for column in SAME:
            assert (same[column] == expected[column]).all(), column
        assert (same["spot_placed"] == expected["spot_admitted"]).all()


def test_every_request_and_all_revenue_is_accounted_for(results: Path) -> None:
    runs = cospot.load_results(results / "study.db").runs
    for kind in ("vm", "spot"):
        ends = ("placed", "rejected", "rejected_on_stale_view", "lost_to_conflicts", "withdrawn")
        assert (sum(runs[f"{kind}_{end}"] for end in ends) == runs[f"{kind}_requests"]).all()
        assert (runs[f"{kind}_commits"] == runs[f"{kind}_placed"] + runs[f"{kind}_conflicts"]).all()
        rate = runs[f"{kind}_conflicts"] / runs[f"{kind}_commits"]
        assert (runs[f"{kind}_conflict_rate"] - rate).abs().max() < 1e-12
    assert (runs["evictions_needless"] == 0).all()
    loss = 1 - runs["vm_revenue"].astype(float) / runs["vm_revenue_requested"].astype(float)
    assert (runs["vm_loss"] - loss).abs().max() < 1e-9
    assert (runs["vm_loss_to_schedulers"] <= runs["vm_loss"] + 1e-9).all()


def test_conflicts_come_with_schedulers_that_take_time(results: Path) -> None:
    runs = cospot.load_results(results / "study.db").runs
    conflicts = runs["vm_conflicts"] + runs["spot_conflicts"]
    concurrent = (runs["schedulers"] == 8) & (runs["decision_ms"] == 20)
    assert (conflicts[runs["decision_ms"] == 0] == 0).all()  # on fresh views, one at a time
    strict = runs["commit_rule"] == "generation"
    assert (conflicts[concurrent & strict] > 100).all()
    # What has room is accepted: far fewer conflicts.
    assert conflicts[concurrent & ~strict].mean() < conflicts[concurrent & strict].mean() / 2


def test_the_example_on_a_small_part_of_the_zone(tmp_path: Path) -> None:
    small = "workloads={synthetic: azure2020, seed: 1, scale: 0.002}"
    words = [sys.executable, "-m", "cospot", "compare", EXAMPLE, "--set", small]
    printed = printed_by(*words, "--set", "schedulers=[1, 4]", "--db", tmp_path / "runs.db")
    assert "schedulers  refresh_interval_s  commit_rule  runs  VM conflicts" in printed
    runs = cospot.load_results(tmp_path / "runs.db").runs
    assert len(runs) == 16
    loss = runs.groupby("schedulers")["vm_loss_to_schedulers"].mean()
    assert loss[4] > loss[1]
