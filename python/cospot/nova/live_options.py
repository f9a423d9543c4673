"""Options that may change while threads read them: an immutable snapshot, replaced as a whole.

oslo.config's `mutate_config_files` clears its cache of values and then reads the files. A thread
that reads an option in between caches the old value for good, so a switch that an operator has just
changed is lost. Therefore no decision reads oslo.config directly: it reads a snapshot, which is
replaced in one assignment once the files have been read and validated.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from oslo_config import cfg

from cospot.nova.configuration_faults import OptionError, read_values

#: Errors that reading configuration files may raise.
READING_ERRORS: Final = (cfg.Error, ValueError, OSError)
_READINGS: Final = 3


@dataclass(frozen=True)
class OptionValues:
    """The options of a group at one moment, as attributes. Lists are tuples.

    Attributes:
        values: by name.
        fault: why these values must not be trusted; empty if they match the files.
    """

    values: Mapping[str, Any]
    fault: str = ""

    def __getattr__(self, name: str) -> Any:
        if name == "values":  # while it is being copied
            raise AttributeError(name)
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


class LiveOptions:
    """The current options of a group, for any number of threads.

    An attribute is the option's current value. To read several options consistently, take `now`
    once and read them from it.

    Args:
        conf: oslo.config's configuration, after reading its files.
        group: of the options.
        options: those of the group.
        register: registers all options of a configuration whose file values must be valid.
        faults: returns what else is wrong in a configuration, given the values of the group.
    """

    def __init__(
        self,
        conf: Any,
        group: str,
        options: Iterable[Any],
        register: Callable[[Any], None],
        faults: Callable[[Any, Mapping[str, Any]], list[str]] = lambda conf, values: [],
    ) -> None:
        self._conf = conf
        self._group = group
        self._options = tuple(options)
        self._register = register
        self._faults = faults
        self._lock = threading.Lock()
        self.take()

    @property
    def now(self) -> OptionValues:
        """Return a consistent snapshot of the current values."""
        return self._now

    def __getattr__(self, name: str) -> Any:
        if name == "_now":  # before the first snapshot
            raise AttributeError(name)
        return getattr(self._now, name)

    def take(self) -> None:
        """Take oslo.config's current values; no other thread may be changing them.

        What is wrong with them is their `fault`.

        Raises:
            OptionError: a value is not what its type takes.
        """
        values = self._values_of(self._conf)
        self._now = OptionValues(values, "; ".join(self._faults(self._conf, values)))

    def reload(self, apply: Callable[[], Any] = lambda: None) -> None:
        """Read the files again, and ensure that the mutable options in force match them.

        If they still differ after several tries, because the files keep changing, the values have a
        `fault`.

        Args:
            apply: called once the files are valid, before their values take effect.

        Raises:
            READING_ERRORS: the files are invalid; none of their values is used.
        """
        with self._lock:
            fresh = self._read()
            apply()
            problem = "it changed while it was read"
            for _ in range(_READINGS):
                self._put(fresh)
                try:
                    fresh = self._read()
                except READING_ERRORS as error:
                    problem = str(error)
                    continue
                if self._is_in_force(fresh):
                    return
            self._now = replace(self._now, fault=f"what is in force is not in the files: {problem}")

    def distrust(self, fault: str) -> None:
        """Set the reason why the values must not be trusted, until a reload succeeds."""
        with self._lock:
            self._now = replace(self._now, fault=fault)

    def _put(self, fresh: Mapping[str, Any]) -> None:
        changes = {each.dest: fresh[each.dest] for each in self._options if each.mutable}
        self._now = OptionValues({**self._now.values, **changes})

    def _is_in_force(self, fresh: Mapping[str, Any]) -> bool:
        values = self._now.values
        return all(values[each.dest] == fresh[each.dest] for each in self._options if each.mutable)

    def _read(self) -> Mapping[str, Any]:
        """Read the files into a separate configuration, whose cache no other thread fills."""
        now = cfg.ConfigOpts()
        self._register(now)
        files, folders = self._conf.config_file or [], self._conf.config_dir or []
        try:
            now([], default_config_files=files, default_config_dirs=folders)
        except SystemExit as error:  # also raised for options of the command line
            raise ValueError("an option of [DEFAULT] has a wrong value") from error
        values = self._values_of(now)
        if faults := self._faults(now, values):
            raise OptionError("; ".join(faults))
        return values

    def _values_of(self, conf: Any) -> dict[str, Any]:
        values = read_values(conf, self._group, self._options)
        return {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
