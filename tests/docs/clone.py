"""A folder with what a page's reader has by then: there the commands of the page are run."""

from __future__ import annotations

import gzip
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pages import ROOT, Block

sys.path.append(str(ROOT / "tests" / "workloads"))
import operator_exports

#: Workloads that take long, and much smaller ones.
SMALLER = {"azure2020:seed=1:scale=0.01": "azure2020:seed=1:scale=0.001"}
#: Study files that take minutes, and with which options they take a second.
SHORTER = {
    "examples/beyond_the_paper.yaml": ["--set", "headroom_percent=2", "--set", "vm=COS"],
    "examples/deadline/held_out.yaml": ["--set", "trace={synthetic: bursty, seed: 1, days: 24}"],
    "examples/degradation.yaml": ["--set", "headroom_percent=0", "--set", "vm=COS"],
    "examples/evictors.yaml": [
        *("--set", "workloads={synthetic: azure2020, seed: 1, scale: 0.001}"),
        *("--set", "headroom_percent=2", "--set", "vm=COS"),
    ],
    "examples/full_grid.yaml": [
        *("--set", "headroom_percent=2", "--set", "vm=COS", "--set", "otn=[1, 8]"),
    ],
    "examples/papers/cooperation/grid.yaml": ["--set", "vm=COS", "--set", "otn=[1, 8]"],
    "examples/prior_work.yaml": ["--set", "headroom_percent=2"],
    "examples/schedulers.yaml": [
        *("--set", "workloads={synthetic: azure2020, seed: 1, scale: 0.001}"),
        *("--set", "schedulers=[1, 4]", "--set", "refresh_interval_s=[0, 10]"),
    ],
}

SWEEP = """\
workloads: {synthetic: azure2020, seed: 2, scale: 0.001}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [0, 2]
vm: [UTIL, COS]
spot: sDPD
evictor: FIFO
saf: [off, on]
otn: [1, 2, 4]
"""
#: Where a page leaves to its reader where the data are; here the variable is set.
_PLACEHOLDER = re.compile(r"(?:export )?COSPOT_DATA=(?:\.\.\.|<[^>]*>|DATA)(?= |$)", re.MULTILINE)
PROGRAM = Path(os.environ.get("COSPOT_PROGRAM", ""))

_WRAPPER = """\
#!/bin/sh
# cospot, with words and options that make a study of minutes one of a second.
for word; do
  shift
  case $word in
{smaller}
    *) set -- "$@" "$word" ;;
  esac
done
for word; do
  case $word in
{shorter}
  esac
done
exec {program} "$@"
"""


def run(command: list[str | Path], folder: Path) -> None:
    """Run a command of the preparation, which has to succeed."""
    subprocess.run([str(word) for word in command], cwd=folder, check=True, capture_output=True)


def _sweep(folder: Path) -> None:
    (folder / "sweep.yaml").write_text(SWEEP)


def _compare(name: str, *options: str) -> Callable[[Path], None]:
    """Return what makes a database, as `cospot compare` does."""

    def make(folder: Path) -> None:
        (folder / "made.yaml").write_text(SWEEP)
        run([PROGRAM, "compare", "made.yaml", "--db", name, "-q", *options], folder)
        (folder / "made.yaml").unlink()

    return make


def _history(folder: Path) -> None:
    """What `cospot-nova history export` writes."""
    command = [PROGRAM, "workload", "generate", "azure2020", "--scale", "0.001"]
    run([*command, "-o", "history.csv.gz"], folder)
    hosts = "".join(f"c{i},10400,2250\n" for i in range(60))
    (folder / "history-hosts.csv").write_text("name,vcpus,memory_mb\n" + hosts)


def _pods(folder: Path) -> None:
    instances = operator_exports.draw_instances(11, 160, 5)
    operator_exports.write_kubernetes(folder / "pods.json", instances)


def _surf_lisa(folder: Path) -> None:
    """A stand-in for the log of SURF Lisa, which is public and not ours to ship."""
    made = runpy.run_path(str(ROOT / "examples" / "inputs" / "make.py"))
    with gzip.open(folder / "surf_lisa_jobs_2022_Jul_Oct.csv.gz", "wt") as table:
        table.write(made["cluster"](days=110))


