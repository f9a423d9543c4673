"""cospot.load_results: types, computed columns, agreement with ``cospot summary``, bad files."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

import cospot
import pandas as pd
from cospot.errors import ConfigError, WorkloadError, WorkloadWarning
from cospot.results import COMBINATION
from made_results import FOUR_RUNS, make_database
from programs import printed_by

SWEEP = """\
workloads:
  - {synthetic: azure2020, seed: 3, scale: 0.001}
  - {synthetic: azure2020, seed: 4, scale: 0.001}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [0, 2.5]
vm: [UTIL, DPD]
spot: [vmaDPD, sDPD]
evictor: [LPO, FIFO]
saf: [false, true]
otn: [1, 4]
"""


def command(*arguments: str) -> str:
    return printed_by(sys.executable, "-m", "cospot", *arguments)


@pytest.fixture(scope="module")
def small_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    (folder / "sweep.yaml").write_text(SWEEP)
    command("compare", str(folder / "sweep.yaml"), "--db", str(folder / "r.db"), "-q")
    return folder / "r.db"


def test_the_computed_columns_come_from_arithmetic(tmp_path: Path) -> None:
    runs = cospot.load_results(make_database(tmp_path / "r.db", FOUR_RUNS)).runs
    # 100/100 - 1, 120/100 - 1, 150/100 - 1, 180/100 - 1
    assert runs["gain"].tolist() == pytest.approx([0.0, 0.2, 0.5, 0.8], abs=1e-15)
    # of 1000 requested: 0, 0, 1 and 2 lost
    assert runs["vm_loss"].tolist() == [0.0, 0.0, 0.001, 0.002]
    # of 500 requested
    assert runs["spot_share"].tolist() == [0.2, 0.24, 0.3, 0.36]
    assert runs["without_vm_loss"].tolist() == [True, True, False, False]
    assert runs["is_baseline"].tolist() == [True, False, False, False]


def test_a_loss_far_below_the_revenue_is_exact(tmp_path: Path) -> None:
    # 2^63 vcpu-microseconds are passed, and the difference of the two doubles would be 0.
    exact = "12345678901234.000001"
    requested = float(exact)
    run = {"vm_revenue_requested_exact": exact, "vm_earned": "12345678901234"}
    run |= {"vm_revenue_requested": requested}
    runs = cospot.load_results(make_database(tmp_path / "r.db", [run])).runs
    assert runs["vm_loss"].item() == 1e-6 / requested


def test_without_a_baseline_there_is_no_gain(tmp_path: Path) -> None:
    runs = [
        {"evictor": "LPO", "saf": 1, "revenue": 10},  # no LPO run with OTN 1 and SAF off
        {"evictor": "FIFO", "revenue": 0},  # a baseline that earned nothing
        {"evictor": "FIFO", "otn": 2, "revenue": 10},
    ]
    with pytest.warns(cospot.ResultsWarning):
        frame = cospot.load_results(make_database(tmp_path / "r.db", runs, run_count=24)).runs
    assert frame["gain"].isna().all()


def test_sizes_and_workloads_have_baselines_of_their_own(tmp_path: Path) -> None:
    runs = [
        {"workload": workload, "hosts": hosts, "headroom_percent": None, "otn": otn, "revenue": x}
        for workload, hosts, otn, x in [
            ("b", 10, 1, 100), ("b", 10, 2, 200), ("b", 20, 1, 50), ("b", 20, 2, 200),
            ("a", 10, 1, 400), ("a", 10, 2, 200),
        ]
    ]  # fmt: skip
    database = make_database(
        tmp_path / "r.db", runs, sizes=[{"hosts": 20}, {"hosts": 10}], workloads=["b", "a"]
    )
    frame = cospot.load_results(database).runs
    assert frame["gain"].tolist() == [0.0, 1.0, 0.0, 3.0, 0.0, -0.5]
    # Categories keep the order of the sweep.
    assert frame["size"].cat.categories.tolist() == ["20 hosts", "10 hosts"]
    assert frame["size"].tolist() == ["10 hosts"] * 2 + ["20 hosts"] * 2 + ["10 hosts"] * 2
    assert frame["workload"].cat.categories.tolist() == ["b", "a"]
    assert frame["headroom_percent"].isna().all()


def test_nothing_requested_is_no_share(tmp_path: Path) -> None:
    nothing = {"vm_revenue_requested_exact": "0", "spot_revenue_requested_exact": "0"}
    run: dict[str, Any] = {**nothing, "vm_earned": 0, "revenue": 0}
    runs = cospot.load_results(make_database(tmp_path / "r.db", [run])).runs
    assert math.isnan(runs["vm_loss"].item())
    assert math.isnan(runs["spot_share"].item())


def test_vms_larger_than_a_host_are_no_loss(tmp_path: Path) -> None:
    run = {"vm_rejected": 2, "vm_too_large": 2, "vm_earned": 900}
    runs = cospot.load_results(make_database(tmp_path / "r.db", [run])).runs
    assert runs["without_vm_loss"].item()
    assert runs["vm_loss"].item() == 0.1


def test_types_are_documented_ones(small_database: Path) -> None:
    results = cospot.load_results(small_database)
    assert results.runs.index.name == "run_index"
    assert results.runs.index.tolist() == list(range(2 * 2 * 2 * 2 * 2 * 2 * 2))
    types = {name: str(dtype) for name, dtype in results.runs.dtypes.items()}
    for name in ("workload", "size", "vm", "spot", "evictor"):
        assert types.pop(name) == "category"
    flags = ("saf", "without_vm_loss", "is_baseline", "has_baseline", "needs_true_lifetimes")
    for name in flags:
        assert types.pop(name) == "bool"
    fractions = ["gain", "vm_loss", "spot_share", "spot_share_first_hour_free"]
    fractions += ["first_hour_free_loss", "first_hour_free_loss_of_requested"]
    revenues = ["vm_revenue", "vm_revenue_requested", "spot_revenue", "spot_revenue_requested"]
    others = ["spot_revenue_first_hour_free", "spot_revenue_per_host", "spot_vcpu_hours_per_host"]
    others += ["headroom_percent", "wall_ms"]
    for name in [*fractions, *revenues, *others]:
        assert types.pop(name) == "float64"
    assert set(types.values()) == {"int64"}
    assert (results.run_count, results.missing) == (128, 0)
    assert results.runs["vm"].cat.categories.tolist() == ["UTIL", "DPD"]
    assert results.runs["spot"].cat.categories.tolist() == ["vmaDPD", "sDPD"]
    assert results.runs["size"].cat.categories.tolist() == ["0 %", "2.5 %"]
    assert results.workloads["workload"].tolist() == [
        "azure2020 seed=3 scale=0.001", "azure2020 seed=4 scale=0.001"
    ]  # fmt: skip
    last = results.configuration(127)
    assert (last["otn"], last["saf"], last["vm"]) == (4, True, "DPD")
    with pytest.raises(cospot.ConfigError, match="no run 128; it has 128 of the 128 runs 0 to 127"):
        results.configuration(128)


def percent(text: str) -> float:
    return float(text.replace("%", "").strip())


def test_gain_equals_what_the_summary_prints(small_database: Path) -> None:
    runs = cospot.load_results(small_database).runs
    text = command("summary", str(small_database))

    def numbers(pattern: str) -> list[float]:
        found = re.search(pattern, text)
        assert found is not None, text
        return [percent(group) for group in found.groups()]

    def printed(gains: pd.Series[float], digits: int = 2) -> list[float]:
        return [round(100 * gains.mean(), digits), round(100 * gains.max(), digits)]

    two = r" +(\S+%) +(\S+%)"
    assert numbers(r"\ngain +128" + two) == printed(runs["gain"])
    quiet = runs[runs["without_vm_loss"]]
    assert numbers(f"gain of runs that reject no VM +{len(quiet)}" + two) == printed(quiet["gain"])
    assert numbers(r"VM revenue lost +128" + two) == printed(runs["vm_loss"], 4)
    for (saf, otn), gains in runs.groupby(["saf", "otn"])["gain"]:
        label = "on" if saf else "off"
        assert numbers(rf"\n{label} +{otn} +(\S+%)") == [round(100 * gains.mean(), 2)]


def test_the_best_to_set_and_the_bound_are_those_of_the_summary(small_database: Path) -> None:
    runs = cospot.load_results(small_database).runs
    best = cospot.best_without_vm_loss(runs).loc["2.5 %"]
    saf = "on" if best["saf"] else "off"
    share, gain = 100 * best["spot_share"], 100 * best["gain"]
    assert best["evictor"] == "FIFO"
    text = command("summary", str(small_database)).splitlines()
    (place,) = [i for i, row in enumerate(text) if row.startswith("2.5%")]
    key = [best[name] for name in cospot.results.COMBINATION]
    of_best = runs[(runs[list(cospot.results.COMBINATION)] == key).all(axis="columns")]
    of_best = of_best[of_best["size"] == "2.5 %"]
    per_host = (of_best["spot_revenue"] / 3600 / of_best["hosts"]).mean()
    # The means stand before their intervals, "+/- 3.2" or, where they are cut, "(0.0 to 241.9)".
    shown = re.sub(r" \+/- [\d,.]+| \([\d.,]+ to [\d.,]+%?\)", "", " ".join(text[place].split()))
    assert shown == (
        f"2.5% {best['vm']} {best['spot']} {best['evictor']} {saf} {best['otn']} "
        f"{of_best['hosts'].mean():g} {share:.2f}% {per_host:,.0f} {gain:+.2f}% "
        f"{best['evictions']:.1f}"
    )
    (bound,) = [row.split() for row in text[place + 1 : place + 3] if "knows lifetimes" in row]
    assert f"{100 * best['upper_bound']:.2f}" in bound[bound.index("lifetimes") + 1 :] or (
        f"{100 * best['upper_bound']:.2f}%" in bound
    )
    # Neither is what the runs without VM loss of another evictor earn.
    averages = cospot.average_over_workloads(runs)
    quiet = averages[averages["without_vm_loss"] & (averages["size"] == "2.5 %")]
    by_evictor = quiet.groupby("evictor", observed=True)["spot_share"].max()
    assert best["spot_share"] == by_evictor["FIFO"]
    assert best["upper_bound"] == by_evictor["LPO"]


def test_an_unfinished_database_is_read(tmp_path: Path) -> None:
    with pytest.warns(cospot.ResultsWarning, match="8 of the study's 12 runs are missing"):
        results = cospot.load_results(make_database(tmp_path / "r.db", FOUR_RUNS, run_count=12))
    assert (len(results.runs), results.run_count, results.missing) == (4, 12, 8)


def test_bad_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("run,gain\n" * 100)
    (tmp_path / "empty.db").touch()
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE run (x)").connection.close()
    make_database(tmp_path / "newer.db", FOUR_RUNS, version=9)
    make_database(tmp_path / "unstarted.db", [], run_count=12)
    broken = make_database(tmp_path / "broken.db", FOUR_RUNS)
    broken.write_bytes(broken.read_bytes()[:5000])
    for name, text in (
        ("none.db", "there is no such file"),
        ("", "is not a file"),
        ("text.db", "expected a results database"),
        ("empty.db", "is empty; expected a results database"),
        ("other.db", "of another program"),
        ("newer.db", "has results format 9; this cospot reads 4"),
        ("unstarted.db", "holds no run yet, of 12"),
        ("broken.db", "expected a results database"),
    ):
        with pytest.raises(cospot.DatabaseError, match=text) as caught:
            cospot.load_results(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)
    assert not (tmp_path / "none.db").exists()


def test_a_name_with_odd_characters_opens(tmp_path: Path) -> None:
    database = make_database(tmp_path / "50% of? #1.db", FOUR_RUNS)
    assert len(cospot.load_results(database).runs) == 4


def test_any_study_is_frames(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "study: degradation\nworkloads: {synthetic: azure2020, seed: 3, scale: 0.001}\n"
        "host: {vcpus: 10400, memory_mb: 2250}\nhosts: 2\nvm: [UTIL, DPD]\n"
        "host_subset_size: [1, 4]\nseed: [5, 6]\n"
    )
    database = cospot.sweep(tmp_path / "s.yaml", db=tmp_path / "r.db")
    results = cospot.load_results(database)
    assert results.study == "degradation"
    runs = results.runs
    assert len(runs) == 2 * 2 * 2
    assert runs["vm"].cat.categories.tolist() == ["UTIL", "DPD"]
    assert runs["size"].cat.categories.tolist() == ["2 hosts"]
    assert runs["host_subset_size"].tolist() == [1, 1, 4, 4] * 2
    assert runs["seed"].tolist() == [5, 6] * 4
    assert runs["hosts"].eq(2).all()
    # With N = 1 nothing is drawn: the seed plays no part.
    alone = runs[runs["host_subset_size"] == 1]
    assert alone.groupby("vm", observed=True)["vm_rejected"].nunique().eq(1).all()
    assert results.columns.loc["vm_revenue", "unit"] == "vcpu-seconds"
    assert results.configuration(3)["seed"] == 6
    unknown = "no view 'pareto_front'; .*'degradation' has none"
    with pytest.raises(cospot.ConfigError, match=unknown):
        results.view("pareto_front")


def test_views_are_what_the_frames_say(small_database: Path) -> None:
    results = cospot.load_results(small_database)
    to_set = results.runs[~results.runs["needs_true_lifetimes"]]
    keys = ["headroom_percent", *COMBINATION]
    mean = to_set.groupby(keys, observed=True)[["spot_share", "vm_loss"]].mean()
    expected = pd.concat(
        cospot.pareto_front(group) for _, group in mean.reset_index().groupby("headroom_percent")
    )
    front = results.view("pareto_front")
    assert len(front) == len(expected) > 0
    for column in ("spot_share", "vm_loss"):
        assert sorted(front[column]) == pytest.approx(sorted(expected[column]))


def one_host_of_8(workloads: list[str], **more: Any) -> dict[str, Any]:
    """Return a study that compares what the same policies do on one host."""
    policies = {"vm": "UTIL", "spot": "sUTIL", "evictor": "FIFO", "saf": False, "otn": [1, 2]}
    host = {"host": {"vcpus": 8, "memory_mb": 16}, "hosts": 1}
    return {"workloads": workloads, **host, **policies, **more}


def check_money(money: pd.DataFrame, **expected: list[float]) -> None:
    for name, values in expected.items():
        assert money[name].tolist() == pytest.approx(values), name


FLAVORS = "name,vcpus,memory_mb,on_demand,spot\ns,2,2,0.10,0.03\nl,4,4,0.15,0.05\n"
HEADER = "# window_days: 1\ninstance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\n"


def whole_and_half(folder: Path) -> list[str]:
    """Write a workload twice, the second time with vCPUs of half the size."""
    rows = (
        "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\n"
        "vm-1,a,vm,2,2,0,86400\nspot-1,b,spot,4,4,0,43200\nvm-2,a,vm,4,4,21600,86400\n"
    )
    (folder / "whole.csv").write_text("# window_days: 1\n" + rows)
    (folder / "half.csv").write_text("# window_days: 1\n# vcpus_unit: 0.5\n" + rows)
    return [str(folder / "whole.csv"), str(folder / "half.csv")]


def test_money_is_what_runs_are_worth_at_prices_of_a_vcpu_hour(tmp_path: Path) -> None:
    # As in tests/cli/price: VMs ask for 120 vCPU-hours; the spot for 48, of which it gets 24: then
    # vm-2 needs its room. One vcpu is half a vCPU in the second file.
    with pytest.warns(WorkloadWarning):
        cospot.compare(one_host_of_8(whole_and_half(tmp_path)), db=tmp_path / "results.db")
    results = cospot.load_results(tmp_path / "results.db")
    check_money(
        results.money(on_demand=0.04, spot=0.012),
        vm_requested=[4.8, 4.8, 2.4, 2.4],
        vm_earned=[4.8, 4.8, 2.4, 2.4],
        vm_lost=[0, 0, 0, 0],
        spot_requested=[0.576, 0.576, 0.288, 0.288],
        spot_earned=[0.288, 0.288, 0.144, 0.144],
        # 0.288 of a day's window; a month is 365.25 / 12 days.
        net=[0.288, 0.288, 0.144, 0.144],
        net_per_month=[8.766, 8.766, 4.383, 4.383],
        # On one host there is nothing to cooperate about.
        more_than_without_cooperation=[0, 0, 0, 0],
    )
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"on_demand": 1, "spot": -1}, "spot is -1, expected a price of 0 or more"),
        ({"on_demand": 1, "spot": 2}, "spot is 2, expected at most on_demand, 1: are the two"),
        ({"on_demand": 1, "spot": "0.01"}, "spot is 0.01, expected a price of 0 or more"),
        ({"on_demand": 1}, "spot is missing, expected on_demand and spot, or flav"),
        ({}, "no prices are kept with the results"),
        ({"on_demand": float("nan"), "spot": 1}, "on_demand is nan, expected"),
    ]
    for prices, text in wrong:
        with pytest.raises(ConfigError, match=text):
            results.money(**prices)


def test_money_of_every_study_with_revenue_of_vms_and_spots(tmp_path: Path) -> None:
    # The workload of above: 120 vCPU-hours at 0.04 are 4.80, 24 of 48 at 0.012 are 0.288 of 0.576.
    # In the second file one vcpu is half a vCPU, in every study.
    workloads = whole_and_half(tmp_path)
    flavors = tmp_path / "flavors.csv"
    flavors.write_text(FLAVORS)
    provider = {
        "workloads": workloads,
        "host": {"vcpus": 8, "memory_mb": 16}, "hosts": 1, "vm": "UTIL",
    }  # fmt: skip
    policies = {"spot": "sUTIL", "evictor": "FIFO", "saf": False, "otn": [1]}
    studies: dict[str, dict[str, object]] = {
        "life": policies
        | {"disruptions": ["none", {"label": "less", "retries": {"patience_s": 60}}]},
        "schedulers": policies | {"schedulers": 1, "refresh_interval_s": 0, "decision_ms": 0},
        "degradation": {"host_subset_size": [1]},
        "levels": policies
        | {"economy": "UTIL", "economy_percent": 0, "promise": "unlimited", "window_days": 10}
        | {"forecaster": "minimum", "training_days": 3, "horizon_days": 1},
    }
    for study, own in studies.items():
        database = tmp_path / f"{study}.db"
        with pytest.warns(WorkloadWarning):
            cospot.compare({"study": study} | provider | own, db=database)
        results = cospot.load_results(database)
        money = results.money(on_demand=0.04, spot=0.012)
        by_flavor = results.money(flavors=flavors)
        for workload, of_it in money.groupby(results.runs["workload"].astype(str)):
            unit = 0.5 if "half" in str(workload) else 1
            assert of_it["vm_requested"].tolist() == pytest.approx([4.8 * unit] * len(of_it)), study
            assert of_it["vm_earned"].tolist() == pytest.approx([4.8 * unit] * len(of_it)), study
            assert of_it["vm_lost"].tolist() == pytest.approx([0] * len(of_it)), study
            # By flavor 24 x 0.10 + 18 x 0.15, whatever a vcpu is called.
            priced = by_flavor.loc[of_it.index]
            assert priced["vm_requested"].tolist() == pytest.approx([5.1] * len(of_it)), study
            if study == "degradation":
                assert "spot_earned" not in money
                continue
            requested, earned = of_it["spot_requested"], of_it["spot_earned"]
            assert requested.tolist() == pytest.approx([0.576 * unit] * len(of_it)), study
            assert earned.tolist() == pytest.approx([0.288 * unit] * len(of_it)), study
        # What the command line says is the same.
        printed = json.loads(
            command("summary", str(database), "--json",
                    "--price", "on-demand=0.04", "--price", "spot=0.012")
        )["money"]  # fmt: skip
        assert not printed["relative_units"]
        assert sum(one["runs"] for one in printed["combinations"]) == len(results.runs)
        for one in printed["combinations"]:
            # Of the two workloads, 1 and 0.5.
            assert one["vm_requested"]["mean"] == pytest.approx(4.8 * 0.75)


def test_money_of_a_study_without_revenue_is_refused(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("submission_s,duration_s\n0,3600\n86400,3600\n")
    study = {
        "study": "classes", "trace": str(tmp_path / "jobs.csv"), "classes": 1, "partition": "equal",
    }  # fmt: skip
    cospot.compare(study, db=tmp_path / "classes.db")
    expected = "the study classes takes no prices; expected one that does: compare, degradation, "
    with pytest.raises(ConfigError, match=expected + "levels, sla, life, schedulers, notice$"):
        cospot.load_results(tmp_path / "classes.db").money(on_demand=1, spot=1)


def test_money_by_flavor_is_that_of_the_command_line(tmp_path: Path) -> None:
    # As in tests/cli/price, each workload at its own mean. In the first vm-1 asks for 48 vCPU-hours
    # at 0.05 and vm-2 for 72 at 0.0375: 5.10; the spot for 48 at 0.0125: 0.60, and gets 24. In the
    # second, without vm-1, one vcpu is half a vCPU; prices are by flavor, so that it is 2.70 and
    # 0.60 all the same.
    rows = "vm-1,a,vm,2,2,0,86400\nspot-1,b,spot,4,4,0,43200\nvm-2,a,vm,4,4,21600,86400\n"
    (tmp_path / "both.csv").write_text(HEADER + rows)
    one = HEADER.replace("\n", "\n# vcpus_unit: 0.5\n", 1) + rows.split("\n", 1)[1]
    (tmp_path / "one.csv").write_text(one)
    flavors = tmp_path / "flavors.csv"
    flavors.write_text(FLAVORS)
    database = tmp_path / "results.db"
    workloads = [str(tmp_path / "both.csv"), str(tmp_path / "one.csv")]
    with pytest.warns(WorkloadWarning):
        cospot.compare(one_host_of_8(workloads), db=database)
    results = cospot.load_results(database)
    money = results.money(flavors=flavors)
    spots = {"spot_requested": [0.6, 0.6, 0.6, 0.6], "spot_earned": [0.3, 0.3, 0.6, 0.6]}
    check_money(money, vm_requested=[5.1, 5.1, 2.7, 2.7], **spots)

    printed = json.loads(command("summary", str(database), "--json", "--price", str(flavors)))
    summary = printed["money"]
    assert summary["vms_requested"] == pytest.approx(money["vm_requested"].mean())
    assert summary["vms_lost_mean"] == pytest.approx(money["vm_lost"].mean())
    assert summary["vms_lost_max"] == pytest.approx(money["vm_lost"].max())
    (best,) = (one for one in summary["best_without_vm_loss"] if not one["upper_bound"])
    (otn,) = results.view("best_without_vm_loss")["otn"]
    of_best = money[results.runs["otn"] == otn].mean()
    assert best["spots_earned"]["mean"] == pytest.approx(of_best["spot_earned"])
    assert best["spots_requested"]["mean"] == pytest.approx(of_best["spot_requested"])
    # On one host the best without cooperation earns as much.
    assert best["more_per_month_than_without_cooperation"]["mean"] == pytest.approx(0)


def test_money_of_the_best_is_compared_with_the_best_without_cooperation(tmp_path: Path) -> None:
    # Two hosts of 8. vm-1 takes 2 of the first. sUTIL puts the spot beside it, where vm-2, which
    # asks for 6 after 6 hours, evicts it: 4 x 6 = 24 of 48 vCPU-hours. With SAF on, vm-2 goes to
    # the second host; with vmaUTIL the spot does, and lives without cooperation as well. So the
    # best (sUTIL, SAF on, the first of those with 48) earns 0.30 more than the same policies
    # without cooperation, but nothing more than the best without cooperation.
    rows = "vm-1,a,vm,2,2,-1,86400\nspot-1,b,spot,4,4,0,43200\nvm-2,a,vm,6,6,21600,86400\n"
    (tmp_path / "w.csv").write_text(HEADER + rows)
    study = one_host_of_8([str(tmp_path / "w.csv")], hosts=2, saf=[False, True], otn=1)
    prices = ("--price", "on-demand=0.04", "--price", "spot=0.0125")
    for spots, more in (("[sUTIL, vmaUTIL]", 0.0), ("sUTIL", 0.30 * 365.25 / 12)):
        database = tmp_path / "results.db"
        cospot.compare(study, db=database, force=True, overrides=[f"spot={spots}"])
        printed = json.loads(command("summary", str(database), "--json", *prices))
        (best,) = printed["money"]["best_without_vm_loss"]
        assert best["spots_earned"]["mean"] == pytest.approx(0.60)
        found = best["more_per_month_than_without_cooperation"]["mean"]
        assert found == pytest.approx(more)


def test_money_by_flavor_needs_the_workload_and_a_price_for_all_its_flavors(tmp_path: Path) -> None:
    workload = tmp_path / "requests.csv"
    header = "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\n"
    workload.write_text(header + "a,t,vm,2,2,-1,86400\nb,t,spot,4,4,0,86400\n")
    flavors = tmp_path / "flavors.csv"
    flavors.write_text("vcpus,memory_mb,on_demand,spot\n2,2,1,1\n")
    cospot.compare(one_host_of_8([str(workload)], otn=1), db=tmp_path / "results.db")
    results = cospot.load_results(tmp_path / "results.db")
    with pytest.raises(ConfigError, match="flavors excludes on_demand and spot"):
        results.money(on_demand=1, spot=1, flavors=flavors)
    with pytest.raises(ConfigError, match=r"no price for 1 of the .* vcpus,memory_mb: 4,4$"):
        results.money(flavors=flavors)
    flavors.write_text("vcpus,memory_mb,spot\n2,2,1\n")
    with pytest.raises(WorkloadError, match="the column 'on_demand' is missing"):
        results.money(flavors=flavors)
    flavors.write_text("vcpus,memory_mb,on_demand,spot\n2,2,1,1\n4,4,1,1\n")
    assert results.money(flavors=flavors)["vm_requested"].tolist() == pytest.approx([24])
    workload.unlink()
    with pytest.raises(ConfigError, match="need the requests of the workload .*, which is not in"):
        results.money(flavors=flavors)


def test_the_timeline_adds_up_to_the_runs(tmp_path: Path) -> None:
    study = {
        "workloads": {"synthetic": "azure2020", "seed": 3, "scale": 0.001},
        "host": {"vcpus": 10400, "memory_mb": 2250}, "headroom_percent": 0, "vm": "UTIL",
        "spot": "sDPD", "evictor": "FIFO", "saf": [False, True], "otn": [1, 4],
    }  # fmt: skip
    cospot.compare(study, db=tmp_path / "r.db", timeline=True, progress=False)
    results = cospot.load_results(tmp_path / "r.db")
    days = results.timeline()
    assert days.index.names == ["run_index", "day"]
    assert days.index.tolist() == [(run, day) for run in range(4) for day in range(14)]
    floats = dict.fromkeys(
        ("hosts_in_use", "vms", "spots", "vm_revenue", "spot_revenue"), "float64"
    )
    types = {name: str(dtype) for name, dtype in days.dtypes.items()}
    assert types == floats | {"evictions": "int64"}
    sums = days.groupby("run_index").sum()
    for revenue in ("vm_revenue", "spot_revenue"):
        assert sums[revenue].tolist() == pytest.approx(results.runs[revenue].tolist())
    assert (sums["evictions"] <= results.runs["evictions"]).all()
    assert (days["hosts_in_use"].groupby("run_index").max() <= results.runs["hosts"]).all()
    # What it says of itself is no column of a run.
    assert results.columns.loc["timeline.vms", "unit"] == "VMs"
    assert "timeline.vms" not in results.runs


def test_without_a_timeline_it_says_how_to_keep_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"keep no timeline.*timeline=True"):
        cospot.load_results(make_database(tmp_path / "r.db", FOUR_RUNS)).timeline()
    study = {"study": "deadline", "trace": {"synthetic": "bursty", "seed": 1, "days": 20}}
    other = "not of a provider's datacenter; expected one of: compare"
    with pytest.raises(ConfigError, match=other):
        cospot.compare(study, db=tmp_path / "d.db", timeline=True, progress=False)
