"""The host aggregates that spots are kept to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from cospot.nova import log as logging

LOG = logging.getLogger(__name__)


def in_aggregates(states: Sequence[Any], names: Collection[str]) -> list[Any]:
    """Return the hosts that are in any of some aggregates; logs when none is.

    Args:
        states: HostState objects.
        names: Of aggregates.
    """
    found = [
        state for state in states if any(aggregate.name in names for aggregate in state.aggregates)
    ]
    if not found:
        LOG.warning(
            "cospot: none of the %d hosts that a spot could have is in the aggregates %s",
            len(states),
            ", ".join(sorted(names)),
        )
    return found
