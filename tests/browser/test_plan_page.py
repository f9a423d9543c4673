#!/usr/bin/env python3
"""Opens the page of `cospot plan` in Chromium: every chart is drawn, wide, narrow and dark.

    tests/browser/test_plan_page.py --cospot build/release/cospot

Exit code 77: skipped, because there is no browser to drive.
"""

# ruff: noqa: PT009

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import unittest
from typing import Any, ClassVar

from browser import Browser, run_cases

CHARTS = ["record", "division", "income", "promises", "changes"]
PLAN = (
    "plan azure2020:seed=3:scale=0.001 --host 10400,2250 --hosts 47 -q --parts 4 --otn 1,4"
    " --evictor FIFO,YJF --price on-demand=0.04,spot=0.012,economy=0.02,currency=EUR"
)


class PlanPage(unittest.TestCase):
    """The page of a plan over four parts."""

    cospot: ClassVar[pathlib.Path]
    folder: ClassVar[pathlib.Path]
    plan: ClassVar[dict[str, Any]]

    @classmethod
    def setUpClass(cls) -> None:
        made = subprocess.run(
            [cls.cospot, *PLAN.split(), "--report", "plan.html", "--json"],
            cwd=cls.folder,
            check=True,
            capture_output=True,
            text=True,
        )
        cls.plan = json.loads(made.stdout)

    def check_page(self, **window: Any) -> None:
        browser = Browser(**window)
        self.addCleanup(browser.close)
        browser.open(self.folder / "plan.html")
        heights = (
            "return Object.fromEntries([...document.querySelectorAll('.chart')]"
            ".map((one) => [one.id, one.querySelector('canvas')?.clientHeight ?? 0]))"
        )
        self.assertTrue(
            browser.until(lambda: all(browser.run(heights).values())), browser.run(heights)
        )
        self.assertEqual(sorted(browser.run(heights)), sorted(CHARTS))
        # Vega tells how it lays charts out; anything that was thrown would leave a part undone.
        self.assertEqual([one for one in browser.console() if "Dropping" not in one], [])
        self.assertEqual(
            browser.run(
                "const page = document.documentElement;return page.scrollWidth - page.clientWidth"
            ),
            0,
        )
        # What came, and every forecast: those of the judged parts, and the next.
        rows = browser.run("return document.getElementById('record').view.data('source_0')")
        month = self.plan["next_month"]
        forecasts = [one["forecast"] for one in month["origins"]]
        self.assertEqual([row["forecast"] for row in rows], [*forecasts, month["next"]])
        self.assertEqual(
            [row.get("came") for row in rows], [*(one["came"] for one in month["origins"]), None]
        )
        self.assertIn("0.012 as a spot", browser.text("#what-was-run"))
        words = browser.run("return document.getElementById('how-to-read').textContent")
        for policy in self.plan["set"]["label"].split(", ")[:3]:
            self.assertIn(f"{policy}\n", words)
        # Bars of what would change the decision: one for each line of the table.
        bars = browser.run(
            "return document.getElementById('changes').view"
            ".scenegraph().root.items[0].items"
            ".filter((group) => group.marktype === 'rect')"
            ".flatMap((group) => group.items.map((bar) => bar.datum.net))"
        )
        days = 365.25 / 12
        self.assertEqual(bars, [one["net_per_day"] * days for one in self.plan["sensitivity"]])
        # A marker for each promise, also where none was broken and the bar has no length.
        points = browser.run(
            "return document.getElementById('promises').view"
            ".scenegraph().root.items[0].items"
            ".filter((group) => group.marktype === 'symbol')"
            ".flatMap((group) => group.items.map((point) => point.datum.broken))"
        )
        tested = [
            one["promises"]
            for one in self.plan["classes"]
            if one["parts_sold"] > 0 and one["promises"]
        ]
        self.assertEqual(points, [100 * one["broken"] / one["tested"] for one in tested])
        # Labels of axes say 8, not 8.0.
        labels = browser.run(
            "const found = [];"
            "const walk = (item) => {"
            "  if (item.role === 'axis-label') found.push(...item.items.map((one) => one.text));"
            "  (item.items ?? []).forEach(walk);"
            "};"
            "for (const one of document.querySelectorAll('.chart')) {"
            "  walk(one.view.scenegraph().root);"
            "}"
            "return found;"
        )
        self.assertTrue(labels)
        # Legends end inside their charts.
        over = browser.run(
            "return [...document.querySelectorAll('.chart')].filter((one) => {"
            "  const legends = one.view.scenegraph().root.items[0].items"
            "    .filter((group) => group.role === 'legend').flatMap((group) => group.items);"
            "  const end = one.clientWidth - one.view.origin()[0];"
            "  return legends.some((legend) => legend.bounds.x2 > end);"
            "}).map((one) => one.id)"
        )
        self.assertEqual(over, [])
        # On paper too, every text has a colour.
        browser.run("window.dispatchEvent(new Event('beforeprint'))")
        self.assertTrue(browser.until(lambda: all(browser.run(heights).values())))
        colours = browser.run(
            "const view = document.getElementById('income').view;"
            "return view.scenegraph().root.items[0].items"
            ".filter((group) => group.marktype === 'text')"
            ".flatMap((group) => group.items.map((text) => text.fill))"
        )
        self.assertTrue(colours)
        self.assertTrue(all(colours), colours)
        self.assertEqual([one for one in labels if re.search(r"[.]\d*0$", one)], [])

    def test_wide(self) -> None:
        self.check_page()

    def test_narrow(self) -> None:
        self.check_page(width=390, height=844)

    def test_dark(self) -> None:
        self.check_page(dark=True)


if __name__ == "__main__":
    sys.exit(run_cases(__doc__, PlanPage))
