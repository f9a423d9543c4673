"""The owner of an evicted spot reads in Nova why it went."""

from __future__ import annotations

from typing import Any

import pytest
from cospot.nova.evictor import causes, owner_news
from evictor_running import Running
from waiting import wait_until

#: Of a service that evicts at once for a VM that has come lately.
TELLING: dict[str, Any] = {"overcommit_grace": 300, "reconcile_interval": 0.2, "tell_owners": True}


def evict_one(running: Running, **settings: Any) -> tuple[str, str]:
    """Have a VM displace the older of two spots, whose deletion takes its time."""
    running.cloud.freeing_takes = 0.5
    host, spots = running.full_host(2)
    vm = running.cloud.add(host, 4, 1024, spot=False)
    running.start(**{**TELLING, **settings})
    return spots[0], vm


@pytest.fixture(autouse=True)
def _recent(monkeypatch):
    """Instances of the cloud are new: what they claim is made free at once."""
    import evictor_cloud

    monkeypatch.setattr(evictor_cloud, "START", evictor_cloud.time.time() - 30)


def test_the_reason_is_told_with_a_lock_after_the_order(running):
    spot, vm = evict_one(running)
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    server = running.cloud.instances[spot]
    assert server.locked_by and server.locked_reason is not None
    assert server.locked_reason.startswith(
        "spot evicted (vm-claim): a regular server needs the capacity; 20"
    )
    assert vm not in server.locked_reason  # nor anything else of another customer
    posts = [each for each in running.cloud.requests if each.startswith("POST")]
    assert posts == [f"POST /nova/servers/{spot}/action"] * 2


def test_nobody_is_told_where_that_is_off(running):
    spot, _ = evict_one(running, tell_owners=False)
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    assert not running.cloud.instances[spot].locked_by


def test_the_lock_of_an_owner_stays_as_it_is(running):
    running.cloud.after = lambda method, path: None
    running.cloud.freeing_takes = 0.5
    host = running.cloud.add_host("a")
    spot = running.cloud.add(host, 8, 1024, spot=True, locked_by="owner", locked_reason="mine")
    running.cloud.add(host, 4, 1024, spot=False)
    running.start(**TELLING)
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    assert running.cloud.instances[spot].locked_reason == "mine"


LOCK = "spot evicted (vm-claim): a regular server needs the capacity; 2026-10-01"


@pytest.mark.parametrize("lock", [{}, {"locked_by": "admin", "locked_reason": LOCK}])
def test_a_spot_that_did_not_go_is_unlocked(running, lock):
    """The lock is of this service, or of one that was killed after it: this one's order fails."""
    spot = ""
    seen: list[str | None] = []

    def after(method: str, path: str) -> None:
        # Its compute gives up as soon as it is locked.
        with running.cloud.lock:
            found = running.cloud.instances.get(spot)
            if method == "POST" and found is not None and found.locked_by:
                running.cloud.fail(spot)
                seen.append(found.locked_reason)

    running.cloud.after = after
    host = running.cloud.add_host("a")
    spot = running.cloud.add(host, 4, 1024, spot=True, **lock)
    running.cloud.never_goes.add(spot)
    running.cloud.add(host, 4, 1024, spot=True)
    running.cloud.add(host, 4, 1024, spot=False)
    running.start(**TELLING)
    wait_until(lambda: bool(running.events("failed")), "its compute has given up")
    wait_until(lambda: not running.cloud.instances[spot].locked_by, "it is unlocked")
    assert seen and seen[0]


def test_a_lock_that_is_refused_stops_no_eviction(running):
    orders: list[str] = []

    def before(method: str, path: str) -> int | None:
        if method != "POST":
            return None
        orders.append(path)
        return 500 if len(orders) == 2 else None

    running.cloud.before = before
    spot, _ = evict_one(running)
    wait_until(lambda: bool(running.events("freed")), "the spot is freed")
    assert not running.cloud.instances[spot].locked_by and not running.events("failed")


def test_there_is_a_text_for_each_cause():
    names = ("VM_CLAIM", "SPOT_RACE", "CAPACITY_SHRANK", "PERSISTING", "RESERVE")
    assert set(owner_news.TEXTS) == {getattr(causes, name) for name in names}
    # Nova takes 255 characters.
    assert all(len(why) + len(text) < 200 for why, text in owner_news.TEXTS.items())
