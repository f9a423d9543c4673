"""One study file describes a cloud, and every command that reads it simulates that cloud."""

from __future__ import annotations

import csv
import gzip
import json
import re
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

INPUTS = Path(__file__).resolve().parents[2] / "examples/inputs"
PRICES = "on-demand=0.04,spot=0.012,currency=EUR"
HOURS = 28 * 24.0  # of the window of requests.csv.gz


class Cloud:
    """A folder with `cospot.yaml`, as `cospot plan -o` writes it."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder = program, folder
        history, hosts = INPUTS / "requests.csv.gz", INPUTS / "hosts.csv"
        options = ["--hosts", hosts, "--price", PRICES, "--parts", "5", "-o", "cospot.yaml"]
        self.first = self.json("plan", history, *options)

    def run(self, *words: str | Path) -> str:
        command = [self.program, *words]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *words: str | Path) -> Any:
        return json.loads(self.run(*words, "--json"))


@pytest.fixture(scope="module")
def cloud(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return Cloud(program, tmp_path_factory.mktemp("cloud"))


def hosts_and_vcpus() -> tuple[int, int]:
    with (INPUTS / "hosts.csv").open() as file:
        sizes = [int(row["vcpus"]) for row in csv.DictReader(file)]
    return len(sizes), sum(sizes)


def use_of_vms() -> tuple[float, int]:
    """Return the vcpu-hours and the peak vcpus that VMs request inside the window."""
    vcpu_hours, changes = 0.0, []
    with gzip.open(INPUTS / "requests.csv.gz", "rt") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        for row in rows:
            if row["class"] != "vm":
                continue
            start = max(0.0, float(row["start_s"]))
            end = HOURS * 3600 if row["end_s"] == "never" else float(row["end_s"])
            end = min(end, HOURS * 3600)
            if end <= start:
                continue
            vcpu_hours += int(row["vcpus"]) * (end - start) / 3600
            changes += [(start, int(row["vcpus"])), (end, -int(row["vcpus"]))]
    used = peak = 0
    for _, change in sorted(changes):  # what ends at an instant frees its room first
        used += change
        peak = max(peak, used)
    return vcpu_hours, peak


def test_the_same_hosts(cloud: Cloud) -> None:
    hosts, vcpus = hosts_and_vcpus()
    assert cloud.first["hosts"] == hosts
    assert cloud.json("size", "cospot.yaml")["hosts"] == hosts
    assert cloud.json("plan", "cospot.yaml", "-q", "--parts", "5")["hosts"] == hosts
    assert cloud.json("tune", "cospot.yaml", "-q", "--parts", "5")["hosts"] == hosts
    assert cloud.json("run", "cospot.yaml")["measures"]["hosts"] == hosts
    days = ["--training-days", "14", "--horizon-days", "7"]
    assert cloud.json("economy", "plan", "cospot.yaml", *days)["capacity"] == vcpus
    for command in (["signals", "-q"], ["sla", "quote"], ["classes"]):
        said = cloud.run(*command, "cospot.yaml")
        assert re.search(rf"\b{hosts} hosts", said), said


def test_the_same_idle_capacity(cloud: Cloud) -> None:
    hosts, vcpus = hosts_and_vcpus()
    vcpu_hours, peak = use_of_vms()
    run = cloud.json("run", "cospot.yaml")["measures"]
    assert run["vm_revenue"] / 3600 == pytest.approx(vcpu_hours, rel=1e-9)
    days = ["--training-days", "14", "--horizon-days", "7"]
    slack = cloud.json("economy", "plan", "cospot.yaml", *days)["usage"]["slack_mean"]
    assert slack == pytest.approx(1 - vcpu_hours / (HOURS * vcpus), abs=1e-6)
    size = cloud.json("size", "cospot.yaml")["policies"][0]
    assert size["lower_bound"] >= peak * hosts / vcpus - 1
    assert size["sizes"][0]["hosts"] <= hosts


def test_the_same_money_to_the_cent(cloud: Cloud) -> None:
    run = cloud.json("run", "cospot.yaml")["money"]
    again = cloud.json("plan", "cospot.yaml", "-q", "--parts", "5")
    assert again["set"]["label"] == cloud.first["set"]["label"]
    for plan in (cloud.first, again):
        whole = plan["sensitivity"][0]["net_per_day"] * HOURS / 24
        assert whole == pytest.approx(run["net"], abs=0.005)
    tuned = cloud.json("tune", "cospot.yaml", "-q", "--parts", "5")["money"]
    judged = again["alternatives"][3]
    assert judged["name"] == "cooperating spots"
    assert tuned["recommendation"]["net_per_month"] == pytest.approx(
        judged["net_per_day"]["mean"] * 365.25 / 12, abs=0.005
    )
    cloud.run("compare", "cospot.yaml", "-q", "--db", "results.db")
    money = cloud.json("summary", "results.db")["money"]
    best = money["best_without_vm_loss"][0]
    assert best["net"]["mean"] == pytest.approx(run["net"], abs=0.005)
    cloud.run("report", "cospot.yaml", "-o", "page.html")
    page = (cloud.folder / "page.html").read_text()
    assert "EUR" in page


def test_options_come_before_the_file(cloud: Cloud) -> None:
    half = cloud.json("run", "cospot.yaml", "--price", "on-demand=0.04,spot=0.006")["money"]
    whole = cloud.json("run", "cospot.yaml")["money"]
    assert half["spots_earned"] == pytest.approx(whole["spots_earned"] / 2)
    said = cloud.run("signals", "cospot.yaml", "-q", "--host", "64,262144", "--hosts", "30")
    assert "Simulated on 30 hosts" in said


def test_a_file_with_policies_has_the_defaults_of_its_study(cloud: Cloud) -> None:
    hosts = f"workloads: {INPUTS / 'requests.csv.gz'}\nhost: {INPUTS / 'hosts.csv'}\n"
    short = hosts + "vm: UTIL\nspot: sUTIL\nevictor: FIFO\n"
    (cloud.folder / "short.yaml").write_text(short)
    (cloud.folder / "whole.yaml").write_text(short + "saf: off\notn: 1\n")
    for command in (["signals", "-q"], ["classes"], ["run"]):
        said = [cloud.run(*command, name, "--json") for name in ("short.yaml", "whole.yaml")]
        measured = [re.sub(r"_ns|wall_ms", "", one) for one in said]
        assert len(measured[0]) > 100
        if command != ["run"]:
            assert said[0].replace("short.yaml", "") == said[1].replace("whole.yaml", "")
    said = cloud.run("classes", "short.yaml")
    assert "vm UTIL, spot sUTIL, evictor FIFO, saf off, otn 1" in said
    # Without them all, the usual setting.
    (cloud.folder / "hosts.yaml").write_text(hosts)
    assert "saf on, otn 8" in cloud.run("classes", "hosts.yaml")


def write_log(folder: Path) -> None:
    """Write records of a day in Berlin: one VM of 4 cores, and one spot of 2 an hour, for 1 h."""
    lines = ["id,owner,cores,mem,begin,finish,priority"]
    lines.append("vm,t,4,1024,2026-01-05T00:00:00,2026-01-06T00:00:00,9")
    lines += [
        f"s{hour},t,2,1024,2026-01-05T{hour:02}:00:00,2026-01-05T{hour:02}:59:59,{hour % 2}"
        for hour in range(24)
    ]
    (folder / "log.csv").write_text("\n".join(lines) + "\n")


def import_yaml(spot_if: str, label: str) -> str:
    names = "[instance_id=id, tenant_id=owner, vcpus=cores, memory_mb=mem, start_s=begin"
    return (
        f"{{import: log.csv, map: {names}, end_s=finish], time_unit: iso, spot_if: {spot_if},"
        f" time_zone: Europe/Berlin, window_days: 1, label: {label}}}"
    )


SETTING = "vm: UTIL\nspot: sUTIL\nevictor: FIFO\nsaf: off\notn: 1\n"
HOST = "host: {vcpus: 8, memory_mb: 8192}\nhosts: 2\n"


def test_two_conditions_of_spots_side_by_side(program: Path, tmp_path: Path) -> None:
    write_log(tmp_path)
    workloads = [import_yaml("priority < 2", "all"), import_yaml("priority = 0", "half")]
    text = "workloads:\n" + "".join(f"  - {one}\n" for one in workloads)
    (tmp_path / "cospot.yaml").write_text(text + HOST + SETTING)
    command = [program, "compare", "cospot.yaml", "-q", "--db", "r.db"]
    subprocess.run(command, cwd=tmp_path, check=True)
    with sqlite3.connect(tmp_path / "r.db") as results:
        rows = results.execute(
            "SELECT workload, vm_requests, spot_requests, spot_revenue FROM run ORDER BY run_index"
        ).fetchall()
    # 2 vcpus for 3,599 s each; of 24 hours 12 are even.
    assert rows == [("all", 1, 24, 24 * 2 * 3599), ("half", 13, 12, 12 * 2 * 3599)]


def test_the_errors_name_the_place(program: Path, tmp_path: Path) -> None:
    write_log(tmp_path)

    def fails(text: str, command: str = "size") -> str:
        (tmp_path / "cospot.yaml").write_text(text + HOST + SETTING)
        words = [program, *command.split(), "cospot.yaml"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        return done.stderr

    good = import_yaml("priority < 2", "all")
    assert "cospot.yaml:1: workloads: --spot-if" in fails(
        f"workloads: {good.replace('spot_if: priority < 2,', '')}\n"
    )
    assert "unknown key 'spotif'" in fails(f"workloads: {good.replace('spot_if', 'spotif')}\n")
    two = f"workloads: [{good}, {import_yaml('priority = 0', 'half')}]\n"
    for command in ("size", "plan", "tune", "economy plan"):
        assert "found 2 values, expected the one of a cloud" in fails(two, command)
    text = f"workloads: {good}\nprices: {{on-demand: 0.04}}\n"
    assert "--price spot=PRICE is missing" in fails(text, "plan")
    assert "prices" in fails(f"workloads: {good}\nprices: []\n", "plan")
