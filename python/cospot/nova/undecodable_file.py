"""Finds the configuration file that is not text, which oslo.config's error does not name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from oslo_config import cfg


def explain(
    error: UnicodeDecodeError, arguments: Sequence[str], *, project: str, program: str
) -> str:
    """Return one line that names the file that is not text, and the place.

    Args:
        error: The error raised by oslo.config.
        arguments: The command line passed to it.
        project: As passed to it.
        program: As passed to it.
    """
    for path in _files(arguments, project, program):
        try:
            path.read_bytes().decode(error.encoding)
        except UnicodeDecodeError as found:
            line = found.object.count(b"\n", 0, found.start) + 1
            expected = f"expected text in {found.encoding.upper()}"
            return (
                f"{path}: line {line}: {expected}, found the byte 0x{found.object[found.start]:02x}"
            )
        except OSError:
            continue
    return str(error)


def _files(arguments: Sequence[str], project: str, program: str) -> Iterator[Path]:
    """Yield the files that oslo.config reads for a command line."""
    parser = argparse.ArgumentParser(add_help=False)
    for option in ("--config-file", "--config-dir"):
        parser.add_argument(option, action="append")
    given, _ = parser.parse_known_args(list(arguments))
    for file in given.config_file or cfg.find_config_files(project, program):
        yield Path(file).expanduser()
    for folder in given.config_dir or cfg.find_config_dirs(project, program):
        yield from sorted(Path(folder).expanduser().glob("*.conf"))
