#!/usr/bin/env python3
"""Opens the report of a study other than compare in Chromium.

    tests/browser/test_study_report.py --cospot build/release/cospot

Exit code 77: skipped, because there is no browser to drive.
"""

# ruff: noqa: PT009

from __future__ import annotations

import argparse
import csv
import itertools
import math
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
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
            self.assertEqual(point["count"], 2)  # sizes; each the mean of two seeds
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
        self.browser.open(self.folder / "r.html", "#mode=runs&columns=all&sort=workload")
        self.assertEqual(len(self.browser.all("#table tbody tr")), 24)
        self.assertEqual(self.browser.all("#table b"), [])
        first = [cell.text for cell in self.browser.all("#table tbody tr:first-child td")]
        # After the cell that selects: a label without its folders.
        self.assertEqual(first[1], "script><b>x")
        self.assertEqual(first[6].replace(",", ""), self.runs[0]["hosts"])


    def test_it_opens_with_the_lines_of_the_summary(self) -> None:
        summary = subprocess.run([self.cospot, "summary", "r.db"], cwd=self.folder, check=True,
                                 stdout=subprocess.PIPE, text=True).stdout.splitlines()
        answer = [line.text for line in self.browser.all("#answer .answer, #answer .answer-detail")]
        self.assertTrue(answer[0].startswith("VMs rejected: lowest "), answer)
        self.assertEqual([line.strip() for line in summary[1:1 + len(answer)]],
                         [line.replace("±", "+/-") for line in answer])
        self.assertLess(self.browser.one("#answer").location["y"],
                        self.browser.one("#trend").location["y"])

    def marks(self, view: str) -> list[str]:
        """The kinds of marks in the chart of a view."""
        self.browser.open(self.folder / "r.html", view)
        return list(self.browser.run(
            "const kinds = [];"
            "const visit = (mark) => { if (mark.role === 'mark') kinds.push(mark.marktype);"
            " if (mark.marktype === 'group')"
            "  mark.items.forEach((one) => one.items.forEach(visit)); };"
            "visit(document.getElementById('trend').view.scenegraph().root); return kinds"))

    def test_numbers_have_lines_and_categories_have_bars(self) -> None:
        numbers, names = self.marks("#x=host_subset_size"), self.marks("#x=vm")
        self.assertIn("line", numbers)
        self.assertNotIn("line", names)
        self.assertIn("rect", names)

    def test_the_interval_is_that_over_the_seeds(self) -> None:
        of_two = 12.7062  # Student's t of one degree of freedom
        for point in self.points("#color=vm"):
            by_seed = [self.mean("vm_rejected", host_subset_size=point["name"],
                                 vm=point["colorName"], seed=seed) for seed in ("1", "2")]
            half = of_two * statistics.stdev(by_seed) / math.sqrt(2)
            self.assertAlmostEqual(point["half"], half, delta=1e-3 * half + 1e-9)

    def test_a_click_on_the_legend_hides_a_value_and_the_address_says_so(self) -> None:
        self.browser.open(self.folder / "r.html", "#color=vm")
        self.browser.one("#trend-legend button[data-value='0']").click()
        self.assertEqual(self.browser.run("return location.hash"), "#color=vm&vm=COS")
        button = self.browser.one("#trend-legend button[data-value='0']")
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        button.click()
        self.assertEqual(self.browser.run("return location.hash"), "#color=vm")

    def place(self) -> dict[str, float]:
        """Where the chart is in the window."""
        return dict(self.browser.run(
            "document.getElementById('trend').scrollIntoView({block: 'center'});"
            "const box = document.querySelector('#trend canvas').getBoundingClientRect();"
            "return {left: box.left, top: box.top, width: box.width, height: box.height}"))

    def test_a_drag_zooms_and_the_address_keeps_it(self) -> None:
        self.browser.open(self.folder / "r.html", "#color=vm")
        box = self.place()
        self.browser.drag((box["left"] + box["width"] / 2, box["top"] + box["height"] * 0.2),
                          (box["left"] + box["width"] / 2, box["top"] + box["height"] * 0.5))
        zoom = self.browser.run("return ViewState.get().zoom")
        self.assertLess(zoom[0], zoom[1])
        self.assertIn("zoom=", self.browser.run("return location.hash"))
        domain = self.browser.run(
            "return document.getElementById('trend').view.scale('y').domain()")
        self.assertAlmostEqual(domain[0], zoom[0])
        self.assertAlmostEqual(domain[1], zoom[1])
        self.browser.one("#trend-zoom").click()
        self.assertIsNone(self.browser.run("return ViewState.get().zoom"))
        self.assertFalse(self.browser.one("#trend-zoom").is_displayed())

    def test_the_pointer_tells_a_mark(self) -> None:
        self.browser.open(self.folder / "r.html", "#color=vm")
        box = self.place()
        at = self.browser.run(
            "const { view } = document.getElementById('trend');"
            "const [x, y] = Charts.originOf(view); const state = ViewState.get();"
            "const last = Trend.rows(state, Points.compute(state)).at(-1);"
            "return [x + view.scale('x')(last.number), y + view.scale('y')(last.mean)]")
        self.browser.move_to(box["left"] + at[0], box["top"] + at[1])
        tooltip = self.browser.one("#tooltip")
        self.assertTrue(tooltip.is_displayed())
        self.assertIn("16", tooltip.text)
        self.assertIn("VMs rejected", tooltip.text)

    def test_keys_choose_a_point_and_its_command_repeats_it(self) -> None:
        self.browser.open(self.folder / "r.html", "#mode=runs")
        self.browser.run("document.getElementById('trend').focus()")
        self.browser.press("\ue014")  # right
        chosen = int(self.browser.run("return document.getElementById('detail').dataset.id"))
        self.assertEqual(self.browser.run("return ViewState.get().selected"), chosen)
        command = self.browser.run(
            "return document.querySelectorAll('#detail pre')[1].textContent")
        words = shlex.split(command.replace("\\\n", ""))[1:]
        subprocess.run([self.cospot, *words, "--csv", "chosen.csv", "-q", "--force"],
                       cwd=self.folder, check=True)
        with open(self.folder / "chosen.csv", newline="", encoding="utf-8") as file:
            self.assertEqual(list(csv.DictReader(file)), [self.runs[chosen]])

    def test_it_saves_pictures_and_numbers(self) -> None:
        saved = self.folder / "saved"
        saved.mkdir()
        self.browser.save_into(saved)
        for label in ("PNG", "SVG", "CSV"):
            self.browser.run("[...document.querySelectorAll('#trend-save button')]"
                             ".find((one) => one.textContent === arguments[0]).click()", label)
        self.browser.one("#table-tools button").click()
        names = [f"vm_rejected by host_subset_size.{kind}" for kind in ("png", "svg", "csv")]
        names.append("degradation points.csv")
        deadline = time.monotonic() + 20
        while any(not (saved / name).exists() for name in names) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual((saved / names[0]).read_bytes()[:4], b"\x89PNG")
        picture = (saved / names[1]).read_text(encoding="utf-8")
        self.assertIn("VMs rejected", picture)
        self.assertIn("</svg>", picture)
        with open(saved / names[3], newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 12)  # combinations
        for row in rows:
            expected = self.mean("vm_rejected", headroom_percent=row["size"], vm=row["vm"],
                                 host_subset_size=row["host_subset_size"])
            self.assertAlmostEqual(float(row["vm_rejected"]), expected)


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
    """Two databases of a study on one page: the same file on two hosts more and less."""

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
        for tests in (OtherReports, Pair):
            tests.cospot, tests.folder = StudyReport.cospot, StudyReport.folder
        program = unittest.main(argv=[sys.argv[0]], exit=False)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
