"""Asks the database where a host's list of instances and its own report cannot both be true.

Nova's scheduler keeps a list of the instances of each host, from what computes tell it. After a
live migration that list is wrong: the source tells it of the instance once more, the destination
does not, and the next sync (`scheduler_instance_sync_interval`, 120 s) puts it right. Until then
the source seems to hold what is gone, and spots find no free capacity there; the destination seems
to use more than it lists, and a spot that moved counts as a VM. The same goes for the host that an
evacuated instance has left. An instance whose resize on its own host was reverted keeps the size of
that resize in the list, and no sync puts that right: syncs compare UUIDs only.

What a host reports as used is right much sooner. So where the two disagree, the instances of the
host are read from Nova's database, which is what the sync would do.

Many a host disagrees for good: it holds the old size of a resize that nobody confirms, or a
dedicated CPU for the emulator's threads. What it reports beyond its list counts as use by VMs all
the time. It is read again, and the database asked again, only when it shows something new or the
time for the next question has come, after ever longer pauses.

A process that nova-scheduler forks begins with the lists of its parent, which hears of nothing and
keeps those of its own start. Nova corrects each with the next sync. The parent forks again when a
worker dies, and upon SIGHUP where threads are native. Such a list may be wrong and add up to what
the host reports. So in a process that was forked just now the database is asked about every host
whose list is read.
"""

from __future__ import annotations

import heapq
import os
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from cospot.nova import log as logging
from cospot.nova.scheduler.cell_database import cell_context
from cospot.nova.scheduler.claims import HostClaims
from cospot.nova.scheduler.host_usage import sum_of
from cospot.nova.scheduler.instance_facts import (
    InstanceFacts,
    Size,
    flavor_of,
    read_facts,
    size_of_flavor,
)
from cospot.nova.scheduler.questions import Asker

LOG = logging.getLogger(__name__)

#: Maps a cell's UUID and the names of compute services to their instances.
LoadHosts: TypeAlias = Callable[[str, list[str]], Iterable[Any]]

#: A host that is building lists the instance only when that is up: no reason to ask at once.
_PATIENCE_S: Final = 5.0
#: While nothing changes a host is asked about again after so long, then after twice that ...
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 3600.0
_HOSTS_AT_ONCE: Final = 20
#: No request reads more hosts again because a question is due.
_HOSTS_PER_REQUEST: Final = 100
#: After questions that are put again, for so many times as long as they took no other is.
_REST: Final = 20
#: Nova's `scheduler_instance_sync_interval`, unless computes set another; and as long again, for
#: their intervals are not exact.
_DISTRUST_S: Final = 240.0


def load_hosts(cell: str, hosts: list[str]) -> Iterable[Any]:
    """Read the instances on some hosts of a cell from Nova's database."""
    from nova import objects

    # What was soft-deleted is still on its host.
    filters = {"host": hosts, "deleted": False, "soft_deleted": True}
    with cell_context(cell) as in_cell:
        found = objects.InstanceList.get_by_filters(in_cell, filters, expected_attrs=["flavor"])
        return list(found)


@dataclass
class _Disagreement:
    """The vCPUs that a host reports beyond its list (or below it), and when to ask about it."""

    vcpus: int
    ask_at: float
    pause: float = _FIRST_PAUSE_S

    @property
    def was_asked(self) -> bool:
        """True if this is about to be asked again."""
        return self.pause > _FIRST_PAUSE_S


