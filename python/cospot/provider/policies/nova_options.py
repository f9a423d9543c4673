"""The configuration that Nova's classes read during a decision.

Nova has one configuration per process (``nova.conf.CONF``), which its weighers and filters read in
every call. Policies of a sweep file may set options, so two policies of one sweep may need
different values: `NovaOptions.applied` applies one policy's options for the duration of a call,
under a lock.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from cospot.errors import ConfigError

OptionValue = bool | int | float | str

_DEFAULT_GROUP = "filter_scheduler"

_Option = tuple[str | None, str, OptionValue]  # group (None: DEFAULT), name, value


class _Overrides:
    """The options in force in addition to Nova's defaults."""

    def __init__(self) -> None:
        # Held while a Nova class runs: guards the options, and the host objects that Nova sees.
        self.lock = threading.RLock()
        self._in_force: tuple[_Option, ...] = ()

    def replace(self, options: tuple[_Option, ...]) -> None:
        """Applies `options` and no others. Requires the lock."""
        if options is self._in_force:
            return
        conf = nova_conf()
        for group, name, _ in self._in_force:
            conf.clear_override(name, group)
        self._in_force = ()
        for option in options:
            group, name, value = option
            conf.set_override(name, value, group)
            self._in_force += (option,)
        self._in_force = options


_overrides = _Overrides()


def nova_conf() -> Any:
    """Returns Nova's configuration object.

    Raises:
        ConfigError: Nova is not installed for this Python.
    """
    return import_nova("nova.conf").CONF


def import_nova(module: str) -> Any:
    """Imports a module of Nova.

    Raises:
        ConfigError: Nova is not installed for this Python.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "nova":
            raise
        raise ConfigError(
            "OpenStack Nova is not installed for this Python (Debian: apt-get install python3-nova)"
        ) from error


class NovaOptions:
    """Options of Nova's configuration for one policy.

    A key is an option of the group ``filter_scheduler`` (``ram_weight_multiplier``), or includes
    its group (``metrics.weight_setting``). Other options have Nova's defaults.
    """

    def __init__(self, policy: str, values: Mapping[str, OptionValue]) -> None:
        """Checks the options.

        Args:
            policy: Name for error messages.
            values: Option values as written in the sweep file.

        Raises:
            ConfigError: An option is unknown (the text lists the valid names) or its value is
                invalid.
        """
        self._options: tuple[_Option, ...] = ()
        for key, value in values.items():
            option = (*_find_option(policy, key), value)
            _require_settable(policy, key, option)
            self._options += (option,)

    @contextlib.contextmanager
    def applied(self) -> Iterator[None]:
        """Applies these options and no others until the block ends."""
        with _overrides.lock:
            _overrides.replace(self._options)
            yield


def _find_option(policy: str, key: str) -> tuple[str | None, str]:
    """Returns the group (None: DEFAULT) and the name of the option for a key."""
    conf = nova_conf()
    group, dot, option = key.rpartition(".")
    if not dot:
        group = _DEFAULT_GROUP
    if group == "DEFAULT":
        if option in conf and not _is_group(conf, option):
            return None, option
    elif group in conf and _is_group(conf, group) and option in conf[group]:
        return group, option
    valid = ", ".join(sorted(conf[_DEFAULT_GROUP]))
    raise ConfigError(
        f"{policy}: unknown option '{key}'; valid names: sees, those of Nova's group"
        f" {_DEFAULT_GROUP}: {valid}; and GROUP.NAME for options of its other groups"
    )


def _is_group(conf: Any, name: str) -> bool:
    return hasattr(conf[name], "keys")


def _require_settable(policy: str, key: str, option: _Option) -> None:
    """Raises ConfigError if Nova rejects the value."""
    with _overrides.lock:
        try:
            _overrides.replace((option,))
        except (ValueError, TypeError) as error:
            reason = " ".join(str(error).split())
            raise ConfigError(f"{policy}: option '{key}' is {option[2]!r}: {reason}") from error
        finally:
            _overrides.replace(())
