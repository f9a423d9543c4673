"""The database of one cell of Nova, for what the scheduler asks it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def cell_context(cell: str, read_deleted: str = "no") -> Iterator[Any]:
    """Yield an administrator's context whose queries go to a cell.

    Args:
        cell: its UUID.
        read_deleted: "yes": queries find deleted rows too.
    """
    from nova import context, objects

    admin = context.get_admin_context(read_deleted=read_deleted)
    mapping = objects.CellMapping.get_by_uuid(admin, cell)
    with context.target_cell(admin, mapping) as in_cell:
        yield in_cell
