"""Atomic file writes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cospot.errors import ConfigError


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically: readers see either the old contents or all of the new.

    Args:
        path: Of the file; a link is followed.
        data: The new contents.

    Raises:
        ConfigError: It cannot be written, or exists and is not a file (a device would be replaced).
    """
    try:
        if path.exists() and not path.is_file():
            found = "a folder" if path.is_dir() else "a device or the like"
            raise ConfigError(f"{path}: expected a file, found {found}")
        _replace(path.resolve(), data)
    except FileNotFoundError as error:
        folder = path.resolve().parent
        raise ConfigError(f"{path}: cannot be written: there is no folder {folder}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from error


def _replace(path: Path, data: bytes) -> None:
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        new = Path(file.name)
        try:
            file.write(data)
            file.flush()
            # A temporary file is private to its owner, but nova-compute, say, is another user.
            new.chmod(0o644)
            os.replace(new, path)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
