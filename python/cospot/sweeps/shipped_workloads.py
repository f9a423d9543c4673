"""Sends the workloads of a sweep to Dask workers on machines without them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distributed import WorkerPlugin

from cospot.errors import ConfigError
from cospot.sweeps.shard_merge import read_configuration, read_workloads
from cospot.sweeps.shard_task import WORKLOADS_FILE, SweptStudy

if TYPE_CHECKING:
    from distributed import Client, Worker


class ShippedWorkloads(WorkerPlugin):
    """Writes files into a folder on every worker, including workers that join or restart later."""

    def __init__(self, folder: str, files: dict[str, bytes]) -> None:
        """Take the folder's name, below the worker's own, and the files' names and contents."""
        self.name = folder
        self.files = files

    def setup(self, worker: Worker) -> None:
        """Write the files."""
        folder = Path(worker.local_directory) / self.name
        folder.mkdir(exist_ok=True)
        for name, content in self.files.items():
            (folder / name).write_bytes(content)

    def teardown(self, worker: Worker) -> None:
        """Remove them."""
        shutil.rmtree(Path(worker.local_directory) / self.name, ignore_errors=True)


@contextmanager
def ship_workloads(client: Client, sweep: SweptStudy, database: Path) -> Iterator[str]:
    """Keep the workloads of a sweep on the workers during a block.

    Args:
        client: Of the cluster.
        sweep: The study.
        database: Its prepared database, which identifies the files.

    Yields:
        The folder's name, below each worker's own.

    Raises:
        ConfigError: A workload's file cannot be found.
    """
    files: dict[str, bytes] = {}
    items: list[dict[str, Any]] = []
    paths = _explicit_paths(sweep)
    given, sent = sweep.given_workloads(), 0
    for item, (label, sha256) in zip(
        read_configuration(database)["workloads"], read_workloads(database), strict=True
    ):
        window = {key: item[key] for key in ("window_days",) if key in item}
        if sent < len(given) and given[sent].sha256 == sha256:
            # An object goes along with the task, which knows it by its number.
            items.append({"path": sent, "label": label, **window})
            sent += 1
            continue
        if "synthetic" in item:
            items.append(item)
            continue
        path = _find(label, sha256, sweep.folder(), paths)
        name = f"{len(files)}-{path.name}"
        files[name] = path.read_bytes()
        items.append({"path": name, "label": label, **window})
    files[WORKLOADS_FILE] = json.dumps(items).encode()
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()
    plugin = ShippedWorkloads(f"cospot-workloads-{digest[:16]}", files)
    client.register_plugin(plugin)
    try:
        yield plugin.name
    finally:
        client.unregister_worker_plugin(plugin.name)


def _explicit_paths(sweep: SweptStudy) -> dict[str, str]:
    """Return the paths of workloads that have a label in the sweep, by label."""
    return {
        str(entry["label"]): str(entry["path"])
        for entry in sweep.workloads()
        if isinstance(entry, dict) and "path" in entry and "label" in entry
    }


def _find(label: str, sha256: str, folder: Path, paths: dict[str, str]) -> Path:
    """Return a workload's file: the one with its SHA-256."""
    # Without its own label, a workload is labelled with its path, with wildcards replaced.
    path = folder / os.path.expandvars(paths.get(label, label))
    matches = [str(path)] if path.is_file() else sorted(glob(str(path)))
    for match in map(Path, matches):
        if hashlib.sha256(match.read_bytes()).hexdigest() == sha256:
            return match
    raise ConfigError(
        f"{path}: found no file with the SHA-256 of the workload '{label}', {sha256}; expected it "
        f"unchanged, to send it to the workers"
    )
