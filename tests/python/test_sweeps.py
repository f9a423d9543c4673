"""cospot.sweep on this machine and on Dask clusters of processes: the same database comes out."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot.sweeps.dask_sweep import local_cluster
from database_rows import run_rows
from programs import printed_by
from waiting import PATIENCE_S

pytest.importorskip("distributed", reason="dask.distributed is not installed")

import distributed
import yaml
from sample_policies import Util

# 2 workloads x 2 sizes x 3 VM x 2 spot policies = 24 groups, each a shard, of 8 runs.
SWEEP = """\
workloads:
  - requests.csv.gz
  - {path: "sub/*.csv", label: last year}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [0, 2]
vm: [UTIL, COS, DPD]
spot: [sDPD, vmaDPD]
evictor: [FIFO, LPO]
saf: [false, true]
otn: [1, 8]
"""
RUNS = 24 * 8


def cli(*arguments: str | Path) -> str:
    return printed_by(sys.executable, "-m", "cospot", *arguments)


def rows(database: Path) -> list[tuple[Any, ...]]:
    """Everything in the database but the times, and but who created it."""
    with closing(sqlite3.connect(database)) as connection:
        return [
            *run_rows(database),
            *connection.execute("SELECT * FROM input"),
            *connection.execute("SELECT study, sha256, run_count, group_count, version FROM sweep"),
        ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep file, its workloads, and what one machine makes of it."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "sub").mkdir()
    for seed, name in ((1, "requests.csv.gz"), (2, "sub/old.csv")):
        recipe = f"workload generate azure2020 --seed {seed} --scale 0.001 -o"
        cli(*recipe.split(), folder / name)
    (folder / "sweep.yaml").write_text(SWEEP)
    cli("compare", folder / "sweep.yaml", "--db", folder / "one.db", "-q", "--no-timeline")
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[distributed.LocalCluster]:
    with local_cluster(2) as cluster:
        yield cluster


def dask(folder: Path, tmp_path: Path, scheduler: Any = None, **more: Any) -> Path:
    """Run the sweep of the folder on Dask, into r.db."""
    given = {"db": tmp_path / "r.db", "executor": "dask", "scheduler": scheduler, **more}
    return cospot.sweep(folder / "sweep.yaml", **given)


def without_runs(database: Path, copy: Path, which: str) -> None:
    """Copy a database, and delete some of its runs there."""
    shutil.copy(database, copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(f"DELETE FROM run WHERE {which}")
        connection.commit()


def test_local_equals_the_command_line(folder: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    database = cospot.sweep(
        folder / "sweep.yaml", db=tmp_path / "r.db", progress=lambda *pair: seen.append(pair)
    )
    assert database == tmp_path / "r.db"
    assert rows(database) == rows(folder / "one.db")
    assert seen[-1] == (RUNS, RUNS)
    assert seen == sorted(seen)


def test_dask_equals_one_machine(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    seen: list[tuple[int, int]] = []
    # There are but 24 groups.
    database = dask(folder, tmp_path, cluster, tasks=100, progress=lambda *pair: seen.append(pair))
    assert rows(database) == rows(folder / "one.db")
    assert seen == [(8 * shard, RUNS) for shard in range(25)]
    summary = ("summary", "--timing", "off")
    assert cli(*summary, database) == cli(*summary, folder / "one.db")


def test_a_study_as_a_dict(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = yaml.safe_load(SWEEP)
    monkeypatch.chdir(folder)
    few: dict[str, Any] = {"overrides": ["otn=[1,2]"]}
    on_dask: dict[str, Any] = {"executor": "dask", "scheduler": cluster}
    one = cospot.compare(study, db=tmp_path / "one.db", **few).database
    assert rows(cospot.sweep(study, db=tmp_path / "r.db", **few)) == rows(one)
    # The workers are in another folder: a dict's paths are relative to the current one.
    shipped = tmp_path / "shipped.db"
    cospot.sweep(study, db=shipped, ship_workloads=True, **few, **on_dask)
    assert rows(shipped) == rows(one)
    # So do workloads that are objects, and their windows; two frames have one name.
    made = [cospot.Workload.generate(scale=0.001, seed=seed) for seed in (1, 2)]
    frames = [cospot.Workload.from_columns(each.to_columns(), name="frame") for each in made]
    week = {"path": frames[0].with_window_days(7), "label": "week"}
    objects = {**study, "workloads": ["requests.csv.gz", *frames, week], "vm": "COS"}
    one = cospot.compare(objects, db=tmp_path / "objects.db", **few).database
    for shipping in ({"ship_workloads": True}, {}):
        if not shipping:  # the path is that of a folder in which the workers are not
            objects["workloads"][0] = str(folder / "requests.csv.gz")
            one = cospot.compare(objects, db=tmp_path / "whole.db", **few).database
        found = cospot.sweep(
            objects, db=tmp_path / f"on-dask-{len(shipping)}.db", **shipping, **few, **on_dask
        )
        assert rows(found) == rows(one)
    # Policies of the dict go along.
    own = {**study, "vm": Util, "workloads": {"synthetic": "azure2020", "scale": 0.001}}
    ours = cospot.sweep(own, db=tmp_path / "own.db", **on_dask)
    assert rows(ours) == rows(cospot.compare(own, db=tmp_path / "own-one.db").database)


def test_overrides_and_no_times(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    few: dict[str, Any] = {"overrides": ["otn=[1,2,3]", "vm=COS"], "timing": False}
    local = cospot.sweep(folder / "sweep.yaml", db=tmp_path / "local.db", **few)
    tables = []
    for database in (local, dask(folder, tmp_path, cluster, **few)):
        with closing(sqlite3.connect(database)) as connection:
            tables.append(connection.execute("SELECT * FROM run").fetchall())
    assert len(tables[0]) == 2 * 2 * 1 * 2 * 2 * 2 * 3
    assert tables[0] == tables[1]  # every column, times (0) too


def test_a_killed_worker_loses_nothing(folder: Path, tmp_path: Path) -> None:
    """SIGKILL to a worker process in the middle, twice: its shards are done again."""
    with (
        local_cluster(2) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed: list[int] = []

        def kill_one(done: int, total: int) -> None:
            if done in (3 * 8, 9 * 8):
                pids = client.run(os.getpid)
                pid = next(pid for pid in pids.values() if pid not in killed)
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

        database = dask(folder, tmp_path, client, tasks=24, progress=kill_one)
        assert len(set(killed)) == 2
    assert rows(database) == rows(folder / "one.db")


class Stop(Exception):
    """Raised by a test's progress callback."""


