"""`cospot-nova promise`, `quote`, and what `status` says of promises."""

from __future__ import annotations

import json
import math
import os
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot.nova.promises.journal import PromiseJournal
from cospot.nova.promises.promise_message import Promise
from cospot.nova.promises.promise_table import PromiseTable, table_from_text
from cospot.nova.spot_flavors import spot_extra_specs
from promise_cases import HOUR, make_table, write_table
from tool_cases import cloud_for, run, server

SIZE = {
    "VCPU": {"total": 4},
    "MEMORY_MB": {"total": 8192},
    "CUSTOM_SPOT_VCPU": {"total": 4},
    "CUSTOM_SPOT_MEMORY_MB": {"total": 8192},
}
COLUMNS = "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s"


@pytest.fixture
def cloud(monkeypatch):
    with cloud_for(monkeypatch) as stand_in:
        stand_in.add_host("h1", inventories=SIZE)
        stand_in.add_flavor("m1.two", 2, 1024)
        stand_in.add_flavor("spot.two", 2, 1024, extra_specs=spot_extra_specs(2, 1024, 0))
        yield stand_in


def write_history(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join(["# window_days: 14", COLUMNS, *rows, ""]))
    return path


def tides(path: Path) -> Path:
    """For 14 days a VM of 3 of the host's 4 vCPUs is there in the second half of every 1,000 s.

    A small spot is there in the first of them.
    """
    rows = []
    for start in range(0, 14 * 86400 - 1000, 1000):
        rows.append(f"spot{start},p,spot,1,64,0,{start},{start + 1}")
        rows.append(f"vm{start},p,vm,3,1024,0,{start + 500},{start + 1000}")
    return write_history(path, rows)


def promised(path: Path, *arguments: Any) -> PromiseTable:
    assert run("promise", "--history", path, "-o", path.with_suffix(".json"), *arguments) == 0
    return table_from_text(path.with_suffix(".json").read_text())


def test_what_a_history_lets_be_promised(cloud, tmp_path, capsys):
    """2 slots of 2 are free for 500 s at a time; from a random point a spot lives U(0, 500) s.

    Of 1,209 spots 45 %, and no 47.5 %, may have lived shorter to say with confidence that 50 % do:
    0.45 + 1.96 sqrt(0.45 0.55 / 1209) = 0.478, 0.475 + 0.028 = 0.503. So of 10 %, 8 %: with 8.5 %
    0.085 + 1.96 sqrt(0.085 0.915 / 1209) = 0.1007.
    """
    before = time.time()
    table = promised(tides(tmp_path / "history.csv"), "--target", 0.5, "--target", "0.1")
    assert list(table.targets) == [0.1, 0.5]
    (size,) = table.sizes
    assert (size.size, list(size.flavors)) == ((2, 1024, 0), ["spot.two"])
    assert size.samples == pytest.approx(5000, rel=0.05)  # half of 10,000 points have a slot
    assert size.promised(2, 1) == pytest.approx(0.45 * 500, rel=0.06)
    assert size.promised(2, 0) == pytest.approx(0.08 * 500, rel=0.15)
    assert size.promised(0, 0) is None
    assert table.made_at == pytest.approx(before, abs=60)
    assert (table.history["days"], table.history["vms"], table.history["spots"]) == (14, 1209, 1209)
    assert table.history["hosts"] == [{"count": 1, "vcpus": 4, "memory_mb": 8192, "disk_gb": 0}]
    assert table.settings["samples"] == 10_000
    assert "spot.two: at most 90 % " in capsys.readouterr().out


def test_the_same_history_gives_the_same_promises(cloud, tmp_path):
    first = promised(tides(tmp_path / "a.csv")).sizes
    assert promised(tides(tmp_path / "b.csv")).sizes == first
    assert promised(tides(tmp_path / "c.csv"), "--seed", 2).sizes != first


