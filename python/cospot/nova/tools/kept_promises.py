"""The number of promised lifetimes that were kept, from the evictor's records."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oslo_config import cfg

from cospot.errors import ConfigError
from cospot.nova.state.errors import EvictorError
from cospot.nova.tools import settings
from cospot.nova.tools.text_table import text_table

if TYPE_CHECKING:
    from cospot.nova.promises.journal import PromiseCounts
    from cospot.nova.promises.kept_share import BrokenShare
    from cospot.nova.promises.promise_message import Promise

_DAY_S: Final = 86400.0
#: Targets are fractions such as 0.05; some records have them as text.
_SAME: Final = 1e-6
_HEADER: Final = (
    "promised to live",
    "spots",
    "kept",
    "broken",
    "open",
    "broken, 95 % interval",
    "verdict",
)


@dataclass(frozen=True)
class PromisesKept:
    """The known promises.

    Attributes:
        shares: by target; empty without promises or without an evictor.
        groups: the group of each share: its target, or its class.
        problem: why nothing is known; empty if something is.
    """

    shares: Sequence[BrokenShare] = ()
    groups: Sequence[Any] = ()
    problem: str = ""

    @property
    def alarms(self) -> list[BrokenShare]:
        """Shares of promises broken significantly more often than allowed."""
        return [each for each in self.shares if each.alarm]


def read_kept(evictor_files: Sequence[str]) -> PromisesKept:
    """Read the records of the service on this machine.

    Args:
        evictor_files: its configuration; if empty, its default locations.
    """
    return _read(evictor_files, lambda promise: promise.target)


def read_kept_of_classes(
    evictor_files: Sequence[str], classes: Sequence[tuple[float, float]]
) -> PromisesKept:
    """Read the same by class of promises, ascending; classes without promises are omitted.

    A promise counts for the shortest class that is at least as long, among those with its target.

    Args:
        evictor_files: as above.
        classes: lifetimes in seconds and targets.
    """

    def class_of(promise: Promise) -> tuple[float, float] | None:
        fitting = [
            each
            for each in classes
            if abs(each[1] - promise.target) < _SAME and each[0] >= promise.lifetime_s - 1
        ]
        return min(fitting, default=None)

    return _read(evictor_files, class_of)


def _read(evictor_files: Sequence[str], group: Callable[[Promise], Any]) -> PromisesKept:
    from cospot.nova.promises.kept_share import broken_share
    from cospot.nova.state.opening import open_journal

    try:
        evictor = settings.read_evictor_settings(evictor_files).cospot_evictor
        journal = open_journal(evictor)
        journal.refresh()
        counts: dict[Any, PromiseCounts] = journal.counts_by(
            time.time(), evictor.promise_days * _DAY_S, group
        )
        groups = sorted(counts)
        return PromisesKept([broken_share(counts[one]) for one in groups], groups)
    except OSError as error:
        return PromisesKept(problem=f"{error.filename}: cannot be read: {error.strerror}")
    except EvictorError as error:  # from the database
        return PromisesKept(problem=str(error))
    except (ConfigError, cfg.Error):
        return PromisesKept()  # reported with the audit log
    except AttributeError as error:  # the compiled module does not load
        return PromisesKept(problem=str(error))


def promise_table(shares: Sequence[BrokenShare]) -> str:
    """Return the counts as a text table."""
    return text_table(_HEADER, [_row(each) for each in shares])


def promise_alarm(share: BrokenShare) -> str:
    """Return a one-line alarm about too many broken promises."""
    counts = share.counts
    return (
        f"ALARM: {counts.broken} of {counts.promised} promises are broken where"
        f" {100 * counts.target:g} % may be: make the table anew (cospot-nova promise), or promise"
        " less (docs/nova/selling.md#promises)"
    )


def _row(share: BrokenShare) -> Sequence[object]:
    return f"with {100 * (1 - share.counts.target):g} %", *share_cells(share)


def share_cells(share: BrokenShare) -> Sequence[object]:
    """Return the counts of a share, its interval, and a one-word verdict from the bounds."""
    counts = share.counts
    interval = f"{100 * share.lower:.2f}% to {100 * share.upper:.2f}%"
    verdict = "kept" if share.upper <= counts.target else "unclear"
    return (
        *(counts.promised, counts.kept, counts.broken, counts.open, interval),
        "BROKEN" if share.alarm else verdict,
    )
