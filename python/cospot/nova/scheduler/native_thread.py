"""Threads of the operating system, also where Nova runs on eventlet.

Up to Nova 33 `threading` gives its services green threads: one that waits for a file stops all
requests of the process, for as long as the file system likes.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable


def native_sleep(seconds: float) -> None:
    """Sleep in a native thread; eventlet's sleep would run its green threads there."""
    patcher = sys.modules.get("eventlet.patcher")
    if patcher is not None and patcher.is_monkey_patched("time"):
        patcher.original("time").sleep(seconds)
    else:
        time.sleep(seconds)


def start_native_thread(work: Callable[[], None]) -> None:
    """Have something done beside the requests.

    Args:
        work: raises nothing. It must not log, nor use locks or queues, which may be eventlet's: two
            native threads that meet at such a lock wait in it for ever. The process ends without
            waiting for it.
    """
    patcher = sys.modules.get("eventlet.patcher")
    if patcher is not None and patcher.is_monkey_patched("thread"):
        patcher.original("_thread").start_new_thread(work, ())
    else:
        threading.Thread(target=work, name="cospot-file", daemon=True).start()
