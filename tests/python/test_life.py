"""The study life, and what its event log adds up to."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import cospot
import pytest
from programs import printed_by

pd = pytest.importorskip("pandas", reason="pandas is not installed")
yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

COMMON = """
workloads:
  - {synthetic: azure2020, seed: 1, scale: 0.002}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: 0
vm: COS
spot: vmaDPD
evictor: FIFO
saf: false
"""
ALL = """
    label: all
    retries: {patience_s: 7200, first_wait_s: 60}
    returning_spots: {patience_s: 86400, first_wait_s: 60}
    failures: {mtbf_days: 40, repair_h: 24, seed: 2}
    maintenance: {every_days: 10, lasts_h: 4, notice_h: 12, seed: 2}
"""
WINDOW_S = 14 * 86400


def run(folder: Path, *words: str) -> str:
    return printed_by(sys.executable, "-m", "cospot", *words, cwd=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("life")
    study = f"study: life{COMMON}otn: [1, 8]\ndisruptions:\n  - none\n  - {ALL.strip()}\n"
    (made / "life.yaml").write_text(study)
    (made / "compare.yaml").write_text(f"{COMMON}otn: [1, 8]\n")
    (made / "scenario.yaml").write_text(f"{COMMON}otn: 8\ndisruptions:{ALL}")
    return made


def rows_of(folder: Path, name: str) -> list[dict[str, str]]:
    cospot.sweep(folder / f"{name}.yaml", db=folder / f"{name}.db")
    run(folder, "summary", f"{name}.db", "--csv", f"{name}.csv", "--timing", "off")
    with (folder / f"{name}.csv").open() as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def rows(folder: Path) -> list[dict[str, str]]:
    return rows_of(folder, "life")


def test_without_a_life_a_run_is_that_of_compare(folder: Path, rows: list[dict[str, str]]) -> None:
    plain = [row for row in rows if row["disruptions"] == "none"]
    for ours, theirs in zip(plain, rows_of(folder, "compare"), strict=True):
        known = [name for name in theirs if name in ours]
        assert "spot_revenue_first_hour_free" in known
        assert {name: ours[name] for name in known} == {name: theirs[name] for name in known}


def test_figures_are_beside_the_same_run_without_a_life(
    folder: Path, rows: list[dict[str, str]]
) -> None:
    figures = cospot.load_results(folder / "life.db").view("run_figures")
    assert len(figures) == len(rows) == 4
    loss = [1 - float(row["vm_revenue"]) / float(row["vm_revenue_requested"]) for row in rows]
    spot = [float(row["spot_revenue"]) for row in rows]
    # Runs: OTN 1 without and with a life, OTN 8 without and with.
    assert figures["vm_loss_by_disruptions"].tolist() == pytest.approx(
        [0, loss[1] - loss[0], 0, loss[3] - loss[2]], abs=1e-12
    )
    assert figures["spot_revenue_by_disruptions"].tolist() == pytest.approx(
        [0, spot[1] / spot[0] - 1, 0, spot[3] / spot[2] - 1]
    )
    gains = [0, 0, spot[2] / spot[0] - 1, spot[3] / spot[1] - 1]
    assert figures["gain"].tolist() == pytest.approx(gains)
    summary = json.loads(run(folder, "summary", "life.db", "--json"))
    assert [one["gain"]["mean"] for one in summary["combinations"]] == pytest.approx(gains)


def earned(log: list[dict[str, str]], kind: str) -> float:
    """Add up every stretch that an instance of a class ran inside the window."""
    sums: dict[str, float] = defaultdict(float)
    since: dict[str, tuple[float, int]] = {}
    stops = ("departure", "eviction", "loss", "stop", "evacuation", "migration", "resize")

    def stop(name: str, time: float) -> None:
        start, vcpus = since.pop(name)
        sums[name] += vcpus * max(0.0, min(time, WINDOW_S) - max(start, 0.0))

    for row in log:
        name, event, time = row["instance_id"], row["event"], float(row["time_s"])
        if row["class"] != kind:
            continue
        if event in stops:
            stop(name, time)
        if event in ("placement", "migration", "resize"):
            since[name] = (time, int(row["vcpus"]))
    for name in list(since):
        stop(name, float("inf"))
    return sum(sums.values())


def test_the_event_log_adds_up(folder: Path, rows: list[dict[str, str]]) -> None:
    words = ("run", "scenario.yaml", "--timing", "off", "--json", "--events", "events.csv.gz")
    result: dict[str, Any] = json.loads(run(folder, *words))
    same = next(row for row in rows if (row["disruptions"], row["otn"]) == ("all", "8"))
    measures = result["measures"]
    for name, value in measures.items():
        if name in same and value is not None:
            assert float(same[name]) == pytest.approx(value, abs=5e-4), name
    frame = pd.read_csv(folder / "events.csv.gz", dtype=str, keep_default_na=False)
    log = frame.to_dict("records")
    assert earned(log, "vm") == pytest.approx(measures["vm_revenue"], rel=1e-12)
    assert earned(log, "spot") == pytest.approx(measures["spot_revenue"], rel=1e-12)
    counts = frame["event"].value_counts()
    for event, measure in (
        ("eviction", "evictions"), ("loss", "spots_lost"), ("stop", "spots_stopped"),
        ("migration", "vms_migrated"),
    ):  # fmt: skip
        assert counts.get(event, 0) == measures[measure], event
    assert min(measures["vms_evacuated"], measures["vms_migrated"]) > 0
    assert min(measures["spots_returned"], measures["evictions"]) > 0
    use = cospot.occupancy_over_time(
        os.fspath(folder / "events.csv.gz"), host=(10400, 2250), hosts=measures["hosts"]
    )
    assert (use["vm_vcpus"] + use["spot_vcpus"] <= use["total_vcpus"]).all()
    assert (use["vm_memory_mb"] + use["spot_memory_mb"] <= use["total_memory_mb"]).all()


def test_simulate_life_is_the_run_of_the_scenario(folder: Path, tmp_path: Path) -> None:
    result = json.loads(run(folder, "run", "scenario.yaml", "--timing", "off", "--json"))
    expected = result["measures"]
    life = yaml.safe_load(ALL)
    del life["label"]
    workload = cospot.Workload.generate("azure2020", seed=1, scale=0.002)
    policies = {"vm": "COS", "spot": "vmaDPD", "evictor": "FIFO", "otn": 8}
    settings = {"hosts": expected["hosts"], "host": (10400, 2250), **policies}
    events = tmp_path / "events.csv"
    made = cospot.simulate_life(workload, life, **settings, events=events)
    for name, value in made.items():
        if name in expected and name != "wall_ms":
            assert value == pytest.approx(expected[name], abs=1e-3), name
    assert set(made) - {"wall_ms"} <= set(expected)
    assert events.read_text().count(",eviction,") == made["evictions"]
    plain = cospot.simulate(workload, **settings)
    assert cospot.simulate_life(workload, "none", **settings)["evictions"] == plain.evictions


def test_moves_are_those_of_the_study(tmp_path: Path) -> None:
    rules = ("lose", "restart", "move")
    study = f"study: life{COMMON}otn: 1\ndisruptions: none\non_eviction: [{', '.join(rules)}]\n"
    (tmp_path / "moves.yaml").write_text(f"{study}state_size: 9000MB\nbandwidth_mb_s: 10\n")
    (tmp_path / "plain.yaml").write_text(f"study: life{COMMON}otn: 1\ndisruptions: none\n")
    rows = rows_of(tmp_path, "moves")
    (plain,) = rows_of(tmp_path, "plain")
    assert {name: rows[0][name] for name in plain} == plain
    figures = cospot.load_results(tmp_path / "moves.db").view("run_figures")
    workload = cospot.Workload.generate("azure2020", seed=1, scale=0.002)
    for row, rule, share in zip(rows, rules, figures["spot_useful_share"], strict=True):
        life = cospot.simulate_life(
            workload, "none", hosts=int(row["hosts"]), host=(10400, 2250), vm="COS", spot="vmaDPD",
            evictor="FIFO", on_eviction=rule, state_size="9000MB", bandwidth_mb_s=10,
        )  # fmt: skip
        expected = {name: float(row[name]) for name in life if name != "wall_ms" and row[name]}
        assert {name: life[name] for name in expected} == pytest.approx(expected, abs=1e-3)
        used = life["spot_useful"] + life["spot_wasted"] + life["spot_restoring"]
        assert used == pytest.approx(life["spot_revenue"], rel=1e-12)
        assert share == pytest.approx(life["spot_useful"] / life["spot_revenue_requested"])
        assert (life["spots_back"] > 0) == (rule != "lose")
        assert (life["spot_restoring"] > 0) == (rule == "move")
        assert life["spots_back"] <= life["spots_evicted"] <= life["evictions"]


@pytest.mark.parametrize(
    ("moves", "match"),
    [
        ({"on_eviction": "stay"}, "^on_eviction: found the text 'stay', expected lose, "),
        ({"on_eviction": "move", "state_size": "9"}, "^state_size: found the text '9', expected "),
        ({"on_eviction": "move", "bandwidth_mb_s": 0}, "^bandwidth_mb_s: found '0', expected MB/s"),
        ({"state_size": "9MB"}, "^state_size and bandwidth_mb_s: expected on_eviction, too"),
    ],
)
def test_bad_moves_are_refused(moves: dict[str, Any], match: str) -> None:
    workload = cospot.Workload.generate("azure2020", seed=1, scale=0.001)
    with pytest.raises(cospot.ConfigError, match=match):
        cospot.simulate_life(
            workload, "none", hosts=3, host=(10400, 2250), vm="COS", spot="sCOS", evictor="FIFO",
            **moves,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("life", "match"),
    [
        ({"retry": 1}, "^disruptions: unknown key 'retry'; valid names: "),
        ({"retries": {"patience_s": -1}}, "^disruptions.retries.patience_s: found '-1', expected "),
        ({"retries": {"patience_s": math.nan}}, "^disruptions.retries.patience_s is nan, expected"),
        ({"retries": {"patience_s": math.inf}}, "^disruptions.retries.patience_s is inf, expected"),
        ({"retries": {}}, "^disruptions.retries: missing key 'patience_s'"),
        ({"retries": 5}, "^disruptions.retries: found '5', expected a mapping with the keys patie"),
        ({"retries": {"patience_s": 1, "patience": 1}}, "^disruptions.retries: unknown key 'patie"),
        ({"retries": {"patience_s": 1, "classes": ["vm", "x"]}}, "^disruptions.retries.classes.1."),
        ({"failures": {"mtbf_days": 1, "repair_h": 1, "seed": -1}}, "^disruptions.failures.seed: "),
        ({"maintenance": {"every_days": 1, "lasts_h": 30}}, "^disruptions.maintenance: 0 h of not"),
        ("always", "expected none, or a mapping"),
    ],
)
def test_a_bad_life_is_refused(life: Any, match: str) -> None:
    workload = cospot.Workload.generate("azure2020", seed=1, scale=0.001)
    with pytest.raises(cospot.ConfigError, match=match):
        cospot.simulate_life(
            workload, life, hosts=3, host=(10400, 2250), vm="COS", spot="sCOS", evictor="FIFO"
        )
