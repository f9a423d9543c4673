"""`cospot-nova setup`: lists the missing steps in a safe order, and does what it can."""

from __future__ import annotations

import argparse

from cospot.errors import ConfigError
from cospot.nova.tools import argument_types, credentials, settings, setup_flavors, setup_steps
from cospot.nova.tools.doctor import command as doctor_command
from cospot.nova.tools.doctor.cloud_checks import cloud_checks
from cospot.nova.tools.doctor.configuration_checks import configuration_checks
from cospot.nova.tools.service_user import ROLE
from cospot.nova.tools.setup_steps import Missing, Setup, Step


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `setup`."""
    parser = commands.add_parser(
        "setup",
        help="say what an installation lacks, and do as much of it as the services allow",
        description="Makes the evictor's user with its role, and spot flavors that only"
        " administrators can use; with --open opens these once nothing else is missing. What"
        " stands in files it prints for you to edit. May be run again and again. Run it where"
        " nova-scheduler and cospot-evictor run.",
        epilog="Exit codes: 0 nothing is missing; with --apply also: what can be done here is done,"
        " the rest is printed. 1 something is missing (--check), or was refused (--open). 2 bad"
        " usage or failure.",
    )
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="only say what is missing")
    mode.add_argument("--apply", action="store_true", help="do what can be done through the APIs")
    argument_types.add_list(
        parser,
        "--flavor",
        "NAME",
        "a flavor that gets a spot flavor, spot.NAME; may be given again",
    )
    parser.add_argument(
        "--role",
        default=ROLE,
        help=f"role of the evictor's user ({ROLE}, for which Nova's and placement's policy files"
        " need a line; admin needs none)",
    )
    parser.add_argument(
        "--without-disk",
        action="store_true",
        help="do not count disks of spots on the host: for disks on shared storage",
    )
    parser.add_argument(
        "--open",
        action="store_true",
        help="open each spot flavor to all users of its flavor; refused while anything is missing",
    )
    settings.add_evictor_argument(parser)
    doctor_command.add_metrics_argument(parser)
    credentials.add_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.open and not arguments.flavor:
        raise ConfigError("setup: --open: expected --flavor NAME, once for each spot flavor")
    is_left = False
    for step in _setup(arguments).steps(opens=arguments.open):
        done: list[str] = []
        left = step.missing
        if arguments.apply:
            done, left = setup_steps.apply_missing(step)
        print("\n".join(_report(step, done, left)))
        must_be_done = arguments.check or step.name == setup_steps.OPENING
        is_left = is_left or (bool(left) and must_be_done)
    return int(is_left)


def _setup(arguments: argparse.Namespace) -> Setup:
    nova = settings.read_settings(arguments.config_file, arguments.config_dir)
    evictor = settings.read_evictor_settings(arguments.evictor_config_file)
    cloud = credentials.connect(arguments)
    pairs = setup_flavors.find_pairs(cloud, arguments.flavor, with_disk=not arguments.without_disk)
    checks = [
        *configuration_checks(nova),
        *cloud_checks(cloud, nova),
        *doctor_command.checks_of_evictor(arguments, nova),
    ]
    counts_disk = not arguments.without_disk and any(pair.base.disk_gb for pair in pairs)
    return Setup(cloud, nova, evictor, pairs, checks, counts_disk=counts_disk, role=arguments.role)


def _report(step: Step, done: list[str], left: list[Missing]) -> list[str]:
    lines = [f"done     {step.name}: {one}" for one in done]
    for one in left:
        lines.append(f"missing  {step.name}: {one.what}")
        if one.remedy and one.remedy[0].startswith("["):
            lines.append(f"           in {step.file}:")
        lines += [f"           {line}" for line in one.remedy]
    return lines or [f"ok       {step.name}"]
