"""The bill of a month: what is known by project and flavor, and what is not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cospot.nova.spot_evictions import Eviction
from cospot.nova.tools.bill.audit_history import AuditHistory
from cospot.nova.tools.bill.server_time import ServerTime

#: A spot evicted within this time of a start is not billed for that run.
FREE_S: Final = 3600.0
#: Maximum difference between the clocks of Nova and of the evictor.
_CLOCK_SKEW_S: Final = 5.0
#: An order this long before the end of a run did not end it.
_LONGEST_END_S: Final = 600.0


@dataclass(frozen=True)
class Month:
    """A month, UTC; times in seconds since the epoch.

    Attributes:
        name: Such as 2026-10.
        end: Where the next one begins.
        now: When the bill is made.
    """

    name: str
    since: float
    end: float
    now: float

    @property
    def until(self) -> float:
        """The end of the billable time."""
        return min(self.end, self.now)

    def has(self, at: float) -> bool:
        """Tell whether it contains a time."""
        return self.since <= at < self.until

    def known(self, since: float) -> str:
        """Return how much of it is known, given the start of the known time."""
        if since <= self.since:
            return "yes"
        return "partly" if since < self.until else "no"


@dataclass
class Row:
    """A project's use of a flavor. Without a flavor: data on spots that Nova no longer shows."""

    project: str
    flavor: str
    servers: int = 0
    seconds: float = 0.0
    vcpu_seconds: float = 0.0
    promised_seconds: float = 0.0
    promised_vcpu_seconds: float = 0.0
    evictions: int = 0
    free_seconds: float = 0.0
    free_vcpu_seconds: float = 0.0
    broken: int = 0
    review_servers: int = 0
    review_seconds: float = 0.0
    review: set[str] = field(default_factory=set)


