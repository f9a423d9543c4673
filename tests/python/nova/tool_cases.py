"""What the tests of the operator's commands share."""

import contextlib

import pytest

pytest.importorskip("openstack", reason="python3-openstacksdk is not installed")
pytest.importorskip("nova.conf", reason="python3-nova is not installed")

from cloud_stand_in import CloudStandIn
from cospot.nova.tools import command


@contextlib.contextmanager
def cloud_for(monkeypatch):
    """An empty cloud that the commands of this process log in to."""
    for name in ("OS_CLOUD", "OS_AUTH_TYPE", "OS_CLIENT_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    with CloudStandIn().serve() as cloud:
        for name, value in cloud.environment().items():
            monkeypatch.setenv(name, value)
        yield cloud


def run(*arguments):
    """Run `cospot-nova`; return its exit code."""
    try:
        return command.main([str(argument) for argument in arguments])
    except SystemExit as stop:
        return stop.code
