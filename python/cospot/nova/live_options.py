"""Options that may change while threads read them: one value, replaced whole.

oslo.config's `mutate_config_files` empties its cache of values and reads the files after that. A
thread that reads an option in between has the old value cached, for good: a switch that an operator
has just thrown is lost. So nothing that decides reads oslo.config. It reads a snapshot, which is
replaced in one assignment once the files have been read and found right.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from oslo_config import cfg

#: What reading a configuration's files may raise.
READING_ERRORS: Final = (cfg.Error, ValueError, OSError)
_READINGS: Final = 3


@dataclass(frozen=True)
class OptionValues:
    """The options of a group at one moment; each is an attribute. Lists are tuples.

    Attributes:
        values: by name.
        fault: why these values must not be trusted; empty when they are those of the files.
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
    """The options of a group as they are now, for any number of threads.

    An attribute is the option's value of now. Where several options count together, take `now`
    once and read them from it.

    Args:
        conf: oslo.config's configuration, its files read.
        group: of the options.
        options: those of the group.
        register: adds to a configuration all options whose values in the files must be right.
    """

    def __init__(
        self, conf: Any, group: str, options: Iterable[Any], register: Callable[[Any], None]
    ) -> None:
        self._conf = conf
        self._group = group
        self._options = tuple(options)
        self._register = register
        self._lock = threading.Lock()
        self.take()

    @property
    def now(self) -> OptionValues:
        """Return the values of now, which belong together."""
        return self._now

    def __getattr__(self, name: str) -> Any:
        if name == "_now":  # before there are any
            raise AttributeError(name)
        return getattr(self._now, name)

    def take(self) -> None:
        """Take the values that oslo.config has: while nobody changes them there."""
        self._now = OptionValues(self._values_of(self._conf))

    def reload(self, apply: Callable[[], Any] = lambda: None) -> None:
        """Read the files again, and see that the mutable options in force are those of the files.

        Should that not be so after some tries, as the files change all the while, the values have
        a `fault`.

        Args:
            apply: called once the files are found right, before their values are in force.

        Raises:
            READING_ERRORS: the files are wrong; nothing of them was taken.
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
        """Say why the values must not be trusted, until a reload finds them right."""
        with self._lock:
            self._now = replace(self._now, fault=fault)

    def _put(self, fresh: Mapping[str, Any]) -> None:
        changes = {each.dest: fresh[each.dest] for each in self._options if each.mutable}
        self._now = OptionValues({**self._now.values, **changes})

    def _is_in_force(self, fresh: Mapping[str, Any]) -> bool:
        values = self._now.values
        return all(values[each.dest] == fresh[each.dest] for each in self._options if each.mutable)

    def _read(self) -> Mapping[str, Any]:
        """Read the files into a configuration of its own, whose cache nobody else fills."""
        now = cfg.ConfigOpts()
        self._register(now)
        files, folders = self._conf.config_file or [], self._conf.config_dir or []
        try:
            now([], default_config_files=files, default_config_dirs=folders)
        except SystemExit as error:  # for the options that the command line has, too
            raise ValueError("an option of [DEFAULT] has a wrong value") from error
        return self._values_of(now)

    def _values_of(self, conf: Any) -> dict[str, Any]:
        group = getattr(conf, self._group)
        values = {option.dest: group[option.dest] for option in self._options}
        return {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
