"""One lock per host, held by whichever copy of the service works on it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from oslo_log import log as logging
from tooz import coordination

from cospot.nova.evictor.errors import EvictorError, SettingError

LOG = logging.getLogger(__name__)


class LockError(EvictorError):
    """A lock was not to be had in time."""


class BusyLockError(LockError):
    """Somebody else holds the lock: another thread, or another copy of the service."""


class HostLocks:
    """Locks by name in the store that `coordination_url` names.

    A copy that dies lets go of its locks: files and MySQL at once, etcd after its lease.
    """

    def __init__(self, url: str, timeout: float) -> None:
        member = f"{socket.gethostname()}-{os.getpid()}".encode()
        self._timeout = timeout
        try:
            if url.startswith("file://"):
                os.makedirs(url.removeprefix("file://").partition("?")[0], exist_ok=True)
            self._coordinator: Any = coordination.get_coordinator(url, member)
            self._coordinator.start(start_heart=True)
        except Exception as error:  # of tooz, of stevedore, of the driver's library
            shown = url.rpartition("@")[2]  # what is before it may hold a password
            raise SettingError(
                f"[cospot_evictor] coordination_url: cannot use {shown}: {error}"
            ) from error

    @contextmanager
    def hold(self, name: str, *, waits: bool = True) -> Iterator[None]:
        """Hold a lock during a with block.

        Args:
            name: of the lock.
            waits: False for work that can as well be done the next time.

        Raises:
            BusyLockError: it is not free, with `waits` not within the time-out.
            LockError: the store of the locks is down.
        """
        patience = self._timeout if waits else False
        try:
            lock = self._coordinator.get_lock(f"cospot-evictor-{name}".encode())
            taken = lock.acquire(blocking=patience)
        except Exception as error:  # each driver of tooz has its own
            raise LockError(f"lock {name}: {type(error).__name__}: {error}") from error
        if not taken:
            raise BusyLockError(f"lock {name}: not free" + f" within {patience} s" * waits)
        try:
            yield
        finally:
            try:
                lock.release()
            except Exception as error:
                LOG.warning("lock %s: cannot let go of it: %s", name, error)

    def close(self) -> None:
        """Leave the store."""
        try:
            self._coordinator.stop()
        except Exception as error:
            LOG.warning("locks: cannot leave the store: %s", error)
