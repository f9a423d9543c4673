"""Decides where an instance goes and which spots would make room for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import cospot
from cospot.nova import log as logging
from cospot.nova import spot_flavors
from cospot.nova.evictor_policy import time_us
from cospot.nova.plan_message import PlannedHost
from cospot.nova.scheduler import operator_weighers, spot_check
from cospot.nova.scheduler.claim_check import ClaimCheck
from cospot.nova.scheduler.claims import ClaimBook
from cospot.nova.scheduler.decision import Decision, instance_of
from cospot.nova.scheduler.host_mirror import HostMirror
from cospot.nova.scheduler.instance_facts import InstanceFacts, InstanceReader, size_of_flavor
from cospot.nova.scheduler.inventories import InventoryCache
from cospot.nova.scheduler.list_check import ListCheck
from cospot.nova.scheduler.promise_book import PromiseBook
from cospot.nova.scheduler.promise_check import NOT_ASKED, PromiseCheck, Question, Verdict
from cospot.nova.scheduler.questions import Asker
from cospot.nova.scheduler.reserve_guard import (
    SEEN_WITHIN_S,
    aggregates_of,
    kind_of,
    spare_hosts,
)
from cospot.nova.scheduler.settings import Policies, Settings
from cospot.nova.scheduler.spot_aggregates import in_aggregates
from cospot.nova.scheduler.spot_check import SpotCheck

LOG = logging.getLogger(__name__)

_Rows = npt.NDArray[np.uint32]
_Column = npt.NDArray[Any]
#: A decision of this process has its claim by then, or came to nothing, seconds.
_CLAIMED_WITHIN_S: Final = 5.0


class Decider:
    """The mirror and the policies of one scheduler process. Threads may share it."""

    def __init__(
        self,
        inventories: InventoryCache | None = None,
        reader: InstanceReader | None = None,
        clock: Callable[[], float] = time.monotonic,
        lists: ListCheck | None = None,
        claim_check: ClaimCheck | None = None,
        promises: PromiseCheck | None = None,
        spot_check: SpotCheck | None = None,
    ) -> None:
        self._inventories = inventories or InventoryCache()
        self._promises = promises or PromiseCheck()
        self._spot_check = spot_check or SpotCheck()
        self._clock = clock
        self._promised = PromiseBook()
        self._claims = ClaimBook(clock)
        database = Asker("database")
        reader = reader or InstanceReader(asker=database)
        lists = lists or ListCheck(asker=database)
        claim_check = claim_check or ClaimCheck(asker=database)
        self._askers = {
            each.asker for each in (self._inventories, self._spot_check, reader, lists, claim_check)
        }
        self._mirror = HostMirror(
            self._inventories, reader, self._claims, lists, claim_check, self._promised
        )
        # One decision at a time: each is made knowing the one before.
        self._lock = threading.Lock()

    def decide(
        self,
        states: list[Any],
        spec: Any,
        settings: Settings,
        policies: Policies,
        *,
        claim: bool = True,
    ) -> Decision:
        """Decide for the instance that the request is about now.

        Args:
            states: HostState objects that passed the other filters.
            spec: RequestSpec.
            settings: The options.
            policies: Made of them.
            claim: Whether the decision counts as use of its host from now on.

        Raises:
            CospotError: a policy failed, or an amount is out of range.
        """
        is_spot = spot_flavors.is_spot_flavor(spec.flavor.extra_specs)
        if is_spot and settings.aggregates:
            states = in_aggregates(states, settings.aggregates)
        self._inventories.max_age = settings.inventory_seconds
        decision = self._decide(states, spec, settings, policies, claim=claim)
        if not is_spot or not claim:
            return decision
        # The lock is free meanwhile: VMs do not wait for a spot's question.
        deadline = time.monotonic() + settings.spot_check_wait
        while decision.order and (left := deadline - time.monotonic()) > 0:
            taken = decision.order[0]
            if self._is_free(taken.uuid, decision.instance, settings, left):
                return decision
            LOG.info("cospot: spot %s: %s was just taken", decision.instance, taken.host)
            states = [state for state in states if state is not taken]
            if decision.instance is not None:
                with self._lock:
                    self._claims.drop(decision.instance)
            decision = self._decide(states, spec, settings, policies, claim=claim)
            if not decision.order:
                return replace(decision, refused=decision.refused and "capacity")
        return decision

    def take_unanswered(self) -> list[str]:
        """Return the services that left questions without an answer since the last call."""
        return [each.service for each in self._askers for _ in range(each.take_unanswered())]

    def hanging(self) -> list[str]:
        """Return the services with questions that have not ended, one for each question."""
        return [each.service for each in self._askers for _ in range(each.num_hanging())]

    def _is_free(
        self, provider: str, instance: str | None, settings: Settings, seconds: float
    ) -> bool:
        """Ask placement whether a spot still fits where it is to go; True if that is not known."""
        if instance is None or self._mirror.is_running(instance):
            return True  # it holds something there, or will hold less elsewhere
        holders = self._spot_check.holders(provider, seconds)
        capacity = self._inventories.get(provider)
        if holders is None or capacity is None:
            return True
        now = self._clock()
        with self._lock:
            claims = self._claims.on_host(provider)
            gone = self._mirror.leaving(provider).union(*(claim.victims for claim in claims))
        coming = [
            claim.facts.size
            for claim in claims
            if claim.facts.uuid not in holders
            and (claim.facts.uuid == instance or now - claim.made_at < _CLAIMED_WITHIN_S)
        ]
        return spot_check.fits(holders, gone, coming, capacity.total, settings.resources)

    def _decide(
        self, states: list[Any], spec: Any, settings: Settings, policies: Policies, *, claim: bool
    ) -> Decision:
        is_spot = spot_flavors.is_spot_flavor(spec.flavor.extra_specs)
        with self._lock:
            self._claims.seconds = settings.claim_seconds
            self._mirror.watch_disk(settings.watches_disk)
            self._promised.counts_flavors = settings.lifetime_target is not None
            try:
                case = _Case(self._mirror, states, spec, is_spot, settings, policies)
                decision = case.decide(self._promises)
                # What takes its place may have been deleted before its host ever showed it.
                if decision.refused in ("capacity", "reserve") and (
                    self._mirror.drop_deleted_claims(settings.database_wait)
                ):
                    case = _Case(self._mirror, states, spec, is_spot, settings, policies)
                    decision = case.decide(self._promises)
            except Exception:
                # It may have stopped halfway through the hosts.
                self._mirror.forget()
                raise
            if claim and decision.order and decision.instance is not None:
                self._note(decision, case)
            return decision

    def _note(self, decision: Decision, case: _Case) -> None:
        first = decision.order[0]
        if first.uuid is None or decision.instance is None:
            return
        victims = decision.plans[0].victims if decision.plans else ()
        facts = InstanceFacts(decision.instance, case.size, case.is_spot, float("inf"), False)
        if decision.promise is not None:
            self._promised.note(decision.promise, case.project)
        self._claims.add(first.uuid, facts, victims, first.cell_uuid)


class _Case:
    """One request's hosts, brought up to date, and what it asks for."""

    def __init__(
        self,
        mirror: HostMirror,
        states: list[Any],
        spec: Any,
        is_spot: bool,
        settings: Settings,
        policies: Policies,
    ) -> None:
        self._mirror, self._states, self._spec = mirror, states, spec
        self._settings, self._policies = settings, policies
        self.is_spot = is_spot
        self.instance = instance_of(spec)
        self.project = str(spec.project_id or "") if "project_id" in spec else ""
        boots_from_volume = "is_bfv" in spec and bool(spec.is_bfv)
        image = spec.image if "image" in spec else None
        self.size = size_of_flavor(spec.flavor, image, with_root_disk=not boots_from_volume)
        is_pinned = self.size.pcpus > 0 and self.size.vcpus == 0
        disk_gb = self.size.disk_gb if settings.watches_disk else 0
        self._request = cospot.Request(
            self.size.pcpus if is_pinned else self.size.vcpus,
            self.size.memory_mb,
            disk_gb,
            spot=is_spot,
            time_us=time_us(time.time()),
        )
        # Asked before its host is read without it.
        self._moves = self.instance is not None and mirror.is_running(self.instance)
        places, rows = mirror.follow(
            states, self.instance, settings.inventory_wait, settings.database_wait
        )
        # Of a VM with both the shared part decides: no eviction makes room for the other.
        self._live = mirror.dedicated if is_pinned else mirror.live
        self._places = places
        self._position = np.empty(len(mirror.live), dtype=np.int64)  # read at `rows` alone
        self._position[rows] = places
        self._rows: _Rows = rows.astype(np.uint32)

    def decide(self, promises: PromiseCheck) -> Decision:
        """Rank the hosts, choose among those offered, plan the evictions."""
        if self._policies.reserves and (kind := kind_of(self._spec, self.is_spot)) is not None:
            hosts = (self._states[place].uuid for place in self._places.tolist())
            self._mirror.note_missing(kind, self.size, hosts)
        if self.is_spot:
            verdict = self._judge(promises)
            if verdict.refused:
                return Decision(self.instance, [], refused="lifetime", answer=verdict.answer)
            reserved = self._keep_out_of_reserves()
            states = self._states_at(self._rank(self._policies.spot)[0])
            if not states:
                # A promise without a host is none.
                return Decision(self.instance, [], refused=self._why_nowhere(reserved))
            return Decision(self.instance, states, promise=verdict.promise, answer=verdict.answer)
        order, tiers, weights = self._rank(self._policies.vm)
        plans: tuple[PlannedHost, ...] = ()
        if order.size > 0:
            offered = self._live.num_offered(self._policies.offer, tiers, weights)
            order = self._put_choice_first(order, offered)
            plans = self._plans(order[: self._settings.plan_hosts].tolist())
        return Decision(self.instance, self._states_at(order) + self._doubtful(order), plans)

    def _why_nowhere(self, reserved: _Rows) -> str:
        """Return why a spot gets no host; `reserved` are those that reserves took from it."""
        if not self._states:
            return "aggregates"
        return "reserve" if self._live.has_room(reserved, self._request, True).any() else "capacity"

    def _keep_out_of_reserves(self) -> _Rows:
        """Leave out, and return, the hosts where a spot would be in capacity reserved for VMs."""
        reserves = self._policies.reserves
        if not reserves or self._rows.size == 0:
            return self._rows[:0]
        if any(reserve.aggregate for reserve in reserves):
            for state in (self._states[place] for place in self._places.tolist()):
                self._mirror.host(state.uuid).aggregates = aggregates_of(state)
        hosts = [self._mirror.host(self._states[place].uuid) for place in self._places.tolist()]
        may, in_the_way = spare_hosts(
            reserves, hosts, self._mirror.seen_within(SEEN_WITHIN_S), self.size
        )
        if not may.any():
            LOG.info(
                "cospot: spot %s gets no host: on none of %d it would leave reserve %s alone",
                self.instance,
                len(hosts),
                ", ".join(sorted(in_the_way)),
            )
        kept_out = self._rows[~may]
        self._rows = self._rows[may]
        self._places = self._places[may]
        return kept_out

    def _judge(self, promises: PromiseCheck) -> Verdict:
        if self._moves:
            return NOT_ASKED  # it was promised what it was when it came
        size = self.size if self._settings.watches_disk else replace(self.size, disk_gb=0)
        return promises.judge(
            Question(
                self._spec,
                self.instance,
                size,
                self._settings,
                lambda: (
                    self._mirror.host(self._states[i].uuid).free for i in self._places.tolist()
                ),
                lambda: self._mirror.num_promised(self.project),
            )
        )

    def _rank(self, chain: cospot.Chain | None) -> tuple[_Rows, _Column, _Column]:
        """The hosts that have room, the best first, with their tiers and weights."""
        saf = self._settings.saf and not self.is_spot
        if chain is not None:
            return self._live.rank(chain, self._rows, self._request, saf=saf)
        order, weights = self._rank_as_nova()
        tiers = self._live.has_room(order, self._request, True) & saf
        by_tier = np.argsort(~tiers, kind="stable")
        return order[by_tier], tiers[by_tier], weights[by_tier]

    def _rank_as_nova(self) -> tuple[_Rows, _Column]:
        """The operator's weighers; hosts that weigh the same come in the order of their names."""
        rows = np.sort(self._rows)
        rows = rows[self._live.has_room(rows, self._request, self.is_spot)]
        shown = self._states_at(rows)
        if not self.is_spot:
            shown = [
                operator_weighers.VmView(state, self._mirror.host(state.uuid)) for state in shown
            ]
        row_of = {id(each): row for each, row in zip(shown, rows.tolist(), strict=True)}
        weighed = operator_weighers.weigh(self._settings.vm_weighers, shown, self._spec)
        order = np.array([row_of[id(host.obj)] for host in weighed], dtype=np.uint32)
        return order, np.array([host.weight for host in weighed], dtype=np.float64)

    def _put_choice_first(self, order: _Rows, offered: int) -> _Rows:
        choice = self._live.choose(self._policies.evictor, order[:offered], self._request)
        if choice is None or choice[0] == order[0]:
            return order
        return np.concatenate((order[order == choice[0]], order[order != choice[0]]))

    def _plans(self, rows: Sequence[int]) -> tuple[PlannedHost, ...]:
        """Say what would go on each of these hosts; nothing when all have room."""
        plans = [self._plan(row) for row in rows]
        return tuple(plans) if any(plan.victims for plan in plans) else ()

    def _plan(self, row: int) -> PlannedHost:
        state = self._states[self._position[row]]
        choice = self._live.choose(self._policies.evictor, [row], self._request)
        positions, score = ((), 0.0) if choice is None else choice[1:]
        victims = self._mirror.promised_last(state.uuid, positions)
        return PlannedHost(
            host=state.host,
            node=state.nodename,
            provider=state.uuid,
            victims=tuple(victims),
            score=score,
        )

    def _states_at(self, rows: _Rows) -> list[Any]:
        return [self._states[position] for position in self._position[rows].tolist()]

    def _doubtful(self, order: _Rows) -> list[Any]:
        """The hosts that seem to have no room for a VM, by name, to be tried last.

        Placement has found room there, and placement decides: what looks like VMs may be spots that
        another scheduler has just placed.
        """
        if len(order) == len(self._states):
            return []
        ranked = set(self._position[order].tolist())
        rest = [state for i, state in enumerate(self._states) if i not in ranked]
        return sorted(rest, key=lambda state: (state.host, state.nodename))