#: What a reader of a page has from elsewhere, beyond the clone.
BROUGHT: dict[str, list[Callable[[Path], None]]] = {
    "docs/json.md": [_compare("results.db")],
    "docs/performance.md": [_sweep],
    "docs/price.md": [_surf_lisa],
    "docs/python.md": [_sweep, _compare("results.db"), _history],
    "docs/report.md": [
        _compare("results.db"), _compare("before.db"), _compare("after.db", "--set", "evictor=LPO"),
    ],
    "docs/results-format.md": [_compare("results.db")],
    "docs/workload-format.md": [_pods],
}  # fmt: skip


def make_data(folder: Path) -> None:
    """Write small stand-ins for the public data that COSPOT_DATA names, in the same layout."""
    for kind in ("batched", "bernoulli"):
        azure = folder / "azure2020-cospot" / kind
        azure.mkdir(parents=True)
        for number in range(2):
            seed = str(2 * number + (kind == "batched") + 1)
            command = [PROGRAM, "workload", "generate", "azure2020", "--schema", "socc22"]
            command += ["--scale", "0.0005", "--seed", seed, "--sampling", kind]
            run([*command, "-o", azure / f"relevant-vm-1pcnt_{number}.csv.gz"], folder)
    _make_availability(folder / "skypilot")


def _make_availability(folder: Path) -> None:
    """Two traces of three weeks in every folder that the study files name."""
    for name, most in (
        ("availability/1-node/aws-02-15-2023", 1),
        ("availability/1-node/aws-10-26-2022", 1),
        ("availability/16-node/aws-08-27-2023", 16),
        ("preemption/1-node/aws-04-22-2023", 1),
        ("preemption/1-node/aws-04-19-2023", 1),
        ("preemption/4-node/aws-08-03-2023", 4),
    ):
        (folder / name).mkdir(parents=True)
        for zone in "ab":
            there = [most if tick // (50 + ord(zone)) % 3 else 0 for tick in range(21 * 288)]
            trace = {"metadata": {"gap_seconds": 300}, "data": there}
            (folder / name / f"us-west-2{zone}.json").write_text(json.dumps(trace))


class Clone:
    """The folder of one page."""

    def __init__(self, folder: Path, data: Path, page: str) -> None:
        """Copy what a page's commands may read or write beside; the rest is linked."""
        self.folder = folder / "clone"
        self.folder.mkdir()
        for name in ("docs", "scripts", "tests", "README.md"):
            (self.folder / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        (self.folder / "build").mkdir()
        (self.folder / "build" / "release").symlink_to(PROGRAM.parent)
        for bring in BROUGHT.get(page, []):
            bring(self.folder)
        home, programs = folder / "home", folder / "bin"
        home.mkdir()
        programs.mkdir()
        self._write_wrapper(programs / "cospot")
        self.environment = {
            **os.environ,
            "HOME": str(home),
            "COSPOT_CACHE": str(folder / "cache"),
            "COSPOT_DATA": str(data),
            "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

    @staticmethod
    def _write_wrapper(path: Path) -> None:
        def cases(instead: dict[str, list[str]]) -> str:
            return "\n".join(
                f'    {name}) set -- "$@" {" ".join(map(repr, words))} ;;'
                for name, words in instead.items()
            )

        smaller = cases({name: [word] for name, word in SMALLER.items()})
        path.write_text(_WRAPPER.format(smaller=smaller, shorter=cases(SHORTER), program=PROGRAM))
        path.chmod(0o755)

    def run(self, blocks: list[Block]) -> subprocess.CompletedProcess[str]:
        """Run blocks as pasted into one shell, up to the first command that fails.

        The last line with a @ of the error output says where that was. Commands of sentences do not
        follow upon each other: a database that one has left would be refused.
        """
        text = ""
        for block in blocks:
            text += f"cd {shlex.quote(str(self.folder))}; echo '@ {block.place}' >&2\n"
            text += "" if "\n" in block.text else "rm -f results.db\n"
            text += _PLACEHOLDER.sub("", block.text) + "\n"
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text], env=self.environment, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False,
        )  # fmt: skip
