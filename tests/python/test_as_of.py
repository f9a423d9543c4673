"""An estimate as of a time knows nothing later: without the file's future it is the same bytes."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import cospot
import pytest

INPUTS = Path(__file__).resolve().parents[2] / "examples/inputs"
DAY_S = 86_400
HOSTS = ["--host", str(INPUTS / "hosts.csv")]
PRICES = ["--price", "on-demand=0.04,spot=0.012,economy=0.02"]
#: Each command, the day as of which it estimates, and the files to compare; none: what it prints.
COMMANDS: dict[str, tuple[list[str], int, list[str]]] = {
    "sla quote": (["sla", "quote", "w.csv", *HOSTS, "--at-hours", "336", "--json"], 14, []),
    "sla quote, text": (["sla", "quote", "w.csv", *HOSTS, "--at-hours", "50"], 3, []),
    "sla quote of a plan": (["sla", "quote", "plan.yaml", "--at-hours", "336"], 14, []),
    "sla quote of a plan that admits by promises": (
        ["sla", "quote", "plan.yaml", "--at-hours", "336", "--set", "target=[0.1,0.25]"]
        + ["--set", "asking_percent=50", "--set", "before_first_refresh=admit"],
        14,
        [],
    ),
    "signals": (["signals", "w.csv", *HOSTS, "--window-days", "14", "-q", "--json"], 14, []),
    "economy plan": (
        ["economy", "plan", "w.csv", *HOSTS, "--window-days", "14"]
        + ["--training-days", "7", "--horizon-days", "3"],
        14,
        [],
    ),
    "economy backtest": (
        ["economy", "backtest", "w.csv", *HOSTS, "--window-days", "14"]
        + ["--training-days", "7", "--horizon-days", "3"],
        14,
        [],
    ),
    "plan": (
        ["plan", "w.csv", *HOSTS, *PRICES, "--window-days", "14", "--parts", "3", "-q"],
        14,
        [],
    ),
    "plan -o": (
        ["plan", "w.csv", *HOSTS, *PRICES, "--window-days", "14", "--parts", "3", "-q"]
        + ["-o", "made.yaml"],
        14,
        ["made.yaml"],
    ),
    "tune": (["tune", "w.csv", *HOSTS, "--window-days", "14", "-q"], 14, []),
    "lifetime train": (
        ["lifetime", "train", "w.csv", "--days", "14", "--observed-until", "14"]
        + ["--kind", "kaplan-meier", "-o", "model.txt"],
        14,
        ["model.txt"],
    ),
}


def write_folder(folder: Path, until_s: float, *, cuts_ends: bool) -> None:
    """Write the requests before a time, and a plan of them."""
    folder.mkdir()
    with gzip.open(INPUTS / "requests.csv.gz", "rt") as file:
        window, header, *rows = file.read().splitlines()
    kept = []
    for row in rows:
        *start, end = row.split(",")
        if float(start[-1]) >= until_s:
            continue
        is_later = end == "never" or float(end) > until_s
        kept.append(",".join([*start, "never" if cuts_ends and is_later else end]))
    (folder / "w.csv").write_text("\n".join([window, header, *kept, ""]))
    (folder / "plan.yaml").write_text(
        f"study: compare\nworkloads: [w.csv]\nhost: {INPUTS / 'hosts.csv'}\nhosts: 11\nvm: [DPD]\n"
        "spot: [sUTIL]\nevictor: [FIFO]\nsaf: off\notn: [1]\n"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_without_the_future_of_the_file_it_is_the_same(
    name: str, program: Path, tmp_path: Path
) -> None:
    command, day, files = COMMANDS[name]
    # A customer who asks for a lifetime says how long the spot is to run.
    knows_ends = "promises" in name
    write_folder(tmp_path / "whole", 28 * DAY_S, cuts_ends=False)
    write_folder(tmp_path / "cut", day * DAY_S, cuts_ends=not knows_ends)
    told = []
    for folder in (tmp_path / "whole", tmp_path / "cut"):
        done = subprocess.run(
            [program, *command], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        told.append([(folder / file).read_text() for file in files] or [done.stdout])
    assert told[0] == told[1]


def test_evidence_and_estimates_leave_out_what_a_history_has_later() -> None:
    def recorded(until_s: int) -> cospot.History:
        """A VM takes the host for 100 s of every 1,000; a spot runs in the other 900 s."""
        history = cospot.History([(4, 8)])
        for number in range(0, until_s // 1000):
            at = number * 1_000_000_000
            spot = cospot.Request(1, 1, 0, True, 2 * number, at)
            history.place(spot, 0)
            history.evict(2 * number, at + 900_000_000)
            history.place(cospot.Request(4, 8, 0, False, 2 * number + 1, at + 900_000_000), 0)
            history.end(2 * number + 1, at + 1_000_000_000)
        return history

    now_us = 400_000_000_000  # 400 spots: enough for 99 %, which takes 368; 100 are not
    long, short = recorded(1_000_000), recorded(400_000)
    found = []
    for history in (long, short):
        evidence = cospot.Evidence(history, now_us, [0.01, 0.1])
        quantiles = cospot.estimate_lifetimes(
            history, [(1, 1)], evidence.probabilities, now_us, censored="survival"
        )
        found.append(
            [quantiles.samples((1, 1))]
            + [evidence.supported(quantiles, (1, 1), slots, 0.1) for slots in (0, 1, 4)]
        )
    assert found[0] == found[1]
    assert found[0][-1] is not None
    assert cospot.Evidence(long, 100_000_000_000, [0.01]).probabilities == []
    assert cospot.Evidence(long, now_us, [0.01]).probabilities != []
    last = cospot.Evidence(long, 1_000_000_000_000, [0.01], from_us=700_000_000_000)
    assert last.probabilities == []
    with pytest.raises(cospot.ConfigError, match="expected one of"):
        evidence.supported(quantiles, (1, 1), 1, 0.2)
