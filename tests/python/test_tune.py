"""``cospot.tune``: the recommendation of ``cospot tune``, as values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot.errors import InputError
from cospot.from_json import from_json
from cospot.interval import Interval
from cospot.provider.tuning import Expected
from programs import printed_by

HOST = (10400, 2250)
WORKLOADS = [f"azure2020:seed={seed}:scale=0.0005" for seed in (1, 2, 3)]
CANDIDATES: dict[str, Any] = {
    "vm": ["UTIL", "COS"], "spot": ["sUTIL"], "evictor": ["FIFO"], "otn": [1, 4, "epsilon-0.2"],
}  # fmt: skip


@pytest.fixture(scope="module")
def found() -> cospot.Tuning:
    return cospot.tune(WORKLOADS, host=HOST, headroom_percent=1, **CANDIDATES)


def tune_prints(program: Path, *more: str) -> str:
    words = ["--host", "10400,2250", "--headroom-percent", "1", "-q"]
    for name, values in CANDIDATES.items():
        words += [f"--{name}", ",".join(map(str, values))]
    return printed_by(program, "tune", *WORKLOADS, *words, *more)


def test_it_is_what_the_command_finds(found: cospot.Tuning, program: Path) -> None:
    told = json.loads(tune_prints(program, "--json"))
    for name in ("recommendation", "recommendation_for_nova", "found", "without_cooperation"):
        setting = getattr(found, name)
        for key in ("vm", "spot", "evictor", "saf", "otn"):
            assert getattr(setting, key) == told[name][key]
        assert setting.training.spot_share == told[name]["training"]["spot_share"]
    assert (found.upper_bound, told["upper_bound"]) == (None, None)
    assert found.verdict.advice == told["verdict"]["advice"]
    assert found.verdict.gain.mean == told["verdict"]["net_gain"]
    assert found.runs == told["runs"]
    assert [fold.validation.vm_loss for fold in found.folds] == [
        fold["validation"]["vm_loss"] for fold in told["folds"]
    ]
    assert found.hosts == [sample["hosts"] for sample in told["samples"]]


def test_workloads_may_be_objects(found: cospot.Tuning, tmp_path: Path) -> None:
    made = [cospot.Workload.generate(scale=0.0005, seed=seed) for seed in (1, 2, 3)]
    again = cospot.tune(made, host=HOST, headroom_percent=1, **CANDIDATES)
    assert again.found == found.found
    assert again.verdict == found.verdict
    # Frames are all called "frame"; of one workload the parts are the samples.
    frames = [cospot.Workload.from_pandas(one.to_pandas()) for one in made[:2]]
    assert cospot.tune(frames, host=HOST, **CANDIDATES).verdict.samples == 2
    made[0].save(tmp_path / "w.csv")
    of_file = cospot.tune(tmp_path / "w.csv", host=HOST, parts=3, **CANDIDATES)
    of_object = cospot.tune(made[0], host=HOST, parts=3, **CANDIDATES)
    assert of_object.verdict == of_file.verdict
    assert of_object.hosts == of_file.hosts


def test_prices_say_what_cooperation_is_worth_in_a_month(program: Path) -> None:
    price = {"on_demand": 0.04, "spot": 0.012, "currency": "EUR"}
    tuned = cospot.tune(WORKLOADS, host=HOST, headroom_percent=1, price=price, **CANDIDATES)
    money = tuned.money
    assert money is not None and money.gain_per_month is not None
    assert tuned.verdict.most_lost == 0  # so that the gain is of spots alone
    # Each workload is judged by the fold that left it out, and all run for 14 days.
    gain, earned = money.gain_per_month, money.recommendation
    assert money.days == 3 * 14
    assert earned.net_per_month == pytest.approx(earned.net / 42 * 365.25 / 12)
    assert money.without_cooperation is not None
    # No VM is lost, so that the gain is worth acting on although its interval has 0 in it.
    assert tuned.verdict.advice == "cooperate"
    assert gain.low is not None and gain.low < 0
    alone = money.without_cooperation.net_per_month
    assert gain.mean == pytest.approx(earned.net_per_month - alone)
    assert money.next_month_gain is None  # workloads side by side have no next part
    assert f"cooperation worth {gain.mean:+,.2f} (" in repr(tuned)

    printed = tune_prints(program, "--price", "on-demand=0.04,spot=0.012,currency=EUR")
    assert "In money, cooperation was worth " in printed.split("Setting", 1)[0]
    with pytest.raises(cospot.ConfigError, match="vm_worth: price says what"):
        cospot.tune(WORKLOADS, host=HOST, price=price, vm_worth=3)


def test_money_is_what_compare_says_of_the_same_setting(tmp_path: Path, program: Path) -> None:
    # A fold judges each workload once, so that their sums are those of whole runs: workloads of
    # other sizes and windows, in which a mean of shares would be another number.
    large = cospot.Workload.generate(scale=0.001, seed=1)
    small = cospot.Workload.generate(scale=0.0003, seed=2, window_days=7)
    one: dict[str, Any] = {"vm": ["UTIL"], "spot": ["sUTIL"], "evictor": ["FIFO"], "otn": [1]}
    price = {"on_demand": 0.04, "spot": 0.012}
    money = cospot.tune([large, small], host=HOST, hosts=60, price=price, **one).money
    assert money is not None and money.without_cooperation is not None
    large.save(tmp_path / "large.csv")
    small.save(tmp_path / "small.csv")
    study = {"workloads": [str(tmp_path / "large.csv"), str(tmp_path / "small.csv")], **one}
    study.update(host={"vcpus": HOST[0], "memory_mb": HOST[1]}, hosts=60, saf=False)
    cospot.compare(study, db=tmp_path / "runs.db")
    runs = cospot.load_results(tmp_path / "runs.db").money(on_demand=0.04, spot=0.012)
    alone = money.without_cooperation
    assert alone.spots_earned == pytest.approx(runs["spot_earned"].sum())
    assert alone.vms_lost == pytest.approx(runs["vm_lost"].sum())
    assert alone.net_per_month == pytest.approx(runs["net"].sum() / (14 + 7) * 365.25 / 12)
    summary = ("summary", tmp_path / "runs.db", "--json", "--price", "on-demand=0.04,spot=0.012")
    best = json.loads(printed_by(program, *summary))["money"]["best_without_vm_loss"][0]
    assert best["net_per_month"]["mean"] == pytest.approx(alone.net_per_month)


def test_what_is_expected_is_of_the_folds(found: cospot.Tuning) -> None:
    # Every fold is one workload: what the search without it found, on it.
    assert found.expected.samples == len(found.folds) == 3
    shares = [fold.validation.spot_share for fold in found.folds if fold.validation]
    if found.recommendation == found.found:
        mean, half = cospot.mean_interval(shares)
        assert half is not None
        assert found.expected.spot_share.mean == pytest.approx(mean)
        assert found.expected.spot_share.low == pytest.approx(mean - half)


def test_the_bounds_of_a_share_are_shares() -> None:
    # Shares of 0.9, 1 and 1: the mean is 0.967, and half of Student's interval 4.303 * 0.0577 /
    # sqrt 3 = 0.143 reaches beyond what there is to earn.
    share = {"mean": 0.967, "half_width_95": 0.143}
    loss = {"mean": 0.001, "half_width_95": 0.003}
    told = {"samples": 3, "over_limit": 0, "spot_share": share, "vm_loss": loss}
    made = from_json(Expected, told)
    assert made.spot_share == Interval(0.967, pytest.approx(0.824), 1)
    assert made.vm_loss == Interval(0.001, 0, pytest.approx(0.004))


def test_a_policy_may_be_a_python_class() -> None:
    class Packed(cospot.Weigher):
        """As UTIL, but in Python: more used vcpus first."""

        def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
            used = hosts.vcpus_total - hosts.vcpus_free_ignoring_spots
            return used[candidates].astype(float)

    few: dict[str, Any] = {"spot": ["sUTIL"], "evictor": ["FIFO"], "otn": [1]}
    made = cospot.tune(WORKLOADS[:2], host=HOST, vm=[Packed], **few)
    same = cospot.tune(WORKLOADS[:2], host=HOST, vm="UTIL", **few)
    assert made.found.vm.startswith("python:")
    assert made.found.training == same.found.training
    assert made.hosts == same.hosts
    prices = {"on_demand": 4, "spot": 2}
    plan = cospot.plan(WORKLOADS[0], price=prices, host=HOST, parts=3, vm=[Packed], **few)
    assert plan.alternatives[2].from_now_on.vm in (made.found.vm, "Nova")


def test_the_table_has_every_complete_setting(found: cospot.Tuning) -> None:
    pytest.importorskip("pandas")
    table = found.table
    assert len(table) == len(found.settings) == 2 * 3 * 2
    assert set(table["otn"]) == {1, 4, "epsilon-0.2"}
    assert (table["training.samples"] == 3).all()


def test_the_runs_can_be_read(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    seen: list[tuple[int, int]] = []
    database = tmp_path / "tune.db"
    kept: dict[str, Any] = {"db": database, "progress": lambda *pair: seen.append(pair)}
    tuned = cospot.tune(WORKLOADS[:2], host=HOST, folds=1, **kept, **CANDIDATES)
    assert len(cospot.load_results(database).runs) == tuned.runs == seen[-1][0]
    assert tuned.folds == []
    with pytest.raises(InputError, match="already exists"):
        cospot.tune(WORKLOADS[:2], host=HOST, db=database)


def test_its_runs_are_those_of_a_cloud_whose_hosts_fail(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    failures = {"mtbf_days": 20, "repair_h": 24}
    disruptions = {"retries": {"patience_s": 3600}, "failures": failures}
    database = tmp_path / "tune.db"
    cospot.tune(
        WORKLOADS[:2], host=HOST, hosts=20, folds=1, max_vm_loss_percent=50,
        with_parts={"disruptions": disruptions}, db=database, **CANDIDATES,
    )  # fmt: skip
    runs = cospot.load_results(database).runs
    workload = cospot.Workload.generate("azure2020", seed=1, scale=0.0005)
    for saf, otn in ((False, 1), (True, 4)):
        one = cospot.simulate_life(
            workload, disruptions, hosts=20, host=HOST, vm="COS", spot="sUTIL", evictor="FIFO",
            saf=saf, otn=otn,
        )  # fmt: skip
        assert one["host_failures"] > 0
        keys = runs[["workload", "vm", "saf", "otn"]].astype(str)
        same = runs[(keys == [WORKLOADS[0], "COS", str(saf), str(otn)]).all(axis="columns")]
        assert same["spot_revenue"].tolist() == pytest.approx([one["spot_revenue"]])
        assert same["vm_rejected"].tolist() == [one["vm_rejected"]]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"vm": ["NOPE"]}, "NOPE"),
        ({"otn": [1, 1]}, "otn: 1 is given twice"),
        ({"weigher": ["UTIL"]}, "tune: there is no argument 'weigher'; valid names: workloads, h"),
        ({"budget": 5, "folds": 2}, "budget excludes folds"),
        ({"hosts": 5, "headroom_percent": 1}, "hosts excludes headroom_percent"),
        ({"parts": 1}, "parts"),
        ({"workloads": [cospot.Workload.generate(seed=1, scale=0.0005)] * 2}, "is given twice"),
        ({"max_vm_loss_percent": 101}, "max_vm_loss_percent is 101"),
        ({"evictor": ["LPO"]}, "nothing can be set"),
        ({"with_parts": {"disruptions": "none"}}, "expected max_vm_loss_percent too"),
        (
            {"with_parts": {"target": 0.1}, "max_vm_loss_percent": 1},
            "target: found where VMs and spots are all that is sold",
        ),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(cospot.InputError, match=told):
        cospot.tune(**{"workloads": WORKLOADS[0], "host": HOST, **arguments})


def test_progress_is_shown_as_asked(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    for progress in (False, True):
        cospot.tune(WORKLOADS[:2], host=HOST, folds=1, progress=progress, **CANDIDATES)
        assert ("run/s]" in capfd.readouterr().err) == progress


def test_one_name_of_a_policy_is_not_its_letters(tmp_path: Path) -> None:
    """`plan` takes one name or a list as `tune` does; it read "COS" as C, O and S."""
    for call in (cospot.tune, cospot.plan):
        price = {"price": {"on_demand": 1, "spot": 0.1}}
        given: dict[str, Any] = price if call is cospot.plan else {}
        with pytest.raises(cospot.ConfigError, match="'NOSUCH'"):
            call("azure2020", host=(64, 64), vm="NOSUCH", **given)
        with pytest.raises(cospot.ConfigError, match="surrogate"):
            call("azure2020", host=(64, 64), vm="\ud800", **given)
