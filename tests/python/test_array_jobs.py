"""The examples for Slurm and Kubernetes, run on this machine: all shards, then the merge."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from database_rows import run_rows

ROOT = Path(__file__).resolve().parents[2]
SWEEP = """\
workloads: {synthetic: azure2020, seed: 5, scale: 0.001}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [0, 3]
vm: [UTIL, COS]
spot: [sDPD]
evictor: FIFO
saf: [false, true]
otn: [1, 4]
"""  # 4 groups
# Does what sbatch is asked, at once; writes down its arguments.
SBATCH = """\
#!/usr/bin/env bash
set -eu
echo "$@" >> "$SBATCH_LOG"
script=${!#}
ids=
for argument in "$@"; do
  case $argument in --array=*) ids=${argument#--array=} ;; esac
done
if [ -n "$ids" ]; then
  for id in $(seq "${ids%-*}" "${ids#*-}"); do SLURM_ARRAY_TASK_ID=$id "$script" >&2; done
else
  "$script" >&2
fi
echo "4711;cluster"
"""


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """A folder for PATH with `cospot`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    cospot = folder / "cospot"
    cospot.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cospot "$@"\n')
    cospot.chmod(0o755)
    return folder


@pytest.fixture
def sweep_folder(tmp_path: Path, bin_folder: Path) -> Path:
    """A folder with the sweep and what one machine makes of it."""
    folder = tmp_path / "sweep"
    folder.mkdir()
    (folder / "sweep.yaml").write_text(SWEEP)
    command = [bin_folder / "cospot", "compare", "sweep.yaml", "--db", "one.db", "-q"]
    subprocess.run(command, cwd=folder, check=True)
    return folder


def test_slurm(tmp_path: Path, bin_folder: Path, sweep_folder: Path) -> None:
    (bin_folder / "sbatch").write_text(SBATCH)
    (bin_folder / "sbatch").chmod(0o755)
    log = tmp_path / "sbatch.log"
    submit = ROOT / "examples" / "slurm" / "submit.sh"
    command = [str(submit), "sweep.yaml", "results", "3"]
    environment = {
        **os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "SBATCH_LOG": str(log),
    }  # fmt: skip
    subprocess.run(command, cwd=sweep_folder, env=environment, check=True)
    results = sweep_folder / "results"
    assert sorted(path.name for path in results.glob("shard-*.db")) == [
        f"shard-{shard}.db" for shard in (1, 2, 3)
    ]
    assert run_rows(results / "results.db") == run_rows(sweep_folder / "one.db")
    assert len((results / "results.csv").read_text().splitlines()) == 1 + 16
    array, merge = log.read_text().splitlines()
    assert "--array=1-3" in array
    # The merge waits for the array, whose number comes before the semicolon.
    assert "--dependency=afterok:4711 " in merge
    # A second time it does not mix with what is there.
    again = subprocess.run(
        command, cwd=sweep_folder, env=environment, check=False, capture_output=True, text=True
    )
    assert again.returncode == 2
    assert "holds shards already" in again.stderr


def container_of(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a Job's spec and its only container."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    job = yaml.safe_load((ROOT / "examples" / "kubernetes" / name).read_text())
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in job["spec"]["template"]["spec"]["volumes"]}
    return job["spec"], container


def run_container(container: dict[str, Any], folder: Path, bin_folder: Path, **extra: str) -> None:
    environment = {item["name"]: item["value"] for item in container["env"]}
    assert all(isinstance(value, str) for value in environment.values())  # as Kubernetes asks
    environment = {name: value.replace("/sweep", str(folder), 1) if value.startswith("/") else value
                   for name, value in environment.items()}  # fmt: skip
    path = f"{bin_folder}:{os.environ['PATH']}"
    subprocess.run(
        [*container["command"], *container["args"]],
        env={**os.environ, **environment, "PATH": path, **extra},
        check=True,
    )


def test_kubernetes(bin_folder: Path, sweep_folder: Path) -> None:
    spec, container = container_of("sweep.yaml")
    assert spec["completionMode"] == "Indexed"
    shards = next(item["value"] for item in container["env"] if item["name"] == "SHARDS")
    assert shards == str(spec["completions"])
    results = sweep_folder / "results"
    results.mkdir()
    for index in range(spec["completions"]):
        run_container(container, sweep_folder, bin_folder, JOB_COMPLETION_INDEX=str(index))
    # A pod that runs again has nothing to do and does no harm.
    run_container(container, sweep_folder, bin_folder, JOB_COMPLETION_INDEX="0")
    _, merge = container_of("merge.yaml")
    run_container(merge, sweep_folder, bin_folder)
    assert run_rows(results / "results.db") == run_rows(sweep_folder / "one.db")
    assert len(list(results.glob("shard-*.db"))) == spec["completions"]


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck() -> None:
    scripts = sorted((ROOT / "examples" / "slurm").glob("*.s[hb]*"))
    assert len(scripts) == 3
    subprocess.run(["shellcheck", *map(str, scripts)], check=True)
