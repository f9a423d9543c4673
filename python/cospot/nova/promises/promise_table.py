"""The table of lifetimes to promise: a JSON file made by `cospot-nova promise`.

| key | value |
|---|---|
| `format`, `version` | "cospot lifetime promises", 1 |
| `made_at` | when it was made, seconds since the epoch |
| `observed_until` | end of the history it is based on, seconds since the epoch |
| `history` | informative: file, observed days, VMs, spots and evictions in them, hosts |
| `settings` | informative: samples, seed, policies |
| `targets` | the probabilities of an eviction, ascending |
| `sizes[]` | `vcpus`, `memory_mb`, `disk_gb`, `flavors` (names), `samples` |
| `sizes[].promises[]` | for each target a list of steps |

A step is `[slots, seconds]`: with at least this many free slots, this lifetime. Seconds null: no
promise is possible; "never": longer than any observed spot lived.
"""

from __future__ import annotations

import itertools
import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cospot.nova.promises.asked_lifetime import lifetime_text

FORMAT: Final = "cospot lifetime promises"
VERSION: Final = 1
_NEVER: Final = "never"

#: vCPUs, MiB, GiB.
SizeKey = tuple[int, int, int]
#: The minimum number of slots, and seconds; infinity: longer than any observed spot lived.
Step = tuple[int, float | None]


class PromiseTableError(ValueError):
    """A file that is not a table of promises; says where and what was expected."""


@dataclass(frozen=True)
class SizePromises:
    """The promises for spots of one size.

    Attributes:
        size: vCPUs, MiB, GiB.
        steps: for each target, ascending in slots.
        flavors: names of the flavors of this size; informative.
        samples: number of fictitious spots behind the estimate.
    """

    size: SizeKey
    steps: Sequence[Sequence[Step]]
    flavors: Sequence[str] = ()
    samples: int = 0

    def promised(self, slots: int, target: int) -> float | None:
        """Return seconds; None: no promise is possible.

        Args:
            slots: number of further spots of this size that fit now.
            target: index of the target.
        """
        steps = self.steps[target]
        at = bisect_right([step[0] for step in steps], slots) - 1
        return steps[at][1] if slots > 0 and at >= 0 else None


@dataclass(frozen=True)
class PromiseTable:
    """The contents of the file; see the module's table."""

    made_at: float
    observed_until: float
    targets: Sequence[float]
    sizes: Sequence[SizePromises]
    history: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def target_index(self, target: float) -> int | None:
        """Return the index of a target in the table; None if it is missing."""
        near = [i for i, known in enumerate(self.targets) if math.isclose(known, target)]
        return near[0] if near else None

    @property
    def observed_text(self) -> str:
        """The length of the observed time as text."""
        return lifetime_text(86400 * self.history["days"])

    def for_size(self, size: SizeKey) -> SizePromises | None:
        """Return the promises for a size, or for the smallest size at least as large in everything.

        A larger spot has fewer slots and a shorter life, so its promise holds for a smaller one
        too.
        """
        fitting = [
            each
            for each in self.sizes
            if all(has >= wants for has, wants in zip(each.size, size, strict=True))
        ]
        return min(fitting, key=lambda each: each.size) if fitting else None


def named(size: SizeKey) -> dict[str, int]:
    """Return the amounts of a size by their names in JSON."""
    return dict(zip(("vcpus", "memory_mb", "disk_gb"), size, strict=True))


def slots_of(size: SizeKey, free: Sequence[int]) -> int:
    """Return how many spots of a size fit into a host's free capacity."""
    limits = [has // wants for has, wants in zip(free, size, strict=True) if wants > 0]
    return max(0, min(limits, default=0))


def table_to_text(table: PromiseTable) -> str:
    """Return the file's text."""
    return (
        json.dumps(
            {
                "format": FORMAT,
                "version": VERSION,
                "made_at": table.made_at,
                "observed_until": table.observed_until,
                "history": dict(table.history),
                "settings": dict(table.settings),
                "targets": list(table.targets),
                "sizes": [_size_to_json(each) for each in table.sizes],
            },
            indent=1,
        )
        + "\n"
    )


def table_from_text(text: str | bytes) -> PromiseTable:
    """Parse the file's text.

    Raises:
        PromiseTableError: it is not such a table.
    """
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PromiseTableError(f"it is no JSON: {error}") from error
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise PromiseTableError(f"expected the format {FORMAT!r}")
    if body.get("version") != VERSION:
        raise PromiseTableError(f"version: {body.get('version')!r:.40}, expected {VERSION}")
    try:
        targets = [_probability(each) for each in body["targets"]]
        return PromiseTable(
            made_at=_finite(body["made_at"]),
            observed_until=_finite(body["observed_until"]),
            targets=targets,
            sizes=[_size_from_json(each, len(targets)) for each in body["sizes"]],
            history=dict(body.get("history") or {}),
            settings=dict(body.get("settings") or {}),
        )
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise PromiseTableError(f"{type(error).__name__}: {error}") from error


def _size_to_json(each: SizePromises) -> dict[str, Any]:
    return {
        **named(each.size),
        "flavors": list(each.flavors),
        "samples": each.samples,
        "promises": [
            [[slots, _NEVER if seconds == math.inf else seconds] for slots, seconds in steps]
            for steps in each.steps
        ],
    }


def _size_from_json(row: Mapping[str, Any], targets: int) -> SizePromises:
    steps = [_steps(each) for each in row["promises"]]
    if len(steps) != targets:
        raise ValueError(f"{len(steps)} lists of promises, expected {targets}")
    return SizePromises(
        size=(_count(row["vcpus"]), _count(row["memory_mb"]), _count(row["disk_gb"])),
        steps=steps,
        flavors=tuple(map(str, row.get("flavors") or ())),
        samples=_count(row.get("samples") or 0),
    )


def _steps(rows: Iterable[Any]) -> list[Step]:
    steps = [(_count(slots), _seconds(seconds)) for slots, seconds in rows]
    if any(later[0] <= earlier[0] for earlier, later in itertools.pairwise(steps)):
        raise ValueError("the slots of promises do not ascend")
    return steps


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    return math.inf if value == _NEVER else _finite(value)


def _finite(value: Any) -> float:
    number = float(value) if isinstance(value, int | float) else math.nan
    if isinstance(value, bool) or not 0 <= number < math.inf:
        raise ValueError(f"{value!r:.40}, expected a number")
    return number


def _count(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return int(value)
    raise ValueError(f"{value!r:.40}, expected a whole number")


def _probability(value: Any) -> float:
    number = _finite(value)
    if not 0 < number < 1:
        raise ValueError(f"{value!r:.40}, expected a probability between 0 and 1")
    return number
