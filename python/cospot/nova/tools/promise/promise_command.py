"""`cospot-nova promise`: writes the table of lifetimes to promise."""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import cospot
from cospot.errors import ConfigError
from cospot.nova import promises
from cospot.nova.promises.asked_lifetime import lifetime_text
from cospot.nova.promises.promise_table import PromiseTable, named, table_to_text
from cospot.nova.scheduler.settings import NOVA_POLICY
from cospot.nova.tools import argument_types
from cospot.nova.tools.history import lifetimes_file
from cospot.nova.tools.promise import spot_cloud
from cospot.nova.tools.promise.estimate import (
    Estimating,
    SpotHost,
    check_targets,
    estimate,
    replay,
)
from cospot.nova.tools.promise.spot_cloud import SpotCloud
from cospot.whole_file import write_file

_TARGETS: Final = (0.01, 0.05, 0.1, 0.25)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `promise`."""
    parser = commands.add_parser(
        "promise",
        help="estimate from a history how long spots live, for lifetime_promises and quote",
        description="Reads a history (cospot-nova history export), the hosts and the spot flavors"
        " of this cloud, and writes what spots of each size may be promised. Run it every 6 hours.",
    )
    parser.add_argument(
        "--history", metavar="PATH", required=True, help="from cospot-nova history export"
    )
    parser.add_argument("-o", "--output", metavar="PATH", default="promises.json")
    parser.add_argument(
        "--target",
        metavar="P",
        type=float,
        action="append",
        default=[],
        help="a share of promises that may be broken, may be given again (default: "
        + ", ".join(f"{target:g}" for target in _TARGETS)
        + ")",
    )
    parser.add_argument(
        "--samples",
        type=argument_types.whole_number(1, 10_000_000),
        default=10_000,
        metavar="N",
        help="fictitious spots for each size (default: %(default)s)",
    )
    parser.add_argument(
        "--least-samples",
        type=argument_types.whole_number(1, 1_000_000),
        default=100,
        metavar="N",
        help="a number of free slots that was seen less often counts as not seen"
        " (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=argument_types.whole_number(0, 1 << 53), default=1, metavar="N"
    )
    spot_cloud.add_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    path = Path(arguments.history)
    try:
        observed_until = path.stat().st_mtime
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; see cospot-nova history export") from error
    settings = Estimating(
        targets=check_targets(arguments.target or _TARGETS),
        samples=arguments.samples,
        least_samples=arguments.least_samples,
        seed=arguments.seed,
    )
    cloud = SpotCloud(arguments)
    sizes = cloud.spot_sizes()
    if not sizes:
        raise ConfigError("there is no spot flavor to promise anything for; see cospot-nova setup")
    hosts = cloud.hosts()
    placing = _placing(cloud.options)
    asked_s = lifetimes_file.read(path)
    replayed = replay(cospot.Workload.load(path), hosts, placing, asked_s)
    found = estimate(replayed, hosts, sizes, settings)
    table = PromiseTable(
        made_at=time.time(),
        observed_until=observed_until,
        targets=settings.targets,
        sizes=found,
        history={
            "file": path.name,
            "days": round(replayed.days, 6),
            **replayed.counts,
            "spots_without_promise": sum(seconds == 0 for seconds in asked_s.values()),
            "hosts": _host_counts(hosts),
        },
        settings={**vars(settings), **placing, "evictor": promises.EVICTOR},
    )
    write_file(Path(arguments.output), os.fsencode(table_to_text(table)))
    _tell(arguments.output, table, cloud.options)
    return 0


def _placing(options: Any) -> dict[str, Any]:
    """Return the policies of nova.conf; the usual ones for those that need Nova or Python."""
    placing = {"vm": "COS", "spot": "sCOS", "otn": 1, "saf": False}
    if options is not None:
        placing |= {"otn": options.otn, "saf": options.saf}
        for who in ("vm", "spot"):
            policy = options[f"{who}_policy"]
            if policy != NOVA_POLICY and not policy.startswith("python:"):
                placing[who] = policy
    return placing


def _host_counts(hosts: Sequence[SpotHost]) -> list[dict[str, int]]:
    counts = Counter(host.total for host in hosts if host.takes_spots)
    return [{"count": count, **named(size)} for size, count in sorted(counts.items())]


def _tell(output: str, table: PromiseTable, options: Any) -> None:
    history = table.history
    print(
        f"{output}: {len(table.sizes)} sizes of spots, from {table.observed_text} with"
        f" {history['vms']} VMs and {history['spots']} spots, of which {history['evictions']} were"
        f" evicted, on {sum(each['count'] for each in history['hosts'])} hosts"
    )
    for each in table.sizes:
        longest = [max((step[1] or 0.0 for step in steps), default=0.0) for steps in each.steps]
        told = ", ".join(
            f"{100 * (1 - target):g} % {lifetime_text(seconds) if seconds else 'nothing'}"
            for target, seconds in zip(table.targets, longest, strict=True)
        )
        print(f"{', '.join(each.flavors)}: at most {told}")
    if history["rejected_vms"]:
        print(
            f"note: {history['rejected_vms']} VMs of the history found no host on these hosts; on"
            " hosts that hold them, promises differ"
        )
    _tell_too_few(history["spots"], table.targets)
    if options is None or options.evictor == promises.EVICTOR:
        return
    print(
        f"note: [cospot] evictor is {options.evictor}: promises hold only where the youngest spots"
        f" go first; use {promises.EVICTOR}, for cospot-evictor too"
    )


def _tell_too_few(spots: int, targets: Sequence[float]) -> None:
    """Warn about targets that this number of spots cannot support, whatever their outcomes."""
    needed = [(target, cospot.observations_needed(target)) for target in reversed(targets)]
    told = [f"{100 * (1 - p):g} % (takes {n})" for p, n in needed if n is not None and n > spots]
    if told:
        print(
            f"note: {spots} spots are too few to promise {', '.join(told)}; export a longer"
            " history, or with --spot-flavor one that counts other instances as spots too"
        )
