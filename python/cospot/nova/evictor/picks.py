"""The choice of the next spots on a host: who goes first, and who goes together.

First those that Nova was asked to delete and that their owners have deleted; then what a plan or
the policy names for a VM, or the newest where there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from cospot.nova.evictor.causes import VM_CLAIM, CauseFinder, Need
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.snapshot import HostSnapshot, Spot
from cospot.nova.evictor.stalled_hosts import StalledHosts
from cospot.nova.evictor.victims import Stage, frees_some, missing
from cospot.nova.state.stores import KnownPlan

#: After so many failures other spots are tried first.
_MOST_FAILURES: Final = 3.0
#: So many refusals of a plan are looked into; of the rest, what is not on the host is skipped.
_MOST_REFUSALS: Final = 20
#: `chosen_by` of a spot that goes, or was to go, whoever else is there.
_GOES_ANYWAY: Final = frozenset(
    {"note", "deletion-stuck", "again", "soft-deleted", "runs-nowhere", "unconfirmed-resize"}
)
#: `chosen_by` of what goes first, and what tells it.
_SERVE_NOBODY: Final[Mapping[str, Callable[[Spot], bool]]] = {
    "unconfirmed-resize": lambda spot: bool(spot.migration),
    "soft-deleted": lambda spot: spot.server.status == "SOFT_DELETED",
    "runs-nowhere": lambda spot: spot.runs_nowhere,
}
#: `chosen_by` of a spot that is evicted because it came last.
NEWEST: Final = "newest"
#: So many spots of a host that VMs need are ordered at once, by one look at it.
MOST_AT_ONCE: Final = 8


class Failures(dict[str, float]):
    """Counts of failed evictions by the UUID of the spot; spots without any are left out."""

    def may_try(self, spot: str) -> bool:
        """Tell whether a spot has not failed to go so often that others are tried first."""
        return self.get(spot, 0.0) < _MOST_FAILURES

    def did_not_go(self, spot: str) -> None:
        """Prefer other spots to one that Nova took the order for and did not delete."""
        self[spot] = _MOST_FAILURES


@dataclass(frozen=True)
class Pick:
    """A spot to evict, what for, and what named it."""

    uuid: str
    chosen_by: str
    need: Need
    known: KnownPlan | None = None


class SpotPicker:
    """Chooses on one host, for one reconcile iteration.

    Attributes:
        tried: spots that were chosen and are not chosen again.
    """

    def __init__(
        self,
        context: EvictorContext,
        causes: CauseFinder,
        stalled: StalledHosts,
        failures: Failures,
    ) -> None:
        self._plans = context.plans
        self._chooser = context.chooser
        self._causes = causes
        self._stalled = stalled
        self._failures = failures
        self.tried: set[str] = set()

    def next_ones(self, snapshot: HostSnapshot, need: Need, gone: Collection[str]) -> list[Pick]:
        """Return the next spots to evict: one, or those that are ordered at once for a VM.

        Each is what the next one would be once those before it are gone, and is needed even when
        all the others are: orders arrive in any order, and one may be refused.

        Args:
            snapshot: of the host.
            need: what must become free first.
            gone: consumers to count as gone.
        """
        picks: list[Pick] = []
        spots: list[Spot] = []
        gone = set(gone)
        following: Need | None = need
        while following is not None and len(picks) < MOST_AT_ONCE:
            pick = self._next(snapshot, following)
            if pick is None:
                break
            spot = snapshot.spots.evictable.get(pick.uuid)
            is_promised = self._chooser.is_promised(pick.uuid)  # the others might do after all
            is_alone = spot is None or is_promised or not _may_go_together(pick)
            if picks and (is_alone or spot is None or not _each_is_needed([*spots, spot], need)):
                break
            self.tried.add(pick.uuid)
            picks.append(pick)
            if is_alone or spot is None:
                break
            spots.append(spot)
            gone.add(pick.uuid)
            following = self._causes.need(snapshot, gone)
        return picks

    def still_together(
        self, snapshot: HostSnapshot, picks: list[Pick], need: Need | None
    ) -> list[Pick]:
        """Return the first of some picks, with those after it that are needed all the same by now.

        Args:
            snapshot: of the host, renewed since they were chosen.
            picks: what `next_ones` returned.
            need: what must become free now.
        """
        found = [snapshot.spots.evictable.get(pick.uuid) for pick in picks]
        spots = [spot for spot in found if spot is not None]
        count = len(picks) if len(spots) == len(picks) and need is not None else 1
        while count > 1 and need is not None and not _each_is_needed(spots[:count], need):
            count -= 1
        self.tried.difference_update(pick.uuid for pick in picks[count:])
        return picks[:count]

    def _next(self, snapshot: HostSnapshot, need: Need) -> Pick | None:
        """Return the next spot to evict.

        First those that Nova was asked to delete, and what serves nobody. Then, for a VM, the
        planned ones and those that the policy names; for no VM the newest; of either those that are
        promised to live on last. On a stalled host none but those ordered before.
        """
        provider = snapshot.usage.provider
        left = [
            spot
            for uuid, spot in snapshot.spots.evictable.items()
            if uuid not in self.tried and frees_some(spot, need.short)
        ]
        left = [spot for spot in left if self._stalled.may_order(provider, spot.uuid)]
        for spot in left:
            if spot.uuid in snapshot.pending and self._failures.may_try(spot.uuid):
                return Pick(spot.uuid, "note", need)
        for spot in left:
            if spot.is_stuck:
                return Pick(spot.uuid, "deletion-stuck", need)
        if self._stalled.is_stalled(provider):
            return Pick(left[0].uuid, "again", need) if left else None
        # None of these takes anything away that anybody uses.
        for chosen_by, serves_nobody in _SERVE_NOBODY.items():
            for spot in left:
                if spot.uuid not in self._failures and serves_nobody(spot):
                    return Pick(spot.uuid, chosen_by, need)
        failed_moves = [spot for spot in left if spot.migration]
        left = [spot for spot in left if not spot.migration]
        if need.newest is None:
            found = self._for_vm(snapshot, left, need)
        else:
            found = self._newest(left, need)
        if found is None and failed_moves:  # Nova refused to confirm it; it may not for ever
            return Pick(failed_moves[0].uuid, "unconfirmed-resize", need)
        return found

    def _for_vm(self, snapshot: HostSnapshot, left: list[Spot], need: Need) -> Pick | None:
        now = time.time()
        planned = self._planned(snapshot, need, now)
        steady = [spot for spot in left if self._failures.may_try(spot.uuid)]
        named = {pick.uuid for pick in planned}
        stage = self._chooser.stage(steady, need.short, now, named)
        return self._by_plan(planned, steady, stage) or self._by_policy(left, stage, need)

    def _newest(self, left: list[Spot], need: Need) -> Pick | None:
        there = {spot.uuid for spot in left}
        found = [uuid for uuid in need.newest or () if uuid in there]
        # Those that failed to go come last, but they come: nothing else may go in their place.
        found.sort(key=lambda uuid: not self._failures.may_try(uuid))
        return Pick(found[0], NEWEST, need) if found else None

    def _planned(self, snapshot: HostSnapshot, need: Need, now: float) -> list[Pick]:
        """Return what plans name for the host, in their order."""
        provider = snapshot.usage.provider
        found = []
        for known in self._plans.naming(provider, now):
            # A plan counts on the host that its instance holds, and nowhere else.
            planned = known.plan.for_provider(provider)
            if planned is None or known.plan.instance not in snapshot.usage.consumers:
                continue
            known.claimed_at = known.claimed_at or time.monotonic()
            for uuid in planned.victims:
                is_here = uuid in snapshot.usage.consumers
                if not is_here and len(known.done) >= _MOST_REFUSALS:
                    continue
                is_done = uuid in self.tried or uuid in known.done
                may_order = self._stalled.may_order(provider, uuid)
                if not is_done and may_order and self._failures.may_try(uuid):
                    found.append(Pick(uuid, "plan", need, known))
        return found

    def _by_plan(self, planned: list[Pick], steady: list[Spot], stage: Stage | None) -> Pick | None:
        """Return the first that is planned, those left out that stay for now."""
        there = {spot.uuid for spot in steady}
        next_ones = there
        if stage is not None:
            next_ones = {spot.uuid for spot in stage.spots if frees_some(spot, stage.short)}
        for pick in planned:  # what is not there is refused, and said so
            if pick.uuid in next_ones or pick.uuid not in there:
                return pick
        return None

    def _by_policy(self, left: list[Spot], stage: Stage | None, need: Need) -> Pick | None:
        chooser, now = self._chooser, time.time()
        stage = stage or chooser.stage(left, need.short, now)
        if stage is not None:
            spots = list(stage.spots)
            if not stage.are_promised:
                spots = chooser.choose(spots, stage.short, now) or spots
            return Pick(spots[0].uuid, chooser.name, need)
        # Others are in the way that cannot be evicted now: a VM gets what can be had.
        left = sorted(left, key=lambda spot: chooser.is_promised(spot.uuid))
        return Pick(left[0].uuid, "insufficient", need) if left else None

    def is_spared(self, snapshot: HostSnapshot, pick: Pick, need: Need) -> bool:
        """Tell whether a spot is promised to live on and the others do without it by now."""
        chooser = self._chooser
        is_asked_for = pick.chosen_by in _GOES_ANYWAY
        if is_asked_for or need.newest is not None or not chooser.is_promised(pick.uuid):
            return False
        others = [
            spot
            for uuid, spot in snapshot.spots.evictable.items()
            if uuid not in self.tried
            and self._failures.may_try(uuid)
            and self._stalled.may_order(snapshot.usage.provider, uuid)
            and not chooser.is_promised(uuid)
        ]
        return not missing(need.short, others)


def _may_go_together(pick: Pick) -> bool:
    """Tell whether a spot goes for a VM's claim, and was not to go anyway."""
    return pick.need.why == VM_CLAIM and pick.chosen_by not in {*_GOES_ANYWAY, "insufficient"}


def _each_is_needed(spots: list[Spot], need: Need) -> bool:
    """Tell whether each frees some of what is short even when all the others are gone."""
    return all(
        frees_some(spot, missing(need.short, [each for each in spots if each is not spot]))
        for spot in spots
    )
