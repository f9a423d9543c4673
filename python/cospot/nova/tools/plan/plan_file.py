"""Reads the study file written by `cospot plan -o`: the setting, and lifetimes to promise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cospot
from cospot.errors import ConfigError, InputError

_STUDIES: Final = ("compare", "levels")
_PROMISE: Final = re.compile(r"# promise: hours=(\S+) probability=(\S+)\s*")
#: Maximum size of a plan.
_MOST_BYTES: Final = 1 << 20
_MOST_HOSTS: Final = 10_000_000
_MOST_HOURS: Final = 876_000
#: Keys of a plan in addition to its setting: about the run that judged it, and what it sold.
_KNOWN: Final = frozenset(
    {"study", "workloads", "host", "hosts", "added_type", "headroom_percent", "vm", "spot"}
    | {"evictor", "saf", "otn", "economy", "economy_percent", "promise", "forecaster"}
    | {"economy_price", "opportunistic_price", "period_hours", "training_days", "horizon_days"}
    | {"seed", "prices"}
)


@dataclass(frozen=True, order=True)
class PromisedClass:
    """A lifetime promised with a probability."""

    hours: float
    probability: float

    @property
    def target(self) -> float:
        """The share of promises that may be broken, without the rounding error of 1 - 0.9."""
        return round(1 - self.probability, 9)

    @property
    def text(self) -> str:
        """As text: "6 h with 95 %"."""
        return f"{self.hours:g} h with {100 * self.probability:g} %"


@dataclass(frozen=True)
class Plan:
    """A setting to sell with; see docs/nova/selling.md#plan.

    Attributes:
        path: of the file.
        decision: the plan's own description, by sentence.
        classes: promised lifetimes to sell.
        entries: the study; empty if nothing is to be sold.
    """

    path: Path
    decision: Sequence[str] = ()
    classes: Sequence[PromisedClass] = ()
    entries: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sells_nothing(self) -> bool:
        """True if there is no setting at all."""
        return not self.entries

    @property
    def sells_economy(self) -> bool:
        """True if a share of the idle capacity is sold as Economy instances."""
        return bool(self.entries["study"] == "levels")

    def one(self, key: str) -> Any:
        """Return the value of a key, or the single item of a list.

        Raises:
            ConfigError: it is missing, or has several values as in a sweep.
        """
        if key not in self.entries:
            raise ConfigError(
                f"{self.path}: {key} is missing; expected what `cospot plan -o` wrote"
            )
        value = self.entries[key]
        if not isinstance(value, list):
            return value
        if len(value) != 1:
            raise ConfigError(
                f"{self.path}: {key}: found {len(value)} values, expected one: a plan is one"
                " setting"
            )
        return value[0]

    @property
    def is_synthetic(self) -> bool:
        """True if its history is synthetic, with meaningless instance ids."""
        return isinstance(self.one("workloads"), dict) and "synthetic" in self.one("workloads")

    @property
    def others(self) -> list[str]:
        """Keys of further parts of the plan's runs, such as disruptions."""
        return sorted(str(key) for key in self.entries if key not in _KNOWN)

    def workload(self) -> cospot.Workload:
        """Return the history behind the plan.

        Raises:
            ConfigError: it is missing or unusable.
        """
        entry = self.one("workloads")
        if isinstance(entry, str):
            entry = {"path": entry}
        if not isinstance(entry, dict):
            raise ConfigError(f"{self.path}: workloads: found {entry!r:.60}, expected a path")
        days = entry.get("window_days")
        try:
            if "synthetic" not in entry:
                return cospot.Workload.load(self.path.parent / entry["path"], window_days=days)
            names = ("seed", "scale", "sampling")
            given = {name: entry[name] for name in names if name in entry}
            return cospot.Workload.generate(entry["synthetic"], window_days=days, **given)
        except (KeyError, TypeError) as error:
            raise ConfigError(f"{self.path}: workloads: {entry!r:.60}: {error}") from error

    @property
    def host(self) -> Any:
        """The hosts as `cospot.simulate` takes them."""
        host = self.entries.get("host")
        return self.path.parent / host if isinstance(host, str) else host

    def hosts(self) -> list[tuple[int, int, int]]:
        """Return vCPUs, MiB and GiB of each host in the plan.

        Empty if this requires a simulation: with several types, the plan states only the total
        number.

        Raises:
            ConfigError: a file of hosts cannot be read, or an amount is not a number.
        """
        from cospot._core import _host_totals

        count, host = self.count_of_hosts(), self.entries.get("host")
        if not isinstance(host, str | dict):
            return []
        try:
            found = _host_totals(self.host, count)
        except (InputError, TypeError) as error:
            raise ConfigError(f"{self.path}: {error}") from error
        return found if len(found) == count else []

    def count_of_hosts(self) -> int:
        """Return the number of hosts in the plan.

        Raises:
            ConfigError: it is not stated.
        """
        count = self.one("hosts")
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= _MOST_HOSTS:
            raise ConfigError(f"{self.path}: hosts: found {count!r:.60}, expected a number from 1")
        return int(count)


def read_plan(path: str) -> Plan:
    """Read a plan.

    Raises:
        ConfigError: it cannot be read, or is not a plan.
    """
    import yaml

    try:
        with Path(path).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}; make it: cospot plan -o") from error
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"{path}: is larger than {_MOST_BYTES} bytes, and no plan")
    try:
        text = data.decode("utf-8-sig")
        entries = yaml.safe_load(text)
    except (UnicodeDecodeError, yaml.YAMLError, ValueError, RecursionError) as error:
        said = " ".join(str(error).split())
        raise ConfigError(f"{path}: is no YAML: {said:.200}") from error
    lines = text.splitlines()
    decision = [line[1:].strip() for line in lines if line.startswith("#   ")]
    if entries is None:
        if not decision:
            raise ConfigError(f"{path}: is empty; expected what `cospot plan -o` wrote")
        return Plan(Path(path), decision)
    if not isinstance(entries, dict):
        raise ConfigError(f"{path}: found no keys; expected what `cospot plan -o` wrote")
    if entries.get("study") not in _STUDIES:
        raise ConfigError(
            f"{path}: study: found {entries.get('study')!r:.40}, expected {' or '.join(_STUDIES)}:"
            " what `cospot plan -o` wrote"
        )
    plan = Plan(Path(path), decision, _classes(path, lines), entries)
    plan.count_of_hosts()
    return plan


def _classes(path: str, lines: Sequence[str]) -> list[PromisedClass]:
    found = set()
    for number, line in enumerate(lines, 1):
        if not line.startswith("# promise:"):
            continue
        match = _PROMISE.fullmatch(line)
        try:
            if match is None:
                raise ValueError(line)
            hours, probability = map(float, match.groups())
        except ValueError:
            hours = probability = -1.0
        if not (0 < hours <= _MOST_HOURS and 0 < probability < 1):
            raise ConfigError(
                f"{path}:{number}: found {line!r:.80}, expected # promise: hours=6 probability=0.95"
            )
        found.add(PromisedClass(hours, probability))
    return sorted(found)
