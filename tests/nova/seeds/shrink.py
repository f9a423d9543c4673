"""Makes a failing scenario small, and tells it."""

from __future__ import annotations

import itertools

from seeds.scenario import Action, Scenario
from seeds.simulation import Outcome, simulate

#: Who says what belongs into the story.
_TOLD_BY = ("world", "Nova", "audit", "judge", "locks")
_LINES = 10
_SALTS = 6


def shrink(scenario: Scenario, kind: str, most: int = 400) -> Scenario:
    """Leave out actions as long as the same kind of violation is found.

    What is left out changes all delays that are drawn after it, so each try is made with several.

    Args:
        scenario: that fails.
        kind: of its violation.
        most: simulations.
    """
    best = scenario
    size = max(1, len(best.actions) // 2)
    while most > 0:
        start, found = 0, False
        while start < len(best.actions) and most > 0:
            fewer = best.actions[:start] + best.actions[start + size :]
            for salt in dict.fromkeys((best.salt, *range(_SALTS))):
                most -= 1
                smaller = best.only(fewer, salt)
                if simulate(smaller).kind == kind:
                    best, found = smaller, True
                    break
            else:
                start += size
        if size == 1 and not found:
            break
        size = max(1, size // 2)
    return best


def story(scenario: Scenario, outcome: Outcome) -> list[str]:
    """Tell a traced simulation in about ten lines."""
    told = []
    for line in outcome.lines:
        _, who, text = line[:9], line[11:24].strip(), line[24:]
        is_event = who in _TOLD_BY or who.startswith("host-") or not text.startswith("  log:")
        if is_event and "VIOLATION" not in text:
            told.append(line)
    subjects = _subjects(outcome.text)
    there = [line for line in told if " runs on " in line]
    about = [line for line in told if any(f"{each} " in f"{line} " for each in subjects)]
    happened = [line for line in told if line[11:24].strip() in ("world", "judge")]
    # What went wrong, what is about the spot or its host, then whatever else came last.
    chosen: list[str] = []
    for line in (*reversed(happened), *reversed(about), *reversed(told)):
        if line not in there and line not in chosen and len(chosen) < _LINES:
            chosen.append(line)
    first = [line for line in there if line in about] or there
    return [*first[:4], *(line for line in told if line in chosen)]


def _subjects(text: str) -> list[str]:
    words = text.replace(",", " ").replace(":", " ").replace("'", " ").split()
    named = [f"{one} {two}" for one, two in itertools.pairwise(words) if one in ("spot", "VM")]
    return named + [word for word in words if word.startswith("host-")]


def listed(actions: tuple[Action, ...]) -> str:
    return "; ".join(f"{action.at:g} s {action}" for action in actions) or "nothing"
