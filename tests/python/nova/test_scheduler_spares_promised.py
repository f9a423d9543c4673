"""The scheduler plans by the promises that it knows of: such spots are evicted last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cospot.nova.promises.promise_message import Promise
from cospot.nova.scheduler.instance_facts import InstanceFacts, Size
from cospot.nova.scheduler.promise_book import PromiseBook
from promise_cases import write_table
from scheduler_cases import (
    SPOT,
    VM,
    Plugin,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    names,
    seen_again,
)

YEARS = 30 * 365 * 86400


def asking_flavor(lifetime: str) -> Any:
    flavor = make_flavor(4, 8192, spot=True)
    flavor.extra_specs["cospot:lifetime"] = lifetime
    return flavor


def victims(plugin: Plugin, host: str) -> list[str]:
    plans = [message for message in plugin.plans() if "hosts" in message]
    return next(one["victims"] for one in plans[-1]["hosts"] if one["host"] == host)


@pytest.mark.parametrize("policy", ["FIFO", "YJF"])
def test_a_plan_names_the_others_first(set_option: Any, tmp_path: Path, policy: str) -> None:
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


def test_without_a_target_nobody_is_promised_anything(set_option: Any) -> None:
    spots = [make_instance(asking_flavor(f"{YEARS}s")), make_instance(SPOT, minute=1)]
    state = make_state("a", (8, 32768, 1000), spots)
    plugin = Plugin([state])
    plugin.place([state], VM)
    assert victims(plugin, "a") == [spots[0].uuid]


def test_of_the_offered_hosts_the_one_where_no_promise_is_broken(
    set_option: Any, tmp_path: Path
) -> None:
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
        found = plugin.hosts([seen_again(one), seen_again(two)], make_spec(make_flavor(8, 1024)))
        chosen[otn, target] = names(found)[0]
    # One victim on a, two on b.
    assert chosen == {(2, 0.05): "b", (2, None): "a", (1, 0.05): "a"}


def test_a_promise_for_a_hint_is_known_where_it_was_given(set_option: Any, tmp_path: Path) -> None:
    """It has been built by now, and the host lists it beside an older one."""
    path = write_table(tmp_path / "promises.json")
    set_option(
        lifetime_target=0.05,
        lifetime_promises=str(path),
        lifetime_hints="all",
        evictor="YJF",
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


def test_the_book_of_promises() -> None:
    now = [1000.0]
    book = PromiseBook(lambda: now[0])
    assert book.promised_until(facts(5000.0)) is None  # lifetimes are not promised here
    book.counts_flavors = True
    assert book.promised_until(facts(5000.0)) == 5100.0
    assert book.promised_until(facts(900.0)) is None  # it is over
    assert book.promised_until(facts(5000.0, float("inf"))) == 6000.0  # it is being built
    assert book.promised_until(facts()) is None
    book.note(Promise("spot", 990.0, 60.0, 0.1))
    assert book.promised_until(facts(5000.0)) == 1050.0  # the hint counts before the flavor
    now[0] = 1050.0
    assert book.promised_until(facts()) is None


def test_the_book_forgets_what_is_over() -> None:
    now = [0.0]
    book = PromiseBook(lambda: now[0])
    for number in range(5000):
        now[0] += 1.0
        book.note(Promise(str(number), now[0], 10.0, 0.1))
    assert len(book._due_at) <= 1000
    assert book.promised_until(InstanceFacts("4999", Size(1, 1, 0), True, 0.0, False)) == 5010.0
