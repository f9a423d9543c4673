"""Data frames of every kind, in and out; pandas, polars and pyarrow are imported when needed."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from typing import Any

from cospot.errors import ArgumentError
from cospot.extras import missing_package


def as_pandas(frame: Any) -> Any:
    """Return a pandas DataFrame of any data frame.

    Raises:
        ArgumentError: It has none of `to_pandas`, the Arrow C stream and the interchange protocol.
        ImportError: A package that it takes is not installed.
    """
    pd = require("pandas")
    if isinstance(frame, pd.DataFrame):
        return frame
    if hasattr(frame, "__arrow_c_stream__"):
        # polars converts itself only with pyarrow, too.
        return require("pyarrow").table(frame).to_pandas()
    if hasattr(frame, "to_pandas"):
        return frame.to_pandas()
    if hasattr(frame, "__dataframe__"):
        return pd.api.interchange.from_dataframe(frame)
    raise ArgumentError(
        f"frame is of type {type(frame).__name__}, expected a data frame (of pandas, polars, "
        "pyarrow, or with the interchange protocol)"
    )


def to_polars(columns: Any) -> Any:
    """Return a polars DataFrame of a dict of arrays, or of a pandas DataFrame."""
    return require("polars").DataFrame(_plain(columns))


def to_arrow(columns: Any) -> Any:
    """Return a pyarrow Table of a dict of arrays, or of a pandas DataFrame."""
    return require("pyarrow").table(_plain(columns))


def _plain(columns: Any) -> dict[str, Any]:
    """Return columns that hold numbers or lists of texts, which both read alike."""
    named = columns if isinstance(columns, Mapping) else _columns_of(columns)
    return {
        name: [None if _is_nan(value) else value for value in values.tolist()]
        if values.dtype == object
        else values
        for name, values in named.items()
    }


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _columns_of(frame: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name in frame.columns:
        column = frame[name]
        is_category = str(column.dtype) == "category"
        columns[name] = (column.astype(object) if is_category else column).to_numpy()
    return columns


def require(package: str) -> Any:
    """Import an optional package. Raises ImportError, which says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise missing_package(error) or error from error
