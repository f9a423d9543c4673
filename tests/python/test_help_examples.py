"""Every example that `--help` shows runs, in a folder with the files that it names.

It runs as it stands, but for a synthetic workload of a tenth of the size.
"""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from waiting import PATIENCE_S

INPUTS = Path(__file__).parents[2] / "examples" / "inputs"
#: Of commands that need what a test has not.
NOT_RUN = {
    "cospot workload fetch azure-packing --to data": "the network; tests/workloads has a server",
    "cospot workload reconstruct packing_trace_zone_a_v1.sqlite -o requests.csv.gz": (
        "the trace; tests/workloads/test_reconstruct.py has others"
    ),
}
SCENARIO = """\
workloads: requests.csv
host: hosts.csv
vm: COS
spot: vmaUTIL
evictor: FIFO
saf: on
otn: 4
"""


def run(program: Path, arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run it as a shell does, by its name."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", arguments],
        check=False,
        cwd=folder,
        env={"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


def examples_of(program: Path, command: str, folder: Path) -> list[str]:
    """Return the examples in the help of a command and of the commands below it."""
    text = run(program, f"{command} --help", folder).stdout
    found = re.findall(r"(?m)^  (cospot .+)$", text)
    below = re.findall(r"(?m)^  ([a-z][a-z-]*)  ", text)
    for name in below:
        found += examples_of(program, f"{command} {name}", folder)
    return found


@pytest.fixture
def folder(tmp_path: Path, program: Path) -> Path:
    """A folder with the files that the examples name."""
    shutil.copytree(INPUTS, tmp_path, dirs_exist_ok=True)
    requests = gzip.decompress((INPUTS / "requests.csv.gz").read_bytes())
    window, header, *rows = requests.decode().splitlines(keepends=True)
    header = window + header
    rows[42] = "vm-42," + rows[42].partition(",")[2]
    for name, part in (("requests", rows), ("week1", rows), ("week2", rows[: len(rows) // 2])):
        (tmp_path / f"{name}.csv").write_text(header + "".join(part))
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    (tmp_path / "prices.csv").write_text(
        "vcpus,memory_mb,on_demand,spot,economy\n"
        + "".join(
            f"{n},{memory},{n * 0.04},{n * 0.012},{n * 0.02}\n"
            for n, memory in sorted({tuple(map(int, row.split(",")[3:5])) for row in rows})
        )
    )
    (tmp_path / "study.yaml").write_text(SCENARIO.replace("saf: on", "saf: [off, on]"))
    job = "{n} {t} 0 3600 4 -1 -1 4 7200 -1 1 1 1 1 {q} -1 -1 -1\n"
    log = "".join(job.format(n=n, t=1800 * n, q=3 if n % 5 == 0 else 1) for n in range(2000))
    (tmp_path / "jobs.swf").write_text(log)
    (tmp_path / "log.swf.gz").write_bytes(gzip.compress(log.encode()))
    for database, otn in (("before", 1), ("after", 4)):
        run(program, f"cospot compare study.yaml -q --db {database}.db --set otn={otn}", tmp_path)
    for shard in (2, 3):
        run(
            program, f"cospot compare study.yaml -q --shard {shard}/3 --db part{shard}.db", tmp_path
        )
    (tmp_path / "evaluation").mkdir()
    (tmp_path / ".local/share/bash-completion/completions").mkdir(parents=True)
    return tmp_path


def test_every_example_of_help_runs(program: Path, folder: Path) -> None:
    examples = list(dict.fromkeys(examples_of(program, "cospot", folder)))
    assert len(examples) > 30
    failed = []
    for example in examples:
        if example in NOT_RUN:
            continue
        if example.startswith("cospot compare study.yaml") and "--db" not in example:
            (folder / "results.db").unlink(missing_ok=True)
        ran = run(program, example.replace(":scale=0.01 ", ":scale=0.001 "), folder)
        if ran.returncode != 0:
            failed.append(f"{example}\n  {ran.stderr.strip()[-300:]}")
    assert not failed, "\n".join(failed)
    assert not set(NOT_RUN) - set(examples)
