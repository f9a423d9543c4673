"""One task of a distributed sweep: a shard, run on a Dask worker and returned as bytes.

This module runs on the workers; it needs neither Dask nor pandas.
"""

from __future__ import annotations

import json
import os
import re
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cospot._core import Workload, compare
from cospot.errors import CospotError, InputError

#: Variables specific to a worker, which clients do not override.
_OWN_NAMES = frozenset(os.environ)


@dataclass(frozen=True)
class SweptStudy:
    """A study as sent to workers.

    Attributes:
        study: The absolute path of its file, or a dict with its keys.
        text: The contents of the file; empty for a dict.
        overrides: ``key=value`` as for ``--set``.
    """

    study: Path | dict[str, Any]
    text: str
    overrides: tuple[str, ...]

    @staticmethod
    def of(study: Any, overrides: tuple[str, ...]) -> SweptStudy:
        """Read a valid study."""
        if isinstance(study, dict):
            return SweptStudy(study, "", overrides)
        path = Path(os.fsdecode(study)).resolve()
        return SweptStudy(path, path.read_text(encoding="utf-8"), overrides)

    def workloads(self) -> list[Any]:
        """Return the values of the key ``workloads``."""
        keys = self.study if isinstance(self.study, dict) else yaml.safe_load(self.text)
        workloads: Any = keys.get("workloads")
        for override in self.overrides:
            key, _, value = override.partition("=")
            if key == "workloads":
                workloads = yaml.safe_load(value)
        if hasattr(workloads, "tolist"):
            workloads = workloads.tolist()
        return list(workloads) if isinstance(workloads, (list, tuple)) else [workloads]

    def given_workloads(self) -> list[Workload]:
        """Return the workloads that are objects, in their order."""
        entries = self.workloads()
        given = (entry.get("path") if isinstance(entry, dict) else entry for entry in entries)
        return [one for one in given if isinstance(one, Workload)]

    def folder(self) -> Path:
        """Return the folder to which workload paths are relative."""
        return Path.cwd() if isinstance(self.study, dict) else self.study.parent

    def environment(self) -> dict[str, str]:
        """Return the environment variables that the study uses, as ``${NAME}``."""
        text = str(self.study) if isinstance(self.study, dict) else self.text
        names = re.findall(r"\$\{(\w+)\}", "\n".join([text, *self.overrides]))
        return {name: os.environ[name] for name in names if name in os.environ}


@dataclass(frozen=True)
class ShardTask:
    """Part ``number`` of ``count`` of a sweep; plain values, for sending.

    Attributes:
        number: 1 to ``count``.
        count: Parts of the whole sweep.
        study: Path of the study's file on the client, or a dict.
        sweep_text: The contents of the file, which the worker's own file must match; empty for a
            dict.
        overrides: ``key=value`` as for ``--set``.
        timing: Record measured times.
        environment: Variables that the sweep uses, for workers that lack them.
        shipped_folder: Name of the folder with sent workloads, below the worker's own; None: the
            worker reads the sweep's paths.
        started: A results database with the shard's finished runs.
    """

    number: int
    count: int
    study: Path | dict[str, Any]
    sweep_text: str
    overrides: tuple[str, ...]
    timing: bool
    environment: Mapping[str, str]
    shipped_folder: str | None = None
    started: bytes = b""


@dataclass(frozen=True)
class ShardResult:
    """A worker's answer: a database, or why there is none.

    Attributes:
        number: Of the task.
        machine: The worker's host name.
        database: Bytes of the shard's results database; empty if it failed.
        failure: One sentence; empty if it succeeded.
        is_input_error: Whether the failure is about files and settings rather than cospot.
    """

    number: int
    machine: str
    database: bytes = b""
    failure: str = ""
    is_input_error: bool = False


def run_shard(task: ShardTask, local_folder: str | None = None) -> ShardResult:
    """Run one shard on one thread.

    Args:
        task: The task to run.
        local_folder: The folder for sent workloads and temporary files; None: the system's.

    Returns:
        The results, or one sentence that says why there are none.
    """
    machine = socket.gethostname()
    try:
        with tempfile.TemporaryDirectory(prefix="cospot-shard-", dir=local_folder) as scratch:
            study, overrides = _prepare(task, Path(scratch), local_folder)
            os.environ.update(
                {name: value for name, value in task.environment.items() if name not in _OWN_NAMES}
            )
            database = Path(scratch) / "shard.db"
            if task.started:
                database.write_bytes(task.started)
            compare(
                study,
                db=database,
                overrides=overrides,
                shard=f"{task.number}/{task.count}",
                threads=1,
                resume=bool(task.started),
                timing=task.timing,
            )
            return ShardResult(task.number, machine, database=database.read_bytes())
    except (CospotError, OSError) as error:
        is_input = isinstance(error, (InputError, OSError))
        return ShardResult(task.number, machine, failure=str(error), is_input_error=is_input)


def _prepare(
    task: ShardTask, scratch: Path, local_folder: str | None
) -> tuple[Path | Mapping[str, Any], tuple[str, ...]]:
    """Return the study to run and its overrides, after checking the worker's files."""
    if task.shipped_folder is not None:
        folder = Path(local_folder or tempfile.gettempdir()) / task.shipped_folder
        workloads = json.loads((folder / WORKLOADS_FILE).read_text(encoding="utf-8"))
        given = SweptStudy(task.study, task.sweep_text, task.overrides).given_workloads()
        for workload in workloads:
            path = workload.get("path")
            if path is not None:
                workload["path"] = str(folder / path) if isinstance(path, str) else given[path]
        # Replace the study's paths by the sent files, with their original labels.
        if not isinstance(task.study, Path):
            others = (one for one in task.overrides if not one.startswith("workloads="))
            return {**task.study, "workloads": workloads}, tuple(others)
        overrides = (*task.overrides, f"workloads={json.dumps(workloads)}")
        sweep_file = scratch / task.study.name
        sweep_file.write_text(task.sweep_text, encoding="utf-8")
        return sweep_file, overrides
    if isinstance(task.study, Path) and task.study.read_text(encoding="utf-8") != task.sweep_text:
        raise InputError(f"{task.study}: its contents differ from those of the client's file")
    return task.study, task.overrides


#: In a folder of sent workloads: the value of the sweep's key ``workloads``, as JSON.
WORKLOADS_FILE = "workloads.json"
