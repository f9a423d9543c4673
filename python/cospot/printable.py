"""Text from outside made safe for a terminal, as in the program (core/printable_text.hpp)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, Final, TextIO, cast

# Control characters but tab and line feed, ends of lines that terminals do not show, and all of
# Unicode's Bidi_Control.
_ACTS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
_MOST: Final = 8000
_EITHER_END: Final = 3900


def printable(text: str) -> str:
    """Write out what would act on a terminal, as in JSON. Line breaks and tabs stay."""
    return _ACTS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_one_line(text: str) -> str:
    """Write out line breaks and tabs too, for a record that is a line."""
    return re.sub(r"[\t\n]", lambda found: f"\\u{ord(found[0]):04x}", printable(text))


def without_middle(text: str) -> str:
    """Cut a text that is too long for a message. Its ends are the place and what was expected."""
    if len(text) <= _MOST:
        return text
    left_out = f" ... ({len(text) - 2 * _EITHER_END} characters left out) ... "
    return text[:_EITHER_END] + left_out + text[-_EITHER_END:]


class _PrintableStream:
    """A text stream that prints whatever it is given."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(printable(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def printable_streams() -> Iterator[None]:
    """Make everything printable that is printed: a cloud's names may hold anything."""
    output, errors = (cast(TextIO, _PrintableStream(each)) for each in (sys.stdout, sys.stderr))
    with redirect_stdout(output), redirect_stderr(errors):
        yield
