"""Hosts whose list of instances and own report cannot both be true, as after a live migration."""

from __future__ import annotations

import copy
import os
from typing import Any

from cospot.nova.scheduler.instance_facts import InstanceReader
from cospot.nova.scheduler.list_check import ListCheck
from scheduler_cases import SPOT, VM, Plugin, full_of_spots, make_flavor, make_instance, make_state

LARGE = make_flavor(16, 16384)
LARGE_SPOT = make_flavor(16, 16384, spot=True)


class Database:
    """Instances by host; counts how often it was asked."""

    def __init__(self, **hosts: list[Any]) -> None:
        self.hosts = hosts
        self.asked: list[list[str]] = []
        self.is_down = False

    def __call__(self, cell: str, hosts: list[str]) -> list[Any]:
        assert cell == "cell1"
        self.asked.append(sorted(hosts))
        if self.is_down:
            raise ConnectionError("no database")
        found = []
        for host in hosts:
            for instance in self.hosts.get(host, []):
                instance.host = instance.node = host
                found.append(instance)
        return found


class CountingReader(InstanceReader):
    """Counts how often a host's instances were read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def read(self, *arguments: Any) -> Any:
        self.reads += 1
        return super().read(*arguments)


class Case:
    """A plugin with a database and a clock that stands still."""

    def __init__(self, states: list[Any], database: Any) -> None:
        self.now = 0.0
        for state in states:
            state.cell_uuid = "cell1"
        lists = ListCheck(database, clock=lambda: self.now)
        self.reader = CountingReader()
        self.plugin = Plugin(states, lists=lists, reader=self.reader, clock=lambda: self.now)

    def place(self, states: list[Any], flavor: Any) -> list[str]:
        return self.plugin.place(states, flavor)


def report(state: Any, *flavors: Any) -> None:
    """Have a host report that it uses what these flavors take."""
    state.vcpus_used = sum(flavor.vcpus for flavor in flavors)
    used_mb = 512 + sum(flavor.memory_mb for flavor in flavors)
    state.free_ram_mb = state.total_usable_ram_mb - used_mb


def update(state: Any) -> None:
    """Have a host's compute tell of its instances once more, which makes new objects of them."""
    state.instances = {uuid: copy.copy(one) for uuid, one in state.instances.items()}


def test_what_has_left_by_live_migration_leaves_its_capacity():
    """The source reports that it is empty, and Nova's list of it has the VM until the next sync."""
    moved = make_instance(LARGE)
    source, target = make_state("a", instances=[moved]), full_of_spots("b")
    database = Database(a=[moved], b=[])
    case = Case([source, target], database)
    assert case.place([source, target], SPOT) == []
    report(source)
    report(target, LARGE)
    database.hosts = {"a": [], "b": [moved]}
    assert case.place([source, target], LARGE_SPOT) == ["a"]
    assert database.asked == [["a"]]  # of what a host builds it hears soon: no reason to ask yet


def test_a_spot_that_has_come_by_live_migration_is_a_spot():
    """The target reports more than is listed: a VM, until the database says what it is."""
    moved = make_instance(LARGE_SPOT, minute=1)
    target = make_state("b")
    report(target, LARGE_SPOT)
    database = Database(b=[moved])
    case = Case([target], database)
    assert case.place([target], SPOT) == []
    assert database.asked == []
    case.now = 5.0
    assert case.place([target], LARGE) == ["b"]
    assert case.plugin.victims() == [[moved.uuid]]


def test_a_resize_that_was_reverted_on_its_own_host_counts_no_more(caplog):
    """Nova tells schedulers of the new size, not of the way back, and syncs compare UUIDs only."""
    caplog.set_level("INFO", "cospot")
    resized = make_instance(LARGE)  # 16 vCPUs, all that the host has
    was = make_instance(VM, uuid=resized.uuid)
    host = make_state("a", instances=[resized])
    report(host, VM)
    database = Database(a=[was])
    case = Case([host], database)
    assert case.place([host], SPOT) == ["a"]
    assert database.asked == [["a"]]
    assert f"has ['{was.uuid}'] with a former size" in caplog.text
    # Next to the VM and that spot there are not 16 vCPUs.
    assert case.place([host], LARGE_SPOT) == []
    # It is resized again, which its compute tells: the list counts.
    host.instances = {resized.uuid: make_instance(LARGE, uuid=resized.uuid)}
    report(host, LARGE)
    case.now = 100.0
    assert case.place([host], SPOT) == []
    assert database.asked == [["a"]]


