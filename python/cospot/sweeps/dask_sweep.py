"""A sweep on a Dask cluster: shards are the tasks; results are merged as they arrive."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import pickle
import socket
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cospot._core import __version__
from cospot.errors import ConfigError, CospotError, DatabaseError, InputError
from cospot.extras import install_hint
from cospot.sweeps.shard_merge import SweepState, append_shard, extract_shard, read_state
from cospot.sweeps.shard_task import ShardResult, ShardTask, SweptStudy, run_shard

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

#: Tasks per thread: two, so that none waits long for the last one, ...
_TASKS_PER_THREAD = 2
#: ... and more if they would take longer than some seconds, so that a dying worker loses little.
#: Shorter ones would mostly load the workloads, as every task does.
_RUNS_PER_TASK = 1000
#: Threads to assume before any worker has joined, as on a cluster that grows on demand.
_THREADS_TO_COME = 8
#: Interval, in seconds, at which a sweep that waits for a shard checks for workers.
_LOOK_S = 5.0
#: Seconds without a worker after which a sweep with its own processes gives up: Dask restarts dead
#: ones at once, if it can. On the caller's cluster workers may take long to start, as in a Slurm
#: queue, so there is only a warning, each time.
_WITHOUT_WORKERS_S = 120.0
#: Evaluated on workers. A function of cospot could not be received by a worker without cospot: Dask
#: takes such a worker for one that died, and never says why.
_VERSION = "__import__('importlib').import_module('cospot._core').__version__"
_RUN = "__import__('importlib').import_module('cospot.sweeps.dask_sweep')._on_worker(number, sent)"

Progress = Callable[[int, int], Any]

_log = logging.getLogger(__name__)


def task_count(state: SweepState, threads: int) -> int:
    """Return the number of tasks of a sweep for `threads`: at most its groups."""
    wanted = max(
        _TASKS_PER_THREAD * (threads or _THREADS_TO_COME), -(-state.run_count // _RUNS_PER_TASK)
    )
    return min(state.group_count, wanted)


@contextmanager
def local_cluster(workers: int) -> Iterator[LocalCluster]:
    """Start workers on this machine, which end with the block.

    Raises:
        ImportError: Dask is not installed.
    """
    from distributed import LocalCluster

    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    try:
        yield cluster
    finally:
        # On a busy machine a worker may take longer to end than Dask waits: the work is done.
        with suppress(TimeoutError, asyncio.TimeoutError):
            cluster.close()


@contextmanager
def connect(scheduler: Any, processes: int | None) -> Iterator[Client]:
    """Connect to a cluster; without one, start processes on this machine for the call.

    Args:
        scheduler: A ``distributed.Client`` (which stays open), a cluster object, an address such
            as ``tcp://host:8786``, or None.
        processes: Number to start; None: the machine's processors.

    Raises:
        ConfigError: Dask is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ConfigError(
            f'executor="dask" needs dask.distributed ({error}); {install_hint("dask")}'
        ) from error
    if isinstance(scheduler, Client):
        yield scheduler
        return
    if scheduler is None:
        with local_cluster(processes or os.cpu_count() or 1) as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(scheduler)
    except (OSError, ValueError) as error:
        raise ConfigError(f"the Dask scheduler {scheduler} does not answer: {error}") from error
    with client:
        yield client


def run_on_cluster(
    client: Client,
    sweep: SweptStudy,
    database: Path,
    *,
    timing: bool,
    ship: bool,
    tasks: int | None,
    progress: Progress | None,
    gives_up: bool = False,
) -> None:
    """Run the missing runs of a prepared database.

    Every shard is committed when it arrives. If something fails, or the caller is interrupted,
    received shards are kept, and the other tasks are cancelled. After two minutes without a worker
    it fails if it `gives_up`, otherwise it warns and goes on waiting.

    Raises:
        InputError: A worker cannot use the sweep, its workloads or its cospot.
        CospotError: A shard failed, or no worker is left.
    """
    _require_cospot(client)
    state = read_state(database)
    threads = sum(client.nthreads().values())
    count = min(state.group_count, tasks) if tasks else task_count(state, threads)
    with _shipped(client, sweep, database) if ship else nullcontext() as folder:
        shards = [
            ShardTask(
                number=number,
                count=count,
                study=sweep.study,
                sweep_text=sweep.text,
                overrides=sweep.overrides,
                timing=timing,
                environment=sweep.environment(),
                shipped_folder=folder,
                started=_started(state, database, number, count),
            )
            for number in range(1, count + 1)
            if state.finished_part(number, count) < 1
        ]
        done = len(state.finished)
        if progress is not None:
            progress(done, state.run_count)
        for result in _results(client, shards, _Patience(gives_up)):
            done += _keep(result, database, count)
            if progress is not None:
                progress(done, state.run_count)


