"""Files of lines appended by several processes; a crash spoils at most one line."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

from cospot.nova.moment import moment_of

#: Flags for opening such a file; reading is needed to check its end.
APPENDING: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC


def append_line(file: int, line: bytes) -> None:
    """Append a line with a single write, so that lines of several processes do not mix.

    An incomplete last line, from any process, is terminated first, so that it spoils no other. If
    the disk takes only part of the line, the whole line is written again.

    Args:
        file: opened with `APPENDING`.
        line: including its line feed.

    Raises:
        OSError: it could not be written.
    """
    for _ in range(2):
        whole = b"\n" + line if _is_unfinished(file) else line
        if os.write(file, whole) == len(whole):
            return
    raise OSError(errno.ENOSPC, "only a part could be written")


def _is_unfinished(file: int) -> bool:
    size = os.fstat(file).st_size
    return size > 0 and os.pread(file, 1, size - 1) != b"\n"


def objects(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects among some lines; skip others, such as an incomplete one."""
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def seconds_of(text: Any) -> float | None:
    """Return a record's time in seconds since the epoch; None if it has none."""
    try:
        return moment_of(str(text)).timestamp()
    except ValueError:
        return None
