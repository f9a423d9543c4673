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

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Notice:
    """A spot that was told when it will be evicted. Times are seconds since the epoch.

    Attributes:
        reserve: label of the reserve it is evicted for.
        ordered_at: when Nova was told to evict it; 0.0 until then.
    """

    spot: str
    provider: str
    reserve: str
    given_at: float
    evict_at: float
    ordered_at: float = 0.0


class NoticeBook:
    """Reads and writes the file; its user holds a lock."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def read(self) -> list[Notice]:
        """Return the notices; none when the file is missing or damaged."""
        try:
            return [Notice(**each) for each in json.loads(self._path.read_text())]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError) as error:
            LOG.error("%s: %s; spots get their notice anew", self._path, error)
            return []

    def write(self, notices: list[Notice]) -> None:
        """Replace the notices, in one step."""
        draft = self._path.with_suffix(".draft")
        draft.write_text(json.dumps([asdict(each) for each in notices]))
        os.replace(draft, self._path)
