"""Reads nova.conf as Nova's services do: the same files, the same defaults."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from oslo_config import cfg

from cospot.errors import ConfigError
from cospot.nova import configuration_faults
from cospot.nova.tools import argument_types


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that name Nova's configuration files."""
    group = parser.add_argument_group("Nova's configuration")
    argument_types.add_list(
        group,
        "--config-file",
        "PATH",
        "a nova.conf; may be given again, later files win (default: where Nova looks)",
    )
    argument_types.add_list(
        group, "--config-dir", "PATH", "a folder of *.conf files, read after the files"
    )


def add_evictor_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the service's configuration files."""
    argument_types.add_list(
        parser,
        "--evictor-config-file",
        "PATH",
        "of cospot-evictor (default: where the service looks)",
    )


def read_settings(files: Iterable[str] = (), folders: Iterable[str] = ()) -> Any:
    """Read Nova's configuration files into a separate oslo.config object.

    Args:
        files: Paths of nova.conf files; if there are no files and no folders, Nova's default
            locations.
        folders: Paths of folders of *.conf files.

    Returns:
        A `cfg.ConfigOpts` with the options of Nova and of the scheduler plugin that the tools read.
            A value of the wrong type raises when it is read, not here.

    Raises:
        ConfigError: A file is missing or is not a configuration file.
    """
    settings = cfg.ConfigOpts()
    _register_options(settings)
    arguments = [f"--config-file={path}" for path in files]
    arguments += [f"--config-dir={path}" for path in folders]
    _read(settings, arguments, "Nova's configuration", project="nova", program="nova")
    return settings


def read_evictor_settings(files: Sequence[str] = ()) -> Any:
    """Read the configuration of cospot-evictor.

    Args:
        files: Paths; if empty, the service's default locations, else the defaults.

    Raises:
        ConfigError: A file is missing or is not a configuration file.
    """
    from cospot.nova.evictor import options

    settings = cfg.ConfigOpts()
    options.register(settings)
    arguments = [f"--config-file={path}" for path in files]
    what = "the evictor's configuration"
    _read(settings, arguments, what, project="cospot", program="cospot-evictor")
    return settings


def _read(
    settings: Any, arguments: Sequence[str], what: str, *, project: str, program: str
) -> None:
    try:
        settings(arguments, project=project, prog=program)
    except UnicodeDecodeError as error:
        text = configuration_faults.explain(error, arguments, project=project, program=program)
        raise ConfigError(text) from error
    except (cfg.Error, OSError) as error:
        raise ConfigError(f"{what}: {configuration_faults.plain(error)}") from error


def _register_options(settings: Any) -> None:
    from nova.conf import (
        availability_zone,
        base,
        compute,
        database,
        netconf,
        notifications,
        quota,
        scheduler,
    )
    from oslo_messaging import opts as messaging_opts

    from cospot.nova.scheduler import options as scheduler_options

    modules = (availability_zone, base, netconf, compute, database, notifications, quota, scheduler)
    for module in modules:
        module.register_opts(settings)
    for group, options in messaging_opts.list_opts():
        settings.register_opts(options, group=group)
    scheduler_options.register_strict(settings)
    # Registering all of that group would clash with the login's options.
    settings.register_opt(cfg.StrOpt("region_name"), group="placement")
