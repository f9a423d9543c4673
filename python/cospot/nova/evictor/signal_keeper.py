"""Keeps the signals of spots up to date: asks Nova what has changed, reads on in the audit log.

It decides nothing, and nothing that goes wrong in it keeps anything else from going on. What is
asked of it is answered from memory, by the values of the last look.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from cospot.nova import log as logging
from cospot.nova.background import Background
from cospot.nova.evictor.cloud import Servers
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.hosts import HostWatch
from cospot.nova.moment import text_of
from cospot.nova.signals import signals_file
from cospot.nova.signals.audit_tail import AuditRecord, AuditTail
from cospot.nova.signals.flavor_signals import Signals, signals_of
from cospot.nova.signals.quotes import QuoteTable
from cospot.nova.signals.spot_lives import SpotLife, SpotLives, life_of
from cospot.nova.spot_evictions import EVENTS, SpotEvictions
from cospot.nova.spot_flavors import DISK_GB, MEMORY_MB, VCPU
from cospot.nova.state.errors import EvictorError
from cospot.whole_file import replace_file

LOG = logging.getLogger(__name__)
LIVES_FILE: Final = "spot-lives.json"
_DAY_S: Final = 86400.0
#: This much of the past is asked for when nothing is known: older rows are archived, mostly.
_FIRST_DAYS: Final = 28
#: Nova writes a change down a moment after it dates it.
_OVERLAP_S: Final = 60.0
#: All servers are listed so often: what changes do not show is put right.
_LIST_ALL_S: Final = 3600.0
#: Risk is scored so often.
_SCORE_S: Final = 3600.0
#: Least pause between two looks, when one is asked for sooner.
_LEAST_PAUSE_S: Final = 10.0
#: The lives are large and can be read again: they are written so often, and at the end.
_SAVE_S: Final = 300.0
#: So many of those that are missing there are asked for by name.
_MOST_MISSING: Final = 100
#: A service that ends waits so long for a look, seconds.
_LAST_PATIENCE_S: Final = 5.0
#: So long an eviction waits for Nova to show its spot.
_EARLY_S: Final = 3600.0


@dataclass(frozen=True)
class SignalBook:
    """All that is known at one moment; never changed.

    Attributes:
        there: the spots that Nova has, by UUID: also before they run, and while they go.
        signals: of the flavors.
        text: the signals as JSON.
    """

    there: dict[str, SpotLife]
    signals: Signals
    text: bytes


class SignalKeeper(Background):
    """Thread-safe.

    Args:
        hosts: what is free there goes into quotes.

    Attributes:
        afterwards: called after each look, in the keeper's thread.
    """

    def __init__(self, context: EvictorContext, hosts: HostWatch) -> None:
        super().__init__("signal-keeper")
        self._settings = context.settings
        self._servers: Servers = context.servers
        self._observer = context.observer
        self._hosts = hosts
        path = context.settings.lifetime_promises
        self._quotes = QuoteTable(path) if path else None
        self._metrics = context.metrics
        self.afterwards: Callable[[], None] = lambda: None
        self._folder = Path(str(context.settings.state_path))
        self._audit = AuditTail(str(context.settings.audit_log))
        self._lives: SpotLives | None = None
        self._early: list[AuditRecord] = []
        self._evictions: dict[str, SpotEvictions] = {}
        self._listed_at = self._saved_at = self._computed_at = float("-inf")
        self._book: SignalBook | None = None
        self._wanted = threading.Event()

    @property
    def book(self) -> SignalBook | None:
        """Return what is known; None before the first look."""
        return self._book

    def stop(self, patience: float | None = _LAST_PATIENCE_S) -> None:
        """End the thread, and keep what is known in its file."""
        self._stopping = True
        self._wanted.set()
        super().stop(patience)
        if self._lives is not None and not self._threads[0].is_alive():
            self._save()
            self._audit.close()

    def look_soon(self) -> None:
        """Have the next look sooner: somebody asks for a spot that is not known."""
        self._wanted.set()

    def look(self) -> None:
        """Bring everything up to date. Raises nothing."""
        try:
            self._look(time.time())
        except EvictorError as error:
            problem = str(error)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            LOG.debug("signals", exc_info=True)
        else:
            return
        self._metrics.errors.labels(where="signals").inc()
        LOG.warning("signals stay as they were: %s", problem)

    def _run(self) -> None:
        while not self._stopping:
            began = time.monotonic()
            self.look()
            if self._stopping:
                return
            self.afterwards()
            pause = max(0.0, self._settings.signals_interval - (time.monotonic() - began))
            self._wanted.wait(pause)
            while not self._stopping and time.monotonic() - began < min(_LEAST_PAUSE_S, pause):
                time.sleep(0.1)
            self._wanted.clear()

    def _look(self, now: float) -> None:
        if self._lives is None:
            self._lives = self._load(now)
        lives = self._lives
        self._ask_nova(lives)
        self._read_audit(lives, now)
        lives.forget_older(now - self._settings.signals_days * _DAY_S)
        known = self._evictions.items()
        self._evictions = {uuid: each for uuid, each in known if lives.get(uuid) is not None}
        self._book = self._new_book(lives, now)
        if time.monotonic() - self._saved_at >= _SAVE_S:
            self._save()

    def _new_book(self, lives: SpotLives, now: float) -> SignalBook:
        """Return what is known now; a look that was asked for sooner leaves the signals."""
        old = self._book
        age = time.monotonic() - self._computed_at
        if old is not None and age < self._settings.signals_interval / 2:
            return replace(old, there=lives.there())
        self._computed_at = time.monotonic()
        score = None if old is None else old.signals.score
        if score is not None and now - score.at > _SCORE_S:
            score = None
        signals = signals_of(lives.all(), lives.since, now, score)
        if self._quotes is not None:
            with_disk = DISK_GB in self._settings.resources
            signals = self._quotes.with_quotes(signals, self._free(), with_disk=with_disk)
        text = signals_file.dump(signals)
        self._write(signals_file.NAME, text, 0o644)
        return SignalBook(lives.there(), signals, text)

    def _free(self) -> list[tuple[int, int, int]]:
        """Return what is free on each host that takes spots and whose compute works."""
        working = self._servers.working_computes()
        found = []
        for usage in self._hosts.usages():
            host = self._observer.compute_host(usage.provider)
            if host is not None and host.host in working:
                vcpus, memory_mb, disk_gb = (
                    usage.free(each) if each in usage.inventories else 0
                    for each in (VCPU, MEMORY_MB, DISK_GB)
                )
                found.append((vcpus, memory_mb, disk_gb))
        return found

    def _load(self, now: float) -> SpotLives:
        path = self._folder / LIVES_FILE
        try:
            return SpotLives.from_text(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            LOG.warning("%s: %s; reading the past anew", path, error)
        # What happened before is known as far as evictions are.
        first = now
        for record in self._audit.new():
            first = min(first, record.at)
            if record.event in EVENTS:
                self._early.append(record)
        return SpotLives(max(first, now - _FIRST_DAYS * _DAY_S))

    def _ask_nova(self, lives: SpotLives) -> None:
        """Take all servers, or those that have changed."""
        began = time.monotonic()
        since = lives.read_until or lives.since
        lists_all = time.monotonic() - self._listed_at >= _LIST_ALL_S
        query = f"changes-since={text_of(since)}"
        if not lists_all:
            self._take(lives, query)
        else:
            present = self._take(lives, "deleted=false")
            self._take(lives, f"deleted=true&{query}")
            self._end_missing(lives, present, lives.read_until or lives.since)
            self._listed_at = time.monotonic()
        # By Nova's clock, which it has told by now.
        lives.read_until = self._servers.now() - (time.monotonic() - began) - _OVERLAP_S

    def _end_missing(self, lives: SpotLives, present: set[str], at: float) -> None:
        """Note the end of spots that are in no list, as they were archived meanwhile.

        Those of a cell that is down are in none either, so Nova is asked for each.

        Args:
            lives: of spots.
            present: UUIDs of all servers that are listed.
            at: when they were last known to be there, seconds since the epoch.
        """
        missing = [uuid for uuid in lives.there() if uuid not in present]
        for uuid in missing[:_MOST_MISSING]:
            try:
                is_gone = self._servers.server(uuid) is None
            except EvictorError as error:
                LOG.debug("whether spot %s is gone: %s", uuid, error)
                continue
            if is_gone:
                lives.end(uuid, at)

    def _take(self, lives: SpotLives, query: str) -> set[str]:
        """Take the servers that a query finds; return the UUIDs of all of them."""
        found = set()
        for row in self._servers.rows(query):
            found.add(str(row.get("id")))
            if "flavor" not in row:  # of a cell that is down
                continue
            try:
                life = life_of(row)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                LOG.warning("server %s: %r; left out of the signals", row.get("id"), error)
                continue
            if life is not None:
                lives.take(life)
        return found

    def _read_audit(self, lives: SpotLives, now: float) -> None:
        records, self._early = [*self._early, *self._audit.new()], []
        for record in records:
            life = lives.get(record.instance)
            if record.event not in EVENTS:
                continue
            if life is not None:
                self._take_eviction(lives, life, record)
            elif now - record.at < _EARLY_S:
                self._early.append(record)

    def _take_eviction(self, lives: SpotLives, life: SpotLife, record: AuditRecord) -> None:
        found = self._evictions.get(life.uuid)
        if found is None:  # one may be open since before this service started
            found = self._evictions[life.uuid] = SpotEvictions(life.evicted_at)
        if found.take(record.event, record.fields, record.at):
            lives.give_up(life.uuid)
        elif record.event == "intent" and found.is_open:
            lives.evict(life.uuid, record.at)

    def _save(self) -> None:
        if self._lives is not None:
            self._write(LIVES_FILE, self._lives.to_text().encode(), 0o640)
            self._saved_at = time.monotonic()

    def _write(self, name: str, text: bytes, mode: int) -> None:
        """Replace a file in one step."""
        path = self._folder / name
        try:
            replace_file(path, text, mode=mode)
        except OSError as error:
            self._metrics.errors.labels(where="signals").inc()
            LOG.warning("%s: %s", path, error.strerror)
