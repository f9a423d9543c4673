#!/usr/bin/env python3
"""Opens a report in Chromium and uses it as a reader would.

    tests/browser/test_report.py --cospot build/release/cospot [--pictures FOLDER] [TEST...]

What it shows is compared with the CSV of the same runs, and configurations that it offers are run.
Exit code 77: skipped, because there is no browser to drive.
"""

# unittest and not pytest: Debian's Python alone runs it, and its assertions say what they found.
# ruff: noqa: PT009

from __future__ import annotations

import argparse
import csv
import math
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import unittest
from typing import Any, ClassVar
from urllib.parse import parse_qs

import browser as browsers
from browser import Browser

SWEEP = """\
workloads:
  - {synthetic: azure2020, seed: 1, scale: 0.003}
  - {synthetic: azure2020, seed: 2, scale: 0.003}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: [0, 2]
vm: [COS, UTIL]
spot: [sDPD, {name: vmaDPD, label: away}]
evictor: [FIFO, LPO]
saf: [false, true]
otn: [1, 4, 16]
"""
AXES = ("workload", "headroom_percent", "vm", "spot", "evictor", "saf", "otn")
RESULTS = ("hosts", "vm_rejected", "spot_admitted", "evictions", "vm_revenue", "spot_revenue")

runs: list[dict[str, str]] = []


class Paths:
    """Where things are; main() says it."""

    cospot: ClassVar[pathlib.Path]
    scratch: ClassVar[pathlib.Path]
    pictures: ClassVar[pathlib.Path | None]


def call(*arguments: str) -> None:
    """Runs cospot in the scratch folder."""
    subprocess.run(
        [Paths.cospot, *arguments], cwd=Paths.scratch, check=True, stdout=subprocess.DEVNULL
    )


