"""`cospot-nova promise`, `quote`, and what `status` says of promises."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openstack", reason="python3-openstacksdk is not installed")

from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.promises.promise_message import Promise
from cospot.nova.promises.promise_table import PromiseTable, table_from_text
from cospot.nova.spot_flavors import spot_extra_specs
from promise_cases import HOUR, make_table, write_table
from tool_cases import cloud_for, run

SIZE = {
    "VCPU": {"total": 4},
    "MEMORY_MB": {"total": 8192},
    "CUSTOM_SPOT_VCPU": {"total": 4},
    "CUSTOM_SPOT_MEMORY_MB": {"total": 8192},
}
COLUMNS = "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s"


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with cloud_for(monkeypatch) as stand_in:
        stand_in.add_host("h1", inventories=SIZE)
        stand_in.add_flavor("m1.two", 2, 1024)
        stand_in.add_flavor("spot.two", 2, 1024, extra_specs=spot_extra_specs(2, 1024, 0))
        yield stand_in


def tides(path: Path) -> Path:
    """For 14 days a VM of 3 of the host's 4 vCPUs is there in the second half of every 1,000 s."""
    rows = [
        f"vm{i},p,vm,3,1024,0,{1000 * i + 500},{1000 * i + 1000}" for i in range(14 * 86400 // 1000)
    ]
    path.write_text("\n".join(["# window_days: 14", COLUMNS, *rows, ""]))
    return path


def promised(path: Path, *arguments: Any) -> PromiseTable:
    assert run("promise", "--history", path, "-o", path.with_suffix(".json"), *arguments) == 0
    return table_from_text(path.with_suffix(".json").read_text())


def test_what_a_history_lets_be_promised(
    cloud: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """2 slots of 2 are free for 500 s at a time; from a random point a spot lives U(0, 500) s."""
    before = time.time()
    table = promised(tides(tmp_path / "history.csv"), "--target", 0.5, "--target", "0.1")
    assert list(table.targets) == [0.1, 0.5]
    (size,) = table.sizes
    assert (size.size, list(size.flavors)) == ((2, 1024, 0), ["spot.two"])
    assert size.samples == pytest.approx(5000, rel=0.05)  # half of 10,000 points have a slot
    assert size.promised(2, 1) == pytest.approx(250, rel=0.06)
    assert size.promised(2, 0) == pytest.approx(50, rel=0.15)
    assert size.promised(0, 0) is None
    assert table.made_at == pytest.approx(before, abs=60)
    assert (table.history["days"], table.history["vms"]) == (14, 1209)
    assert table.history["hosts"] == [{"count": 1, "vcpus": 4, "memory_mb": 8192, "disk_gb": 0}]
    assert table.settings["samples"] == 10_000
    assert "spot.two: at most 90 % " in capsys.readouterr().out


def test_the_same_history_gives_the_same_promises(cloud: Any, tmp_path: Path) -> None:
    first = promised(tides(tmp_path / "a.csv")).sizes
    assert promised(tides(tmp_path / "b.csv")).sizes == first
    assert promised(tides(tmp_path / "c.csv"), "--seed", 2).sizes != first


def test_nothing_longer_than_the_history_is_promised(cloud: Any, tmp_path: Path) -> None:
    """A host that no VM ever needs: nobody was evicted in 14 days."""
    path = tmp_path / "idle.csv"
    path.write_text(f"# window_days: 14\n{COLUMNS}\nvm1,p,vm,1,1,0,-100,50\n")
    (size,) = promised(path).sizes
    assert size.promised(2, 0) == 14 * 86400


def test_hosts_that_take_no_spots_are_not_counted(cloud: Any, tmp_path: Path) -> None:
    bare = {name: SIZE[name] for name in ("VCPU", "MEMORY_MB")}
    cloud.add_host("h0", inventories=bare)
    cloud.add_host("h2", inventories=SIZE)
    cloud.aggregates = [{"name": "cheap", "hosts": ["h2"]}]
    path = tides(tmp_path / "history.csv")
    assert promised(path).history["hosts"][0]["count"] == 2
    table = promised(path, "--aggregate", "cheap")
    assert table.history["hosts"][0]["count"] == 1
    assert run("promise", "--history", path, "--aggregate", "dear") == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "history.csv"),
        (f"{COLUMNS}\n", "history.csv"),
        ("instance_id\n1\n", "history.csv"),
    ],
)
def test_what_is_no_history(
    cloud: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, error: str
) -> None:
    path = tmp_path / "history.csv"
    path.write_text(text)
    output = tmp_path / "promises.json"
    output.write_text("as before")
    assert run("promise", "--history", path, "-o", output) == 2
    assert error in capsys.readouterr().err
    assert output.read_text() == "as before"


