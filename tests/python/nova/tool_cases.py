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


def server(uuid, created, *, ended=None, status="ACTIVE", extra_specs=None, **fields):
    """An instance as the API shows it, of 2 vCPUs and 4 GiB."""
    size = {"vcpus": 2, "ram": 4096, "disk": 20, "ephemeral": 0, "swap": 0}
    return {
        "id": uuid, "tenant_id": "blue", "status": status, "created": f"{created.isoformat()}Z",
        "updated": f"{(ended or created).isoformat()}Z",
        "OS-SRV-USG:launched_at": created.isoformat() + ".000000",
        "OS-SRV-USG:terminated_at": None if ended is None else ended.isoformat() + ".000000",
        "flavor": {**size, "original_name": "m1", "extra_specs": extra_specs or {}},
        **fields,
    }  # fmt: skip
