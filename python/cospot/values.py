"""Equality and texts of values: of the compiled module's, and of those that hold frames."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from cospot.html_tables import TABLES, html_of

#: The classes of the compiled module that are equal if pickle makes them of equal parts.
_VALUES = (
    "Chain", "Choice", "CompareOutcome", "CompiledEvictor", "CompiledFilter", "CompiledWeigher",
    "DatacenterSize", "EvictionPlan", "Evidence", "HostSpec", "Offer", "PolicyInfo", "RunningSpot",
)  # fmt: skip
_OF_ROW = attrgetter(
    "index", "name", "total", "vm_used", "spot_used", "num_vms", "num_spots", "num_io_ops"
)


class ByContents:
    """A dataclass that is equal to another with equal fields, also if these are frames or arrays.

    It has no hash. Declare it with ``@dataclass(eq=False)``.
    """

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(_are_same(getattr(self, name), getattr(other, name)) for name in names)


def _are_same(one: Any, other: Any) -> bool:
    if hasattr(one, "equals"):  # a frame or a column of pandas
        return bool(one.equals(other))
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_are_same(one[key], other[key]) for key in one)
    return bool(one == other)


def complete(module: Any) -> None:
    """Give the classes of the compiled module equality, texts and tables for notebooks."""
    for name in _VALUES:
        _compare_by(getattr(module, name), _pickled, has_hash=True)
    counts = [name for name in properties(module.RunResult) if not name.endswith(("_ns", "_ms"))]
    _compare_by(module.RunResult, attrgetter(*counts), has_hash=True)
    # These may change, so that they have no hash.
    for name in ("History", "LifetimeQuantiles"):
        _compare_by(getattr(module, name), _pickled, has_hash=False)
    columns = set(properties(module.HostView)) - {"names", "generation"}
    for name in ("HostTable", "HostView"):
        _compare_by(getattr(module, name), partial(_of_hosts, sorted(columns)), has_hash=False)
    _compare_by(module.HostRow, _OF_ROW, has_hash=False)
    for name in _TEXTS:
        getattr(module, name).__repr__ = _repr
    for name in TABLES:
        getattr(module, name)._repr_html_ = _repr_html


def properties(owner: type) -> list[str]:
    """Return the names of the properties that a class defines, in order."""
    return [name for name, one in vars(owner).items() if isinstance(one, property)]


def _pickled(value: Any) -> Any:
    return value.__reduce__()


def _of_hosts(columns: list[str], hosts: Any) -> Any:
    return hosts.names, [getattr(hosts, column).tobytes() for column in columns]


def _compare_by(compared: Any, key: Callable[[Any], Any], *, has_hash: bool) -> None:
    def equal(self: Any, other: object) -> bool:
        """Return whether both are equal."""
        return bool(key(self) == key(other)) if isinstance(other, type(self)) else NotImplemented

    def hash_of(self: Any) -> int:
        """Return the hash of an equal value."""
        return hash(key(self))

    compared.__eq__, compared.__hash__ = equal, hash_of if has_hash else None


def _repr(self: Any) -> str:
    """Return the call that makes it, or what it is."""
    return _TEXTS[type(self).__name__](self)


def _repr_html(self: Any) -> str:
    """Return it as a table for notebooks."""
    return html_of(self)


def _call(value: Any) -> str:
    names = inspect.signature(type(value)).parameters
    arguments = ", ".join(f"{name}={getattr(value, name)!r}" for name in names)
    return f"{type(value).__name__}({arguments})"


def _make_call(policy: Any) -> str:
    kind = type(policy).__name__.removeprefix("Compiled").lower()
    options = "".join(f", {name}={value!r}" for name, value in policy.options.items())
    return f"make_{kind}({policy.name!r}{options})"


def _hosts_text(value: Any) -> str:
    hosts = getattr(value, "hosts", value)
    vms, spots = int(hosts.num_vms.sum()), int(hosts.num_spots.sum())
    counts = f"{len(hosts)} hosts, {vms} VMs, {spots} spots"
    return f"<{type(value).__name__}: {counts}{_time_text(value)}>"


def _time_text(value: Any) -> str:
    if not hasattr(value, "is_finished"):
        return ""
    if value.is_finished:
        return ", finished"
    day_us = 86_400_000_000
    return f", at day {value.now_us / day_us:g} of {value.window_us / day_us:g}"


def _probabilities_text(value: Any) -> str:
    listed = ", ".join(f"{probability:g}" for probability in value.probabilities)
    return f"<{type(value).__name__}: probabilities {listed or 'none'}>"


_TEXTS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("Choice", "CompareOutcome", "HostSpec", "Offer", "RunningSpot"), _call),
    **dict.fromkeys(("CompiledEvictor", "CompiledFilter", "CompiledWeigher"), _make_call),
    **dict.fromkeys(("Datacenter", "HostTable", "HostView", "Simulation"), _hosts_text),
    **dict.fromkeys(("Evidence", "LifetimeQuantiles"), _probabilities_text),
    "History": lambda history: f"<History: {len(history)} events>",
}
