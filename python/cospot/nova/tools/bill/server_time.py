"""The times at which a spot server ran, by Nova's records: docs/nova/selling.md has the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from cospot.nova import spot_flavors
from cospot.nova.moment import seconds_of
from cospot.nova.tools.history.api_source import ended_at

#: Start and end, seconds since the epoch; None: it is still running.
Span: TypeAlias = tuple[float, float | None]

#: After these actions, Nova's launch time is no longer that of the first start.
_RELAUNCHING: Final = frozenset(
    {"resize", "migrate", "revertResize", "rebuild", "evacuate", "rescue", "unshelve"}
)
#: If these failed, Nova's records do not tell the server's state.
_DOUBTFUL: Final = frozenset({"resize", "shelve", "unshelve", "restore"})
#: Maximum time from a server's request to its start.
_LONGEST_BUILD_S: Final = 86400.0


@dataclass(frozen=True)
class Action:
    """An action on a server: its start, and when it was last recorded."""

    name: str
    began: float
    noted: float


@dataclass
class ServerTime:
    """A spot and its running times.

    Attributes:
        spans: In order.
        shelved: When it was shelved, for any reason.
        review: Why it needs a manual check; empty if it does not.
        ended: When it ended for good, for any reason; None: it exists.
    """

    uuid: str
    project: str
    flavor: str
    vcpus: int
    spans: list[Span] = field(default_factory=list)
    shelved: list[float] = field(default_factory=list)
    review: set[str] = field(default_factory=set)
    ended: float | None = None

    def seconds(self, since: float, until: float, number: int | None = None) -> float:
        """Return how long it ran in a period, over all spans or in one."""
        spans = self.spans if number is None else [self.spans[number]]
        return sum(
            max(0.0, min(until if end is None else end, until) - max(start, since))
            for start, end in spans
        )


def is_spot(row: Mapping[str, Any]) -> bool:
    """Tell whether a server as Nova shows it has a spot flavor."""
    return spot_flavors.is_spot_flavor(row["flavor"].get("extra_specs"))


def server_time(
    row: Mapping[str, Any],
    actions: Iterable[Mapping[str, Any]] | None,
    since: float,
    until: float,
) -> ServerTime:
    """Return when a server ran.

    Args:
        row: Nova's description.
        actions: Its actions in Nova; None: unknown.
        since: Start of the billed period, seconds since the epoch.
        until: Its end.
    """
    flavor = row["flavor"]
    found = ServerTime(row["id"], row["tenant_id"], flavor["original_name"], flavor["vcpus"])
    found.ended = ended_at(row)
    launched = row.get("OS-SRV-USG:launched_at")
    if launched is None:
        return found  # it never ran
    done, failed = _read(actions or ())
    if not any(action.name == "create" for action in [*done, *failed]):
        found.review.add("actions unknown")
        found.spans = [(seconds_of(launched), found.ended)]
        return found
    found.review |= set(_reasons(done, failed, since, until))
    start = seconds_of(launched)
    if any(action.name in _RELAUNCHING for action in [*done, *failed]):
        # Its launch time is of a later start.
        created = seconds_of(row["created"])
        first = [action.noted for action in done if action.name == "create"]
        start = min(first[0] if first else created, start)
        if not first and created > since - _LONGEST_BUILD_S:
            found.review.add("start unknown")
    _cut(found, start, done)
    return found


def _reasons(
    done: Iterable[Action], failed: Iterable[Action], since: float, until: float
) -> Iterator[str]:
    """Yield the reasons for a manual check of a server with these actions."""
    for action in done:
        # Nova shows only the current flavor: a later resize hides the previous one.
        if action.name == "resize" and action.began >= since:
            yield "resized"
        if action.name in ("evacuate", "restore") and since <= action.began < until:
            yield f"{action.name}d"
    if any(action.name in _DOUBTFUL and since <= action.began < until for action in failed):
        yield "failed action"


def _cut(found: ServerTime, start: float, done: Sequence[Action]) -> None:
    """Compute the spans between the first start and the end."""
    began: float | None = start
    for action in done:
        if action.name == "shelve":
            found.shelved.append(action.began)
        if action.name in ("shelve", "delete") and began is not None:
            if action.name == "delete" and found.ended is None and not _is_restored(action, done):
                found.review.add("deletion without end")
                continue
            found.spans.append((began, max(began, action.began)))
            began = None
        elif action.name == "unshelve" and began is None:
            began = action.noted
        elif action.name == "restore" and began is None:
            began = action.began
    if began is not None:
        found.spans.append((began, found.ended))


def _is_restored(deletion: Action, done: Sequence[Action]) -> bool:
    return any(each.name == "restore" and each.began >= deletion.began for each in done)


def _read(actions: Iterable[Mapping[str, Any]]) -> tuple[list[Action], list[Action]]:
    """Return successful and failed actions, each in order of time."""
    done: list[Action] = []
    failed: list[Action] = []
    for each in actions:
        began = seconds_of(each["start_time"])
        noted = each.get("updated_at")
        action = Action(each["action"], began, began if noted is None else seconds_of(noted))
        (failed if each.get("message") else done).append(action)
    return sorted(done, key=lambda each: each.began), failed
