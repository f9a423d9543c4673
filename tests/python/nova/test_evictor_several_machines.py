"""Two evictors with folders and clocks of their own, and a database between them.

Each is a process. The clock of one is an hour ahead of the other's. What they did is what the cloud
saw, and what both audit logs say together.
"""

from __future__ import annotations

import signal
import time
from contextlib import closing
from typing import Any

import evictor_on_machine
import pytest
from cospot.nova.evictor.notices import METADATA_KEY
from cospot.nova.state import schema
from cospot.nova.state.database import StateDatabase
from evictor_running import PROACTIVE, Running, ServiceProcess, write_configuration
from state_servers import SERVERS
from waiting import PATIENCE_S, wait_until, written_records

HOUR = 3600.0


@pytest.fixture(params=SERVERS)
def state(request, tmp_path):
    """A database with empty tables."""
    url = f"sqlite:///{tmp_path}/state.db"
    if request.param == "mariadb":
        url = request.getfixturevalue("mariadb_url")
    made = StateDatabase(url, 2.0)
    made.upgrade()
    for table in (schema.LEASES, schema.ORDERS, schema.NOTICES, schema.STALLED_HOSTS):
        made.run(lambda done, each=table: done.execute(each.delete()))
    made.url = url  # type: ignore[attr-defined]
    with closing(made):
        yield made


class Machine:
    """A machine with a copy of the service."""

    def __init__(self, running: Running, name: str, skew: float, url: str, **settings: Any) -> None:
        self.folder = running.folder / name
        self.folder.mkdir()
        self.cut = self.folder / "cut"
        self._skew = skew
        self._configuration = write_configuration(
            self.folder, running.server.url, state_connection=url, state_timeout=2.0,
            retry_delay_max=0.3, **settings,
        )  # fmt: skip
        self.process: Any = None

    def start(self) -> Machine:
        self.process = ServiceProcess(
            self.folder / "log", evictor_on_machine.run, self._configuration, self._skew, self.cut
        )
        return self

    def end(self, number: int = signal.SIGKILL) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(number)
        self.process.wait(PATIENCE_S)

    def events(self, *names: str) -> list[dict[str, Any]]:
        records = written_records(self.folder / "state" / "audit.jsonl")
        return [each for each in records if each["event"] in names]

    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def machines(running, state):
    made: list[Machine] = []

    def make(name: str, skew: float = 0.0, **settings: Any) -> Machine:
        made.append(Machine(running, name, skew, state.url, **settings))
        return made[-1]

    yield make
    for machine in made:
        if machine.process is not None and machine.process.poll() is None:
            machine.end()


def full_hosts(running: Running, count: int) -> list[str]:
    """Hosts of 8 vCPUs that four spots fill."""
    return [running.full_host(4, f"h{number}")[0] for number in range(count)]


def arrive(running: Running, hosts: list[str]) -> None:
    """A VM of 2 vCPUs on each: one spot must go there."""
    for host in hosts:
        running.cloud.add(host, 2, 1024, spot=False, created=time.time())


def is_free(running: Running, hosts: list[str]) -> bool:
    return not any(running.cloud.over(host) for host in hosts)


def slow_orders(running: Running, seconds: float) -> None:
    """Have an order under way for so long: who looks meanwhile does not see it at Nova."""

    def before(method: str, path: str) -> None:
        if method == "POST" and path.endswith("/action"):
            time.sleep(seconds)

    running.cloud.before = before


def ordered(machine: Machine) -> list[str]:
    """Return the spots that a machine ordered to go, without those whose order failed."""
    found = [each["instance"] for each in machine.events("intent")]
    for each in machine.events("failed"):
        found.remove(each["instance"])
    return found


def check_one_spot_each(running: Running, hosts: list[str], *machines: Machine) -> None:
    """Each host lost one spot, which was ordered once."""
    assert len(running.cloud.deleted) == len(hosts), [each.log() for each in machines]
    assert sorted(running.cloud.orders) == sorted(running.cloud.deleted)
    assert sorted(spot for one in machines for spot in ordered(one)) == sorted(
        running.cloud.deleted
    )


def leases(state: StateDatabase) -> dict[str, str]:
    rows = state.run(lambda done: done.execute(schema.LEASES.select()).all())
    now = state.run(lambda done: done.now())
    return {row.name: row.owner for row in rows if row.until > now}


# -- both work ----------------------------------------------------------------------------------


def test_two_at_work_order_each_spot_once(running, machines):
    a, b = machines("a").start(), machines("b", HOUR).start()
    hosts = full_hosts(running, 4)
    slow_orders(running, 0.3)
    running.reconciles(6)
    for _ in range(2):
        arrive(running, hosts)
        wait_until(lambda: is_free(running, hosts), "all hosts are freed")
        running.reconciles(4)
    check_one_spot_each(running, hosts * 2, a, b)


# -- a partition --------------------------------------------------------------------------------


