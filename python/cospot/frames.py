"""Converts data frames of any library; imports pandas, polars and pyarrow only when needed."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from typing import Any

from cospot.errors import ArgumentError
from cospot.extras import missing_package


def as_pandas(frame: Any) -> Any:
    """Convert any data frame to a pandas DataFrame.

    Raises:
        ArgumentError: It supports neither `to_pandas`, the Arrow C stream nor the interchange
            protocol.
        ImportError: A required package is not installed.
    """
    pd = require("pandas")
    if isinstance(frame, pd.DataFrame):
        return frame
    if hasattr(frame, "__arrow_c_stream__"):
        # polars too needs pyarrow to convert itself.
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
    """Make a polars DataFrame from a dict of arrays or a pandas DataFrame."""
    return require("polars").DataFrame(_plain(columns))


def to_arrow(columns: Any) -> Any:
    """Make a pyarrow Table from a dict of arrays or a pandas DataFrame."""
    return require("pyarrow").table(_plain(columns))


def _plain(columns: Any) -> dict[str, Any]:
    """Return columns of numbers or lists of texts, which both libraries read alike."""
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
    """Import an optional package; the ImportError says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise missing_package(error) or error from error
