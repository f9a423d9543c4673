#!/usr/bin/env python3
"""Opens the report of a study other than compare in Chromium.

    tests/browser/test_study_report.py --cospot build/release/cospot

Exit code 77: skipped, because there is no browser to drive.
"""

# ruff: noqa: PT009

from __future__ import annotations

import csv
import math
import pathlib
import shlex
import statistics
import subprocess
import sys
import unittest
from typing import Any, ClassVar

from browser import Browser, run_cases

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
        for words in (
            ("compare", "study.yaml", "-q", "--db", "r.db", "--csv", "r.csv"),
            ("report", "r.db", "-o", "r.html"),
        ):
            subprocess.run(
                [cls.cospot, *words], cwd=cls.folder, check=True, stdout=subprocess.DEVNULL
            )
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
        return list(
            self.browser.run(
                "const state = ViewState.get(); return Trend.rows(state, Points.compute(state))"
            )
        )

    def mean(self, measure: str, **chosen: str) -> float:
        values = [
            float(run[measure])
            for run in self.runs
            if all(run[axis] == value for axis, value in chosen.items())
        ]
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
                point["mean"],
                self.mean("vm_rejected", host_subset_size=point["name"], vm=point["colorName"]),
            )
        self.assertEqual({point["colorName"] for point in points}, {"UTIL", "COS"})
        self.assertEqual(len(self.browser.all("#trend canvas")), 1)
        # What a screen reader says of it.
        label = self.browser.one("#trend [role=img]").get_attribute("aria-label")
        self.assertIn("Mean VMs rejected by Host subset size. 1 UTIL: ", label)

    def test_a_choice_leaves_the_other_runs_out(self) -> None:
        for point in self.points("#color=vm&size=2 %25"):
            expected = self.mean(
                "vm_rejected",
                host_subset_size=point["name"],
                vm=point["colorName"],
                headroom_percent="2",
            )
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
        summary = subprocess.run(
            [self.cospot, "summary", "r.db"],
            cwd=self.folder,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout.splitlines()
        answer = [line.text for line in self.browser.all("#answer .answer, #answer .answer-detail")]
        self.assertTrue(answer[0].startswith("VMs rejected: lowest "), answer)
        # The page names axes in words.
        expected = [
            line.strip().replace("host_subset_size", "host subset size")
            for line in summary[1 : 1 + len(answer)]
        ]
        self.assertEqual(expected, [line.replace("±", "+/-") for line in answer])
        self.assertLess(
            self.browser.one("#answer").location["y"], self.browser.one("#trend").location["y"]
        )

    def marks(self, view: str) -> list[str]:
        """The kinds of marks in the chart of a view."""
        self.browser.open(self.folder / "r.html", view)
        return list(
            self.browser.run(
                "const kinds = [];"
                "const visit = (mark) => { if (mark.role === 'mark') kinds.push(mark.marktype);"
                " if (mark.marktype === 'group')"
                "  mark.items.forEach((one) => one.items.forEach(visit)); };"
                "visit(document.getElementById('trend').view.scenegraph().root); return kinds"
            )
        )

    def test_numbers_have_lines_and_categories_have_bars(self) -> None:
        numbers, names = self.marks("#x=host_subset_size"), self.marks("#x=vm")
        self.assertIn("line", numbers)
        self.assertNotIn("line", names)
        self.assertIn("rect", names)

    def test_the_interval_is_that_over_the_seeds(self) -> None:
        of_two = 12.7062  # Student's t of one degree of freedom
        for point in self.points("#color=vm"):
            by_seed = [
                self.mean(
                    "vm_rejected", host_subset_size=point["name"], vm=point["colorName"], seed=seed
                )
                for seed in ("1", "2")
            ]
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
        return dict(
            self.browser.run(
                "document.getElementById('trend').scrollIntoView({block: 'center'});"
                "const box = document.querySelector('#trend canvas').getBoundingClientRect();"
                "return {left: box.left, top: box.top, width: box.width, height: box.height}"
            )
        )

    def test_a_drag_zooms_and_the_address_keeps_it(self) -> None:
        self.browser.open(self.folder / "r.html", "#color=vm")
        box = self.place()
        self.browser.drag(
            (box["left"] + box["width"] / 2, box["top"] + box["height"] * 0.2),
            (box["left"] + box["width"] / 2, box["top"] + box["height"] * 0.5),
        )
        zoom = self.browser.run("return ViewState.get().zoom")
        self.assertLess(zoom[0], zoom[1])
        self.assertIn("zoom=", self.browser.run("return location.hash"))
        domain = self.browser.run(
            "return document.getElementById('trend').view.scale('y').domain()"
        )
        self.assertAlmostEqual(domain[0], zoom[0])
        self.assertAlmostEqual(domain[1], zoom[1])
        self.browser.one("#trend-zoom").click()
        self.assertIsNone(self.browser.run("return ViewState.get().zoom"))
        self.assertFalse(self.browser.one("#trend-zoom").is_displayed())

    def test_the_pointer_tells_a_mark(self) -> None:
        self.browser.open(self.folder / "r.html", "#color=vm")
        tooltip = self.browser.one("#tooltip")

        def point_and_look() -> bool:
            box = self.place()
            at = self.browser.run(
                "const { view } = document.getElementById('trend');"
                "const [x, y] = Charts.originOf(view); const state = ViewState.get();"
                "const last = Trend.rows(state, Points.compute(state)).at(-1);"
                "return [x + view.scale('x')(last.number), y + view.scale('y')(last.mean)]"
            )
            self.browser.move_to(box["left"], box["top"])
            self.browser.move_to(box["left"] + at[0], box["top"] + at[1])
            return bool(tooltip.is_displayed())

        self.assertTrue(self.browser.until(point_and_look))
        self.assertIn("16", tooltip.text)
        self.assertIn("VMs rejected", tooltip.text)

    def test_keys_choose_a_point_and_its_command_repeats_it(self) -> None:
        self.browser.open(self.folder / "r.html", "#mode=runs")
        self.browser.run("document.getElementById('trend').focus()")
        self.browser.press("\ue014")  # right
        chosen = int(self.browser.run("return document.getElementById('detail').dataset.id"))
        self.assertEqual(self.browser.run("return ViewState.get().selected"), chosen)
        command = self.browser.run("return document.querySelectorAll('#detail pre')[1].textContent")
        words = shlex.split(command.replace("\\\n", ""))[1:]
        subprocess.run(
            [self.cospot, *words, "--csv", "chosen.csv", "-q", "--force"],
            cwd=self.folder,
            check=True,
        )
        with open(self.folder / "chosen.csv", newline="", encoding="utf-8") as file:
            self.assertEqual(list(csv.DictReader(file)), [self.runs[chosen]])

    def test_it_saves_pictures_and_numbers(self) -> None:
        saved = self.folder / "saved"
        saved.mkdir()
        self.browser.save_into(saved)
        for label in ("PNG", "SVG", "CSV"):
            self.browser.run(
                "[...document.querySelectorAll('#trend-save button')]"
                ".find((one) => one.textContent === arguments[0]).click()",
                label,
            )
        self.browser.one("#table-tools button").click()
        names = [f"vm_rejected by host_subset_size.{kind}" for kind in ("png", "svg", "csv")]
        png, svg, _, points = self.browser.saved(saved, *names, "degradation points.csv")
        self.assertEqual(png.read_bytes()[:4], b"\x89PNG")
        picture = svg.read_text(encoding="utf-8")
        self.assertIn("VMs rejected", picture)
        self.assertIn("</svg>", picture)
        with open(points, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 12)  # combinations
        for row in rows:
            expected = self.mean(
                "vm_rejected",
                headroom_percent=row["size"],
                vm=row["vm"],
                host_subset_size=row["host_subset_size"],
            )
            self.assertAlmostEqual(float(row["vm_rejected"]), expected)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, StudyReport))
