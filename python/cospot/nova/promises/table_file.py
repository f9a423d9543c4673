"""The file with the table of promises, which is parsed again only when it has changed."""

from __future__ import annotations

import os
import posix
import stat
from dataclasses import dataclass
from typing import Final

from cospot.nova.promises.promise_table import PromiseTable, PromiseTableError, table_from_text

#: A larger file is not such a table, and would delay the scheduler.
_MOST_BYTES: Final = 64 << 20


@dataclass(frozen=True)
class TableVersion:
    """A version of the file: what it is known by, and what is in it, or why nothing is."""

    mark: tuple[str, int, int, int]
    table: PromiseTable | None
    problem: str = ""


def read_version(path: str, before: TableVersion | None = None) -> TableVersion:
    """Read the file if it is another than before.

    Raises:
        OSError: it cannot be read.
    """
    # A named pipe would keep whoever opens it waiting for a writer. eventlet's os.open would make a
    # hub for a thread of the scheduler.
    with open(
        path, "rb", opener=lambda name, flags: posix.open(name, flags | os.O_NONBLOCK)
    ) as file:
        found = os.fstat(file.fileno())
        mark = (path, found.st_mtime_ns, found.st_size, found.st_ino)
        if before is not None and before.mark == mark:
            return before
        if not stat.S_ISREG(found.st_mode):
            return TableVersion(mark, None, "it is no regular file")
        if found.st_size > _MOST_BYTES:
            problem = f"it has {found.st_size} bytes, expected at most {_MOST_BYTES}"
            return TableVersion(mark, None, problem)
        text = file.read(_MOST_BYTES + 1)
    try:
        return TableVersion(mark, table_from_text(text))
    except PromiseTableError as error:
        return TableVersion(mark, None, f"cannot be used: {str(error)[:200]}")
