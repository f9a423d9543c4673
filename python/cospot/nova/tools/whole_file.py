"""Files that are never half there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cospot.errors import ConfigError


def write_file(path: Path, data: bytes) -> None:
    """Write a file that is either the old one or the whole new one.

    Raises:
        ConfigError: It cannot be written.
    """
    try:
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            file.write(data)
        # A temporary file is for its owner only; nova-compute, say, is another user.
        Path(file.name).chmod(0o644)
        os.replace(file.name, path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from error
