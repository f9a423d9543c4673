"""Signals of spots, against numbers worked out by hand."""

from __future__ import annotations

import json
import math
import os
import random
from dataclasses import replace

import pytest
from cospot.nova.promises.promise_table import PromiseTable, SizePromises, table_to_text
from cospot.nova.signals import flavor_signals, signals_file
from cospot.nova.signals.audit_tail import AuditTail
from cospot.nova.signals.flavor_signals import FlavorSignals, signals_of
from cospot.nova.signals.quotes import QuoteTable
from cospot.nova.signals.risk_score import Forecast, RiskScore
from cospot.nova.signals.spot_lives import SpotLife, SpotLives, life_of
from cospot.nova.signals.survival import Exposure, Observation, Risk, rate_interval, survival_of
from cospot.nova.spot_flavors import spot_extra_specs

HOUR = 3600.0
DAY = 86400.0
NOW = 1_000 * DAY


def life(number: int, started_h: float, ended_h: float | None = None, **more: object) -> SpotLife:
    """A spot, in hours before NOW; evicted=True: that ended it."""
    ended = None if ended_h is None else NOW - ended_h * HOUR
    made = SpotLife(
        f"u{number}",
        "p",
        str(more.get("flavor", "small")),
        (1, 1, 0),
        NOW - started_h * HOUR,
        ended,
    )
    return replace(made, evicted_at=ended) if more.get("evicted") else made


def row(**more: object) -> dict[str, object]:
    flavor = {
        "original_name": "spot.m1", "vcpus": 2, "ram": 4096, "disk": 10, "ephemeral": 5,
        "swap": 1025, "extra_specs": spot_extra_specs(2, 4096, 17),
    }  # fmt: skip
    return {
        "id": "a", "tenant_id": "p", "status": "ACTIVE", "flavor": flavor,
        "created": "2026-05-01T00:00:00Z", "updated": "2026-05-01T01:00:00Z",
        "OS-SRV-USG:launched_at": "2026-05-01T00:01:00.000000",
        "OS-SRV-USG:terminated_at": None, **more,
    }  # fmt: skip


def test_a_spot_as_nova_describes_it():
    found = life_of(row())
    assert found is not None and found.runs
    assert (found.flavor, found.size, found.project_id) == ("spot.m1", (2, 4096, 17), "p")
    assert found.started_at == 1777593660.0  # 2026-05-01 00:01 UTC
    gone = life_of(row(status="SHELVED_OFFLOADED"))
    assert gone is not None and gone.ended_at == 1777597200.0  # when Nova changed it last
    building = life_of(row(**{"OS-SRV-USG:launched_at": None, "status": "BUILD"}))
    assert building is not None and building.started_at is None and not building.runs
    vm = row(flavor={"vcpus": 2, "ram": 1, "disk": 0, "extra_specs": {}})
    assert life_of(vm) is None
    with pytest.raises(KeyError):
        life_of({"id": "a", "flavor": {"extra_specs": spot_extra_specs(1, 1, 0)}})


def test_survival_with_late_entries_and_censoring():
    # 20 spots from birth: one evicted after 1 h, one after 2 h, one ended by its owner after 2 h,
    # 17 seen to live 10 h. 10 more are observed from the age of 1.5 h on: at risk at 2 h only.
    spots = [Observation(0, HOUR, True), Observation(0, 2 * HOUR, True)]
    spots += [Observation(0, 2 * HOUR, False)] + 17 * [Observation(0, 10 * HOUR, False)]
    spots += 10 * [Observation(1.5 * HOUR, 10 * HOUR, False)]
    curve = survival_of(spots)
    assert curve.observed_s == 10 * HOUR
    before, one, two = (curve.at(age) for age in (0.5 * HOUR, HOUR, 2 * HOUR))
    assert before is not None and before[0] == 1
    assert before[1] == pytest.approx(0.8316, abs=1e-4)  # 0 of 20: 0.025 ** (1 / 20)
    assert one is not None and one[0] == pytest.approx(19 / 20)
    assert two is not None and two[0] == pytest.approx(19 / 20 * 28 / 29)
    assert 0 < one[1] < one[0] < one[2] < 1
    assert curve.at(10.1 * HOUR) is None
    assert curve.reached_by(0.95) == 2 * HOUR  # 95 % live longer than 1 h
    assert curve.reached_by(0.5) is None


