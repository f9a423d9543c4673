"""LPKM inside Nova: the scheduler and the evictor service evict by one file of survival curves."""

from __future__ import annotations

import time
from pathlib import Path

import cospot
import pytest
from cospot.errors import ConfigError
from cospot.nova.evictor.victims import SpotChooser
from cospot.nova.evictor_policy import make_evictor_policy, time_us
from scheduler_cases import Plugin, make_flavor, make_instance, make_state
from waiting import wait_until

DAY = 86400


@pytest.fixture
def model(tmp_path):
    """Curves by which nine of ten spots of 4 vCPUs, 1024 MiB end within 2 days, of others one."""
    path = tmp_path / "curves.txt"
    path.write_text(
        "cospot-survival-model 1\nflavors 1\n4 1024 0\nintervals 1\n172800 0.9 0.1\nend\n"
    )
    return str(path)


def test_life_is_counted_from_now_whatever_the_year(model):
    evictor = make_evictor_policy("LPKM", model)
    for now in (1_600_000_000, 2_000_000_000):
        spots = [
            cospot.RunningSpot(row, (4, memory_mb, 0), placed_at_us=time_us(now - DAY))
            for row, memory_mb in enumerate((2048, 1024, 2048))
        ]
        plan = evictor.make_plan(spots, (4, 0, 0), time_us(now))
        assert plan is not None and list(plan.victims) == [1]
        # At one day of age 0.55 of all are left, and 0.1 after two: a day on a straight line, then
        # 89 days for 0.1 / 0.55 of them. Of 4 vCPUs.
        days = (0.55 + 0.1) / 2 / 0.55 + 89 * 0.1 / 0.55
        assert plan.score == pytest.approx(4 * DAY * days)


def test_a_model_has_to_be_given_and_of_the_right_kind(tmp_path):
    with pytest.raises(ConfigError, match="'LPKM' needs a lifetime model; expected evictor_model"):
        make_evictor_policy("LPKM")
    with pytest.raises(ConfigError, match="there is no file"):
        make_evictor_policy("LPKM", str(tmp_path / "none.txt"))
    (tmp_path / "network.txt").write_text("cospot-lifetime-model 1\n")
    with pytest.raises(ConfigError, match="this is no survival model"):
        make_evictor_policy("LPKM", str(tmp_path / "network.txt"))
    # What its customer did before Nova does not tell.
    with pytest.raises(ConfigError, match="'LPML' needs to know how long spots will live"):
        make_evictor_policy("LPML", str(tmp_path / "network.txt"))
    assert make_evictor_policy("FIFO", "unused").name == "FIFO"
    assert SpotChooser("FIFO").name == "FIFO"


def test_the_scheduler_plans_by_the_model(model, set_option):
    # The spots of these cases were launched years ago, and here curves end at an age of 28 years.
    path = Path(model)
    path.write_text(path.read_text().replace("172800", "900000000"))
    flavors = [make_flavor(4, memory_mb, spot=True) for memory_mb in (2048, 1024, 2048)]
    spots = [make_instance(flavor, minute=minute) for minute, flavor in enumerate(flavors)]
    state = make_state("a", (12, 99999, 1000), spots)
    victims = {}
    for evictor in ("FIFO", "LPKM", "YJF"):
        set_option(evictor=evictor, evictor_model=model)
        plugin = Plugin([state])
        plugin.place([state], make_flavor(4, 512))
        [victims[evictor]] = plugin.plans()[0]["hosts"][0]["victims"]
    assert victims == dict(zip(victims, (spot.uuid for spot in spots), strict=True))


def test_the_service_evicts_by_the_model(model, running):
    host = running.cloud.add_host("a", 12)
    created = time.time() - DAY
    _, short, _ = (
        running.cloud.add(host, 4, memory_mb, spot=True, created=created)
        for memory_mb in (2048, 1024, 2048)
    )
    running.cloud.add(host, 4, 512, spot=False, created=created + 60)
    running.start(evictor="LPKM", evictor_model=model)
    wait_until(lambda: bool(running.events("freed")), "a spot is evicted")
    assert running.cloud.deleted == [short]
    assert [each["chosen_by"] for each in running.events("intent")] == ["LPKM"]
