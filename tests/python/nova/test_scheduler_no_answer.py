"""Questions that nobody answers: no request waits for long, and threads do not pile up."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from cospot.nova.scheduler.claim_check import ClaimCheck
from cospot.nova.scheduler.decider import Decider
from cospot.nova.scheduler.instance_facts import InstanceReader
from cospot.nova.scheduler.list_check import ListCheck
from cospot.nova.scheduler.metrics import metrics_of
from cospot.nova.scheduler.questions import Asker, NoAnswerError
from nova import objects
from programs import run_python
from scheduler_cases import (
    SPOT,
    VM,
    Plugin,
    full_of_spots,
    make_flavor,
    make_instance,
    make_state,
    new_uuid,
)
from waiting import PATIENCE_S, wait_until

LARGE_SPOT = make_flavor(16, 16384, spot=True)


class Hanging:
    """A database that takes questions and does not answer until it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.answers = threading.Event()

    def __call__(self, *_: Any) -> list[Any]:
        self.asked += 1
        self.answers.wait(PATIENCE_S)
        return []


@pytest.fixture
def hanging():
    database = Hanging()
    yield database
    database.answers.set()


def test_an_answer_in_time_is_returned_and_an_error_raised():
    asker = Asker("database")
    assert asker.ask(lambda: 5, 10.0) == 5
    with pytest.raises(KeyError):
        asker.ask(lambda: {}["a"], 10.0)
    assert asker.may_ask()  # whoever asks decides whether an error is a reason to wait
    assert asker.take_unanswered() == 1
    assert asker.take_unanswered() == 0


def test_while_a_question_hangs_no_other_is_asked(hanging, clock):
    asker = Asker("database", clock)
    with pytest.raises(NoAnswerError, match=r"no answer within 0\.05 s"):
        asker.ask(hanging, 0.05)
    before = threading.active_count()
    clock.now = 3600.0
    for _ in range(20):
        assert not asker.may_ask()
        with pytest.raises(NoAnswerError):
            asker.ask(hanging, 0.05)
    assert hanging.asked == 1 and threading.active_count() == before
    hanging.answers.set()
    wait_until(asker.may_ask)
    assert asker.ask(lambda: "again", 10.0) == "again"
    assert asker.take_unanswered() == 1


def test_a_slow_service_is_asked_again_after_a_pause(clock):
    asker = Asker("placement", clock)
    with pytest.raises(NoAnswerError):
        asker.ask(lambda: time.sleep(0.05), 0.001)
    wait_until(lambda: not asker._overdue)
    assert not asker.may_ask()
    clock.now = Asker.PAUSE_S
    assert asker.may_ask()


class Case:
    """Requests to a plugin whose questions to the database hang."""

    def __init__(self, states: list[Any], **decider: Any) -> None:
        for state in states:
            state.cell_uuid = "cell1"
        self.states = states
        self.plugin = Plugin(states, **decider)
        self.place(make_flavor(1, 1))  # inventories, and threads that stay

    def place(self, flavor: Any) -> list[str]:
        return self.plugin.place(self.states, flavor)

    def place_all_the_time(self, flavor: Any) -> list[str]:
        """Return where ten requests went, which had to wait 0.1 s all together."""
        began = time.monotonic()
        (found,) = {tuple(self.place(flavor)) for _ in range(10)}
        assert 0.1 <= time.monotonic() - began < PATIENCE_S
        return list(found)


@pytest.fixture(autouse=True)
def short_wait(set_option):
    set_option(database_wait=0.1, spot_check_wait=0.0)


def test_novas_list_counts_where_the_database_hangs(hanging, caplog):
    """The host reports that it is empty, and lists a VM that has left it."""
    host = make_state("a", instances=[make_instance(make_flavor(16, 16384))])
    case = Case([host], lists=ListCheck(hanging), claim_check=ClaimCheck(lambda *_: []))
    host.vcpus_used = 0
    assert case.place_all_the_time(SPOT) == []
    assert hanging.asked == 1
    assert "no answer within" in caplog.text and "Traceback" not in caplog.text


def test_claims_count_where_the_database_hangs(hanging, clock):
    case = Case([make_state("a")], clock=clock, claim_check=ClaimCheck(hanging, clock))
    assert case.place(make_flavor(15, 16384)) == ["a"]
    clock.now = 3.0
    assert case.place_all_the_time(LARGE_SPOT) == []
    assert hanging.asked == 1
    clock.now = 61.0  # claim_seconds
    assert case.place(LARGE_SPOT) == ["a"]


def test_unknown_instances_count_as_vms_where_the_database_hangs(hanging):
    host = full_of_spots("a")
    for uuid in list(host.instances):
        host.instances[uuid] = stub = objects.Instance(uuid=uuid)
        stub._context = "cell1"
    case = Case([host, make_state("b")], reader=InstanceReader(hanging))
    assert case.place(VM) == ["b", "a"]
    assert hanging.asked == 1


