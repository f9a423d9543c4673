"""One deployment for all scenarios; an empty cloud before each, and after each a look for VMs."""

import os
import shutil
import subprocess
import time

import pytest
from deployment import command, settings
from deployment.processes import kill_marked
from deployment.settings import PASSWORD
from waiting import PATIENCE_S
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


@pytest.fixture
def run(cloud):
    """Run cospot-nova as the administrator; returns its exit code, output and errors."""

    def run_as(*arguments, user="admin"):
        environment = {key: os.environ[key] for key in os.environ if not key.startswith("OS_")}
        environment.update(cloud.services.environment)
        if user is not None:
            environment.update(
                OS_AUTH_URL=cloud.settings.auth_url,
                OS_USERNAME=user,
                OS_PASSWORD=PASSWORD,
                OS_PROJECT_NAME="admin",
                OS_USER_DOMAIN_ID="default",
                OS_PROJECT_DOMAIN_ID="default",
            )
        command = [cloud.settings.python, "-m", "cospot.nova.tools.command", *map(str, arguments)]
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    return run_as


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
