"""A published result beside ours, and how it is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from reproduction import judging

#: The keys of a stored finding, in their order.
KEYS = (
    "source", "what", "claim", "published", "ours", "data", "kind", "series", "target", "measured",
    "readings", "flag", "because", "headline", "verdict",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """A line of a table of findings; its verdict follows from `kind` and the numbers.

    Attributes:
        source: Where the paper says it.
        what: What is compared.
        paper: What the paper printed; empty where it says nothing.
        here: What came out here.
        kind: Of the claim, one of `judging.KINDS`; empty for numbers that are only put side by
            side, and with a flag.
        target: As published; `judging.verdict` says in which form.
        measured: What came out here, in the form of `target`, or so by the name of a series.
        claim: What the paper's sentence says, in our own words: why it is of this kind.
        series: The part of the series that must show it, one of `judging.SERIES`.
        readings: What came out on other readings of the paper, by what they are.
        flag: One of `judging.FLAGS`, or empty.
        data: What it was measured on.
        because: Why it differs, or why it has the flag.
        headline: What it is called in the table of headlines; empty: not one of them.
    """

    source: str
    what: str
    paper: str
    here: str
    kind: str = ""
    target: Any = None
    measured: Any = None
    claim: str = ""
    series: str = "every"
    readings: Mapping[str, Any] = field(default_factory=dict)
    flag: str = ""
    data: str = ""
    because: str = ""
    headline: str = ""

    def __post_init__(self) -> None:
        """Round the numbers, so that what is judged is what is stored."""
        for name in ("target", "measured", "readings"):
            object.__setattr__(self, name, judging.rounded(getattr(self, name)))

    @cached_property
    def verdict(self) -> str | None:
        """The verdict of `judging.verdict`; None for numbers only put side by side."""
        if not self.kind and not self.flag:
            return None
        return judging.verdict(**{name: getattr(self, name) for name in judging.JUDGED})

    @property
    def differs(self) -> bool:
        """It was tested, and holds on no reading."""
        return (self.verdict or "").startswith("differs")


def not_tested(source: str, what: str, paper: str, because: str, claim: str = "") -> Finding:
    """Return a finding that nothing was run for; `because`: what it would take."""
    return _untested("not tested", source, what, paper, because, claim)


def not_public(source: str, what: str, paper: str, because: str, claim: str = "") -> Finding:
    """Return a finding about data that nobody can get; `because`: which."""
    return _untested("data not public", source, what, paper, because, claim)


def _untested(flag: str, source: str, what: str, paper: str, because: str, claim: str) -> Finding:
    return Finding(source, what, paper, "", claim=claim, flag=flag, data="none", because=because)


def of_series(
    source: str,
    what: str,
    paper: str,
    values: Mapping[str, Any],
    told: Callable[[Any], str],
    **more: Any,
) -> Finding:
    """Return a finding about several sets of data.

    Args:
        source: As of `Finding`, like all that is not below.
        what: ...
        paper: ...
        values: What was measured on each, by name.
        told: Return the text of one.
        more: Of `Finding`, by name.
    """
    texts = {name: told(value) for name, value in values.items()}
    between = "; " if any("," in text for text in texts.values()) else ", "
    here = between.join(f"{name} {text}" for name, text in texts.items())
    return Finding(source, what, paper, here, measured=values, **more)


def findings_json(findings: Iterable[Finding]) -> str:
    """Return findings as JSON: a list of objects, one on each line."""
    lines = [json.dumps(_stored(one), ensure_ascii=False) for one in findings]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _stored(one: Finding) -> dict[str, Any]:
    values = {"published": one.paper, "ours": one.here}
    stored = {key: values[key] if key in values else getattr(one, key) for key in KEYS}
    # A reason that is only there in case is left out.
    return stored if one.flag or one.differs else {**stored, "because": ""}
