"""The scheduler's metrics: what is counted, and the files that processes and threads leave."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cospot.nova.scheduler import metrics
from cospot.nova.scheduler.filter import CospotFilter
from cospot.nova.scheduler.metrics import RequestTally, SchedulerMetrics, series
from cospot.nova.scheduler.pass_through import PassThrough
from nova import objects
from programs import at_once, run_python
from promise_cases import write_table
from scheduler_cases import SPOT, VM, Plugin, again, full_of_spots, make_spec, make_state
from waiting import wait_until


def text_of(counting: SchedulerMetrics) -> str:
    return counting._of_process[os.getpid()].as_text(0)


def counted(counting: SchedulerMetrics | None) -> dict[str, float]:
    """What is not 0, apart from times, by the text of its series without prefix and worker."""
    assert counting is not None
    found = re.findall(
        r'^cospot_scheduler_(\w+)\{worker="0",\w+="(\w+)"\} (\d+)$', text_of(counting), re.MULTILINE
    )
    return {
        f"{name} {value}": int(number)
        for name, value, number in found
        if int(number) and not name.startswith("duration")
    }


class Case:
    """A host full of spots and an empty one."""

    def __init__(self, folder: Path, set_option: Any, **options: Any) -> None:
        set_option(metrics_directory=str(folder / "prom"), **options)
        (folder / "prom").mkdir(exist_ok=True)
        self.states = [full_of_spots("a"), make_state("b")]
        self.plugin = Plugin(self.states)

    def place(self, flavor: Any, only: str = "ab", **fields: Any) -> dict[str, float]:
        states = [state for state in again(self.states) if state.host in only]
        self.plugin.hosts(states, make_spec(flavor, **fields))
        return self.counted()

    def counted(self) -> dict[str, float]:
        return counted(self.plugin.filter._metrics)


def test_off_by_default():
    plugin = Plugin([make_state("a")])
    assert plugin.filter._metrics is None and plugin.weigher._metrics is None


def test_decided_requests_and_spots_without_a_host(tmp_path, set_option):
    case = Case(tmp_path, set_option)
    case.place(VM)
    case.place(SPOT)
    assert case.place(SPOT, "a") == {
        "requests_total vm": 1,
        "requests_total spot": 2,
        "spots_refused_total capacity": 1,
    }
    # Only the VM was weighed: Nova weighs nothing where one host or none is left.
    assert 'duration_seconds_count{worker="0",part="filter"} 3' in text_of(
        case.plugin.filter._metrics
    )
    assert 'duration_seconds_count{worker="0",part="weigher"} 1' in text_of(
        case.plugin.weigher._metrics
    )


def test_alternates_are_no_second_request(tmp_path, set_option):
    case = Case(tmp_path, set_option)
    spec = make_spec(SPOT)
    for _ in range(2):
        case.plugin.place(case.states, spec)
    assert case.counted() == {"requests_total spot": 1}


def test_a_reserve_or_a_lack_of_capacity_refuses(tmp_path, set_option):
    case = Case(tmp_path, set_option, default_reserve="16:0:1")
    for state in case.states:
        state.aggregates = []
    # Host b alone has 16 free vCPUs; host a has none, reserve or not.
    assert case.place(SPOT)["spots_refused_total reserve"] == 1
    assert case.place(SPOT, "a")["spots_refused_total capacity"] == 1


def test_no_host_in_the_aggregates(tmp_path, set_option):
    case = Case(tmp_path, set_option, aggregates=["spots"])
    for state in case.states:
        state.aggregates = [objects.Aggregate(name="other")]
    assert case.place(SPOT) == {"requests_total spot": 1, "spots_refused_total aggregates": 1}


def test_what_spots_that_ask_for_a_lifetime_are_told(tmp_path, set_option):
    table = write_table(tmp_path / "promises.json")
    case = Case(
        tmp_path,
        set_option,
        lifetime_target=0.05,
        lifetime_promises=str(table),
        lifetime_hints="all",
    )
    for lifetime in ("1h", "1000d", "soon"):
        case.place(SPOT, scheduler_hints={"cospot:lifetime": [lifetime]})
    table.unlink()
    case.place(SPOT, scheduler_hints={"cospot:lifetime": ["1h"]})
    assert case.place(SPOT) == {
        "requests_total spot": 5,
        "spots_refused_total lifetime": 2,
        "promises_total given": 1,
        "promises_total denied": 1,
        "promises_total malformed": 1,
        "promises_total unavailable": 1,
    }


def test_failures(tmp_path, set_option):
    case = Case(tmp_path, set_option)

    def fail(*arguments: Any, **options: Any) -> Any:
        raise RuntimeError("a bug")

    case.plugin.filter._decider.decide = fail
    case.place(VM)
    case.place(SPOT)
    set_option(evictor="FOO")
    case.place(VM)
    assert case.place(SPOT) == {
        "requests_total vm": 2,
        "requests_total spot": 2,
        "passed_through_total failure": 1,
        "passed_through_total configuration": 1,
        "spots_refused_total failure": 1,
        "spots_refused_total configuration": 1,
    }


@pytest.mark.parametrize("switch", [{"enabled": False}, {"dry_run": True}])
def test_switched_off(tmp_path, set_option, switch):
    case = Case(tmp_path, set_option, **switch)
    reason = "disabled" if "enabled" in switch else "dry_run"
    case.place(VM)
    assert case.place(SPOT, "a") == {
        "requests_total vm": 1,
        "requests_total spot": 1,
        f"passed_through_total {reason}": 2,
    }


def test_without_the_compiled_module(tmp_path, set_option):
    set_option(metrics_directory=str(tmp_path))
    broken = CospotFilter(PassThrough(ImportError("for another Python")))
    full = full_of_spots("a")
    broken.filter_all([full], make_spec(VM))
    broken.filter_all([full], make_spec(SPOT))
    assert counted(broken._metrics) == {
        "requests_total vm": 1,
        "requests_total spot": 1,
        "passed_through_total module": 2,
        "spots_refused_total capacity": 1,
    }


def test_the_text_is_that_of_prometheus(tmp_path):
    parser = pytest.importorskip("prometheus_client.parser", reason="needs prometheus_client")
    counting = SchedulerMetrics(str(tmp_path))
    # 0.5 ms is within the first bucket, 3 ms in the fourth (5 ms), 9 s in none but +Inf.
    for seconds in (0.0005, 0.003, 9.0):
        counting.note_request(RequestTally("spot", refused="capacity"), seconds)
    families = {
        family.name: family for family in parser.text_string_to_metric_families(text_of(counting))
    }
    samples = [sample for family in families.values() for sample in family.samples]
    assert {sample.name: set(sample.labels) for sample in samples} == series()
    assert families["cospot_scheduler_requests"].type == "counter"
    found = [
        (sample.name.removeprefix("cospot_scheduler_duration_seconds_"), sample.value)
        for sample in families["cospot_scheduler_duration_seconds"].samples
        if sample.labels["part"] == "filter"
    ]
    assert [value for name, value in found if name == "bucket"] == [1.0] * 3 + [2.0] * 10 + [3.0]
    assert found[-2:] == [("sum", 0.0005 + 0.003 + 9.0), ("count", 3.0)]


class GivesWay(dict[Any, int]):
    """Lets another thread run between a count's reading and its writing."""

    def __getitem__(self, key: Any) -> int:
        found = super().__getitem__(key)
        time.sleep(0)
        return found


