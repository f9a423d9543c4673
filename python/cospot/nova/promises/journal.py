"""Records of given and broken promises, shared by services and `cospot-nova`.

In files: one per day on which promises were made (`promises/2026-11-22.jsonl` in the evictor's
state_path), with one JSON object per line, each appended with a single write. A killed service
leaves at most its last line unfinished, and copies of the service on one machine read each other's
lines. `cospot.nova.state.promise_records` stores them in a database instead. Whether a promise was
kept follows from the time, so no record is written for that.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Hashable, Iterator, Set
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from cospot.nova.line_file import APPENDING, append_line, objects
from cospot.nova.promises.promise_message import Promise

FOLDER: Final = "promises"
_DAY_S: Final = 86400.0
_Group = TypeVar("_Group", bound=Hashable)


@dataclass(frozen=True)
class KnownPromise:
    """A promise and what is known about its spot.

    Attributes:
        broken_at: when the spot was evicted too early; None if it was not.
        never_ran: it got no capacity, so the promise was void.
        ran: it was observed with capacity.
    """

    promise: Promise
    broken_at: float | None = None
    never_ran: bool = False
    ran: bool = False


@dataclass(frozen=True)
class PromiseCounts:
    """Counts for one target, without promises whose term ended before the window.

    Attributes:
        kept: the term is over, and the spot was not evicted during it.
        broken: the spot was evicted during its term, which may not be over yet.
        broken_due: broken promises whose term is over.
        open: neither kept nor broken: the spot has to live on.
    """

    target: float
    kept: int = 0
    broken: int = 0
    broken_due: int = 0
    open: int = 0

    @property
    def promised(self) -> int:
        """All of them."""
        return self.kept + self.broken + self.open

    @property
    def due(self) -> int:
        """Promises whose term is over."""
        return self.kept + self.broken_due


class PromiseRecords(Protocol):
    """Storage for a journal's records: JSON objects with `event` and `instance`.

    Attributes:
        knows_first: whether `write` itself detects a second promise to a spot.
    """

    knows_first: bool

    def write(self, promise: Promise, record: dict[str, Any]) -> bool:
        """Store a record of a promise; tell whether it may be new information."""

    def read(self) -> Iterator[dict[str, Any]]:
        """Return records stored since the last call, by any process; some may be repeated."""

    def drop_old(self, before: float, young: Set[str]) -> None:
        """Remove expired records.

        Args:
            before: remove promises that were over by then.
            young: days on which promises were made that were not.
        """


class PromiseJournal:
    """Thread-safe.

    Args:
        kept: the evictor's folder, or another storage of the records.
    """

    def __init__(self, kept: str | PromiseRecords) -> None:
        self._records = JournalFiles(kept) if isinstance(kept, str) else kept
        self._lock = threading.RLock()
        self._known: dict[str, KnownPromise] = {}
        self._was_read = False

    def add(self, promise: Promise) -> bool:
        """Record a promise; return False if its instance already has one, which takes precedence.

        Raises:
            OSError: it cannot be written.
        """
        with self._lock:
            if not self._records.knows_first:
                self.refresh()
            if promise.instance in self._known:
                return False
            is_news = self._records.write(promise, {"event": "promised", **asdict(promise)})
            if is_news:
                self._known[promise.instance] = KnownPromise(promise)
            return is_news

    def evicted(self, instance: str, now: float) -> KnownPromise | None:
        """Record an eviction; return the spot's promise if this breaks it.

        Raises:
            OSError: it cannot be written.
        """
        with self._lock:
            if instance not in self._known:
                self.refresh()
            known = self._known.get(instance)
            if known is None or known.broken_at is not None or now >= known.promise.due_at:
                return None
            is_news = self._note(known.promise, "broken", now)
            self._known[instance] = replace(known, broken_at=now, never_ran=False)
            return self._known[instance] if is_news else None

    def promised_until(self, instance: str) -> float:
        """Return the end of a spot's promise, seconds since the epoch; 0: it has none.

        Records of other copies of the service since the last `refresh` are not included.

        Raises:
            OSError: earlier records cannot be read.
        """
        with self._lock:
            if not self._was_read:
                self.refresh()
            known = self._known.get(instance)
            return 0.0 if known is None or known.never_ran else known.promise.due_at

    def known(self, instance: str) -> KnownPromise | None:
        """Return the promise of a spot, if any, as of the last `refresh`."""
        with self._lock:
            return self._known.get(instance)

    def saw(self, promise: Promise, *, runs: bool, now: float) -> None:
        """Record whether a spot has capacity, some time after its promise.

        Raises:
            OSError: it cannot be written.
        """
        with self._lock:
            self._note(promise, "ran" if runs else "never_ran", now)
            known = self._known[promise.instance]
            self._known[promise.instance] = replace(known, ran=runs, never_ran=not runs)

    def unseen(self, now: float, after: float) -> list[Promise]:
        """Return promises older than `after` seconds whose spots have not been observed."""
        with self._lock:
            return [
                known.promise
                for known in self._known.values()
                if not (known.ran or known.never_ran or known.broken_at is not None)
                and now - known.promise.made_at > after
            ]

    def counts(self, now: float, window: float) -> list[PromiseCounts]:
        """Return the counts by target, ascending.

        Args:
            now: seconds since the epoch.
            window: exclude promises whose term ended more than this many seconds ago.
        """
        found = self.counts_by(now, window, lambda promise: promise.target)
        return [found[target] for target in sorted(found)]

    def counts_by(
        self, now: float, window: float, group: Callable[[Promise], _Group | None]
    ) -> dict[_Group, PromiseCounts]:
        """Return the counts grouped by a function of the promise; None excludes a promise.

        Args:
            now: seconds since the epoch.
            window: exclude promises whose term ended more than this many seconds ago.
            group: all promises of one group must have the same target.
        """
        found: dict[_Group, dict[str, int]] = {}
        targets: dict[_Group, float] = {}
        with self._lock:
            for known in self._known.values():
                if known.never_ran or known.promise.due_at < now - window:
                    continue
                own = group(known.promise)
                if own is None:
                    continue
                targets[own] = known.promise.target
                count = found.setdefault(own, {})
                is_due = known.promise.due_at <= now
                if known.broken_at is None:
                    word = "kept" if is_due else "open"
                    count[word] = count.get(word, 0) + 1
                    continue
                count["broken"] = count.get("broken", 0) + 1
                count["broken_due"] = count.get("broken_due", 0) + is_due
        return {own: PromiseCounts(targets[own], **count) for own, count in found.items()}

    def all(self) -> list[KnownPromise]:
        """Return the promises that still count, open and broken ones too."""
        with self._lock:
            return [known for known in self._known.values() if not known.never_ran]

    def refresh(self) -> None:
        """Read records written since the last call, by any process.

        Raises:
            OSError: the folder or a file exists but cannot be read.
        """
        with self._lock:
            for record in self._records.read():
                self._take(record)
            self._was_read = True

    def drop_old(self, now: float, window: float) -> None:
        """Remove expired records: files whose promises all ended before the window.

        Raises:
            OSError: a file cannot be removed.
        """
        with self._lock:
            old = {
                instance: known
                for instance, known in self._known.items()
                if known.promise.due_at < now - window
            }
            young = {
                _day(known.promise.made_at)
                for instance, known in self._known.items()
                if instance not in old
            }
            for instance in old:
                del self._known[instance]
            self._records.drop_old(now - window, young)

    def _note(self, promise: Promise, event: str, now: float) -> bool:
        record = {"event": event, "instance": promise.instance, "at": now}
        return self._records.write(promise, record)

    def _take(self, record: dict[str, Any]) -> None:
        """Process a line; ignore lines that are not records."""
        try:
            event, instance = record["event"], str(record["instance"])
            if event == "promised":
                numbers = (float(record[name]) for name in ("made_at", "lifetime_s", "target"))
                self._known.setdefault(instance, KnownPromise(Promise(instance, *numbers)))
                return
            known = self._known[instance]
            if event == "broken" and known.broken_at is None:
                known = replace(known, broken_at=float(record["at"]), never_ran=False)
            elif event in ("ran", "never_ran") and known.broken_at is None:
                known = replace(known, ran=event == "ran", never_ran=event == "never_ran")
            self._known[instance] = known
        except (KeyError, TypeError, ValueError):
            return


class JournalFiles:
    """Storage in files, one for each day on which promises were made.

    Args:
        state_path: the evictor's folder.
    """

    knows_first = False

    def __init__(self, state_path: str) -> None:
        self._folder = Path(state_path) / FOLDER
        self._read_up_to: dict[str, int] = {}

    def write(self, promise: Promise, record: dict[str, Any]) -> bool:
        """Append a record.

        Raises:
            OSError: it cannot be written.
        """
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        path = self._folder / f"{_day(promise.made_at)}.jsonl"
        self._folder.mkdir(parents=True, exist_ok=True)
        file = os.open(path, APPENDING, 0o640)
        try:
            append_line(file, line)
        finally:
            os.close(file)
        return True

    def read(self) -> Iterator[dict[str, Any]]:
        """Return records appended since the last call.

        Raises:
            OSError: the folder or a file exists but cannot be read.
        """
        for path in self._files():
            yield from self._read(path)

    def drop_old(self, before: float, young: Set[str]) -> None:
        """Remove files whose promises are all over.

        Raises:
            OSError: a file cannot be removed.
        """
        for path in self._files():
            # The file is of a past day, long enough ago that no message is still under way.
            if path.stem not in young and path.stem < _day(before - _DAY_S):
                path.unlink(missing_ok=True)
                self._read_up_to.pop(path.name, None)

    def _files(self) -> list[Path]:
        try:
            return sorted(path for path in self._folder.iterdir() if path.suffix == ".jsonl")
        except FileNotFoundError:
            return []

    def _read(self, path: Path) -> Iterator[dict[str, Any]]:
        start = self._read_up_to.get(path.name, 0)
        try:
            with path.open("rb") as file:
                file.seek(start)
                data = file.read()
        except FileNotFoundError:  # removed by another copy
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._read_up_to[path.name] = start + len(whole)
        yield from objects(whole.splitlines())


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, timezone.utc).strftime("%Y-%m-%d")
