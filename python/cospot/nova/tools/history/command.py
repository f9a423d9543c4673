"""The command line of `cospot-nova history`."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Final

from cospot.errors import ConfigError
from cospot.nova.moment import text_of
from cospot.nova.tools import argument_types, credentials, settings
from cospot.nova.tools.history import (
    api_source,
    hosts_file,
    lifetimes_file,
    placement_capacity,
    workload_file,
)
from cospot.nova.tools.history.hosts_file import DEFAULT_ZONE, Aggregate, HostPlace, PastHost
from cospot.nova.tools.history.past_instance import (
    FirstEnd,
    PastInstance,
    Request,
    SpotRule,
    in_known_zones,
    kept,
)
from cospot.whole_file import write_file

_DAY_S: Final = 86400.0
#: Default window of the export, up to now.
_WINDOW_DAYS: Final = 14
#: Maximum length of a history.
_MOST_WINDOW_DAYS: Final = 10_000
#: The maximum time that a workload file may contain before its window.
_MOST_LEAD_DAYS: Final = 10_000
#: Nova's first year, and 10,000 days later: keeps instances within range of the window.
_FIRST_START: Final = datetime(2010, 1, 1, tzinfo=timezone.utc)
_LAST_START: Final = _FIRST_START + timedelta(days=_MOST_LEAD_DAYS)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `history` with `export`."""
    parser = commands.add_parser("history", help="make a workload file of what this cloud did")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    export = actions.add_parser(
        "export",
        help="write a workload file for cospot compare, and a study file to begin with",
        description="Reads Nova's databases (all cells, archived instances too) without writing"
        " to them; or the API, which no longer knows archived ones.",
    )
    export.add_argument("-o", "--output", metavar="PATH", default="history.csv.gz")
    source = export.add_mutually_exclusive_group()
    argument_types.add_list(
        source,
        "--database",
        "URL",
        "a cell's database, may be given again (default: every cell of --config-file)",
    )
    source.add_argument("--api", action="store_true", help="ask Nova's API instead")
    _add_choices(export)
    credentials.add_arguments(export)
    export.set_defaults(run=_export)


def _add_choices(export: argparse.ArgumentParser) -> None:
    """Add the options that select the contents of the file."""
    export.add_argument(
        "--window-start",
        metavar="TIME",
        type=argument_types.moment(_FIRST_START, _LAST_START),
        help="second 0, such as 2026-05-01T00:00 in UTC (default: --window-days ago)",
    )
    export.add_argument(
        "--window-days",
        type=argument_types.number(1, _MOST_WINDOW_DAYS),
        metavar="N",
        help=f"days from then on in which instances earn (default: {_WINDOW_DAYS} up to now; with"
        " --window-start derived from the requests)",
    )
    export.add_argument(
        "--lead-days",
        type=argument_types.number(0, _MOST_LEAD_DAYS),
        default=float(_WINDOW_DAYS),
        metavar="N",
        help="leave out instances that ended so long before it (default: %(default)g)",
    )
    argument_types.add_list(
        export,
        "--spot-flavor",
        "PATTERN",
        "count instances of these flavors as spots too, such as 'batch.*': try out what"
        " would become spots",
    )
    export.add_argument(
        "--keep-projects", action="store_true", help="keep project ids (default: hash them)"
    )
    export.add_argument(
        "--with-disk",
        action="store_true",
        help="let disk count, where instances use local disks (default: all ask for none)",
    )


def _export(arguments: argparse.Namespace) -> int:
    output = Path(arguments.output)
    if output.suffix in {".yaml", ".yml"}:
        raise ConfigError(
            f"--output {output}: the study file gets such a name, expected one for the requests,"
            " such as history.csv.gz"
        )
    start, window_days = arguments.window_start, arguments.window_days
    if start is None:
        window_days = window_days or float(_WINDOW_DAYS)
        start = float(int(time.time() - window_days * _DAY_S))
    _check_window(start, window_days)
    since = start - arguments.lead_days * _DAY_S
    name_project = str if arguments.keep_projects else workload_file.pseudonym
    instances, read_cloud = _source(arguments, since)
    left_out: Counter[str] = Counter()
    first_end = FirstEnd()
    read_cloud = functools.cache(read_cloud)
    written = workload_file.write_workload(
        output,
        in_known_zones(
            kept(first_end.watch(instances), since, left_out),
            lambda: {place.zone for place in read_cloud()[1].values()},
            left_out,
        ),
        start,
        SpotRule(arguments.spot_flavor),
        name_project,
        with_disk=arguments.with_disk,
        window_days=window_days,
    )
    print(f"{output}: {written.vms} VMs and {written.spots} spots", end=" ")
    print(f"of {len(written.projects)} projects; its window starts at {text_of(start)}")
    for reason, count in sorted(left_out.items()):
        print(f"left out: {count} that {reason}")
    end = time.time() if window_days is None else start + window_days * _DAY_S
    if doubt := first_end.doubt(start, end):
        print(doubt)
    lifetimes_file.write(output, written.asked_lifetimes)
    hosts, places = read_cloud()
    _write_hosts(output, hosts, places, name_project)
    return 0