def test_threads_lose_no_request(tmp_path):
    counting = SchedulerMetrics(str(tmp_path), every=0.001)  # and one thread that reads meanwhile
    counting.note_request(RequestTally(), 0.01)
    counts = counting._of_process[os.getpid()]
    counts.counters = GivesWay(counts.counters)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        at_once(lambda: [counting.note_request(RequestTally(), 0.01) for _ in range(500)], 8)
    finally:
        sys.setswitchinterval(switch)
    assert counted(counting) == {"requests_total vm": 4001}
    assert 'duration_seconds_count{worker="0",part="filter"} 4001' in text_of(counting)


def values(folder: Path) -> dict[str, int]:
    """What the collector would read of VMs, by worker."""
    text = ""
    for file in folder.glob("*.prom"):
        with contextlib.suppress(FileNotFoundError):  # of a worker that was killed, just taken away
            text += file.read_text()
    found = re.findall(r'requests_total\{worker="(\d+)",kind="vm"\} (\d+)', text)
    assert len(dict(found)) == len(found)  # else node_exporter refuses them all
    return {worker: int(number) for worker, number in found}


WORKER = """
import sys, time
from cospot.nova.scheduler.metrics import RequestTally, SchedulerMetrics
counting = SchedulerMetrics(sys.argv[1], every=0.05)
for _ in range(int(sys.argv[2])):
    counting.note_request(RequestTally(), 0.001)
time.sleep(600)
"""


def start_worker(folder: Path, requests: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WORKER, str(folder), str(requests)])


