"""Text tables."""

from __future__ import annotations

from collections.abc import Sequence


def text_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return lines with columns separated by two blanks; numbers are right-aligned.

    Args:
        header: Titles of the columns.
        rows: The values of each row, one per column.
    """
    cells = [list(header), *([str(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    numeric = [
        bool(rows) and all(isinstance(row[column], int | float) for row in rows)
        for column in range(len(header))
    ]

    def line(row: Sequence[str]) -> str:
        columns = zip(row, widths, numeric, strict=True)
        return "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in columns).rstrip()

    return "\n".join(line(row) for row in cells)
