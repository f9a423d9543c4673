"""Eucalyptus traces in which no two instances start at once.

A trace has whole seconds, and its bursts start many instances in one. Which of those is the
youngest, and so evicted first, is not in the paper: a copy of a trace puts their starts 10
microseconds apart, in the order of the file, after the stops of the others in that second.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

_STEP_S = 1e-5


def in_order(lines: Iterable[str]) -> Iterator[str]:
    """Return the lines of a trace with starts apart."""
    events = [words for line in lines if (words := line.split()) and not line.startswith("#")]
    for second, group in itertools.groupby(events, key=lambda words: words[1]):
        events_then = list(group)
        starts = [words for words in events_then if words[0] == "START"]
        started = {words[2] for words in starts}
        ends = [words for words in events_then if words[0] != "START"]
        yield from (" ".join(words) for words in ends if words[2] not in started)
        for place, words in enumerate(starts):
            yield " ".join([words[0], _later(second, place), *words[2:]])
        last = _later(second, max(0, len(starts) - 1))
        yield from (" ".join([words[0], last, *words[2:]]) for words in ends if words[2] in started)


def _later(second: str, place: int) -> str:
    return f"{float(second) + place * _STEP_S:.6f}"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m lifetime_sla.order", description=__doc__)
    parser.add_argument("traces", type=Path, nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True, help="a folder")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for trace in arguments.traces:
        lines = in_order(trace.read_text(encoding="utf-8").splitlines())
        text = "\n".join(lines) + "\n"
        (arguments.output / trace.name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
