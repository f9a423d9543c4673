"""The notices given, in a file that copies of the service on one machine share.

Not in Nova: a tenant can write its servers' metadata, so what stands there tells the tenant
something and decides nothing.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from oslo_log import log as logging

from cospot.nova.evictor.errors import EvictorError

LOG = logging.getLogger(__name__)


class BookError(EvictorError):
    """The notices could not be written down, so nothing more is done about them."""


@dataclass(frozen=True)
class Notice:
    """A spot that was told when it will be evicted. Times are seconds since the epoch.

    Attributes:
        reserve: label of the reserve it is evicted for.
        ordered_at: when Nova was told to evict it, or was about to be; 0.0 until then.
        is_told: False while its owner may not know of it: before it is sent, and from just before
            it is withdrawn.
    """

    spot: str
    provider: str
    reserve: str
    given_at: float
    evict_at: float
    ordered_at: float = 0.0
    is_told: bool = True


class NoticeBook:
    """The notices by spot, and the file, which changes with them. Its user holds a lock."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._notices: dict[str, Notice] = {}

    def load(self) -> list[Notice]:
        """Read the file; return the notices, none when it is missing or damaged."""
        self._notices = {each.spot: each for each in self._read()}
        return self.all()

    def all(self) -> list[Notice]:
        """Return the notices as last read or changed here."""
        return list(self._notices.values())

    def put(self, notice: Notice) -> None:
        """Write down a notice, in place of an earlier one of the same spot.

        Raises:
            BookError: it could not be written.
        """
        self._write({**self._notices, notice.spot: notice})

    def drop(self, spot: str) -> None:
        """Strike out the notice of a spot, if it has one.

        Raises:
            BookError: it could not be written.
        """
        self._write({uuid: each for uuid, each in self._notices.items() if uuid != spot})

    def _read(self) -> list[Notice]:
        try:
            return [Notice(**each) for each in json.loads(self._path.read_text())]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError) as error:
            LOG.error("%s: %s; spots get their notice anew", self._path, error)
            return []

    def _write(self, notices: dict[str, Notice]) -> None:
        """Replace the file in one step."""
        draft = self._path.with_suffix(".draft")
        try:
            with draft.open("w") as file:
                file.write(json.dumps([asdict(each) for each in notices.values()]))
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._path)
        except OSError as error:
            raise BookError(f"{self._path}: {error.strerror}") from error
        self._notices = notices
