"""`cospot-nova status --plan`: whether a cloud behaves as its plan predicts."""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cospot
from cospot.errors import ConfigError
from cospot.nova.tools import kept_promises
from cospot.nova.tools.bill.audit_history import read_log
from cospot.nova.tools.cloud import Cloud
from cospot.nova.tools.history import api_source, workload_file
from cospot.nova.tools.history.past_instance import SpotRule, kept
from cospot.nova.tools.plan import drift, evictions
from cospot.nova.tools.plan.drift import WEEK_DAYS, Compared
from cospot.nova.tools.plan.evictions import EvictionRates
from cospot.nova.tools.plan.plan_file import Plan, PromisedClass
from cospot.nova.tools.text_table import text_table

if TYPE_CHECKING:
    from cospot.nova.promises.kept_share import BrokenShare

#: Probability of a false alarm over all tests together.
ALPHA: Final = 0.05
_DAY_S: Final = 86400.0
_EVICTIONS: Final = "evictions"
_LABELS: Final = {**drift.MEASURES, _EVICTIONS: "evictions per spot-hour"}
TEST: Final = "two-sample Kolmogorov-Smirnov test, p by permutation of days"


@dataclass(frozen=True)
class Recent:
    """The recent demand of a cloud.

    Attributes:
        workload: the demand.
        until: end of its window, seconds since the epoch.
        name: its origin, as text.
    """

    workload: cospot.Workload
    until: float
    name: str


@dataclass(frozen=True)
class Judgement:
    """One measure of one week, compared with the plan's history.

    Attributes:
        week: start of the week, as a date.
        measure: its key in JSON.
        compared: the test's result.
    """

    week: str
    measure: str
    compared: Compared

    def verdict(self, level: float) -> str:
        """Return the verdict in words, given the level of p for an alarm."""
        if self.compared.p < level:
            return "DIFFERS"
        return "no difference seen" if self.compared.least_p < level else "too few days"


