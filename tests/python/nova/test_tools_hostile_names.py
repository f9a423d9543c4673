"""Names of a cloud are any text: none of them acts on the operator's terminal."""

import re

import pytest
from cospot.nova.moment import moment_of
from tool_cases import cloud_for, run

HOSTILE = "a\x1b[31m\x1b]0;x\x07\u009b31m\u202eb"
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
SIZE = {"VCPU": {"total": 8}, "MEMORY_MB": {"total": 512}, "DISK_GB": {"total": 9}}


@pytest.fixture
def cloud(monkeypatch):
    with cloud_for(monkeypatch) as stand_in:
        stand_in.add_host(HOSTILE, inventories=SIZE)
        stand_in.add_flavor(HOSTILE, 2, 4096, 20)
        stand_in.add_flavor(f"spot.{HOSTILE}", 2, 9, 2, extra_specs={"cospot:spot": HOSTILE})
        stand_in.aggregates = [{"name": HOSTILE, "hosts": [HOSTILE]}]
        yield stand_in


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("status", "--format", "json"),
        ("doctor",),
        ("doctor", "--verbose"),
        ("flavor", "check"),
        ("flavor", "create-spot", HOSTILE),
        ("flavor", "create-spot", HOSTILE + "z"),
        ("inventory", "--host", HOSTILE),
        ("inventory", "--host", HOSTILE + "z"),
        ("inventory", "--vcpus", HOSTILE),
        ("history", "export", "-o", f"/nowhere/{HOSTILE}"),
        ("bill", "--month", HOSTILE),
        (HOSTILE,),
    ],
    ids=repr,
)
def test_no_command_prints_them_as_they_are(cloud, capsys, arguments):
    run(*arguments)
    captured = capsys.readouterr()
    text = captured.out + captured.err
    assert text and not ACTS.search(text), ACTS.search(text)
    assert "Traceback" not in text


def test_what_the_cloud_answers_is_not_printed_as_it_is(cloud, capsys):
    cloud.failing["GET /compute/flavors/detail"] = HOSTILE + "x" * 100_000
    run("flavor", "check")
    captured = capsys.readouterr()
    assert not ACTS.search(captured.out + captured.err) and len(captured.err) < 9000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T01:00:00", 3600),
        ("1970-01-01T01:00:00Z", 3600),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T01:00:00-0030", 5400),
        ("1970-01-02", 86400),
        ("1970-01-01T23:59+23:59", 0),
        ("1970-01-01T01:00:00+99:99", None),
        ("1970-01-01T01:00:00+24:00", None),
        ("1970-01-01T01:00:00+01:60", None),  # datetime takes it for +02:00
        ("1970-01-01T01:00:00-01:99", None),
        ("1970-01-01T01:00:00+01:00:99", None),
        ("1970-01-01T01:00:00+01:00Z", None),
        ("", None),
    ],
)
def test_offsets_are_those_of_a_clock(text, seconds):
    if seconds is None:
        with pytest.raises(ValueError):
            moment_of(text)
    else:
        assert moment_of(text).timestamp() == seconds