def rows_of(name: str) -> list[dict[str, str]]:
    with open(Paths.scratch / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def setUpModule() -> None:
    """Runs the sweep once and makes its report."""
    (Paths.scratch / "sweep.yaml").write_text(SWEEP, encoding="utf-8")
    call("compare", "sweep.yaml", "-q", "--timing", "off", "--db", "sweep.db", "--csv", "sweep.csv")
    call("report", "sweep.db", "-o", "report.html")
    runs.extend(rows_of("sweep.csv"))


def share(run: dict[str, str]) -> float:
    """Percent of the requested spot revenue that was earned."""
    return 100 * float(run["spot_revenue"]) / float(run["spot_revenue_requested"])


def share_with_free_hour(run: dict[str, str]) -> float:
    """The same when a spot that is evicted in its first hour earns nothing."""
    return 100 * float(run["spot_revenue_first_hour_free"]) / float(run["spot_revenue_requested"])


def loss(run: dict[str, str]) -> float:
    """Percent of the requested VM revenue that was not earned."""
    return 100 - 100 * float(run["vm_revenue"]) / float(run["vm_revenue_requested"])


def gain(run: dict[str, str]) -> float:
    """Percent more spot revenue than the run with OTN 1 and SAF off."""
    baseline = next(
        other
        for other in runs
        if all(other[axis] == run[axis] for axis in AXES[:5])
        and (other["saf"], other["otn"]) == ("0", "1")
    )
    return 100 * float(run["spot_revenue"]) / float(baseline["spot_revenue"]) - 100


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def knows_lifetimes(number: int) -> bool:
    """Whether an allocator knows lifetimes: of the sweep's evictors, LPO is."""
    return runs[number]["evictor"] == "LPO"


def of_allocator(number: int) -> list[dict[str, str]]:
    """The runs of one allocator, one per workload: the workload is the slowest axis."""
    return runs[number :: len(runs) // 2]


class ReportTest(unittest.TestCase):
    """A page of its own for every test, in a window that the tests of a class share."""

    window: ClassVar[dict[str, Any]] = {}
    browser: ClassVar[Browser]

    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = Browser(**cls.window)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self) -> None:
        self.browser.console(), self.browser.requests()
        self.browser.open(Paths.scratch / "report.html")

    def tearDown(self) -> None:
        """No test may leave an error in the console, or have fetched anything."""
        self.assertEqual(self.browser.console(), [])
        fetched = [
            url
            for url in self.browser.requests()
            if not url.startswith(("file:", "data:", "about:"))
        ]
        self.assertEqual(fetched, [])

    def picture(self, name: str) -> None:
        if Paths.pictures:
            self.browser.save_picture(Paths.pictures / f"{name}.png")

    def state(self) -> dict[str, list[str]]:
        fragment = self.browser.run("return location.hash.slice(1)")
        return parse_qs(fragment, keep_blank_values=True)

    def shown(self) -> int:
        return int(self.browser.run("return document.getElementById('scatter').dataset.points"))

    def selected(self) -> int:
        return int(self.browser.run("return document.getElementById('detail').dataset.id"))

    def column(self, number: int) -> list[str]:
        """The texts of a column of the table, from 0 for the one that selects."""
        return list(
            self.browser.run(
                "const cells = `#table tbody td:nth-child(${arguments[0] + 1})`;"
                "return [...document.querySelectorAll(cells)].map((cell) => cell.textContent)",
                number,
            )
        )

    def facts(self) -> dict[str, str]:
        """The means, without their intervals."""
        return {
            name: re.sub(r" ± [^ ]*", "", value)
            for name, value in self.facts_with_intervals().items()
        }

    def facts_with_intervals(self) -> dict[str, str]:
        return dict(
            self.browser.run(
                "return [...document.querySelectorAll('#detail .facts div')].map((fact) =>"
                " [fact.firstChild.textContent,"
                " fact.lastChild.textContent.replaceAll('\\u00a0', ' ')])"
            )
        )

    def click_point(self, number: int) -> None:
        """Clicks where the scatter has drawn a point."""
        self.browser.run("document.getElementById('scatter').scrollIntoView({block: 'center'})")
        at = self.browser.run(
            "const box = document.querySelector('#scatter canvas').getBoundingClientRect();"
            "const at = Scatter.placeOf(arguments[0]);"
            "return {x: box.left + at.x, y: box.top + at.y}",
            number,
        )
        self.browser.click_at(at["x"], at["y"])


class Desktop(ReportTest):
    def test_shows_all_allocators_as_means_over_the_workloads(self) -> None:
        self.assertEqual(self.browser.run("return document.documentElement.dataset.ready"), "true")
        self.assertEqual(self.shown(), len(runs) // 2)
        self.assertEqual(self.state(), {})
        self.assertIn("192 runs of 2 workloads", self.browser.text("#what-was-run"))
        self.picture("desktop-light")

    def test_a_filter_changes_the_points_and_the_address_which_shows_the_same_again(self) -> None:
        self.browser.one("#filter-saf input[value='0']").click()
        self.assertEqual(self.shown(), len(runs) // 4)
        self.assertEqual(self.state(), {"saf": ["on"]})
        self.browser.one("#filter-otn button[aria-label='OTN: none']").click()
        self.assertEqual(self.shown(), 0)
        self.browser.one("#filter-otn input[value='2']").click()
        self.assertEqual(self.state(), {"saf": ["on"], "otn": ["16"]})
        self.assertEqual(self.shown(), len(runs) // 12)
        self.assertEqual(self.browser.text("#filter-otn .badge"), "1 of 3")
        self.assertEqual(self.browser.text("#filter-count"), "2 active")
        self.browser.open(Paths.scratch / "report.html", self.browser.run("return location.hash"))
        self.assertEqual(self.shown(), len(runs) // 12)
        self.assertEqual(set(self.column(6)), {"16"})
        self.browser.one("#reset").click()
        self.assertEqual(self.shown(), len(runs) // 2)

    def test_a_filter_of_workloads_changes_the_means(self) -> None:
        self.browser.one("#filter-workload input[value='1']").click()
        self.browser.run("ViewState.change({selected: 7})")
        self.assertEqual(self.facts()["Gain"], f"{gain(runs[7]):+.2f} %")
        self.assertEqual(self.browser.text("#detail pre").count("synthetic:"), 1)

    def test_the_means_are_those_of_the_runs(self) -> None:
        for number in (0, 5, 23, 41, 95):
            self.browser.run("ViewState.change({selected: arguments[0]})", number)
            some = of_allocator(number)
            facts = self.facts()
            self.assertEqual(facts["Gain"], f"{mean(list(map(gain, some))):+.2f} %")
            self.assertEqual(facts["Spot revenue earned"], f"{mean(list(map(share, some))):.2f} %")
            self.assertEqual(
                facts["Spot revenue earned with a free first hour"],
                f"{mean(list(map(share_with_free_hour, some))):.2f} %",
            )
            evictions = mean([float(run["evictions"]) for run in some])
            self.assertEqual(facts["Evictions (spots)"], f"{evictions:,.1f}")
            lost = float(facts["VM revenue lost"].removesuffix("%").strip(" <\u00a0"))
            self.assertAlmostEqual(lost, mean(list(map(loss, some))), delta=1e-4)

    def test_means_have_the_95_percent_interval_over_the_workloads(self) -> None:
        of_two = 12.7062  # Student's t of one degree of freedom
        for number in (0, 41):
            self.browser.run("ViewState.change({selected: arguments[0]})", number)
            values = list(map(share, of_allocator(number)))
            half = of_two * statistics.stdev(values) / math.sqrt(2)
            self.assertEqual(
                self.facts_with_intervals()["Spot revenue earned"],
                f"{mean(values):.2f} ± {half:.2f} %",
            )

    def test_prices_put_money_beside_shares(self) -> None:
        self.assertNotIn("Spot earned (money)", self.facts())
        self.check_money("on-demand=0.04", "--price", "spot=0.012")

    def test_prices_by_flavor_are_those_of_each_workload(self) -> None:
        sizes = set()
        for seed in ("1", "2"):
            call(
                "workload",
                "generate",
                "azure2020",
                "--seed",
                seed,
                "--scale",
                "0.003",
                "-o",
                "seed.csv",
            )
            with (Paths.scratch / "seed.csv").open() as table:
                rows = csv.DictReader(line for line in table if not line.startswith("#"))
                sizes |= {(row["vcpus"], row["memory_mb"]) for row in rows}
        lines = [
            f"{vcpus},{memory},{0.04 * int(vcpus)},{0.012 * int(vcpus)}"
            for vcpus, memory in sorted(sizes)
        ]
        text = "\n".join(["vcpus,memory_mb,on_demand,spot", *lines, ""])
        (Paths.scratch / "flavors.csv").write_text(text)
        self.check_money("flavors.csv")

    def check_money(self, *prices: str) -> None:
        """Of prices that come to 0.04 and 0.012 for a vCPU-hour."""
        call("report", "sweep.db", "-o", "priced.html", "--price", *prices)
        self.browser.open(Paths.scratch / "priced.html")
        for number in (5, 41):
            self.browser.run("ViewState.change({selected: arguments[0]})", number)
            some = of_allocator(number)
            earned = mean([float(run["spot_revenue"]) for run in some]) / 3600 * 0.012
            requested = mean([float(run["spot_revenue_requested"]) for run in some]) / 3600 * 0.012
            shown = self.browser.run(
                "const point = Points.compute(ViewState.get()).byId.get(arguments[0]);"
                "return [point.spot_earned, point.spot_requested, point.vm_lost]",
                number,
            )
            self.assertAlmostEqual(shown[0], earned, delta=1e-4 * earned)
            self.assertAlmostEqual(shown[1], requested, delta=1e-4 * requested)
            self.assertIn(" ± ", self.facts_with_intervals()["Spot earned (money)"])
        titles = [cell.text for cell in self.browser.all("#table thead th")]
        self.assertTrue(any("Spot earned (money)" in title for title in titles), titles)

    def test_the_pareto_fronts_are_the_points_to_set_that_no_other_beats(self) -> None:
        for measure, view in ((share, ""), (gain, "#y=gain")):
            self.browser.open(Paths.scratch / "report.html", view)
            self.assert_fronts(
                [
                    (
                        number,
                        mean(list(map(loss, of_allocator(number)))),
                        mean(list(map(measure, of_allocator(number)))),
                    )
                    for number in range(len(runs) // 2)
                    if not knows_lifetimes(number)
                ]
            )

    def assert_fronts(self, means: list[tuple[int, float, float]]) -> None:
        expected = set()
        for size in ("0", "2"):
            same = [point for point in means if runs[point[0]]["headroom_percent"] == size]
            expected |= {
                point[0]
                for point in same
                if not any(
                    (other[1] <= point[1] + 1e-9 and other[2] > point[2] + 1e-9)
                    or (other[1] < point[1] - 1e-9 and other[2] >= point[2] - 1e-9)
                    for other in same
                )
            }
        fronts = self.browser.run(
            "return Points.compute(ViewState.get()).fronts.map((front) =>"
            " front.points.map((point) => point.id))"
        )
        self.assertGreaterEqual(len(fronts), 2)
        found = {point for front in fronts for point in front}
        # Of points that are equal in both the front keeps one.
        self.assertLessEqual(found, expected)
        places = {
            (round(point[1], 6), round(point[2], 4), runs[point[0]]["headroom_percent"])
            for point in means
            if point[0] in expected
        }
        self.assertEqual(len(found), len(places))

    def best_to_set(self, numbers: range | list[int]) -> int:
        """The allocator to set that earns most from spots of those that reject no VM."""
        return max(
            (
                number
                for number in numbers
                if not knows_lifetimes(number)
                and all(run["vm_rejected"] == "0" for run in of_allocator(number))
            ),
            key=lambda number: mean(list(map(share, of_allocator(number)))),
        )

    def test_leads_with_what_the_best_to_set_earns_and_has_the_bound_beside_it(self) -> None:
        self.assertEqual(
            self.browser.text("#chart-heading"), "Spot revenue earned against VM revenue lost"
        )
        figures = [
            text.replace("\u00a0", " ")
            for text in self.browser.run(
                "return [...document.querySelectorAll('#figures .figure')]"
                ".map((figure) => figure.innerText)"
            )
        ]
        best = self.best_to_set(range(len(runs) // 2))
        earned = mean(list(map(share, of_allocator(best))))
        self.assertEqual(
            figures[0].splitlines()[:2],
            [f"{earned:.2f} %", "most spot revenue earned without VM loss"],
        )
        self.assertNotIn("LPO", figures[0])
        self.assertIn("knows lifetimes", figures[1])
        self.assertIn("LPO (knows lifetimes)", figures[1])
        # What is shown before the reader chooses is the same, and is none of LPO's.
        self.assertEqual(self.facts()["Spot revenue earned"], f"{earned:.2f} %")
        self.assertNotIn("LPO", self.browser.text("#detail .allocator"))
        self.assertEqual(self.browser.all("#detail .bound"), [])
        bound = next(number for number in range(len(runs) // 2) if knows_lifetimes(number))
        self.browser.run("ViewState.change({selected: arguments[0]})", bound)
        self.assertIn("Knows lifetimes: nobody can choose it", self.browser.text("#detail .bound"))

    def test_when_nothing_can_be_set_it_says_so_beside_the_bound(self) -> None:
        self.browser.open(Paths.scratch / "report.html", "#evictor=LPO")
        self.assertEqual(self.shown(), len(runs) // 4)
        figures = self.browser.text("#figures")
        self.assertIn("nothing in view can be set: knows lifetimes", figures)
        self.assertIn("knows lifetimes", figures)
        self.assertIn("nothing in view can be set", self.browser.text("#best"))
        self.assertIn("knows lifetimes", self.browser.text("#best"))
        self.browser.open(Paths.scratch / "report.html", "#evictor=FIFO")
        for part in ("#figures", "#best"):
            self.assertNotIn("knows lifetimes", self.browser.text(part))

    def boxes(self) -> dict[tuple[int, int], dict[str, Any]]:
        """Where the marks of the boxes stand, in pixels, by setting and SAF."""
        places = self.browser.run(
            "const { view } = document.getElementById('trend');"
            "const marks = [];"
            "const visit = (mark) => mark.items.forEach((item) => {"
            " if (mark.marktype === 'group') item.items.forEach(visit);"
            " else if (item.datum?.median !== undefined) marks.push({ ...item.datum,"
            "  mark: mark.name, x1: item.bounds.x1, x2: item.bounds.x2, y1: item.bounds.y1,"
            "  y2: item.bounds.y2, at: view.scale('y')(item.datum.median) }); });"
            "visit(view.scenegraph().root);"
            "return marks"
        )
        boxes: dict[tuple[int, int], dict[str, Any]] = {}
        for place in places:
            boxes.setdefault((place["group"], place["color"]), {})[place["mark"]] = place
        return boxes

    def test_the_median_of_a_box_lies_across_it_at_its_value(self) -> None:
        otns = ["1", "4", "16"]
        for view, measure, axis, values in (
            ("", share, "otn", otns),
            ("#x=size", share, "headroom_percent", ["0", "2"]),
            ("#x=size&measure=vm_loss", loss, "headroom_percent", ["0", "2"]),
        ):
            self.browser.open(Paths.scratch / "report.html", view)
            boxes = self.boxes()
            self.assertEqual(set(boxes), {(i, saf) for i in range(len(values)) for saf in (0, 1)})
            for (group, saf), marks in boxes.items():
                # Drawn in this order: the line from low to high, the bar, the median.
                line, bar, tick = (marks[name] for name in sorted(marks))
                of_box = [
                    mean(list(map(measure, of_allocator(number))))
                    for number in range(len(runs) // 2)
                    if (runs[number][axis], runs[number]["saf"]) == (values[group], str(saf))
                ]
                self.assertAlmostEqual(tick["median"], statistics.median(of_box), delta=1e-3)
                self.assertAlmostEqual((tick["y1"] + tick["y2"]) / 2, tick["at"], delta=0.6)
                middle = (bar["x1"] + bar["x2"]) / 2
                self.assertAlmostEqual((tick["x1"] + tick["x2"]) / 2, middle, delta=0.6)
                self.assertAlmostEqual((line["x1"] + line["x2"]) / 2, middle, delta=0.6)
                # From edge to edge, within a pixel.
                self.assertAlmostEqual(tick["x1"], bar["x1"], delta=1)
                self.assertAlmostEqual(tick["x2"], bar["x2"], delta=1)
                self.assertGreaterEqual(tick["y2"], bar["y1"])
                self.assertLessEqual(tick["y1"], bar["y2"])

    def rerun(self, name: str) -> list[dict[str, str]]:
        text = self.browser.text("#detail pre")
        (Paths.scratch / "chosen.yaml").write_text(text, encoding="utf-8")
        call(
            "compare",
            "chosen.yaml",
            "-q",
            "--force",
            "--timing",
            "off",
            "--db",
            f"{name}.db",
            "--csv",
            f"{name}.csv",
        )
        return rows_of(f"{name}.csv")

    def assert_same_runs(self, found: list[dict[str, str]], expected: list[dict[str, str]]) -> None:
        keys = AXES + RESULTS
        self.assertEqual(
            [[run[key] for key in keys] for run in found],
            [[run[key] for key in keys] for run in expected],
        )

    def test_a_click_on_a_run_shows_the_configuration_that_repeats_it(self) -> None:
        self.browser.open(Paths.scratch / "report.html", "#mode=runs&spot=away&evictor=LPO&otn=16")
        self.assertEqual(self.shown(), len(runs) // 12)
        number = next(
            i
            for i, run in enumerate(runs)
            if (run["spot"], run["evictor"], run["otn"]) == ("away", "LPO", "16") and loss(run) > 0
        )
        self.click_point(number)
        self.assertEqual(self.selected(), number)
        self.assertEqual(self.state()["selected"], [str(number)])
        self.assert_same_runs(self.rerun("one"), [runs[number]])
        call("run", "chosen.yaml")

    def test_a_click_on_a_mean_shows_the_configuration_that_repeats_all_of_its_runs(self) -> None:
        self.click_point(77)
        point = self.selected()
        self.assert_same_runs(self.rerun("mean"), of_allocator(point))

    def test_the_commands_give_the_gain(self) -> None:
        number = next(i for i, run in enumerate(runs) if (run["saf"], run["otn"]) == ("1", "4"))
        self.browser.run("ViewState.change({selected: arguments[0]})", number)
        self.rerun("chosen")
        for line in self.browser.run(
            "return document.querySelectorAll('#detail pre')[1].textContent"
        ).splitlines():
            call(*shlex.split(line)[1:], "--force", "-q")
        call("summary", "chosen.db", "--csv", "with_baseline.csv", "--timing", "off")
        again = rows_of("with_baseline.csv")
        self.assertEqual(
            {(run["saf"], run["otn"]) for run in again},
            {("0", "1"), ("0", "4"), ("1", "1"), ("1", "4")},
        )

    def test_the_sweep_it_shows_is_the_sweep(self) -> None:
        (Paths.scratch / "again.yaml").write_text(
            self.browser.text("#sweep-content pre"), encoding="utf-8"
        )
        # The same sweep: resuming its database has nothing to do and nothing against it.
        call("compare", "again.yaml", "-q", "--resume", "--db", "sweep.db")

    def test_every_column_sorts_both_ways(self) -> None:
        count = len(self.browser.all("#table thead button"))
        self.assertGreaterEqual(count, 13)
        names = [
            button.get_attribute("data-sort") for button in self.browser.all("#table thead button")
        ]
        for name in names:
            orders = []
            for _ in range(2):
                button = self.browser.one(f"#table button[data-sort={name}]")
                self.browser.run("arguments[0].focus()", button)
                self.browser.press("\ue007")  # Enter
                cell = self.browser.one(f"#table th:has([data-sort={name}])")
                orders.append(cell.get_attribute("aria-sort"))
                focused = self.browser.run("return document.activeElement.dataset.sort")
                self.assertEqual(focused, name)
                values = self.browser.run(
                    "const points = Points.compute(ViewState.get()).byId;"
                    "return [...document.querySelectorAll('#table tbody tr')].map((row) =>"
                    " points.get(Number(row.dataset.id))[arguments[0]])",
                    name,
                )
                self.assertEqual(values, sorted(values, reverse=orders[-1] == "descending"))
            self.assertEqual(set(orders), {"ascending", "descending"})

    def test_the_table_has_pages_of_a_hundred(self) -> None:
        self.browser.run("ViewState.change({mode: 'runs'})")
        self.assertEqual(len(self.column(0)), 100)
        self.assertIn("Rows 1 to 100 of 192", self.browser.text("#pages-top"))
        self.browser.one("#pages-top button[aria-label='Next page']").click()
        self.assertEqual(len(self.column(0)), 92)
        self.assertEqual(self.state()["page"], ["2"])

    def test_the_keyboard_reaches_and_selects(self) -> None:
        reached = set()
        for _ in range(100):
            self.browser.press("\ue004")  # Tab
            reached.add(
                self.browser.run(
                    "const e = document.activeElement;"
                    "return e.id || e.dataset.sort || e.name || e.className || e.tagName"
                )
            )
        for stop in ("scatter", "color", "mode", "y", "reset", "copy", "gain", "row"):
            self.assertIn(stop, reached)
        self.browser.run("document.getElementById('scatter').focus()")
        front = self.browser.run(
            "return Points.compute(ViewState.get()).fronts.flatMap((front) =>"
            " front.points.map((point) => point.id))"
        )
        self.assertGreaterEqual(len(front), 2)
        self.browser.press(*["\ue012"] * len(front))  # left, as far as it goes
        self.assertEqual(self.selected(), front[0])
        walked = []
        for _ in front[1:]:
            self.browser.press("\ue014")  # right
            walked.append(self.selected())
        self.assertEqual(walked, front[1:])
        self.browser.run("document.querySelector('#table input').focus()")
        self.browser.press("\ue015")  # down: the radio button of the next row
        second = self.browser.run(
            "return Number(document.querySelectorAll('#table tbody tr')[1].dataset.id)"
        )
        self.assertEqual(self.selected(), second)
        self.assertEqual(self.browser.run("return document.activeElement.value"), str(second))

    def test_copies_the_configuration(self) -> None:
        self.browser.command(
            "Browser.grantPermissions",
            permissions=["clipboardReadWrite", "clipboardSanitizedWrite"],
        )
        button = self.browser.all("#detail button.copy")[0]
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        text = self.browser.driver.execute_async_script(
            "const done = arguments[0];"
            "navigator.clipboard.readText().then(done, (error) => done(`${error}`))"
        )
        self.assertEqual(text, self.browser.text("#detail pre"))

    def test_the_best_of_a_size_can_be_shown_from_any_view(self) -> None:
        self.browser.run("ViewState.change({mode: 'runs'})")
        rows = self.browser.all("#best tbody tr[data-id]:not(.bound)")
        self.assertGreaterEqual(len(rows), 1)
        number = int(rows[0].get_attribute("data-id"))
        button = rows[0].find_element("css selector", "button")
        self.browser.run("arguments[0].click()", button)
        self.assertEqual(self.selected(), number)
        self.assertEqual(self.state()["selected"], [str(number)])
        same = [
            i
            for i in range(len(runs) // 2)
            if runs[i]["headroom_percent"] == runs[number]["headroom_percent"]
        ]
        self.assertEqual(set(run["vm_rejected"] for run in of_allocator(number)), {"0"})
        self.assertFalse(knows_lifetimes(number))
        most = mean(list(map(share, of_allocator(self.best_to_set(same)))))
        self.assertAlmostEqual(mean(list(map(share, of_allocator(number)))), most, places=3)

    def test_elements_have_names(self) -> None:
        nameless = self.browser.run(
            "return [...document.querySelectorAll('button, input, select, [role=img], table, nav')]"
            ".filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim()"
            " || e.closest('label')?.textContent.trim())).map((e) => e.outerHTML)"
        )
        self.assertEqual(nameless, [])
        self.assertIn("Pareto", self.browser.one("#scatter [role=img]").get_attribute("aria-label"))


class HostTypes(ReportTest):
    """A datacenter of several types of hosts."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        (Paths.scratch / "types.yaml").write_text(
            SWEEP.replace(
                "host: {vcpus: 10400, memory_mb: 2250}",
                "host:\n  - {type: big, count: 2, vcpus: 10400, memory_mb: 2250}\n"
                "  - {type: small, count: 1, vcpus: 5200, memory_mb: 1125, disk_gb: 9}",
            )
            .replace("[COS, UTIL]", "COS")
            .replace("[FIFO, LPO]", "FIFO"),
            encoding="utf-8",
        )
        call("compare", "types.yaml", "-q", "--force", "--db", "types.db")
        call("report", "types.db", "-o", "types.html")

    def test_the_headline_says_what_each_type_has(self) -> None:
        self.browser.open(Paths.scratch / "types.html")
        self.assertIn(
            "hosts of 2 x big: 10,400 vcpus, 2,250 MiB of memory and "
            "1 x small: 5,200 vcpus, 1,125 MiB of memory, 9 GiB of disk",
            self.browser.text("#what-was-run"),
        )


class Dark(ReportTest):
    window: ClassVar[dict[str, Any]] = {"dark": True}

    def luminance(self, selector: str, what: str) -> float:
        """Of a colour of an element, from 0, black, to 255."""
        color = self.browser.run(
            "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]",
            selector,
            what,
        )
        red, green, blue = (float(part) for part in color[color.index("(") + 1 : -1].split(",")[:3])
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def test_the_page_and_its_charts_are_dark(self) -> None:
        for selector in ("body", ".card", "#table"):
            self.assertLess(self.luminance(selector, "backgroundColor"), 50, selector)
        self.assertGreater(self.luminance("body", "color"), 180)
        # The background of the canvas is that of the card; what is drawn on it is light.
        brightest = self.browser.run(
            "const canvas = document.querySelector('#scatter canvas');"
            "const context = canvas.getContext('2d');"
            "const { data } = context.getImageData(0, 0, canvas.width, canvas.height);"
            "let most = 0;"
            "for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 250)"
            " most = Math.max(most, Math.min(data[i], data[i + 1], data[i + 2]));"
            "return most"
        )
        self.assertGreater(brightest, 200)
        self.picture("desktop-dark")

    def test_changes_with_the_system_and_prints_light(self) -> None:
        text = "return Theme.chartConfig().axis.titleColor"
        dark = self.browser.run(text)
        self.browser.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "light"}],
        )
        self.assertNotEqual(self.browser.run(text), dark)
        self.browser.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark"}],
        )
        self.browser.run("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.run(text), "#000000")
        self.browser.run("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.run(text), dark)


class Phone(ReportTest):
    window: ClassVar[dict[str, Any]] = {"width": 360, "height": 740}

    def test_nothing_is_wider_than_the_screen(self) -> None:
        self.picture("phone")
        self.browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        for mode in ("runs", "mean"):
            self.browser.run("ViewState.change({mode: arguments[0]})", mode)
            widths = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
            self.assertEqual(widths, [360, 360])

    def test_a_tap_selects(self) -> None:
        self.click_point(20)
        self.assertIn("selected", self.state())


class Hostile(ReportTest):
    """A label and a title that would be markup, and results with gaps."""

    LABEL = "</script><img src=x onerror=document.title=1>"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        (Paths.scratch / "requests.csv").write_text(
            "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\n"
            "spot-1,lab,spot,4,4,0,86400\nvm-1,shop,vm,6,8,3600,43200\n",
            encoding="utf-8",
        )
        (Paths.scratch / "hostile.yaml").write_text(
            f'workloads: {{path: requests.csv, label: "{cls.LABEL}"}}\n'
            "host: {vcpus: 8, memory_mb: 16}\nhosts: [1, 2]\nvm: [UTIL, COS]\nspot: sUTIL\n"
            "evictor: FIFO\nsaf: true\notn: 2\n",
            encoding="utf-8",
        )
        call("compare", "hostile.yaml", "-q", "--force", "--shard", "2/3", "--db", "hostile.db")
        call("report", "hostile.db", "-o", "hostile.html", "--title", cls.LABEL)

    def setUp(self) -> None:
        super().setUp()
        self.browser.open(Paths.scratch / "hostile.html")

    def test_is_text_everywhere(self) -> None:
        self.assertEqual(self.browser.run("return document.title"), self.LABEL)
        self.assertEqual(self.browser.text("h1"), self.LABEL)
        self.assertEqual(self.browser.all("img"), [])
        # With all columns, the table names a file without its folders.
        self.browser.open(Paths.scratch / "hostile.html", "#columns=all")
        self.assertIn(self.LABEL.rpartition("/")[2], self.column(1)[0])
        self.assertIn(self.LABEL, self.browser.text("#detail pre"))

    def test_without_a_baseline_it_shows_the_spot_revenue_earned(self) -> None:
        self.assertEqual(
            self.browser.text("#chart-heading"), "Spot revenue earned against VM revenue lost"
        )
        self.assertEqual(self.shown(), 1)
        self.assertIn("3 runs of the study are missing", self.browser.text("#what-was-run"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cospot", type=pathlib.Path, required=True)
    parser.add_argument("--pictures", type=pathlib.Path, help="folder for screenshots")
    parser.add_argument("tests", nargs="*", help="for example Desktop.test_elements_have_names")
    arguments = parser.parse_args()
    reason = browsers.missing()
    if reason:
        print(f"skipped: {reason}")
        return 77
    Paths.cospot = arguments.cospot.resolve()
    Paths.pictures = arguments.pictures
    if Paths.pictures:
        Paths.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cospot-browser-") as scratch:
        Paths.scratch = pathlib.Path(scratch)
        program = unittest.main(argv=[sys.argv[0], *arguments.tests], exit=False)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
