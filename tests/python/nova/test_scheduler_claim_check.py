"""Instances that are deleted before their host ever showed them."""

from __future__ import annotations

from typing import Any

from cospot.nova.scheduler.claim_check import ClaimCheck
from scheduler_cases import Plugin, make_flavor, make_instance, make_spec, make_state

LARGE = make_flavor(16, 16384)
LARGE_SPOT = make_flavor(16, 16384, spot=True)


class Deleted:
    """What a cell's database knows as deleted; notes when it was asked about what."""

    def __init__(self) -> None:
        self.now = 0.0
        self.instances: set[str] = set()
        self.asked: list[tuple[float, list[str]]] = []
        self.is_down = False

    def __call__(self, cell: str, instances: list[str]) -> list[str]:
        assert cell == "cell1"
        self.asked.append((self.now, instances))
        if self.is_down:
            raise ConnectionError("no database")
        return [instance for instance in instances if instance in self.instances]

    def clock(self) -> float:
        return self.now


class Case:
    """One host of 16 vCPUs, to which a VM of 16 was just sent."""

    def __init__(self, flavor: Any = LARGE) -> None:
        self.database = Deleted()
        self.host = make_state("a")
        self.host.cell_uuid = "cell1"
        check = ClaimCheck(self.database, clock=self.database.clock)
        self.plugin = Plugin([self.host], clock=self.database.clock, claim_check=check)
        spec = make_spec(flavor)
        self.vm = spec.instance_uuid
        assert self.plugin.place([self.host], spec) == ["a"]

    def place_spot(self, now: float) -> list[str]:
        self.database.now = now
        return self.plugin.place([self.host], LARGE_SPOT)


def test_a_deleted_vm_leaves_its_capacity_before_its_claim_is_old():
    case = Case()
    case.database.instances.add(case.vm)
    assert case.place_spot(0.1) == ["a"]
    assert case.database.asked == [(0.1, [case.vm])]


def test_a_spot_that_would_get_no_host_has_all_claims_looked_up_at_once():
    """As when a spot is deleted in a full cloud and made again: its claim may be the last obstacle.

    The regular question may just have been answered, and the next one due in half a minute.
    """
    case = Case()
    for second in (2.0, 4.0, 8.0, 16.0):
        assert case.place_spot(second) == []
    case.database.instances.add(case.vm)
    assert case.place_spot(16.6) == ["a"]


def test_one_that_finds_a_host_asks_nothing_of_young_claims():
    case = Case(make_flavor(8, 8192))
    case.database.now = 1.0
    spot = make_spec(make_flavor(8, 8192, spot=True))
    assert case.plugin.place([case.host], spot) == ["a"]
    assert case.database.asked == []


def test_one_that_is_being_built_keeps_its_claim_and_is_asked_about_ever_less():
    case = Case()
    spec = make_spec(make_flavor(1, 64))  # Nova asks again about the same one: no new claim
    for second in range(60):
        case.database.now = float(second)
        case.plugin.place([case.host], spec)
    # After 2 s, then with pauses of 2, 4, 8, 16 and 32 s.
    assert [when for when, _ in case.database.asked] == [2.0, 4.0, 8.0, 16.0, 32.0]
    # Every spot that is refused asks, but not more often than twice a second.
    case.database.asked.clear()
    for tenth in range(590, 600):
        assert case.place_spot(tenth / 10) == []
    assert [when for when, _ in case.database.asked] == [59.0, 59.5]
    assert case.place_spot(60.0) == ["a"]  # claim_seconds are over


def test_a_database_that_is_down_changes_nothing():
    case = Case()
    case.database.is_down = True
    assert case.place_spot(2.0) == []
    case.database.is_down = False
    case.database.instances.add(case.vm)
    assert case.place_spot(4.0) == ["a"]


def test_what_a_host_has_shown_is_not_asked_about():
    case = Case()
    state: Any = make_state("a", instances=[])
    state.cell_uuid, state.uuid = "cell1", case.host.uuid
    shown = make_instance(LARGE, uuid=case.vm)
    state.instances = {case.vm: shown}
    case.host = state
    assert case.place_spot(1.0) == []
    assert case.place_spot(50.0) == []
    assert case.database.asked == []
