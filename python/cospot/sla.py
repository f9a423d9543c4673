"""Promised lifetimes from Python: ``cospot sla quote`` as a dictionary (docs/lifetime-sla.md)."""

from __future__ import annotations

import os
from typing import Any

from cospot.json_command import read_json


def quote(
    study: str | os.PathLike[str], *, at_hours: float | None = None, **settings: object
) -> dict[str, Any]:
    """Return how long spots of every size live at least, at one time of a study's first run.

    Args:
        study: a YAML file with ``study: sla``.
        at_hours: when, in hours of trace time; its end by default.
        settings: keys of the study, such as ``target=[0.05, 0.01]`` or ``hosts=6``.

    Returns:
        What ``cospot sla quote --json`` prints (docs/json.md): for each size how many fit, the
        lifetimes, and the quantiles for every number of free slots.

    Raises:
        InputError: what is given cannot be used.
    """
    words = ["sla", "quote", os.fspath(study)]
    if at_hours is not None:
        words += ["--at-hours", str(at_hours)]
    return read_json(words, settings)
