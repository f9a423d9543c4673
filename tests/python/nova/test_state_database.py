"""What copies of the evictor share: versions of the tables, leases, orders, time limits."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
import sqlalchemy as sa
from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.promises.promise_message import Promise
from cospot.nova.state import leases as leases_module
from cospot.nova.state import schema
from cospot.nova.state.database import StateClock, StateDatabase, StateError
from cospot.nova.state.errors import SettingError
from cospot.nova.state.leases import Leases, LostLeaseError
from cospot.nova.state.notices import SharedNotices
from cospot.nova.state.orders import OrderedElsewhereError, SharedOrders
from cospot.nova.state.pending import GRACE_S
from cospot.nova.state.promise_records import SharedPromiseRecords
from cospot.nova.state.safeguards import BusyLockError, HostLocks, LockError
from cospot.nova.state.stalled import SharedStalledHosts
from cospot.nova.state.stores import Notice, StoreError
from programs import at_once
from state_servers import PASSWORD, SERVERS, deaf_server, has_mariadb
from waiting import wait_until

HOST, OTHER = "host-provider", "other-provider"


@pytest.fixture(params=SERVERS)
def url(request, tmp_path):
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/state.db"
    made: str = request.getfixturevalue("mariadb_url")
    engine = sa.create_engine(made)
    schema.METADATA.drop_all(engine)
    engine.dispose()
    return made


class Copy:
    """What a copy of the service has of the database."""

    def __init__(self, url: str, lasts: float = leases_module.LEASE_S) -> None:
        self.database = StateDatabase(url, 2.0)
        self.leases = Leases(self.database)
        self.leases.lasts = lasts
        self.orders = SharedOrders(self.database, self.leases, str)
        self.notices = SharedNotices(self.database, self.leases, "notices")
        self.stalled = SharedStalledHosts(self.database)
        self.journal = PromiseJournal(SharedPromiseRecords(self.database))
        self.locks = HostLocks(self.database.owner, 0.3, self.leases)


@pytest.fixture
def synced(url):
    assert StateDatabase(url, 2.0).upgrade() == [1]
    return url


@pytest.fixture
def copies(synced):
    return Copy(synced), Copy(synced)


def cut(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut a copy off: its connections are refused until `monkeypatch` is undone."""

    def refuse() -> Any:
        raise sa.exc.OperationalError("connect", {}, Exception("no route to host"))

    monkeypatch.setattr(copy.database._engine, "connect", refuse)


# -- versions -----------------------------------------------------------------------------------


def test_a_database_without_tables_is_not_used_until_they_are_made(url):
    copy = Copy(url)
    with pytest.raises(StateError, match="no tables of cospot; run cospot-nova db sync"):
        copy.orders.recent(HOST)
    assert "no tables" in copy.database.problem()
    assert copy.database.upgrade() == [1]
    assert copy.database.upgrade() == []
    assert copy.database.problem() == ""
    assert copy.orders.recent(HOST) == frozenset()


def test_an_upgrade_keeps_what_is_stored_and_says_whom_it_excludes(synced, monkeypatch):
    Copy(synced).stalled.put(HOST, "h", ["spot"])

    def add_column(connection: Any) -> None:
        connection.execute(sa.text("ALTER TABLE cospot_stalled_hosts ADD COLUMN note TEXT"))

    def step(oldest: int) -> list[schema.Upgrade]:
        return [schema.UPGRADES[0], schema.Upgrade(add_column, oldest)]

    old = list(schema.UPGRADES)
    monkeypatch.setattr(schema, "UPGRADES", step(1))
    newer = Copy(synced)
    with pytest.raises(StateError, match="have version 1, expected 2; run cospot-nova db sync"):
        newer.stalled.all()
    assert newer.database.upgrade() == [2]
    assert newer.stalled.all()[HOST].spots == ("spot",)
    # It only adds: a service of before goes on.
    monkeypatch.setattr(schema, "UPGRADES", old)
    assert Copy(synced).stalled.all()[HOST].spots == ("spot",)
    running = Copy(synced)
    running.stalled.all()
    newer.database.run(lambda done: done.execute(schema.SCHEMA.update().values(oldest_service=2)))
    with pytest.raises(StateError, match="needs a newer cospot than this one"):
        Copy(synced).stalled.all()
    # One that runs finds out, too.
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 31)
    with pytest.raises(StateError, match="needs a newer cospot than this one"):
        running.stalled.all()


