"""The kinds of claims that papers make, and the one function that judges them all.

Python's standard library is all it needs: evidence.py judges stored findings with it again.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeGuard

#: A number is near a published one when it is at most so much of that away from it.
TOLERANCE = 0.1

#: The kinds of claims. A published measurement is a `value`; where the paper praises it as small
#: or large, a better one is welcome (`value or less`, `value or more`). A bound that it states
#: is `at most` or `at least`. `direction` compares two numbers, or counts the comparisons that
#: show it; `ordering` compares each number with the next.
KINDS = (
    "value",
    "value or less",
    "value or more",
    "at most",
    "at least",
    "range",
    "direction",
    "ordering",
)
#: The part of several series, such as markets or logs, that must show it. A claim that something
#: exists asks for `some`; `nearly all` are nine tenths, `most` more than half.
SERIES = ("every", "nearly all", "most", "some")
#: Verdicts that no number gives; each needs a reason.
FLAGS = ("erratum of the paper", "definition", "data not public", "not tested")

#: The keys of a stored finding that `verdict` takes.
JUDGED = ("kind", "series", "target", "measured", "readings", "flag", "because")

Number = float | int | None
#: A number, or several: None stands for one that is without end or not there.
Target = Any
Measured = Any

_RELATIONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NO, _HOLDS, _BETTER = 0, 1, 2


class ClaimError(ValueError):
    """A kind, target and measurement that do not fit each other."""


def verdict(
    kind: str,
    series: str,
    target: Target,
    measured: Measured,
    readings: Mapping[str, Measured],
    flag: str,
    because: str,
) -> str:
    """Judge a measurement by the kind of the claim.

    Args:
        kind: One of `KINDS`.
        series: One of `SERIES`; counts where `measured` names several.
        target: As published: a number, a list of numbers (a range: its ends), or by name the
            target of each series. For `direction` and `ordering` ``<``, ``<=``, ``>`` or ``>=``;
            for `direction` also the number of comparisons.
        measured: A number or list of numbers, or one of both by the name of a series.
        readings: The same as measured on other readings of the paper, by what they are.
        flag: Empty, or one of `FLAGS`.
        because: Why it differs, or why it has the flag.

    Returns:
        ``holds``, ``better``, ``holds on another reading: ...``, ``differs: ...``, or the flag and
        its reason.

    Raises:
        ClaimError: The parts do not fit each other, or a definition does not hold.
    """
    if flag and flag not in FLAGS:
        raise ClaimError(f"the flag {flag!r}; expected one of {', '.join(FLAGS)}")
    if flag:
        if flag == "definition" and kind and not _degree(kind, series, target, measured)[0]:
            raise ClaimError("a definition that does not hold")
        return f"{flag}: {because}"
    degree, kept = _degree(kind, series, target, measured)
    if degree:
        return "better" if degree == _BETTER else "holds"
    for name, value in readings.items():
        if _degree(kind, series, target, value)[0]:
            return f"holds on another reading: {name}"
    told = f"{because}; it holds on {', '.join(kept)}" if kept else because
    return f"differs: {told}"


def _degree(
    kind: str, series: str, target: Target, measured: Measured
) -> tuple[int, Sequence[str]]:
    """Return how well a claim holds, and the series that show it."""
    if not isinstance(measured, Mapping):
        if isinstance(target, Mapping):
            raise ClaimError("targets by series, and a measurement without")
        return _of_one(kind, target, measured), ()
    if series not in SERIES:
        raise ClaimError(f"the series {series!r}; expected one of {', '.join(SERIES)}")
    if not measured or (isinstance(target, Mapping) and set(target) != set(measured)):
        raise ClaimError("series without a measurement, or without a target")
    degrees = {
        name: _of_one(kind, target[name] if isinstance(target, Mapping) else target, value)
        for name, value in measured.items()
    }
    kept = [name for name, degree in degrees.items() if degree]
    share = len(kept) / len(degrees)
    if series == "every":
        return min(degrees.values()), kept
    enough = {"nearly all": share >= 1 - TOLERANCE, "most": share > 0.5, "some": bool(kept)}
    return (_HOLDS if enough[series] else _NO), kept


def _of_one(kind: str, target: Target, measured: Measured) -> int:
    """Return how well one series shows a claim."""
    if kind not in KINDS:
        raise ClaimError(f"the kind {kind!r}; expected one of {', '.join(KINDS)}")
    if kind in ("direction", "ordering"):
        return _compared(kind, target, measured)
    if kind == "range":
        if not (isinstance(target, Sequence) and len(target) == 2):
            raise ClaimError(f"the range {target!r}; expected its two ends")
        values = measured if isinstance(measured, Sequence) else [measured]
        return min(int(_known(one) and target[0] <= one <= target[1]) for one in values)
    if isinstance(measured, Sequence) or isinstance(target, Sequence):
        targets = target if isinstance(target, Sequence) else [target] * len(measured)
        if not isinstance(measured, Sequence) or len(targets) != len(measured) or not measured:
            raise ClaimError(f"targets {target!r} and measured {measured!r}")
        return min(_of_number(kind, *both) for both in zip(targets, measured, strict=True))
    return _of_number(kind, target, measured)


def _compared(kind: str, target: Target, measured: Measured) -> int:
    if not isinstance(target, str):
        if kind == "ordering" or isinstance(measured, Sequence):
            raise ClaimError(f"comparisons {target!r} and measured {measured!r}")
        return int(_known(measured) and measured >= target)
    count = len(measured) if isinstance(measured, Sequence) else 1
    if target not in _RELATIONS or count < 2 or (kind == "direction" and count != 2):
        raise ClaimError(f"the {kind} {target!r} and measured {measured!r}")
    holds = _RELATIONS[target]
    return int(all(_known(a) and _known(b) and holds(a, b) for a, b in pairwise(measured)))


def _of_number(kind: str, target: Number, measured: Number) -> int:
    if isinstance(target, bool) or not isinstance(target, (int, float)):
        raise ClaimError(f"the target {target!r}; expected a number")
    if not _known(measured):
        return _NO
    if kind == "at most":
        return int(measured <= target)
    if kind == "at least":
        return int(measured >= target)
    if is_near(measured, target):
        return _HOLDS
    is_better = {"value or less": measured < target, "value or more": measured > target}
    return _BETTER if is_better.get(kind, False) else _NO


def _known(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and math.isfinite(value)


def is_near(value: float, published: float) -> bool:
    """Tell whether a number is within the tolerance of the published one."""
    # Rounded: 38.5 is a tenth from 35, whatever a computer makes of 0.385 - 0.35.
    return bool(round(abs(value - published) - TOLERANCE * abs(published), 12) <= 0)


def rounded(value: Any) -> Any:
    """Return numbers with six digits, the same on every machine; None for those without end."""
    if isinstance(value, Mapping):
        return {str(name): rounded(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one) for one in value]
    if value is None or isinstance(value, str):
        return value
    number = float(f"{float(value):.6g}")
    if not math.isfinite(number):
        return None
    return int(number) if number == int(number) else number
