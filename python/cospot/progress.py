"""The progress bar of long calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from cospot.errors import ArgumentError

Progress = Callable[[int, int], object]


def progress_function(progress: object) -> Progress | None:
    """Return the function (done, total) that an argument `progress` requests; None: nothing.

    A function is returned as it is. None requests a bar on terminals and in notebooks, True a bar
    anywhere, and False none. Without tqdm there is no bar.
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
    """Tell whether this is a notebook that can show a bar: without ipywidgets tqdm complains."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell" and find_spec("ipywidgets") is not None


def _bar() -> Progress | None:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    bar: Any = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            bar = tqdm(total=total, unit="run")
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return show
