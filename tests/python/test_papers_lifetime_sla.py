"""examples/papers/lifetime_sla/run.sh: every experiment of the paper ends up on the page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas", minversion="1.5")
pytest.importorskip("matplotlib", minversion="3.6")

from reproduction.document import BEGIN, END

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "examples" / "papers" / "lifetime_sla" / "run.sh"


@pytest.fixture(scope="module")
def program() -> str:
    if "COSPOT_PROGRAM" not in os.environ:
        pytest.skip("COSPOT_PROGRAM names no program")
    return os.environ["COSPOT_PROGRAM"]


def run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COSPOT": program, "COSPOT_PYTHON": sys.executable}
    return subprocess.run(
        [str(RUN), *words], capture_output=True, text=True, check=False, env=environment
    )


def test_a_quick_run_makes_the_whole_page(program: str, tmp_path: Path) -> None:
    azure = tmp_path / "azure"
    azure.mkdir()
    # The table of sizes lies beside the samples of the CoSpot release, and is no workload.
    (azure / "vmType.csv").write_text("id,vmTypeId\n")
    words = ["workload", "generate", "azure2020", "--scale", "0.002"]
    subprocess.run([program, *words, "-o", str(azure / "one.csv")], check=True, capture_output=True)
    document = tmp_path / "page.md"
    document.write_text(f"Before.\n{BEGIN}\nold\n{END}\nAfter.\n")
    made = tmp_path / "made"
    done = run(
        program,
        *("--quick", "-j", "1", "-o", str(made)),
        *("--azure", str(azure), "--document", str(document)),
    )
    assert (done.returncode, done.stderr) == (0, "")
    page = (made / "findings.md").read_text()
    for part in ("Table I", "Figures 2 and 3", "Tables III and IV", "Figures 6 and 7"):
        assert part in page
    for kind in ("synthetic", "stand-ins A-B", "stand-ins D-C", "Azure, CoSpot placement"):
        assert page.count(f"| {kind} |") == 4  # targets
    text = document.read_text()
    assert text.startswith("Before.\n") and text.endswith("After.\n")
    assert "old" not in text and "### E1" in text
    assert all((made / f"figure-{number}.svg").exists() for number in range(1, 8))
    assert (made / "e3-ab.csv").read_text().startswith("workload,spot_workload,hosts,target,seed,")


def test_bad_options(program: str, tmp_path: Path) -> None:
    for words, text in (
        (["--nothing"], "unknown option --nothing"),
        (["--seeds"], "--seeds needs a value"),
        (["--azure", str(tmp_path / "none")], "no such folder"),
        (["--traces", str(tmp_path), "-o", str(tmp_path / "made")], "ds2.txt: no such trace"),
    ):
        done = run(program, *words)
        assert done.returncode == 2 and text in done.stderr
