"""The rules by which findings of a reproduction are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reproduction.page import Finding

#: A number holds when it is at most so much of the published one away from it.
TOLERANCE = 0.1


def is_near(value: float, published: float) -> bool:
    """Tell whether a number is within the tolerance of the published one."""
    return bool(abs(value - published) <= TOLERANCE * published)


def not_tested(source: str, what: str, paper: str, because: str, here: str = "") -> Finding:
    """Return a finding that nothing was run for."""
    return Finding(source, what, paper, here, "not tested", data="none", because=because)


def of_several(
    finding: Finding, texts: Mapping[str, str], holds: Mapping[str, bool], data: str
) -> Finding:
    """Return a finding about several sets of data; it holds where it does on each.

    Args:
        finding: Without what came out here; `because` says why it does not hold everywhere.
        texts: What came out on each.
        holds: Whether it holds there.
        data: What they all are, such as ``usage of``.
    """
    kept = [name for name in texts if holds[name]]
    between = "; " if any("," in text for text in texts.values()) else ", "
    reason = finding.because + (f"; it holds on {', '.join(kept)}" if kept else "")
    return replace(
        finding,
        here=between.join(f"{name} {text}" for name, text in texts.items()),
        holds=True if len(kept) == len(texts) else "partly" if kept else False,
        data=f"{data} {', '.join(texts)}",
        because=reason,
    )
