"""Puts the simulation in place of the clocks, threads, files and services that the code names.

The plugin and the service are the real ones. A module of theirs that says `time.monotonic()` finds
the module `time` among its own names; there it finds the simulation's now. So the product needs
nothing for this. It holds for the whole program: one that simulates does nothing else.
"""

from __future__ import annotations

import concurrent.futures
import datetime
import functools
import os
import pathlib
import queue
import random
import socket
import sys
import threading
import time
import traceback
import uuid
from email.utils import parsedate_to_datetime
from types import FunctionType, SimpleNamespace
from typing import Any

import oslo_messaging
from cospot.nova.scheduler.native_thread import start_native_thread
from cospot.whole_file import replace_file
from tooz import coordination

from seeds import files, kernel, stand_ins

PACKAGES = (
    "cospot.nova.background", "cospot.nova.evictor", "cospot.nova.line_file",
    "cospot.nova.promises", "cospot.nova.scheduler",
    "cospot.nova.state",
)  # fmt: skip
#: Errors that no fault of the world explains: the code itself is wrong.
_MISTAKES = frozenset(
    {"KeyError", "TypeError", "AttributeError", "ValueError", "IndexError", "RuntimeError",
     "AssertionError", "NameError", "UnboundLocalError"}
)  # fmt: skip


class Log:
    """A logger. What it is told is traced; an exception that nobody made is a finding."""

    def debug(self, text: str, *values: Any) -> None:
        pass

    def info(self, text: str, *values: Any) -> None:
        now = kernel.kernel()
        if now.lines is not None and now.current is not None:
            try:
                line = text % values if values else text
            except (TypeError, ValueError):
                line = f"{text} {values}"
            now.trace(now.current.process.name, f"  log: {line}")

    def warning(self, text: str, *values: Any) -> None:
        self.info(text, *values)

    def error(self, text: str, *values: Any) -> None:
        self.info(text, *values)
        if not _MISTAKES.isdisjoint(each for each in values if isinstance(each, str)):
            kernel.kernel().broken("unexpected error", RuntimeError(text % values))

    critical = error

    def log(self, level: int, text: str, *values: Any) -> None:
        self.info(text, *values)

    def exception(self, text: str, *values: Any) -> None:
        self.info(text, *values)
        error = sys.exc_info()[1]
        if not isinstance(error, files.SimulatedFault):
            kernel.kernel().trace("log", "%s", traceback.format_exc())
            kernel.kernel().broken("unexpected error", error)


class World:
    """What stands in for services asks here for the simulation that runs now."""

    now: Any = None


def _notifier(*_: Any, **__: Any) -> Any:
    return SimpleNamespace(info=lambda *_: None)


def _replacements() -> dict[int, Any]:
    made = [
        (time, stand_ins.TIME),
        (threading, stand_ins.THREADING),
        (queue, stand_ins.QUEUE),
        (os, files.OS),
        (replace_file, files.replace_file),
        (socket, stand_ins.SOCKET),
        (datetime.datetime, stand_ins.Datetime),
        (pathlib.Path, files.SimPath),
        (concurrent.futures.ThreadPoolExecutor, stand_ins.Pool),
        (start_native_thread, lambda work: work()),  # the disk of the simulation answers at once
        (parsedate_to_datetime, functools.lru_cache(4096)(parsedate_to_datetime)),  # for speed
        (time.monotonic, kernel.monotonic),
        (time.time, kernel.wall),
        (
            uuid,
            SimpleNamespace(
                UUID=uuid.UUID,
                uuid4=lambda: uuid.UUID(int=World.now.rng.getrandbits(128), version=4),
            ),
        ),
        (
            coordination,
            SimpleNamespace(get_coordinator=lambda url, member: World.now.locks.coordinator()),
        ),
        (
            oslo_messaging,
            SimpleNamespace(
                get_notification_transport=lambda conf: None,
                get_notification_listener=lambda transport, targets, endpoints, executor: (
                    World.now.listener(endpoints[0])
                ),
                Target=lambda **_: None,
                Notifier=_notifier,
            ),
        ),
    ]
    return {id(old): new for old, new in made}


#: What may not be left: names through which code would leave the simulation.
_OUTSIDE = (time, threading, queue, os, socket, random, concurrent.futures, coordination)


def install() -> None:
    """Replace what the modules of the plugin and the service name."""
    replacements = _replacements()
    log = Log()
    for name, module in sorted(sys.modules.items()):
        if not name.startswith(PACKAGES):
            continue
        vars(module)["open"] = files.open_file
        for key, value in list(vars(module).items()):
            if id(value) in replacements:
                setattr(module, key, replacements[id(value)])
            elif key == "LOG":
                module.LOG = log
            elif value == {}:  # what fills it is a process's own
                setattr(module, key, stand_ins.OfProcess())
            elif isinstance(value, type) and value.__module__ == name:
                for method in vars(value).values():
                    _replace_defaults(getattr(method, "__func__", method), replacements)
            elif isinstance(value, FunctionType) and value.__module__ == name:
                _replace_defaults(value, replacements)
    left = [
        f"{name}.{key}"
        for name, module in sys.modules.items()
        if name.startswith(PACKAGES)
        for key, value in vars(module).items()
        if any(value is each for each in _OUTSIDE) or getattr(value, "__module__", "") == "time"
    ]
    if left:
        raise RuntimeError(f"these would leave the simulation: {', '.join(left)}")


def _replace_defaults(function: Any, replacements: dict[int, Any]) -> None:
    if not isinstance(function, FunctionType) or not function.__defaults__:
        return
    function.__defaults__ = tuple(
        replacements.get(id(value), value) for value in function.__defaults__
    )