def test_bad_usage_of_promise(
    cloud: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tides(tmp_path / "history.csv")
    assert run("promise", "--history", path, "--target", "1.5") == 2
    assert "--target 1.5: expected a probability" in capsys.readouterr().err
    assert run("promise", "--history", tmp_path / "none.csv") == 2
    assert "see cospot-nova history export" in capsys.readouterr().err
    cloud.flavors = cloud.flavors[:1]
    assert run("promise", "--history", path) == 2
    assert "there is no spot flavor" in capsys.readouterr().err


def four(cloud: Any) -> None:
    """A flavor of the size that the table of `promise_cases` has, and three hosts."""
    cloud.add_flavor("spot.four", 4, 8192, extra_specs=spot_extra_specs(4, 8192, 0))
    cloud.hypervisors.clear()
    large = {name: {"total": 8 if "VCPU" in name else 16384} for name in SIZE}
    spot = {"CUSTOM_SPOT_VCPU": 2, "CUSTOM_SPOT_MEMORY_MB": 1024}
    cloud.add_host("h1", inventories=large)
    cloud.add_host("h2", inventories=large, allocations={"a": {"VCPU": 2}, "b": spot})
    cloud.add_host("off", inventories=large, status="disabled")


def test_a_quote_by_the_free_slots_of_now(
    cloud: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    four(cloud)
    path = write_table(tmp_path / "promises.json")
    assert run("quote", "spot.four", "--promises", path) == 0
    # h1: 8 / 4 = 2; h2: (8 - 2 - 2) / 4 = 1; "off" takes none.
    assert capsys.readouterr().out.splitlines() == [
        "spot.four (4 vCPUs, 8192 MiB): 3 more fit now on 2 of 2 hosts",
        "90 % live at least 1 h",
        "95 % live at least 1 h",
    ]
    assert run("quote", "spot.four", "--promises", path, "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["slots"], found["slots_by_host"]) == (3, {"h1": 2, "h2": 1})
    assert found["quotes"] == [
        {"target": 0.05, "lives_at_least_s": HOUR},
        {"target": 0.1, "lives_at_least_s": HOUR},
    ]
    assert found["history"]["file"] == "history.csv.gz"
    # A smaller one is promised what the larger one is, by the larger one's slots.
    assert run("quote", "spot.two", "--promises", path, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["slots"] == 3


def test_a_quote_where_nothing_can_be_promised(
    cloud: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    four(cloud)
    for row in cloud.providers.values():
        row["allocations"] = {"vm": {"VCPU": 8}}
    path = write_table(tmp_path / "promises.json", make_table(time.time() - 2 * 86400))
    assert run("quote", "spot.four", "--promises", path) == 0
    captured = capsys.readouterr()
    assert "0 more fit now on 0 of 2 hosts" in captured.out
    assert "95 % live at least - (nothing can be promised)" in captured.out
    assert "ended 2 d ago; nova-scheduler takes none older than 24 h" in captured.err


def test_bad_usage_of_quote(cloud: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_table(tmp_path / "promises.json")
    for arguments, error in (
        (["spot.two"], "no table of promises"),
        (["spot.two", "--promises", tmp_path / "none"], "No such file"),
        (["m1.two", "--promises", path], "is no spot flavor"),
        (["m2", "--promises", path], "m2"),
        (["spot.two", "--promises", __file__], "make it anew"),
    ):
        assert run("quote", *arguments) == 2, arguments
        assert error in capsys.readouterr().err


def test_the_file_of_nova_conf_is_quoted_from(
    cloud: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("nova.conf", reason="python3-nova is not installed")
    four(cloud)
    path = write_table(tmp_path / "promises.json")
    conf = tmp_path / "nova.conf"
    conf.write_text(f"[cospot]\nlifetime_promises = {path}\naggregates = cheap\n")
    cloud.aggregates = [{"name": "cheap", "hosts": ["h2"]}]
    assert run("quote", "spot.four", "--config-file", conf) == 0
    assert "1 more fit now on 1 of 1 hosts" in capsys.readouterr().out


def evictor_conf(folder: Path) -> Path:
    path = folder / "cospot-evictor.conf"
    path.write_text(f"[cospot_evictor]\nstate_path = {folder}\n")
    return path


def test_status_tells_of_promises_and_of_the_alarm(
    cloud: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tooz", reason="needs what the evictor needs")
    conf = evictor_conf(tmp_path)
    assert run("status", "--evictor-config-file", conf, "--audit-log", os.devnull) == 0
    assert "promised" not in capsys.readouterr().out
    journal, now = PromiseJournal(str(tmp_path)), time.time()
    for number in range(20):
        name = f"00000000-0000-0000-0000-{number:012}"
        journal.add(Promise(name, now - 2 * HOUR, HOUR, 0.05))
        if number < 4:
            journal.evicted(name, now - 1.5 * HOUR)
    assert run("status", "--evictor-config-file", conf, "--audit-log", os.devnull) == 0
    output = capsys.readouterr().out
    assert output.startswith("ALARM: 4 of 20 promises are broken where 5 % may be")
    # Clopper and Pearson for 4 of 20
    row = next(line for line in output.splitlines() if line.startswith("with 95 %"))
    assert row.split()[3:] == ["20", "16", "4", "0", "5.73%", "to", "43.66%", "BROKEN"]
    arguments = ("--evictor-config-file", conf, "--audit-log", os.devnull, "--format", "json")
    assert run("status", *arguments) == 0
    (share,) = json.loads(capsys.readouterr().out)["promises"]
    assert (share["kept"], share["broken"], share["alarm"]) == (16, 4, True)