def _shipped(client: Client, sweep: SweptStudy, database: Path) -> AbstractContextManager[str]:
    # Imported late, because it requires Dask.
    from cospot.sweeps.shipped_workloads import ship_workloads

    return ship_workloads(client, sweep, database)


def _started(state: SweepState, database: Path, number: int, count: int) -> bytes:
    """Return the finished runs of a shard, so that its worker runs only the others."""
    is_started = state.finished_part(number, count) > 0
    return extract_shard(database, number, count) if is_started else b""


def _require_cospot(client: Client) -> None:
    """Raise ConfigError unless every worker has the cospot of the client."""
    for address, answer in sorted(client.run(eval, _VERSION, on_error="return").items()):
        if isinstance(answer, OSError):  # the worker is gone
            continue
        if answer != __version__:
            found = repr(answer) if isinstance(answer, Exception) else f"cospot {answer}"
            raise ConfigError(
                f"the Dask worker {address} cannot run shards: found {found}, expected cospot "
                f"{__version__} as on the client"
            )


def _sent(task: ShardTask) -> bytes:
    """Pickle a task as Dask would: classes of a notebook go along."""
    from distributed.protocol.pickle import dumps

    try:
        return bytes(dumps(task))
    except Exception as error:
        raise ConfigError(
            f"the study cannot be sent to Dask workers: {error}; expected policies that can be "
            f"pickled"
        ) from error


def _on_worker(number: int, sent: bytes) -> ShardResult:
    from distributed import get_worker

    try:
        task = pickle.loads(sent)
    except Exception as error:
        failure = f"the study cannot be read there: {error!r}; expected the modules of its policies"
        return ShardResult(number, socket.gethostname(), failure=failure)
    return run_shard(task, get_worker().local_directory)


class _Patience:
    """Measures how long a cluster has had no worker."""

    def __init__(self, gives_up: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._gives_up = gives_up
        self._clock = clock
        self._since: float | None = None
        self._has_had_workers = False

    def look(self, client: Client) -> None:
        """Warn, or raise CospotError, after too long without a worker."""
        if client.nthreads():
            self._since = None
            self._has_had_workers = True
            return
        now = self._clock()
        if self._since is None:
            self._since = now
        if now - self._since < _WITHOUT_WORKERS_S:
            return
        if self._gives_up:
            raise CospotError(
                f"no Dask worker has run for {_WITHOUT_WORKERS_S:.0f} s, and Dask cannot start "
                f"one; what is done is kept: resume=True continues"
            )
        self._since = now
        why = "; the logs of those that ended say why" if self._has_had_workers else ""
        warnings.warn(
            f"the Dask cluster has had no worker for {_WITHOUT_WORKERS_S:.0f} s{why}; the study "
            f"waits",
            stacklevel=2,
        )


def _results(client: Client, tasks: list[ShardTask], patience: _Patience) -> Iterator[ShardResult]:
    """Yield the results of the tasks as they arrive; cancel the others if the caller stops."""
    import distributed

    # Dask reruns the tasks of a lost worker by itself. Not pure: another sweep of this client must
    # not get these results.
    sent = [{"number": task.number, "sent": _sent(task)} for task in tasks]
    futures = client.map(functools.partial(eval, _RUN), sent, pure=False, key="cospot-shard")
    try:
        pending = set(futures)
        while pending:
            try:
                with client.as_current():
                    done, pending = distributed.wait(
                        pending, timeout=_LOOK_S, return_when="FIRST_COMPLETED"
                    )
            except distributed.TimeoutError:
                patience.look(client)
                continue
            for future in done:
                yield _result_of(client, future)
                # Free the result's memory on the worker.
                future.release()
    finally:
        client.cancel(futures)


def _result_of(client: Client, future: Future) -> ShardResult:
    from distributed import KilledWorker

    try:
        result: ShardResult = future.result()
    except KilledWorker as error:
        raise CospotError(
            f"Dask has given up on a shard, with which several workers died; is there enough "
            f"memory? {error}"
        ) from error
    except Exception as error:
        _require_cospot(client)  # of workers that have joined since, it names the one without
        raise CospotError(f"a Dask worker cannot run shards: {error!r}") from error
    return result


def _keep(result: ShardResult, database: Path, count: int) -> int:
    """Commit a worker's result; return the number of new runs."""
    where = f"shard {result.number} of {count}, on a Dask worker at {result.machine}"
    if result.is_input_error:
        raise InputError(
            f"{where}: {result.failure}. The client can use these files: they must be under the "
            f"same paths on every worker, or be sent along with ship_workloads=True"
        )
    if result.failure:
        raise CospotError(f"{where}: {result.failure}")
    with tempfile.NamedTemporaryFile(suffix=".db") as shard:
        shard.write(result.database)
        shard.flush()
        try:
            added = append_shard(database, Path(shard.name), version=__version__)
        except DatabaseError as error:
            raise DatabaseError(f"{where}: {error}") from error
    _log.info("%s: %d runs", where, added)
    return added