def test_nothing_is_said_of_ages_that_few_reached():
    spots = 20 * [Observation(0, HOUR, False)] + 9 * [Observation(0, 5 * HOUR, True)]
    curve = survival_of(spots)
    assert curve.observed_s == HOUR
    assert curve.at(5 * HOUR) is None and not curve.ages_s.size


def test_the_interval_of_a_rate():
    # Garwood's for 10 events: 4.795 to 18.390.
    lower, upper = rate_interval(10, 2.0)
    assert (lower, upper) == pytest.approx((4.795 / 2, 18.390 / 2), rel=1e-3)


def test_risk_by_age():
    # 100 spots are evicted at the age of 30 min; 900 live 10 h.
    spots = 100 * [Observation(0, HOUR / 2, True)] + 900 * [Observation(0, 10 * HOUR, False)]
    exposure = Exposure()
    exposure.add(spots)
    assert exposure.evictions == [0, 100, 0, 0, 0, 0]
    # Up to 10 min 1000 spots, up to 1 h 900 for 50 min and 100 for 20 min.
    assert exposure.hours[:3] == pytest.approx([1000 / 6, 900 * 5 / 6 + 100 / 3, 4500])
    risk = Risk(exposure, exposure)
    assert risk.within(600, 600) > 20 * risk.within(4000, 600) > 0
    # All flavors are this one, drawn towards themselves: 110 evictions in the hours at their rate.
    overall = 100 / sum(exposure.hours)
    hours = exposure.hours[1]
    of_age = 110 / (hours + 10 / overall)
    again = 110 / (hours + 10 / of_age)
    assert risk.within(600, 600) == pytest.approx(1 - math.exp(-again / 6))
    # Over the border of an age the rates of both count.
    both = 1 - (1 - risk.within(3300, 300)) * (1 - risk.within(3600, 300))
    assert risk.within(3300, 600) == pytest.approx(both)


def many(evicted: int, running: int, flavor: str = "small") -> list[SpotLife]:
    name = flavor[0]
    found = [life(n, 10, 8, evicted=True, flavor=flavor) for n in range(evicted)]
    found += [life(evicted + n, 10, flavor=flavor) for n in range(running)]
    return [replace(each, uuid=name + each.uuid) for each in found]


def test_signals_of_a_flavor():
    signals = signals_of([*many(20, 80), *many(0, 3, "large")], NOW - 50 * DAY, NOW)
    small, large = signals.flavors["small"], signals.flavors["large"]
    rate = small.eviction_rate
    assert rate is not None
    assert (rate["spots"], rate["evictions"], small.running) == (100, 20, 80)
    assert rate["spot_hours"] == pytest.approx(20 * 2 + 80 * 10)
    assert rate["per_hour"] == pytest.approx(20 / 840)
    assert rate["of_running_28_d"]["share"] == 0.2 and rate["of_ended"]["share"] == 1
    assert small.expected_uptime is not None
    lives = small.expected_uptime["lives_hours"]
    assert lives["1"]["share"] == 1 and lives["6"]["share"] == pytest.approx(0.8)
    assert lives["24"] is None  # none was observed so long
    assert small.expected_uptime["reached_s"] == {"0.95": 2 * HOUR, "0.75": None, "0.5": None}
    assert small.risk is not None and not small.unknown
    assert 0 < small.risk["evicted_within_10_min"] < small.risk["evicted_within_60_min"] < 1
    one = signals.risk_of(life(1, 2, None), NOW)
    assert one is not None and one["evicted_within_60_min"] > 0
    # Three spots are no estimate, but a record.
    assert large.eviction_rate is not None and large.eviction_rate["evictions"] == 0
    assert large.expected_uptime is None and large.risk is None
    assert large.unknown["risk"] == "too little data: 3 spots were observed, 30 are needed"
    assert signals.risk_of(replace(life(1, 2), flavor="large"), NOW) is None


def worn(early_share: float, seed: int) -> list[SpotLife]:
    """Spots of 40 days that live up to 2 days; some are evicted in their first hour."""
    draw, found = random.Random(seed), []
    for number in range(3000):
        started = draw.uniform(0, 960)
        if draw.random() < early_share:
            over, evicted = started - draw.uniform(0.2, 1), True
        else:  # at any age alike
            over, evicted = started - draw.expovariate(1 / 24), draw.random() < 0.5
        ended = over if over > 0 else None
        found.append(life(number, started, ended, evicted=evicted and ended is not None))
    return found


