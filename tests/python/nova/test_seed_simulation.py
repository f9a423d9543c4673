"""The simulation by seed: it finds nothing but what is planted, and its stand-ins are true."""

from __future__ import annotations

import os
import re
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from evictor_running import audit_records
from measure_service import Bench
from programs import run_python
from seeds.contract import ModelStage, Script
from seeds.scenario import draw
from waiting import wait_until

NOVA_TESTS = Path(__file__).parents[2] / "nova"
SEEDS = 2000


def run(*arguments: str) -> Any:
    """Run it as tests/nova/seeds/run.sh does, with this Python."""
    path = os.pathsep.join([str(NOVA_TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
    return run_python("-m", "seeds", "--workers", "1", *arguments, env=environment, timeout=1800)


# Two, so that two processors share the work.
@pytest.mark.parametrize("first", [0, 500])
def test_no_seed_finds_anything(first):
    done = run("--from", str(first), "--seeds", "500")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("500 seeds")


def test_seeds_have_what_clouds_suffer_from():
    """Of 2,000 seeds a share that chance alone does not miss: 1 % are 20 of them."""
    drawn = [draw(seed) for seed in range(SEEDS)]
    kinds = [
        sum(any(each.kind == "fail_vm" for each in one.actions) for one in drawn),
        sum(any("never" in each.values for each in one.actions) for one in drawn),
        sum("default_reserve" in one.plugin for one in drawn),
    ]
    assert min(kinds) > SEEDS // 100, kinds


def test_evictions_leave_nothing_but_lines(tmp_path):
    """Only the logs grow by the eviction: log and audit log by 1 and 2 lines; else by the host."""
    hosts = 4
    bench = Bench(tmp_path, hosts, has_database=False)

    def evict(count: int) -> Any:
        bench.evict_until(count)
        orders = len(bench.cloud.deleted)
        wait_until(lambda: bench.sample().figures["audit lines"] >= 2 * orders, "the ends of all")
        return bench.sample()

    try:
        bench.wait_until_known()
        before, after = evict(64), evict(160)
    finally:
        bench.close()
    assert bench.cloud.violations == []
    grown = {name: after.figures[name] - before.figures[name] for name in before.figures}
    assert grown["log lines"] == after.evictions - before.evictions, grown
    # Of each host a lock, and a counter with the time of its making.
    assert grown["state files"] <= hosts and grown["series"] <= 2 * hosts, grown


@pytest.mark.slow
def test_the_known_bugs_are_found():
    done = run("--bugs")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("found   ") >= 10


def test_a_seed_is_replayed_to_the_byte():
    traces = {run("--seed", "12").stdout for _ in range(2)}
    assert len(traces) == 1
    assert len(traces.pop().splitlines()) > 10


def test_what_is_found_is_shrunk_and_told():
    done = run("--seeds", "400", "--bug", "inventory-flap")
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    (told,) = [each for each in lines if "of them needed" in each]
    drawn, needed = (int(each) for each in re.findall(r"(\d+) (?:actions|of them)", told))
    assert 0 < needed < drawn
    start = lines.index(told)
    assert any("orders that spot" in each for each in lines[start:])
    assert len(lines) - start < 20
    assert lines[-1].startswith("all of it: tests/nova/seeds/run.sh --seed ")


def test_the_model_in_real_time_answers_as_in_the_simulation(running):
    """So what stands in for threads, clocks and files in the simulation does as they do."""
    cloud = running.cloud
    service = running.make(overcommit_grace=3600, evictor="FIFO")
    records = partial(audit_records, running.folder)
    stage = ModelStage(cloud, service, lambda s: time.sleep(s / 10), time.time, records)
    in_real_time = Script(stage).play()
    cloud.violations.clear()  # the script deletes one without need, to see the answers
    simulated = run("--contract")
    assert simulated.returncode == 0, simulated.stderr
    assert in_real_time == simulated.stdout.splitlines()
    assert any('"chosen_by": "plan"' in line for line in in_real_time)
