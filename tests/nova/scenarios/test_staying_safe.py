"""What must cost no spot more than is needed: clocks, computes and services that fail."""

import json
import signal
import subprocess

import pytest
from deployment.settings import PASSWORD
from oracle import Policy
from slow_placement import slow_placement
from waiting import PATIENCE_S, wait_until
from watch import events, intents

POLICY = Policy(vm_policy="UTIL")
RECONCILES = "cospot_evictor_reconcile_seconds_count"


def ordered(cloud):
    """Return the spots whose eviction was ordered, once for each order."""
    return [line["instance"] for line in intents(cloud)]


def status(cloud):
    """Return what `cospot-nova status` shows an administrator where the evictor runs."""
    user = {
        "OS_AUTH_URL": cloud.settings.auth_url,
        "OS_USERNAME": "admin",
        "OS_PASSWORD": PASSWORD,
        "OS_PROJECT_NAME": "admin",
        "OS_USER_DOMAIN_ID": "default",
        "OS_PROJECT_DOMAIN_ID": "default",
    }
    config = cloud.settings.folder / "cospot-evictor-1.conf"
    done = subprocess.run(
        [cloud.settings.python, "-m", "cospot.nova.tools.command", "status", "--format", "json"]
        + ["--evictor-config-file", str(config)],
        env=cloud.processes.environment({**cloud.services.environment, **user}),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.fixture
def stopped_compute(cloud):
    """The compute of h1, which stands still: four spots of 2 vCPUs on 8, and a VM of 2."""
    cloud.set_policy(**POLICY.options())
    cloud.fill([("h1", "spot", (2, 2048))] * 4)
    cloud.boot("vm", 2, 2048, host="h1")
    cloud.processes.send("compute-h1", signal.SIGSTOP)
    yield
    cloud.processes.send("compute-h1", signal.SIGCONT)


def check_one_went(cloud, before):
    cloud.processes.send("compute-h1", signal.SIGCONT)
    cloud.wait_until_not_overcommitted()
    cloud.wait_until_evictor_has_reconciled(2)
    assert len(before - cloud.spots()) == 1
    assert set(ordered(cloud)) == before - cloud.spots()


@pytest.mark.usefixtures("stopped_compute")
def test_a_clock_that_is_ahead_costs_one_spot(cloud):
    """A deletion of a moment ago is none of 400 s ago, whatever Nova's clock says."""
    before = cloud.spots()
    cloud.start_evictor(clock_ahead=400, reconcile_interval=0.5)
    wait_until(lambda: ordered(cloud), "one is ordered")
    cloud.wait_until_evictor_has_reconciled(4)
    assert len(ordered(cloud)) == 1
    check_one_went(cloud, before)


@pytest.mark.usefixtures("stopped_compute")
def test_a_compute_that_hangs_costs_one_spot(cloud):
    """However many `deletion_timeout`s it hangs; `cospot-nova status` shows it."""
    before = cloud.spots()
    cloud.start_evictor(deletion_timeout=1, freed_timeout=1, reconcile_interval=0.5)
    wait_until(lambda: "host_stalled" in events(cloud), "the alarm")
    wait_until(lambda: len(ordered(cloud)) >= 3, "it is ordered again")
    assert len(set(ordered(cloud))) == 1
    assert cloud.evictor_metrics()['cospot_evictor_stalled_host{host="h1"}'] == 1
    (alarm,) = status(cloud)["stalled_hosts"]
    assert (alarm["host"], alarm["spots"]) == ("h1", list(set(ordered(cloud))))
    check_one_went(cloud, before)
    wait_until(lambda: "host_resumed" in events(cloud), "the end of the alarm")


def test_every_reload_is_obeyed(cloud):
    """The kill switch back and forth, while the service reconciles an overcommitted host."""
    cloud.set_policy(**POLICY.options())
    cloud.fill([("h1", "spot", (8, 6144))])
    cloud.boot("vm", 2, 2048, host="h1")
    before = cloud.spots()
    options = {"reconcile_interval": 0.1, "enabled": False}
    cloud.start_evictor(**options)
    for number in range(12):
        dry = number % 2 == 0
        said = cloud.reload_evictor(**{**options, "enabled": dry, "dry_run": dry})
        wanted = (
            "only written down: dry_run = true" if dry else "evictions are off: enabled = false"
        )
        assert wanted in said, said
    assert cloud.spots() == before
    assert not ordered(cloud)
    cloud.reload_evictor(**{**options, "enabled": True})
    cloud.wait_until_gone(before)


def test_placement_that_hangs_for_one_plan_holds_up_no_other(cloud):
    """The next reconcile is far away: only its plan can have found the second VM's claim."""
    cloud.set_policy(**POLICY.options())
    cloud.fill([("h1", "spot", (8, 6144)), ("h6", "spot", (8, 6144))])  # of 8 and 10 vCPUs
    cloud.wait_until_reported()
    spots = {instance.host: instance.id for instance in cloud.instances()}
    with slow_placement(cloud.settings.port("placement"), spots.values()) as placement:
        cloud.start_evictor(placement_url=placement.url, reconcile_interval=600)
        wait_until(
            lambda: cloud.evictor_metrics()[RECONCILES] >= 1, "the first reconcile of all hosts"
        )
        placement.provider = cloud.providers()["h1"]
        unlucky = cloud.boot("vm", 4, 4096, host="h1", filtered=True)
        wait_until(lambda: placement.unlucky == unlucky, "its claim is asked for")
        cloud.boot("vm", 4, 4096, host="h6", filtered=True)
        cloud.wait_until_gone([spots["h6"]])
        assert spots["h1"] in cloud.spots()
        placement.go_on.set()
        cloud.wait_until_gone([spots["h1"]])
    causes = {line["cause"] for line in intents(cloud)}
    assert causes == {"plan"}


@pytest.fixture
def fresh_scheduler(cloud):
    """Nova's scheduler lists an evacuated instance on its old host until that is heard of again."""
    yield
    cloud.restart_scheduler()


@pytest.mark.usefixtures("fresh_scheduler")
def test_an_evacuated_spot_is_evicted_where_it_is_now(cloud):
    """Its old host is dead, and holds its capacity for it until it is back."""
    cloud.set_policy(**POLICY.options())
    spot = cloud.boot("spot", 8, 6144, host="h1")
    cloud.processes.stop("compute-h1", signal.SIGKILL)
    cloud.force_down("h1", True)
    cloud.act(spot, "evacuate", {"host": "h6"})
    wait_until(lambda: cloud.host_of(spot) == "h6", "the spot has another host")
    cloud.wait_for_status(spot, "ACTIVE")
    assert len(cloud.allocations(spot)) == 2
    vm = cloud.boot("vm", 4, 4096, host="h6")  # 12 vCPUs of 10
    cloud.start_evictor()
    cloud.wait_until_gone([spot])
    assert not cloud.overcommitted()
    assert cloud.host_of(vm) == "h6"
