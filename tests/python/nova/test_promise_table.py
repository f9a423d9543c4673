"""Lifetimes as users write them, and the file of what may be promised."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import pytest
from cospot.nova.promises.asked_lifetime import LifetimeError, lifetime_text, read_lifetime
from cospot.nova.promises.promise_message import (
    Promise,
    PromiseMessageError,
    promise_from_message,
    promise_to_message,
)
from cospot.nova.promises.promise_table import (
    PromiseTable,
    PromiseTableError,
    SizePromises,
    table_from_text,
    table_to_text,
)
from promise_cases import HOUR, make_table

SPOT = "0b5e2a5c-7d8e-4a5e-9f3e-6f3c1d2b4a59"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5400", 5400), ("90s", 90), ("90 min", 5400), ("90m", 5400), ("1.5h", 5400),
        ("1h 30min", 5400), ("1h30m", 5400), (" 2 d ", 2 * 86400), ("1w", 7 * 86400),
    ],
)  # fmt: skip
def test_a_lifetime_is_read(text, seconds):
    assert read_lifetime(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1", "h", "3 hours", "1e9", "nan", "inf", "1h 30", "101w" * 60, "٣h", "9" * 99],
)
def test_what_is_no_lifetime(text):
    with pytest.raises(LifetimeError, match="expected"):
        read_lifetime(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (45.9, "45 s"), (61, "1 min"), (3600, "1 h"), (3 * HOUR + 20 * 60 + 59, "3 h 20 min"),
        (50 * HOUR, "2 d 2 h"), (72 * HOUR, "3 d"),
    ],
)  # fmt: skip
def test_a_lifetime_is_shown_rounded_down(seconds, text):
    assert lifetime_text(seconds) == text


def test_what_is_promised_by_free_slots():
    (size,) = make_table().sizes
    hours = [size.promised(slots, 0) for slots in (0, 1, 3, 4, 7, 8, 10_000)]
    assert hours == [None, HOUR, HOUR, 3 * HOUR, 3 * HOUR, math.inf, math.inf]


def test_a_size_that_is_not_there_has_what_the_next_larger_one_has():
    small, large = (SizePromises((n, n * 2048, 0), []) for n in (2, 4))
    table = PromiseTable(0, 0, (0.1,), (large, small))
    assert table.for_size((2, 4096, 0)) is small
    assert table.for_size((1, 1, 0)) is small
    assert table.for_size((2, 4097, 0)) is large  # more memory than the small one
    assert table.for_size((4, 8192, 1)) is None
    assert table.target_index(0.1) == 0 and table.target_index(0.05) is None


def test_the_file_says_what_was_written():
    table = make_table(1000.0)
    again = table_from_text(table_to_text(table))
    assert (again.observed_until, list(again.targets)) == (1000.0, [0.05, 0.1])
    assert again.sizes[0].size == (4, 8192, 0)
    assert [list(steps) for steps in again.sizes[0].steps] == [
        list(steps) for steps in table.sizes[0].steps
    ]
    assert table_to_text(again) == table_to_text(table)


def changed(**values: Any) -> str:
    return json.dumps({**json.loads(table_to_text(make_table())), **values})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        "{}",
        changed(version=2),
        changed(targets=[0]),
        changed(targets=[0.1]),  # one list of promises too many
        changed(observed_until="now"),
        changed(observed_until=math.nan),
        changed(sizes=[{}]),
        changed(sizes=7),
        table_to_text(make_table()).replace('"vcpus": 4', '"vcpus": -4'),
        table_to_text(make_table()).replace('"never"', '"ever"'),
        table_to_text(make_table()).replace("3600.0", "true"),
        table_to_text(make_table()).replace("10800.0", "1" + "0" * 400),
    ],
    ids=itertools.count(),  # a table has the time in it, and every process its own
)
def test_what_is_no_table(text):
    with pytest.raises(PromiseTableError):
        table_from_text(text)


def test_a_promise_comes_as_it_was_sent():
    promise = Promise(SPOT, 1_700_000_000.0, HOUR, 0.05)
    assert promise_from_message(json.loads(json.dumps(promise_to_message(promise)))) == promise
    assert promise.due_at == 1_700_003_600.0


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2}, {"instance": "no uuid"}, {"instance": None}, {"lifetime_s": -1},
        {"lifetime_s": math.nan}, {"lifetime_s": 10**400}, {"target": "0.1"}, {"target": 2},
        {"made_at": True},
    ],
)  # fmt: skip
def test_what_is_no_promise(change):
    with pytest.raises(PromiseMessageError):
        promise_from_message({**promise_to_message(Promise(SPOT, 1e9, 1.0, 0.1)), **change})
    for message in (None, [], "text"):
        with pytest.raises(PromiseMessageError):
            promise_from_message(message)
    with pytest.raises(PromiseMessageError, match="has no 'version'"):
        promise_from_message({})
