"""Checks of the database shared by copies of the evictor on several machines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from cospot.nova.tools.doctor.finding import Check, Finding, error, ok, warning
from cospot.nova.tools.state_database import open_state

NAME: Final = "state database"


def state_check(evictor_settings: Any) -> Check:
    """Return the check.

    Args:
        evictor_settings: The service's own configuration.
    """
    return Check(
        NAME,
        "With state_connection nothing is evicted while the database does not answer, or has other"
        " tables than the evictor knows.",
        lambda: _check(evictor_settings),
    )


def _check(settings: Any) -> Iterator[Finding]:
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
