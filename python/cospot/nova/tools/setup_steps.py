"""The steps of `cospot-nova setup`, in a safe order.

Tenants must not get spots before the scheduler handles them and the evictor evicts: spots would
land on hosts full of VMs, and stay. So opening the flavors is the last step, and is refused while
anything before it is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from cospot.errors import ConfigError, CospotError
from cospot.nova import spot_flavors
from cospot.nova.tools import setup_flavors
from cospot.nova.tools.cloud import Cloud
from cospot.nova.tools.doctor.finding import Check, Finding, Result, Verdict, run_checks
from cospot.nova.tools.service_user import ROLE, ServiceUser
from cospot.nova.tools.setup_flavors import FlavorPair
from cospot.nova.tools.state_database import open_state, said

#: Name of the last step.
OPENING: Final = "open to tenants"
#: Name of the step of the state database.
STATE: Final = "state database"
_RESTART: Final = "systemctl restart nova-scheduler nova-api"
_EVICTOR_FILE: Final = "/etc/cospot/cospot-evictor.conf"
#: The way in which Nova and placement learn of the role.
_LET_IN: Final = f"the policy files of nova-api and placement must let the role {ROLE} in"
_POLICIES: Final = (
    "cat examples/nova/nova-policy.yaml >> /etc/nova/policy.yaml",
    "cat examples/nova/placement-policy.yaml >> /etc/placement/policy.yaml",
    "cat examples/nova/cinder-policy.yaml >> /etc/cinder/policy.yaml  # if spots have volumes",
)
#: The doctor's checks of nova.conf that a setup must pass; the others are about quality.
_SCHEDULER_CHECKS: Final = ("compiled module", "filter", "weigher", "host_subset_size", "policies")
_EVICTOR_CHECKS: Final = (
    *("evictor options", "evictor listens", "evictor works", "evictor agrees"),
)
#: A remedy of the doctor that is an option: its section, the option with its value, a remark.
_OPTION: Final = re.compile(r"(\[\w+\]) (\w+ = \S+?)(?:[;,]? (.+))?")


@dataclass(frozen=True)
class Missing:
    """A missing item.

    Attributes:
        what: Its description, in one line.
        remedy: Lines for a file, or commands, one each, for the administrator.
        apply: Does this instead, and returns what was done; None: only the administrator can.
    """

    what: str
    remedy: tuple[str, ...] = ()
    apply: Callable[[], Iterable[str]] | None = None


@dataclass(frozen=True)
class Step:
    """A step with its missing items; none: it is done.

    Attributes:
        name: Of the step.
        missing: What is missing.
        file: The file for remedies that are options of a section.
    """

    name: str
    missing: list[Missing] = field(default_factory=list)
    file: str = ""


class Setup:
    """The state of a setup, and the means to complete it.

    Args:
        cloud: With administrator rights.
        nova: nova.conf, from `read_settings`.
        evictor: From `read_evictor_settings`.
        pairs: The flavors with their spot flavors.
        counts_disk: Whether any of them requests disk.
        checks: All checks of the doctor.
        role: The role of the evictor's user.
    """

    def __init__(
        self,
        cloud: Cloud,
        nova: Any,
        evictor: Any,
        pairs: Sequence[FlavorPair],
        checks: Sequence[Check],
        *,
        counts_disk: bool,
        role: str = ROLE,
    ) -> None:
        self._cloud = cloud
        self._role = role
        self._nova = nova
        self._evictor = evictor
        self._pairs = pairs
        self._counts_disk = counts_disk
        self._checks = checks

    def steps(self, *, opens: bool) -> list[Step]:
        """Return all steps with their missing items.

        Args:
            opens: Whether to open the flavors too.
        """
        wanted = {*_SCHEDULER_CHECKS, *_EVICTOR_CHECKS, "quota", "inventories"}
        chosen = [check for check in self._checks if check.name in wanted]
        results = {result.check.name: result for result in run_checks(chosen)}
        steps = [
            Step("inventories", list(_faults(results, ["inventories"]))),
            Step("scheduler", list(self._scheduler(results)), _file(self._nova, "nova.conf")),
            Step("evictor's user", list(self._user())),
            *self._state(),
            Step(
                "evictor",
                list(self._evictor_faults(results)),
                _file(self._evictor, _EVICTOR_FILE),
            ),
            Step("spot flavors", list(self._flavors())),
        ]
        if opens:
            steps.append(Step(OPENING, list(self._closed(steps))))
        return steps

    def _scheduler(self, results: Mapping[str, Result]) -> Iterator[Missing]:
        for one in _faults(results, [*_SCHEDULER_CHECKS, "quota"]):
            yield Missing(one.what, (*one.remedy, f"then: {_RESTART}"))
        if self._lacks_disk(self._nova.cospot):
            yield Missing(
                "the spot flavors have disks, but [cospot] resources lacks DISK_GB",
                ("[cospot]", f"resources = {_with_disk(self._nova.cospot)}", f"then: {_RESTART}"),
            )

    def _user(self) -> Iterator[Missing]:
        try:
            user = ServiceUser(self._evictor, self._role)
        except ConfigError as error:
            yield Missing(
                str(error),
                (
                    "install -D -m 0640 -g cospot-evictor examples/nova/cospot-evictor.conf"
                    f" {_EVICTOR_FILE}",
                    f"editor {_EVICTOR_FILE}",
                ),
            )
            return
        problem = user.problem()
        if not problem:
            return
        what = f"{user.name} cannot do its work: {problem}"
        if user.may_be_made:
            text = f"if it already exists: openstack user set --password-prompt {user.name}"
            yield Missing(what, (text,), lambda: user.make(self._cloud))
            if self._role == ROLE:
                yield Missing(_LET_IN, _POLICIES, partial(_let_in, user))
        else:
            yield Missing(what, ("see docs/nova/configuration.md#the-service-user",))

    def _state(self) -> Iterator[Step]:
        """Yield the step of the state database, if there is one."""
        group = self._evictor.cospot_evictor
        if not group.state_connection:
            return
        problem = fault = ""
        try:
            database = open_state(group)
            problem = database.problem()
        except CospotError as error:  # it does not answer: only the administrator can help
            fault = str(error)
        step = Step(STATE)
        if fault:
            step.missing.append(
                Missing(fault, ("see docs/nova/configuration.md#several-machines",))
            )
        elif problem:
            what = f"{database.shown}: {problem}"
            step.missing.append(Missing(what, apply=lambda: [said(database.upgrade())]))
        yield step

    def _evictor_faults(self, results: Mapping[str, Result]) -> Iterator[Missing]:
        group = self._evictor.cospot_evictor
        reload = "then: systemctl reload cospot-evictor"
        if self._lacks_disk(group):
            lines = ("[cospot_evictor]", f"resources = {_with_disk(group)}")
            yield Missing(
                "the spot flavors have disks, but [cospot_evictor] resources lacks DISK_GB",
                (*lines, "then: systemctl restart cospot-evictor"),
            )
        if group.dry_run or not group.enabled:
            yield Missing(
                "evictions are switched off: overcommitted hosts stay so",
                ("[cospot_evictor]", "enabled = true", "dry_run = false", reload),
            )
        # Both get DISK_GB by the lines above; taking it from one of them would agree as well.
        adds_disk = self._lacks_disk(self._nova.cospot) or self._lacks_disk(group)
        for one in _faults(results, _EVICTOR_CHECKS):
            if not (adds_disk and one.what.startswith("evictor agrees: resources ")):
                yield one

    def _lacks_disk(self, group: Any) -> bool:
        return self._counts_disk and spot_flavors.DISK_GB not in group.resources

    def _flavors(self) -> Iterator[Missing]:
        for pair in self._pairs:
            if pair.found is None:
                yield Missing(f"there is no {pair.wanted.name}", apply=partial(self._make, pair))

    def _make(self, pair: FlavorPair) -> list[str]:
        made = setup_flavors.make_for_nobody(self._cloud, pair)
        return [f"flavor {made.name} ({made.id}), private: for administrators to try it"]

    def _closed(self, before: Sequence[Step]) -> Iterator[Missing]:
        names = [step.name for step in before if step.missing]
        for pair in self._pairs:
            if pair.is_open:
                continue
            what = f"{pair.wanted.name} is not open to those who may use {pair.base.name}"
            if names:
                yield Missing(f"{what}; not before this is done: {', '.join(names)}")
            else:
                yield Missing(what, apply=partial(self._open, pair))

    def _open(self, pair: FlavorPair) -> list[str]:
        setup_flavors.open_to_users(self._cloud, pair)
        return [f"{pair.wanted.name}, open to those who may use {pair.base.name}"]


def _with_disk(group: Any) -> str:
    return ",".join([*group.resources, spot_flavors.DISK_GB])


def _let_in(user: ServiceUser) -> list[str]:
    """See that the user, which is there by now, can do its work.

    Raises:
        ConfigError: It cannot.
    """
    if problem := user.problem():
        raise ConfigError(problem)
    return []


def _faults(results: Mapping[str, Result], names: Iterable[str]) -> Iterator[Missing]:
    for name in names:
        for finding in results[name].findings:
            if finding.verdict is not Verdict.OK:
                yield Missing(f"{name}: {finding.found}", _lines(finding))


def _lines(finding: Finding) -> tuple[str, ...]:
    """Return the remedy of a finding; a section and its option as lines of a file."""
    found = _OPTION.fullmatch(finding.fix)
    if found is None:
        return (finding.fix,)
    section, option, remark = found.groups()
    return (section, option) if remark is None else (section, f"# {remark.strip('()')}", option)


def _file(settings: Any, default: str) -> str:
    """Return the file in which options are to be set: of several the last one wins."""
    files: list[str] = settings.config_file or [default]
    return files[-1]


def apply_missing(step: Step) -> tuple[list[str], list[Missing]]:
    """Do what can be done automatically for a step.

    Returns:
        What was done, and what is left for the administrator.
    """
    done: list[str] = []
    left: list[Missing] = []
    for one in step.missing:
        if one.apply is None:
            left.append(one)
            continue
        try:
            done += one.apply()
        except CospotError as error:
            left.append(Missing(f"{one.what}: {error}", one.remedy))
    return done, left
