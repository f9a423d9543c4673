"""Asks the database whether instances that hosts never showed have been deleted.

A VM that lived shortly, or was deleted while it was being built, may be gone before this process
looks at its host. Its claim would count as use until `claim_seconds` are over, and spots would find
no free capacity there for so long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from cospot.nova.scheduler.cell_database import cell_context
from cospot.nova.scheduler.claims import ClaimBook
from cospot.nova.scheduler.questions import Asker

#: Maps a cell's UUID and UUIDs of instances to those that are deleted.
LoadDeleted: TypeAlias = Callable[[str, list[str]], Iterable[str]]

#: Most claims are shown by their host sooner.
_PATIENCE_S: Final = 2.0
#: A claim is asked about again after so long, then after twice that ...
_FIRST_PAUSE_S: Final = 2.0
_INSTANCES_AT_ONCE: Final = 200
_BETWEEN_QUESTIONS_S: Final = 0.5


def load_deleted(cell: str, instances: list[str]) -> Iterable[str]:
    """Read from Nova's database which instances of a cell are deleted for good.

    One that is not in the cell's database yet is not deleted: Nova writes it there after the
    scheduler has chosen the host.
    """
    from nova import objects

    filters = {"uuid": instances, "deleted": True, "soft_deleted": False}
    with cell_context(cell, read_deleted="yes") as in_cell:
        found = objects.InstanceList.get_by_filters(in_cell, filters, expected_attrs=[])
        return [instance.uuid for instance in found]


class ClaimCheck:
    """Drops the claims of deleted instances. Not for threads."""

    def __init__(
        self,
        load: LoadDeleted = load_deleted,
        clock: Callable[[], float] = time.monotonic,
        asker: Asker | None = None,
    ) -> None:
        self.asker = asker or Asker("database")
        self._load = load
        self._clock = clock
        self._ask_at: dict[str, tuple[float, float]] = {}  # by instance: when next, the pause then
        self._next_look = self._all_asked_at = float("-inf")

    def drop_deleted(self, claims: ClaimBook, seconds: float, *, all_now: bool = False) -> bool:
        """Ask about the claims whose time has come, and drop those of deleted instances.

        Args:
            claims: of this process.
            seconds: how long to wait for answers at most.
            all_now: whether to ask about those too whose time has not come, unless the last such
                question was a moment ago.

        Returns:
            whether any was dropped.
        """
        now = self._clock()
        not_before = self._all_asked_at + _BETWEEN_QUESTIONS_S if all_now else self._next_look
        if now < not_before or not self.asker.may_ask():
            return False
        if all_now:
            self._all_asked_at = now
            self._ask_at = {
                each.facts.uuid: (now, self._ask_at.get(each.facts.uuid, (now, _FIRST_PAUSE_S))[1])
                for each in claims.unshown()
            }
        by_cell = self._take_due(claims, now)
        # No request looks at the claims while none is due. One that is made from here on is not due
        # before its patience is over.
        next_due = min((when for when, _ in self._ask_at.values()), default=float("inf"))
        self._next_look = max(
            min(next_due, now + _PATIENCE_S), now + _BETWEEN_QUESTIONS_S if by_cell else now
        )
        is_any = False
        for cell, instances in by_cell.items():
            left = now + seconds - self._clock()
            if left <= 0:
                break
            for instance in self._deleted_among(cell, instances, left):
                claims.drop(instance)
                is_any = True
        return is_any

    def _deleted_among(self, cell: str, instances: list[str], seconds: float) -> list[str]:
        deleted = self.asker.ask_or_warn(
            lambda: list(self._load(cell, instances)),
            seconds,
            f"which of {len(instances)} instances are deleted",
            "they count until `claim_seconds` are over",
        )
        return deleted or []

    def _take_due(self, claims: ClaimBook, now: float) -> dict[str, list[str]]:
        """Return some instances by cell, and note when to ask about them again."""
        by_cell: dict[str, list[str]] = {}
        before, self._ask_at = self._ask_at, {}
        num_due = 0
        for claim in claims.unshown():
            instance = claim.facts.uuid
            ask_at, pause = before.get(instance, (claim.made_at + _PATIENCE_S, _FIRST_PAUSE_S))
            if claim.cell is not None and ask_at <= now and num_due < _INSTANCES_AT_ONCE:
                num_due += 1
                by_cell.setdefault(claim.cell, []).append(instance)
                ask_at, pause = now + pause, 2 * pause
            self._ask_at[instance] = (ask_at, pause)
        return by_cell
