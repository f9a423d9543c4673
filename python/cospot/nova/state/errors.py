"""Errors from which the service recovers."""

from __future__ import annotations

import time
from collections.abc import Collection
from http import HTTPStatus
from typing import Final

from cospot.nova.log import DEBUG, WARNING
from cospot.printable import in_one_line

#: No answer, or one from a proxy: what was asked for may have been done nevertheless.
UNKNOWN_OUTCOMES: Final = frozenset({0, 502, 503, 504})
#: These, a token that no longer counts and a limit of requests say nothing about the server that
#: was asked about. The same may be answered otherwise a moment later.
PASSING: Final = UNKNOWN_OUTCOMES | {401, 408, 429}


#: Repeated news is told again after so many seconds.
_TELL_AGAIN_S: Final = 600.0
_MOST_TOLD: Final = 10_000


class EvictorError(Exception):
    """Base of the service's own errors; the text says what, where and what was expected."""

    def __str__(self) -> str:
        """Return the text in one line: it may quote names and answers from outside."""
        return in_one_line(super().__str__())


class SettingError(EvictorError):
    """The configuration cannot be used; the service does not start."""


class CloudError(EvictorError):
    """Nova or placement could not be asked, or gave an answer that makes no sense.

    Attributes:
        status: the HTTP status; 0 when there was no answer.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status

    @property
    def is_not_found(self) -> bool:
        """Tell whether there is no such object."""
        return self.status == HTTPStatus.NOT_FOUND


def kind_of(error: EvictorError) -> str:
    """Return what tells an error apart from another one about the same: not the whole text.

    The text of an answer may have the id of its request.
    """
    return f"status {error.status}" if isinstance(error, CloudError) else str(error)


class Complaints:
    """The last error about each of several things: the same one is worth one line in the log."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}

    def is_new(self, thing: str, error: EvictorError) -> bool:
        """Take note of an error; tell whether the last one about the thing was another."""
        before, self._kinds[thing] = self._kinds.get(thing), kind_of(error)
        return before != self._kinds[thing]

    def level(self, thing: str, error: EvictorError) -> int:
        """Take note of an error; return the level at which the log is to have it."""
        return WARNING if self.is_new(thing, error) else DEBUG

    def end(self, thing: str) -> None:
        """Take note that nothing is wrong with a thing any more."""
        self._kinds.pop(thing, None)

    def keep(self, things: Collection[str]) -> None:
        """Forget all other things."""
        self._kinds = {thing: kind for thing, kind in self._kinds.items() if thing in things}


class RepeatedNews:
    """The last words about each thing: the same again is news after ten minutes only."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[str, float]] = {}

    def is_news(self, thing: str, what: str) -> bool:
        """Take note of what is to be said of a thing; tell whether it was not said lately."""
        now = time.monotonic()
        if len(self._told) > _MOST_TOLD:
            self._told.clear()
        last, at = self._told.get(thing, ("", 0.0))
        if last == what and now - at < _TELL_AGAIN_S:
            return False
        self._told[thing] = (what, now)
        return True


class NotSentError(CloudError):
    """An order was kept back although nothing had been against it, so Nova has not heard of it."""


class MissingInventoryError(EvictorError):
    """A provider lacks the inventory of a watched resource, so its free capacity is not known."""


class AuditError(EvictorError):
    """The audit log could not be written; nothing may be evicted without it."""