def test_kinds_of_questions_to_the_database_hang_once_together(hanging):
    asker = Asker("database")
    stub = objects.Instance(uuid=new_uuid())
    stub._context = "cell1"
    host = make_state("a", instances=[make_instance(make_flavor(16, 16384))])
    case = Case(
        [host, make_state("b", instances=[stub])],
        lists=ListCheck(hanging, asker=asker),
        reader=InstanceReader(hanging, asker=asker),
    )
    assert hanging.asked == 1  # about the stub
    host.vcpus_used = 0
    assert case.place(LARGE_SPOT) == []
    assert hanging.asked == 1
    services = [each.service for each in Decider()._askers]
    assert sorted(services) == ["database", "placement", "placement"]


def test_they_are_counted(hanging, tmp_path, set_option):
    set_option(metrics_directory=str(tmp_path))
    host = make_state("a", instances=[make_instance(make_flavor(16, 16384))])
    case = Case([host], lists=ListCheck(hanging), claim_check=ClaimCheck(lambda *_: []))
    host.vcpus_used = 0
    case.place_all_the_time(SPOT)
    metrics = metrics_of(str(tmp_path))
    assert metrics is not None
    counters = metrics._of_process[os.getpid()].counters
    assert counters["unanswered_total", "database"] == 1
    assert counters["unanswered_total", "placement"] == 0
    gauge = 'cospot_scheduler_hanging_questions{worker="0",service="database"}'
    assert f"\n{gauge} 1\n" in metrics._of_process[os.getpid()].as_text(0)
    hanging.answers.set()
    wait_until(lambda: not case.plugin.filter._decider.hanging())
    # Without another request.
    assert f"\n{gauge} 0\n" in metrics._of_process[os.getpid()].as_text(0)
    # Inventories are read in the background too, between requests.
    case.plugin.placement.is_down = True
    case.states.append(make_state("b"))
    case.place(SPOT)
    case.place(SPOT)
    assert counters["unanswered_total", "placement"] >= 1


#: Nova's own objects ask a MySQL that takes connections and never says a word.
PROGRAM = """
import sys
if sys.argv[1] == "green":
    import eventlet
    eventlet.monkey_patch()
import socket
import threading
import time
import warnings

warnings.simplefilter("ignore")
import nova.conf
server = socket.create_server(("127.0.0.1", 0))
url = f"mysql+pymysql://nova:secret@127.0.0.1:{server.getsockname()[1]}/nova"
CONF = nova.conf.CONF
from nova import config
config.parse_args(["test"], default_config_files=[], configure_db=False, init_rpc=False)
for group in ("api_database", "database"):
    CONF.set_override("connection", url, group)
    CONF.set_override("max_retries", 0, group)
from nova.db.api import api as api_database
from nova.db.main import api as main_database
api_database.configure(CONF)
main_database.configure(CONF)

from scheduler_cases import *

ticks = 0


def tick():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.01)


threading.Thread(target=tick, daemon=True).start()
CONF.set_override("database_wait", 0.3, "cospot")
from cospot.nova.scheduler.live_options import live_options_of
live_options_of(CONF).take()
host = make_state("a", instances=[make_instance(make_flavor(16, 16384))])
stub = objects.Instance(uuid=new_uuid())
from nova import context
stub._context = context.get_admin_context()
other = make_state("b", instances=[stub])
host.vcpus_used = 0
host.cell_uuid = other.cell_uuid = new_uuid()
plugin = Plugin([host, other])
began, before = time.monotonic(), ticks
for _ in range(5):
    assert plugin.place([host], make_flavor(9, 9, spot=True)) == []
for _ in range(5):
    assert plugin.place([other], VM) == ["b"]
took = time.monotonic() - began
assert 0.3 <= took < 300, took
assert ticks - before > 1, ticks
decider = plugin.filter._decider
assert decider.take_unanswered() == ["database"]
[asker] = [each for each in decider._askers if each.service == "database"]
assert len(asker._overdue) == 1 and not asker.may_ask()
if sys.argv[1] != "green":
    asking = [each for each in threading.enumerate() if each.name == "cospot-asks-database"]
    assert len(asking) == 1, asking
server.close()  # resets what nobody took
deadline = time.monotonic() + 300
while asker._overdue:
    assert time.monotonic() < deadline
    time.sleep(0.01)
print("decided")
"""


@pytest.mark.parametrize("threads", ["green", "real"])
def test_a_database_that_takes_connections_and_says_nothing(threads):
    pytest.importorskip("eventlet", reason="needs python3-eventlet")
    pytest.importorskip("pymysql", reason="needs python3-pymysql")
    here = Path(__file__).parent
    path = f"{os.environ['PYTHONPATH']}:{here}:{here.parents[1]}"
    environment = {**os.environ, "PYTHONPATH": path}
    done = run_python("-c", PROGRAM, threads, cwd=here, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "decided"