def test_what_nova_hears_counts_again():
    moved = make_instance(LARGE)
    source = make_state("a", instances=[moved])
    report(source)
    database = Database()
    case = Case([source], database)
    assert case.place([source], LARGE_SPOT) == ["a"]
    # It comes back: the compute says so with a new object, and reports it.
    back = make_instance(LARGE, uuid=moved.uuid)
    source.instances = {back.uuid: back}
    report(source, LARGE)
    case.now = 100.0
    assert case.place([source], SPOT) == []
    assert len(database.asked) == 1


def test_the_database_is_asked_ever_less_while_nothing_changes():
    """A resize that nobody confirms: the old host keeps its use, which is no instance there."""
    source = make_state("a")
    report(source, LARGE)
    database = Database()
    case = Case([source], database)
    asked_at = []
    for second in range(200):
        case.now = float(second)
        before = len(database.asked)
        assert case.place([source], SPOT) == []
        if len(database.asked) > before:
            asked_at.append(second)
        if second == 4:
            reads = case.reader.reads
    # After 5 s, then with pauses of 1, 2, 4, 8, 16, 32 and 64 s.
    assert asked_at == [5, 6, 8, 12, 20, 36, 68, 132]
    # For each question it is read before it and with its answer, and never in between.
    assert case.reader.reads == reads + 2 * 8


def test_a_host_that_always_reports_more_is_not_read_for_each_request():
    """What it reports beyond its list is use by VMs all the same."""
    states = [make_state(f"h{i:02}", instances=[make_instance(VM)]) for i in range(20)]
    for state in states:
        report(state, VM, LARGE)  # 20 of 16 vCPUs
    database = Database(**{state.host: list(state.instances.values()) for state in states})
    case = Case(states, database)
    for case.now in (0.0, 5.0, 6.0):
        assert case.place(states, SPOT) == []
    reads = case.reader.reads
    for case.now in (6.5, 7.0, 7.5):
        assert case.place(states, SPOT) == []
    assert case.reader.reads == reads
    # What one of them shows is read at once, that one alone.
    report(states[3])
    assert case.place(states, SPOT) == ["h03"]
    assert case.reader.reads == reads + 2  # and with what the database says of it


def test_an_instance_that_is_reported_before_it_is_listed_is_no_free_capacity():
    """Another scheduler's VM is built on a host that has reported more than it lists for hours."""
    state = make_state("a")
    report(state, VM)
    case = Case([state], Database())
    for case.now in (0.0, 5.0, 6.0, 8.0, 12.0, 20.0, 10_000.0):
        assert case.place([state], make_flavor(16, 1024, spot=True)) == []
    report(state, VM, make_flavor(8, 8192))  # 12 of 16 vCPUs
    assert case.place([state], make_flavor(5, 1024, spot=True)) == []
    assert case.place([state], SPOT) == ["a"]


def test_a_database_that_is_away_changes_nothing(caplog):
    gone = make_instance(LARGE)
    source = make_state("a", instances=[gone])
    report(source)
    database = Database()
    database.is_down = True
    case = Case([source], database)
    assert case.place([source], SPOT) == []
    assert case.place([source], SPOT) == []
    assert len(database.asked) == 1 and "could not be read" in caplog.text
    database.is_down = False
    case.now = 1.0
    assert case.place([source], SPOT) == ["a"]


def test_hosts_are_asked_about_together_and_not_for_too_long():
    states = [make_state(f"h{i:02}", instances=[make_instance(VM)]) for i in range(50)]
    for state in states:
        report(state)
    database = Database()
    case = Case(states, database)
    case.place(states, SPOT)
    assert [len(hosts) for hosts in database.asked] == [20, 20, 10]

    slow = Database()
    case = Case(states, slow)

    def take_long(cell: str, hosts: list[str]) -> list[Any]:
        case.now += 0.4
        return slow(cell, hosts)

    case.plugin.filter._decider._mirror._lists._load = take_long
    case.place(states, SPOT)
    assert len(slow.asked) == 2  # at 0 and 0.4 s; half a second is what a request waits