@dataclass
class Bill:
    """All rows, with notes for the reader.

    Attributes:
        evictions_known, promises_known, terms_known: yes; partly (numbers may be too low); or no.
        review: The servers that need a manual check.
        not_known: The missing facts, one sentence each.
    """

    month: Month
    evictions_known: str = "yes"
    promises_known: str = "yes"
    terms_known: str = "yes"
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    review: list[ServerTime] = field(default_factory=list)
    not_known: list[str] = field(default_factory=list)

    def row(self, project: str, flavor: str) -> Row:
        """Return the row of a project and a flavor."""
        return self.rows.setdefault((project, flavor), Row(project, flavor))

    def add(
        self,
        server: ServerTime,
        history: AuditHistory,
        broken: Mapping[str, float],
        term: tuple[float, float] | None = None,
    ) -> None:
        """Add a server, its evictions and its promise, which holds for a term."""
        month = self.month
        seconds = server.seconds(month.since, month.until)
        orders = _orders(server, history.of(server.uuid))
        evictions = sum(map(month.has, orders))
        is_broken = month.has(broken.get(server.uuid, -math.inf))
        if seconds == 0 and evictions == 0 and not is_broken:
            return
        free = self._free_seconds(server, orders)
        if any(month.has(at) and not _is_near(at, orders) for at in server.shelved):
            server.review.add("shelved")
        row = self.row(server.project, server.flavor)
        row.servers += 1
        row.seconds += seconds
        row.vcpu_seconds += seconds * server.vcpus
        if term is not None:
            promised = server.seconds(max(month.since, term[0]), min(month.until, term[1]))
            row.promised_seconds += promised
            row.promised_vcpu_seconds += promised * server.vcpus
        row.evictions += evictions
        row.free_seconds += free
        row.free_vcpu_seconds += free * server.vcpus
        row.broken += is_broken
        if server.review:
            row.review_servers += 1
            row.review_seconds += seconds
            row.review |= server.review
            self.review.append(server)

    def _free_seconds(self, server: ServerTime, orders: Iterable[float]) -> float:
        """Return its time in this month in runs that were evicted within their first hour."""
        free: set[int] = set()
        for at in orders:
            number = _run_ended_by(server, at)
            if number is None:
                if self.month.has(at):
                    server.review.add("eviction does not fit")
            elif at - server.spans[number][0] < FREE_S:
                free.add(number)
        return sum(server.seconds(self.month.since, self.month.until, each) for each in free)

    def add_unseen(
        self, seen: Iterable[str], history: AuditHistory, broken: Mapping[str, float]
    ) -> None:
        """Add data on spots that Nova no longer shows."""
        known = set(seen)
        orders = {
            spot: sum(each.is_sure and self.month.has(each.at) for each in found.all)
            for spot, found in history.evictions.items()
            if spot not in known
        }
        promises = {at for at in broken if at not in known and self.month.has(broken[at])}
        unseen = {spot for spot, count in orders.items() if count} | promises
        for spot in unseen:
            row = self.row(history.projects.get(spot, ""), "")
            row.servers += 1
            row.evictions += orders.get(spot, 0)
            row.broken += spot in promises
            row.review_servers += 1
            row.review.add("not in Nova")
        if unseen:
            self.not_known.append(
                f"Nova does not show {len(unseen)} of the evicted spots (archived, purged, or"
                " resized to a flavor that is none for spots): their seconds are missing"
            )

    def table(self) -> list[dict[str, Any]]:
        """Return the rows with the keys of COLUMNS; None: unknown."""
        return [self._as_columns(self.rows[key]) for key in sorted(self.rows)]

    def _as_columns(self, row: Row) -> dict[str, Any]:
        has_seconds = bool(row.flavor)
        logs = self.evictions_known != "no"
        has_terms = has_seconds and self.terms_known != "no"

        def seconds(value: float, is_known: bool) -> int | None:
            return round(value) if is_known else None

        return {
            "month": self.month.name,
            "project_id": row.project,
            "flavor": row.flavor,
            "servers": row.servers,
            "spot_seconds": seconds(row.seconds, has_seconds),
            "spot_vcpu_seconds": seconds(row.vcpu_seconds, has_seconds),
            "evictions": row.evictions if logs else None,
            "evicted_first_hour_seconds": seconds(row.free_seconds, has_seconds and logs),
            "evicted_first_hour_vcpu_seconds": seconds(row.free_vcpu_seconds, has_seconds and logs),
            "evictions_known": self.evictions_known,
            "broken_promises": row.broken if self.promises_known != "no" else None,
            "promises_known": self.promises_known,
            "review_servers": row.review_servers,
            "review_seconds": seconds(row.review_seconds, has_seconds),
            "review": "; ".join(sorted(row.review)),
            "promised_seconds": seconds(row.promised_seconds, has_terms),
            "promised_vcpu_seconds": seconds(row.promised_vcpu_seconds, has_terms),
            "promised_known": self.terms_known,
        }


#: The keys of a row, in order.
COLUMNS: Final = tuple(Bill(Month("", 0.0, 0.0, 0.0))._as_columns(Row("", "")))


def _orders(server: ServerTime, evictions: Sequence[Eviction]) -> list[float]:
    """Return when a spot's evictions were ordered.

    An order that got no answer was an eviction if it ended a run.
    """
    sure = [each.at for each in evictions if each.is_sure]
    ended = {_run_ended_by(server, at) for at in sure}
    for each in evictions:
        number = None if each.is_sure else _run_ended_by(server, each.at)
        if number is not None and number not in ended:
            sure.append(each.at)
            ended.add(number)
    return sorted(sure)


def _run_ended_by(server: ServerTime, at: float) -> int | None:
    """Return the number of the run that an order may have ended; None: it ended none."""
    before = [
        number for number, (start, _) in enumerate(server.spans) if start <= at + _CLOCK_SKEW_S
    ]
    end = server.spans[before[-1]][1] if before else None
    if end is None or not at - _CLOCK_SKEW_S <= end <= at + _LONGEST_END_S:
        return None
    return before[-1]


def _is_near(at: float, orders: Sequence[float]) -> bool:
    """Tell whether an eviction was ordered close to an action."""
    return any(-_CLOCK_SKEW_S <= at - order <= _LONGEST_END_S for order in orders)
