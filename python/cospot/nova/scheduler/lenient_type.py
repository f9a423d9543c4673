"""Types of options that hand a wrong value on instead of raising.

When nova-scheduler starts, oslo.service logs the values of all options, and one that raises ends
it. With these types it starts, and cospot says what is wrong where it would have to decide.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cospot.nova.configuration_faults import plain


@dataclass(frozen=True)
class WrongValue:
    """A value in a configuration file that the option's type does not accept.

    Attributes:
        text: The value as it was written.
        why: What is wrong with it.
    """

    text: str
    why: str

    def __str__(self) -> str:
        return self.why if "found" in self.why else f"found {self.text!r}: {self.why}"


class LenientType:
    """A type of oslo.config that answers a wrong value with a `WrongValue`."""

    def __init__(self, strict: Any) -> None:
        self._strict = strict

    def __call__(self, value: Any) -> Any:
        """Return the value converted, or what is wrong with it."""
        try:
            return self._strict(value)
        except (ValueError, TypeError) as error:
            return WrongValue(str(value), plain(error))

    def __getattr__(self, name: str) -> Any:
        if name == "_strict":  # while it is being copied
            raise AttributeError(name)
        return getattr(self._strict, name)


def lenient(options: Iterable[Any]) -> list[Any]:
    """Return the options with their types made lenient."""
    made = []
    for option in options:
        copied = copy.copy(option)
        copied.type = LenientType(option.type)
        made.append(copied)
    return made
