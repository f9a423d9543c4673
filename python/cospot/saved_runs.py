"""Saves and reads the result of one run: `RunResult.save` and `RunResult.load`."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from cospot import _core
from cospot.errors import ConfigError
from cospot.values import properties
from cospot.whole_file import write_file

#: The first key of a file, and its value.
_FORMAT, _VERSION = "cospot_run_result", 1
_MOST_BYTES = 1_000_000
_EXACT = "_vcpu_us"


def _fields() -> list[str]:
    """Return the names of what a result holds, in order: revenue by its exact name."""
    names = properties(_core.RunResult)
    return [name for name in names if name + _EXACT not in names]


def save_run(run: _core.RunResult, path: str | os.PathLike[str], force: bool) -> None:
    """Write a result as JSON; see `RunResult.save`."""
    file = Path(os.fsdecode(path))
    if not force and os.path.lexists(file):
        raise ConfigError(f"{file}: already exists; force=True replaces it")
    values = {_FORMAT: _VERSION, **{name: getattr(run, name) for name in _fields()}}
    write_file(file, (json.dumps(values, indent=2) + "\n").encode())


def load_run(path: str | os.PathLike[str]) -> _core.RunResult:
    """Read a result; see `RunResult.load`."""
    file = Path(os.fsdecode(path))
    expected = "expected a result written by RunResult.save"
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES)
        values = json.loads(text)
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}; {expected}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: is not JSON: {error}; {expected}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{file}: is a {type(values).__name__}; {expected}")
    for name in (_FORMAT, *_fields()):
        if name not in values:
            raise ConfigError(f"{file}: has no {name}; {expected} of this version of cospot")
        if not _is_valid(name, values[name]):
            kind = "a number" if name == "wall_ms" else "a whole number"
            raise ConfigError(f"{file}: {name} is {values[name]!r:.40}, expected {kind} from 0")
    if values[_FORMAT] != _VERSION:
        raise ConfigError(f"{file}: has format {values[_FORMAT]}; this cospot reads {_VERSION}")
    result: _core.RunResult = _core._restore("RunResult", tuple(values[name] for name in _fields()))
    return result


def _is_valid(name: str, value: Any) -> bool:
    if name == "wall_ms":
        return isinstance(value, float) and math.isfinite(value) and value >= 0
    most = 2**126 if name.endswith(_EXACT) else 2**63
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < most
