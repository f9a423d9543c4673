#!/usr/bin/env python3
"""Opens the reports of all kinds of studies, and of two databases, in Chromium.

    tests/browser/test_other_reports.py --cospot build/release/cospot

Exit code 77: skipped, because there is no browser to drive.
"""

# ruff: noqa: PT009

from __future__ import annotations

import csv
import itertools
import math
import pathlib
import subprocess
import sys
import time
import unittest
from typing import ClassVar

from browser import Browser, run_cases

#: Tiny files of studies, and how many runs each has.
STUDIES = {
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
    "deadline": ("""\
study: deadline
trace:
  - {synthetic: bursty, seed: 1, days: 20}
  - {synthetic: regimes, seed: 2, days: 20}
  - {synthetic: scarce, seed: 3, days: 20}
deadline_hours: [52, 92]
""", 36),
    "schedulers": ("""\
study: schedulers
workloads: {synthetic: azure2020, seed: 1, scale: 0.002}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: 2
vm: COS
spot: vmaDPD
evictor: FIFO
saf: off
otn: 1
schedulers: [1, 4]
refresh_interval_s: [0, 10, 60]
commit_rule: [generation, capacity]
""", 12),
    "life": ("""\
study: life
workloads: {synthetic: azure2020, seed: 1, scale: 0.002}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [0, 2]
vm: COS
spot: vmaDPD
evictor: FIFO
saf: [off, on]
otn: [1, 16]
disruptions:
  - none
  - label: failures-every-180-days-repaired-in-a-day
    failures: {mtbf_days: 180, repair_h: 24, seed: 1}
  - label: returning-spots-with-the-same-end
    returning_spots: {patience_s: 86400}
    after_a_wait: same_end
""", 24),
}


class OtherReports(unittest.TestCase):
    """The pages of other studies: what they show comes from the study."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]

    def check(self, study: str) -> None:
        text, count = STUDIES[study]
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
        self.assertGreater(len(page.all("#answer .answer")), 0)
        self.check_looks(page)
        page.open(self.folder / f"{study}.html", "#mode=runs&columns=all")
        self.assertIn(f"Study {study}: {count} runs", page.text("#what-was-run"))
        self.assertEqual(len(page.all("#table tbody tr")), count)
        with open(self.folder / f"{study}.csv", newline="", encoding="utf-8") as file:
            columns = next(csv.reader(file))
        shown = [button.get_attribute("data-sort") for button in page.all("#table thead button")]
        names = {"headroom_percent": "size"}
        self.assertEqual({names.get(column, column) for column in columns} - set(shown), set())
        heads = [cell.text for cell in page.all("#table thead th")]
        self.assertEqual([head for head in heads if "_" in head], [])
        drawn = page.run(
            "const state = ViewState.get(); return Trend.rows(state, Points.compute(state))")
        self.assertGreater(len(drawn), 0)

    def check_looks(self, page: Browser) -> None:
        """At 1400 and 390 pixels nothing is cut off, overlaps, or is raw Markdown."""
        for width in (1400, 390):
            page.resize(width, 900)
            time.sleep(0.5)  # until the chart has the new width
            self.assertEqual(page.run("const page = document.documentElement;"
                                      "return page.scrollWidth - page.clientWidth"), 0)
            labels = page.run(
                "const labels = [];"
                "const visit = (mark, x, y, axis) => mark.items.forEach((item) => {"
                " if (mark.marktype === 'group') item.items.forEach((one) =>"
                "  visit(one, x + (item.x ?? 0), y + (item.y ?? 0), item.orient ?? axis));"
                " else if (mark.role === 'axis-label' && item.opacity !== 0) labels.push({ axis,"
                "  text: [item.text].flat().join(' '),"
                "  x1: x + item.bounds.x1, x2: x + item.bounds.x2,"
                "  y1: y + item.bounds.y1, y2: y + item.bounds.y2 }); });"
                "visit(document.getElementById('trend').view.scenegraph().root, 0, 0, null);"
                "return labels")
            self.assertGreater(len(labels), 2)
            self.assertEqual([label["text"] for label in labels if "…" in label["text"]], [])
            for a, b in itertools.combinations(labels, 2):
                apart = (a["x2"] <= b["x1"] + 1 or b["x2"] <= a["x1"] + 1
                         or a["y2"] <= b["y1"] + 1 or b["y2"] <= a["y1"] + 1)
                self.assertTrue(apart, f"{a} and {b} at {width}")
            self.assertNotIn("`", page.text("#answer") + page.text("main"))
        page.resize(1400, 900)

    def test_sla(self) -> None:
        self.check("sla")

    def test_economy(self) -> None:
        self.check("economy")

    def test_levels(self) -> None:
        self.check("levels")

    def test_deadline(self) -> None:
        self.check("deadline")

    def test_schedulers(self) -> None:
        self.check("schedulers")

    def test_life(self) -> None:
        self.check("life")


class Pair(unittest.TestCase):
    """Two databases of a study on one page: one of them learns from a day less."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]

    def call(self, *words: str) -> None:
        subprocess.run([self.cospot, *words], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)

    def test_it_tells_before_after_and_the_difference(self) -> None:
        text = STUDIES["levels"][0]
        (self.folder / "pair.yaml").write_text(text, encoding="utf-8")
        runs = {}
        for name, change in (("before", "training_days=3"), ("after", "training_days=2")):
            self.call("compare", "pair.yaml", "-q", "--db", f"{name}.db", "--csv", f"{name}.csv",
                      "--set", change)
            with open(self.folder / f"{name}.csv", newline="", encoding="utf-8") as file:
                runs[name] = list(csv.DictReader(file))
        self.call("report", "before.db", "after.db", "-o", "pair.html")
        page = Browser()
        self.addCleanup(page.close)
        page.open(self.folder / "pair.html", "#measure=spot_revenue_share")
        self.assertEqual(page.console(), [])
        share = {name: [100 * float(run["spot_revenue"]) / float(run["spot_revenue_requested"])
                        if float(run["spot_revenue_requested"]) > 0 else math.nan for run in all_]
                 for name, all_ in runs.items()}
        known = [i for i, value in enumerate(share["before"])
                 if not math.isnan(value) and not math.isnan(share["after"][i])]
        found = sorted(page.run(
            "return [...document.querySelectorAll('#changes tbody tr')].map((row) =>"
            " [...row.querySelectorAll('td')].map((cell) =>"
            "  Number(cell.textContent.replace('\u2212', '-').replace(/[^-0-9.]/g, '')))).sort()"))
        expected = sorted([round(share["before"][i], 2), round(share["after"][i], 2),
                           share["after"][i] - share["before"][i]] for i in known)
        self.assertEqual(len(found), 16)
        self.assertEqual(len(page.all("#table tbody tr")), 32)
        for one, other in zip(found, expected, strict=False):
            for value, wanted in zip(one, other, strict=True):
                self.assertAlmostEqual(value, wanted, delta=0.011)
        answer = page.text("#answer")
        self.assertIn("16 configurations are in both; 0 runs are in one alone", answer)
        self.assertIn("before.db", answer)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, OtherReports, Pair))
