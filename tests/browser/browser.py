"""Chromium without a window, for tests that look at one page."""

from __future__ import annotations

import argparse
import base64
import json
import pathlib
import shutil
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from typing import Any

PATIENCE_S = 60.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def missing() -> str:
    """What keeps the tests from running, or an empty text."""
    if not any(map(shutil.which, BROWSERS)):
        return "Chromium is not installed (Debian: chromium)"
    if not shutil.which("chromedriver"):
        return "chromedriver is not installed (Debian: chromium-driver)"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "Selenium is not installed (Debian: python3-selenium)"
    return ""


class Browser:
    """One window of the given size, in CSS pixels."""

    def __init__(self, width: int = 1280, height: int = 900, *, dark: bool = False) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = next(filter(None, map(shutil.which, BROWSERS)))
        # Tests often run as root in a container, where Chromium's sandbox cannot.
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--disable-background-networking",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(
            service=Service(shutil.which("chromedriver")), options=options
        )
        self.resize(width, height)
        self.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )

    def resize(self, width: int, height: int) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def command(self, name: str, **parameters: Any) -> Any:
        """A command of Chromium's DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def open(self, page: pathlib.Path, fragment: str = "") -> None:
        # A new fragment alone would not load the page again.
        self.driver.get("about:blank")
        self.driver.get(page.as_uri() + fragment)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        found = self.all(selector)
        assert len(found) == 1, f"{len(found)} elements are {selector}"
        return found[0]

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def click_at(self, x: float, y: float) -> None:
        """Clicks a point of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self.command(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
            )

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Presses the left button at a point of the window and lets it go at another."""
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self.move_to(*start)
        for kind, (x, y), buttons in (
            ("mousePressed", start, 1),
            ("mouseMoved", middle, 1),
            ("mouseMoved", end, 1),
            ("mouseReleased", end, 0),
        ):
            self.command(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                button="left",
                buttons=buttons,
                clickCount=1,
            )

    def move_to(self, x: float, y: float) -> None:
        self.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def until(self, holds: Callable[[], bool]) -> bool:
        """Tries until it holds; a page on a busy machine may still be laid out anew."""
        end = time.monotonic() + PATIENCE_S
        while not holds():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def save_into(self, folder: pathlib.Path) -> None:
        """Files that a page saves come into this folder."""
        self.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def saved(self, folder: pathlib.Path, *names: str) -> list[pathlib.Path]:
        """The files that a page saves, once all are whole.

        Chromium makes an empty file of the name first, writes another, and renames that.
        """
        files = [folder / name for name in names]
        assert self.until(
            lambda: (
                all(file.exists() and file.stat().st_size > 0 for file in files)
                and not any(folder.glob("*.crdownload"))
            )
        ), sorted(folder.iterdir())
        return files

    def console(self) -> list[str]:
        """What the page has written to its console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        messages = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def save_picture(self, file: pathlib.Path) -> None:
        """The window's content as PNG."""
        file.write_bytes(base64.b64decode(self.command("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        self.driver.quit()


def run_cases(description: str, *cases: Any) -> int:
    """Runs test cases that have `cospot` and `folder`, as a program; 77 when no browser can run."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--cospot", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    reason = missing()
    if reason:
        print(f"skipped: {reason}")
        return 77
    with tempfile.TemporaryDirectory(prefix="cospot-browser-") as scratch:
        for case in cases:
            case.cospot, case.folder = arguments.cospot.resolve(), pathlib.Path(scratch)
        program = unittest.main(argv=[sys.argv[0]], exit=False)
    return 0 if program.result.wasSuccessful() else 1
