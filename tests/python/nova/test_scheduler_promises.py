"""Spots that ask for a lifetime, and the ones that do not: who gets a host, and who goes."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cospot.nova.promises.promise_message import Promise
from cospot.nova.scheduler.instance_facts import InstanceFacts, Size
from cospot.nova.scheduler.promise_book import PromiseBook
from cospot.nova.scheduler.promise_check import PromiseCheck
from promise_cases import HOUR, make_table, write_table
from scheduler_cases import (
    SPOT,
    VM,
    Plugin,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    names,
)


def asking(lifetime: str | None, flavor: Any = SPOT, **fields: Any) -> Any:
    hints = {} if lifetime is None else {"cospot:lifetime": [lifetime]}
    return make_spec(flavor, scheduler_hints=hints, **fields)


class Case:
    """A host of 16 vCPUs with one VM and one spot of 4: 2 slots, so 1 h may be promised."""

    def __init__(self, path: Path, set_option: Any, **options: Any) -> None:
        self.path = path
        values = {"lifetime_target": 0.05, "lifetime_promises": str(path), **options}
        set_option(**{"lifetime_hints": "all", **values})
        self.spot = make_instance(SPOT)
        self.states = [make_state("a", instances=[make_instance(VM), self.spot])]
        self.plugin = Plugin(self.states)

    def place(self, spec: Any) -> list[str]:
        return self.plugin.place(self.states, spec)


@pytest.fixture
def case(tmp_path, set_option):
    return Case(write_table(tmp_path / "promises.json"), set_option)


def test_what_can_be_promised_is_and_the_evictor_is_told(case):
    spec = asking("1h")
    before = time.time()
    assert case.place(spec) == ["a"]
    (told,) = case.plugin.plans()
    assert told == {
        "version": 1,
        "instance": spec.instance_uuid,
        "made_at": pytest.approx(before, abs=30),
        "lifetime_s": HOUR,
        "target": 0.05,
    }


def test_what_cannot_be_promised_is_refused_with_the_reason(case, caplog):
    caplog.set_level(logging.INFO)
    assert case.place(asking("1h 1min")) == []
    assert "asks for 1 h 1 min; with 2 free slots 95 % live at least 1 h" in caplog.text
    assert case.plugin.plans() == []
    assert case.plugin.filter.failures == 0


def test_free_slots_are_those_of_now_over_all_hosts(case):
    # 2 on a, 4 on b: 6, for which 3 h may be promised. One comes: 5. Two more: 3, for 1 h.
    case.states.append(make_state("b"))
    case.plugin.placement.known.update(Plugin([case.states[1]]).placement.known)
    assert case.place(asking("3h")) != []
    assert case.place(asking("3h")) != []
    assert case.place(asking("3h")) != []  # 4 slots before it
    assert case.place(asking("3h")) == []


def test_who_asks_for_nothing_is_untouched(case):
    assert case.place(asking(None)) == ["a"]
    assert case.place(make_spec(VM)) == ["a"]
    # A VM's hint means nothing.
    assert case.place(asking("100d", VM)) == ["a"]
    assert case.place(asking("nonsense", VM)) == ["a"]
    assert all("lifetime_s" not in message for message in case.plugin.plans())


def test_without_a_target_hints_mean_nothing(tmp_path, set_option):
    case = Case(write_table(tmp_path / "p.json"), set_option, lifetime_target=None)
    for lifetime in ("100d", "nonsense"):
        assert case.place(asking(lifetime)) == ["a"]
    assert case.plugin.plans() == []


def test_a_flavor_asks_for_its_spots_and_the_hint_counts_before_it(case):
    flavor = make_flavor(4, 8192, spot=True)
    flavor.extra_specs["cospot:lifetime"] = "2h"
    assert case.place(asking(None, flavor)) == []
    assert case.place(asking("30min", flavor)) == ["a"]
    assert [told["lifetime_s"] for told in case.plugin.plans()] == [1800.0]


@pytest.mark.parametrize("hints", ["flavors", "projects", "all"])
@pytest.mark.parametrize("project", ["blue", "red"])
@pytest.mark.parametrize("asks", ["hint", "flavor", "both"])
def test_who_may_ask_by_a_hint(tmp_path, set_option, hints, project, asks):
    """A promised spot is evicted after those of other projects, so not everybody may have it."""
    case = Case(
        write_table(tmp_path / "p.json"),
        set_option,
        lifetime_hints=hints,
        lifetime_projects=["blue", "green"],
    )
    flavor = make_flavor(4, 8192, spot=True)
    if asks != "hint":
        flavor.extra_specs["cospot:lifetime"] = "30min"
    lifetime = None if asks == "flavor" else "1h"
    found = case.place(asking(lifetime, flavor, project_id=project))
    may = asks == "flavor" or hints == "all" or (hints, project) == ("projects", "blue")
    assert found == (["a"] if may else [])
    told = [each["lifetime_s"] for each in case.plugin.plans()]
    assert told == ([1800.0 if asks == "flavor" else HOUR] if may else [])


def test_by_default_only_flavors_ask(set_option):
    from cospot.nova.scheduler.options import OPTIONS

    assert {each.name: each.default for each in OPTIONS}["lifetime_hints"] == "flavors"


def test_a_project_has_so_many_promised_spots_at_once(tmp_path, set_option, caplog):
    caplog.set_level(logging.INFO)
    case = Case(write_table(tmp_path / "p.json"), set_option, lifetimes_per_project=1)
    flavor = make_flavor(1, 1024, spot=True)
    first = asking("1h", flavor, project_id="blue")
    assert case.place(first) == ["a"]
    assert case.place(asking("1h", flavor, project_id="blue")) == []
    assert "project blue has 1 promised spots" in caplog.text
    # Others may, and so may its spots that ask for nothing.
    assert case.place(asking("1h", flavor, project_id="red")) == ["a"]
    assert case.place(asking(None, flavor, project_id="blue")) == ["a"]
    # It is there, and then gone; a build that failed is forgotten after claim_seconds.
    mine = make_instance(flavor, uuid=first.instance_uuid)
    case.states = [make_state("a", instances=[make_instance(VM), mine])]
    assert case.place(asking("1h", flavor, project_id="blue")) == []
    case.states = [make_state("a", instances=[make_instance(VM)])]
    case.place(asking(None, flavor))  # the scheduler has seen it
    assert case.place(asking("1h", flavor, project_id="blue")) == ["a"]


@pytest.mark.parametrize("lifetime", ["soon", "-1h", "0", ""])
def test_a_lifetime_that_is_none_is_refused(case, caplog, lifetime):
    assert case.place(asking(lifetime)) == []
    assert "is refused: cospot:lifetime: found" in caplog.text
    assert case.place(make_spec(SPOT, scheduler_hints={"cospot:lifetime": ["1h", "2h"]})) == []
    assert case.plugin.filter.failures == 0


def test_a_dry_run_places_and_tells_nobody(tmp_path, set_option):
    case = Case(write_table(tmp_path / "p.json"), set_option, dry_run=True)
    assert case.place(asking("100d")) == ["a"]
    assert case.place(asking("1h")) == ["a"]
    assert case.plugin.plans() == []


def test_a_size_in_no_table_is_refused(case):
    assert case.place(asking("1s", make_flavor(5, 1024, spot=True))) == []
    assert case.place(asking("1h", make_flavor(1, 1024, spot=True))) == ["a"]  # as one of 4


def test_disk_that_does_not_count_makes_no_size_unknown(case):
    assert case.place(asking("1h", make_flavor(4, 8192, 20, spot=True))) == ["a"]
    assert len(case.plugin.plans()) == 1


def test_a_spot_that_moves_is_not_judged_again(case):
    case.place(asking(None))  # the scheduler has seen the host
    assert case.place(asking("100d", instance_uuid=case.spot.uuid)) == ["a"]
    assert case.place(asking("100d", ignore_hosts=["dead"])) == ["a"]
    assert case.plugin.plans() == []


def test_alternates_of_a_multi_create_are_no_second_promise(case):
    spec = asking("1h")
    assert case.place(spec) == case.place(spec) == ["a"]
    assert len(case.plugin.plans()) == 1


def spoiled(path: Path) -> list[Callable[[], Any]]:
    """What may happen to the file."""
    return [
        path.unlink,
        lambda: path.write_text("{"),
        lambda: path.write_bytes(b"\xff\xfe"),
        lambda: (path.unlink(), path.mkdir()),
        lambda: (path.rmdir(), write_table(path, make_table(time.time() - 90_000))),
        lambda: write_table(path, make_table(time.time() + 90_000)),
        lambda: write_table(path, make_table(targets=(0.1, 0.2))),
    ]


def test_no_fault_of_the_file_stops_a_spot(case, caplog):
    assert case.place(asking("2h")) == []
    for number, spoil in enumerate(spoiled(case.path)):
        spoil()
        caplog.clear()
        state = [make_state("a", instances=[make_instance(VM), make_instance(SPOT)])]
        found = names(Plugin(state, promises=PromiseCheck()).hosts(state, asking("2h")))
        assert found == ["a"], number
        assert "Nothing is promised, and no spot is refused" in caplog.text, number
    assert case.plugin.filter.failures == 0


def test_a_file_that_is_right_again_counts_again(case):
    case.path.unlink()
    assert case.place(asking("2h")) == ["a"]
    write_table(case.path)
    assert case.place(asking("2h")) == []


def test_the_file_is_read_once_until_it_changes(case, monkeypatch):
    from cospot.nova.promises import table_file

    reads: list[object] = []
    real = table_file.table_from_text

    def count(text: bytes) -> Any:
        reads.append(text)
        return real(text)

    monkeypatch.setattr(table_file, "table_from_text", count)
    for _ in range(3):
        case.place(asking("2h"))
    assert len(reads) == 1
    os.utime(case.path, ns=(1, 1))
    case.place(asking("2h"))
    assert len(reads) == 2


def test_a_mistake_in_here_stops_no_spot(case, monkeypatch, caplog):
    def fail(*arguments: Any) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr(PromiseCheck, "_judge", fail)
    assert case.place(asking("100d")) == ["a"]
    assert "no lifetime was promised" in caplog.text


def test_the_start_warns_of_an_evictor_that_breaks_promises(tmp_path, set_option, caplog):
    Case(write_table(tmp_path / "p.json"), set_option)
    assert "use YJF" in caplog.text
    caplog.clear()
    Case(write_table(tmp_path / "p.json"), set_option, evictor="YJF")
    assert "YJF" not in caplog.text


# -- plans by promises: such spots are evicted last ----------------------------------------------

YEARS = 30 * 365 * 86400


def asking_flavor(lifetime: str) -> Any:
    flavor = make_flavor(4, 8192, spot=True)
    flavor.extra_specs["cospot:lifetime"] = lifetime
    return flavor


def victims(plugin: Plugin, host: str) -> list[str]:
    plans = [message for message in plugin.plans() if "hosts" in message]
    return next(one["victims"] for one in plans[-1]["hosts"] if one["host"] == host)


@pytest.mark.parametrize("policy", ["FIFO", "YJF"])
def test_a_plan_names_the_others_first(set_option, tmp_path, policy):
    """The spots of these cases were launched years ago; their flavor asks for more years."""
    path = write_table(tmp_path / "promises.json")
    set_option(lifetime_target=0.05, lifetime_promises=str(path), evictor=policy)
    flavor = asking_flavor(f"{YEARS}s")
    kinds = (flavor, SPOT, SPOT, flavor)
    spots = [make_instance(kind, minute=minute) for minute, kind in enumerate(kinds)]
    bare = [spots[1].uuid, spots[2].uuid]
    state = make_state("a", instances=spots)
    plugin = Plugin([state])
    plugin.place([state], VM)
    assert victims(plugin, "a") == [bare[0] if policy == "FIFO" else bare[1]]
    plugin = Plugin([state])
    plugin.place([state], make_flavor(12, 1024))
    promised = spots[0].uuid if policy == "FIFO" else spots[3].uuid
    assert victims(plugin, "a") == [*bare, promised]  # in the order of eviction


def test_without_a_target_nobody_is_promised_anything(set_option):
    spots = [make_instance(asking_flavor(f"{YEARS}s")), make_instance(SPOT, minute=1)]
    state = make_state("a", (8, 32768, 1000), spots)
    plugin = Plugin([state])
    plugin.place([state], VM)
    assert victims(plugin, "a") == [spots[0].uuid]


def test_of_the_offered_hosts_the_one_where_no_promise_is_broken(set_option, tmp_path):
    path = write_table(tmp_path / "promises.json")
    options = {"lifetime_target": 0.05, "lifetime_promises": str(path), "evictor": "YJF"}
    big = make_flavor(8, 16384, spot=True)
    big.extra_specs["cospot:lifetime"] = f"{YEARS}s"
    one = make_state("a", (8, 32768, 1000), [make_instance(big)])
    two = make_state("b", (8, 32768, 1000), [make_instance(SPOT) for _ in range(2)])
    chosen = {}
    for otn, target in ((2, 0.05), (2, None), (1, 0.05)):
        set_option(**{**options, "lifetime_target": target}, otn=otn)
        plugin = Plugin([one, two])
        chosen[otn, target] = plugin.place([one, two], make_flavor(8, 1024))[0]
    # One victim on a, two on b.
    assert chosen == {(2, 0.05): "b", (2, None): "a", (1, 0.05): "a"}


def test_a_promise_for_a_hint_is_known_where_it_was_given(set_option, tmp_path):
    """It has been built by now, and the host lists it beside an older one."""
    path = write_table(tmp_path / "promises.json")
    set_option(
        lifetime_target=0.05, lifetime_promises=str(path), lifetime_hints="all", evictor="YJF"
    )
    old = make_instance(SPOT)
    empty = make_state("a", (8, 32768, 1000), [old])
    plugin = Plugin([empty])
    spec = make_spec(SPOT, scheduler_hints={"cospot:lifetime": ["1h"]})
    assert plugin.place([empty], spec) == ["a"]
    built = make_instance(SPOT, minute=5, uuid=spec.instance_uuid)
    full = make_state("a", (8, 32768, 1000), [old, built])
    plugin.hosts([full], make_spec(VM))
    assert victims(plugin, "a") == [old.uuid]


def facts(asked_s: float = 0.0, started_at: float = 100.0) -> InstanceFacts:
    return InstanceFacts("spot", Size(1, 1, 0), True, started_at, False, asked_s)


def test_the_book_of_promises(clock):
    clock.now = 1000.0
    book = PromiseBook(clock)
    assert book.promised_until(facts(5000.0)) is None  # lifetimes are not promised here
    book.counts_flavors = True
    assert book.promised_until(facts(5000.0)) == 5100.0
    assert book.promised_until(facts(900.0)) is None  # it is over
    assert book.promised_until(facts(5000.0, float("inf"))) == 6000.0  # it is being built
    assert book.promised_until(facts()) is None
    book.note(Promise("spot", 990.0, 60.0, 0.1))
    assert book.promised_until(facts(5000.0)) == 1050.0  # the hint counts before the flavor
    clock.now = 1050.0
    assert book.promised_until(facts()) is None


def test_the_book_forgets_what_is_over(clock):
    book = PromiseBook(clock)
    for number in range(5000):
        clock.now += 1.0
        book.note(Promise(str(number), clock.now, 10.0, 0.1))
    assert len(book._due_at) <= 1000
    assert book.promised_until(InstanceFacts("4999", Size(1, 1, 0), True, 0.0, False)) == 5010.0
