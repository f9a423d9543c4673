"""The capacity kept free of spots, from the options `reserve` and `default_reserve`.

The scheduler keeps new spots out of it, and cospot-evictor gives notice to spots in it; both read
the options here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cospot.nova.spot_flavors import MEMORY_MB, VCPU

#: The largest amount of a resource, as in a `ResourceVector`.
MOST_AMOUNT: Final = 2**26
#: Label of the reserve of all hosts outside the named aggregates.
DEFAULT_LABEL = "default"


class ReserveError(ValueError):
    """An entry does not have the form described in the options' help."""


@dataclass(frozen=True)
class ReservedCapacity:
    """Free capacity for `count` VMs of `size` (by resource, without zeros).

    Attributes:
        label: the aggregate's name or UUID as configured; "default" for the other hosts.
        aggregate: the same; empty for the other hosts.
    """

    label: str
    aggregate: str
    size: Mapping[str, int]
    count: int


def read_reserved(entries: Sequence[str], default: str) -> list[ReservedCapacity]:
    """Read the options `reserve` and `default_reserve`.

    Raises:
        ReserveError: names the option and what was expected.
    """
    reserves = [_read_entry(entry) for entry in entries]
    labels = [reserve.label for reserve in reserves]
    for label in labels:
        if labels.count(label) > 1:
            raise ReserveError(f"reserve: aggregate {label} is named twice")
    if default:
        size, count = _read_amounts("default_reserve", default, default.split(":"))
        reserves.append(ReservedCapacity(DEFAULT_LABEL, "", size, count))
    return reserves


def _read_entry(entry: str) -> ReservedCapacity:
    aggregate, colon, amounts = entry.partition(":")
    if not colon or not aggregate.strip():
        raise ReserveError(f"reserve: {entry!r}, expected aggregate:vcpus:memory_mb[:count]")
    size, count = _read_amounts("reserve", entry, amounts.split(":"))
    return ReservedCapacity(aggregate.strip(), aggregate.strip(), size, count)


def _read_amounts(option: str, entry: str, parts: Sequence[str]) -> tuple[dict[str, int], int]:
    numbers = [int(part) for part in parts if part.strip().isdecimal()]
    if len(numbers) != len(parts) or len(numbers) not in {2, 3} or max(numbers[:2]) == 0:
        raise ReserveError(
            f"{option}: {entry!r}, expected vcpus:memory_mb or "
            "vcpus:memory_mb:count in whole numbers, not both sizes 0"
        )
    if max(numbers) > MOST_AMOUNT:
        raise ReserveError(f"{option}: {entry!r}, expected numbers up to {MOST_AMOUNT}")
    size = {VCPU: numbers[0], MEMORY_MB: numbers[1]}
    count = numbers[2] if len(numbers) == 3 else 1
    return {each: amount for each, amount in size.items() if amount}, count
