"""The tables and their versions.

All names begin with `cospot_`, so the tables can share a database with others. Times are seconds
since the epoch by the database's clock, unless a comment says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

METADATA: Final = sa.MetaData()
_UUID: Final = sa.String(64)
_SECONDS: Final = sa.Float(53)  # a double everywhere
_MYSQL: Final = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4"}


def _table(name: str, *columns: Any) -> Any:
    return sa.Table(f"cospot_{name}", METADATA, *columns, **_MYSQL)


#: One row. A service accepts the tables if it knows `version` or, for a newer one,
#: `oldest_service`.
SCHEMA: Final = _table(
    "schema",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("oldest_service", sa.Integer, nullable=False),
)

#: The holder of each lease. A row remains after its lease has ended.
LEASES: Final = _table(
    "leases",
    sa.Column("name", sa.String(128), primary_key=True),
    sa.Column("owner", sa.String(255), nullable=False),
    sa.Column("until", _SECONDS, nullable=False),
)

#: Deletions requested, or about to be requested, that Nova has not answered.
ORDERS: Final = _table(
    "orders",
    sa.Column("spot", _UUID, primary_key=True),
    sa.Column("provider", _UUID, nullable=False, index=True),
    sa.Column("owner", sa.String(255), nullable=False),
    sa.Column("ordered_at", _SECONDS, nullable=False),
)

NOTICES: Final = _table(
    "notices",
    sa.Column("spot", _UUID, primary_key=True),
    sa.Column("provider", _UUID, nullable=False),
    sa.Column("reserve", sa.String(255), nullable=False),
    sa.Column("given_at", _SECONDS, nullable=False),
    sa.Column("evict_at", _SECONDS, nullable=False),
    sa.Column("ordered_at", _SECONDS, nullable=False),
    sa.Column("is_told", sa.Boolean(create_constraint=False), nullable=False),
)

STALLED_HOSTS: Final = _table(
    "stalled_hosts",
    sa.Column("provider", _UUID, primary_key=True),
    sa.Column("host", sa.String(255), nullable=False),
    sa.Column("since", sa.String(64), nullable=False),  # informative
    sa.Column("spots", sa.Text, nullable=False),  # JSON list of UUIDs
)

PROMISES: Final = _table(
    "promises",
    sa.Column("instance", _UUID, primary_key=True),
    sa.Column("made_at", _SECONDS, nullable=False),  # by the scheduler's clock
    sa.Column("lifetime_s", _SECONDS, nullable=False),
    sa.Column("target", _SECONDS, nullable=False),
    sa.Column("broken_at", _SECONDS, nullable=True),
    sa.Column("ran", sa.Boolean(create_constraint=False), nullable=True),
    sa.Column("changed_at", _SECONDS, nullable=False, index=True),
)


@dataclass(frozen=True)
class Upgrade:
    """The change from the previous version to this one.

    Attributes:
        apply: changes the tables of a connection. MySQL keeps changes made before an error, so it
            must be repeatable.
        oldest_service: the version that a service must know to use the tables afterwards.
    """

    apply: Callable[[Any], None]
    oldest_service: int


#: The first creates version 1, and so on. An upgrade that only adds columns with a default keeps
#: `oldest_service`, so that older services go on while machines are upgraded one by one.
UPGRADES: Final[list[Upgrade]] = [Upgrade(METADATA.create_all, 1)]


def version() -> int:
    """Return the version of this program."""
    return len(UPGRADES)


def stored_version(connection: Any) -> tuple[int, int]:
    """Return the version of the tables and of the oldest compatible service; 0, 0: no tables."""
    if not sa.inspect(connection).has_table(SCHEMA.name):
        return 0, 0
    row = connection.execute(sa.select(SCHEMA.c.version, SCHEMA.c.oldest_service)).first()
    return (0, 0) if row is None else (int(row[0]), int(row[1]))


def problem_of(stored: tuple[int, int]) -> str:
    """Return why this program cannot use tables of a version; empty if it can."""
    found, oldest = stored
    if found == 0:
        return "it has no tables of cospot; run cospot-nova db sync"
    if found < version():
        return (
            f"its tables have version {found}, expected {version()}; run cospot-nova db sync"
            " (it keeps what they hold)"
        )
    if oldest > version():
        return (
            f"its tables have version {found}, which needs a newer cospot than this one (it knows"
            f" version {version()}); upgrade cospot here"
        )
    return ""


def upgrade(connection: Any) -> list[int]:
    """Create the tables or upgrade them to this program's version; return the versions passed."""
    found, _ = stored_version(connection)
    passed = []
    for number in range(found + 1, version() + 1):
        step = UPGRADES[number - 1]
        step.apply(connection)
        values = {"version": number, "oldest_service": step.oldest_service}
        if number == 1:
            connection.execute(SCHEMA.delete())
            connection.execute(SCHEMA.insert().values(id=1, **values))
        else:
            connection.execute(SCHEMA.update().values(**values))
        passed.append(number)
    return passed
