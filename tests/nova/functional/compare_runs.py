"""Says which tests end otherwise in two runs of pytest, and whether the reason is known.

Usage: compare_runs.py FOLDER LANE...   (reads FOLDER/LANE-0.xml and FOLDER/LANE-1.xml)
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

REASONS = Path(__file__).parent / "novas_own_differences.txt"


def outcomes(path: Path) -> dict[str, str]:
    """Each test of a JUnit file, and how it ended."""
    found: dict[str, str] = {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        ended = {child.tag for child in case} & {"failure", "error", "skipped"}
        found[f"{case.get('classname')}.{case.get('name')}"] = min(ended, default="passed")
    return found


def known_reasons() -> dict[str, str]:
    """The end of a test's name, and why it ends otherwise with cospot."""
    lines = REASONS.read_text().splitlines()
    pairs = (line.split(": ", 1) for line in lines if line and not line.startswith("#"))
    return {name: reason for name, reason in pairs}


def main() -> int:
    folder, lanes = Path(sys.argv[1]), sys.argv[2:]
    reasons = known_reasons()
    unexplained = 0
    for lane in lanes:
        without, with_cospot = (outcomes(folder / f"{lane}-{i}.xml") for i in "01")
        passed = sum(ended == "passed" for ended in with_cospot.values())
        print(f"{lane}: {len(without)} tests; with cospot {passed} passed")
        if len(without) < 4:
            print(f"{lane}: too few tests were run")
            unexplained += 1
        for test in sorted(without.keys() | with_cospot.keys()):
            before, after = without.get(test, "absent"), with_cospot.get(test, "absent")
            if before == after:
                continue
            reason = next((why for name, why in reasons.items() if test.endswith(name)), None)
            unexplained += reason is None and after != "passed"
            print(f"  {test}: {before} without, {after} with cospot: {reason or 'no known reason'}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
