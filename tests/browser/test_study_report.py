#!/usr/bin/env python3
"""Opens the report of a study other than compare in Chromium.

    tests/browser/test_study_report.py --cospot build/release/cospot

Exit code 77: skipped, because there is no browser to drive.
"""

# ruff: noqa: PT009

from __future__ import annotations

import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any, ClassVar

import browser as browsers
from browser import Browser

STUDY = """\
study: degradation
workloads: {synthetic: azure2020, seed: 1, scale: 0.002, label: "</script><b>x"}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [0, 2]
vm: [UTIL, COS]
host_subset_size: [1, 2, 16]
seed: [1, 2]
"""


class StudyReport(unittest.TestCase):
    """The page of 2 sizes x 2 VM policies x 3 N x 2 seeds."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]
    browser: ClassVar[Browser]
    runs: ClassVar[list[dict[str, str]]]

    @classmethod
    def setUpClass(cls) -> None:
        (cls.folder / "study.yaml").write_text(STUDY, encoding="utf-8")
        for words in (("compare", "study.yaml", "-q", "--db", "r.db", "--csv", "r.csv"),
                      ("report", "r.db", "-o", "r.html")):
            subprocess.run([cls.cospot, *words], cwd=cls.folder, check=True,
                           stdout=subprocess.DEVNULL)
        with open(cls.folder / "r.csv", newline="", encoding="utf-8") as file:
            cls.runs = list(csv.DictReader(file))
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()

    def setUp(self) -> None:
        self.browser.open(self.folder / "r.html")
        self.browser.requests()

    def points(self, view: str) -> list[dict[str, Any]]:
        """What the chart of a view draws."""
        self.browser.open(self.folder / "r.html", view)
        return list(self.browser.run(
            "const state = ViewState.get(); return Trend.rows(state, Points.compute(state))"))

    def mean(self, measure: str, **chosen: str) -> float:
        values = [float(run[measure]) for run in self.runs
                  if all(run[axis] == value for axis, value in chosen.items())]
        return sum(values) / len(values)

    def test_it_loads_nothing_and_complains_of_nothing(self) -> None:
        self.assertEqual(self.browser.console(), [])
        self.assertEqual(self.browser.requests(), [])
        self.assertIn("Study degradation: 24 runs", self.browser.text("#what-was-run"))

    def test_the_chart_shows_means_in_the_order_of_the_axis(self) -> None:
        points = self.points("#color=vm")
        # The longest axis is host_subset_size; the first measure that changes along it, the VMs
        # rejected.
        self.assertEqual([point["name"] for point in points[::2]], ["1", "2", "16"])
        self.assertEqual([point["group"] for point in points[::2]], [0, 1, 2])
        for point in points:
            self.assertEqual(point["count"], 4)
            self.assertAlmostEqual(
                point["mean"], self.mean(
                    "vm_rejected", host_subset_size=point["name"], vm=point["colorName"]))
        self.assertEqual({point["colorName"] for point in points}, {"UTIL", "COS"})
        self.assertEqual(len(self.browser.all("#trend canvas")), 1)

    def test_a_choice_leaves_the_other_runs_out(self) -> None:
        for point in self.points("#color=vm&size=2 %25"):
            expected = self.mean("vm_rejected", host_subset_size=point["name"],
                                 vm=point["colorName"], headroom_percent="2")
            self.assertAlmostEqual(point["mean"], expected)

    def test_the_table_has_every_run_and_text_is_text(self) -> None:
        self.assertEqual(len(self.browser.all("#table tbody tr")), 24)
        self.assertEqual(self.browser.all("#table b"), [])
        first = [cell.text for cell in self.browser.all("#table tbody tr:first-child td")]
        self.assertEqual(first[0], "script><b>x")  # a label without its folders
        self.assertEqual(first[5].replace(",", ""), self.runs[0]["hosts"])


#: Tiny files of the studies of promises, and how many runs each has.
PROMISES = {
    "sla": ("""\
study: sla
workloads: {synthetic: lognormal, days: 1}
spot_workloads: {synthetic: lognormal, days: 1}
host: {vcpus: 4}
hosts: [7, 8]
target: [none, 0.1]
spot_delay_hours: 0
samples: 100
""", 4),
    "economy": ("""\
study: economy
usage: {synthetic: azure2020, seed: 1, scale: 0.002}
forecaster: [mean, minimum, oracle]
confidence: [0.5, 0.9]
price: [0.3, 0.7]
period_hours: 1
training_days: 5
horizon_days: 3
""", 12),
    "levels": ("""\
study: levels
workloads: {synthetic: azure2020, seed: 1, scale: 0.002}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [2]
vm: COS
spot: vmaDPD
evictor: FIFO
saf: [false, true]
otn: [1, 4]
economy: COS
economy_percent: [0, 50]
promise: [unlimited, 0.9]
period_hours: 1
training_days: 3
horizon_days: 1
""", 16),
}


class PromiseReports(unittest.TestCase):
    """The pages of the studies of promises: what they show comes from the study."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]

    def check(self, study: str) -> None:
        text, count = PROMISES[study]
        (self.folder / f"{study}.yaml").write_text(text, encoding="utf-8")
        for words in (("compare", f"{study}.yaml", "-q", "--db", f"{study}.db",
                       "--csv", f"{study}.csv"),
                      ("report", f"{study}.db", "-o", f"{study}.html")):
            subprocess.run([self.cospot, *words], cwd=self.folder, check=True,
                           stdout=subprocess.DEVNULL)
        page = Browser()
        self.addCleanup(page.close)
        page.open(self.folder / f"{study}.html")
        self.assertEqual(page.console(), [])
        self.assertIn(f"Study {study}: {count} runs", page.text("#what-was-run"))
        self.assertEqual(len(page.all("#table tbody tr")), count)
        with open(self.folder / f"{study}.csv", newline="", encoding="utf-8") as file:
            columns = next(csv.reader(file))
        heads = [cell.text.rstrip(" ↑↓") for cell in page.all("#table thead th")]
        for column in columns:  # a head is the name in words, and the unit
            name = "Headroom" if column == "headroom_percent" else column.replace("_", " ")
            self.assertTrue(any(head == name or head.startswith(name + ", ") for head in heads),
                            f"{column} in {heads}")
        drawn = page.run(
            "const state = ViewState.get(); return Trend.rows(state, Points.compute(state))")
        self.assertGreater(len(drawn), 0)

    def test_sla(self) -> None:
        self.check("sla")

    def test_economy(self) -> None:
        self.check("economy")

    def test_levels(self) -> None:
        self.check("levels")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cospot", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    reason = browsers.missing()
    if reason:
        print(f"skipped: {reason}")
        return 77
    StudyReport.cospot = arguments.cospot.resolve()
    with tempfile.TemporaryDirectory(prefix="cospot-browser-") as scratch:
        StudyReport.folder = pathlib.Path(scratch)
        PromiseReports.cospot, PromiseReports.folder = StudyReport.cospot, StudyReport.folder
        program = unittest.main(argv=[sys.argv[0]], exit=False)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
