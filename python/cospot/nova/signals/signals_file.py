"""The signals file: `cospot-evictor` writes it, `cospot-nova signals` reads it.

`GET /signals` returns the same content. It has data on flavors, none on instances.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from cospot.nova.moment import moment_of, offset_text_of
from cospot.nova.signals.flavor_signals import Signals

NAME: Final = "signals.json"
FORMAT: Final = "cospot signals"
VERSION: Final = 1


class SignalsFileError(ValueError):
    """A text that is not a signals file."""


def signals_to_json(signals: Signals) -> dict[str, Any]:
    """Return the content of the file."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "as_of": offset_text_of(signals.now),
        "observed_since": offset_text_of(signals.since),
        "risk_score": signals.score.as_json(),
        "flavors": [asdict(each) for each in signals.flavors.values()],
    }


def dump(signals: Signals) -> bytes:
    """Return the file's text."""
    return json.dumps(signals_to_json(signals), indent=1).encode() + b"\n"


def signals_from_text(text: str) -> Mapping[str, Any]:
    """Parse the file's text.

    Raises:
        SignalsFileError: it is not such a file.
    """
    try:
        body = json.loads(text)
        if (body["format"], body["version"]) != (FORMAT, VERSION):
            raise SignalsFileError(f"expected {FORMAT!r}, version {VERSION}")
        moment_of(body["as_of"])
        body["risk_score"]["skill"]
        for each in body["flavors"]:
            each["flavor"], each["running"], each["unknown"]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise SignalsFileError(f"it is no file of signals: {error}") from error
    return dict(body)
