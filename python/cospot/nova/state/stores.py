"""The service's memory: plans in memory, the rest in files that survive its death.

- `PlanStore`: plans that were received, in memory: preferences among spots, nothing more.
- `StalledHostStore`: hosts that free nothing, for a service that is started again, and for
  `cospot-nova status`.
- `NoticeStore`: notices given to spots.

None of it is kept in Nova: a tenant can write its servers' metadata, so what stands there tells the
tenant something and decides nothing.
"""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from cospot.nova import log as logging
from cospot.nova.moment import offset_text_of
from cospot.nova.plan_message import Plan
from cospot.nova.state.errors import EvictorError
from cospot.whole_file import replace_file

LOG = logging.getLogger(__name__)
#: A scheduler's clock may be so far ahead of this machine's, seconds.
CLOCK_SKEW_S = 60.0
FOLDER: Final = "stalled"


class PlanOutcome(str, Enum):
    """The fate of a plan; the values are the labels of the metric."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    EXPIRED = "expired"
    FROM_THE_FUTURE = "from-the-future"
    FULL = "full"
    MALFORMED = "malformed"


@dataclass
class KnownPlan:
    """A plan and what is known of its instance.

    Attributes:
        claimed_at: when placement was first seen to show the instance's claim, monotonic time,
            seconds; None until then.
        done: victims that were evicted or refused and need no second check.
        seen_on: providers on which a reconcile iteration has seen the claim itself.
    """

    plan: Plan
    claimed_at: float | None = None
    done: set[str] = field(default_factory=set)
    seen_on: set[str] = field(default_factory=set)

    @property
    def expected_on(self) -> str | None:
        """Return the provider that a claim is most likely on, if spots are to go there for it."""
        first = self.plan.hosts[0] if self.plan.hosts else None
        return first.provider if first is not None and first.victims else None


class PlanStore:
    """Plans by instance. Thread-safe.

    Args:
        ttl: age at which a plan is forgotten, seconds.
        first_window: of plans for one instance made within so many seconds the first counts.
        most: plans remembered at once.
    """

    def __init__(self, ttl: float, first_window: float, most: int) -> None:
        self._ttl = ttl
        self._first_window = first_window
        self._most = most
        self._lock = threading.Lock()
        self._by_instance: dict[str, KnownPlan] = {}
        self._by_provider: dict[str, set[str]] = defaultdict(set)

    def add(self, plan: Plan, now: float) -> tuple[PlanOutcome, KnownPlan | None]:
        """Take note of a plan, if it is new and young.

        Args:
            plan: as received.
            now: seconds since the epoch.

        Returns:
            what became of it; what is remembered, if accepted.
        """
        if now - plan.made_at > self._ttl:
            return PlanOutcome.EXPIRED, None
        if plan.made_at - now > CLOCK_SKEW_S:
            return PlanOutcome.FROM_THE_FUTURE, None
        with self._lock:
            self._forget_expired(now)
            old = self._by_instance.get(plan.instance)
            if old is not None and plan.made_at - old.plan.made_at < self._first_window:
                return PlanOutcome.DUPLICATE, None
            if old is None and len(self._by_instance) >= self._most:
                return PlanOutcome.FULL, None
            self._forget(plan.instance)
            known = KnownPlan(plan)
            self._by_instance[plan.instance] = known
            for host in plan.hosts:
                self._by_provider[host.provider].add(plan.instance)
            return PlanOutcome.ACCEPTED, known

    def naming(self, provider: str, now: float) -> list[KnownPlan]:
        """Return the plans that name a provider (its UUID), the one made first first."""
        with self._lock:
            self._forget_expired(now)
            found = [self._by_instance[each] for each in self._by_provider.get(provider, ())]
        return sorted(found, key=lambda known: (known.plan.made_at, known.plan.plan_id))

    def _forget_expired(self, now: float) -> None:
        # Received in about the order in which they were made, so the oldest are in front.
        while self._by_instance:
            instance, known = next(iter(self._by_instance.items()))
            if now - known.plan.made_at <= self._ttl:
                return
            self._forget(instance)

    def _forget(self, instance: str) -> None:
        known = self._by_instance.pop(instance, None)
        if known is None:
            return
        for host in known.plan.hosts:
            instances = self._by_provider[host.provider]
            instances.discard(instance)
            if not instances:
                del self._by_provider[host.provider]


@dataclass(frozen=True)
class StalledHostRecord:
    """A host that frees nothing.

    Attributes:
        host: its compute service.
        since: when that was found, UTC, ISO 8601: for people, nothing is decided by it.
        spots: UUIDs of those that should be gone.
    """

    host: str
    since: str
    spots: tuple[str, ...]


class StalledHostStore:
    """One small file per host, written and removed only under the host's lock.

    Args:
        state_path: the service's folder.
    """

    def __init__(self, state_path: str) -> None:
        self._folder = Path(state_path) / FOLDER

    def all(self) -> dict[str, StalledHostRecord]:
        """Return the stalled hosts by provider; a damaged file is skipped.

        Raises:
            OSError: the folder is there and cannot be read.
        """
        try:
            providers = [path.stem for path in self._folder.iterdir() if path.suffix == ".json"]
        except FileNotFoundError:
            return {}
        found = {provider: self._read(provider) for provider in sorted(providers)}
        return {provider: record for provider, record in found.items() if record is not None}

    def spots(self, provider: str) -> Sequence[str]:
        """Return the spots that should be gone from a host; none when it is not stalled."""
        record = self._read(provider)
        return record.spots if record is not None else ()

    def put(self, provider: str, host: str, spots: Sequence[str]) -> None:
        """Store a host, or what it should have freed."""
        old = self._read(provider)
        if old is not None and old.spots == tuple(spots):
            return
        try:
            self._write(provider, host, spots, old)
        except OSError as error:
            LOG.warning("%s: %s", self._path(provider), error.strerror)

    def remove(self, provider: str) -> None:
        """Remove a host."""
        try:
            self._path(provider).unlink(missing_ok=True)
        except OSError as error:
            LOG.warning("%s: %s", self._path(provider), error.strerror)

    def _write(
        self, provider: str, host: str, spots: Sequence[str], old: StalledHostRecord | None
    ) -> None:
        now = offset_text_of(time.time())
        record = StalledHostRecord(host, old.since if old is not None else now, tuple(spots))
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._path(provider), json.dumps(asdict(record)).encode())

    def _path(self, provider: str) -> Path:
        return self._folder / f"{provider}.json"

    def _read(self, provider: str) -> StalledHostRecord | None:
        try:
            found = json.loads(self._path(provider).read_text())
            return StalledHostRecord(found["host"], found["since"], tuple(found["spots"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None


class StoreError(EvictorError):
    """The notices could not be stored, so nothing more is done about them."""


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


class NoticeStore:
    """The notices by spot, and the file, which changes with them.

    Its user holds a lock; any thread may ask what owners know.

    Attributes:
        projects: of spots that this process has given notice.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._notices: dict[str, Notice] = {}
        self.projects: dict[str, str] = {}

    def load(self) -> list[Notice]:
        """Read the file again; return the notices, none when it is missing or damaged.

        Raises:
            StoreError: it cannot be read, where it is no file.
        """
        self._notices = {each.spot: each for each in self._read()}
        return self.all()

    def all(self) -> list[Notice]:
        """Return the notices as last read or changed here."""
        return list(self._notices.values())

    def told(self, spot: str) -> Notice | None:
        """Return the notice of a spot that its owner knows of, as last read or changed here."""
        notice = self._notices.get(spot)
        return notice if notice is not None and notice.is_told else None

    def put(self, notice: Notice) -> None:
        """Store a notice, in place of an earlier one of the same spot.

        Raises:
            StoreError: it could not be written.
        """
        self._write({**self._notices, notice.spot: notice})

    def drop(self, spot: str) -> None:
        """Remove the notice of a spot, if it has one.

        Raises:
            StoreError: it could not be written.
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
        text = json.dumps([asdict(each) for each in notices.values()])
        try:
            replace_file(self._path, text.encode(), durable=True)
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror}") from error
        self._notices = notices
