"""Makes dataclasses from the JSON that commands print with `--json` (docs/json.md)."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from cospot.interval import Interval


def from_json(made: type, value: Any) -> Any:
    """Convert `value`, a tree of dicts and lists, to the type of the annotation `made`.

    A dataclass takes its fields from the keys of a dict; a field with another name gives its key in
    its metadata. A JSON null is None if the annotation allows it, otherwise infinity for a number
    and an empty text.
    """
    if is_dataclass(made):
        return _interval(value) if made is Interval else _dataclass(made, value)
    origin, arguments = get_origin(made), get_args(made)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        return from_json(next(one for one in arguments if one is not type(None)), value)
    if origin is list:
        return [from_json(arguments[0], one) for one in value]
    if origin is dict:
        return {arguments[0](key): from_json(arguments[1], one) for key, one in value.items()}
    if made is float:
        return math.inf if value is None or value == "never" else float(value)
    return "" if made is str and value is None else value


def _dataclass(made: type, value: dict[str, Any]) -> Any:
    annotations = get_type_hints(made)
    return made(
        **{
            field.name: _field(
                from_json(annotations[field.name], value[field.metadata.get("key", field.name)]),
                field.metadata,
            )
            for field in fields(made)
        }
    )


def _field(made: Any, metadata: Mapping[str, Any]) -> Any:
    """Bound an interval by what its field can be, if that says so."""
    return made.within(*metadata["within"]) if made and "within" in metadata else made


def _interval(value: dict[str, float | None]) -> Interval | None:
    mean, half = value["mean"], value["half_width_95"]
    if mean is None:
        return None
    if half is None:
        return Interval(float(mean), None, None)
    return Interval(float(mean), float(mean - half), float(mean + half))
