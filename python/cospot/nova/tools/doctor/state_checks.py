"""Checks of the database shared by copies of the evictor on several machines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from cospot.errors import CospotError
from cospot.nova.tools.doctor.finding import Check, Finding, error, ok, unknown, warning
from cospot.nova.tools.state_database import open_state

NAME: Final = "state database"
#: The bit of wsrep_sync_wait with which a node answers a read when it has all that came before.
_WAITS_FOR_READS: Final = 1


def state_check(settings: Any, evictor_settings: Any) -> Check:
    """Return the check.

    Args:
        settings: Nova's configuration.
        evictor_settings: The service's own configuration.
    """
    return Check(
        NAME,
        "With state_connection nothing is evicted while the database does not answer, or has other"
        " tables than the evictor knows.",
        lambda: _check(settings, evictor_settings),
    )


def _check(nova: Any, settings: Any) -> Iterator[Finding]:
    from cospot.nova.evictor.options import GROUP

    group = settings[GROUP]
    if not group.state_connection:
        yield ok("off: the evictor's state is in files of its machine")
        return
    database = open_state(group)
    problem = database.problem()  # also checks whether it answers
    if problem:
        fix = "upgrade cospot here" if "newer cospot" in problem else "cospot-nova db sync"
        yield error(f"{database.shown}: {problem}", fix)
        return
    ahead = database.run(lambda done: done.now()) - time.time()
    yield ok(f"{database.shown} answers; its clock is {ahead:+.1f} s from this machine's")
    if "user" in settings.get_location("coordination_url", GROUP).location.name:
        yield warning(
            "coordination_url is set and not used: the locks are in the state database",
            "remove coordination_url from [cospot_evictor]",
        )
    yield from _late_reads(nova)


def _late_reads(nova: Any) -> Iterator[Finding]:
    """Find cells whose database may show another copy a spot as it was before its order."""
    from cospot.nova.tools.history.database_source import cell_databases

    if not (nova.api_database.connection or nova.database.connection):
        return
    by_nova = getattr(nova.database, "mysql_wsrep_sync_wait", None)  # of each of its connections
    try:
        cells = [(url, galera_wait(url)) for url in cell_databases(nova) if is_mysql(url)]
    except CospotError as found:
        yield unknown(
            f"whether Nova's database is a Galera cluster that shows changes late: {found}",
            "set wsrep_sync_wait = 1 for its servers if it is one",
        )
        return
    for url, wait in cells:
        if wait is not None and not (wait if by_nova is None else by_nova) & _WAITS_FOR_READS:
            yield warning(
                f"{url.rpartition('@')[2]}: Nova's database is a Galera cluster of which a node"
                f" may be behind (wsrep_sync_wait = {wait}): another copy may evict one more spot",
                "set wsrep_sync_wait = 1 for its servers, or mysql_wsrep_sync_wait = 1 in"
                " [database] of nova.conf, of nova-api above all, if its oslo.db knows that",
            )


def is_mysql(url: str) -> bool:
    """Tell whether a database is MySQL or MariaDB, by its URL."""
    return url.startswith(("mysql", "mariadb"))


def galera_wait(url: str) -> int | None:
    """Return wsrep_sync_wait of the servers of a database; None: they are no Galera cluster.

    Raises:
        CospotError: The database does not answer.
    """
    import sqlalchemy

    from cospot.nova.tools.history.database_source import connected

    with connected(url) as connection:
        rows = connection.execute(sqlalchemy.text("SHOW GLOBAL VARIABLES LIKE 'wsrep%'")).fetchall()
    values = {str(name).lower(): str(value) for name, value in rows}
    is_cluster = values.get("wsrep_on", "OFF").upper() in {"ON", "1"}
    return int(values.get("wsrep_sync_wait", 0)) if is_cluster else None
