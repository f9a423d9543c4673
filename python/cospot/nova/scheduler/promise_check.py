"""The check of a lifetime that a spot asks for: may it be promised?

Only spots that ask are looked at. Nothing that goes wrong here refuses one: it is then placed as if
it had asked for nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cospot.nova import log as logging
from cospot.nova.promises.asked_lifetime import (
    LifetimeError,
    asked_lifetime,
    is_hinted,
    lifetime_text,
)
from cospot.nova.promises.promise_message import Promise
from cospot.nova.promises.promise_table import SizeKey, SizePromises, slots_of
from cospot.nova.scheduler.instance_facts import Size
from cospot.nova.scheduler.promise_file import PromiseFile

if TYPE_CHECKING:
    from cospot.nova.scheduler.settings import Settings  # needs the compiled module

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Verdict:
    """The answer to a spot.

    Attributes:
        refused: whether it gets no host.
        promise: what it was promised; None when nothing was.
        answer: an outcome of the metric `promises_total`; empty where nothing was asked.
    """

    refused: bool = False
    promise: Promise | None = None
    answer: str = ""


NOT_ASKED = Verdict()
_UNAVAILABLE = Verdict(answer="unavailable")


@dataclass(frozen=True)
class Question:
    """A new spot that may ask for a lifetime.

    Attributes:
        spec: Nova's RequestSpec.
        instance: the spot's UUID.
        size: what it takes of a host.
        settings: the options.
        free_of_hosts: returns what is free beside all instances on each host that it may get.
        num_promised: returns how many spots of its project have a promise.
    """

    spec: Any
    instance: str | None
    size: Size
    settings: Settings
    free_of_hosts: Callable[[], Iterable[Size]]
    num_promised: Callable[[], int]


class PromiseCheck:
    """Not for threads: its owner has a lock."""

    def __init__(
        self, file: PromiseFile | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self._file = file or PromiseFile(now)
        self._now = now

    def judge(self, question: Question) -> Verdict:
        """Return what a new spot is told."""
        if question.settings.lifetime_target is None:
            return NOT_ASKED
        try:
            return self._judge(question)
        except Exception:
            LOG.exception(
                "cospot: no lifetime was promised to spot %s; it is placed", question.instance
            )
            return _UNAVAILABLE

    def _judge(self, question: Question) -> Verdict:
        spec, instance, size = question.spec, question.instance, question.size
        settings = question.settings
        try:
            asked = asked_lifetime(spec)
        except LifetimeError as error:
            LOG.warning("cospot: spot %s is refused: cospot:lifetime: %s", instance, error)
            return Verdict(refused=True, answer="malformed")
        # An instance that moves was promised what it was when it came.
        if asked is None or ("ignore_hosts" in spec and spec.ignore_hosts):
            return NOT_ASKED
        if denial := _denial(spec, settings, question.num_promised):
            LOG.info("cospot: spot %s is refused: cospot:lifetime: %s", instance, denial)
            return Verdict(refused=True, answer="denied")
        target = settings.lifetime_target or 0.0
        table = self._file.table(settings.lifetime_promises, settings.promises_max_age)
        if table is None:
            return _UNAVAILABLE
        number = table.target_index(target)
        if number is None:
            made = ", ".join(f"{each:g}" for each in table.targets)
            self._file.say(f"it has no promises for lifetime_target {target:g}, only for {made}")
            return _UNAVAILABLE
        sized = table.for_size((size.vcpus, size.memory_mb, size.disk_gb))
        slots = 0 if sized is None else free_slots(sized.size, question.free_of_hosts())
        may = None if sized is None else sized.promised(slots, number)
        if may is None or asked > may:
            _tell_refused(instance, size, asked, may, slots, sized, target)
            return Verdict(refused=True, answer="denied")
        if instance is None:
            return NOT_ASKED
        return Verdict(promise=Promise(instance, self._now(), asked, target), answer="given")


def _denial(spec: Any, settings: Settings, num_promised: Callable[[], int]) -> str:
    """Return why a project may be promised nothing, or nothing more; empty if it may."""
    may = settings.lifetime_hints
    is_named = may == "projects" and spec.project_id in settings.lifetime_projects
    if is_hinted(spec) and may != "all" and not is_named:
        return f"project {spec.project_id} may not ask by a hint (lifetime_hints = {may})"
    most = settings.lifetimes_per_project
    if most and num_promised() >= most:
        return f"project {spec.project_id} has {most} promised spots (lifetimes_per_project)"
    return ""


def free_slots(size: SizeKey, free_of_hosts: Iterable[Size]) -> int:
    """Return how many more spots of a size fit on hosts with so much free."""
    return sum(slots_of(size, (free.vcpus, free.memory_mb, free.disk_gb)) for free in free_of_hosts)


def _tell_refused(
    instance: str | None,
    size: Size,
    asked: float,
    may: float | None,
    slots: int,
    sized: SizePromises | None,
    target: float,
) -> None:
    if sized is None:
        why = f"no spot of {size.vcpus} vCPUs and {size.memory_mb} MiB is in the table"
    elif may is None:
        why = f"with {slots} free slots nothing can be promised"
    else:
        share = f"{100 * (1 - target):g} %"
        why = f"with {slots} free slots {share} live at least {lifetime_text(may)}"
    LOG.info("cospot: spot %s is refused: it asks for %s; %s", instance, lifetime_text(asked), why)
