"""Notes about deletions that Nova was asked for and has not answered.

Nova marks a server as being deleted before it answers, and that mark is what every later look goes
by. Between the request and the mark a service that is killed would forget what it asked, and its
successor might choose another spot for the same room. So the request is noted in a file first. A
noted spot is the first choice if the room is still needed: asking Nova twice does no harm.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from cospot.nova.evictor.errors import SettingError

#: How long an unanswered request may take effect, seconds.
GRACE_S = 120.0


class DeletionNotes:
    """One small file per host; read and written only under the host's lock."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingError(f"[cospot_evictor] state_path: {error}") from error

    def recent(self, provider: str, now: float) -> frozenset[str]:
        """Return the spots of a host whose deletion was asked for less than `GRACE_S` ago."""
        return frozenset(
            spot for spot, at in self._read(provider).items() if 0 <= now - at < GRACE_S
        )

    def add(self, provider: str, spot: str, now: float) -> None:
        """Note that a deletion is about to be asked for."""
        notes = self._read(provider)
        self._write(provider, {**notes, spot: now})

    def remove(self, provider: str, spot: str) -> None:
        """Forget a note: Nova has answered."""
        notes = self._read(provider)
        notes.pop(spot, None)
        self._write(provider, notes)

    def _read(self, provider: str) -> dict[str, float]:
        try:
            notes = json.loads((self._folder / f"{provider}.json").read_text())
            return {str(spot): float(at) for spot, at in notes.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}

    def _write(self, provider: str, notes: dict[str, float]) -> None:
        path = self._folder / f"{provider}.json"
        if not notes:
            path.unlink(missing_ok=True)
            return
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(notes))
        os.replace(draft, path)
