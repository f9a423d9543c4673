"""One deployment for all scenarios; an empty cloud before each, and after each a look for VMs."""

import os
import shutil
import time

import pytest
from deployment import command, settings
from deployment.processes import kill_marked
from watch import check_no_vm_was_evicted

missing = command.missing_packages(settings.settings_from_environment())


def pytest_collection_modifyitems(items):
    if missing:
        reason = f"not installed: {' '.join(missing)}"
        for item in items:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def cloud():
    """The cloud. COSPOT_NOVA_KEEP: use one that is up, and leave it up."""
    from cloud import Cloud

    chosen = settings.settings_from_environment()
    keep = bool(os.environ.get("COSPOT_NOVA_KEEP"))
    try:
        if not (keep and (chosen.folder / "run" / "nova-api-os-compute.pid").exists()):
            command.up(chosen)
        yield Cloud(chosen)
    finally:
        if not keep:
            kill_marked(chosen.folder)


def pytest_configure(config):
    config.addinivalue_line("markers", "keeps_instances: begins with what the last test has left")
    config.addinivalue_line("markers", "keeps_evictor: begins with the plain evictor of the last")


@pytest.fixture(autouse=True)
def clean_cloud(cloud, request):
    """Begin with an empty cloud and no evictor; end with the check that holds for every test."""
    if request.node.get_closest_marker("keeps_evictor") is None or not cloud.has_plain_evictor():
        cloud.stop_evictors()
        shutil.rmtree(cloud.settings.folder / "evictor", ignore_errors=True)  # audit logs, stores
    cloud.start_what_is_down()
    if request.node.get_closest_marker("keeps_instances") is None:
        cloud.empty()
    began = time.time()
    yield
    check_no_vm_was_evicted(cloud, began)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Show the end of the services' logs with a failure."""
    outcome = yield
    report = outcome.get_result()
    cloud = item.funcargs.get("cloud") if hasattr(item, "funcargs") else None
    if report.failed and cloud is not None:
        report.sections.append(("hosts", "\n".join(map(str, cloud.hosts().values()))))
        report.sections.append(("instances", "\n".join(map(str, cloud.instances()))))
        for name in ("nova-scheduler", "cospot-evictor-1", "cospot-evictor-2", "nova-conductor"):
            report.sections.append((name, cloud.processes.log_tail(name)))
