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
import unittest
from typing import ClassVar

from browser import Browser, run_cases

#: Tiny files of studies, and how many runs each has.
STUDIES = {
    "sla": (
        """\
study: sla
workloads: {synthetic: lognormal, days: 1}
spot_workloads: {synthetic: lognormal, days: 1}
host: {vcpus: 4}
hosts: [7, 8]
target: [none, 0.1]
spot_delay_hours: 0
samples: 100
""",
        4,
    ),
    "economy": (
        """\
study: economy
usage: {synthetic: azure2020, seed: 1, scale: 0.002}
forecaster: [mean, minimum, oracle]
confidence: [0.5, 0.9]
price: [0.3, 0.7]
period_hours: 1
training_days: 5
horizon_days: 3
""",
        12,
    ),
    "levels": (
        """\
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
""",
        16,
    ),
    "deadline": (
        """\
study: deadline
trace:
  - {synthetic: bursty, seed: 1, days: 20}
  - {synthetic: regimes, seed: 2, days: 20}
  - {synthetic: scarce, seed: 3, days: 20}
deadline_hours: [52, 92]
start_hours: [0, 200]
""",
        72,
    ),
    "schedulers": (
        """\
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
""",
        12,
    ),
    "life": (
        """\
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
""",
        24,
    ),
    "broker": (
        """\
study: broker
market: {synthetic: us_east_2011, seed: 1, days: 20}
jobs: {synthetic: grid, count: 60, days: 1}
bid: [minimum, on_demand, current]
alpha: [1, 4]
fault_tolerance: [none, checkpoint]
seed: [1, 2, 3]
""",
        36,
    ),
    "classes": (
        """\
study: classes
trace: jobs.csv
classes: [1, 2, 4]
partition: [equal, greedy, optimal]
value: [equilibrium, utility]
checkpoint_minutes: [5, 10]
""",
        36,
    ),
}

#: What else the files of studies name: a few days of jobs on some servers.
JOBS = "id,submission_s,duration_s,nodes\n" + "".join(
    f"{i},{i * 2400},{600 + i * i * 977 % 20000},{1 + i * 7 % 3}\n" for i in range(300)
)


def check_labels(case: unittest.TestCase, page: Browser) -> None:
    """No label or title of the chart's axes is cut off, and none lies on another."""
    labels = page.run(
        "const labels = []; const view = document.getElementById('trend').view;"
        "const [left] = view.origin(); const padding = view.padding().left;"
        "const width = view.container().querySelector('canvas').clientWidth;"
        "const visit = (mark, x, y, axis) => mark.items.forEach((item) => {"
        " if (mark.marktype === 'group') item.items.forEach((one) =>"
        "  visit(one, x + (item.x ?? 0), y + (item.y ?? 0), item.orient ?? axis));"
        " else if (['axis-label', 'axis-title'].includes(mark.role) && item.opacity !== 0)"
        "  labels.push({ axis, text: [item.text].flat().join(' '),"
        "  inside: x + item.bounds.x1 + left + padding >= -1 &&"
        "   x + item.bounds.x2 + left + padding <= width + 1,"
        "  x1: x + item.bounds.x1, x2: x + item.bounds.x2,"
        "  y1: y + item.bounds.y1, y2: y + item.bounds.y2 }); });"
        "visit(view.scenegraph().root, 0, 0, null);"
        "return labels"
    )
    case.assertGreater(len(labels), 2)
    case.assertEqual([label["text"] for label in labels if "…" in label["text"]], [])
    case.assertEqual([label["text"] for label in labels if not label["inside"]], [])
    for a, b in itertools.combinations(labels, 2):
        apart = (
            a["x2"] <= b["x1"] + 1
            or b["x2"] <= a["x1"] + 1
            or a["y2"] <= b["y1"] + 1
            or b["y2"] <= a["y1"] + 1
        )
        case.assertTrue(apart, f"{a} and {b}")


