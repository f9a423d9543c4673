"""Counts what the plugin does with requests, for Prometheus: a file for each scheduler process.

The processes of nova-scheduler are forked and have no port of their own. So each one counts in
memory, and a thread of the operating system writes the counts to a file now and then, which the
textfile collector of node_exporter reads. No request waits for a file.

A process has a *slot*, the lowest number whose lock no other process holds. The number is the label
`worker`. The process that replaces one that ended takes its slot over, so the series go on, as
after any restart of a counter. Files of slots that nobody holds are removed.
"""

from __future__ import annotations

import bisect
import fcntl
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cospot.nova import log as logging
from cospot.nova.scheduler.native_thread import native_sleep, start_native_thread
from cospot.whole_file import replace_file

LOG = logging.getLogger(__name__)

#: As often as the file is written, seconds.
WRITE_EVERY_S: Final = 15.0
_PREFIX: Final = "cospot_scheduler_"
_MOST_SLOTS: Final = 1000


@dataclass(frozen=True)
class Family:
    """A metric: its name, what it means, its label and the values that this may have."""

    name: str
    text: str
    label: str
    values: tuple[str, ...]


COUNTERS: Final = (
    Family("requests_total", "Instances for which Nova asked for hosts", "kind", ("vm", "spot")),
    Family(
        "spots_refused_total",
        "Spots that got no host, by reason",
        "reason",
        ("capacity", "aggregates", "reserve", "lifetime", "failure", "configuration"),
    ),
    Family(
        "promises_total",
        "Spots that asked for a lifetime, by what they were told",
        "outcome",
        ("given", "denied", "malformed", "unavailable"),
    ),
    Family(
        "passed_through_total",
        "Requests that Nova's own order decided, by reason",
        "reason",
        ("failure", "configuration", "module", "disabled", "dry_run"),
    ),
    Family(
        "unanswered_total",
        "Questions that failed or were not answered in time, by service",
        "service",
        ("placement", "database"),
    ),
)
HANGING: Final = Family(
    "hanging_questions",
    "Questions that nobody waits for any more and that have not ended, by service",
    "service",
    ("placement", "database"),
)
#: A gauge of each worker, without a label of its own.
RELOAD_FAILED: Final = "reload_failed"
DURATION: Final = Family(
    "duration_seconds",
    "Time that a request spent in the plugin",
    "part",
    ("filter", "weigher"),
)
BUCKETS_S: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


@dataclass
class RequestTally:
    """The fate of one request; empty where something did not happen.

    Attributes:
        kind: `vm` or `spot`.
        is_repeated: Nova asks about the same instance again, for alternates.
        refused: why a spot got no host.
        promise: what a spot that asked for a lifetime was told.
        passed_through: why Nova's own order decided.
        unanswered: the services that failed or did not answer in time, one for each question.
        hanging: gives the services with questions that have not ended yet, one for each.
    """

    kind: str = "vm"
    is_repeated: bool = False
    refused: str = ""
    promise: str = ""
    passed_through: str = ""
    unanswered: Sequence[str] = ()
    hanging: Callable[[], Sequence[str]] = tuple

    def counters(self) -> Iterator[tuple[str, str]]:
        """Return what counts one more: names of metrics and values of their label."""
        if not self.is_repeated:
            yield "requests_total", self.kind
        if self.refused:
            yield "spots_refused_total", self.refused
        if self.promise:
            yield "promises_total", self.promise
        if self.passed_through:
            yield "passed_through_total", self.passed_through
        for service in self.unanswered:
            yield "unanswered_total", service


