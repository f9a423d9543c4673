"""`cospot-nova plan`: turns the recommendation of `cospot plan` into a cloud's configuration."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from cospot.errors import ConfigError
from cospot.nova.tools import argument_types, credentials, settings
from cospot.nova.tools.cloud import Cloud
from cospot.nova.tools.doctor.finding import Result, Verdict, run_checks
from cospot.nova.tools.plan import comparison
from cospot.nova.tools.plan.flavors import PlannedFlavor, planned_flavors
from cospot.nova.tools.plan.nova_setting import NovaSetting, nova_setting
from cospot.nova.tools.plan.pages import Page, pages
from cospot.nova.tools.plan.plan_file import Plan, read_plan
from cospot.whole_file import write_file

_WORDS: Final = {
    Verdict.OK: "ok",
    Verdict.UNKNOWN: "unknown",
    Verdict.WARNING: "differs",
    Verdict.ERROR: "differs",
}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `plan` with `apply`."""
    parser = commands.add_parser("plan", help="turn a plan of cospot plan into configuration")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    apply = actions.add_parser(
        "apply",
        help="print the configuration of a plan, and compare it with what there is",
        description="Prints what goes into nova.conf and cospot-evictor.conf, the commands for the"
        " table of promises, quotas and flavors, what Nova cannot do of the plan, and what of it is"
        " so already. Nothing in the cloud is changed.",
        epilog="Exit codes: 0 Nova can do the whole plan, and nothing that was compared differs; 1"
        " something differs, or Nova cannot do a part; 2 bad usage or failure.",
    )
    apply.add_argument("plan", metavar="PLAN", help="study file that cospot plan -o wrote")
    apply.add_argument("--dry-run", action="store_true", help="only print")
    apply.add_argument(
        "--to", metavar="FOLDER", help="write each page to a file in this folder instead"
    )
    argument_types.add_list(
        apply,
        "--flavor",
        "NAME",
        "a flavor to sell as spots, may be given again (default: those with a spot flavor)",
    )
    apply.add_argument(
        "--probability",
        type=argument_types.number(0, 1),
        metavar="P",
        help="of the promised lifetimes to sell, as Nova has one for all (default: the one with"
        " which the plan sells most)",
    )
    apply.add_argument(
        "--without-disk", action="store_true", help="disks do not count: they are on shared storage"
    )
    apply.add_argument("--offline", action="store_true", help="ask no service, read files only")
    apply.add_argument("--format", choices=["text", "json"], default="text")
    settings.add_evictor_argument(apply)
    credentials.add_arguments(apply)
    apply.set_defaults(run=_apply)


def _apply(arguments: argparse.Namespace) -> int:
    if not arguments.dry_run and arguments.to is None:
        raise ConfigError(
            "plan apply: nothing is changed in a cloud by this command; expected --dry-run, which"
            " prints what to change, or --to FOLDER, which writes it to files"
        )
    plan = read_plan(arguments.plan)
    if plan.sells_nothing:
        print("\n".join([*plan.decision, "Nothing is to be sold, so nothing is to be set."]))
        return 0
    setting = nova_setting(
        plan, with_disk=not arguments.without_disk, probability=arguments.probability
    )
    nova = settings.read_settings(arguments.config_file, arguments.config_dir)
    evictor = settings.read_evictor_settings(arguments.evictor_config_file)
    cloud = credentials.connect(arguments) if _names_a_cloud(arguments) else None
    planned = _planned(cloud, arguments.flavor, setting)
    checks = comparison.configuration_comparison(setting, nova, evictor)
    if cloud is not None and planned is not None:
        checks += comparison.cloud_comparison(plan, nova, cloud, planned)
    results = run_checks(checks)
    made = pages(plan, setting, nova, planned, arguments.flavor)
    if arguments.to is not None and not arguments.dry_run:
        _write(Path(arguments.to), made)
    if arguments.format == "json":
        print(json.dumps(_as_json(plan, setting, made, results), indent=2))
    else:
        print(_report(arguments, plan, setting, made, results))
    differs = any(result.verdict in (Verdict.ERROR, Verdict.WARNING) for result in results)
    return int(differs or bool(setting.cannot))


def _names_a_cloud(arguments: argparse.Namespace) -> bool:
    """Tell whether a cloud is given for comparison; printing a plan needs none."""
    if arguments.offline:
        return False
    named = arguments.config_file or arguments.config_dir or arguments.os_cloud
    return bool(named) or "OS_AUTH_URL" in os.environ or "OS_AUTH_TYPE" in os.environ


def _planned(
    cloud: Cloud | None, names: Sequence[str], setting: NovaSetting
) -> list[PlannedFlavor] | None:
    if cloud is None:
        return None
    with_disk = "DISK_GB" in setting.cospot["resources"]
    return planned_flavors(cloud, names, setting.classes, with_disk=with_disk)


def _write(folder: Path, made: Sequence[Page]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--to {folder}: {error.strerror or error}") from error
    for page in made:
        write_file(folder / page.name, os.fsencode(page.text))


def _report(
    arguments: argparse.Namespace,
    plan: Plan,
    setting: NovaSetting,
    made: Sequence[Page],
    results: Sequence[Result],
) -> str:
    lines = [*plan.decision, ""]
    if arguments.dry_run:
        for page in made:
            lines += [f"##### {page.name}", page.text]
    else:
        lines += [f"written: {Path(arguments.to) / page.name}" for page in made] + [""]
    lines += [f"cannot   {sentence}" for sentence in setting.cannot]
    lines += [f"note     {sentence}" for sentence in setting.notes]
    for result in results:
        for finding in result.findings:
            lines.append(f"{_WORDS[finding.verdict]:7}  {result.check.name}: {finding.found}")
            lines += [f"           fix: {finding.fix}"] * bool(finding.fix)
    return "\n".join(lines)


def _as_json(
    plan: Plan, setting: NovaSetting, made: Sequence[Page], results: Sequence[Result]
) -> dict[str, Any]:
    return {
        "decision": list(plan.decision),
        "cospot": dict(setting.cospot),
        "cospot_evictor": dict(setting.evictor),
        "promised": [vars(one) for one in setting.classes],
        "files": {page.name: page.text for page in made},
        "cannot": list(setting.cannot),
        "notes": list(setting.notes),
        "checks": [_check_json(result) for result in results],
    }


def _check_json(result: Result) -> dict[str, Any]:
    return {
        "check": result.check.name,
        "findings": [
            {"verdict": _WORDS[one.verdict], "found": one.found, "fix": one.fix}
            for one in result.findings
        ],
    }
