"""The decision for one instance of a request, and its way to the weigher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cospot.nova.plan_message import PlannedHost
from cospot.nova.promises.promise_message import Promise

_ATTRIBUTE = "_cospot_decision"


@dataclass(frozen=True)
class Decision:
    """Hosts in the order in which they are to be tried, and what would go on the first ones."""

    instance: str | None
    order: Sequence[Any]
    """Nova's HostState objects, the best first."""
    plans: tuple[PlannedHost, ...] = ()
    """For a VM: the evictions on the first hosts; empty when none of them needs any."""
    promise: Promise | None = None
    """For a spot that asked for a lifetime: what it is promised on any of these hosts."""
    refused: str = ""
    """For a spot without a host: why; a reason of the metric `spots_refused_total`."""
    answer: str = ""
    """For a spot that asked for a lifetime: an outcome of the metric `promises_total`."""


def keep_decision(spec: Any, decision: Decision | None) -> None:
    """Leave a decision with the request it was made for; None: there is none."""
    setattr(spec, _ATTRIBUTE, decision)


def decision_of(spec: Any) -> Decision | None:
    """Return the decision for the instance that a request is about now, if there is one."""
    decision: Decision | None = getattr(spec, _ATTRIBUTE, None)
    if decision is None or decision.instance != instance_of(spec):
        return None
    return decision


def instance_of(spec: Any) -> str | None:
    """Return the UUID of the instance that a request is about now."""
    return spec.instance_uuid if "instance_uuid" in spec else None