@dataclass
class _Counts:
    """The counts of one process.

    Requests change them under the lock. The thread that writes reads them without: it must not use
    locks, which may be eventlet's. Copying a list or a dict is one step of the interpreter.

    Attributes:
        problem: Why the file could not be written the last time; empty when it was.
        said: The problem that was logged.
    """

    counters: dict[tuple[str, str], int] = field(
        default_factory=lambda: {
            (family.name, value): 0 for family in COUNTERS for value in family.values
        }
    )
    hanging: Callable[[], Sequence[str]] = tuple
    reload_failed: bool = False
    buckets: dict[str, list[int]] = field(
        default_factory=lambda: {part: [0] * (len(BUCKETS_S) + 1) for part in DURATION.values}
    )
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(DURATION.values, 0.0))
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_written: bool = False
    problem: str = ""
    said: str = ""

    def as_text(self, worker: int) -> str:
        """Return the counts in the text format of Prometheus."""
        counters = dict(self.counters)
        lines: list[str] = []
        for family in COUNTERS:
            lines += _head(family, "counter")
            for value in family.values:
                labels = f'worker="{worker}",{family.label}="{value}"'
                lines.append(f"{_PREFIX}{family.name}{{{labels}}} {counters[family.name, value]}")
        lines += _head(HANGING, "gauge")
        hanging = self.hanging()
        for value in HANGING.values:
            labels = f'worker="{worker}",{HANGING.label}="{value}"'
            lines.append(f"{_PREFIX}{HANGING.name}{{{labels}}} {hanging.count(value)}")
        name = f"{_PREFIX}{RELOAD_FAILED}"
        lines += [
            f"# HELP {name} 1 when the last reload was refused and the old options stay",
            f"# TYPE {name} gauge",
            f'{name}{{worker="{worker}"}} {int(self.reload_failed)}',
        ]
        lines += _head(DURATION, "histogram")
        for part in DURATION.values:
            labels = f'worker="{worker}",{DURATION.label}="{part}"'
            lines += _histogram(labels, list(self.buckets[part]), self.sums[part])
        return "\n".join(lines) + "\n"


def _head(family: Family, kind: str) -> list[str]:
    name = f"{_PREFIX}{family.name}"
    return [f"# HELP {name} {family.text}", f"# TYPE {name} {kind}"]


def _histogram(labels: str, counts: Sequence[int], total: float) -> Iterator[str]:
    name = f"{_PREFIX}{DURATION.name}"
    so_far = 0
    for bound, count in zip([*map(repr, BUCKETS_S), "+Inf"], counts, strict=True):
        so_far += count
        yield f'{name}_bucket{{{labels},le="{bound}"}} {so_far}'
    yield f"{name}_sum{{{labels}}} {total!r}"
    yield f"{name}_count{{{labels}}} {so_far}"


class SchedulerMetrics:
    """Counts in memory, written by a thread of its own. Threads and forked processes may share it.

    Nothing that goes wrong here reaches a request: it is logged once.
    """

    def __init__(self, directory: str, every: float = WRITE_EVERY_S) -> None:
        self._directory = Path(directory)
        self._every = every
        self._of_process: dict[int, _Counts] = {}

    def note_request(self, tally: RequestTally, seconds: float) -> None:
        """Count a request and the time that the filter took for it."""
        self._note(tally, "filter", seconds)

    def note_weigher(self, seconds: float) -> None:
        """Count the time that the weigher took for a decided request."""
        self._note(None, "weigher", seconds)

    def note_reload(self, *, failed: bool) -> None:
        """Take note of whether the last reload was refused."""
        counts = self._counts()
        with counts.lock:
            counts.reload_failed = failed
        self._have_written(counts)

    def _counts(self) -> _Counts:
        pid = os.getpid()  # a forked process starts at 0, with a lock that nobody holds
        return self._of_process.get(pid) or self._of_process.setdefault(pid, _Counts())

    def _note(self, tally: RequestTally | None, part: str, seconds: float) -> None:
        counts = self._counts()
        with counts.lock:
            if tally is not None:
                counts.hanging = tally.hanging
            for key in tally.counters() if tally is not None else ():
                counts.counters[key] += 1
            counts.buckets[part][bisect.bisect_left(BUCKETS_S, seconds)] += 1
            counts.sums[part] += seconds
        self._have_written(counts)

    def _have_written(self, counts: _Counts) -> None:
        with counts.lock:
            starts, counts.is_written = not counts.is_written, True
        if starts:
            self._start(counts)
        elif counts.problem != counts.said:
            self._say(counts, counts.problem)

    def _start(self, counts: _Counts) -> None:
        try:
            start_native_thread(lambda: self._write_forever(counts))
        except Exception as error:  # no more threads, say
            self._say(counts, f"no thread can be started: {error}")

    def _say(self, counts: _Counts, problem: str) -> None:
        counts.said = problem
        if problem:
            LOG.warning(
                "cospot: metrics_directory %s: %s. Requests are decided all the same; the metrics"
                " are missing or old",
                self._directory,
                problem,
            )
        else:
            LOG.info("cospot: metrics_directory %s: written again", self._directory)

    def _write_forever(self, counts: _Counts) -> None:
        slot: Slot | None = None
        while True:
            try:
                if slot is None or not slot.is_held():
                    if slot is not None:
                        slot.close()
                        slot = None
                    slot = Slot.take(self._directory)
                slot.write(counts.as_text(slot.number))
                slot.remove_dead()
                counts.problem = ""
            except OSError as error:
                counts.problem = f"cannot be written: {error.strerror or error}"
            except Exception as error:
                counts.problem = f"cannot be written: {type(error).__name__}: {error}"
            native_sleep(self._every)