def marks(page: Browser) -> list[str]:
    """The kinds of marks in the chart."""
    return list(
        page.run(
            "const kinds = [];"
            "const visit = (mark) => { if (mark.role === 'mark') kinds.push(mark.marktype);"
            " if (mark.marktype === 'group')"
            "  mark.items.forEach((one) => one.items.forEach(visit)); };"
            "visit(document.getElementById('trend').view.scenegraph().root); return kinds"
        )
    )


class OtherReports(unittest.TestCase):
    """The pages of other studies: what they show comes from the study."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]

    def check(self, study: str) -> None:
        text, count = STUDIES[study]
        (self.folder / f"{study}.yaml").write_text(text, encoding="utf-8")
        (self.folder / "jobs.csv").write_text(JOBS, encoding="utf-8")
        for words in (
            (
                "compare",
                f"{study}.yaml",
                "-q",
                "--force",
                "--db",
                f"{study}.db",
                "--csv",
                f"{study}.csv",
            ),
            ("report", f"{study}.db", "-o", f"{study}.html"),
        ):
            subprocess.run(
                [self.cospot, *words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL
            )
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
            "const state = ViewState.get(); return Trend.rows(state, Points.compute(state))"
        )
        self.assertGreater(len(drawn), 0)

    def check_looks(self, page: Browser) -> None:
        """At 1400 and 390 pixels nothing is cut off, overlaps, or is raw Markdown."""
        for width in (1400, 390):
            page.resize(width, 900)
            self.assertTrue(
                page.until(
                    lambda: page.run(
                        "const page = document.documentElement;"
                        "return page.scrollWidth === page.clientWidth"
                    )
                )
            )
            check_labels(self, page)
            self.assertNotIn("`", page.text("#answer") + page.text("main"))
            # "start (h)s": a unit is no part of the word whose plural is meant.
            self.assertNotIn(")s", page.text("main"))
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

    def test_broker(self) -> None:
        self.check("broker")

    def test_classes(self) -> None:
        self.check("classes")


class Customers(unittest.TestCase):
    """What a reader of the pages of `broker` and `classes` sees and does."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]
    browser: ClassVar[Browser]

    @classmethod
    def setUpClass(cls) -> None:
        (cls.folder / "jobs.csv").write_text(JOBS, encoding="utf-8")
        texts = {name: STUDIES[name][0] for name in ("broker", "classes")}
        # As many seeds as the evaluation of the paper has.
        texts["seeds"] = texts["broker"].replace("[1, 2, 3]", str(list(range(1, 32))))
        for name, text in texts.items():
            (cls.folder / f"{name}.yaml").write_text(text, encoding="utf-8")
            for words in (
                ("compare", f"{name}.yaml", "-q", "--force", "--db", f"{name}.db"),
                ("report", f"{name}.db", "-o", f"{name}.html"),
            ):
                subprocess.run(
                    [cls.cospot, *words], cwd=cls.folder, check=True, stdout=subprocess.DEVNULL
                )
        cls.browser = Browser(1400)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()

    def setUp(self) -> None:
        self.browser.resize(1400, 900)

    def open(self, name: str, view: str = "") -> None:
        self.browser.open(self.folder / f"{name}.html", view)

    def test_the_answer_stands_on_top_in_words(self) -> None:
        for name, begin, words in (
            ("broker", "Cheapest within the limit: ", "fault tolerance"),
            ("classes", "Revenue: highest ", "by checkpoint minutes: 5: "),
        ):
            self.open(name)
            first = self.browser.all("#answer .answer")[0]
            self.assertTrue(first.text.startswith(begin), first.text)
            self.assertLess(first.location["y"] + first.size["height"], 300)
            answer = self.browser.text("#answer")
            self.assertIn(words, answer)
            self.assertNotIn(words.split(":")[0].removeprefix("by ").replace(" ", "_"), answer)

    def test_what_is_chosen_first_is_what_the_answer_says(self) -> None:
        self.open("broker")
        name = self.browser.text("#detail .allocator")
        said = self.browser.text("#answer .answer").split(" with ")[1].split(";")[0]
        self.assertEqual(name.replace(" · ", ", ").lower(), said)

    def test_categories_have_bars_and_numbers_lines(self) -> None:
        for name, category, number in (
            ("broker", "bid", "alpha"),
            ("classes", "partition", "classes"),
        ):
            self.open(name, f"#x={category}")
            self.assertIn("rect", marks(self.browser))
            self.assertNotIn("line", marks(self.browser))
            self.open(name, f"#x={number}")
            self.assertIn("line", marks(self.browser))

    def test_a_filter_leaves_rows_out_and_the_address_says_so(self) -> None:
        for name, axis, rows in (("broker", "bid", 8), ("classes", "partition", 24)):
            self.open(name)
            self.browser.all(f"#filter-{axis} .choices input")[0].click()
            self.assertEqual(len(self.browser.all("#table tbody tr")), rows)
            self.assertEqual(self.browser.text("#filter-count"), "1 active")
            self.assertEqual(self.browser.text(f"#filter-{axis} .badge"), "2 of 3")
            address = self.browser.run("return location.hash")
            self.open(name, address)
            self.assertEqual(len(self.browser.all("#table tbody tr")), rows)

    def test_the_keyboard_alone_chooses_and_sorts(self) -> None:
        for name in ("broker", "classes"):
            self.open(name)
            before = self.browser.text("#detail .allocator")
            self.browser.run("document.getElementById('trend').focus()")
            self.browser.press("\ue014")  # right
            self.browser.press("\ue014")
            self.assertNotEqual(self.browser.text("#detail .allocator"), before)
            self.assertIn("selected=", self.browser.run("return location.hash"))
            heading = "#table thead button[data-sort]"
            self.browser.run("document.querySelector(arguments[0]).focus()", heading)
            self.browser.press("\ue007")  # enter
            self.assertIn("sort=", self.browser.run("return location.hash"))
            # The focus stays on the heading, so that another press turns the order round.
            self.assertTrue(
                self.browser.run(
                    "return document.activeElement === document.querySelector(arguments[0])",
                    heading,
                )
            )

    def test_on_paper_nothing_is_cut_off_or_idle(self) -> None:
        for name in ("broker", "classes", "seeds"):
            self.open(name)
            self.browser.command("Emulation.setEmulatedMedia", media="print")
            self.browser.resize(720, 1000)  # a page's width
            self.browser.run("window.dispatchEvent(new Event('beforeprint'))")
            for kind in (
                "aside",
                ".controls",
                "#trend-help",
                "#pages-top",
                ".copy",
                "details:not([open])",
            ):
                # In one step, for the page draws itself anew meanwhile.
                self.assertEqual(
                    self.browser.run(
                        "return [...document.querySelectorAll(arguments[0])].filter((one) =>"
                        " one.checkVisibility()).map((one) => one.textContent)",
                        kind,
                    ),
                    [],
                    kind,
                )
            cut = self.browser.run(
                "return [...document.querySelectorAll('body *')].filter((one) =>"
                " one.checkVisibility() && !one.classList.contains('hidden') &&"
                " !one.closest('.hidden, option') &&"
                " one.getBoundingClientRect().right > innerWidth + 1).map((one) =>"
                " `${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`)"
            )
            self.assertEqual(cut, [], name)
            rows = self.browser.run(
                "return [...document.querySelectorAll('#table tbody tr')]"
                ".filter((one) => one.checkVisibility()).length"
            )
            self.assertLessEqual(rows, 30)
            self.browser.command("Emulation.setEmulatedMedia", media="")
            self.browser.resize(1400, 900)

    def test_with_31_seeds_it_can_still_be_read(self) -> None:
        self.open("seeds")
        self.assertIn("each the mean of its seeds; 372 of 372 runs", self.browser.text("#in-view"))
        self.assertIn("Mean over 31 seeds", self.browser.text("#detail"))
        # All seeds are in sight, without a bar to scroll.
        self.assertTrue(
            self.browser.run(
                "const list = document.querySelector('#filter-seed .choices');"
                "return list.scrollHeight <= list.clientHeight"
            )
        )
        for view in ("#mode=runs&x=seed", "#mode=runs&x=seed&color=bid", "#mode=runs&color=seed"):
            self.open("seeds", view)
            self.assertEqual(self.browser.console(), [])
            check_labels(self, self.browser)
            height = self.browser.run("return document.getElementById('trend').clientHeight")
            self.assertLess(height, 1500)


