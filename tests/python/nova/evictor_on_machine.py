"""Runs the evictor service as on another machine: with a clock of its own, and a cable to pull.

Usage: evictor_on_machine.py CONFIGURATION SKEW CUT

The wall clock of the process is SKEW seconds ahead. While the file CUT exists the database does not
answer, whatever the process asks it; "order" in the file ends the process once it has stored its
next order, before Nova hears of it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

_real_time = time.time
time.time = lambda: _real_time() + float(sys.argv[2])

from cospot.nova.state import leases  # noqa: E402

leases.LEASE_S = 2.0  # as in production, but sooner

from cospot.nova.state.database import StateDatabase  # noqa: E402
from cospot.nova.state.orders import SharedOrders  # noqa: E402
from evictor_running import make_service  # noqa: E402

CUT = Path(sys.argv[3])
_attempt, _add = StateDatabase._attempt, SharedOrders.add


def attempt(self: Any, work: Any, checks: bool) -> Any:
    if CUT.exists() and CUT.read_text() == "":
        raise OSError("the cable is pulled")
    return _attempt(self, work, checks)


def add(self: Any, provider: str, spot: str) -> None:
    _add(self, provider, spot)
    if CUT.exists() and CUT.read_text() == "order":
        os.kill(os.getpid(), signal.SIGKILL)


StateDatabase._attempt = attempt  # type: ignore[method-assign]
SharedOrders.add = add  # type: ignore[method-assign]
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # in all threads, for sigwait
service = make_service(Path(sys.argv[1]))
service.start()
signal.sigwait({signal.SIGTERM})
service.stop()