def test_an_interrupted_sweep_resumes(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    def stop(done: int, total: int) -> None:
        if done >= 5 * 8:
            raise Stop

    with pytest.raises(Stop):
        dask(folder, tmp_path, cluster, tasks=24, progress=stop)
    assert len(rows(tmp_path / "r.db")) == 5 * 8 + 2 + 1
    with pytest.raises(cospot.InputError, match="already exists, with 40 of 192 runs"):
        dask(folder, tmp_path, cluster, tasks=24)
    shutil.copy(tmp_path / "r.db", tmp_path / "copy.db")
    seen: list[int] = []
    again: dict[str, Any] = {"tasks": 24, "resume": True}
    dask(folder, tmp_path, cluster, progress=lambda done, total: seen.append(done), **again)
    assert seen == list(range(5 * 8, RUNS + 1, 8))
    assert rows(tmp_path / "r.db") == rows(folder / "one.db")
    # The command line continues the same database.
    cli("compare", folder / "sweep.yaml", "--db", tmp_path / "copy.db", "--resume", "-q")
    assert rows(tmp_path / "copy.db") == rows(folder / "one.db")
    # With nothing left to do it ends at once.
    dask(folder, tmp_path, cluster, **again)


def test_a_shard_that_is_half_done_is_completed(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    without_runs(folder / "one.db", tmp_path / "r.db", "run_index IN (3, 17, 190)")
    seen: list[int] = []
    again: dict[str, Any] = {"tasks": 24, "resume": True}
    dask(folder, tmp_path, cluster, progress=lambda done, total: seen.append(done), **again)
    assert seen == [189, 190, 191, 192]
    assert rows(tmp_path / "r.db") == rows(folder / "one.db")


def test_ctrl_c_keeps_what_is_done(folder: Path, tmp_path: Path) -> None:
    script = (
        "import cospot, sys\n"
        "if __name__ == '__main__':\n"
        "    cospot.sweep(sys.argv[1], db=sys.argv[2], executor='dask', processes=1,\n"
        "                 tasks=24, progress=lambda done, total: print(done, flush=True))\n"
    )
    (tmp_path / "script.py").write_text(script)
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "script.py"), str(folder / "sweep.yaml"),
         str(tmp_path / "r.db")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 16:
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert "KeyboardInterrupt" in errors
    done = len(rows(tmp_path / "r.db")) - 3
    assert 16 <= done < RUNS
    cospot.sweep(folder / "sweep.yaml", db=tmp_path / "r.db", resume=True)
    assert rows(tmp_path / "r.db") == rows(folder / "one.db")


class OtherMachine:
    """Makes the client's files vanish once the client has checked them."""

    def __init__(self, folder: Path, hidden: Path) -> None:
        self.folder, self.hidden = folder, hidden

    def __call__(self, done: int, total: int) -> None:
        if self.folder.exists():
            self.folder.rename(self.hidden)


def test_workers_without_the_files_are_named(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "here")
    hide = OtherMachine(tmp_path / "here", tmp_path / "gone")
    with pytest.raises(cospot.InputError) as caught:
        dask(tmp_path / "here", tmp_path, cluster, progress=hide)
    text = str(caught.value)
    assert "on a Dask worker at" in text
    assert str(tmp_path / "here" / "sweep.yaml") in text
    assert "under the same paths on every worker, or be sent along with ship_workloads" in text


def test_shipped_workloads_need_no_shared_files(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "here")
    hide = OtherMachine(tmp_path / "here", tmp_path / "gone")
    database = dask(tmp_path / "here", tmp_path, cluster, ship_workloads=True, progress=hide)
    assert not (tmp_path / "here").exists()
    assert rows(database) == rows(folder / "one.db")


def test_another_file_under_the_same_name_is_refused(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "here")

    def change_workload(done: int, total: int) -> None:
        shutil.copy(folder / "sub" / "old.csv", tmp_path / "here" / "sub" / "old.csv")
        with (tmp_path / "here" / "sub" / "old.csv").open("a") as file:
            file.write("\n")

    with pytest.raises(cospot.DatabaseError, match="it ran another version of a workload.*last ye"):
        dask(tmp_path / "here", tmp_path, cluster, progress=change_workload)


def test_bad_input_is_told_before_anything_runs(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(SWEEP.replace("vm:", "vn:"))
    with pytest.raises(cospot.InputError, match=r"bad.yaml:6: .*vn"):
        cospot.sweep(tmp_path / "bad.yaml", db=tmp_path / "r.db", executor="dask")
    assert not (tmp_path / "r.db").exists()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"executor": "slurm"}, "found executor='slurm'; expected 'local' or"),
        ({"tasks": 0}, "found tasks=0; expected a number from 1"),
        ({"executor": "local", "ship_workloads": True}, "need executor='dask'"),
        ({"scheduler": "nonsense://x"}, "the Dask scheduler nonsense.* does not answer"),
    ]
    for given, text in wrong:
        with pytest.raises(cospot.ConfigError, match=text):
            dask(folder, tmp_path, **given)


