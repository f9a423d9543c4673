"""Files of lines that several processes append to, and of which a crash spoils one line at most."""

from __future__ import annotations

import errno
import os
from datetime import datetime, timezone
from typing import Any, Final

#: To open such a file with: a look at its end needs reading.
APPENDING: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC


def append_line(file: int, line: bytes) -> None:
    """Append a line with one write, so that lines of several processes do not mix.

    What was not written to its end, by whomever, is left as a line of its own: it spoils no other.
    A line of which a disk takes only a part is written once more as a whole.

    Args:
        file: opened with `APPENDING`.
        line: with its line feed.

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


def seconds_of(text: Any) -> float | None:
    """Return a record's time in seconds since the epoch; None where it has none."""
    try:
        moment = datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment.replace(tzinfo=moment.tzinfo or timezone.utc).timestamp()
