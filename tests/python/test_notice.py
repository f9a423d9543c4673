"""The study notice from Python: keys of a dict, and its frames."""

from __future__ import annotations

from pathlib import Path

import cospot
import pytest

PROVIDER = {
    "workloads": [{"synthetic": "azure2020", "seed": 1, "scale": 0.002}],
    "host": {"vcpus": 10400, "memory_mb": 2250},
    "headroom_percent": [0],
    "vm": "COS",
    "spot": "vmaDPD",
    "evictor": "FIFO",
    "saf": True,
    "otn": 8,
}
SAME = ["hosts", "vm_rejected", "evictions", "vm_revenue", "spot_revenue"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> cospot.Results:
    database = tmp_path_factory.mktemp("notice") / "notice.db"
    keys = {"reserve": ["none", "400:56:20"], "notice_s": [0, 120, 1800]}
    cospot.compare({"study": "notice"} | PROVIDER | keys, db=database)
    return cospot.load_results(database)


def test_without_a_reserve_it_is_what_compare_simulates(
    results: cospot.Results, tmp_path: Path
) -> None:
    cospot.compare(PROVIDER, db=tmp_path / "compare.db")
    expected = cospot.load_results(tmp_path / "compare.db").runs.iloc[0]
    runs = results.runs
    without = runs[runs["reserve"] == "none"]
    assert len(without) == 3  # whatever notice_s is
    for column in SAME:
        assert (without[column] == expected[column]).all(), column
    assert (without["evictions_without_notice"] == without["evictions"]).all()
    assert (without["notice_mean_s"] == 0).all()
    assert (without["spot_revenue_by_reserve"] == 0).all()


def test_every_eviction_had_full_notice_a_short_one_or_none(results: cospot.Results) -> None:
    runs = results.runs
    kinds = [f"evictions_with{kind}_notice" for kind in ("_full", "_short", "out")]
    assert (runs[kinds].sum(axis=1) == runs["evictions"]).all()
    with_reserve = runs[runs["reserve"] != "none"].set_index("notice_s")
    # Without a notice spots leave the reserve at once.
    assert with_reserve.loc[0, "evictions_for_reserve"] > 0
    assert with_reserve.loc[0, "any_notice_share"] == 0
    for notice in (120, 1800):
        run = with_reserve.loc[notice]
        assert run["evictions_with_full_notice"] == run["evictions_for_reserve"] > 0
        assert run["full_notice_share"] == pytest.approx(
            run["evictions_with_full_notice"] / run["evictions"]
        )
        assert 0 < run["notice_mean_s"] < notice
        assert run["notice_p90_s"] <= notice


def test_a_reserve_is_written_as_an_option_of_the_evictor(tmp_path: Path) -> None:
    study = {"study": "notice"} | PROVIDER
    cospot.compare(study | {"reserve": "400:56"}, db=tmp_path / "one.db")  # count is 1 in Nova too
    (run,) = cospot.load_results(tmp_path / "one.db").runs.to_dict("records")
    assert run["reserve"] == "400:56:1"
    assert run["notice_s"] == 120  # the default of notice_seconds
    with pytest.raises(cospot.ConfigError, match="reserve: found '10401:1:1', a VM larger than"):
        cospot.compare(study | {"reserve": "10401:1"}, db=tmp_path / "two.db")
    with pytest.raises(cospot.ConfigError, match="reserve"):
        cospot.compare({"study": "notice"} | PROVIDER, db=tmp_path / "two.db")