def _check_window(start: float, window_days: float | None) -> None:
    """Reject a window that has not ended: users of the file would count its days as observed.

    Raises:
        ConfigError: the window starts or ends after now.
    """
    passed = (time.time() - start) / _DAY_S
    if passed < 0:
        raise ConfigError(f"--window-start is {-passed:.2f} days from now, expected a time before")
    if window_days is not None and window_days > passed:
        raise ConfigError(
            f"--window-days {window_days:g}: since --window-start {passed:.2f} days have"
            " passed, expected no more"
        )


#: The hosts, and the place of each compute service.
_CloudHosts = tuple[list[PastHost], dict[str, HostPlace]]


def _source(
    arguments: argparse.Namespace, since: float
) -> tuple[Iterable[PastInstance], Callable[[], _CloudHosts]]:
    """Return all instances, and a reader of the hosts."""
    if arguments.api:
        cloud = credentials.connect(arguments)
        return (
            api_source.read_instances(cloud, since),
            lambda: _placed(
                api_source.read_hosts(cloud), api_source.read_aggregates(cloud), DEFAULT_ZONE
            ),
        )
    from cospot.nova.tools.history import database_source

    urls, aggregates_url, zone = arguments.database, "", DEFAULT_ZONE
    configuration = None
    if not urls:
        configuration = settings.read_settings(arguments.config_file, arguments.config_dir)
        urls = database_source.cell_databases(configuration)
        aggregates_url = configuration.api_database.connection
        zone = configuration.default_availability_zone
    instances: Iterable[PastInstance] = itertools.chain.from_iterable(
        database_source.read_instances(url, since) for url in urls
    )
    if aggregates_url:
        requests = database_source.read_requests(aggregates_url)
        instances = (_as_asked(one, requests.get(one.uuid, Request())) for one in instances)

    def read_cloud() -> _CloudHosts:
        hosts = list(itertools.chain.from_iterable(map(database_source.read_hosts, urls)))
        if configuration is not None:
            hosts = _with_capacity(hosts, arguments)
        # Cells do not store aggregates and zones.
        if not aggregates_url:
            return hosts, {}
        return _placed(hosts, database_source.read_aggregates(aggregates_url), zone)

    return instances, read_cloud


def _as_asked(instance: PastInstance, request: Request) -> PastInstance:
    return dataclasses.replace(
        instance, asked=request.asked, wishes=request.wishes, lifetime=request.lifetime
    )


def _with_capacity(hosts: list[PastHost], arguments: argparse.Namespace) -> list[PastHost]:
    """Subtract reserved capacity from hosts, if placement can be queried for it."""
    try:
        cloud = credentials.connect(arguments)
    except ConfigError as error:
        problem = str(error)
    else:
        hosts, problem = placement_capacity.with_capacity(hosts, cloud)
    if problem:
        print(f"placement does not tell what is reserved, which counts as capacity: {problem}")
    return hosts


def _placed(hosts: list[PastHost], aggregates: list[Aggregate], zone: str) -> _CloudHosts:
    return hosts, {one.host: hosts_file.place_of(one.host, aggregates, zone) for one in hosts}


def _write_hosts(
    workload: Path,
    hosts: list[PastHost],
    places: dict[str, HostPlace],
    name_project: Callable[[str], str],
) -> None:
    """Write the file of hosts, and a study file to start with."""
    if not hosts:
        print("there is no host, so no study file was written")
        return
    stem = workload.name.split(".")[0]
    path = workload.with_name(f"{stem}-hosts.csv")
    hosts_file.write_hosts(path, hosts, places, name_project)
    status = Counter(host.status for host in hosts)
    apart = [f"{status[name]} {name}" for name in ("down", "disabled") if status[name]]
    left_out = f"; left out of simulations: {', '.join(apart)}" if apart else ""
    print(f"{path}: {status['up']} hosts that are up{left_out}")
    sweep = workload.with_name(f"{stem}.yaml")
    if sweep.exists():
        print(f"{sweep}: already exists, left as it is")
    elif not status["up"]:
        print("no host is up, so no study file was written")
    else:
        text = workload_file.sweep_text(workload, path, status["up"], len(hosts))
        write_file(sweep, os.fsencode(text))  # file names need not be UTF-8
        print(f"{sweep}: written; next: cospot compare {sweep}")
