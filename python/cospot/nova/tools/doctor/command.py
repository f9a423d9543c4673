"""The command line of `cospot-nova doctor`."""

from __future__ import annotations

import argparse
import json
from typing import Any, Final

from oslo_config import cfg

from cospot.errors import CospotError
from cospot.nova.tools import credentials, settings
from cospot.nova.tools.doctor.cloud_checks import cloud_checks
from cospot.nova.tools.doctor.configuration_checks import configuration_checks
from cospot.nova.tools.doctor.evictor_checks import evictor_checks
from cospot.nova.tools.doctor.finding import Check, Result, Verdict, run_checks
from cospot.nova.tools.doctor.notification_checks import notification_checks

#: Maximum number of findings shown per check; --format json has all.
_MOST_SHOWN: Final = 10


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `doctor`."""
    parser = commands.add_parser(
        "doctor",
        help="check everything that spots need, and say how to fix what is wrong",
        description="Run it where nova-scheduler runs, with the scheduler's nova.conf.",
        epilog="Exit codes: 0 no errors (there may be warnings, and what is unknown here), 1 errors"
        " found, 2 bad usage or no cloud to look at.",
    )
    credentials.add_arguments(parser)
    parser.add_argument(
        "--offline", action="store_true", help="look at the configuration only, ask no service"
    )
    settings.add_evictor_argument(parser)
    add_metrics_argument(parser)
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument("--verbose", action="store_true", help="say why of what is ok, too")
    parser.set_defaults(run=_run)


def add_metrics_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option with the address of the evictor's metrics."""
    parser.add_argument(
        "--evictor-metrics",
        metavar="URL",
        help="its metrics (default: as its configuration says, on this machine)",
    )


def _run(arguments: argparse.Namespace) -> int:
    configuration = settings.read_settings(arguments.config_file, arguments.config_dir)
    results = run_checks(configuration_checks(configuration))
    results += run_checks(notification_checks(configuration, offline=arguments.offline))
    unreachable: Exception | None = None
    if not arguments.offline:
        try:
            cloud = credentials.connect(arguments)
            results += run_checks(cloud_checks(cloud, configuration))
        except (CospotError, cfg.Error) as found:
            # The checks of the configuration and the evictor may explain the failure.
            unreachable = found
        results += run_checks(checks_of_evictor(arguments, configuration))
    if arguments.format == "json":
        print(json.dumps({"checks": [result.as_json() for result in results]}, indent=2))
    else:
        print(_report(results, verbose=arguments.verbose))
    if unreachable is not None:
        raise unreachable
    return int(any(result.verdict is Verdict.ERROR for result in results))


def checks_of_evictor(arguments: argparse.Namespace, configuration: Any) -> list[Check]:
    """Return the checks of the service selected by the arguments."""
    evictor = settings.read_evictor_settings(arguments.evictor_config_file)
    given: str | None = arguments.evictor_metrics

    def metrics_url() -> str:
        group = evictor.cospot_evictor
        if given is not None:
            return given
        address, port = group.metrics_address, group.metrics_port
        return f"http://{address}:{port}/metrics" if port else ""

    return evictor_checks(configuration, evictor, metrics_url)


def _report(results: list[Result], *, verbose: bool) -> str:
    lines = []
    for result in results:
        lines.append(f"{result.verdict.value:7}  {result.check.name}")
        bad = [one for one in result.findings if one.verdict is not Verdict.OK]
        shown = [*bad[:_MOST_SHOWN], *(one for one in result.findings if one not in bad)]
        for finding in shown:
            lines.append(f"         {finding.found}")
            if finding.fix:
                lines.append(f"           fix: {finding.fix}")
        if len(bad) > _MOST_SHOWN:
            lines.append(f"         ... and {len(bad) - _MOST_SHOWN} more: see --format json")
        if bad or verbose:
            lines.append(f"           why: {result.check.why}")
    count = {verdict: sum(one.verdict is verdict for one in results) for verdict in Verdict}
    lines.append(
        f"{count[Verdict.OK]} ok, {count[Verdict.UNKNOWN]} unknown,"
        f" {count[Verdict.WARNING]} warnings, {count[Verdict.ERROR]} errors"
    )
    return "\n".join(lines)
