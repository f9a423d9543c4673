"""The message that carries an eviction plan from the scheduler to the evictor service.

A plan is a recommendation. The scheduler ranks hosts before Nova claims one, and the claim may go
to another host or to none. So a plan names victims for every host it ranked first; the evictor acts
only on the host that placement shows as claimed, and only while it is overcommitted.

Format, version 1 (JSON object; every key is required):

| key | value |
|---|---|
| `version` | 1 |
| `plan_id` | UUID of this plan |
| `made_at` | time of the decision, seconds since the epoch, UTC |
| `instance` | UUID of the VM that needs the capacity |
| `project_id` | its project |
| `request_id` | Nova's id of the request (`req-...`), may be empty |
| `policy` | object of strings: `vm`, `spot`, `evictor`, `otn`, `saf` |
| `hosts` | list in the order of the decision, best first |
| `hosts[].host`, `hosts[].node` | names of the compute service and of its hypervisor |
| `hosts[].provider` | UUID of its root resource provider |
| `hosts[].victims` | UUIDs of the spots to evict, in the order of eviction; may be empty |
| `hosts[].score` | the evictor policy's score of this eviction (lower is better) |
"""

from __future__ import annotations

import math
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

VERSION: Final = 1
EVENT_TYPE: Final = "cospot.plan"
DEFAULT_TOPIC: Final = "cospot_plans"
#: A larger message is a mistake or an attack; the evictor rejects it.
MOST_HOSTS: Final = 64
MOST_VICTIMS: Final = 4096


class PlanMessageError(ValueError):
    """A message that is not a plan; names the key and what was expected."""


@dataclass(frozen=True)
class PlannedHost:
    """The spots to evict on one host if the VM is claimed there."""

    host: str
    node: str
    provider: str
    victims: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Plan:
    """An eviction plan for one VM; see the module's table."""

    plan_id: str
    made_at: float
    instance: str
    project_id: str
    request_id: str
    policy: Mapping[str, str]
    hosts: tuple[PlannedHost, ...]

    def for_provider(self, provider: str) -> PlannedHost | None:
        """Return the plan for a resource provider; None if it was not ranked."""
        return next((host for host in self.hosts if host.provider == provider), None)


def plan_to_message(plan: Plan) -> dict[str, Any]:
    """Return the plan as a message object."""
    hosts = [{**vars(host), "victims": list(host.victims)} for host in plan.hosts]
    return {"version": VERSION, **vars(plan), "policy": dict(plan.policy), "hosts": hosts}


def plan_from_message(message: object) -> Plan:
    """Parse a received object.

    Raises:
        PlanMessageError: it is not a plan of this version.
    """
    fields = _object(message, "plan")
    if fields.get("version") != VERSION:
        raise PlanMessageError(f"version: {fields.get('version')!r:.80}, expected {VERSION}")
    policy = _object(fields.get("policy"), "policy")
    hosts = _list(fields.get("hosts"), "hosts", MOST_HOSTS)
    return Plan(
        plan_id=_uuid(fields.get("plan_id"), "plan_id"),
        made_at=_number(fields.get("made_at"), "made_at"),
        instance=_uuid(fields.get("instance"), "instance"),
        project_id=_text(fields.get("project_id"), "project_id"),
        request_id=_text(fields.get("request_id"), "request_id"),
        policy={_text(key, "policy"): _text(policy[key], f"policy.{key:.40}") for key in policy},
        hosts=tuple(_planned_host(host, f"hosts[{i}]") for i, host in enumerate(hosts)),
    )


def _planned_host(value: object, where: str) -> PlannedHost:
    fields = _object(value, where)
    victims = _list(fields.get("victims"), f"{where}.victims", MOST_VICTIMS)
    return PlannedHost(
        host=_text(fields.get("host"), f"{where}.host"),
        node=_text(fields.get("node"), f"{where}.node"),
        provider=_uuid(fields.get("provider"), f"{where}.provider"),
        victims=tuple(_uuid(victim, f"{where}.victims[{i}]") for i, victim in enumerate(victims)),
        score=_number(fields.get("score"), f"{where}.score"),
    )


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise PlanMessageError(f"{where}: {value!r:.80}, expected an object")
    return value


def _list(value: object, where: str, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise PlanMessageError(f"{where}: {value!r:.80}, expected a list")
    if len(value) > most:
        raise PlanMessageError(f"{where}: {len(value)} entries, expected at most {most}")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise PlanMessageError(f"{where}: {value!r:.80}, expected text")
    return value


def _number(value: object, where: str) -> float:
    if isinstance(value, float | int) and not isinstance(value, bool):
        # A JSON integer may exceed the range of float.
        number = float(value) if abs(value) <= sys.float_info.max else math.inf
        if math.isfinite(number):
            return number
    raise PlanMessageError(f"{where}: {value!r:.80}, expected a finite number")


def _uuid(value: object, where: str) -> str:
    try:
        return str(uuid.UUID(_text(value, where)))
    except ValueError:
        raise PlanMessageError(f"{where}: {value!r:.80}, expected a UUID") from None
