"""How findings of a reproduction are judged."""

from __future__ import annotations

from reproduction.page import Finding

#: A number holds when it is at most so much of the published one away from it.
TOLERANCE = 0.1


def is_near(value: float, published: float) -> bool:
    """Tell whether a number is within the tolerance of the published one."""
    return bool(abs(value - published) <= TOLERANCE * published)


def not_tested(source: str, what: str, paper: str, because: str, here: str = "") -> Finding:
    """Return a finding that nothing was run for."""
    return Finding(source, what, paper, here, "not tested", data="none", because=because)