def lone_spots(count: int, first_s: int, step_s: int) -> list[str]:
    """Spots that nobody evicts."""
    return [
        f"s{i},p,spot,1,64,0,{first_s + step_s * i},{first_s + step_s * i + 1}"
        for i in range(count)
    ]


def all_promised(table: PromiseTable) -> list[float | None]:
    """What is promised when 2 spots fit, by target."""
    (size,) = table.sizes
    return [size.promised(2, number) for number in range(len(table.targets))]


def test_nothing_is_promised_that_the_history_does_not_support(cloud, tmp_path):
    """100 spots in 14 days, of which nobody was evicted.

    So many that lived say with 95 % confidence that 1 %, 5 %, 10 %, 25 % are broken at most:
    ln 0.025 / ln 0.99 = 367.04, 71.9, 35.01, 12.8. So the time is cut into 72, 36 and 13 pieces,
    from the first of 10,000 random points on: 121 s later on average.
    """
    path = write_history(tmp_path / "idle.csv", lone_spots(100, 0, 10_000))
    table = promised(path)
    days_14 = 14 * 86400
    nothing, *promises = all_promised(table)
    assert nothing is None
    assert promises == pytest.approx([days_14 // 72, days_14 // 36, days_14 // 13], abs=600 / 13)
    assert (table.history["days"], table.history["spots"], table.history["evictions"]) == (
        14,
        100,
        0,
    )
    assert table.settings["confidence"] == 0.95


def crowded(path: Path) -> Path:
    """As in the tides, with a VM of 2 vCPUs and a spot of 2 that was there all the time."""
    rows = ["first,p,spot,1,64,0,1,2", "old,p,spot,2,1024,0,3,never"]
    for start in range(1000, 14 * 86400 - 1000, 1000):
        rows.append(f"spot{start},p,spot,1,64,0,{start},{start + 1}")
        rows.append(f"vm{start},p,vm,2,1024,0,{start + 500},{start + 1000}")
    return write_history(path, rows)


def write_lifetimes(history: Path, asked: dict[str, float]) -> None:
    rows = [f"{instance},{seconds:g}" for instance, seconds in asked.items()]
    path = history.with_name(f"{history.stem}-lifetimes.csv")
    path.write_text("\n".join(["instance_id,asked_s", *rows, ""]))


def test_spots_that_asked_for_nothing_make_promises_longer(cloud, tmp_path):
    """A spot that is promised something lives U(0, 500) s beside an older one that is, too.

    Where the old one was promised nothing it goes, and the other one lives on. 36 starts are needed
    then. A slot is free in half of each 1000 s, so that some start up to 500 s late.
    """
    path = crowded(tmp_path / "history.csv")
    usual = promised(path, "--target", 0.1).sizes[0].promised(1, 0)
    assert usual is not None and 0 < usual < 50
    for asked, is_longer in (
        ({"first": 1, "old": 0}, True),
        ({"first": 1, "old": 60}, True),  # its minute was over soon
        ({"first": 1, "old": 15 * 86400}, False),
        ({"first": 1, "old": 100 * 365 * 86400}, False),  # the longest that may be asked for
        ({"first": 1}, False),  # of the old one it is not known
        ({"first": 0, "old": 0}, False),  # before anybody asked
    ):
        write_lifetimes(path, asked)
        found = promised(path, "--target", 0.1)
        seconds = found.sizes[0].promised(1, 0)
        if is_longer:
            assert 14 * 86400 / 36 - 500 < seconds < 14 * 86400 / 36, asked
        else:
            assert seconds == usual, asked
        assert found.history["spots_without_promise"] == list(asked.values()).count(0)


def test_what_is_no_file_of_asked_lifetimes(cloud, tmp_path, capsys):
    path = tides(tmp_path / "history.csv")
    lifetimes = tmp_path / "history-lifetimes.csv"
    for text in ("spot1,5\n", "instance_id,asked_s\nspot1,soon\n", "instance_id,asked_s\na\n"):
        lifetimes.write_text(text)
        assert run("promise", "--history", path) == 2
        assert f"{lifetimes}: line {text.count(chr(10))}: expected" in capsys.readouterr().err


def test_a_doubt_about_the_history_is_a_line_of_ours(cloud, tmp_path, capsys):
    promised(tides(tmp_path / "history.csv"))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("cospot-nova: warning: ")
    assert "no request precedes time 0" in lines[0]


def test_the_table_promises_what_a_quote_of_the_harness_does(cloud, tmp_path):
    cloud.add_flavor("spot.one", 1, 64, extra_specs=spot_extra_specs(1, 64, 0))
    path = tides(tmp_path / "history.csv")
    targets = [0.01, 0.05, 0.1, 0.25]
    study = {"study": "compare", "workloads": [str(path)], "host": [4, 8192], "hosts": 1}
    study |= {"vm": "COS", "spot": "sCOS", "evictor": "YJF", "saf": False, "otn": 1}
    study |= {"censored": "survival", "condition_width": 0.05, "least_samples": 100}
    (quote,) = cospot.sla.quote(study, samples=2000, target=["none", *targets]).sizes
    sizes = {each.size: each for each in promised(path, "--samples", 2000).sizes}
    told = [sizes[1, 64, 0].promised(quote.slots_now, number) for number in range(4)]
    assert told == [lives if lives is None else math.floor(lives) for lives in quote.supported_s]
    assert all(told)


def test_only_time_with_as_many_free_slots_is_evidence(cloud, tmp_path):
    """One of two slots is free for an hour a day, both at other times; nobody was ever evicted.

    13 starts support 75 %. With 14 days, starts in that hour are a day apart, less its length:
    13 of them are (13 d + 1 h) / 12 apart at most; that much of the history has to follow the last.
    All observed time would support 14 d / 13 = 25 h 50 min with one free slot, too.
    """
    rows = [f"vm{day},p,vm,2,64,0,{86400 * day},{86400 * day + 3600}" for day in range(14)]
    path = write_history(tmp_path / "daily.csv", [*rows, *lone_spots(20, 7200, 60000)])
    (size,) = promised(path, "--target", 0.25, "--least-samples", 10).sizes
    one, two = size.promised(1, 0), size.promised(2, 0)
    assert one is not None and two is not None
    assert 86400 - 3600 < one <= 86400 + 3600 / 12
    assert 92000 < two <= 14 * 86400 / 13


def test_half_an_hour_of_history_promises_minutes(cloud, tmp_path, capsys, said):
    """A cloud that ran its first instance 29 minutes ago, exported with a window of 14 days."""
    first = 14 * 86400 - 29 * 60
    path = write_history(tmp_path / "young.csv", lone_spots(20, first, 60))
    table = promised(path)
    # 1740 s / 13; 36 spots would be needed for the next one.
    assert all_promised(table) == [None, None, None, 133]
    assert table.history["days"] == round(29 / 1440, 6)
    output = capsys.readouterr().out
    assert "from 29 min with 0 VMs and 20 spots, of which 0 were evicted" in output
    assert (
        "20 spots are too few to promise 90 % (takes 36), 95 % (takes 72), 99 % (takes 368)"
        in output
    )
    four(cloud)
    assert said("quote", "spot.two", "--promises", path.with_suffix(".json")).splitlines()[1:] == [
        "75 % live at least 2 min",
        "90 % live at least - (takes 36 spots in the history)",
        "95 % live at least - (takes 72 spots in the history)",
        "99 % live at least - (takes 368 spots in the history)",
        "observed: 29 min, 20 spots, 0 evictions",
    ]


def test_spots_of_before_the_window_are_not_counted(cloud, tmp_path):
    rows = ["old,p,spot,1,64,0,-500,-400", "here,p,spot,1,64,0,-100,100"]
    path = write_history(tmp_path / "history.csv", [*rows, *lone_spots(20, 1000, 1000)])
    history = promised(path).history
    assert (history["days"], history["spots"]) == (14, 21)


def test_clients_may_name_zones(cloud, tmp_path):
    """The history as `history export` writes it: one VM and one spot asked for a zone."""
    cloud.add_host("h2", inventories=SIZE)
    cloud.aggregates = [
        {"name": "one", "hosts": ["h1"], "metadata": {"availability_zone": "az1"}},
        {"name": "blue", "hosts": ["h1"], "metadata": {"filter_tenant_id": "blue"}},
    ]
    now = datetime.now(timezone.utc).replace(tzinfo=None, microsecond=0)
    first, asks = now - timedelta(days=10), {"pinned_availability_zone": "az1"}
    spot = {"extra_specs": spot_extra_specs(2, 4096, 0), **asks}
    cloud.servers = [
        server("a", first, **asks),
        server("b", first, ended=first + timedelta(days=1), status="DELETED", **spot),
        server("c", first, pinned_availability_zone="nova"),
    ]
    path = tmp_path / "history.csv.gz"
    assert run("history", "export", "--api", "-o", path) == 0
    table = promised(path)
    assert table.history["hosts"] == [{"count": 2, "vcpus": 4, "memory_mb": 8192, "disk_gb": 0}]
    assert (table.history["vms"], table.history["spots"]) == (2, 1)
    assert table.history["days"] == pytest.approx(10, abs=0.01)


def test_a_zone_that_no_host_is_in(cloud, tmp_path, capsys):
    path = tmp_path / "history.csv"
    path.write_text(f"{COLUMNS},zone\nvm1,p,vm,1,64,0,0,50,az9\n")
    assert run("promise", "--history", path) == 2
    assert "asks for the zone 'az9'; zones of the hosts: nova" in capsys.readouterr().err


def test_hosts_that_take_no_spots_are_not_counted(cloud, tmp_path):
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
    [("", "history.csv"), (f"{COLUMNS}\n", "history.csv"), ("instance_id\n1\n", "history.csv")],
)
def test_what_is_no_history(cloud, tmp_path, said, text, error):
    path = tmp_path / "history.csv"
    path.write_text(text)
    output = tmp_path / "promises.json"
    output.write_text("as before")
    assert error in said("promise", "--history", path, "-o", output, code=2)
    assert output.read_text() == "as before"


def test_bad_usage_of_promise(cloud, tmp_path, capsys, said):
    path = tides(tmp_path / "history.csv")
    assert run("promise", "--history", path, "--target", "1.5") == 2
    assert "--target 1.5: expected a probability" in capsys.readouterr().err
    assert run("promise", "--history", tmp_path / "none.csv") == 2
    assert "see cospot-nova history export" in capsys.readouterr().err
    cloud.flavors = cloud.flavors[:1]
    assert "there is no spot flavor" in said("promise", "--history", path, code=2)


def four(cloud: Any) -> None:
    """A flavor of the size that the table of `promise_cases` has, and three hosts."""
    cloud.add_flavor("spot.four", 4, 8192, extra_specs=spot_extra_specs(4, 8192, 0))
    cloud.hypervisors.clear()
    large = {name: {"total": 8 if "VCPU" in name else 16384} for name in SIZE}
    spot = {"CUSTOM_SPOT_VCPU": 2, "CUSTOM_SPOT_MEMORY_MB": 1024}
    cloud.add_host("h1", inventories=large)
    cloud.add_host("h2", inventories=large, allocations={"a": {"VCPU": 2}, "b": spot})
    cloud.add_host("off", inventories=large, status="disabled")


def test_a_quote_by_the_free_slots_of_now(cloud, tmp_path, capsys, said):
    four(cloud)
    path = write_table(tmp_path / "promises.json")
    assert run("quote", "spot.four", "--promises", path) == 0
    # h1: 8 / 4 = 2; h2: (8 - 2 - 2) / 4 = 1; "off" takes none.
    assert capsys.readouterr().out.splitlines() == [
        "spot.four (4 vCPUs, 8192 MiB): 3 more fit now on 2 of 2 hosts",
        "90 % live at least 1 h",
        "95 % live at least 1 h",
        "observed: 14 d, 1,000 spots, 30 evictions",
    ]
    found = json.loads(said("quote", "spot.four", "--promises", path, "--format", "json"))
    assert (found["slots"], found["slots_by_host"]) == (3, {"h1": 2, "h2": 1})
    assert found["quotes"] == [
        {"target": 0.05, "lives_at_least_s": HOUR},
        {"target": 0.1, "lives_at_least_s": HOUR},
    ]
    assert found["history"]["file"] == "history.csv.gz"
    # A smaller one is promised what the larger one is, by the larger one's slots.
    assert run("quote", "spot.two", "--promises", path, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["slots"] == 3


def test_a_quote_where_nothing_can_be_promised(cloud, tmp_path, capsys):
    four(cloud)
    for row in cloud.providers.values():
        row["allocations"] = {"vm": {"VCPU": 8}}
    path = write_table(tmp_path / "promises.json", make_table(time.time() - 2 * 86400))
    assert run("quote", "spot.four", "--promises", path) == 0
    captured = capsys.readouterr()
    assert "0 more fit now on 0 of 2 hosts" in captured.out
    assert "95 % live at least - (nothing can be promised)" in captured.out
    assert "ended 2 d ago; nova-scheduler takes none older than 24 h" in captured.err


def test_bad_usage_of_quote(cloud, tmp_path, capsys):
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


def test_the_file_of_nova_conf_is_quoted_from(cloud, tmp_path, said):
    pytest.importorskip("nova.conf", reason="python3-nova is not installed")
    four(cloud)
    path = write_table(tmp_path / "promises.json")
    conf = tmp_path / "nova.conf"
    conf.write_text(f"[cospot]\nlifetime_promises = {path}\naggregates = cheap\n")
    cloud.aggregates = [{"name": "cheap", "hosts": ["h2"]}]
    assert "1 more fit now on 1 of 1 hosts" in said("quote", "spot.four", "--config-file", conf)


def evictor_conf(folder: Path) -> Path:
    path = folder / "cospot-evictor.conf"
    path.write_text(f"[cospot_evictor]\nstate_path = {folder}\n")
    return path


def test_status_tells_of_promises_and_of_the_alarm(cloud, tmp_path, capsys, said):
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
    output = said("status", "--evictor-config-file", conf, "--audit-log", os.devnull)
    assert output.startswith("ALARM: 4 of 20 promises are broken where 5 % may be")
    # Clopper and Pearson for 4 of 20
    row = next(line for line in output.splitlines() if line.startswith("with 95 %"))
    assert row.split()[3:] == ["20", "16", "4", "0", "5.73%", "to", "43.66%", "BROKEN"]
    arguments = ("--evictor-config-file", conf, "--audit-log", os.devnull, "--format", "json")
    (share,) = json.loads(said("status", *arguments))["promises"]
    assert (share["kept"], share["broken"], share["alarm"]) == (16, 4, True)


def test_what_comes_after_the_window_is_no_evidence(cloud, tmp_path):
    """The same with instances that start later, and where the end of one is later."""
    rows = [*lone_spots(200, 0, 5_000), "old,p,spot,2,64,0,5,never"]
    later = [*rows[:-1], f"old,p,spot,2,64,0,5,{15 * 86400}", *lone_spots(200, 14 * 86400, 60)]
    later[-200:] = [f"later-{row}" for row in later[-200:]]
    tables = [
        promised(write_history(tmp_path / name, of))
        for name, of in (("cut.csv", rows), ("whole.csv", later))
    ]
    assert tables[0].sizes == tables[1].sizes
    assert {**tables[0].history, "file": ""} == {**tables[1].history, "file": ""}
