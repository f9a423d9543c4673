"""The off switches and dry runs, of the scheduler's plugin and of the evictor; quotas."""

import signal
import subprocess

import pytest
from keystoneauth1.exceptions import Forbidden
from oracle import Policy, state_of
from running_services import evictor_name
from states import fill_with_spots
from waiting import PATIENCE_S, wait_until
from watch import audit_lines, events, intents

POLICY = Policy(vm_policy="UTIL")


@pytest.mark.keeps_instances
@pytest.mark.parametrize("switch", [{"enabled": False}, {"dry_run": True}])
def test_without_plans_the_evictor_alone_makes_room(cloud, switch):
    """Nova places as if cospot were absent; reconcile does the rest."""
    fill_with_spots(cloud, POLICY, **switch)
    cloud.start_evictor()
    vm = cloud.boot("vm", 4, 4096)
    cloud.wait_until_not_overcommitted()
    causes = {line["cause"] for line in intents(cloud)}
    assert causes <= {"reconcile"}
    assert cloud.server(vm)["status"] == "ACTIVE"


@pytest.mark.keeps_instances
@pytest.mark.parametrize(
    ("options", "event"), [({"enabled": False}, "held_back"), ({"dry_run": True}, "would_evict")]
)
def test_an_evictor_that_is_switched_off_evicts_nothing(cloud, options, event):
    fill_with_spots(cloud, POLICY)
    cloud.start_evictor(**options)
    before = cloud.spots()
    expected = state_of(cloud).place_vm(POLICY, 4, 4096)
    cloud.boot("vm", 4, 4096)
    wait_until(lambda: event in events(cloud), f"the audit log says {event}")
    assert "intent" not in events(cloud)
    assert cloud.spots() == before
    cloud.stop_evictors()
    cloud.start_evictor()
    cloud.wait_until_gone(expected.victims)
    assert before - cloud.spots() == expected.victims


@pytest.mark.keeps_instances
def test_an_evictor_with_limits_holds_back(cloud):
    """One eviction a minute: the second of two victims has to wait, and is not forgotten."""
    fill_with_spots(cloud, POLICY)
    cloud.start_evictor(evictions_per_minute=1)
    before = cloud.spots()
    cloud.boot("vm", 12, 4096)
    wait_until(lambda: "held_back" in events(cloud), "one is held back")
    assert len(before - cloud.spots()) <= 1
    cloud.stop_evictors()
    cloud.start_evictor()
    cloud.wait_until_not_overcommitted()
    assert len(before - cloud.spots()) == 2


def test_a_mistyped_option_ends_no_scheduler_and_no_vm_waits_for_it(cloud):
    cloud.set_policy(**POLICY.options())
    wrong = {**POLICY.options(), "otn": "many"}
    try:
        cloud.set_policy(**wrong)  # by SIGHUP
        cloud.boot("vm", 1, 1024)
        cloud.restart_scheduler()
        vm = cloud.boot("vm", 1, 1024)
        assert cloud.server(vm)["status"] == "ACTIVE"
        cloud.wait_until_refused(cloud.request("spot", 1, 1024))
    finally:
        cloud.set_policy(**POLICY.options())
    cloud.boot("spot", 1, 1024)


def test_a_compiled_module_that_does_not_load_stops_no_vm(cloud, tmp_path):
    """As after an upgrade of Python: a VM is placed, a spot only where the host has capacity."""
    cloud.set_policy(**POLICY.options())
    cloud.fill([("h1", "vm", (8, 6144))])
    cloud.wait_until_reported()
    whole = cloud.services.environment["PYTHONPATH"]
    broken = make_broken_package(tmp_path, cloud.settings.build)
    cloud.services.environment["PYTHONPATH"] = f"{broken}:{whole}"
    log = cloud.processes.logs / "nova-scheduler.log"
    known = log.stat().st_size
    try:
        cloud.restart_scheduler()
        assert b"DOES NOT DECIDE: its compiled module does not load" in log.read_bytes()[known:]
        cloud.boot("vm", 2, 2048)
        cloud.wait_until_refused(cloud.request("spot", 1, 1024, host="h1", filtered=True))
        cloud.boot("spot", 1, 1024)
    finally:
        cloud.services.environment["PYTHONPATH"] = whole
        cloud.restart_scheduler()
    assert not cloud.overcommitted()


