"""Finds the spots that cost least to evict for one more VM of a reserve."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cospot.nova.evictor.choice import SpotChooser, frees_some
from cospot.nova.evictor.observation import HostObserver
from cospot.nova.evictor.reserve import Reserve
from cospot.nova.evictor.room import HostRoom
from cospot.nova.evictor.spots import Spot

#: Spots are looked for on so many hosts, those that lack the least for one more VM.
_MOST_HOSTS: Final = 20


@dataclass(frozen=True)
class Candidate:
    """A way to room for one more VM of a reserve: these spots of one host."""

    provider: str
    spots: Sequence[Spot]
    score: float


class RoomFinder:
    """Looks for room that spots hold.

    Args:
        is_given_up: tells of a spot that it keeps its place.
        is_stalled: tells of a host, by its provider, that it frees nothing.
    """

    def __init__(
        self,
        observer: HostObserver,
        chooser: SpotChooser,
        is_given_up: Callable[[str], bool],
        is_stalled: Callable[[str], bool],
    ) -> None:
        self._observer = observer
        self._chooser = chooser
        self._is_given_up = is_given_up
        self._is_stalled = is_stalled

    def best(
        self, reserve: Reserve, rooms: Mapping[str, HostRoom], gone: set[str]
    ) -> Candidate | None:
        """Return the host on which room for one more VM costs least, and its spots.

        Args:
            reserve: which lacks room.
            rooms: its hosts, by provider.
            gone: spots to count as gone; what is seen leaving is added.

        Raises:
            CloudError: Nova was not to be asked.
        """
        found = []
        for provider in self._nearest(reserve, rooms, gone):
            candidate = self._candidate(reserve, rooms[provider], gone)
            if candidate is not None:
                found.append(candidate)
        found.sort(key=lambda each: (each.score, each.provider))
        return found[0] if found else None

    def _nearest(
        self, reserve: Reserve, rooms: Mapping[str, HostRoom], gone: set[str]
    ) -> list[str]:
        """Return the hosts that lack least, of those whose spots hold what is lacking."""
        by_need = []
        for provider, room in rooms.items():
            if self._is_stalled(provider):
                continue
            need = reserve.need(room, gone)
            out = gone | {each for each in room.consumers if self._is_given_up(each)}
            if all(room.used(resource, out)[1] >= lack for resource, lack in need.items()):
                by_need.append((sum(need.values()), provider))
        return [provider for _, provider in sorted(by_need)[:_MOST_HOSTS]]

    def _candidate(self, reserve: Reserve, room: HostRoom, gone: set[str]) -> Candidate | None:
        picture = self._observer.picture(room)
        if picture is None:
            return None
        before = reserve.pieces(room, gone)
        gone.update(picture.leaving)
        if reserve.pieces(room, gone) > before:
            return None
        need = reserve.need(room, gone)
        spots = [
            spot
            for spot in picture.spots.evictable.values()
            if spot.uuid not in gone
            and not spot.is_stuck
            and not self._is_given_up(spot.uuid)
            and frees_some(spot, need)
        ]
        now = time.time()
        chosen = self._chooser.choose(spots, need, now)
        if chosen is None:
            return None
        needed = _needed(reserve, room, gone, chosen[0])
        if len(needed) < len(chosen[0]):
            chosen = self._chooser.choose(needed, need, now) or chosen  # for its score
        return Candidate(room.provider, needed, chosen[1])


def _needed(reserve: Reserve, room: HostRoom, gone: set[str], spots: Sequence[Spot]) -> list[Spot]:
    """Return the spots without those that the others do without, the last one asked first.

    A policy that takes one spot after the other may come to a spot that makes the room alone.
    """
    pieces = reserve.pieces(room, gone)
    kept = list(spots)
    for spot in reversed(spots):
        others = [each for each in kept if each is not spot]
        if reserve.pieces(room, gone.union(each.uuid for each in others)) > pieces:
            kept = others
    return kept