@dataclass(frozen=True)
class PlanStatus:
    """The status of a plan.

    Attributes:
        plan: the plan.
        classes: promised lifetimes with their outcomes, if any were given.
        judgements: tests, newest week first.
        level: p below which a test is an alarm: ALPHA divided by the number of tests (Bonferroni).
        notes: what was not checked, and why.
    """

    plan: Plan
    classes: Sequence[tuple[PromisedClass, BrokenShare]] = ()
    judgements: Sequence[Judgement] = ()
    level: float = ALPHA
    notes: Sequence[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The number of judgements that share ALPHA."""
        return len(self.classes) + len(self.judgements)

    @property
    def alarm(self) -> str:
        """One line on deviations from the plan; empty if there are none."""
        found = [*self._broken(), *self._drifted()]
        if not found:
            return ""
        return (
            f"ALARM: not as in {self.plan.path.name}: {'; '.join(found)}. Export a new"
            " history and plan again (docs/nova/selling.md#plan)"
        )

    def _broken(self) -> Iterator[str]:
        for one, share in self.classes:
            if share.alarm:
                yield (
                    f"{one.text}: {share.counts.broken} of {share.counts.promised} promises are"
                    f" broken, {100 * one.target:g} % may be (Clopper-Pearson: at least"
                    f" {100 * share.lower:.3g} % are)"
                )

    def _drifted(self) -> Iterator[str]:
        for one in self.judgements:
            if one.compared.p < self.level:
                yield (
                    f"{_LABELS[one.measure]} from {one.week} on: {one.compared.after:.3g}, in the"
                    f" plan {one.compared.before:.3g} ({TEST}: {one.compared.p:.2g} <"
                    f" {self.level:.2g})"
                )

    def as_text(self) -> str:
        """Return it as text."""
        parts = []
        if self.classes:
            header = ("promised", "may break", "spots", "kept", "broken", "open", "interval")
            rows = [_class_row(*each) for each in self.classes]
            parts.append(text_table((*header, "verdict"), rows))
        if self.judgements:
            header = ("week from", "measure", "plan's mean", "now", "distance", "p", "verdict")
            parts.append(text_table(header, [self._row(one) for one in self.judgements]))
        if self.count:
            parts.append(
                f"{TEST}\nalarm: p < {self.level:.2g}, which is {ALPHA:g} / {self.count}"
                f" judgements (Bonferroni); promises: {100 * (1 - self.level):.4g} %"
                " Clopper-Pearson intervals"
            )
        parts += [f"note: {note}" for note in self.notes]
        return "\n\n".join(parts)

    def _row(self, one: Judgement) -> Sequence[object]:
        return (
            one.week,
            _LABELS[one.measure],
            f"{one.compared.before:.4g}",
            f"{one.compared.after:.4g}",
            f"{one.compared.distance:.3f}",
            f"{one.compared.p:.4f}",
            one.verdict(self.level),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object printed with `--format json`."""
        return {
            "file": str(self.plan.path),
            "alarm": self.alarm or None,
            "level": self.level,
            "judgements": self.count,
            "test": TEST,
            "promises": [
                {"hours": one.hours, "probability": one.probability, **share.as_json()}
                for one, share in self.classes
            ],
            "drift": [
                {
                    "week": one.week,
                    "measure": one.measure,
                    **vars(one.compared),
                    "alarm": one.compared.p < self.level,
                }
                for one in self.judgements
            ],
            "notes": list(self.notes),
        }


def _class_row(one: PromisedClass, share: BrokenShare) -> Sequence[object]:
    return one.text, f"{100 * one.target:g}%", *kept_promises.share_cells(share)


def watch(
    plan: Plan, recent: Recent, evictor_files: Sequence[str], audit_log: str | None
) -> PlanStatus:
    """Compare a cloud with its plan.

    Args:
        plan: what was to be sold, and the history behind it.
        recent: the demand since.
        evictor_files: configuration of cospot-evictor; if empty, its default locations.
        audit_log: its log; None if unknown.

    Raises:
        ConfigError: the plan's history is missing, or the recent one is too short.
    """
    from cospot.nova.promises.kept_share import broken_share

    if plan.sells_nothing:
        return PlanStatus(plan, notes=["the plan sells nothing, so nothing was promised"])
    weeks = int(recent.workload.window_days // WEEK_DAYS)
    if weeks < 1:
        raise ConfigError(
            f"{recent.name}: its window has {recent.workload.window_days:.3g} days, expected"
            f" {WEEK_DAYS} or more: cospot-nova history export --window-days {WEEK_DAYS}"
        )
    notes: list[str] = []
    history = plan.workload()
    rates = _eviction_rates(plan, history, recent, audit_log, notes)
    judgements = list(_judgements(history, recent, rates))
    promised = _promises(plan, evictor_files, notes)
    count = len(judgements) + len(promised)
    level = ALPHA / count if count else ALPHA
    classes = [(one, broken_share(share.counts, 1 - level)) for one, share in promised]
    if not plan.is_synthetic:
        notes += _overlap(history, recent)
    return PlanStatus(plan, classes, judgements, level, notes)


def _promises(
    plan: Plan, evictor_files: Sequence[str], notes: list[str]
) -> list[tuple[PromisedClass, BrokenShare]]:
    classes = {(3600 * one.hours, one.target): one for one in plan.classes}
    found = kept_promises.read_kept_of_classes(evictor_files, list(classes))
    if found.problem:
        notes.append(f"promises: {found.problem}")
    elif plan.classes and not found.shares:
        notes.append("no promise of the plan was given yet, or not by the service on this machine")
    return [(classes[one], share) for one, share in zip(found.groups, found.shares, strict=True)]


def _judgements(
    history: cospot.Workload, recent: Recent, rates: tuple[EvictionRates, EvictionRates] | None
) -> Iterator[Judgement]:
    before, after = drift.demand(history), drift.demand(recent.workload)
    for week in range(after.days // WEEK_DAYS):
        start = recent.until - WEEK_DAYS * _DAY_S * (week + 1)
        name = datetime.fromtimestamp(start, timezone.utc).strftime("%Y-%m-%d")
        found = drift.compare_week(before, after.last(week))
        if rates is not None:
            found[_EVICTIONS] = drift.compare(rates[0].days, rates[1].last(week).days)
        for measure, compared in found.items():
            if compared is not None:
                yield Judgement(name, measure, compared)


def _eviction_rates(
    plan: Plan,
    history: cospot.Workload,
    recent: Recent,
    audit_log: str | None,
    notes: list[str],
) -> tuple[EvictionRates, EvictionRates] | None:
    """Return the rates of the plan and of the cloud; None, with a note, if unknown."""
    try:
        if audit_log is None:
            raise ConfigError("there is no audit log here")
        log = read_log(Path(audit_log))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", cospot.WorkloadWarning)
            planned = evictions.planned_rates(plan, history)
        notes += [f"evictions of the plan: {one.message}" for one in said]
    except OSError as error:
        notes.append(f"evictions are not compared: {audit_log}: {error.strerror or error}")
        return None
    except ConfigError as error:
        notes.append(f"evictions are not compared: {error}")
        return None
    found = evictions.observed_rates(recent.workload, recent.until, log.eviction_times, log.since)
    if found.rate is None:
        notes.append(
            "evictions are not compared: no spot ran on a whole day since the audit log begins"
        )
        return None
    return planned, found


def _overlap(history: cospot.Workload, recent: Recent) -> Iterator[str]:
    """Yield a note on recent VMs that the plan has already learned from."""
    known = set(history.to_columns()["instance_id"])
    columns = recent.workload.to_columns()
    counts = ~columns["is_spot"] & (columns["start_us"] >= 0)
    both = sum(one in known for one in columns["instance_id"][counts])
    if both:
        yield (
            f"{both} of {int(counts.sum())} recent VMs are in the plan's history too, so drift"
            " shows late: export fewer days (--window-days)"
        )


def recent_history(cloud: Cloud, path: str | None) -> Recent:
    """Return a file of `cospot-nova history export`, or the last week from Nova's API.

    Raises:
        ConfigError: the file is missing; there is no instance.
        WorkloadError: it is not a workload.
    """
    if path is not None:
        try:
            until = os.stat(path).st_mtime
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path}: {error}; make it: cospot-nova history export") from error
        return Recent(cospot.Workload.load(path), until, path)
    until = float(int(time.time()))
    start = until - WEEK_DAYS * _DAY_S
    instances = kept(api_source.read_instances(cloud, start), start, Counter())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "recent.csv"
        try:
            workload_file.write_workload(
                file, instances, start, SpotRule(), window_days=float(WEEK_DAYS)
            )
        except ConfigError as error:
            raise ConfigError(
                "no instance ran in the last week, so there is nothing to compare the plan with;"
                " name another time with --history"
            ) from error
        return Recent(cospot.Workload.load(file), until, "the last week, of Nova's API")