def make_broken_package(folder, build):
    """Make a copy of the package whose compiled module is no module of this Python."""
    package = folder / "cospot"
    package.mkdir()
    for entry in (build / "python" / "cospot").iterdir():
        if entry.name.startswith("_core.cpython"):
            (package / entry.name).write_bytes(b"\x7fELF, for another Python")
        else:
            (package / entry.name).symlink_to(entry.resolve())
    return folder


def test_spots_do_not_use_up_the_quota_for_vms(cloud):
    """With count_usage_from_placement: 4 cores are two VMs of 2, whatever spots there are."""
    cloud.set_policy(**POLICY.options())
    project = cloud.member_of["birch"].get_project_id()
    cloud.nova.put(f"/os-quota-sets/{project}", json={"quota_set": {"cores": 4}})
    try:
        for kind in ("spot", "vm", "spot", "vm"):
            cloud.boot(kind, 2, 2048, project="birch")
        with pytest.raises(Forbidden):
            cloud.request("vm", 1, 1024, project="birch")
        # Nova adds the vCPUs of what is asked for, a spot's as well, to what placement shows.
        with pytest.raises(Forbidden):
            cloud.request("spot", 1, 1024, project="birch")
    finally:
        cloud.nova.delete(f"/os-quota-sets/{project}")


def said(cloud, name, text, known):
    """Wait until a service's log says something after so many bytes."""
    log = cloud.processes.logs / f"{name}.log"
    wait_until(lambda: text in log.read_bytes()[known:].decode(), f"{name} says {text}")


def size_of_log(cloud, name):
    return (cloud.processes.logs / f"{name}.log").stat().st_size


def test_a_misspelt_option_stops_the_start_and_no_running_evictor(cloud):
    """`dry_runn = true`: whoever misspells a switch must not be told that it evicts."""
    cloud.set_policy(**POLICY.options())
    config = cloud.configure_evictor(dry_runn="true")
    command = [cloud.settings.python, "-m", "cospot.nova.evictor", "--config-file", config]
    done = subprocess.run(
        [*command, "--config-dir", cloud.settings.folder / "no-config"],
        env=cloud.processes.environment(cloud.services.environment),
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done
    assert "dry_runn" in done.stderr and "dry_run" in done.stderr
    assert "Traceback" not in done.stderr

    name = evictor_name(1)
    cloud.start_evictor(dry_run=True)
    known = size_of_log(cloud, name)
    cloud.configure_evictor(dry_runn=False)
    cloud.processes.send(name, signal.SIGHUP)
    said(cloud, name, "dry_runn", known)
    assert cloud.evictor_metrics()["cospot_evictor_reload_failed"] == 1
    assert cloud.evictor_metrics()["cospot_evictor_enabled"] == 0  # still a dry run
    assert "it evicts" in cloud.reload_evictor(dry_run=False)
    assert cloud.evictor_metrics()["cospot_evictor_reload_failed"] == 0


def test_a_misspelt_option_of_the_scheduler_leaves_the_old_ones_in_force(cloud, tmp_path):
    cloud.set_policy(**POLICY.options(), metrics_directory=tmp_path)

    def refused():
        """Return what the alert CospotSchedulerReloadFailed goes by, of all processes."""
        lines = "".join(path.read_text() for path in tmp_path.glob("*.prom")).splitlines()
        return {each[-1] for each in lines if each.startswith("cospot_scheduler_reload_failed{")}

    fill_with_spots(cloud)
    cloud.start_evictor()
    path = cloud.settings.folder / "scheduler.conf"
    right = path.read_text()
    path.write_text(right + "otnn = 1\n")
    try:
        cloud.reload_scheduler(1, b"going on with the old one")
        cloud.boot("vm", 4, 4096)
        cloud.wait_until_not_overcommitted()
        assert any(line.get("chosen_by") == "plan" for line in audit_lines(cloud))
        wait_until(lambda: "1" in refused(), "the metric shows the refused reload")
        path.write_text(right)
        cloud.processes.send("nova-scheduler", signal.SIGHUP)
        wait_until(lambda: refused() == {"0"}, "the metric shows that the next was taken")
    finally:
        path.write_text(right)
        cloud.restart_scheduler()