# -- leases -------------------------------------------------------------------------------------


def test_a_lease_is_one_copy_s_until_it_lets_go(copies):
    a, b = copies
    with a.locks.hold(HOST):
        with pytest.raises(BusyLockError), b.locks.hold(HOST):
            raise AssertionError("two hold it")
        with b.locks.hold(OTHER):
            pass
    with b.locks.hold(HOST):
        pass


def test_who_looks_after_reserves_keeps_the_lease_until_it_stops(copies):
    a, b = copies
    for _ in range(2):
        with a.locks.hold("notices", waits=False, keeps=True):
            pass
        with pytest.raises(BusyLockError), b.locks.hold("notices", waits=False, keeps=True):
            raise AssertionError("two hold it")
    a.locks.close()
    with b.locks.hold("notices", waits=False, keeps=True):
        pass


def test_a_lease_that_nobody_renews_ends(synced):
    a, b = Copy(synced), Copy(synced)
    assert a.leases.take("cospot-evictor-x")
    assert not b.leases.take("cospot-evictor-x")
    a.leases.lasts = 0.3
    assert a.leases.take("cospot-evictor-x")
    wait_until(lambda: b.leases.take("cospot-evictor-x"), "it is over")
    assert not a.leases.take("cospot-evictor-x")


def test_a_lease_that_is_held_is_renewed(synced):
    a, b = Copy(synced, lasts=3.0), Copy(synced)

    def over() -> float:
        return float(a.database.run(lambda done: done.row(schema.LEASES, name).until))

    name = "cospot-evictor-" + HOST
    a.leases.start()
    with a.locks.hold(HOST):
        first = over()
        wait_until(lambda: over() > first + 1.0, "it is renewed")
        assert not b.leases.take(name)
    assert b.leases.take(name)
    a.locks.close()


def test_a_lease_that_is_over_is_not_revived(synced):
    a, b = Copy(synced, lasts=0.3), Copy(synced)
    a.leases.take("x")
    time.sleep(0.4)
    a.leases.renew_held()
    assert b.leases.take("x")


def test_of_many_that_ask_at_once_one_has_the_lease(synced):
    """Each adds one to a number without a guard: any two inside at once lose a step."""
    copies = [Copy(synced) for _ in range(4)]
    number = [0]

    def work() -> None:
        copy = copies.pop()
        locks = HostLocks(copy.database.owner, 30.0, copy.leases)
        for _ in range(5):
            with locks.hold(HOST):
                seen = number[0]
                time.sleep(0.002)
                number[0] = seen + 1

    at_once(work, 4)
    assert number[0] == 20


def test_a_wrong_clock_of_a_machine_changes_nothing(copies, monkeypatch):
    a, b = copies
    assert a.leases.take(HOST)
    a.orders.add(HOST, "spot")
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 86400)
    assert not b.leases.take(HOST)
    assert b.orders.recent(HOST) == {"spot"}
    assert abs(b.database.clock.now() - real()) < 5


def test_the_clock_goes_on_between_questions(clock):
    clock.now = 100.0
    of_database = StateClock(clock)
    assert abs(of_database.now() - time.time()) < 1
    of_database.heard(5000.0)
    clock.now += 7.5
    assert of_database.now() == 5007.5


# -- orders -------------------------------------------------------------------------------------


def test_an_order_is_seen_by_who_takes_the_host_over(copies):
    a, b = copies
    a.leases.take(HOST)
    a.orders.add(HOST, "spot")
    a.leases.release(HOST)
    assert b.orders.recent(HOST) == {"spot"}
    assert b.orders.recent(OTHER) == frozenset()
    b.leases.take(HOST)
    b.orders.add(HOST, "spot")  # asks Nova for the same once more
    a.orders.remove(HOST, "spot")  # its answer comes late: the order is another's by now
    assert a.orders.recent(HOST) == {"spot"}
    b.orders.remove(HOST, "spot")
    assert a.orders.recent(HOST) == frozenset()


