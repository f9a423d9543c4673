"""Questions to placement by Nova's own client, which has no time limit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def ask_placement(provider: str, what: str) -> Any:
    """Read something of a resource provider as the scheduler's own user.

    Args:
        provider: its UUID.
        what: the end of the address, which the answer calls it too: ``inventories``.

    Returns:
        None when placement does not know the provider.

    Raises:
        ConnectionError: placement gave no answer, or failed.
    """
    from nova.scheduler.client import report

    response = report.report_client_singleton().get(f"/resource_providers/{provider}/{what}")
    if response is None or response.status_code >= 500:
        raise ConnectionError(f"placement answered {getattr(response, 'status_code', 'nothing')}")
    return response.json()[what] if response.status_code == 200 else None


def wait_for(work: Callable[[], None], seconds: float, name: str) -> None:
    """Do something in a thread of that name, and wait for it no longer than so many seconds."""
    done = threading.Event()

    def run() -> None:
        try:
            work()
        finally:
            done.set()

    threading.Thread(target=run, name=name, daemon=True).start()
    done.wait(seconds)
