"""The notebooks are up to date and run from top to bottom; their last cells check the results."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytest.importorskip("gymnasium", reason="gymnasium is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

import nbclient
import nbformat
from waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
SECONDS = 60


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A kernel of the Python that runs the tests, whatever kernels the machine has."""
    folder = tmp_path_factory.mktemp("jupyter")
    spec = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "tests",
        "language": "python",
    }
    (folder / "kernels" / "cospot-tests").mkdir(parents=True)
    (folder / "kernels" / "cospot-tests" / "kernel.json").write_text(json.dumps(spec))
    return str(folder)


def test_there_are_eight() -> None:
    assert len(NOTEBOOKS) == 8


def test_they_are_made_from_their_sources() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "make_notebooks.py"), "--check"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + "run scripts/make_notebooks.py"


def processor_s() -> float:
    """What processes that have ended took, whatever else the machine did."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def outputs_of(cell: Any) -> list[Any]:
    return list(cell.get("outputs", []))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path: Path, kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_PATH", kernel)
    notebook = nbformat.read(path, as_version=4)
    assert not any(outputs_of(cell) for cell in notebook.cells), "stored with outputs"
    assert "check" in notebook.cells[-1].metadata.get("tags", [])
    client = nbclient.NotebookClient(
        notebook,
        timeout=int(PATIENCE_S),
        kernel_name="cospot-tests",
        # In a folder of its own: a notebook needs no file beside it.
        resources={"metadata": {"path": str(tmp_path)}},
    )
    before = processor_s()
    client.execute()
    assert processor_s() - before < SECONDS
    outputs = [output for cell in notebook.cells for output in outputs_of(cell)]
    told = "".join(output["text"] for output in outputs if output.get("name") == "stderr")
    # A progress bar without widgets is text, and nothing else is there.
    assert re.sub(r"\r *\d+%[^\r\n]*\n?", "", told).strip() == ""
    for cell in notebook.cells:
        images = [output for output in outputs_of(cell) if "image/png" in output.get("data", {})]
        assert len(images) <= 1, "a figure is shown twice"
    assert any("image/png" in output.get("data", {}) for output in outputs)
