"""Deletions that Nova was asked for and has not answered, in files that survive the service."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cospot.nova import log as logging
from cospot.nova.state.errors import EvictorError, SettingError
from cospot.whole_file import replace_file

LOG = logging.getLogger(__name__)
#: An unanswered request may take effect for so long, seconds.
GRACE_S = 120.0


class PendingDeletions:
    """Deletions that Nova was asked for: one small file per host, used only under its lock.

    Nova marks a server as being deleted before it answers, and that mark is what every later
    snapshot goes by. Between the request and the mark a service that is killed would forget what it
    asked, and its successor might choose another spot for the same shortfall. So the request is
    stored first. Such a spot is the first choice if its capacity is still needed: asking Nova twice
    does no harm.

    A request counts from when this process stored it or first read it, by the monotonic clock: a
    clock that is set does not make a service forget what its predecessor asked.
    """

    def __init__(self, folder: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = Path(folder)
        self._clock = clock
        self._since: dict[tuple[str, str], float] = {}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingError(f"[cospot_evictor] state_path: {error}") from error

    def recent(self, provider: str) -> frozenset[str]:
        """Return the spots of a host whose deletion was asked for less than `GRACE_S` ago."""
        return frozenset(self._recent(provider))

    def add(self, provider: str, spot: str) -> None:
        """Store that a deletion is about to be asked for.

        Raises:
            EvictorError: it cannot be stored.
        """
        spots = [each for each in self._recent(provider) if each != spot]
        self._since[provider, spot] = self._clock()
        try:
            self._write(provider, [*spots, spot])
        except OSError as error:
            raise EvictorError(f"{self._folder}: {error.strerror}") from error

    def remove(self, provider: str, spot: str) -> None:
        """Forget a deletion that Nova has answered. One that stays stored expires."""
        try:
            self._write(provider, [each for each in self._read(provider) if each != spot])
        except OSError as error:
            LOG.warning("the order of spot %s stays stored for %.0f s: %s", spot, GRACE_S, error)
            return
        self._since.pop((provider, spot), None)

    def _recent(self, provider: str) -> list[str]:
        now = self._clock()
        return [
            spot
            for spot in self._read(provider)
            if now - self._since.setdefault((provider, spot), now) < GRACE_S
        ]

    def _read(self, provider: str) -> list[str]:
        try:
            spots = json.loads((self._folder / f"{provider}.json").read_text())
            return [str(spot) for spot in spots]
        except (OSError, ValueError, TypeError):
            return []

    def _write(self, provider: str, spots: Sequence[str]) -> None:
        path = self._folder / f"{provider}.json"
        if not spots:
            path.unlink(missing_ok=True)
            return
        replace_file(path, json.dumps(spots).encode())
