"""`cospot-nova quote`: the minimum lifetime of a flavor's spot if started now."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from typing import Any, Final

import cospot
from cospot.errors import ConfigError
from cospot.nova import spot_flavors
from cospot.nova.moment import text_of
from cospot.nova.promises.asked_lifetime import lifetime_text
from cospot.nova.promises.promise_table import PromiseTable, named
from cospot.nova.promises.table_file import read_version
from cospot.nova.tools.flavor_command import find_flavor
from cospot.nova.tools.promise import spot_cloud
from cospot.nova.tools.promise.spot_cloud import SpotCloud

_MAX_AGE_S: Final = 86400
_NOTHING: Final = "- (nothing can be promised)"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `quote`."""
    parser = commands.add_parser(
        "quote", help="say how long a spot of a flavor lives at least, were it started now"
    )
    parser.add_argument("flavor", help="name or id of a spot flavor")
    parser.add_argument(
        "--promises",
        metavar="PATH",
        help="from cospot-nova promise (default: [cospot] lifetime_promises of --config-file)",
    )
    parser.add_argument("--format", choices=["table", "json"], default="table")
    spot_cloud.add_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    cloud = SpotCloud(arguments)
    options = cloud.options
    table = _read_table(arguments.promises or (options and options.lifetime_promises) or "")
    max_age = _MAX_AGE_S if options is None else options.promises_max_age
    flavor = find_flavor(cloud.flavors(), arguments.flavor)
    if not spot_flavors.is_spot_flavor(flavor.extra_specs):
        raise ConfigError(f"{flavor.name}: is no spot flavor; VMs are not evicted")
    size = cloud.size_of(flavor)
    sized = table.for_size(size)
    counted = size if sized is None else sized.size
    by_host = cloud.slots_now(counted)
    slots = sum(by_host.values())
    quotes = [
        (target, None if sized is None else sized.promised(slots, number))
        for number, target in enumerate(table.targets)
    ]
    if arguments.format == "json":
        print(json.dumps(_as_json(flavor.name, size, by_host, quotes, table), indent=2))
    else:
        print(f"{flavor.name} ({size[0]} vCPUs, {size[1]} MiB): {slots} more fit now", end=" ")
        print(f"on {sum(map(bool, by_host.values()))} of {len(by_host)} hosts")
        if sized is None:
            print("it is in no table of promises: make that anew (cospot-nova promise)")
        for target, seconds in reversed(quotes):
            told = _text(seconds) if slots > 0 else _NOTHING
            print(f"{100 * (1 - target):g} % live at least {told or _why_not(target, table)}")
        _tell_evidence(table)
    _warn_of_age(table, max_age)
    return 0


def _text(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return "as long as was ever seen" if seconds == math.inf else lifetime_text(seconds)


def _why_not(target: float, table: PromiseTable) -> str:
    needed = cospot.observations_needed(target)
    if needed is None or table.history.get("spots", needed) >= needed:
        return _NOTHING
    return f"- (takes {needed} spots in the history)"


def _tell_evidence(table: PromiseTable) -> None:
    """Print the evidence behind the promises, if the table has it."""
    history = table.history
    if {"days", "spots", "evictions"} <= history.keys():
        print(
            f"observed: {table.observed_text}, {history['spots']:,} spots,"
            f" {history['evictions']:,} evictions"
        )


def _read_table(path: str) -> PromiseTable:
    if not path:
        raise ConfigError(
            "no table of promises: expected --promises PATH, or [cospot] lifetime_promises in"
            " --config-file"
        )
    try:
        found = read_version(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; make it: cospot-nova promise") from error
    if found.table is None:
        raise ConfigError(f"{path}: {found.problem}; make it anew: cospot-nova promise")
    return found.table


def _as_json(
    name: str,
    size: tuple[int, int, int],
    by_host: dict[str, int],
    quotes: list[tuple[float, float | None]],
    table: PromiseTable,
) -> dict[str, Any]:
    return {
        "flavor": name,
        **named(size),
        "slots": sum(by_host.values()),
        "slots_by_host": by_host,
        "quotes": [
            {
                "target": target,
                "lives_at_least_s": "never" if seconds == math.inf else seconds,
            }
            for target, seconds in quotes
        ],
        "made_at": text_of(table.made_at),
        "observed_until": text_of(table.observed_until),
        "history": dict(table.history),
    }


def _warn_of_age(table: PromiseTable, max_age: float) -> None:
    age = time.time() - table.observed_until
    if age > max_age:
        print(
            f"cospot-nova: the history behind this ended {lifetime_text(age)} ago; nova-scheduler"
            f" takes none older than {lifetime_text(max_age)}",
            file=sys.stderr,
        )
