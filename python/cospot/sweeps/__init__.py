"""Runs a study on this machine or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cospot._core import compare
from cospot.argument_errors import checked
from cospot.errors import ConfigError
from cospot.progress import progress_function

if TYPE_CHECKING:
    from cospot.study_keys import Study

#: More shards than a study can have groups (at most its runs), so that the last one is empty.
_NO_SHARD = "100000000/100000000"


@checked
def sweep(
    study: str | PathLike[str] | Study | Mapping[str, Any],
    *,
    db: str | PathLike[str] = "results.db",
    overrides: Sequence[str] = (),
    executor: Literal["local", "dask"] = "local",
    scheduler: Any = None,
    processes: int | None = None,
    ship_workloads: bool = False,
    tasks: int | None = None,
    resume: bool = False,
    force: bool = False,
    timing: bool = True,
    progress: Callable[[int, int], Any] | bool | None = None,
) -> Path:
    """Run every combination of a study and store the results in a database.

    The database is the same, row for row (except times), however the study is run. If something
    fails or Ctrl-C ends it, finished runs are kept: the same call with ``resume=True``, or ``cospot
    compare --resume``, continues.

    Args:
        study: A study file, or a dict with its keys (docs/sweep-file.md), as for ``compare``.
        db: The results database to write (docs/results-format.md).
        overrides: ``key=value`` as for ``--set`` of ``cospot compare``.
        executor: ``"local"``: the threads of this process. ``"dask"``: the workers of a Dask
            cluster, which need the same cospot, and the study file and its workloads under the same
            paths, or ``ship_workloads``. A dict is sent to them, with its objects. If a worker
            dies, its part is run again on another.
        scheduler: For Dask: the scheduler's address, a ``distributed.Client`` or a cluster; None
            starts worker processes on this machine for the duration of the call.
        processes: Threads (local) or worker processes (Dask without a scheduler); None: the number
            of processors.
        ship_workloads: For Dask: send the study file and its workloads to the workers.
        tasks: For Dask: the number of parts of the study, at most its groups (workloads x sizes x
            VM x spot policies). A dying worker loses one part, and each part loads all workloads.
            None: two or more per thread, of at most about 1,000 runs.
        resume: Continue an existing database, or start a new one.
        force: Replace an existing database.
        timing: False writes 0 for every time, so that the output is repeatable.
        progress: A function, called with the finished and the total number of runs, at the start
            and on every change. None: a bar of tqdm, if installed, on terminals and in notebooks;
            True: a bar anywhere; False: nothing.

    Returns:
        The database, for ``load_results``.

    Raises:
        InputError: The study, a workload, the database or a worker cannot be used; the text says
            why.
        PolicyError: A policy broke its contract.
        KeyboardInterrupt: Ctrl-C, after committing the finished runs.
    """
    given: Any = dict(study) if isinstance(study, Mapping) else study
    # compare has the error message for a str.
    settings = overrides if isinstance(overrides, str) else tuple(overrides)
    if executor not in ("local", "dask"):
        raise ConfigError(f"found executor='{executor}'; expected 'local' or 'dask'")
    if executor == "local":
        if scheduler is not None or ship_workloads or tasks is not None:
            raise ConfigError("scheduler, ship_workloads and tasks need executor='dask'")
        compare(
            given,
            db=db,
            overrides=settings,
            threads=processes,
            resume=resume,
            force=force,
            timing=timing,
            progress=progress,
        )
        return Path(fspath(db))
    if tasks is not None and tasks < 1:
        raise ConfigError(f"found tasks={tasks}; expected a number from 1")
    from cospot.sweeps.dask_sweep import connect, run_on_cluster
    from cospot.sweeps.shard_task import SweptStudy

    # Check the study and its workloads, and create the database or check that it can be continued.
    compare(
        given,
        db=db,
        overrides=settings,
        resume=resume,
        force=force,
        shard=_NO_SHARD,
        progress=False,
    )
    database = Path(fspath(db))
    with connect(scheduler, processes) as client:
        run_on_cluster(
            client,
            # Read after the check, which has better error messages.
            SweptStudy.of(given, tuple(settings)),
            database,
            timing=timing,
            ship=ship_workloads,
            tasks=tasks,
            progress=progress_function(progress),
            gives_up=scheduler is None,
        )
    return database
