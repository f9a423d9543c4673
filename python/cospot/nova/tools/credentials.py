"""Credentials of the tools: OS_* variables, clouds.yaml, or a section of nova.conf."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from cospot.errors import ConfigError
from cospot.nova.tools import settings
from cospot.nova.tools.cloud import Cloud

#: Sections of a configuration file that may contain a service user, in the order tried.
SECTIONS: Final = ("nova", "keystone_authtoken")

#: Errors of the SDK for a clouds.yaml that is not text or has other contents.
_ODD_FILE: Final = (TypeError, ValueError, AttributeError)
#: The API version in the paths; other services negotiate theirs by microversions.
_SERVICES: Final = {"compute": None, "placement": None, "identity": "3"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the cloud and the user."""
    settings.add_arguments(parser)
    parser.add_argument(
        "--os-cloud",
        metavar="NAME",
        default=os.environ.get("OS_CLOUD"),
        help="a cloud of clouds.yaml (default: OS_CLOUD, else the OS_* variables, else the"
        f" section [{SECTIONS[0]}] or [{SECTIONS[1]}] of --config-file)",
    )


def connect(arguments: argparse.Namespace) -> Cloud:
    """Log in according to the arguments.

    Args:
        arguments: Parsed, from a parser with `add_arguments`.

    Raises:
        ConfigError: There are no credentials, or they cannot be read.
    """
    if arguments.os_cloud or "OS_AUTH_URL" in os.environ or "OS_AUTH_TYPE" in os.environ:
        return _from_environment(arguments.os_cloud)
    configuration = settings.read_settings(arguments.config_file, arguments.config_dir)
    return from_settings(configuration)


def from_settings(configuration: Any) -> Cloud:
    """Log in with the first known section that has credentials.

    Raises:
        ConfigError: None of them has.
    """
    section = next((name for name in SECTIONS if _has_credentials(configuration, name)), None)
    if section is None:
        raise ConfigError(
            "no credentials: expected --os-cloud, the OS_* variables (OS_AUTH_URL, OS_USERNAME,"
            " ...), or auth_url and a user in the section "
            + " or ".join(f"[{name}]" for name in SECTIONS)
            + " of --config-file"
        )
    return _from_section(configuration, section)


def _from_environment(cloud: str | None) -> Cloud:
    import yaml
    from keystoneauth1 import exceptions
    from openstack.config import loader
    from openstack.exceptions import ConfigException

    try:
        region = loader.OpenStackConfig().get_one(cloud=cloud)
        # The SDK's own clients would need a full connection object.
        session = region.get_session()
    except (ConfigException, exceptions.ClientException, yaml.YAMLError, *_ODD_FILE) as error:
        raise ConfigError(f"credentials{f' of cloud {cloud}' if cloud else ''}: {error}") from error
    return _cloud(
        session,
        lambda service: {
            "interface": region.get_interface(service),
            "region_name": region.get_region_name(service),
            "endpoint_override": region.get_endpoint(service),
        },
    )


def _cloud(session: Any, options: Callable[[str], Mapping[str, Any]]) -> Cloud:
    from keystoneauth1.adapter import Adapter

    return Cloud(
        **{
            service: Adapter(session, service_type=service, version=version, **options(service))
            for service, version in _SERVICES.items()
        }
    )


def _has_credentials(configuration: Any, section: str) -> bool:
    from keystoneauth1 import loading

    loading.register_auth_conf_options(configuration, section)
    return bool(configuration[section].auth_type or configuration[section].auth_section)


def _from_section(configuration: Any, section: str) -> Cloud:
    from keystoneauth1 import exceptions, loading
    from oslo_config import cfg

    loading.register_session_conf_options(configuration, section)
    loading.register_adapter_conf_options(configuration, section, include_deprecated=False)
    try:
        auth = loading.load_auth_from_conf_options(configuration, section)
        session = loading.load_session_from_conf_options(configuration, section, auth=auth)
        group = configuration[section]
        interfaces, region = group.valid_interfaces, group.region_name
    except (exceptions.ClientException, cfg.Error, ValueError) as error:
        raise ConfigError(f"credentials of [{section}]: {error}") from error
    options = {"interface": interfaces or ["internal", "public"], "region_name": region}
    return _cloud(session, lambda service: options)