def test_a_copy_that_stood_still_longer_than_its_lease_orders_nothing(synced):
    a, b = Copy(synced, lasts=0.3), Copy(synced)
    a.leases.take(HOST)
    time.sleep(0.4)
    b.leases.take(HOST)
    with pytest.raises(LostLeaseError):
        a.orders.add(HOST, "spot")
    b.orders.add(HOST, "another")
    assert b.orders.recent(HOST) == {"another"}


def test_without_the_lease_nothing_is_ordered(copies):
    a, b = copies
    with pytest.raises(LostLeaseError):
        a.orders.add(HOST, "spot")
    assert b.orders.recent(HOST) == frozenset()


def test_a_spot_is_ordered_on_one_of_its_hosts(copies):
    """An evacuated spot holds capacity of two hosts, which two copies may work on."""
    a, b = copies
    a.leases.take(HOST)
    b.leases.take(OTHER)
    a.orders.add(HOST, "spot")
    with pytest.raises(OrderedElsewhereError, match="orders it on host-provider"):
        b.orders.add(OTHER, "spot")
    a.orders.remove(HOST, "spot")
    b.orders.add(OTHER, "spot")


def test_an_order_without_an_answer_is_forgotten_by_the_database_s_clock(copies):
    a, b = copies
    a.leases.take(HOST)
    a.orders.add(HOST, "spot")
    table = schema.ORDERS
    older = table.update().values(ordered_at=table.c.ordered_at - GRACE_S)
    a.database.run(lambda done: done.execute(older))
    assert b.orders.recent(HOST) == frozenset()
    much_older = table.update().values(ordered_at=table.c.ordered_at - 10 * GRACE_S)
    a.database.run(lambda done: done.execute(much_older))
    a.orders.add(HOST, "another")
    left = a.database.run(lambda done: done.execute(table.select()).all())
    assert [row.spot for row in left] == ["another"]


def test_an_answer_that_cannot_be_noted_ages(copies, monkeypatch):
    a, b = copies
    a.leases.take(HOST)
    a.orders.add(HOST, "spot")
    with monkeypatch.context() as partition:
        cut(a, partition)
        a.orders.remove(HOST, "spot")  # raises nothing: Nova has the order
        with pytest.raises(StateError, match="no route to host"):
            a.orders.add(HOST, "another")
        with pytest.raises(StateError):
            a.orders.recent(HOST)
    assert b.orders.recent(HOST) == {"spot"}


def test_an_order_that_took_too_long_to_store_is_not_given(copies, monkeypatch, clock):
    a, _ = copies
    a.leases.take(HOST)

    def tick() -> float:
        clock.now += a.leases.lasts
        return clock.now

    monkeypatch.setattr("cospot.nova.state.orders.time.monotonic", tick)
    with pytest.raises(StateError, match="answers too late"):
        a.orders.add(HOST, "spot")


# -- notices, stalled hosts ---------------------------------------------------------------------


def test_notices_pass_to_the_next_copy_and_only_the_one_in_charge_writes(copies):
    a, b = copies
    notice = Notice("spot", HOST, "gold", 100.25, 220.5, 0.0, False)
    with pytest.raises(StoreError):
        a.notices.put(notice)
    a.leases.take("notices")
    a.notices.put(notice)
    a.notices.put(Notice("spot", HOST, "gold", 100.25, 220.5))
    assert b.notices.load() == [Notice("spot", HOST, "gold", 100.25, 220.5)]
    with pytest.raises(StoreError):
        b.notices.drop("spot")
    assert len(b.notices.all()) == 1
    a.leases.release("notices")
    b.leases.take("notices")
    b.notices.drop("spot")
    with pytest.raises(StoreError):
        a.notices.put(notice)
    assert a.notices.load() == b.notices.all() == []


def test_notices_that_cannot_be_read_stop_what_needs_them(copies, monkeypatch):
    cut(copies[0], monkeypatch)
    with pytest.raises(StoreError, match="no route to host"):
        copies[0].notices.load()


def test_stalled_hosts_are_seen_by_all(copies, monkeypatch):
    a, b = copies
    a.stalled.put(HOST, "h", ["one"])
    since = b.stalled.all()[HOST].since
    b.stalled.put(HOST, "h", ["one", "two"])
    assert a.stalled.spots(HOST) == ("one", "two")
    assert a.stalled.all()[HOST].since == since
    assert a.stalled.spots(OTHER) == ()
    a.stalled.remove(HOST)
    assert b.stalled.all() == {}
    cut(a, monkeypatch)
    a.stalled.put(HOST, "h", ["one"])  # what is known in memory is enough for now
    with pytest.raises(StateError):
        a.stalled.spots(HOST)


