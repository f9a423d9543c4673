"""Every study that is registered: a small sweep of it gives a summary, a report and frames."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import cospot
import pytest
from programs import printed_by, run_program

pytest.importorskip("pandas", reason="pandas is not installed")

PROVIDER = """\
workloads: [{synthetic: azure2020, seed: 1, scale: 0.0005}]
host: {vcpus: 10400, memory_mb: 2250}
hosts: [20, 22]
vm: COS
"""
SPOTS = "spot: vmaDPD\nevictor: FIFO\nsaf: [false, true]\notn: 1\n"
# By study; each has at least two runs.
SWEEPS = {
    "compare": PROVIDER + SPOTS,
    "degradation": PROVIDER + "host_subset_size: [1, 4]\nseed: 1\n",
    "economy": "usage: [{synthetic: azure2020, scale: 0.0005}]\nforecaster: [mean, minimum]\n"
    "confidence: 0.9\nprice: 0.3\ntraining_days: 5\nhorizon_days: 2\n",
    "levels": PROVIDER + "spot: vmaDPD\nevictor: FIFO\nsaf: true\notn: 1\neconomy: COS\n"
    "economy_percent: [0, 50]\npromise: unlimited\nforecaster: mean\nperiod_hours: 1\n"
    "training_days: 1\nhorizon_days: 1\n",
    "sla": "workloads: [{synthetic: lognormal}]\nspot_workloads: [{synthetic: ds3}]\n"
    "host: {vcpus: 12}\nhosts: [7]\ntarget: [none, 0.1]\nseed: 1\nsamples: 100\n",
    "broker": "market: [{synthetic: us_east_2011, seed: 1}]\n"
    "jobs: {synthetic: grid, seed: 1, count: 20, days: 2}\nbid: [mean, high]\nalpha: 2\n"
    "fault_tolerance: checkpoint\nbilling: hourly\nseed: [1, 2]\n",
    "deadline": "trace: [{synthetic: bursty, seed: 7, days: 30}]\nduration_hours: 48\n"
    "deadline_hours: [52, 70]\n",
    "classes": "trace: jobs.swf\nclasses: [1, 2]\npartition: equal\n",
    "life": PROVIDER + SPOTS + "disruptions:\n  - none\n  - retries: {patience_s: 3600}\n",
    "notice": PROVIDER + SPOTS + "reserve: [none, '400:56:4']\nnotice_s: 120\n",
    "signals": PROVIDER + SPOTS + "signal: [obtainable:count=1:minutes=60, evicted:minutes=600]\n",
    "schedulers": PROVIDER + "spot: vmaDPD\nevictor: FIFO\nsaf: false\notn: 1\n"
    "schedulers: [1, 4]\nrefresh_interval_s: 0\n",
}


DOCUMENTED = set(re.findall(r"\w+", (Path(__file__).parents[2] / "docs/json.md").read_text()))


def keys_of(value: object) -> set[str]:
    """Return all keys of a JSON document, in any depth."""
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    return set()


def test_names_of_files_need_not_be_utf8(program: Path, tmp_path: Path) -> None:
    cospot.Workload.generate("azure2020", seed=1, scale=0.0005).save(tmp_path / "w.csv")
    name = os.fsdecode(b"w\xff.csv")
    (tmp_path / "w.csv").rename(tmp_path / name)
    (tmp_path / "s.yaml").write_bytes(
        PROVIDER.replace("{synthetic: azure2020, seed: 1, scale: 0.0005}", "w.csv").encode()
        + SPOTS.encode()
    )
    host = ("--host", "10400,2250")
    for words in (
        ("tune", name, *host, "-q", "--otn", "1", "4", "--evictor", "FIFO", "--json"),
        ("compare", "s.yaml", "-q", "--db", "r.db", "--set", f"workloads={name}"),
        ("summary", "r.db", "--json"),
        ("report", "r.db", "-o", "r.html"),
    ):
        printed_by(program, *words, cwd=tmp_path, errors="surrogateescape")
    # U+FFFD stands for the byte that is no text.
    assert set(cospot.load_results(tmp_path / "r.db").runs["workload"]) == {"w\ufffd.csv"}


@pytest.mark.parametrize("host", [(), ("--host", "8,4096")])
def test_keys_of_workload_info(host: tuple[str, ...], program: Path, tmp_path: Path) -> None:
    workload = tmp_path / "w.csv"
    workload.write_text(
        "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n"
        "a,t,vm,2,1024,0,0,3600\nb,t,spot,1,512,0,60,never\n"
    )
    text = printed_by(program, "workload", "info", workload, *host, "--json")
    assert text.count("\n") == 1
    info = json.loads(text)
    percents = set(info["vms"].pop("lifetime_s_by_percent"))
    assert percents == set(info["spots"].pop("lifetime_s_by_percent"))
    assert all(0 < float(percent) <= 100 for percent in percents)
    assert keys_of(info) - DOCUMENTED == set()


def write_jobs(path: Path) -> None:
    """Three jobs on a machine of four processors, as an archive's log has them."""
    fields = "{} {} 0 3600 {} -1 -1 {} -1 -1 1 1 1 1 1 -1 -1 -1\n"
    jobs = [(1, 0, 2), (2, 7200, 4), (3, 86400, 1)]
    lines = [fields.format(job, start, ranks, ranks) for job, start, ranks in jobs]
    path.write_text("; MaxProcs: 4\n; MaxNodes: 4\n; UnixStartTime: 0\n" + "".join(lines))


