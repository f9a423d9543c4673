"""Answers for Nova's dynamic vendordata and for the signals endpoint, served from memory.

A spot learns of itself only: Nova sends its UUID and its project, and both must be those of the
spot. All others, VMs among them, get an empty object.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.signal_keeper import SignalBook, SignalKeeper
from cospot.nova.moment import offset_text_of
from cospot.nova.promises.journal import KnownPromise
from cospot.nova.signals.spot_lives import SpotLife
from cospot.nova.state.stores import Notice


class MalformedRequestError(ValueError):
    """A request that is none of Nova's; says what was expected."""


class Vendordata:
    """Thread-safe; answers by what the keeper knows."""

    def __init__(self, context: EvictorContext, keeper: SignalKeeper) -> None:
        self._settings = context.settings
        self._notices = context.stores.notices
        self._promises = context.promises
        self._keeper = keeper

    def signals(self) -> bytes | None:
        """Return the signals of all flavors as JSON; None: they are not known yet."""
        book = self._keeper.book
        return None if book is None else book.text

    def answer(self, body: bytes) -> dict[str, Any]:
        """Return what a request of Nova is answered.

        Args:
            body: JSON, as nova/api/metadata/vendordata_dynamic.py makes it.

        Raises:
            MalformedRequestError: it is no such request.
        """
        instance, project = _read(body)
        book = self._keeper.book
        life = None if book is None else book.there.get(instance)
        if life is None:
            self._keeper.look_soon()
        notice = self._notices.told(instance)
        owner = None if life is None else life.project_id
        if life is None and notice is not None:
            owner = self._notices.projects.get(instance)
        if owner is None or owner != project:
            return {}
        now = time.time()
        return {
            "spot": True,
            "as_of": offset_text_of(now),
            "notice": self._notice(notice),
            "promise": _promise(self._promises.known(instance)),
            **_signals(book, life, now),
        }

    def _notice(self, notice: Notice | None) -> dict[str, Any] | None:
        if notice is None:
            return None
        return {
            "evict_at": offset_text_of(notice.evict_at),
            "given_at": offset_text_of(notice.given_at),
            "reason": "reserve",
            "action": self._settings.action,
        }


def _read(body: bytes) -> tuple[str, str]:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise MalformedRequestError("expected JSON") from None
    if not isinstance(request, Mapping):
        raise MalformedRequestError("expected a JSON object")
    found = []
    for name in ("instance-id", "project-id"):
        value = request.get(name)
        if not isinstance(value, str) or not value:
            raise MalformedRequestError(f"expected a text as {name!r}")
        found.append(value)
    return found[0], found[1]


def _promise(known: KnownPromise | None) -> dict[str, Any] | None:
    if known is None or known.never_ran:
        return None
    promise = known.promise
    return {
        "lives_until": offset_text_of(promise.due_at),
        "lifetime_s": promise.lifetime_s,
        "probability": 1 - promise.target,
        "broken_at": None if known.broken_at is None else offset_text_of(known.broken_at),
    }


def _signals(book: SignalBook | None, life: SpotLife | None, now: float) -> dict[str, Any]:
    """Return a spot's own risk, and what is known of its flavor."""
    if book is None or life is None:
        return {}
    ordered = None if life.evicted_at is None else offset_text_of(life.evicted_at)
    answer: dict[str, Any] = {"flavor": life.flavor, "eviction_ordered_at": ordered}
    flavor = book.signals.flavors.get(life.flavor)
    if flavor is None:
        return answer
    return {
        **answer,
        "risk": book.signals.risk_of(life, now),
        "eviction_rate": flavor.eviction_rate,
        "expected_uptime": flavor.expected_uptime,
        "quote": flavor.quote,
        "unknown": dict(flavor.unknown),
    }
