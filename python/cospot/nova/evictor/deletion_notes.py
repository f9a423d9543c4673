"""Notes about deletions that Nova was asked for and has not answered.

Nova marks a server as being deleted before it answers, and that mark is what every later look goes
by. Between the request and the mark a service that is killed would forget what it asked, and its
successor might choose another spot for the same room. So the request is noted in a file first. A
noted spot is the first choice if the room is still needed: asking Nova twice does no harm.

A note counts from when this process wrote it or first read it, by the monotonic clock: a clock that
is set does not make a service forget what its predecessor asked.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cospot.nova.evictor.errors import SettingError

#: How long an unanswered request may take effect, seconds.
GRACE_S = 120.0


class DeletionNotes:
    """One small file per host; read and written only under the host's lock."""

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
        """Note that a deletion is about to be asked for."""
        notes = [each for each in self._recent(provider) if each != spot]
        self._since[provider, spot] = self._clock()
        self._write(provider, [*notes, spot])

    def remove(self, provider: str, spot: str) -> None:
        """Forget a note: Nova has answered."""
        self._since.pop((provider, spot), None)
        self._write(provider, [each for each in self._read(provider) if each != spot])

    def _recent(self, provider: str) -> list[str]:
        now = self._clock()
        return [
            spot
            for spot in self._read(provider)
            if now - self._since.setdefault((provider, spot), now) < GRACE_S
        ]

    def _read(self, provider: str) -> list[str]:
        try:
            notes = json.loads((self._folder / f"{provider}.json").read_text())
            return [str(spot) for spot in notes]
        except (OSError, ValueError, TypeError):
            return []

    def _write(self, provider: str, notes: Sequence[str]) -> None:
        path = self._folder / f"{provider}.json"
        if not notes:
            path.unlink(missing_ok=True)
            return
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(notes))
        os.replace(draft, path)
