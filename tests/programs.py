"""Threads and programs that a test starts and waits for."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from waiting import PATIENCE_S


def at_once(work: Callable[[], object], count: int) -> None:
    """Have so many threads do it; return when all are done."""
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def run_program(*command: Any, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a program until it ends; return its exit code and what it printed."""
    words = list(map(str, command))
    more = {"capture_output": True, "text": True, "timeout": PATIENCE_S, **more}
    return subprocess.run(words, check=False, **more)


def run_python(*arguments: Any, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run this Python with arguments."""
    return run_program(sys.executable, *arguments, **more)


def printed_by(*command: Any, **more: Any) -> str:
    """Run a program that has to succeed; return what it printed."""
    done = run_program(*command, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout
