"""The command line of `cospot-nova history`."""

from __future__ import annotations

import argparse
import itertools
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Final

from cospot.nova.tools import argument_types, credentials, settings
from cospot.nova.tools.history import api_source, workload_file
from cospot.nova.tools.history.past_instance import HostType, PastInstance, SpotRule, kept
from cospot.nova.tools.whole_file import write_file

_DAY_S: Final = 86400.0
#: The window that is exported, up to now, when nothing is said of it.
_WINDOW_DAYS: Final = 14
#: No history is longer.
_MOST_WINDOW_DAYS: Final = 10_000
#: The most that a workload file takes before its window.
_MOST_LEAD_DAYS: Final = 10_000
#: Nova's first year, and 10,000 days later: no instance of that time is too far from its window.
_FIRST_START: Final = datetime(2010, 1, 1, tzinfo=timezone.utc)
_LAST_START: Final = _FIRST_START + timedelta(days=_MOST_LEAD_DAYS)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `history` with `export`."""
    parser = commands.add_parser("history", help="make a workload file of what this cloud did")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    export = actions.add_parser(
        "export",
        help="write a workload file for cospot compare, and a sweep to begin with",
        description="Reads Nova's databases (all cells, archived instances too) without writing"
        " to them; or the API, which no longer knows archived ones.",
    )
    export.add_argument("-o", "--output", metavar="PATH", default="history.csv.gz")
    source = export.add_mutually_exclusive_group()
    source.add_argument(
        "--database",
        metavar="URL",
        action="append",
        default=[],
        help="a cell's database, may be given again (default: every cell of --config-file)",
    )
    source.add_argument("--api", action="store_true", help="ask Nova's API instead")
    _add_choices(export)
    credentials.add_arguments(export)
    export.set_defaults(run=_export)


def _add_choices(export: argparse.ArgumentParser) -> None:
    """Add the options that say what goes into the file."""
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
    export.add_argument(
        "--spot-flavor",
        metavar="PATTERN",
        action="append",
        default=[],
        help="count instances of these flavors as spots too, such as 'batch.*': try out what"
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
    start, window_days = arguments.window_start, arguments.window_days
    if start is None:
        window_days = window_days or float(_WINDOW_DAYS)
        start = float(int(time.time() - window_days * _DAY_S))
    since = start - arguments.lead_days * _DAY_S
    instances, read_host_types = _source(arguments, since)
    left_out: Counter[str] = Counter()
    written = workload_file.write_workload(
        output,
        kept(instances, since, left_out),
        start,
        SpotRule(arguments.spot_flavor),
        str if arguments.keep_projects else workload_file.pseudonym,
        with_disk=arguments.with_disk,
        window_days=window_days,
    )
    shown = datetime.fromtimestamp(start, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    print(f"{output}: {written.vms} VMs and {written.spots} spots", end=" ")
    print(f"of {len(written.projects)} projects; its window starts at {shown}")
    for reason, count in sorted(left_out.items()):
        print(f"left out: {count} that {reason}")
    _write_sweep(output, read_host_types(), with_disk=arguments.with_disk)
    return 0


def _source(
    arguments: argparse.Namespace, since: float
) -> tuple[Iterable[PastInstance], Callable[[], Counter[HostType]]]:
    """Return all instances, and what reads the types of hosts."""
    if arguments.api:
        cloud = credentials.connect(arguments)
        return (
            api_source.read_instances(cloud, since),
            lambda: api_source.read_host_types(cloud),
        )
    from cospot.nova.tools.history import database_source

    urls = arguments.database
    if not urls:
        configuration = settings.read_settings(arguments.config_file, arguments.config_dir)
        urls = database_source.cell_databases(configuration)
    instances = itertools.chain.from_iterable(
        database_source.read_instances(url, since) for url in urls
    )
    return instances, lambda: sum(map(database_source.read_host_types, urls), Counter())


def _write_sweep(workload: Path, host_types: Counter[HostType], *, with_disk: bool) -> None:
    sweep = workload.with_name(workload.name.split(".")[0] + ".yaml")
    if sweep.exists():
        print(f"{sweep}: already exists, left as it is")
    elif not host_types:
        print("there is no host, so no sweep was written")
    else:
        text = workload_file.sweep_text(workload, host_types, with_disk=with_disk)
        write_file(sweep, os.fsencode(text))  # the names of files need not be UTF-8
        print(f"{sweep}: written; next: cospot compare {sweep}")