class _Questions:
    """Hosts by when to ask about them. One that is put in again is due at its new time only."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, str]] = []
        self._time_of: dict[str, float] = {}

    def put(self, provider: str, ask_at: float) -> None:
        """Have a host asked about at some time."""
        if self._time_of.get(provider) != ask_at:
            self._time_of[provider] = ask_at
            heapq.heappush(self._heap, (ask_at, provider))

    def take_due(self, now: float, most: int) -> list[str]:
        """Take out some hosts whose time has come, the earliest first."""
        due: list[str] = []
        while self._heap and self._heap[0][0] <= now and len(due) < most:
            ask_at, provider = heapq.heappop(self._heap)
            if self._time_of.get(provider) == ask_at:
                del self._time_of[provider]
                due.append(provider)
        return due


@dataclass(frozen=True)
class _Correction:
    """The database's account of a host, as far as Nova's list differs."""

    wrong: Mapping[str, Any] = field(default_factory=dict)
    """The objects in Nova's list whose instances are not there, or of another size; a new object is
    news."""
    right: tuple[InstanceFacts, ...] = ()
    """What is there and not in the list, or wrong in it."""


class ListCheck:
    """The hosts that disagree, and what was found out about them. Not for threads."""

    def __init__(
        self,
        load: LoadHosts = load_hosts,
        clock: Callable[[], float] = time.monotonic,
        asker: Asker | None = None,
    ) -> None:
        self.asker = asker or Asker("database")
        self._load = load
        self._clock = clock
        self._disagreements: dict[str, _Disagreement] = {}
        self._corrections: dict[str, _Correction] = {}
        self._first_questions = _Questions()
        self._repeated = _Questions()
        self._no_repeat_before = float("-inf")
        self._trusted_from = float("-inf")
        _CHECKS.add(self)

    def distrust(self) -> None:
        """Ask about every host that is read, until computes have synchronized all lists."""
        self._trusted_from = self._clock() + _DISTRUST_S

    def take_due(self) -> list[str]:
        """Return some hosts that are to be read in this request because a question is due."""
        if not self.asker.may_ask():
            return []
        now = self._clock()
        due = self._first_questions.take_due(now, _HOSTS_PER_REQUEST)
        if now >= self._no_repeat_before:
            due += self._repeated.take_due(now, _HOSTS_PER_REQUEST - len(due))
        return due

    def correct(
        self, provider: str, listed: Mapping[str, Any], facts: list[InstanceFacts]
    ) -> list[InstanceFacts]:
        """Return what is on a host by all that is known.

        Args:
            provider: UUID of the host.
            listed: Nova's list, by UUID.
            facts: Of the listed ones.
        """
        correction = self._corrections.get(provider)
        if correction is None:
            return facts
        wrong = {uuid for uuid, was in correction.wrong.items() if listed.get(uuid) is was}
        right = [one for one in correction.right if one.uuid not in listed or one.uuid in wrong]
        if not wrong and not right:
            del self._corrections[provider]  # Nova has heard of it
        return [*(one for one in facts if one.uuid not in wrong), *right]

    def note(
        self, provider: str, reported: Size, facts: Iterable[InstanceFacts], claims: HostClaims
    ) -> None:
        """Note whether a host reports what is on it.

        Every instance has a vCPU, so they tell. Of memory and disk hosts may report more than
        flavors say (overhead), or less (volumes).

        Args:
            provider: UUID of the host.
            reported: What its instances use by its own report.
            facts: What is on it, corrected.
            claims: What was sent there; it reports some of that before it lists it.
        """
        # A host reports dedicated CPUs among its vCPUs.
        claimed = (claims.vms + sum_of(claims.spots)).pooled().vcpus
        vcpus = reported.vcpus - sum_of(facts).pooled().vcpus
        if 0 <= vcpus <= claimed:
            self._disagreements.pop(provider, None)
            return
        before = self._disagreements.get(provider)
        if before is None or before.vcpus != vcpus:
            ask_at = self._clock() + (_PATIENCE_S if vcpus > 0 else 0.0)
            self._disagreements[provider] = _Disagreement(vcpus, ask_at)
            self._first_questions.put(provider, ask_at)

    def ask(self, states: Sequence[Any], seconds: float) -> list[Any]:
        """Ask the database about those hosts whose time has come, as many as the time allows.

        Args:
            states: HostState objects.
            seconds: How long to wait for answers at most.

        Returns:
            The hosts that it has answered for.
        """
        now = self._clock()
        due = self._due_among(states, now)
        has_repeats = any(self._disagreements[state.uuid].was_asked for state in due)
        if now < self._trusted_from:
            known = {state.uuid for state in due}
            due += [one for one in states if one.uuid not in known and one.cell_uuid is not None]
        by_cell: dict[str, list[Any]] = {}
        for state in due:
            by_cell.setdefault(state.cell_uuid, []).append(state)
        answered: list[Any] = []
        for cell, members in by_cell.items():
            for start in range(0, len(members), _HOSTS_AT_ONCE):
                some = members[start : start + _HOSTS_AT_ONCE]
                left = now + seconds - self._clock()
                if left > 0 and self.asker.may_ask():
                    answered += self._ask(cell, some, left)
                    continue
                for state in some:
                    self._put_off(state.uuid, now)
        if has_repeats:
            took = self._clock() - now
            self._no_repeat_before = now + (1 + _REST) * took
        return answered

    def _due_among(self, states: Sequence[Any], now: float) -> list[Any]:
        """Return those to ask about now, those never asked about first."""
        due: list[list[Any]] = [[], []]
        for state in states:
            found = self._disagreements.get(state.uuid)
            if found is None or found.ask_at > now or state.cell_uuid is None:
                continue
            if found.was_asked and now < self._no_repeat_before:
                self._put(state.uuid, found)
            else:
                due[found.was_asked].append(state)
        return [*due[False], *due[True]]

    def _put_off(self, provider: str, now: float) -> None:
        """Have a host for which there was no time asked about in the next request."""
        found = self._disagreements.get(provider)
        if found is None:
            self._first_questions.put(provider, now)
        else:
            self._put(provider, found)

    def _put(self, provider: str, found: _Disagreement) -> None:
        questions = self._repeated if found.was_asked else self._first_questions
        questions.put(provider, found.ask_at)

    def _ask(self, cell: str, states: list[Any], seconds: float) -> list[Any]:
        for state in states:
            found = self._disagreements.get(state.uuid)
            if found is None:
                continue
            found.ask_at = self._clock() + found.pause
            found.pause = min(2 * found.pause, _LONGEST_PAUSE_S)
            self._put(state.uuid, found)
        # What comes into a list from here on is news, and not in the answer perhaps.
        lists = [dict(state.instances) for state in states]
        hosts = [state.host for state in states]
        loaded = self.asker.ask_or_warn(
            lambda: list(self._load(cell, hosts)),
            seconds,
            f"the instances of {len(hosts)} hosts",
            "what Nova's scheduler lists there counts",
        )
        if loaded is None:
            return []
        for state, listed in zip(states, lists, strict=True):
            self._take(state, listed, [one for one in loaded if _is_on(one, state)])
        return states

    def _take(self, state: Any, listed: Mapping[str, Any], instances: list[Any]) -> None:
        there = {instance.uuid: instance for instance in instances}
        gone = listed.keys() - there.keys()
        resized = {
            uuid for uuid in listed.keys() & there.keys() if _differ(listed[uuid], there[uuid])
        }
        correction = _Correction(
            wrong={uuid: listed[uuid] for uuid in gone | resized},
            right=tuple(
                facts
                for uuid, instance in there.items()
                if (uuid not in listed or uuid in resized)
                and (facts := read_facts(instance)) is not None
            ),
        )
        if correction.wrong or correction.right:
            LOG.info(
                "cospot: host %s: Nova's list has %s, which are gone, has %s with a former size,"
                " and lacks %s; the database counts until Nova hears of it",
                state.host,
                sorted(gone) or "none",
                sorted(resized) or "none",
                sorted(there.keys() - listed.keys()) or "none",
            )
            self._corrections[state.uuid] = correction
        else:
            self._corrections.pop(state.uuid, None)


#: All there are in this process.
_CHECKS: Final[weakref.WeakSet[ListCheck]] = weakref.WeakSet()


def _distrust_lists() -> None:
    for check in _CHECKS:
        check.distrust()


os.register_at_fork(after_in_child=_distrust_lists)


def _differ(listed: Any, instance: Any) -> bool:
    """Tell whether a list has an instance with another size than the database; not of a stub."""
    before, now = flavor_of(listed), flavor_of(instance)
    if before is None or now is None:
        return False
    # Without what images make of it: the database is not asked for them.
    return size_of_flavor(before) != size_of_flavor(now)


def _is_on(instance: Any, state: Any) -> bool:
    return bool(instance.host == state.host and instance.node == state.nodename)
