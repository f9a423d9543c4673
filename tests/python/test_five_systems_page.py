"""docs/five-systems.md: its commands run in order, print what it quotes, and hand numbers on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "five-systems.md").read_text(encoding="utf-8")
#: Each block of commands, and the lines quoted from its output.
STEPS = re.findall(r"```sh\n(.*?)```\n\n```\n(.*?)```", PAGE, re.DOTALL)
FOLDER = "examples/five-systems"


@pytest.fixture(scope="module")
def printed(program: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what the commands of each step print."""
    clone = tmp_path_factory.mktemp("clone")
    for name in ("examples/inputs", FOLDER):
        shutil.copytree(ROOT / name, clone / name)
    environment = dict(os.environ, PATH=f"{program.resolve().parent}:{os.environ['PATH']}")
    outputs = []
    for commands, _ in STEPS:
        done = subprocess.run(
            ["bash", "-euc", commands], cwd=clone, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (commands, done.stderr)
        outputs.append(done.stdout)
    return outputs


def test_every_command_of_the_page_is_a_step() -> None:
    assert sum(commands.count("cospot ") for commands, _ in STEPS) == len(
        re.findall(r"^cospot ", PAGE, re.MULTILINE)
    )
    assert len(STEPS) == 7


def test_the_outputs_are_quoted_as_they_are(printed: list[str]) -> None:
    stale = []
    for (_, quoted), output in zip(STEPS, printed, strict=True):
        lines = output.splitlines()
        at = 0
        for line in quoted.splitlines():
            if line == "...":
                continue
            if line in lines[at:]:
                at += lines[at:].index(line) + 1
            else:
                stale.append(line)
    assert not stale, "no longer printed:\n" + "\n".join(stale)


def test_the_settings_go_from_step_2_into_the_files(printed: list[str]) -> None:
    found = re.findall(r"^  (vm|spot|saf|otn|evictor): (\S+)$", printed[2], re.MULTILINE)
    assert len(found) == 5
    for name in ("scenario.yaml", "together.yaml"):
        text = (ROOT / FOLDER / name).read_text(encoding="utf-8")
        for key, value in found:
            if (name, key) != ("together.yaml", "evictor"):  # promised lifetimes need YJF
                assert re.search(rf"^{key}: {re.escape(value)}\b", text, re.MULTILINE), (name, key)


def test_the_price_goes_from_step_1_into_all_others(printed: list[str]) -> None:
    table = printed[1][printed[1].index("a vCPU-hour") :]
    price = float(re.findall(r"^ +2 +(0\.\d+)", table, re.MULTILINE)[0])
    assert re.findall(r"spot=(0\.02\d*)", PAGE) == [f"{price:.4f}"] * 3
    market = (ROOT / FOLDER / "customer.yaml").read_text(encoding="utf-8")
    assert f"price: {price:.4f}" in market
