"""`cospot-nova status`: how full the hosts are with VMs and spots, and what was evicted."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cospot.errors import ConfigError
from cospot.nova.tools import argument_types, credentials, settings
from cospot.nova.tools.audit_log import Eviction, last_evictions
from cospot.nova.tools.cloud import Cloud, Provider
from cospot.nova.tools.host_use import HostUse, host_use, total_use
from cospot.nova.tools.text_table import text_table

#: More than the part of the log that is read can hold.
_MOST_EVICTIONS: Final = 1_000_000

_USE_HEADER = (
    *("vms", "spots"),
    *("vcpus", "of vms", "of spots", "over"),
    *("memory_mb", "of vms", "of spots", "over"),
)
_EVICTION_HEADER = ("evicted at", "spot", "name", "host", "cause", "for", "state", "seconds")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `status`."""
    parser = commands.add_parser(
        "status", help="show how full the hosts are with VMs and spots, and the last evictions"
    )
    parser.add_argument("--aggregate", metavar="NAME", help="only the hosts of this aggregate")
    parser.add_argument("--format", choices=["table", "json"], default="table")
    parser.add_argument(
        "--evictions",
        type=argument_types.whole_number(0, _MOST_EVICTIONS),
        default=10,
        metavar="N",
        help="show so many (default: 10)",
    )
    parser.add_argument(
        "--audit-log", metavar="PATH", help="of the evictor (default: as its configuration says)"
    )
    settings.add_evictor_argument(parser)
    credentials.add_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    cloud = credentials.connect(arguments)
    aggregates = cloud.aggregates()
    if arguments.aggregate is not None:
        if arguments.aggregate not in aggregates:
            names = ", ".join(aggregates) or "there is none"
            raise ConfigError(f"aggregate '{arguments.aggregate}': expected one of: {names}")
        aggregates = {arguments.aggregate: aggregates[arguments.aggregate]}
    hosts = _hosts(cloud, aggregates if arguments.aggregate is not None else None)
    groups = _groups(hosts, aggregates)
    evictions = last_evictions(_audit_log(arguments), arguments.evictions)
    if arguments.format == "json":
        print(
            json.dumps(
                {
                    "hosts": [host.as_json() for host in hosts],
                    "aggregates": [group.as_json() for group in groups],
                    "total": total_use("total", hosts).as_json(),
                    "evictions": [vars(eviction) for eviction in evictions],
                },
                indent=2,
            )
        )
    else:
        print(_tables(hosts, groups, evictions))
    return 0


def _hosts(cloud: Cloud, aggregates: dict[str, list[str]] | None) -> list[HostUse]:
    """Return the use of every host, or of those in some aggregates."""
    wanted = None if aggregates is None else {host for one in aggregates.values() for host in one}
    hypervisors = [one for one in cloud.hypervisors() if wanted is None or one.host in wanted]
    providers = cloud.providers(hypervisors)
    found = []
    for hypervisor in hypervisors:
        provider = providers[hypervisor.provider]
        if isinstance(provider, Provider):
            found.append(host_use(hypervisor.host, provider))
        else:
            print(f"{hypervisor.host}: left out: {provider}", file=sys.stderr)
    return found


def _groups(hosts: list[HostUse], aggregates: dict[str, list[str]]) -> list[HostUse]:
    """Return a sum for each aggregate, and one for hosts in none. A host may be in several."""
    groups = [
        total_use(name, (host for host in hosts if host.name in members))
        for name, members in aggregates.items()
    ]
    members = {host for one in aggregates.values() for host in one}
    others = [host for host in hosts if host.name not in members]
    if others and aggregates:
        groups.append(total_use("(none)", others))
    return groups


def _audit_log(arguments: argparse.Namespace) -> Path:
    if arguments.audit_log is not None:
        path = Path(arguments.audit_log)
        try:
            path.stat()
        except FileNotFoundError:
            raise ConfigError(f"--audit-log {path}: there is no such file") from None
        except OSError as error:
            raise ConfigError(f"--audit-log {path}: {error.strerror}") from error
        return path
    return Path(
        settings.read_evictor_settings(arguments.evictor_config_file).cospot_evictor.audit_log
    )


def _tables(hosts: list[HostUse], groups: list[HostUse], evictions: list[Eviction]) -> str:
    rows = [_use_row(host) for host in [*hosts, total_use("total", hosts)]]
    parts = [text_table(("host", *_USE_HEADER), rows)]
    if groups:
        parts.append(text_table(("aggregate", *_USE_HEADER), list(map(_use_row, groups))))
    if evictions:
        parts.append(text_table(_EVICTION_HEADER, [_eviction_row(one) for one in evictions]))
    else:
        parts.append("no evictions in the audit log")
    return "\n\n".join(parts)


def _use_row(use: HostUse) -> Sequence[object]:
    row: list[object] = [use.name, use.vms, use.spots]
    for word in ("vcpus", "memory_mb"):
        amounts = use.amounts[word]
        row += [amounts.capacity, amounts.vms, amounts.spots, amounts.overcommit]
    return row


def _eviction_row(eviction: Eviction) -> Sequence[object]:
    seconds = "" if eviction.seconds is None else f"{eviction.seconds:.1f}"
    return (
        eviction.time,
        eviction.instance,
        eviction.name,
        eviction.host,
        eviction.cause,
        eviction.for_instance,
        eviction.state,
        seconds,
    )
