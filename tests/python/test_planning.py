"""``cospot.plan``: what ``cospot plan --json`` says, as values."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import cospot
import pytest

HISTORY = "azure2020:seed=3:scale=0.001"
PRICES = {"on_demand": 4, "spot": 1, "economy": 2, "currency": "EUR"}


def make_plan(**more: Any) -> cospot.SpotPlan:
    given: dict[str, Any] = {
        "price": PRICES, "host": (10400, 2250), "hosts": 45, "parts": 4, "max_vm_loss_percent": 1,
        "economy_percents": [20], "confidences": [0.5], "vm": ["COS"], "spot": ["sDPD", "vmaUTIL"],
        "evictor": ["FIFO", "YJF"], "otn": [1, 8],
    }  # fmt: skip
    return cospot.plan(**{"history": HISTORY, **given, **more})


@pytest.fixture(scope="module")
def made() -> cospot.SpotPlan:
    return make_plan()


def test_it_says_what_the_command_says(made: cospot.SpotPlan, program: Path) -> None:
    command = [program, "plan", HISTORY, "--host", "10400,2250", "--hosts", "45", "--parts", "4"]
    command += [each for name, price in PRICES.items() for each in ("--price", f"{name}={price}")]
    command = [str(each).replace("on_demand", "on-demand") for each in command]
    command += ["--vm", "COS", "--spot", "sDPD,vmaUTIL", "--evictor", "FIFO,YJF", "--otn", "1,8"]
    command += ["--economy-percent", "20", "--confidence", "0.5", "--max-vm-loss", "1", "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    expected = json.loads(done.stdout)
    assert made.decision == expected["decision"]
    assert made.hosts == expected["hosts"] == 45
    assert [one.name for one in made.alternatives] == [
        one["name"] for one in expected["alternatives"]
    ]
    for ours, theirs in zip(made.alternatives, expected["alternatives"], strict=True):
        assert ours.net_per_day is not None
        assert ours.net_per_day.mean == theirs["net_per_day"]["mean"]
        assert ours.evictions == theirs["evictions"]
        assert ours.from_now_on.otn == theirs["from_now_on"]["otn"]
    assert [(one.hours, one.probability, one.promised) for one in made.classes] == [
        (one["hours"], one["probability"], one["promised"]) for one in expected["classes"]
    ]
    assert [(one.setting.label, one.net_per_day) for one in made.divisions] == [
        (one["setting"]["label"], one["net_per_day"]) for one in expected["divisions"]
    ]
    assert len(made.divisions) == 2  # none, and 20 % at 0.5
    assert [one.net_per_day for one in made.sensitivity] == [
        one["net_per_day"] for one in expected["sensitivity"]
    ]


def test_what_its_numbers_mean(made: cospot.SpotPlan) -> None:
    by_name = {one.name: one for one in made.alternatives}
    for one in by_name.values():
        assert one.net_per_day is not None
        # The judged parts are the last two of four, of equal length.
        assert [each.part for each in one.judged] == [3, 4]
        mean = sum(each.net_per_day for each in one.judged) / 2
        assert one.net_per_day.mean == pytest.approx(mean)
        assert 0 <= one.idle <= 1
        for each in one.judged:
            sold = each.sold
            assert sold.vms + sold.economy + sold.spots + sold.idle == pytest.approx(1)
    nothing = by_name["sell nothing"]
    assert nothing.evictions == 0 and nothing.recovered == 0
    assert made.lead_per_day is not None
    advised, next_best = by_name[made.advised].net_per_day, by_name[made.next_best].net_per_day
    assert advised is not None and next_best is not None
    assert made.lead_per_day.mean == pytest.approx(advised.mean - next_best.mean)
    # A month has 365.25 / 12 days.
    earned = [365.25 / 12 * each.net_per_day for each in by_name[made.advised].judged]
    assert [one.came for one in made.next_month.origins] == pytest.approx(earned)
    lead = sum(one.came for one in made.next_month_lead.origins) / 2
    assert lead == pytest.approx(365.25 / 12 * made.lead_per_day.mean)


def test_notebooks_frames_and_processes(made: cospot.SpotPlan) -> None:
    assert pickle.loads(pickle.dumps(made)) == made
    table = made.table
    assert list(table["alternative"]) == [one.name for one in made.alternatives]
    assert str(made) == "\n".join(made.decision)
    html = made._repr_html_()
    assert made.decision[0] in html
    assert "net a day (EUR)" in html


def test_a_twice_higher_spot_price_is_worth_twice_its_revenue(made: cospot.SpotPlan) -> None:
    # net = spot - loss, by the whole history: with the price x 2 it is 2 spot - loss, and with
    # x 0.5 it is 0.5 spot - loss, so that the three lie on a line, if the choice stays the same.
    by_what = {one.what: one for one in made.sensitivity}
    half, whole, twice = (
        by_what[name] for name in ("spot price x 0.5", "as advised", "spot price x 2")
    )
    assert half.setting == whole.setting == twice.setting
    slope = (twice.net_per_day - whole.net_per_day) / 1.0
    assert whole.net_per_day - half.net_per_day == pytest.approx(slope * 0.5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"price": {}}, "price is empty, expected on_demand and spot"),
        ({"price": {"spot": 1}}, "on-demand"),
        ({"spots": ["sDPD"]}, "spots"),
        ({"parts": 2}, "parts"),
        ({"vm": ["COSS"]}, "COSS"),
    ],
)
def test_bad_arguments(given: dict[str, Any], message: str) -> None:
    with pytest.raises(cospot.CospotError, match=message):
        make_plan(**given)


def test_a_history_may_be_a_workload(made: cospot.SpotPlan) -> None:
    history = cospot.Workload.generate(scale=0.001, seed=3)
    assert make_plan(history=history).alternatives == made.alternatives


def test_a_file_of_hosts_is_given_by_either_name(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.csv"
    hosts.write_text(
        "name,type,vcpus,memory_mb\n" + "".join(f"h{i},a,10400,2250\n" for i in range(45))
    )
    few: dict[str, Any] = {"vm": ["COS"], "spot": ["sDPD"], "evictor": ["FIFO"], "otn": [1]}
    by_number = make_plan(**few)
    assert make_plan(**few, host=None, hosts=hosts).decision == by_number.decision
    assert make_plan(**few, host=str(hosts), hosts=None).decision == by_number.decision
    with pytest.raises(cospot.ConfigError, match="the hosts are missing; expected host="):
        make_plan(**few, host=None, hosts=None)
    tuned = cospot.tune(HISTORY, hosts=hosts, **few)
    assert set(tuned.hosts) == {45}


def test_demand_at_other_prices(made: cospot.SpotPlan, tmp_path: Path) -> None:
    curve = tmp_path / "demand.csv"
    curve.write_text("spot_price,share\n1,1\n3,0.5\n")
    with_demand = make_plan(demand=curve)
    by_what = {one.what: one for one in with_demand.sensitivity}
    same = by_what["spot price 1, bought by 100%"]
    assert same.net_per_day == pytest.approx(by_what["as advised"].net_per_day)
    assert "spot price 3, bought by 50%" in by_what
    assert any("demand curve" in note for note in with_demand.notes)
    assert with_demand.alternatives == made.alternatives
    curve.write_text("cost,share\n1,1\n")
    with pytest.raises(cospot.WorkloadError, match="unknown column 'cost'"):
        make_plan(demand=curve)
    with pytest.raises(cospot.ConfigError, match="economy_percents is 400"):
        make_plan(economy_percents=[400])


def test_hosts_and_tenants(made: cospot.SpotPlan) -> None:
    found = make_plan(price={**PRICES, "host": 2}, by="tenant")
    by_what = {one.what: one for one in found.sensitivity}
    advised, more = by_what["as advised"], by_what["+4% hosts (47)"]
    assert advised.hosts is None and more.hosts is not None
    assert (more.hosts.type, more.hosts.more) == (None, 2)
    gain = more.hosts.gain_per_day
    assert gain is not None and gain.low is not None
    assert gain.low < gain.mean == pytest.approx(more.net_per_day - advised.net_per_day)
    assert more.hosts.cost_per_day == 2 * 24 * 2  # hosts, hours, at 2
    assert [one.hosts.cost_per_day for one in made.sensitivity if one.hosts] == [None, None]
    # The rows add up to what is advised.
    assert made.by is None and found.by is not None and found.by.key == "tenant"
    net = sum(
        one.spots_per_day + one.economy_per_day - one.vms_lost_per_day for one in found.by.rows
    )
    assert net == pytest.approx(advised.net_per_day)
    assert all(one.placed >= one.evictions for one in found.by.rows)
    requested = [one.spots_requested for one in found.by.rows]
    assert requested == sorted(requested, reverse=True)
    with pytest.raises(cospot.ConfigError, match="expected tenant or flavor"):
        make_plan(by="zone")


@pytest.mark.parametrize("progress", [False, True, None])
def test_progress_is_shown_as_asked(
    progress: bool | None, made: cospot.SpotPlan, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tqdm")
    assert make_plan(progress=progress).alternatives == made.alternatives
    assert ("run/s]" in capfd.readouterr().err) == (progress is True)


def test_progress_calls_a_function(made: cospot.SpotPlan) -> None:
    seen: list[tuple[int, int]] = []
    make_plan(progress=lambda done, total: seen.append((done, total)))
    assert seen and seen[-1][0] == seen[-1][1]
