"""What the tests of the Nova plugin and its service share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Takes away the handlers that a command put up: their streams are this test's."""
    before = list(logging.root.handlers)
    yield
    logging.root.handlers[:] = before


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Any]:
    """A small cloud over HTTP, and what runs the evictor service against it."""
    from evictor_running import Running

    made = Running(tmp_path)
    yield made
    made.close()


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A cloud with which a doctor finds nothing wrong."""
    from doctor_cases import good_cloud

    with good_cloud(monkeypatch) as made:
        yield made


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The path of a nova.conf that does not exist yet."""
    return tmp_path / "nova.conf"


@pytest.fixture(scope="module")
def mariadb_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database of a MariaDB of the module's own."""
    from state_servers import mariadb

    with mariadb(tmp_path_factory.mktemp("mariadb")) as url:
        yield url


@pytest.fixture
def set_option() -> Iterator[Callable[..., None]]:
    """Sets options of `[cospot]`, or of another group, until the test ends."""
    pytest.importorskip("nova.conf", reason="OpenStack Nova is not installed")
    from cospot.nova.scheduler import options
    from cospot.nova.scheduler.live_options import live_options_of
    from nova.conf import CONF

    options.register(CONF)
    live = live_options_of(CONF)
    changed: list[tuple[str, str]] = []

    def set_in_group(group: str = "cospot", **values: Any) -> None:
        for name, value in values.items():
            CONF.set_override(name, value, group)
            changed.append((name, group))
        live.take()  # an override is no reload

    yield set_in_group
    for name, group in changed:
        CONF.clear_override(name, group)
    live.take()