def test_risk_goes_by_age_only_where_that_was_better():
    signals = signals_of(worn(0.5, 1), NOW - 40 * DAY, NOW)
    assert signals.score.is_told and signals.score.evicted > 50
    young, old = (signals.risk_of(life(1, hours), NOW) for hours in (0.3, 20))
    assert young is not None and old is not None and young["by"] == "age"
    assert young["evicted_within_60_min"] > 3 * old["evicted_within_60_min"]
    # Evicted at any age alike: age says nothing, on any of these histories.
    for seed in range(3):
        signals = signals_of(worn(0.0, seed), NOW - 40 * DAY, NOW)
        assert signals.score.skill is not None and not signals.score.is_told
        young, old = (signals.risk_of(life(1, hours), NOW) for hours in (0.3, 20))
        assert young == old and young is not None and young["by"] == "base rate"
        # Evicted are half of those that live 24 h in the mean: 1 / 48 an hour.
        assert young["evicted_within_60_min"] == pytest.approx(1 / 48, rel=0.1)


def test_a_score_knows_nothing_of_what_comes():
    """Another second half changes the score, and no forecast that is scored."""
    first = [each for each in worn(0.5, 1) if (each.started_at or 0) < NOW - 21 * DAY]
    told: list[list[float]] = []
    for second in (worn(0.5, 2), worn(0.0, 3)):
        later = [
            replace(each, uuid=f"x{each.uuid}")
            for each in second
            if (each.started_at or 0) > NOW - 20 * DAY
        ]
        seen: list[float] = []

        def score(lives: object, start: float, now: float, risk: Forecast, base: Forecast,
                  seen: list[float] = seen) -> RiskScore:  # fmt: skip
            seen += [risk(life(1, hours), NOW) for hours in (0.3, 20)]
            return RiskScore(now)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(flavor_signals, "score_risk", score)
            signals_of([*first, *later], NOW - 40 * DAY, NOW)
        told.append(seen)
    assert told[0] == told[1] and len(told[0]) == 2


def test_few_evictions_are_no_risk():
    signals = signals_of(many(9, 80), NOW - 50 * DAY, NOW)
    assert signals.flavors["small"].risk is None
    assert "10 evictions" in signals.flavors["small"].unknown["risk"]
    assert signals_of([], NOW, NOW).flavors == {}


def test_only_what_was_observed_counts():
    # Observed for 2 h: of spots that are 10 h old 2 h each, and none of what ended before.
    old = [life(n, 10) for n in range(40)] + [life(50, 10, 3, evicted=True)]
    rate = signals_of(old, NOW - 2 * HOUR, NOW).flavors["small"].eviction_rate
    assert rate is not None
    assert (rate["spots"], rate["evictions"]) == (40, 0)
    assert rate["spot_hours"] == pytest.approx(80)
    assert rate["of_ended"] == {"share": None, "share_95": None, "spots": 0, "evicted": 0}
    # 28 days back: one that ended before is in the rate and in none of those that ran.
    early = [life(n, 1) for n in range(3)] + [life(9, 900, 800, evicted=True)]
    rate = signals_of(early, NOW - 60 * DAY, NOW).flavors["small"].eviction_rate
    assert rate is not None and rate["evictions"] == 1
    assert rate["of_running_28_d"]["spots"] == 3 and rate["of_running_28_d"]["evicted"] == 0
    assert rate["of_ended"]["evicted"] == 1


def test_lives_take_what_nova_and_the_audit_log_say():
    lives = SpotLives(0.0)
    lives.take(replace(life(1, 10), started_at=None))
    assert "u1" in lives.there()
    lives.take(life(1, 10))
    lives.evict("u1", NOW - 5 * HOUR)
    lives.evict("u1", NOW - 4 * HOUR)  # ordered again
    lives.evict("nobody", NOW)
    lives.take(life(1, 10, 3.9))
    found = lives.get("u1")
    assert found is not None
    assert (found.evicted_at, found.ended_at) == (NOW - 5 * HOUR, NOW - 3.9 * HOUR)
    assert found.over_at == NOW - 5 * HOUR and "u1" not in lives.there()
    lives.take(life(2, 10))
    lives.evict("u2", NOW - HOUR)
    lives.give_up("u2")
    assert lives.there()["u2"].runs
    for spot in ("u1", "u2", "nobody"):
        lives.end(spot, NOW)
    assert lives.get("u1") == found
    second = lives.get("u2")
    assert second is not None and second.ended_at == NOW
    again = SpotLives.from_text(lives.to_text())
    assert list(again.all()) == list(lives.all()) and again.read_until == lives.read_until
    lives.forget_older(NOW - 2 * HOUR)
    assert [each.uuid for each in lives.all()] == ["u2"]
    wrong = lives.to_text().replace(f"{NOW}", '"now"')
    assert "now" in wrong
    for text in ("", "[]", "{}", '{"format": "cospot spot lives", "version": 2}', wrong):
        with pytest.raises(ValueError):
            SpotLives.from_text(text)


