"""examples/papers/lifetime_sla/run.sh: every experiment of the paper ends up on the page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas", minversion="1.5")
pytest.importorskip("matplotlib", minversion="3.6")

import cospot
import pandas as pd
from lifetime_sla.order import in_order
from lifetime_sla.results import combined
from programs import printed_by, run_program
from reproduction.document import BEGIN, END

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "examples" / "papers" / "lifetime_sla" / "run.sh"


def run(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COSPOT": str(program), "COSPOT_PYTHON": sys.executable}
    return run_program(RUN, *words, env=environment)


@pytest.mark.slow
def test_a_quick_run_makes_the_whole_page(program: Path, tmp_path: Path) -> None:
    (azure := tmp_path / "azure").mkdir()
    # The table of sizes lies beside the samples of the CoSpot release, and is no workload.
    (azure / "vmType.csv").write_text("id,vmTypeId\n")
    generate = ("workload", "generate", "azure2020", "--scale", "0.002")
    printed_by(program, *generate, "-o", azure / "one.csv")
    document = tmp_path / "page.md"
    document.write_text(f"Before.\n{BEGIN}\nold\n{END}\nAfter.\n")
    made = tmp_path / "made"
    words = ["--quick", "-j", "1", "-o", str(made), "--azure", str(azure)]
    done = run(program, *words, "--document", str(document))
    assert (done.returncode, done.stderr) == (0, "")
    everything = (made / "evaluation.html").read_text()
    for part in ("Table I", "Figures 2 and 3", "Tables III and IV", "Figures 6 and 7"):
        assert part in everything
    page = (made / "findings.md").read_text()
    for kind in ("synthetic", "stand-ins A-B", "stand-ins D-C"):
        assert page.count(f"| {kind} |") == 4  # targets
    assert page.count("| 0.01 |") == 6  # of all requests, and on Azure
    text = document.read_text()
    assert text.startswith("Before.\n") and text.endswith("After.\n")
    assert "\nold\n" not in text and "### Production traces" in text
    assert all((made / f"figure-{number}.svg").exists() for number in range(1, 8))
    findings = json.loads((made / "findings.json").read_text())
    tables = {"Table I", "Table II", "Table III", "Table IV"}
    assert {one["source"] for one in findings} >= {*tables, *map("Figure {}".format, range(1, 8))}
    assert {one["data"] for one in findings if one["source"] == "Table III"} == {
        "stand-ins for the Eucalyptus traces"
    }
    assert (made / "e3-ab.csv").read_text().startswith("workload,spot_workload,hosts,target,seed,")


def test_bad_options(program: Path, tmp_path: Path) -> None:
    for words, text in (
        (["--nothing"], "unknown option --nothing"),
        (["--seeds"], "--seeds needs a value"),
        (["--azure", str(tmp_path / "none")], "no such folder"),
        (["--traces", str(tmp_path), "-o", str(tmp_path / "made")], "ds2.txt: no such trace"),
    ):
        done = run(program, *words)
        assert done.returncode == 2 and text in done.stderr


def runs_of(evictions: list[int]) -> pd.DataFrame:
    """Runs with the target 0.01 that admit 100 spots each."""
    shares = {"on_demand_admission": 1.0, "spot_admission": 0.5, "spot_revenue_share": 0.5}
    counts = {"evictions": evictions, "is_met": [count <= 1 for count in evictions]}
    return pd.DataFrame({"target": "0.01", "hosts": 7, "spot_admitted": 100, **counts, **shares})


def test_replays_of_the_same_requests_are_not_pooled() -> None:
    runs = runs_of([1, 0, 2, 1])
    drawn, replayed = combined(runs), combined(runs, same_requests=True)
    # 4 of 400 are evicted either way; independent draws are 400 trials, replays of one trace 100.
    assert drawn.evicted == replayed.evicted == 4 / 400
    assert (replayed.spread, replayed.replays) == ("0.0000 to 0.0200", 4)
    for one, counts in ((drawn, (400, 4)), (replayed, (100, 1))):
        lower, upper = cospot.eviction_interval(*counts)
        assert one.interval == f"{100 * lower:.2f}% to {100 * upper:.2f}%"


def test_a_promise_is_kept_when_the_whole_interval_is_below_it() -> None:
    # Clopper-Pearson's upper end for 0 of n is 1 - 0.025^(1/n): 3.6 % for 100, 0.9 % for 400.
    runs = runs_of([0, 0, 0, 0])
    assert combined(runs).verdict == "kept"
    assert combined(runs, same_requests=True).verdict == "unclear"


def test_starts_of_one_second_come_in_the_order_of_the_file() -> None:
    lines = ["START 5 a N 1", "STOP 5 b", "START 5 c N 2", "STOP 5 a", "STOP 9 c"]
    starts = ["START 5.000000 a N 1", "START 5.000010 c N 2"]
    assert list(in_order(lines)) == ["STOP 5 b", *starts, "STOP 5.000010 a", "STOP 9 c"]
