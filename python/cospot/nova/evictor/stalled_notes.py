"""The stalled hosts in files: for a service that is started again, and for `cospot-nova status`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from oslo_log import log as logging

LOG = logging.getLogger(__name__)
FOLDER: Final = "stalled"


@dataclass(frozen=True)
class StalledNote:
    """A host that frees nothing.

    Attributes:
        host: its compute service.
        since: when that was found, UTC, ISO 8601: for people, nothing is decided by it.
        spots: UUIDs of those that should be gone.
    """

    host: str
    since: str
    spots: tuple[str, ...]


class StalledNotes:
    """One small file per host, written and removed only under the host's lock.

    Args:
        state_path: the service's folder.
    """

    def __init__(self, state_path: str) -> None:
        self._folder = Path(state_path) / FOLDER

    def all(self) -> dict[str, StalledNote]:
        """Return the notes by provider; a damaged one is passed over.

        Raises:
            OSError: the folder is there and cannot be read.
        """
        try:
            providers = [path.stem for path in self._folder.iterdir() if path.suffix == ".json"]
        except FileNotFoundError:
            return {}
        notes = {provider: self._read(provider) for provider in sorted(providers)}
        return {provider: note for provider, note in notes.items() if note is not None}

    def spots(self, provider: str) -> Sequence[str]:
        """Return the spots that should be gone from a host; none when it is not stalled."""
        note = self._read(provider)
        return note.spots if note is not None else ()

    def put(self, provider: str, host: str, spots: Sequence[str]) -> None:
        """Write down a host, or what it should have freed."""
        old = self._read(provider)
        if old is not None and old.spots == tuple(spots):
            return
        try:
            self._write(provider, host, spots, old)
        except OSError as error:
            LOG.warning("%s: %s", self._path(provider), error.strerror)

    def remove(self, provider: str) -> None:
        """Strike out a host."""
        try:
            self._path(provider).unlink(missing_ok=True)
        except OSError as error:
            LOG.warning("%s: %s", self._path(provider), error.strerror)

    def _write(
        self, provider: str, host: str, spots: Sequence[str], old: StalledNote | None
    ) -> None:
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        note = StalledNote(host, old.since if old is not None else now, tuple(spots))
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = self._path(provider).with_suffix(".draft")
        draft.write_text(json.dumps(asdict(note)))
        os.replace(draft, self._path(provider))

    def _path(self, provider: str) -> Path:
        return self._folder / f"{provider}.json"

    def _read(self, provider: str) -> StalledNote | None:
        try:
            found = json.loads(self._path(provider).read_text())
            return StalledNote(found["host"], found["since"], tuple(found["spots"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
