"""The evidence of a history in words: see `cospot.Evidence` for the rule."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import cospot
from cospot.nova.promises.asked_lifetime import lifetime_text


@functools.cache
def observations_needed(target: float, share: float = 0.0) -> int | None:
    """Return the cached `cospot.observations_needed`, which is a search."""
    return cospot.observations_needed(target, share)


def observed_text(history: Mapping[str, Any]) -> str:
    """Return the length of observation as text, from a table of promises."""
    return lifetime_text(86400 * history["days"])
