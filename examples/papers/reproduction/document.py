"""The places of a reproduction's tables in a document of docs/.

``python -m reproduction.document FILE`` only looks whether a file has the markers.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cospot.errors import ConfigError, InputError

BEGIN = "<!-- begin of what examples/papers writes; edits are lost -->"
END = "<!-- end of what examples/papers writes -->"


def replace_between_markers(document: Path, text: str) -> None:
    """Put the text between the document's markers; the rest of the document stays as it is.

    Raises:
        ConfigError: The document cannot be read, or does not have each marker once, in order.
    """
    before, after = parts_around_markers(document)
    document.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def parts_around_markers(document: Path) -> tuple[str, str]:
    """Read what stands before and after a document's markers.

    Raises:
        ConfigError: The document cannot be read, or does not have each marker once, in order.
    """
    try:
        old = document.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{document}: {error}") from error
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in after or END in before + after:
        raise ConfigError(f"{document}: expected one line '{BEGIN}' and, below it, one '{END}'")
    return before, after


if __name__ == "__main__":
    try:
        parts_around_markers(Path(sys.argv[1]))
    except InputError as error:
        print(f"cospot: {error}", file=sys.stderr)
        sys.exit(2)
