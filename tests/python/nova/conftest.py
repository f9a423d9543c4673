"""What the tests of the Nova plugin and its service share."""

from __future__ import annotations

import functools
import logging
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

#: Modules without which the tests of a file are skipped: those of the first name that fits.
NEEDS = {
    "evictor_layers": (), "evictor_signals": ("oslo_config",),
    "evictor_models": ("nova.scheduler", "evictor_modules"),
    "evictor_properties": ("evictor_modules", "hypothesis"),
    "evictor_attribution": ("prometheus_client", "hypothesis"),
    "evictor_logging": ("eventlet", "oslo_log", "prometheus_client"),
    "evictor_promises": ("oslo_messaging", "prometheus_client"),
    "evictor_several_machines": ("sqlalchemy", "evictor_modules"),
    "evictor_*": ("evictor_modules",), "configuration_faults": ("evictor_modules",),
    "monitoring": ("yaml", "evictor_modules"),
    "seed_simulation": ("greenlet", "nova.scheduler", "evictor_modules"),
    "samples": ("keystoneauth1", "oslo_messaging", "prometheus_client"),
    "scheduler_*": ("nova.scheduler",),
    "dedicated_cpus": ("nova.scheduler", "keystoneauth1", "hypothesis"),
    "tools_state": ("openstack", "nova.conf", "sqlalchemy"),
    "tools_doctor*": ("openstack", "nova.conf"), "tools_setup": ("openstack", "nova.conf"),
    "tools_flavor_properties": ("hypothesis", "nova.conf"), "tools_history*": ("sqlalchemy",),
    "tools_inventory": ("nova.compute.provider_config",),
    "state_database": ("sqlalchemy", "tooz", "prometheus_client"),
    "vendordata": ("oslo_messaging", "prometheus_client"), "reload": ("oslo_config",),
    "log_lines": ("oslo_log",), "promise_file": ("oslo_log",), "reserve_rule": ("tooz",),
    "reserve_simulated": ("nova.scheduler",), "signals": ("numpy",),
    "tools_bill": ("oslo_log", "oslo_messaging"),
}  # fmt: skip


class OptionalModule(pytest.Module):
    """A file of tests of what may not be installed."""

    def collect(self) -> Any:
        names = (name for name in NEEDS if fnmatch(self.path.stem, f"test_{name}"))
        for each in NEEDS.get(next(names, ""), ()):
            pytest.importorskip(each, reason=f"needs {each}")
        return super().collect()


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> OptionalModule:
    return OptionalModule.from_parent(parent, path=module_path)


@pytest.fixture(autouse=True)
def logging_as_before():
    """Takes away the handlers that a command put up: their streams are this test's."""
    before = list(logging.root.handlers)
    yield
    logging.root.handlers[:] = before


class Clock:
    """A clock that stands at `now` until a test sets it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def running(tmp_path):
    """A small cloud over HTTP, and what runs the evictor service against it."""
    from evictor_running import Running

    made = Running(tmp_path)
    yield made
    made.close()


@pytest.fixture
def cloud(monkeypatch):
    """A cloud with which a doctor finds nothing wrong."""
    from doctor_cases import good_cloud

    with good_cloud(monkeypatch) as made:
        yield made


@pytest.fixture
def empty_cloud(monkeypatch):
    """A cloud of nothing that the commands of this process log in to."""
    from tool_cases import cloud_for

    with cloud_for(monkeypatch) as made:
        yield made


@pytest.fixture
def diagnosed(cloud, capsys, config):
    """Runs the doctor on the cloud; returns its exit code and its results."""
    from doctor_cases import diagnose_cloud

    return functools.partial(diagnose_cloud, cloud, capsys, config)


@pytest.fixture
def said(capsys):
    """Runs `cospot-nova`; returns what it has printed: its errors where they end it."""
    from tool_cases import run

    def what(*arguments, code=0):
        assert run(*arguments) == code
        out, err = capsys.readouterr()
        return err if code == 2 else out

    return what


@pytest.fixture
def config(tmp_path):
    """The path of a nova.conf that does not exist yet."""
    return tmp_path / "nova.conf"


@pytest.fixture(scope="module")
def mariadb_url(tmp_path_factory):
    """A database of a MariaDB of the module's own."""
    from state_servers import mariadb

    with mariadb(tmp_path_factory.mktemp("mariadb")) as url:
        yield url


@pytest.fixture
def scheduler_file(tmp_path, monkeypatch):
    """Has the plugin read a nova.conf of this text; returns its path and its configuration."""
    pytest.importorskip("nova.scheduler", reason="OpenStack Nova is not installed")
    from cospot.nova.scheduler import options
    from oslo_config import cfg
    from scheduler_cases import CONF

    class ConfOfNova:
        """Nova's configuration with another group [cospot]."""

        def __getattr__(self, name: str) -> Any:
            own = ("cospot", "config_file", "config_dir", "register_mutate_hook")
            return getattr(conf if name in own else CONF, name)

    conf = cfg.ConfigOpts()
    options.register(conf)

    def read(text: str = "[cospot]\n") -> tuple[Path, Any]:
        path = tmp_path / "nova.conf"
        path.write_text(text)
        conf(["--config-file", str(path)], project="nova")
        monkeypatch.setattr("cospot.nova.scheduler.filter.CONF", ConfOfNova())
        return path, conf

    return read


@pytest.fixture
def set_option():
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
