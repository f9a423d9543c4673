"""Runs the evictor service as on another machine: with a clock of its own, and a cable to pull."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Any

from cospot.nova.state import leases
from cospot.nova.state.database import StateDatabase
from cospot.nova.state.orders import SharedOrders
from evictor_running import make_service


def run(configuration: Path, skew: float, cut: Path) -> None:
    """Run the service until SIGTERM, in a process that does nothing else.

    Args:
        skew: how many seconds the wall clock of the process is ahead.
        cut: while this file exists the database does not answer, whatever the process asks it;
            "order" in the file ends the process once it has stored its next order, before Nova
            hears of it.
    """
    real_time = time.time
    time.time = lambda: real_time() + skew
    leases.LEASE_S = 2.0  # as in production, but sooner
    real_attempt, real_add = StateDatabase._attempt, SharedOrders.add

    def is_cut(how: str) -> bool:
        with contextlib.suppress(FileNotFoundError):
            return cut.read_text() == how
        return False

    def attempt(self: Any, work: Any, checks: bool) -> Any:
        if is_cut(""):
            raise OSError("the cable is pulled")
        return real_attempt(self, work, checks)

    def add(self: Any, provider: str, spot: str) -> None:
        real_add(self, provider, spot)
        if is_cut("order"):
            os.kill(os.getpid(), signal.SIGKILL)

    StateDatabase._attempt = attempt  # type: ignore[method-assign]
    SharedOrders.add = add  # type: ignore[method-assign]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # in all threads, for sigwait
    service = make_service(configuration)
    service.start()
    signal.sigwait({signal.SIGTERM})
    service.stop()