def test_every_study_has_a_sweep_here(program: Path) -> None:
    listed = json.loads(printed_by(program, "list", "studies", "--json"))
    assert sorted(study["name"] for study in listed["studies"]) == sorted(SWEEPS)


def leaves_of(value: object) -> list[object]:
    """Return all values of a JSON document that hold no others."""
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves_of(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves_of(each)]
    return [value]


def missing_numbers(text: str, summary: object) -> list[str]:
    """Return the numbers of the tables of a text that its JSON lacks, rounded or in percent."""
    leaves = leaves_of(summary)
    numbers = [float(leaf) for leaf in leaves if isinstance(leaf, int | float)]
    words = " ".join(str(leaf) for leaf in leaves)
    missing = []
    for line in text.splitlines():
        cells = re.split(r"\s{2,}", line.strip())
        for cell in cells if len(cells) > 3 else []:
            for number in re.findall(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?", cell):
                shown = float(number.replace(",", ""))
                half_digit = 0.501 * 10.0 ** -len(number.partition(".")[2])
                is_there = any(
                    abs(abs(scale * one) - abs(shown)) <= half_digit
                    for one in numbers
                    for scale in (1, 100)
                )
                if not is_there and cell not in words and number not in words:
                    missing.append(f"{number} in {line!r}")
    return missing


@pytest.mark.parametrize("study", SWEEPS)
def test_summary_report_and_frames_of_a_study(study: str, program: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        done = run_program(program, *arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("error")) == (0, 0), done.stderr
        return done.stdout

    write_jobs(tmp_path / "jobs.swf")
    (tmp_path / "s.yaml").write_text(f"study: {study}\n{SWEEPS[study]}")
    run("compare", "s.yaml", "-q", "--db", "r.db", "--csv", "r.csv")
    header, *rows = (tmp_path / "r.csv").read_text().splitlines()
    runs = len(rows)
    assert runs >= 2
    text = run("summary", "r.db")
    summary = json.loads(run("summary", "r.db", "--json"))
    assert missing_numbers(text, summary) == []
    # Beside those of the docs: the settings and measures of the study, which are columns.
    assert keys_of(summary) - DOCUMENTED - set(header.split(",")) == set()
    assert run("report", "r.db", "-o", "r.html").startswith(f"{runs} runs in r.html")
    assert (tmp_path / "r.html").stat().st_size > 0
    assert len(cospot.load_results(tmp_path / "r.db").runs) == runs