def test_a_shelved_spot_that_comes_back_has_two_lives():
    lives = SpotLives(0.0)
    lives.take(life(1, 10))
    lives.evict("u1", NOW - 5 * HOUR)
    lives.take(life(1, 2))
    assert sorted(each.runs for each in lives.all()) == [False, True]
    assert lives.there()["u1"].started_at == NOW - 2 * HOUR
    # A rebuild moves the launch and is the same life.
    lives.take(life(1, 1))
    assert lives.there()["u1"].started_at == NOW - 2 * HOUR


def test_the_audit_log_is_followed(tmp_path):
    path = tmp_path / "audit.jsonl"
    tail = AuditTail(path)
    assert list(tail.new()) == []

    def line(event: str) -> str:
        record = {"time": "1970-01-01T00:01:00.000+00:00", "event": event, "instance": "i"}
        return json.dumps(record) + "\n"

    path.write_text(line("intent") + "junk\n[]\n" + line("failed")[:20])
    assert [each[:3] for each in tail.new()] == [(60.0, "intent", "i")]
    with path.open("a") as file:
        file.write(line("failed")[20:])
    assert [each[:3] for each in tail.new()] == [(60.0, "failed", "i")]
    with path.open("a") as file:
        file.write(line("gone"))
    path.rename(tmp_path / "audit.jsonl.1")
    assert [each.event for each in tail.new()] == ["gone"]  # and the new one is not there yet
    path.write_text(2 * line("intent"))
    assert [each.event for each in tail.new()] == ["intent", "intent"]
    path.write_text(line("late"))  # emptied in place
    assert [each.event for each in tail.new()] == ["late"]
    tail.close()


def test_quotes_by_what_is_free(tmp_path):
    path = tmp_path / "promises.json"
    steps = [[(1, HOUR), (5, None)], [(1, 9 * HOUR), (5, math.inf)]]
    sizes = [SizePromises((1, 1, 0), steps)]
    table = PromiseTable(made_at=NOW, observed_until=NOW - HOUR, targets=[0.05, 0.5], sizes=sizes)
    path.write_text(table_to_text(table))
    quotes = QuoteTable(str(path))
    plain = signals_of(many(20, 80), NOW - 50 * DAY, NOW)

    def quoted(free: list[tuple[int, int, int]], *, with_disk: bool = False) -> FlavorSignals:
        return quotes.with_quotes(plain, free, with_disk=with_disk).flavors["small"]

    # One host has capacity for two, one for one, one is overcommitted.
    quote = quoted([(2, 10, 0), (9, 1, 0), (-1, 9, 0)]).quote
    assert quote == {"slots": 3, "lives_at_least_s": {"0.5": 9 * HOUR, "0.95": HOUR}}
    quote = quoted([(9, 9, 0)]).quote
    assert quote == {"slots": 9, "lives_at_least_s": {"0.5": "never", "0.95": None}}
    json.dumps(quote)
    path.write_text(table_to_text(replace(table, observed_until=NOW - 2 * DAY)))
    assert "ended 2 d ago" in quoted([]).unknown["quote"]
    path.write_text(table_to_text(replace(table, sizes=[])))
    assert "in no table" in quoted([]).unknown["quote"]
    path.write_text("junk")
    assert "cannot be read" in quoted([]).unknown["quote"]
    path.unlink()
    assert "No such file" in quoted([]).unknown["quote"]
    os.mkfifo(path)
    assert "no regular file" in quoted([]).unknown["quote"]


def test_the_file_is_read_back():
    signals = signals_of(many(20, 80), NOW - 50 * DAY, NOW)
    body = signals_file.signals_from_text(signals_file.dump(signals).decode())
    assert [each["flavor"] for each in body["flavors"]] == ["small"]
    assert "u1" not in str(body)
    for text in ("", "{}", '{"format": "cospot signals", "version": 9}'):
        with pytest.raises(signals_file.SignalsFileError):
            signals_file.signals_from_text(text)