def test_two_sweeps_at_once_do_not_mix(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    with distributed.Client(cluster) as client:
        threads = [
            threading.Thread(
                target=dask,
                args=[folder, tmp_path, client],
                kwargs={"db": tmp_path / f"{vm}.db", "overrides": [f"vm={vm}"]},
            )
            for vm in ("UTIL", "DPD")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
    for vm in ("UTIL", "DPD"):
        one = ("--db", tmp_path / f"one-{vm}.db", "--set", f"vm={vm}", "-q")
        cli("compare", folder / "sweep.yaml", *one)
        assert rows(tmp_path / f"{vm}.db") == rows(tmp_path / f"one-{vm}.db")


def test_policies_in_python_run_on_workers(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    """A module beside the sweep file is found there by every worker."""
    (tmp_path / "my_policies.py").write_text(
        "import cospot\n"
        "class Fullest(cospot.Weigher):\n"
        "    def weigh_all(self, hosts, candidates, request):\n"
        "        used = hosts.vcpus_total - hosts.vcpus_free_ignoring_spots\n"
        "        return used[candidates].astype(float)\n"
    )
    (tmp_path / "sweep.yaml").write_text(
        SWEEP.replace("requests.csv.gz", str(folder / "requests.csv.gz"))
        .replace('  - {path: "sub/*.csv", label: last year}\n', "")
        .replace("[UTIL, COS, DPD]", '[UTIL, "python:my_policies.Fullest"]')
    )
    database = dask(tmp_path, tmp_path, cluster)
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT spot_revenue_exact, evictions FROM run WHERE vm = ? ORDER BY run_index"
        results = {
            vm: connection.execute(query, [vm]).fetchall()
            for (vm,) in connection.execute("SELECT DISTINCT vm FROM run")
        }
    python, util = sorted(results, key=len, reverse=True)
    assert (len(results[util]), python) == (2 * 2 * 2 * 2 * 2, "python:my_policies.Fullest")
    assert results[python] == results[util]


def test_it_is_cut_for_the_cluster() -> None:
    from cospot.sweeps.dask_sweep import task_count
    from cospot.sweeps.shard_merge import SweepState

    def tasks(runs: int, groups: int, threads: int) -> int:
        return task_count(SweepState(runs, groups, frozenset()), threads)

    assert tasks(runs=192, groups=24, threads=2) == 4  # two a thread
    assert tasks(runs=192, groups=24, threads=64) == 24  # no more than groups
    assert tasks(runs=21_600, groups=900, threads=2) == 22  # at most 1,000 runs in one
    assert tasks(runs=192, groups=24, threads=0) == 16  # workers are still to come


@pytest.fixture
def empty_cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[distributed.Client]:
    """A cluster to which no worker comes, and a sweep that does not wait long for one."""
    from cospot.sweeps import dask_sweep

    monkeypatch.setattr(dask_sweep, "_LOOK_S", 0.05)
    monkeypatch.setattr(dask_sweep, "_WITHOUT_WORKERS_S", 0.1)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_sweep_on_its_own_processes_gives_up_when_none_is_left(
    folder: Path, tmp_path: Path, empty_cluster: distributed.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import nullcontext

    from cospot.sweeps import dask_sweep

    monkeypatch.setattr(dask_sweep, "connect", lambda *_: nullcontext(empty_cluster))
    with pytest.raises(cospot.CospotError, match="no Dask worker has run for .*resume=True"):
        dask(folder, tmp_path)
    cospot.sweep(folder / "sweep.yaml", db=tmp_path / "r.db", resume=True)
    assert rows(tmp_path / "r.db") == rows(folder / "one.db")


def test_a_sweep_on_a_given_cluster_waits_for_workers(
    folder: Path, tmp_path: Path, empty_cluster: distributed.Client
) -> None:
    def add_a_worker(message: Any, *_: Any, **__: Any) -> None:
        assert "has had no worker" in str(message)
        empty_cluster.cluster.scale(1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cospot.sweeps.dask_sweep.warnings.warn", add_a_worker)
        dask(folder, tmp_path, empty_cluster, tasks=2)
    assert rows(tmp_path / "r.db") == rows(folder / "one.db")


def start_dask(program: str, *arguments: str, pythonpath: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{program}", "--no-dashboard", *arguments],
        env={**os.environ, "PYTHONPATH": pythonpath}, stderr=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("package", "lacks"),
    [
        ("raise ModuleNotFoundError(\"No module named 'cospot'\", name='cospot')",
         "No module named"),
        ("raise ImportError('libfoo.so.1: cannot open')", "libfoo.so.1"),
        ("import sys, types\n"
         "sys.modules['cospot._core'] = types.SimpleNamespace(__version__='0.0')",
         "cospot 0.0, expected cospot"),
    ],
)  # fmt: skip
def test_a_worker_without_our_cospot_is_named_at_once(
    folder: Path, tmp_path: Path, package: str, lacks: str
) -> None:
    """Neither it nor the scheduler can import cospot; no task is sent to it."""
    (tmp_path / "cospot").mkdir()
    (tmp_path / "cospot" / "__init__.py").write_text(package + "\n")
    address_file = tmp_path / "scheduler.json"
    lacking = str(tmp_path)
    where = ("--scheduler-file", str(address_file))
    local = ("--host", "127.0.0.1", "--port", "0")
    processes = [
        start_dask("scheduler", *local, *where, pythonpath=lacking),
        start_dask("worker", "--no-nanny", "--nthreads", "1", *where, pythonpath=lacking),
    ]
    try:
        with distributed.Client(scheduler_file=str(address_file), timeout=PATIENCE_S) as client:
            client.wait_for_workers(1, timeout=PATIENCE_S)
            (address,) = client.nthreads()
            with pytest.raises(cospot.ConfigError) as raised:
                dask(folder, tmp_path, client)
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert address in str(raised.value)
    assert lacks in str(raised.value)


def test_a_study_that_a_worker_cannot_read_is_an_error(
    folder: Path, cluster: distributed.LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its policy is in a module that only the client has."""
    (tmp_path / "only_here.py").write_text(
        "import cospot\nclass Mine(cospot.Weigher):\n    def weigh_host(self, host, request):\n"
        "        return 0.0\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import only_here  # type: ignore[import-not-found]

    study = {**yaml.safe_load(SWEEP), "vm": only_here.Mine,
             "workloads": {"synthetic": "azure2020", "scale": 0.001}}  # fmt: skip
    unread = "cannot be read there: ModuleNotFoundError.*only_here"
    with pytest.raises(cospot.CospotError, match=unread):
        cospot.sweep(study, db=tmp_path / "r.db", executor="dask", scheduler=cluster)


def test_finished_runs_are_not_done_again(folder: Path, tmp_path: Path) -> None:
    """A shard is sent with its finished runs, as a database that a worker can resume."""
    from cospot.sweeps.shard_merge import extract_shard

    without_runs(folder / "one.db", tmp_path / "r.db", "run_index % 8 = 1")
    (tmp_path / "part.db").write_bytes(extract_shard(tmp_path / "r.db", 2, 5))
    with closing(sqlite3.connect(tmp_path / "part.db")) as connection:
        found = [index for (index,) in connection.execute("SELECT run_index FROM run")]
    # Shard 2 of 5 has the groups 1, 6, 11, 16 and 21, of 8 runs; the second of each is missing.
    expected = [8 * group + run for group in (1, 6, 11, 16, 21) for run in range(8) if run != 1]
    assert found == expected
    part = ("--db", tmp_path / "part.db", "--shard", "2/5", "--resume", "-q")
    cli("compare", folder / "sweep.yaml", *part)
    assert len(rows(tmp_path / "part.db")) == 5 * 8 + 2 + 1