def test_reports_that_agree_ask_nobody():
    database = Database()
    states = [full_of_spots("a"), make_state("b", instances=[make_instance(VM)])]
    case = Case(states, database)
    for _ in range(3):  # decisions that are not reported yet are no disagreement
        case.place(states, SPOT)
        case.now += 10.0
    assert database.asked == []


def test_questions_that_are_put_again_take_little_of_the_time():
    """400 hosts disagree for good, and a question about 20 of them takes 0.11 s."""
    states = [make_state(f"h{i:03}") for i in range(400)]
    for state in states:
        report(state, VM)
    database = Database()

    def take_long(cell: str, hosts: list[str]) -> list[Any]:
        case.now += 0.11
        return database(cell, hosts)

    case = Case(states, take_long)
    case.place(states, LARGE_SPOT)
    case.place(states, LARGE_SPOT)  # with the inventories that were read meanwhile
    first = 0
    case.now = 5.0
    while first < 20:  # 100 hosts a request, 5 questions
        before = len(database.asked)
        case.place(states, LARGE_SPOT)
        assert len(database.asked) == before + 5
        first += 5
    first_until = case.now
    for _ in range(200):
        case.now += 0.5
        case.place(states, LARGE_SPOT)
    asking = 0.11 * (len(database.asked) - first)
    assert 0.02 < asking / (case.now - first_until) < 0.06


def test_a_host_that_other_filters_leave_out_when_its_question_is_due():
    """It is asked about at the next request that it is in."""
    odd, other = make_state("a"), full_of_spots("b")
    report(odd, LARGE)
    database = Database()
    case = Case([odd, other], database)
    assert case.place([odd, other], SPOT) == []
    for case.now in (5.0, 6.0):
        assert case.place([other], SPOT) == []
    assert database.asked == []
    assert case.place([odd, other], SPOT) == []
    assert database.asked == [["a"]]


def test_a_list_that_adds_up_is_not_believed_after_a_fork():
    """A worker begins with its parent's list: a spot that is gone, for one as large that runs."""
    gone, runs = make_instance(LARGE_SPOT), make_instance(LARGE_SPOT, minute=1)
    state = make_state("a", instances=[gone])
    case = Case([state], Database(a=[runs]))
    reading, writing = os.pipe()
    worker = os.fork()
    if worker == 0:
        hosts = case.place([state], LARGE)
        victims = case.plugin.victims()
        os.write(writing, repr((hosts, victims)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        assert said.read() == repr((["a"], [[runs.uuid]]))
    os.waitpid(worker, 0)
    # Its parent believes its own.
    assert case.place([state], LARGE) == ["a"]
    assert case.plugin.victims() == [[gone.uuid]]


def test_lists_are_believed_again_when_computes_have_synchronized_them():
    state = full_of_spots("a")
    spots = list(state.instances.values())
    database = Database(a=spots)
    case = Case([state], database)
    case.plugin.filter._decider._mirror._lists.distrust()
    asked = []
    for case.now in (0.0, 1.0, 239.0, 241.0):
        update(state)
        assert case.place([state], SPOT) == []
        asked.append(len(database.asked))
    assert asked == [1, 2, 3, 3]


def test_hosts_that_are_not_believed_are_asked_about_as_far_as_time_allows():
    states = [full_of_spots(f"h{i:02}") for i in range(50)]
    database = Database(**{state.host: list(state.instances.values()) for state in states})

    def take_long(cell: str, hosts: list[str]) -> list[Any]:
        case.now += 0.4
        return database(cell, hosts)

    case = Case(states, take_long)
    case.place(states, SPOT)
    case.place(states, SPOT)  # with the inventories that were read meanwhile
    assert database.asked == []
    case.plugin.filter._decider._mirror._lists.distrust()
    for state in states:
        update(state)
    for requests, asked in ((1, [20, 20]), (2, [20, 20, 10]), (3, [20, 20, 10])):
        assert case.place(states, SPOT) == [], requests
        assert [len(hosts) for hosts in database.asked] == asked
