"""`cospot-nova status`: hosts' usage by VMs and spots, and recent evictions."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from oslo_config import cfg

from cospot.errors import ConfigError
from cospot.nova.tools import argument_types, credentials, settings
from cospot.nova.tools.audit_log import LastEviction, last_evictions
from cospot.nova.tools.cloud import Cloud, Provider
from cospot.nova.tools.host_use import HostUse, host_use, total_use
from cospot.nova.tools.kept_promises import PromisesKept, promise_alarm, promise_table, read_kept
from cospot.nova.tools.plan.plan_file import read_plan
from cospot.nova.tools.text_table import text_table

if TYPE_CHECKING:
    from cospot.nova.state.stores import StalledHostRecord

#: Exceeds what the read part of the log can hold.
_MOST_EVICTIONS: Final = 1_000_000

_EVICTION_HEADER = ("evicted at", "spot", "name", "host", "cause", "for", "state", "seconds")


@dataclass(frozen=True)
class _AuditLog:
    """The contents of the audit log.

    Attributes:
        evictions: The last ones, newest first.
        path: Of the log; None if the configuration that names it cannot be read.
        problem: Why it was not read; empty if it was.
        is_absent: Whether it is just not on this machine, which is not an error.
    """

    evictions: list[LastEviction]
    path: str | None
    problem: str = ""
    is_absent: bool = False


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `status`."""
    parser = commands.add_parser(
        "status",
        help="show how full the hosts are with VMs and spots, and the last evictions",
        epilog="Exit codes: 0 the hosts were shown, also without the evictions where the audit log"
        " is on another machine or not for this user to read; 1 with --plan: something is"
        " significantly not as planned; 2 bad usage or failure, also when the"
        " file named by --audit-log or --evictor-config-file cannot be read.",
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
    parser.add_argument(
        "--plan",
        metavar="PLAN",
        help="compare promises, evictions and demand with this study file of cospot plan -o",
    )
    parser.add_argument(
        "--history",
        metavar="PATH",
        help="with --plan: recent weeks, from cospot-nova history export (default: the last week,"
        " of Nova's API)",
    )
    settings.add_evictor_argument(parser)
    credentials.add_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.history is not None and arguments.plan is None:
        raise ConfigError("status: --history: expected --plan PLAN too")
    plan = None if arguments.plan is None else read_plan(arguments.plan)
    cloud = credentials.connect(arguments)
    chosen = None if arguments.aggregate is None else cloud.hosts_of([arguments.aggregate])
    aggregates = cloud.aggregates() if chosen is None else chosen
    hosts = _hosts(cloud, chosen)
    unconfirmed = list(_unconfirmed(cloud, hosts))
    groups = _groups(hosts, aggregates)
    log = _read_log(arguments)
    stalled = _read_stalled(arguments)
    kept = read_kept(arguments.evictor_config_file)
    watched = None
    if plan is not None:
        from cospot.nova.tools.plan.watch import recent_history, watch

        recent = recent_history(cloud, arguments.history)
        path = None if log.problem else log.path
        watched = watch(plan, recent, arguments.evictor_config_file, path)
    if arguments.format == "json":
        print(
            json.dumps(
                {
                    "hosts": [host.as_json() for host in hosts],
                    "aggregates": [group.as_json() for group in groups],
                    "total": total_use("total", hosts).as_json(),
                    "stalled_hosts": [vars(note) for note in stalled],
                    "unconfirmed_resizes": unconfirmed,
                    "evictions": [vars(eviction) for eviction in log.evictions],
                    "promises": [each.as_json() for each in kept.shares],
                    "audit_log": {"path": log.path, "problem": log.problem or None},
                    **({} if watched is None else {"plan": watched.as_json()}),
                },
                indent=2,
            )
        )
    else:
        alarms = [*map(_alarm, stalled), *map(promise_alarm, kept.alarms)]
        alarms += [
            f"ALARM: host {each['host']} is overcommitted and holds {each['holds']} for server"
            f" {each['server']} (project {each['project_id']}), whose resize is not confirmed."
            for each in unconfirmed
        ]
        parts = [_tables(hosts, groups, log, kept)]
        if watched is not None:
            alarms += [watched.alarm] * bool(watched.alarm)
            parts.append(watched.as_text())
        print("".join(f"{each}\n" for each in alarms) + "\n\n".join(parts))
    if kept.problem:
        print(f"cospot-nova: {kept.problem}; promises are left out", file=sys.stderr)
    named_by_user = log.path is None and arguments.evictor_config_file
    if log.problem and (arguments.audit_log is not None or named_by_user):
        raise ConfigError(log.problem)
    if log.problem and not log.is_absent:
        print(f"cospot-nova: {log.problem}; evictions are left out", file=sys.stderr)
    return int(watched is not None and bool(watched.alarm))


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


def _unconfirmed(cloud: Cloud, hosts: Sequence[HostUse]) -> Iterator[dict[str, Any]]:
    """Yield what overcommitted hosts hold for servers that have left them by a resize."""
    for host in hosts:
        if not any(amounts.overcommit for amounts in host.amounts.values()):
            continue
        for move in cloud.unconfirmed_resizes(host.name):
            holds = host.consumers.get(move["uuid"])
            if holds:
                yield {
                    "host": host.name,
                    "server": move["instance_uuid"],
                    "project_id": cloud.project_of(move["instance_uuid"]),
                    "holds": dict(holds),
                }


def _groups(hosts: list[HostUse], aggregates: dict[str, list[str]]) -> list[HostUse]:
    """Return a sum for each aggregate and for hosts in none. Hosts may be in several."""
    groups = [
        total_use(name, (host for host in hosts if host.name in members))
        for name, members in aggregates.items()
    ]
    members = {host for one in aggregates.values() for host in one}
    others = [host for host in hosts if host.name not in members]
    if others and aggregates:
        groups.append(total_use("(none)", others))
    return groups


def _read_log(arguments: argparse.Namespace) -> _AuditLog:
    """Read the log, or return why not: the hosts' usage is useful without it."""
    path: str | None = arguments.audit_log
    try:
        if path is None:
            evictor = settings.read_evictor_settings(arguments.evictor_config_file)
            path = str(evictor.cospot_evictor.audit_log)
        return _AuditLog(last_evictions(Path(path), arguments.evictions), path)
    except FileNotFoundError:
        return _AuditLog([], path, f"there is no audit log at {path} here", is_absent=True)
    except OSError as error:
        return _AuditLog([], path, f"audit log {path}: cannot be read: {error.strerror}")
    except (ConfigError, cfg.Error) as error:
        return _AuditLog([], path, str(error))


def _read_stalled(arguments: argparse.Namespace) -> list[StalledHostRecord]:
    """Return the hosts on which this service stopped evicting because that frees nothing."""
    from cospot.nova.state.errors import EvictorError
    from cospot.nova.state.opening import stalled_hosts

    try:
        evictor = settings.read_evictor_settings(arguments.evictor_config_file)
        return stalled_hosts(evictor.cospot_evictor)
    except EvictorError as error:  # from the database
        text = f"cospot-nova: {error}; whether hosts free nothing is not known"
        print(text, file=sys.stderr)
    except OSError as error:
        print(
            f"cospot-nova: {error.filename}: cannot be read: {error.strerror}; whether hosts free"
            " nothing is not known",
            file=sys.stderr,
        )
    except (ConfigError, cfg.Error):
        pass  # reported with the audit log
    return []


def _alarm(record: StalledHostRecord) -> str:
    return (
        f"ALARM: host {record.host} frees nothing since {record.since}: look at its nova-compute."
        f" To be gone: {', '.join(record.spots)}. Nothing more is evicted there until"
        " something goes."
    )


def _tables(hosts: list[HostUse], groups: list[HostUse], log: _AuditLog, kept: PromisesKept) -> str:
    total = total_use("total", hosts)
    words = ["vcpus", "memory_mb"] + ["disk_gb"] * total.counts_disk
    header = ["vms", "spots"]
    for word in words:
        header += [word, "of vms", "of spots", "over"]
    parts = [text_table(("host", *header), [_use_row(one, words) for one in [*hosts, total]])]
    if groups:
        rows = [_use_row(one, words) for one in groups]
        parts.append(text_table(("aggregate", *header), rows))
    if kept.shares:
        parts.append(promise_table(kept.shares))
    if log.evictions:
        parts.append(text_table(_EVICTION_HEADER, list(map(_eviction_row, log.evictions))))
    elif log.is_absent:
        parts.append(f"{log.problem}: evictions are shown where cospot-evictor runs")
    elif not log.problem:
        parts.append("no evictions in the audit log")
    return "\n\n".join(parts)


def _use_row(use: HostUse, words: Sequence[str]) -> Sequence[object]:
    row: list[object] = [use.name, use.vms, use.spots]
    for word in words:
        amounts = use.amounts[word]
        row += [amounts.capacity, amounts.vms, amounts.spots, amounts.overcommit]
    return row


def _eviction_row(eviction: LastEviction) -> Sequence[object]:
    seconds = "" if eviction.seconds is None else f"{eviction.seconds:.1f}"
    *others, _ = vars(eviction).values()
    return *others, seconds
