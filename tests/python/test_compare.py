"""compare: the same database as the program's, policies of Python in it, and a clean stop."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot import Chain, Workload
from programs import printed_by
from sample_policies import FewSpots, Fifo, Scaled, Util

SWEEP: dict[str, Any] = {
    "workloads": [{"synthetic": "azure2020", "seed": 1, "scale": 0.001}],
    "host": {"vcpus": 10400, "memory_mb": 2250},
    "hosts": [35, 40],
    "vm": ["UTIL", "COS"],
    "spot": ["sUTIL"],
    "evictor": ["FIFO", "LPO"],
    "saf": [False, True],
    "otn": [1, 4],
}
RUNS = 2 * 2 * 2 * 2 * 2


def rows(database: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT * FROM run ORDER BY run_index").fetchall()


def earned(database: Path, vm: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(database) as connection:
        return connection.execute(
            "SELECT saf, otn, evictions, spot_admitted, spot_revenue, vm_rejected FROM run"
            " WHERE vm = ? ORDER BY run_index", (vm,)
        ).fetchall()  # fmt: skip


def test_dict_file_and_program_give_the_same(program: Path, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(json.dumps(SWEEP))  # JSON is YAML
    words = "compare s.yaml --db program.db --csv program.csv --timing off -q"
    printed_by(program, *words.split(), cwd=tmp_path)
    seen: list[tuple[int, int]] = []
    outcome = cospot.compare(
        SWEEP, db=tmp_path / "dict.db", csv=tmp_path / "dict.csv", threads=2, timing=False,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert (outcome.total, outcome.done, outcome.skipped) == (RUNS, RUNS, 0)
    assert outcome.database == str(tmp_path / "dict.db")
    assert seen[-1] == (RUNS, RUNS) and seen == sorted(set(seen))
    cospot.compare(str(tmp_path / "s.yaml"), db=tmp_path / "file.db", threads=1, timing=False)
    assert rows(tmp_path / "dict.db") == rows(tmp_path / "file.db") == rows(tmp_path / "program.db")
    assert (tmp_path / "dict.csv").read_bytes() == (tmp_path / "program.csv").read_bytes()


def test_resume_force_shard_overrides(tmp_path: Path) -> None:
    database = tmp_path / "r.db"
    first = cospot.compare(SWEEP, db=database, shard="1/2", overrides=["otn=[1,2]"])
    assert first.total == first.done == RUNS // 2
    with pytest.raises(cospot.DatabaseError, match="r.db"):
        cospot.compare(SWEEP, db=database)
    with pytest.raises(cospot.DatabaseError, match="otn"):
        cospot.compare(SWEEP, db=database, resume=True)
    rest = cospot.compare(SWEEP, db=database, resume=True, overrides=["otn=[1,2]"])
    assert (rest.done, rest.skipped) == (RUNS, RUNS // 2)
    assert cospot.compare(SWEEP, db=database, force=True).skipped == 0
    with pytest.raises(cospot.ConfigError, match="resume excludes force"):
        cospot.compare(SWEEP, db=database, resume=True, force=True)
    with pytest.raises(cospot.ConfigError, match="3/2"):
        cospot.compare(SWEEP, db=tmp_path / "x.db", shard="3/2")
    assert not (tmp_path / "x.db").exists()


def test_policies_of_python_beside_compiled_ones(tmp_path: Path) -> None:
    python_util = "python:sample_policies.Util"
    sweep = {
        **SWEEP,
        "vm": [
            "UTIL", Util, python_util + "ByHost",
            {"name": Scaled, "factor": 3.0, "label": "scaled"},
            {"name": Util(), "label": "object"},
            Chain([Util], label="chain"),
            {"label": "filtered", "filters": [FewSpots(10**6)], "weighers": [(Util, 2.0)]},
        ],
        "evictor": ["FIFO", {"name": Fifo, "label": "own"}],
    }  # fmt: skip
    database = tmp_path / "r.db"
    cospot.compare(sweep, db=database, threads=2)
    expected = earned(database, "UTIL")
    assert len(expected) == 16 and any(evictions > 0 for _, _, evictions, *_ in expected)
    for label in (python_util, python_util + "ByHost", "scaled", "object", "chain", "filtered"):
        assert earned(database, label) == expected, label
    with sqlite3.connect(database) as connection:
        found = connection.execute(
            "SELECT configuration FROM run WHERE vm = 'scaled' AND evictor = 'own'"
        ).fetchone()
    configuration = json.loads(found[0])
    scaled = {"name": "python:sample_policies.Scaled", "label": "scaled", "factor": 3}
    assert configuration["vm"] == scaled
    assert configuration["evictor"]["name"] == "python:sample_policies.Fifo"


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"otn": [0]}, cospot.ConfigError, r"^study\.otn\[0\]: found '0', expected a whole"),
        ({"vm": ["X"]}, cospot.ConfigError, r"^study\.vm\[0\]: unknown weigher 'X'; valid"),
        ({"vm": []}, cospot.ConfigError, r"^study\.vm: found an empty list"),
        ({"color": 1}, cospot.ConfigError, "^study: unknown key 'color'; valid names: study, p"),
        ({"saf": "true"}, cospot.ConfigError, "found the text 'true', expected on or off"),
        ({"host": {"vcpus": 1.5, "memory_mb": 1}}, cospot.ConfigError, "found '1.5', expected"),
        ({"vm": [Util, Util]}, cospot.ConfigError, "duplicate label 'python:sample_policies.Util'"),
        ({"vm": [{"name": Util(), "factor": 1}]}, cospot.ConfigError, "an object has its options"),
        ({"vm": [{"name": Scaled, "factor": -1}]}, cospot.ConfigError, "factor is -1, expected"),
        ({"vm": [Fifo]}, cospot.ConfigError, "python:sample_policies.Fifo"),
        ({"workloads": ["none.csv"]}, cospot.ConfigError, "there is no file 'none.csv'"),
        ({"vm": [object()]}, TypeError, r"study\.vm\[0\] is of type object"),
        ({"vm": [float("nan")]}, cospot.ConfigError, r"study\.vm\[0\] is nan, expected a fin"),
        ({"otn": [1, 1]}, cospot.ConfigError, r"^study\.otn\[1\]: duplicate value '1'"),
        ({"hosts": ["2"]}, cospot.ConfigError, r"^study\.hosts\[0\]: found the text '2', expected"),
        ({"host": {"memory_mb": 1}}, cospot.ConfigError, r"^study\.host: missing key 'vcpus'"),
        ({"host": {"vcpus": 1, "ram": 1}}, cospot.ConfigError, r"^study\.host: unknown key 'ram'"),
        ({"otn": [10**30]}, cospot.ConfigError, r"study\.otn\[0\] is too large"),
        ({3: 4}, TypeError, "a key is of type int, expected a str"),
    ],
)
def test_sweeps_that_cannot_be(
    tmp_path: Path, change: dict[Any, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        cospot.compare({**SWEEP, **change}, db=tmp_path / "r.db")
    assert not (tmp_path / "r.db").exists()


def test_a_dict_inside_itself_ends() -> None:
    sweep: dict[str, Any] = {}
    sweep["vm"] = sweep
    with pytest.raises(cospot.ConfigError, match="nested more than 32 levels deep"):
        cospot.compare(sweep)


def test_what_a_policy_raises_ends_it_and_keeps_what_is_done(tmp_path: Path) -> None:
    class Broken(Util):
        def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
            raise LookupError("nothing there")

    database = tmp_path / "r.db"
    with pytest.raises(cospot.PolicyError, match="Broken': weigh_all raised LookupError") as raised:
        cospot.compare({**SWEEP, "vm": ["UTIL", Broken]}, db=database, threads=1)
    assert isinstance(raised.value.__cause__, LookupError)
    # The groups of UTIL at 35 hosts come first.
    assert len(rows(database)) >= 8


def test_what_the_progress_function_raises_stops_it(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        cospot.compare(SWEEP, db=tmp_path / "r.db", progress=stop)
    assert cospot.compare(SWEEP, db=tmp_path / "r.db", resume=True).done == RUNS
    with pytest.raises(TypeError, match="progress is of type int, expected a function"):
        cospot.compare(SWEEP, db=tmp_path / "x.db", progress=3)  # type: ignore[arg-type]


SLOW = textwrap.dedent(
    """
    import signal, sys, time
    import cospot

    # A job in the background of a script ignores Ctrl-C, and so would what it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    class Slow(cospot.Weigher):
        def weigh_all(self, hosts, candidates, request):
            time.sleep(0.0002)
            return [0.0] * len(candidates)

    sweep = eval(sys.argv[1])
    sweep["vm"] = ["UTIL", Slow]
    def tell(done, total):
        print(done, flush=True)
    try:
        cospot.compare(sweep, db=sys.argv[2], threads=2, progress=tell)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    """
)


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    database = tmp_path / "r.db"
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, repr(SWEEP), str(database)],
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        first = process.stdout.readline()
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        while int(first) < 8:
            first = process.stdout.readline()
        os.kill(process.pid, signal.SIGINT)
        rest = process.stdout.read().split()
        assert process.wait() == 0
        watchdog.cancel()
    assert rest[-1] == "interrupted"
    kept = len(rows(database))
    assert 8 <= kept < 2 * RUNS


def test_workloads_of_a_file(workload: Workload, tmp_path: Path) -> None:
    workload.save(tmp_path / "w.csv.gz")
    sweep = {**SWEEP, "workloads": [tmp_path / "w.csv.gz"], "vm": ("UTIL",), "otn": 1}
    assert cospot.compare(sweep, db=tmp_path / "r.db").total == 8


def test_each_sweep_file_has_the_modules_beside_it(tmp_path: Path) -> None:
    for name in ("First", "Second"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "namesake.py").write_text(
            f"import cospot\nclass {name}(cospot.Weigher):\n"
            "    def weigh_host(self, host, request):\n        return 0.0\n"
        )
        (folder / "sweep.yaml").write_text(
            "workloads: [{synthetic: azure2020, scale: 0.0001}]\n"
            "host: {vcpus: 10400, memory_mb: 2250}\n"
            f"hosts: 4\nvm: 'python:namesake.{name}'\n"
            "spot: sUTIL\nevictor: FIFO\nsaf: false\notn: 1\n"
        )
    for name in ("First", "Second", "First"):
        outcome = cospot.compare(tmp_path / name / "sweep.yaml", db=tmp_path / "r.db", force=True)
        assert outcome.total == 1
