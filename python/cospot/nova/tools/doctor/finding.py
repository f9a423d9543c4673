"""The result of a check."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cospot.errors import CospotError
from cospot.nova.configuration_faults import plain


class Verdict(enum.Enum):
    """Severity, in rising order."""

    OK = "ok"
    UNKNOWN = "unknown"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """One result of a check.

    Attributes:
        verdict: Severity.
        found: What was found, in one line.
        fix: The remedy; empty if it is ok.
    """

    verdict: Verdict
    found: str
    fix: str = ""


def ok(found: str) -> Finding:
    """Return a finding without a problem."""
    return Finding(Verdict.OK, found)


def unknown(found: str, fix: str) -> Finding:
    """Return a finding that could not be checked here: neither good nor bad."""
    return Finding(Verdict.UNKNOWN, found, fix)


def warning(found: str, fix: str) -> Finding:
    """Return a finding with which spots work, but not as well as they could."""
    return Finding(Verdict.WARNING, found, fix)


def error(found: str, fix: str) -> Finding:
    """Return a finding with which spots, or a promise about them, do not work."""
    return Finding(Verdict.ERROR, found, fix)


def no_evictor(purpose: str) -> Finding:
    """Return the finding that the evictor's configuration is not on this machine."""
    return unknown(
        f"there is no configuration of cospot-evictor here: {purpose}",
        "run it where cospot-evictor runs, or name its file with --evictor-config-file",
    )


@dataclass(frozen=True)
class Check:
    """A question and its answer.

    Attributes:
        name: Its name in results.
        why: Why it matters.
        look: Yields findings. If it raises, an error is added as the last finding.
    """

    name: str
    why: str
    look: Callable[[], Iterable[Finding]]


@dataclass(frozen=True)
class Result:
    """A check with its answer; at least one finding."""

    check: Check
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of the findings."""
        order = list(Verdict)
        return max((finding.verdict for finding in self.findings), key=order.index)

    def as_json(self) -> dict[str, Any]:
        """Return the object printed with `--format json`."""
        return {
            "check": self.check.name,
            "verdict": self.verdict.value,
            "why": self.check.why,
            "findings": [
                {"verdict": one.verdict.value, "found": one.found, "fix": one.fix}
                for one in self.findings
            ],
        }


def run_checks(checks: Sequence[Check]) -> list[Result]:
    """Run every check; a failing one does not stop the others."""
    return [Result(check, tuple(_findings(check))) for check in checks]


def _findings(check: Check) -> Iterator[Finding]:
    from oslo_config import cfg

    count = 0
    try:
        for finding in check.look():
            count += 1
            yield finding
    except cfg.Error as found:
        # Nova reads options on demand, so a value of the wrong type is found only here.
        yield error(plain(found), "correct the value in the configuration")
    except CospotError as found:
        yield error(f"cannot be checked: {found}", "see what the message says")
    else:
        if count == 0:
            yield ok("nothing to find fault with")