class ManyRuns(unittest.TestCase):
    """More points than circles can tell apart."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]

    def test_without_circles_the_page_does_not_speak_of_them(self) -> None:
        text = STUDIES["broker"][0].replace("[1, 2, 3]", str(list(range(1, 71))))
        (self.folder / "many.yaml").write_text(text, encoding="utf-8")
        for words in (
            ("compare", "many.yaml", "-q", "--db", "many.db"),
            ("report", "many.db", "-o", "many.html"),
        ):
            subprocess.run(
                [self.cospot, *words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL
            )
        page = Browser()
        self.addCleanup(page.close)
        page.open(self.folder / "many.html", "#mode=runs")
        self.assertIn("840 runs of 840", page.text("#in-view"))
        self.assertNotIn("circle", page.text("#trend-note") + page.text("#trend-help"))
        page.open(self.folder / "many.html")
        self.assertIn("circle", page.text("#trend-note"))
        self.assertIn("circle", page.text("#trend-help"))


class Pair(unittest.TestCase):
    """Two databases of a study on one page: one of them learns from a day less."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]

    def call(self, *words: str) -> None:
        subprocess.run(
            [self.cospot, *words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL
        )

    def test_it_tells_before_after_and_the_difference(self) -> None:
        text = STUDIES["levels"][0]
        (self.folder / "pair.yaml").write_text(text, encoding="utf-8")
        runs = {}
        for name, change in (("before", "training_days=3"), ("after", "training_days=2")):
            self.call(
                "compare",
                "pair.yaml",
                "-q",
                "--db",
                f"{name}.db",
                "--csv",
                f"{name}.csv",
                "--set",
                change,
            )
            with open(self.folder / f"{name}.csv", newline="", encoding="utf-8") as file:
                runs[name] = list(csv.DictReader(file))
        self.call("report", "before.db", "after.db", "-o", "pair.html")
        page = Browser()
        self.addCleanup(page.close)
        page.open(self.folder / "pair.html", "#measure=spot_revenue_share")
        self.assertEqual(page.console(), [])
        share = {
            name: [
                100 * float(run["spot_revenue"]) / float(run["spot_revenue_requested"])
                if float(run["spot_revenue_requested"]) > 0
                else math.nan
                for run in all_
            ]
            for name, all_ in runs.items()
        }
        known = [
            i
            for i, value in enumerate(share["before"])
            if not math.isnan(value) and not math.isnan(share["after"][i])
        ]
        found = sorted(
            page.run(
                "return [...document.querySelectorAll('#changes tbody tr')].map((row) =>"
                " [...row.querySelectorAll('td')].map((cell) =>"
                "  Number(cell.textContent.replace('\u2212', '-')"
                "   .replace(/[^-0-9.]/g, '')))).sort()"
            )
        )
        expected = sorted(
            [
                round(share["before"][i], 2),
                round(share["after"][i], 2),
                share["after"][i] - share["before"][i],
            ]
            for i in known
        )
        self.assertEqual(len(found), 16)
        self.assertEqual(len(page.all("#table tbody tr")), 32)
        for one, other in zip(found, expected, strict=False):
            for value, wanted in zip(one, other, strict=True):
                self.assertAlmostEqual(value, wanted, delta=0.011)
        answer = page.text("#answer")
        self.assertIn("16 configurations are in both; 0 runs are in one alone", answer)
        self.assertIn("before.db", answer)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, OtherReports, Customers, ManyRuns, Pair))