# -- promises -----------------------------------------------------------------------------------


def test_a_promise_is_known_to_all_and_broken_once(copies):
    a, b = copies
    now = time.time()
    promise = Promise("spot", now - 10, 3600.0, 0.05)
    assert a.journal.add(promise)
    assert not b.journal.add(Promise("spot", now, 60.0, 0.25))  # the first counts
    assert b.journal.promised_until("spot") == promise.due_at
    b.journal.saw(promise, runs=True, now=now)
    a.journal.refresh()
    assert a.journal.unseen(now + 1000, 1.0) == []
    broken = a.journal.evicted("spot", now)
    assert broken is not None and broken.broken_at == now
    assert b.journal.evicted("spot", now + 1) is None
    b.journal.refresh()
    for journal in (a.journal, b.journal):
        (counts,) = journal.counts(now, 1e6)
        assert (counts.target, counts.broken, counts.promised) == (0.05, 1, 1)
    a.journal.drop_old(now + 1e6, 86400.0)
    fresh = PromiseJournal(SharedPromiseRecords(a.database))
    fresh.refresh()
    assert fresh.counts(now, 1e6) == []


def test_a_promise_waits_in_memory_while_the_database_is_away(copies, monkeypatch):
    a, b = copies
    now = time.time()
    promise = Promise("spot", now, 3600.0, 0.05)
    with monkeypatch.context() as partition:
        cut(a, partition)
        assert a.journal.add(promise)
        assert a.journal.evicted("spot", now + 1) is not None
        with pytest.raises(StateError):
            a.journal.refresh()
    b.journal.refresh()
    assert b.journal.known("spot") is None
    a.journal.refresh()
    b.journal.refresh()
    known = b.journal.known("spot")
    assert known is not None and known.promise == promise and known.broken_at == now + 1


# -- time limits and bad settings ---------------------------------------------------------------


@pytest.mark.skipif(not has_mariadb(), reason="needs python3-pymysql and mariadb-server")
def test_a_server_that_never_answers_costs_the_time_limit():
    with deaf_server() as port:
        url = f"mysql+pymysql://cospot:{PASSWORD}@127.0.0.1:{port}/cospot"
        database = StateDatabase(url, 1.0)
        began = time.monotonic()
        with pytest.raises(StateError) as caught:
            database.problem()
        assert time.monotonic() - began < 25  # three tries of 1 s, not of the 10 s of the library
        assert PASSWORD not in str(caught.value)


def test_who_waits_for_a_row_waits_no_longer_than_the_time_limit(synced):
    a, b = Copy(synced), Copy(synced)
    b.database = StateDatabase(synced, 1.0)
    b.leases = Leases(b.database)
    a.leases.take("x")
    a.leases.release("x")
    took: list[float] = []

    def wait() -> None:
        began = time.monotonic()
        with pytest.raises(StateError):
            b.leases.take("x")
        took.append(time.monotonic() - began)

    def hold(done: Any) -> None:
        done.row(schema.LEASES, "x")
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()

    a.database.run(hold)
    assert 0.5 < took[0] < 40  # three tries of 1 s, not of the 50 s of the server


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nonsense", "cannot be read"),
        (f"mysql+pymysql://u:{PASSWORD}@h:port/d", "cannot be read"),
        (f"postgresql+nothing://u:{PASSWORD}@h/d", "nothing"),
        (f"mysql+mysqlconnector://u:{PASSWORD}@h/d", "mysqlconnector|mysql.connector"),
    ],
)
def test_a_url_that_cannot_be_used_is_a_bad_setting(text, problem):
    with pytest.raises(SettingError, match=problem) as caught:
        StateDatabase(text, 1.0)
    assert "[cospot_evictor] state_connection" in str(caught.value)
    assert PASSWORD not in str(caught.value)


def test_a_lock_whose_database_is_away_is_no_lock(copies, monkeypatch):
    cut(copies[0], monkeypatch)
    with pytest.raises(LockError, match="no route to host"), copies[0].locks.hold(HOST):
        raise AssertionError("it is held")
