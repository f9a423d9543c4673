"""The code of docs/python.md runs, block after block, and every name it tells of exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

import cospot
from cospot import plots

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "python.md"
SWEEP = """\
workloads: {synthetic: azure2020, seed: 2, scale: 0.001}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [0, 2]
vm: [UTIL, COS]
spot: sDPD
evictor: FIFO
saf: [false, true]
otn: [1, 2, 4]
"""
HOSTS = "name,vcpus,memory_mb\n" + "".join(f"c{i},10400,2250\n" for i in range(60))


def test_its_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    cospot.compare("sweep.yaml", db="results.db")
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert len(blocks) == 8
    cospot.Workload.generate(scale=0.001).save("history.csv.gz")
    (tmp_path / "history-hosts.csv").write_text(HOSTS)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)  # the document is ours
    assert (tmp_path / "front.png").read_bytes().startswith(b"\x89PNG")
    assert len(cospot.load_results("short.db").runs) == 2 * 2 * 2 * 2


def test_its_functions_exist() -> None:
    text = DOCUMENT.read_text()
    told = re.findall(r"^\| `plots\.(\w+)\(", text, re.MULTILINE)
    assert sorted(told) == sorted(plots.__all__)
    assert all(callable(getattr(plots, function)) for function in told)
