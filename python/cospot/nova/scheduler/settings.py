"""The settings of nova.conf, as one value, and the compiled policies made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

import cospot
from cospot.errors import ConfigError
from cospot.nova import configuration_faults
from cospot.nova.evictor_policy import make_evictor_policy
from cospot.nova.reserved_capacity import ReservedCapacity, ReserveError, read_reserved
from cospot.nova.scheduler.lenient_type import WrongValue

NOVA_POLICY: Final = "nova"
_T = TypeVar("_T")
_REQUIRED: Final = ("VCPU", "MEMORY_MB")


@dataclass(frozen=True)
class Settings:
    """The group `[cospot]`; see options.py for what each one means."""

    enabled: bool
    dry_run: bool
    vm_policy: str
    vm_weighers: tuple[str, ...]
    spot_policy: str
    evictor: str
    otn: str
    saf: bool
    resources: tuple[str, ...]
    aggregates: tuple[str, ...]
    plan_hosts: int
    inventory_seconds: int
    inventory_wait: float
    claim_seconds: int
    spot_check_wait: float
    database_wait: float
    lifetime_target: float | None
    lifetime_hints: str
    lifetime_projects: tuple[str, ...]
    lifetimes_per_project: int
    lifetime_promises: str
    promises_max_age: int
    evictor_model: str
    reserve: tuple[str, ...]
    default_reserve: str

    @property
    def watches_disk(self) -> bool:
        """True if disk counts."""
        return "DISK_GB" in self.resources

    def policy_names(self) -> dict[str, str]:
        """Return what a plan says of how it was made."""
        return {
            "vm": self.vm_policy,
            "spot": self.spot_policy,
            "evictor": self.evictor,
            "otn": str(self.otn),
            "saf": str(self.saf).lower(),
        }


_FIELDS: Final = tuple(field.name for field in fields(Settings))


def read_settings(group: Any) -> Settings:
    """Read the options as they are now: they may change while the scheduler runs.

    Args:
        group: their values of one moment (`LiveOptions.now`), or `CONF.cospot` where nothing else
            runs.

    Raises:
        ConfigError: an option's value is not what its type takes.
        ValueError: the same, where the options were registered strictly.
    """
    values = {name: getattr(group, name) for name in _FIELDS}
    # oslo.config hands out lists, which may change under their reader.
    values = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    for name, value in (*values.items(), ("plan_queue", group.plan_queue)):
        if isinstance(value, WrongValue):
            raise ConfigError(f"[cospot] {name}: {value}")
    return Settings(**values)


@dataclass(frozen=True)
class Policies:
    """The policies made of some settings. A chain is None where Nova's weighers rank."""

    vm: cospot.Chain | None
    spot: cospot.Chain | None
    evictor: cospot.CompiledEvictor
    offer: str
    reserves: tuple[ReservedCapacity, ...] = ()


def make_policies(settings: Settings) -> Policies:
    """Make the policies.

    Raises:
        ConfigError: a policy is unknown (the text names the option and the valid names).
    """
    from cospot._core import _offer_label

    missing = [name for name in _REQUIRED if name not in settings.resources]
    if missing:
        raise ConfigError(
            f"[cospot] resources: found {', '.join(settings.resources) or 'nothing'}, expected"
            f" {', '.join(_REQUIRED)} and, if disks count, DISK_GB"
        )
    if NOVA_POLICY in (settings.vm_policy, settings.spot_policy):
        check_weighers("vm_weighers", settings.vm_weighers)
    return Policies(
        vm=_chain("vm_policy", settings.vm_policy),
        spot=_chain("spot_policy", settings.spot_policy),
        evictor=_made("evictor: ", make_evictor_policy, settings.evictor, settings.evictor_model),
        offer=_made("", _offer_label, settings.otn),
        reserves=tuple(_made("", read_reserved, settings.reserve, settings.default_reserve)),
    )


def _made(option: str, make: Callable[..., _T], *values: Any) -> _T:
    try:
        return make(*values)
    except (ConfigError, ReserveError) as error:
        raise ConfigError(f"[cospot] {option}{error}") from error


def check_weighers(option: str, names: Sequence[str]) -> None:
    """Find the weighers of an option.

    Raises:
        ConfigError: one cannot be had.
    """
    from cospot.nova.scheduler import operator_weighers

    try:
        operator_weighers.check(tuple(names))
    except Exception as error:  # whatever importing somebody's module raises
        text = f"{', '.join(names)}: {configuration_faults.plain(error)}"
        raise ConfigError(f"[cospot] {option}: {text}") from error


def _chain(option: str, name: str) -> cospot.Chain | None:
    if name == NOVA_POLICY:
        return None
    try:
        return cospot.Chain([name])
    except ConfigError as error:
        raise ConfigError(f"[cospot] {option}: {error}; also: {NOVA_POLICY}") from error