def test_one_that_is_cut_off_evicts_nothing_and_holds_nobody_up(running, machines):
    a, b = machines("a").start(), machines("b", HOUR).start()
    hosts = full_hosts(running, 3)
    running.reconciles(6)
    a.cut.touch()
    arrive(running, hosts)
    wait_until(lambda: is_free(running, hosts), "b frees all hosts")
    wait_until(lambda: "the cable is pulled" in a.log(), "a has tried")
    running.reconciles(4)
    assert a.events("intent") == []
    assert len(ordered(b)) == 3
    a.cut.unlink()
    b.cut.touch()
    arrive(running, hosts)
    wait_until(lambda: is_free(running, hosts), "a frees all hosts")
    assert len(ordered(a)) == 3
    check_one_spot_each(running, hosts * 2, a, b)


def test_without_the_database_nobody_evicts_until_it_is_back(running, machines):
    a, b = machines("a"), machines("b", -HOUR)
    a.cut.touch()  # from the start: the services start all the same
    b.cut.touch()
    a.start()
    b.start()
    hosts = full_hosts(running, 3)
    arrive(running, hosts)
    tried = lambda machine: machine.log().count("the cable is pulled") >= 5  # noqa: E731
    wait_until(lambda: tried(a) and tried(b), "both try in vain")
    assert running.cloud.deleted == []
    a.cut.unlink()
    b.cut.unlink()
    wait_until(lambda: is_free(running, hosts), "all hosts are freed")
    running.reconciles(4)
    check_one_spot_each(running, hosts, a, b)


# -- death and standstill -----------------------------------------------------------------------


def test_an_order_that_nova_never_heard_of_is_given_by_the_next_copy(running, machines, state):
    a, b = machines("a"), machines("b", HOUR)
    (host,) = full_hosts(running, 1)
    a.start()
    running.reconciles(4)
    a.cut.write_text("order")
    arrive(running, [host])
    assert a.process.wait(PATIENCE_S) == -signal.SIGKILL
    assert running.cloud.orders == []
    (row,) = state.run(lambda done: done.execute(schema.ORDERS.select()).all())
    b.start()
    wait_until(lambda: is_free(running, [host]), "b frees the host")
    assert running.cloud.deleted == [row.spot]
    (intent,) = b.events("intent")
    assert (intent["instance"], intent["chosen_by"]) == (row.spot, "note")


def test_one_that_is_told_to_stop_lets_go_of_its_leases(running, machines, state):
    a = machines("a", **PROACTIVE).start()
    running.cloud.add_host("h")
    wait_until(lambda: "cospot-evictor-notices" in leases(state), "a looks after the reserve")
    a.end(signal.SIGTERM)
    assert leases(state) == {}


# -- reserves -----------------------------------------------------------------------------------


def notices(running: Running) -> dict[str, str]:
    with running.cloud.lock:
        return {
            uuid: each.metadata[METADATA_KEY]
            for uuid, each in running.cloud.instances.items()
            if METADATA_KEY in each.metadata
        }


def is_told(state: StateDatabase, over: bool = False) -> bool:
    """Tell whether a notice is stored as given, and is over: one that is not is given anew."""
    rows = state.run(lambda done: done.execute(schema.NOTICES.select()).all())
    now = state.run(lambda done: done.now())
    return any(row.is_told and (row.evict_at < now or not over) for row in rows)


@pytest.mark.parametrize("skew", [HOUR, -HOUR])
def test_who_takes_the_reserves_over_keeps_to_given_notices(running, machines, state, skew):
    """By the clock of the one that takes over each notice would be over, or far off."""
    notice_s = 20.0
    a = machines("a", 0.0, notice_seconds=notice_s, **PROACTIVE).start()
    full_hosts(running, 1)
    wait_until(lambda: is_told(state), "a notice is given")
    assert len(notices(running)) == 1
    (owner,) = {each for name, each in leases(state).items() if name.endswith("notices")}
    b = machines("b", skew, notice_seconds=notice_s, **PROACTIVE).start()
    running.reconciles(4)
    assert b.events("notice", "intent") == []
    a.end()
    # By the clock of the other it would not be within PATIENCE_S.
    wait_until(lambda: bool(running.cloud.deleted), "the notice is carried out")
    (other,) = {each for name, each in leases(state).items() if name.endswith("notices")}
    assert other != owner
    assert b.events("notice", "notice_withdrawn") == []
    (intent,) = b.events("intent")
    assert intent["cause"] == "reserve" and intent["notice_s"] >= notice_s - 0.5
    running.cloud.violations.clear()  # it knows nothing of reserves


def test_one_that_is_cut_off_gives_and_carries_out_no_notice(running, machines, state):
    a = machines("a", 0.0, notice_seconds=6.0, **PROACTIVE).start()
    full_hosts(running, 1)
    wait_until(lambda: is_told(state), "a notice is given")
    a.cut.touch()
    wait_until(lambda: is_told(state, over=True), "it is over")
    running.reconciles(4)
    assert running.cloud.deleted == []
    b = machines("b", HOUR, notice_seconds=6.0, **PROACTIVE).start()
    wait_until(lambda: len(running.cloud.deleted) == 1, "b carries it out")
    a.cut.unlink()
    running.reconciles(6)
    assert len(running.cloud.deleted) == 1
    assert len(a.events("notice")) == 1 and b.events("notice") == []
    running.cloud.violations.clear()
