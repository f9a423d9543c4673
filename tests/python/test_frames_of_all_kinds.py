"""Workloads and results as frames of pandas, polars and pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cospot
import pandas as pd
import pytest
from made_results import FOUR_RUNS, make_database

COLUMNS = {
    "instance_id": ["a", "b"], "vcpus": [2, 4], "memory_mb": [8, 16], "is_spot": [False, True],
    "start_s": [0.0, 1.5], "end_s": [10.0, None],
}  # fmt: skip


def frames() -> list[Any]:
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(COLUMNS)
    return [pd.DataFrame(COLUMNS), polars.DataFrame(COLUMNS), table, table.to_batches()[0]]


def test_any_frame_is_the_same_workload() -> None:
    made = [cospot.Workload.from_frame(frame, window_days=1) for frame in frames()]
    assert {workload.sha256 for workload in made} == {made[0].sha256}
    assert made[0].to_columns()["end_us"].tolist() == [10_000_000, cospot.NEVER_US]


class OnlyProtocol:
    """A frame that speaks one protocol and nothing else."""

    def __init__(self, frame: Any, protocol: str) -> None:
        setattr(self, protocol, getattr(frame, protocol))


class OnlyInterchange:
    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __dataframe__(self, *args: Any, **kwargs: Any) -> Any:
        return self.frame.__dataframe__(*args, **kwargs)


class OnlyArrowStream:
    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


def test_protocols() -> None:
    pandas_frame, _, table, _ = frames()
    expected = cospot.Workload.from_pandas(pandas_frame).sha256
    assert cospot.Workload.from_frame(OnlyArrowStream(table)).sha256 == expected
    if hasattr(pd.api, "interchange"):
        made = cospot.Workload.from_frame(OnlyInterchange(pandas_frame))
        assert made.sha256 == expected


def test_no_frame_at_all() -> None:
    with pytest.raises(TypeError, match="frame is of type int, expected a data frame"):
        cospot.Workload.from_frame(3)


def test_a_workload_as_polars_and_arrow(workload: cospot.Workload) -> None:
    pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    for frame in (workload.to_polars(), workload.to_arrow()):
        assert len(frame) == len(workload)
        again = cospot.Workload.from_frame(frame, window_us=workload.window_us)
        expected = cospot.Workload.from_columns(workload.to_columns(), window_us=workload.window_us)
        assert again.sha256 == expected.sha256


def test_results_as_polars_and_arrow(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    database = make_database(tmp_path / "results.db", FOUR_RUNS)
    results = cospot.load_results(database)
    for frame in (results.to_polars(), results.to_arrow()):
        found = frame.to_pandas()
        assert list(found.columns) == ["run_index", *results.runs.columns]
        assert found["otn"].tolist() == results.runs["otn"].tolist()
        assert found["vm"].tolist() == results.runs["vm"].astype(str).tolist()
        pd.testing.assert_series_equal(
            found["gain"].astype(float), results.runs["gain"].reset_index(drop=True)
        )
