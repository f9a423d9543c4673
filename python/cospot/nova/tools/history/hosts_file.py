"""Writes the hosts of this cloud as a file for `host:` of a sweep (docs/hosts-format.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cospot.nova.tools.history.workload_file import field_text, pseudonym
from cospot.whole_file import write_file

_COLUMNS: Final = "name,vcpus,memory_mb,disk_gb,zone,aggregates,metadata,status"
#: Nova's default for `[DEFAULT] default_availability_zone`.
DEFAULT_ZONE: Final = "nova"
#: Its values are project ids, which the workload may have as hashes.
TENANTS: Final = "filter_tenant_id"


@dataclass(frozen=True)
class HostPlace:
    """A host's zone and aggregates.

    Attributes:
        zone: Its availability zone; empty if unknown.
        aggregates: Names of the host aggregates it belongs to.
        metadata: Their combined metadata: a key's values, split at commas as in Nova.
    """

    zone: str = ""
    aggregates: tuple[str, ...] = ()
    metadata: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class PastHost:
    """A compute node. Amounts exclude reserved capacity and include the allocation ratios.

    Attributes:
        host: Name of its compute service, as used in aggregates.
        status: `up`, `down` (it does not answer) or `disabled`.
        provider: UUID of its resource provider in placement; empty: unknown.
    """

    name: str
    host: str
    vcpus: int
    memory_mb: int
    disk_gb: int
    status: str = "up"
    provider: str = ""


@dataclass(frozen=True)
class Aggregate:
    """A host aggregate of Nova."""

    name: str
    hosts: frozenset[str]
    metadata: Mapping[str, str]


def place_of(host: str, aggregates: Iterable[Aggregate], default_zone: str) -> HostPlace:
    """Return a host's place, as Nova's scheduler sees it."""
    names, metadata = [], dict[str, set[str]]()
    for aggregate in aggregates:
        if host not in aggregate.hosts:
            continue
        names.append(aggregate.name)
        for key, value in aggregate.metadata.items():
            metadata.setdefault(key, set()).update(part.strip() for part in value.split(","))
    zones = metadata.get("availability_zone", {default_zone})
    return HostPlace(
        zone=min(zones),
        aggregates=tuple(sorted(names)),
        metadata={key: frozenset(values) for key, values in metadata.items()},
    )


def hosts_text(
    hosts: Iterable[PastHost],
    places: Mapping[str, HostPlace],
    name_project: Callable[[str], str] = pseudonym,
) -> str:
    """Return the file's text; deterministic.

    Args:
        hosts: In any order.
        places: By the name of the compute service; other hosts have no known place.
        name_project: As for the workload: the name of a project in hosts reserved for it.
    """
    lines = [_COLUMNS]
    for host in sorted(hosts, key=lambda one: one.name):
        place = places.get(host.host, HostPlace())
        fields = [
            field_text(host.name),
            str(host.vcpus),
            str(host.memory_mb),
            str(host.disk_gb),
            field_text(place.zone),
            ";".join(map(field_text, place.aggregates)),
            _metadata_text(place.metadata, name_project),
            host.status,
        ]
        lines.append(",".join(fields))
    return "\n".join([*lines, ""])


def write_hosts(
    path: Path,
    hosts: Iterable[PastHost],
    places: Mapping[str, HostPlace],
    name_project: Callable[[str], str] = pseudonym,
) -> None:
    """Write the file; raise ConfigError if that fails."""
    write_file(path, hosts_text(hosts, places, name_project).encode())


def _metadata_text(
    metadata: Mapping[str, frozenset[str]], name_project: Callable[[str], str]
) -> str:
    pairs = [
        (key, name_project(value) if key == TENANTS else value)
        for key, values in metadata.items()
        for value in values
    ]
    return ";".join(f"{field_text(key)}={field_text(value)}" for key, value in sorted(pairs))
