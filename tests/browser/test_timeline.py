#!/usr/bin/env python3
"""Opens reports in Chromium whose runs keep what they do every day.

    tests/browser/test_timeline.py --cospot build/release/cospot

Exit code 77: skipped, because there is no browser to drive.
"""

# ruff: noqa: PT009

from __future__ import annotations

import csv
import pathlib
import shutil
import statistics
import subprocess
import sys
import unittest
from typing import Any, ClassVar

from browser import Browser, run_cases

STUDY = """\
study: life
workloads:
  - {synthetic: azure2020, seed: 1, scale: 0.002}
  - {synthetic: azure2020, seed: 2, scale: 0.002}
host: {vcpus: 10400, memory_mb: 2250}
headroom_percent: 2
vm: COS
spot: vmaDPD
evictor: FIFO
saf: [off, on]
otn: 1
disruptions:
  - none
  - label: failures
    failures: {mtbf_days: 60, repair_h: 24, seed: 1}
"""
COLUMNS = ["hosts_in_use", "vms", "spots", "evictions", "vm_revenue", "spot_revenue"]


class TimelineReport(unittest.TestCase):
    """The page of 2 workloads x 2 SAF x 2 disruptions."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]
    browser: ClassVar[Browser]
    days: ClassVar[list[dict[str, str]]]

    @classmethod
    def call(cls, *words: str) -> None:
        subprocess.run([cls.cospot, *words], cwd=cls.folder, check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def setUpClass(cls) -> None:
        (cls.folder / "t.yaml").write_text(STUDY, encoding="utf-8")
        cls.call("compare", "t.yaml", "-q", "--db", "t.db", "--timeline-csv", "t.csv")
        cls.call("report", "t.db", "-o", "t.html")
        with open(cls.folder / "t.csv", newline="", encoding="utf-8") as file:
            cls.days = list(csv.DictReader(file))
        cls.browser = Browser(1400)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()

    def drawn(self) -> list[list[dict[str, float]]]:
        """What each small chart draws, by day."""
        return list(
            self.browser.run(
                "return [...document.querySelectorAll('#timeline .chart')].map((chart) =>"
                " chart.view.data('source_0').map((row) => ({ ...row })))"
            )
        )

    def expected(self, column: str, day: int, **chosen: str) -> list[float]:
        scale = 3600 if column.endswith("revenue") else 1
        return [
            float(row[column]) / scale
            for row in self.days
            if row["day"] == str(day) and all(row[axis] == value for axis, value in chosen.items())
        ]

    def check_drawn(self, **chosen: str) -> None:
        drawn = self.drawn()
        self.assertEqual(len(drawn), len(COLUMNS))
        for column, days in zip(COLUMNS, drawn, strict=True):
            self.assertEqual([row["day"] for row in days], list(range(14)))
            for row in days:
                values = self.expected(column, int(row["day"]), **chosen)
                mean = statistics.fmean(values)
                # The page has five significant digits, the CSV three decimals of means.
                self.assertAlmostEqual(row["mean"], mean, delta=1e-4 * mean + 6e-4)
                self.assertAlmostEqual(row["least"], min(values), delta=1e-4 * mean + 6e-4)
                self.assertAlmostEqual(row["most"], max(values), delta=1e-4 * mean + 6e-4)

    def test_a_click_shows_the_days_of_that_point(self) -> None:
        self.browser.open(self.folder / "t.html")
        self.assertEqual(self.browser.console(), [])
        # The second row of the table: a mean of the two workloads.
        self.browser.run("document.querySelectorAll('#table tbody tr')[1].click()")
        cells = [cell.text for cell in self.browser.all("#table thead th")]
        row = [cell.text for cell in self.browser.all("#table tbody tr:nth-child(2) td")]
        saf = {"on": "1", "off": "0", "true": "1", "false": "0"}[row[cells.index("SAF")]]
        label = row[cells.index("Disruptions")]
        self.check_drawn(saf=saf, disruptions=label)
        self.assertIn(label, self.browser.text("#timeline-of"))
        self.assertIn("means of 2 runs", self.browser.text("#timeline-note"))

    def test_the_address_shows_a_single_run_again(self) -> None:
        self.browser.open(self.folder / "t.html", "#mode=runs&selected=5")
        run = next(row for row in self.days if row["run_index"] == "5")
        self.check_drawn(run_index="5")
        self.assertIn(run["disruptions"], self.browser.text("#timeline-of"))
        self.assertNotIn("means of", self.browser.text("#timeline-note"))

    def test_the_table_and_the_labels_say_the_same(self) -> None:
        self.browser.open(self.folder / "t.html", "#mode=runs&selected=5")
        self.browser.one("details.days summary").click()
        rows = self.browser.all("#timeline-table tbody tr")
        self.assertEqual(len(rows), 14)
        heads = [cell.text for cell in self.browser.all("#timeline-table thead th")]
        self.assertEqual(
            heads,
            [
                "Day",
                "Hosts in use",
                "VMs",
                "Spots",
                "Evictions",
                "VM revenue (unit-hours)",
                "Spot revenue (unit-hours)",
            ],
        )
        third = [cell.text for cell in rows[3].find_elements("css selector", "th, td")]
        self.assertEqual(third[0], "3")
        self.assertAlmostEqual(
            float(third[2].replace(",", "")), self.expected("vms", 3, run_index="5")[0], delta=0.6
        )
        said = [
            place.get_attribute("aria-label")
            for place in self.browser.all("#timeline .chart > div")
        ]
        self.assertIn(f"day 3: {third[2]}", said[1])

    def test_the_pointer_tells_a_day(self) -> None:
        self.browser.open(self.folder / "t.html", "#mode=runs&selected=5")
        tooltip = self.browser.one("#tooltip")

        def point_and_look() -> bool:
            at: dict[str, Any] = self.browser.run(
                "const chart = document.querySelectorAll('#timeline .chart')[2];"
                "chart.scrollIntoView({block: 'center'});"
                "const box = chart.querySelector('canvas').getBoundingClientRect();"
                "const [x, y] = Charts.originOf(chart.view);"
                "const row = chart.view.data('source_0')[6];"
                "return { left: box.left, top: box.top, x: x + chart.view.scale('x')(row.day),"
                " y: y + chart.view.scale('y')(row.mean) }"
            )
            self.browser.move_to(at["left"], at["top"])
            self.browser.move_to(at["left"] + at["x"], at["top"] + at["y"])
            return bool(tooltip.is_displayed())

        self.assertTrue(self.browser.until(point_and_look))
        self.assertIn("Day 6", tooltip.text)
        self.assertIn("Spots", tooltip.text)

    def test_it_saves_pictures_and_the_days_of_every_run(self) -> None:
        saved = self.folder / "days"
        saved.mkdir()
        self.browser.open(self.folder / "t.html")
        self.browser.save_into(saved)
        for label in ("PNG", "SVG", "CSV"):
            self.browser.run(
                "[...document.querySelectorAll('#timeline-save button')]"
                ".find((one) => one.textContent === arguments[0]).click()",
                label,
            )
        png, svg, table = self.browser.saved(
            saved, *(f"life day by day.{kind}" for kind in ("png", "svg", "csv"))
        )
        self.assertEqual(png.read_bytes()[:4], b"\x89PNG")
        picture = svg.read_text(encoding="utf-8")
        for title in ("Hosts in use", "Spot revenue (unit-hours)"):
            self.assertIn(title, picture)
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 2 * 14)
        self.assertEqual(len({row["workload"] for row in rows}), 2)

    def test_it_fits_a_phone(self) -> None:
        page = Browser(390)
        self.addCleanup(page.close)
        page.open(self.folder / "t.html")
        widths = page.run(
            "return [...document.querySelectorAll('#timeline canvas')].map((one) =>"
            " one.getBoundingClientRect().right)"
        )
        self.assertEqual(len(widths), len(COLUMNS))
        self.assertLessEqual(max(widths), 390)
        self.assertEqual(
            page.run(
                "const page = document.documentElement;return page.scrollWidth - page.clientWidth"
            ),
            0,
        )

    def test_prices_make_it_money(self) -> None:
        self.call("report", "t.db", "-o", "money.html", "--price", "on-demand=0.1,spot=0.02")
        self.browser.open(self.folder / "money.html", "#mode=runs&selected=5")
        drawn = self.drawn()
        for column, price in (("vm_revenue", 0.1), ("spot_revenue", 0.02)):
            value = self.expected(column, 3, run_index="5")[0] * price
            shown = drawn[COLUMNS.index(column)][3]["mean"]
            self.assertAlmostEqual(shown, value, delta=1e-4 * value)
        self.assertIn("(money)", self.browser.text("#timeline figure:nth-child(5) figcaption"))

    def test_two_databases_keep_theirs_and_without_any_there_is_no_such_part(self) -> None:
        self.call("compare", "t.yaml", "--db", "plain.db", "--no-timeline", "--set", "saf=off")
        self.call("report", "plain.db", "-o", "plain.html")
        self.browser.open(self.folder / "plain.html")
        self.assertEqual(self.browser.all("#timeline-part"), [])
        shutil.copy(self.folder / "t.db", self.folder / "again.db")
        self.call("report", "t.db", "again.db", "-o", "both.html")
        # The runs after stand behind the eight before.
        self.browser.open(self.folder / "both.html", "#mode=runs&selected=13")
        self.assertEqual(self.browser.console(), [])
        self.check_drawn(run_index="5")
        self.call("report", "plain.db", "t.db", "-o", "one.html")
        self.browser.open(self.folder / "one.html")
        self.assertEqual(self.browser.all("#timeline-part"), [])


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, TimelineReport))