def test_processes_have_numbers_that_their_successors_take(tmp_path):
    workers = []
    try:
        for number, requests in enumerate((3, 5)):
            workers.append(start_worker(tmp_path, requests))
            # The first writing may be of its first request alone.
            wait_until(lambda n=str(number), all_of=requests: values(tmp_path).get(n) == all_of)
        assert values(tmp_path) == {"0": 3, "1": 5}
        # One is killed: the other takes its file away, and a new one its number.
        workers[0].kill()
        wait_until(lambda: values(tmp_path) == {"1": 5})
        workers.append(start_worker(tmp_path, 7))
        wait_until(lambda: values(tmp_path) == {"0": 7, "1": 5})
        assert oct((tmp_path / "cospot-scheduler-0.prom").stat().st_mode)[-3:] == "644"
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def test_a_forked_process_counts_for_itself(tmp_path):
    counting = SchedulerMetrics(str(tmp_path), every=0.05)
    counting.note_request(RequestTally(), 0.001)
    wait_until(lambda: values(tmp_path) == {"0": 1})
    lock = counting._of_process[os.getpid()].lock
    with lock:  # as a thread may hold it while another one forks
        child = os.fork()
        if child == 0:
            counting.note_request(RequestTally(), 0.001)
            counting.note_request(RequestTally(), 0.001)
            time.sleep(600)
            os._exit(0)
    try:
        wait_until(lambda: values(tmp_path) == {"0": 1, "1": 2})
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_bad_directory_stops_nothing_and_is_said_once(tmp_path, set_option, caplog):
    caplog.set_level(logging.INFO)
    folder = tmp_path / "missing"
    set_option(metrics_directory=str(folder))
    counting = SchedulerMetrics(str(folder), every=0.01)
    plugin = Plugin([make_state("a")])
    plugin.filter._metrics = counting

    def place() -> bool:
        return plugin.hosts([make_state("a")], make_spec(VM)) != []

    assert place()
    wait_until(lambda: counting._of_process[os.getpid()].problem)
    for _ in range(20):
        assert place()
        time.sleep(0.005)
    assert caplog.text.count("missing: cannot be written: No such file or directory") == 1
    assert plugin.filter.failures == 0
    folder.mkdir()
    wait_until(lambda: place() and "missing: written again" in caplog.text)
    assert list(values(folder)) == ["0"]


@pytest.mark.parametrize("endings", [("tmp", "prom"), ("lock",)])
def test_a_file_that_is_a_link_is_not_followed(tmp_path, endings):
    precious = tmp_path / "precious"
    precious.write_text("precious")
    folder = tmp_path / "prom"
    folder.mkdir()
    for ending in endings:
        (folder / f"cospot-scheduler-0.{ending}").symlink_to(precious)
    counting = SchedulerMetrics(str(folder), every=0.01)
    counting.note_request(RequestTally(), 0.001)
    if endings == ("lock",):
        wait_until(lambda: counting._of_process[os.getpid()].problem)
    else:
        wait_until(lambda: values(folder) == {"0": 1})
        assert not (folder / "cospot-scheduler-0.prom").is_symlink()
    assert precious.read_text() == "precious"


def test_a_directory_that_is_made_anew_gets_its_files_again(tmp_path):
    folder = tmp_path / "prom"
    folder.mkdir()
    counting = SchedulerMetrics(str(folder), every=0.01)
    counting.note_request(RequestTally(), 0.001)
    wait_until(lambda: values(folder) == {"0": 1})
    folder.rename(tmp_path / "old")
    folder.mkdir()
    wait_until(lambda: values(folder) == {"0": 1})
    # Its lock is in the new one: nobody else gets this number.
    assert metrics._lock(folder / "cospot-scheduler-0.lock") is None


GREEN = """
import eventlet
eventlet.monkey_patch()
import sys, time
from pathlib import Path
from cospot.nova.scheduler.metrics import RequestTally, SchedulerMetrics
counting = SchedulerMetrics(sys.argv[1], every=0.01)
file = Path(sys.argv[1], "cospot-scheduler-0.prom")
for number in (1, 2):
    counting.note_request(RequestTally(), 0.001)
    deadline = time.monotonic() + 300
    # Never gives way to a green thread.
    while not file.exists() or f'kind="vm"}} {number}' not in file.read_text():
        assert time.monotonic() < deadline
print("written")
"""


def test_eventlet_does_not_keep_it_from_writing(tmp_path):
    pytest.importorskip("eventlet", reason="needs python3-eventlet")
    done = run_python("-c", GREEN, tmp_path)
    assert done.stdout == "written\n", done.stderr


def test_filter_and_weigher_count_together(tmp_path, set_option):
    case = Case(tmp_path, set_option)
    assert case.plugin.filter._metrics is case.plugin.weigher._metrics
