"""A command of the program with --json, as Python values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from cospot.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BAD_INPUT = 2


def read_json(words: Sequence[str], settings: Mapping[str, object]) -> dict[str, Any]:
    """Run ``cospot WORDS --json`` with settings as ``--set KEY=VALUE``, and return what it prints.

    Raises:
        InputError: what is given cannot be used.
    """
    command = [sys.executable, "-m", "cospot", *words, "--json"]
    for key, value in settings.items():
        command += ["--set", f"{key}={_text(value)}"]
    environment = {"COSPOT_PYTHON": sys.executable, **os.environ}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == _BAD_INPUT:
        raise InputError(done.stderr.strip().removeprefix("cospot: "))
    done.check_returncode()
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
