"""The spots of this cloud: when each started to run, and how it ended.

Combines Nova's list of servers, including deleted ones, and the evictor's audit log, the only
source that distinguishes evictions from ends by the owner.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from cospot.nova.moment import seconds_of
from cospot.nova.spot_flavors import is_spot_flavor

FORMAT: Final = "cospot spot lives"
VERSION: Final = 1
#: Maximum clock difference between Nova and the evictor, seconds.
_CLOCK_SKEW_S: Final = 60.0
_GONE: Final = frozenset({"DELETED", "SOFT_DELETED", "SHELVED_OFFLOADED"})


@dataclass(frozen=True, slots=True)
class SpotLife:
    """A spot. Times are seconds since the epoch.

    Attributes:
        size: vCPUs, MiB, GiB of disk, as its flavor has them.
        started_at: when it started to run; None: not yet.
        ended_at: when Nova deleted it or removed it from its host; None: not yet.
        evicted_at: when its eviction was ordered; None: it was not.
    """

    uuid: str
    project_id: str
    flavor: str
    size: tuple[int, int, int]
    started_at: float | None
    ended_at: float | None = None
    evicted_at: float | None = None

    @property
    def over_at(self) -> float | None:
        """Return when it ended for any reason; None: it runs."""
        return self.ended_at if self.evicted_at is None else self.evicted_at

    @property
    def runs(self) -> bool:
        """Return whether it runs now."""
        return self.started_at is not None and self.over_at is None


def life_of(row: Mapping[str, Any]) -> SpotLife | None:
    """Return a spot from Nova's description of a server; None if the server is not a spot.

    Raises:
        KeyError, TypeError, ValueError: a value is missing or implausible.
    """
    flavor = row["flavor"]
    if not is_spot_flavor(flavor.get("extra_specs")):
        return None
    launched, ended = row.get("OS-SRV-USG:launched_at"), row.get("OS-SRV-USG:terminated_at")
    if ended is None and row["status"] in _GONE:
        ended = row["updated"]
    swap_gb = -(-int(flavor.get("swap") or 0) // 1024)
    disk_gb = int(flavor["disk"]) + int(flavor.get("ephemeral") or 0) + swap_gb
    return SpotLife(
        uuid=str(row["id"]),
        project_id=str(row["tenant_id"]),
        flavor=str(flavor.get("original_name") or ""),
        size=(int(flavor["vcpus"]), int(flavor["ram"]), disk_gb),
        started_at=None if launched is None else seconds_of(launched),
        ended_at=None if ended is None else seconds_of(ended),
    )


class SpotLives:
    """All known spots, by UUID. Not thread-safe.

    Attributes:
        since: from when on ends and evictions are known, seconds since the epoch.
        read_until: time of the last change read from Nova, by Nova's clock; 0: nothing was read.
    """

    def __init__(self, since: float, read_until: float = 0.0) -> None:
        self.since = since
        self.read_until = read_until
        self._lives: dict[str, SpotLife] = {}

    def all(self) -> Iterable[SpotLife]:
        """Return all spots, in any order."""
        return self._lives.values()

    def get(self, uuid: str) -> SpotLife | None:
        """Return a spot; None if it is unknown."""
        return self._lives.get(uuid)

    def there(self) -> dict[str, SpotLife]:
        """Return the spots that exist in Nova, by UUID, including starting and ending ones."""
        return {uuid: each for uuid, each in self._lives.items() if self._is_there(uuid, each)}

    def _is_there(self, key: str, life: SpotLife) -> bool:
        return key == life.uuid and life.ended_at is None

    def take(self, life: SpotLife) -> None:
        """Update a spot from Nova's current description."""
        old = self._lives.get(life.uuid)
        if old is not None and old.started_at is not None:
            if _came_back(old, life):
                # Unshelved: the time before counts as a separate life.
                self._lives[f"{old.uuid}/{old.started_at:.0f}"] = old
            else:
                # A rebuild does not start a new life.
                started = min(old.started_at, life.started_at or math.inf)
                life = replace(life, started_at=started, evicted_at=old.evicted_at)
        self._lives[life.uuid] = life

    def evict(self, uuid: str, at: float) -> None:
        """Record that an eviction was ordered; the first order of a life counts."""
        life = self._lives.get(uuid)
        if life is not None and life.evicted_at is None and _is_of(life, at):
            self._lives[uuid] = replace(life, evicted_at=at)

    def give_up(self, uuid: str) -> None:
        """Record that a spot was not evicted after all."""
        life = self._lives.get(uuid)
        if life is not None and life.evicted_at is not None:
            self._lives[uuid] = replace(life, evicted_at=None)

    def end(self, uuid: str, at: float) -> None:
        """Record the end of a spot of which nothing more is known."""
        life = self._lives.get(uuid)
        if life is not None and life.ended_at is None:
            self._lives[uuid] = replace(life, ended_at=at)

    def forget_older(self, oldest: float) -> None:
        """Forget spots that ended before a time."""
        self._lives = {
            uuid: life
            for uuid, life in self._lives.items()
            if life.over_at is None or life.over_at >= oldest
        }

    def to_text(self) -> str:
        """Return the text of the state file."""
        names = [each.name for each in fields(SpotLife)]
        rows = [
            [key, *(getattr(life, name) for name in names)] for key, life in self._lives.items()
        ]
        return json.dumps(
            {
                "format": FORMAT,
                "version": VERSION,
                "since": self.since,
                "read_until": self.read_until,
                "lives": rows,
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_text(cls, text: str) -> SpotLives:
        """Parse the file's text.

        Raises:
            ValueError: it is not such a file.
        """
        try:
            body = json.loads(text)
            if (body["format"], body["version"]) != (FORMAT, VERSION):
                raise ValueError(f"found {body['format']!r:.40} {body['version']!r:.10}")
            made = cls(float(body["since"]), float(body["read_until"]))
            for key, uuid, project, flavor, size, *times in body["lives"]:
                vcpus, memory_mb, disk_gb = map(int, size)
                started, ended, evicted = (None if at is None else float(at) for at in times)
                made._lives[str(key)] = SpotLife(
                    uuid=str(uuid),
                    project_id=str(project),
                    flavor=str(flavor),
                    size=(vcpus, memory_mb, disk_gb),
                    started_at=started,
                    ended_at=ended,
                    evicted_at=evicted,
                )
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error
        return made


def _is_of(life: SpotLife, at: float) -> bool:
    return life.started_at is None or at >= life.started_at - _CLOCK_SKEW_S


def _came_back(old: SpotLife, new: SpotLife) -> bool:
    if old.over_at is None or new.started_at is None or new.ended_at is not None:
        return False
    return new.started_at > old.over_at
