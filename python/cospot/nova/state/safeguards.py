"""Safeguards that hold an eviction back: switches, limits, and one lock per host."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from tooz import coordination

from cospot.nova import log as logging
from cospot.nova.live_options import LiveOptions
from cospot.nova.state.errors import EvictorError, SettingError

LOG = logging.getLogger(__name__)
_MINUTE_S = 60.0


class Refusal(str, Enum):
    """Why an instance is not evicted; the values are the labels of the metric."""

    GONE = "gone"
    NOT_A_SPOT_ALLOCATION = "not-a-spot-allocation"
    SEVERAL_PROVIDERS = "several-providers"
    NO_SERVER = "no-server"
    NOT_A_SPOT_FLAVOR = "not-a-spot-flavor"
    OTHER_HOST = "other-host"
    MOVING = "moving"
    LEAVING = "leaving"
    DELETION_STUCK = "deletion-stuck"
    NOT_NEEDED = "not-needed"
    FREES_NOTHING_NEEDED = "frees-nothing-needed"
    PROMISED = "promised"
    HOST_STALLED = "host-stalled"
    DISABLED = "disabled"
    LIMIT = "limit"
    PROJECT_LIMIT = "project-limit"
    HOST_LIMIT = "host-limit"


@dataclass(frozen=True)
class SwitchState:
    """The state of all switches at one moment.

    Attributes:
        why_off: why nothing may be evicted; None when it may.
        is_dry_run: whether evictions are only written down.
    """

    why_off: str | None
    is_dry_run: bool

    @property
    def is_on(self) -> bool:
        """Tell whether evictions are on, and more than written down."""
        return self.why_off is None and not self.is_dry_run

    def __str__(self) -> str:
        """Say what becomes of evictions."""
        if self.why_off is not None:
            return f"evictions are off: {self.why_off}"
        return "evictions are only written down: dry_run = true" * self.is_dry_run or "it evicts"


class Switches:
    """The switches of evictions: the configuration in force and the kill-switch file."""

    def __init__(self, settings: LiveOptions) -> None:
        self._settings = settings

    def now(self) -> SwitchState:
        """Look at all switches, at one configuration and not at parts of two."""
        values = self._settings.now
        if values.fault:
            return SwitchState(values.fault, values.dry_run)
        if not values.enabled:
            return SwitchState("enabled = false", values.dry_run)
        return SwitchState(_why_file_stops(values.disable_file), values.dry_run)


def _why_file_stops(path: str) -> str | None:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return f"whether the file {path} exists cannot be seen: {error.strerror}"
    return f"the file {path} exists"


@dataclass
class _Bucket:
    """Tokens that come back evenly over a minute; full at first, however many it holds."""

    tokens: float = float("inf")
    at: float = 0.0

    def wait(self, per_minute: int, now: float, least: int = 1) -> float:
        """Refill it; return the seconds until it has so many tokens, 0 if it has them now."""
        grown = self.tokens + (now - self.at) * per_minute / _MINUTE_S
        self.tokens, self.at = min(float(per_minute), grown), now
        return max(0.0, (least - self.tokens) * _MINUTE_S / per_minute)


class EvictionLimits:
    """Says whether one more eviction is allowed now.

    There are limits per minute, overall and per project, and per host and reconcile interval; 0 is
    no limit.

    Args:
        settings: the group [cospot_evictor]; the limits in force are read at each question.
        clock: monotonic time, seconds.
    """

    def __init__(self, settings: LiveOptions, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._interval: float = settings.reconcile_interval
        self._lock = threading.Lock()
        self._overall = _Bucket()
        self._confirmations = _Bucket()
        self._projects: dict[str, _Bucket] = {}
        self._hosts: dict[str, deque[float]] = {}

    def take(
        self, project_id: str, provider: str = "", *, for_vm: bool = True
    ) -> tuple[Refusal, float] | None:
        """Take what one eviction costs; nothing is taken when any limit is reached.

        Args:
            project_id: of the spot to be evicted.
            provider: UUID of its host's provider.
            for_vm: whether a VM has claimed the capacity. Other evictions leave half of what the
                overall limit allows to VMs.

        Returns:
            None when it may go on; else which limit it is, and the seconds until it may.
        """
        overall: int = self._settings.evictions_per_minute
        project: int = self._settings.evictions_per_minute_per_project
        with self._lock:
            now = self._clock()
            wait = self._host_wait(provider, now)
            if wait > 0:
                return Refusal.HOST_LIMIT, wait
            least = 1 if for_vm else 1 + overall // 2
            if overall > 0 and (wait := self._overall.wait(overall, now, least)) > 0:
                return Refusal.LIMIT, wait
            if project > 0:
                bucket = self._projects.setdefault(project_id, _Bucket())
                if (wait := bucket.wait(project, now)) > 0:
                    return Refusal.PROJECT_LIMIT, wait
                bucket.tokens -= 1
            if overall > 0:
                self._overall.tokens -= 1
            self._hosts.setdefault(provider, deque()).append(now)
            return None

    def take_confirmation(self) -> tuple[Refusal, float] | None:
        """Take what confirming a resize costs; what is returned is as of `take`."""
        most: int = self._settings.confirmations_per_minute
        if most <= 0:
            return None
        with self._lock:
            wait = self._confirmations.wait(most, self._clock())
            if wait > 0:
                return Refusal.LIMIT, wait
            self._confirmations.tokens -= 1
            return None

    def give_back(self, project_id: str, provider: str) -> None:
        """Give back what was taken for an eviction that was not ordered."""
        with self._lock:
            for bucket in (self._overall, self._projects.get(project_id)):
                if bucket is not None:
                    bucket.tokens += 1  # a refill cuts off what is too much
            if taken := self._hosts.get(provider):
                taken.pop()

    def _host_wait(self, provider: str, now: float) -> float:
        """Return the seconds until a host may lose another spot; 0 when it may now."""
        limit: int = self._settings.evictions_per_host
        # Nothing older counts for any host, so what stays is as little as was evicted lately.
        for host in list(self._hosts):
            taken = self._hosts[host]
            while taken and now - taken[0] >= self._interval:
                taken.popleft()
            if not taken:
                del self._hosts[host]
        lately = self._hosts.get(provider, ())
        if limit <= 0 or len(lately) < limit:
            return 0.0
        return self._interval - (now - lately[len(lately) - limit])


class LockError(EvictorError):
    """A lock was not to be had in time."""


class BusyLockError(LockError):
    """Somebody else holds the lock: another thread, or another copy of the service."""


#: By store and name, one for all threads of this process. Files lock out other processes only, and
#: what tooz adds for threads is made twice when two of them ask for a free lock at the same moment.
_OF_PROCESS: Final[dict[tuple[str, str], threading.Lock]] = {}


def _of_tooz(url: str) -> Any:
    member = f"{socket.gethostname()}-{os.getpid()}".encode()
    try:
        if url.startswith("file://"):
            os.makedirs(url.removeprefix("file://").partition("?")[0], exist_ok=True)
        coordinator = coordination.get_coordinator(url, member)
        coordinator.start(start_heart=True)
        return coordinator
    except Exception as error:  # of tooz, of stevedore, of the driver's library
        shown = url.rpartition("@")[2]  # what is before it may hold a password
        raise SettingError(
            f"[cospot_evictor] coordination_url: cannot use {shown}: {error}"
        ) from error


#: The lock of who looks after the reserves.
NOTICES_LOCK: Final = "notices"


def lock_name(name: str) -> str:
    """Return what the lock of a host, or another one, is called in its store."""
    return f"cospot-evictor-{name}"


class HostLocks:
    """Locks by name in the store that `coordination_url` names, or in another one.

    A copy that dies lets go of its locks: files and MySQL at once, leases when they end.

    Args:
        url: of tooz; with a coordinator, what tells its store apart from others in this process.
        timeout: longest wait for a lock, seconds.
        coordinator: has the locks, instead of tooz.
    """

    def __init__(self, url: str, timeout: float, coordinator: Any = None) -> None:
        self._url = url
        self._timeout = timeout
        self._coordinator = coordinator if coordinator is not None else _of_tooz(url)

    @contextmanager
    def hold(self, name: str, *, waits: bool = True, keeps: bool = False) -> Iterator[None]:
        """Hold a lock during a with block.

        Args:
            name: of the lock.
            waits: False for work that can as well be done the next time.
            keeps: whether a lease is kept afterwards, so that the next to have it is this process,
                if it asks in time; other locks are let go of.

        Raises:
            BusyLockError: it is not free, with `waits` not within the time-out.
            LockError: the store of the locks is down.
        """
        patience = self._timeout if waits else 0.0
        busy = BusyLockError(f"lock {name}: not free" + f" within {patience} s" * waits)
        deadline = time.monotonic() + patience
        of_process = _OF_PROCESS.setdefault((self._url, name), threading.Lock())
        if not of_process.acquire(timeout=patience):
            raise busy
        try:
            left = max(deadline - time.monotonic(), 0.0)
            lock = self._acquire(name, left if waits else False)
            if lock is None:
                raise busy
            try:
                yield
            finally:
                try:
                    (getattr(lock, "keep", lock.release) if keeps else lock.release)()
                except Exception as error:
                    LOG.warning("lock %s: cannot let go of it: %s", name, error)
        finally:
            of_process.release()

    def _acquire(self, name: str, blocking: float | bool) -> Any:
        """Return the lock of the store, held; None when somebody else keeps it."""
        try:
            lock = self._coordinator.get_lock(lock_name(name).encode())
            return lock if lock.acquire(blocking=blocking) else None
        except Exception as error:  # each driver of tooz has its own
            raise LockError(f"lock {name}: {type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Leave the store."""
        try:
            self._coordinator.stop()
        except Exception as error:
            LOG.warning("locks: cannot leave the store: %s", error)
