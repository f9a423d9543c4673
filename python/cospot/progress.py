"""The progress bar of long calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from cospot.errors import ArgumentError

Progress = Callable[[int, int], object]


def progress_function(progress: object) -> Progress | None:
    """Return the function (done, total) that an argument `progress` requests; None: nothing.

    A function is returned as it is. None requests a bar on terminals and in notebooks, True a bar
    anywhere, and False none. The bar is tqdm's, with a widget in notebooks that have ipywidgets; a
    line of text replaces it without tqdm.
    """
    if progress is None:
        return _bar() if _is_watched() else None
    if isinstance(progress, bool):
        return _bar() if progress else None
    if callable(progress):
        return progress
    raise ArgumentError(
        f"progress is of type {type(progress).__name__}, expected a function or a bool"
    )


def _is_watched() -> bool:
    return sys.stderr is not None and (sys.stderr.isatty() or _is_notebook())


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return any(base.__name__ == "ZMQInteractiveShell" for base in type(shell).__mro__)


def _bar() -> Progress:
    # Without ipywidgets, the tqdm of notebooks complains.
    has_widgets = _is_notebook() and find_spec("ipywidgets") is not None
    try:
        tqdm = import_module("tqdm.auto" if has_widgets else "tqdm.std").tqdm
    except ImportError:
        return _line()
    bar: Any = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            bar = tqdm(total=total, unit="run")
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return show


def _line() -> Progress:
    """Return a function that writes a line of text anew, at most once a percent."""
    written = -1

    def show(done: int, total: int) -> None:
        nonlocal written
        percent = 100 * done // total if total else 100
        if percent > written and sys.stderr is not None:
            written = percent
            end = "\n" if done >= total else ""
            sys.stderr.write(f"\r{percent:3}% of {total:,} runs{end}")
            sys.stderr.flush()

    return show