class Slot:
    """A number that one process holds as long as it lives, and the file that belongs to it.

    The lock is the kernel's, so it goes with the process however that ends, and counts between
    containers that share the directory.
    """

    def __init__(self, directory: Path, number: int, lock: int) -> None:
        self.number = number
        self._directory = directory
        self._lock = lock

    @classmethod
    def take(cls, directory: Path) -> Slot:
        """Take the lowest number that nobody holds.

        Raises:
            OSError: the directory is missing, or nothing may be written there.
        """
        for number in range(_MOST_SLOTS):
            lock = _lock(_lock_file(directory, number))
            if lock is not None:
                return cls(directory, number, lock)
        raise OSError(f"{_MOST_SLOTS} processes write there already")

    def is_held(self) -> bool:
        """Tell whether the lock is still the one of that name: somebody may have removed it."""
        try:
            named = os.stat(_lock_file(self._directory, self.number), follow_symlinks=False)
        except FileNotFoundError:
            return False
        return os.path.samestat(named, os.fstat(self._lock))

    def close(self) -> None:
        """Give the number up."""
        os.close(self._lock)

    def write(self, text: str) -> None:
        """Replace the file, so that who reads it sees the old one or the new one."""
        # node_exporter, which reads files whose names end in .prom alone, is another user.
        replace_file(_file(self._directory, self.number), text.encode(), mode=0o644, exactly=True)

    def remove_dead(self) -> None:
        """Remove the files of processes that have ended and were not replaced."""
        for file in self._directory.glob("cospot-scheduler-*.prom"):
            number = file.stem.removeprefix("cospot-scheduler-")
            if not number.isdecimal() or int(number) == self.number:
                continue
            lock = _lock(_lock_file(self._directory, int(number)))
            if lock is None:
                continue  # it lives
            try:
                file.unlink(missing_ok=True)
            finally:
                os.close(lock)


def _file(directory: Path, number: int) -> Path:
    return directory / f"cospot-scheduler-{number}.prom"


def _lock_file(directory: Path, number: int) -> Path:
    return directory / f"cospot-scheduler-{number}.lock"


def _lock(path: Path) -> int | None:
    """Lock a file and return its descriptor; None when another process has locked it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    except BaseException:
        os.close(file)
        raise
    return file


_MADE: Final[dict[str, SchedulerMetrics]] = {}


def metrics_of(directory: str) -> SchedulerMetrics | None:
    """Return what counts for a directory, always the same; None where none is set."""
    if not directory:
        return None
    return _MADE.get(directory) or _MADE.setdefault(directory, SchedulerMetrics(directory))


def series() -> Mapping[str, set[str]]:
    """Return the labels of every series that is written, by the name of the series."""
    name = f"{_PREFIX}{DURATION.name}"
    labels = {"worker", DURATION.label}
    return {
        **{f"{_PREFIX}{family.name}": {"worker", family.label} for family in (*COUNTERS, HANGING)},
        f"{_PREFIX}{RELOAD_FAILED}": {"worker"},
        f"{name}_bucket": {*labels, "le"},
        f"{name}_sum": labels,
        f"{name}_count": labels,
    }
