"""Workloads from pandas frames: names of the CSV and of Python, datetimes, timedeltas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot import Workload
from cospot.errors import WorkloadError

pd = pytest.importorskip("pandas", reason="pandas is not installed")

HOUR_US = 3600 * 1_000_000
PLAIN = {"vcpus": [2, 4], "memory_mb": [1024, 2048]}


def times(frame: dict[str, Any], **options: Any) -> list[tuple[int, int]]:
    """Return the starts and ends of a frame with two requests."""
    workload = Workload.from_pandas(
        pd.DataFrame(PLAIN | {"class": ["vm", "spot"]} | frame), **options
    )
    assert workload.to_columns()["is_spot"].tolist() == [False, True]
    columns = workload.to_columns()
    return list(zip(columns["start_us"].tolist(), columns["end_us"].tolist(), strict=True))


def test_a_workload_file_read_by_pandas_is_the_workload(tmp_path: Path) -> None:
    file = tmp_path / "w.csv"
    file.write_text(
        "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n"
        "web-1,shop,vm,4,8192,40,-86400,never\njob-17,lab,spot,16,32768,0,3600.25,7201.5\n"
    )
    framed = Workload.from_pandas(pd.read_csv(file, dtype={"end_s": object}).assign(
        end_s=lambda frame: pd.to_numeric(frame["end_s"], errors="coerce")))  # fmt: skip
    loaded = Workload.load(file)
    for name, column in loaded.to_columns().items():
        assert framed.to_columns()[name].tolist() == column.tolist(), name
    assert Workload.from_pandas(loaded.to_pandas()).sha256 == framed.sha256


@pytest.mark.parametrize("end", [["never", None], [None, None], [float("nan"), float("inf")]])
def test_an_end_that_is_missing_was_never_seen(end: list[Any]) -> None:
    assert times({"start_s": [0, 1.5], "end_s": end}) == [
        (0, cospot.NEVER_US), (1_500_000, cospot.NEVER_US)
    ]  # fmt: skip


def test_datetimes_count_from_the_first_start_or_the_stated_one() -> None:
    frame = {
        "start": pd.to_datetime(["2024-05-01T02:00:00", "2024-05-01T01:00:00"]),
        "end": pd.to_datetime(["2024-05-01T03:00:00", None]),
    }
    assert times(frame) == [(HOUR_US, 2 * HOUR_US), (0, cospot.NEVER_US)]
    # 02:00+02:00 is 00:00 in UTC, which times without a zone are in.
    assert times(frame, window_start="2024-05-01T02:00:00+02:00") == [
        (2 * HOUR_US, 3 * HOUR_US), (HOUR_US, cospot.NEVER_US)
    ]  # fmt: skip
    zoned = {name: pd.Series(column).dt.tz_localize("Asia/Tokyo") for name, column in frame.items()}
    assert times(zoned) == times(frame)


def test_lengths_of_time() -> None:
    hours = pd.to_timedelta(["1h", "2h"])
    lives = pd.to_timedelta(["3h", None])
    expected = [(HOUR_US, 4 * HOUR_US), (2 * HOUR_US, cospot.NEVER_US)]
    assert times({"start": hours, "duration": lives}) == expected
    assert times({"start_s": [3600, 7200], "duration_s": [10800.0, None]}) == expected
    datetimes = pd.Timestamp("2024-05-01") + hours
    assert times({"start": datetimes, "duration_s": [3600, 3600]}, window_start="2024-05-01") == [
        (HOUR_US, 2 * HOUR_US), (2 * HOUR_US, 3 * HOUR_US)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        ({"start_s": [0, 1]}, "found none, expected one of the columns end_us, end_s, end"),
        ({"start_s": [0, 1], "start": [0, 1], "end_s": [2, 2]}, "found start_s and start"),
        ({"start_s": [0, None], "end_s": [2, 2]}, r"start_s\[1\] is empty, expected a time"),
        ({"start_s": [0, 1], "end_s": ["soon", "never"]}, "end_s holds texts"),
        ({"start": [0, 1], "end_s": [2, 2]}, "start holds numbers, expected datetimes"),
        ({"start_s": [0, 1], "end": pd.to_datetime(["2024-05-01"] * 2)}, "but the starts are none"),
        ({"start": pd.to_datetime(["2024-05-01"] * 2), "end_s": [2, 2]}, "end_s holds no datetime"),
        ({"start_us": [0, 0.5], "end_us": [2, 2]}, "start_us has parts of a microsecond"),
        ({"start_s": [0, 1], "end_s": [2, 0]}, r"end_us\[1\] 0 is before start_us\[1\] 1000000"),
        ({"start_s": [0, 1], "end_s": [2, 2], "ram": [1, 1]}, "unknown column 'ram'; valid names:"),
        (
            {"Unnamed: 0": [0, 1], "start_s": [0, 1], "end_s": [2, 2]},
            r"'Unnamed: 0'; it looks like an index: pd.read_csv\(FILE, index_col=0\); valid names:",
        ),
        ({"start_s": [0, 1], "end_s": [2, 2], "class": ["vm", "gold"]}, r"class\[1\] is 'gold'"),
        (
            {"start": pd.to_datetime(["2024-05-01"] * 2),
             "duration": pd.to_datetime(["2024-05-01"] * 2)},
            "duration holds datetimes, expected lengths of time",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(frame: dict[str, Any], text: str) -> None:
    with pytest.raises(WorkloadError, match=text):
        times(frame)


def test_a_stated_start_that_cannot_be_used() -> None:
    with pytest.raises(
        WorkloadError, match="window_start is given, but start_s holds no datetimes"
    ):
        times({"start_s": [0, 1], "end_s": [2, 2]}, window_start="2024-05-01")
    datetimes = {
        "start": pd.to_datetime(["2024-05-01"] * 2),
        "end": pd.to_datetime(["2024-05-02"] * 2),
    }
    with pytest.raises(WorkloadError, match="window_start is 'soon', expected a datetime"):
        times(datetimes, window_start="soon")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"start_s": [0.0, 1e300], "end_s": [1.0, 2.0]},
         "frame: start_s[1] is 1e+300, expected from -864000000 to 864000000"),
        # Seconds that fit an int64, whose microseconds do not.
        ({"start_s": [10**15, 0], "end_s": [1, 2]}, "frame: start_s[0] is 1000000000000000, exp"),
        ({"start_s": [0.0, -float("inf")], "end_s": [1.0, 2.0]}, "frame: start_s[1] is -inf, exp"),
        ({"start_s": [0, 0], "end_s": [None, 1e12]}, "frame: end_s[1] is 1000000000000.0, exp"),
        ({"start_us": [10**15, 0], "end_us": [1, 2]},
         "frame: start_us[0] is 1000000000000000, expected from -864000000000000 to"),
        ({"start_s": [0, 0], "duration_s": [1e300, 5]}, "frame: duration_s[0] is 1e+300, exp"),
        # 8e8 s each: 9,259 days, together more than 10,000.
        ({"start_s": [0, 800_000_000], "duration_s": [5, 800_000_000]},
         "frame: duration_s[1] is 800000000, expected an end at most 10000 days from second 0"),
        ({"start": pd.to_timedelta([0, 90_000], unit="D"),
          "end": pd.to_timedelta([1, 90_001], unit="D")},
         "frame: start[1] is 90000 days 00:00:00, expected at most 10000 days from second 0"),
    ],
)  # fmt: skip
def test_a_time_out_of_range_is_named_as_given(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(WorkloadError) as error:
        times(columns)
    assert message in str(error.value)


def test_the_latest_times_and_no_end_are_in_range() -> None:
    most = 864_000_000  # seconds: 10,000 days
    given = {"start_s": [-most, most - 1], "duration_s": [1, 1]}
    assert times(given)[1] == ((most - 1) * 10**6, most * 10**6)
    never = {"start_us": [0, 0], "end_us": [cospot.NEVER_US, 1]}
    assert times(never)[0] == (0, cospot.NEVER_US)
