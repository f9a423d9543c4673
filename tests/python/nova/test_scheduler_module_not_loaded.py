"""The plugin where the compiled module does not load: Nova goes on, and everybody says so."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from broken_package import make_broken_package
from cospot.nova.scheduler.filter import CospotFilter
from cospot.nova.scheduler.pass_through import PassThrough
from programs import run_python
from scheduler_cases import (
    CONF,
    SPOT,
    VM,
    full_of_spots,
    make_flavor,
    make_instance,
    make_spec,
    make_state,
    names,
)

#: As nova-scheduler does it: finds the classes by their names and asks them. Prints the orders.
SCHEDULER = """
import json, logging, sys
logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(message)s")
import nova.conf
from nova import objects
from nova.scheduler import filters, host_manager, weights
objects.register_all()
filter_classes = filters.HostFilterHandler().get_matching_classes(
    ["cospot.nova.scheduler.filter.CospotFilter"])
weigher_classes = weights.HostWeightHandler().get_matching_classes(
    ["cospot.nova.scheduler.weigher.CospotWeigher"])
nova.conf.CONF([], project="nova", default_config_files=[])
plugin, weigher = filter_classes[0](), weigher_classes[0]()

def state(name, vcpus, used):
    made = host_manager.HostState(name, name, None)
    made.uuid, made.vcpus_total, made.vcpus_used = name, vcpus, used
    made.total_usable_ram_mb = made.free_ram_mb = 65536
    made.cpu_allocation_ratio = made.ram_allocation_ratio = made.disk_allocation_ratio = 1.0
    return made

def ask(vcpus, specs):
    states = [state("full", 8, 8), state("half", 8, 4), state("empty", 8, 0)]
    flavor = objects.Flavor(vcpus=vcpus, memory_mb=1024, root_gb=1, ephemeral_gb=0, swap=0,
        extra_specs=specs)
    spec = objects.RequestSpec(flavor=flavor, num_instances=1, instance_uuid="i", is_bfv=False,
        scheduler_hints={}, instance_group=None, pci_requests=None, numa_topology=None,
        project_id="p", image=objects.ImageMeta(properties=objects.ImageMetaProps()))
    passed = filters.HostFilterHandler().get_filtered_objects([plugin], states, spec, 0)
    weighed = weights.HostWeightHandler().get_weighed_objects([weigher], passed, spec)
    return [one.obj.host for one in weighed]

spot = {"resources:CUSTOM_SPOT_VCPU": "4"}
print(json.dumps({"vm": ask(4, {}), "spot": ask(4, spot), "large": ask(9, spot)}))
"""


def run_broken(folder: Path, *arguments: str) -> Any:
    make_broken_package(folder)
    path = os.pathsep.join([str(folder), str(Path(__file__).parent)])
    return run_python(*arguments, env={**os.environ, "PYTHONPATH": path})


def test_nova_finds_the_classes_and_schedules(tmp_path):
    done = run_broken(tmp_path, "-c", SCHEDULER)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # A VM keeps all hosts. A spot of 4 vCPUs is not put where 8 of 8 are in use.
    assert sorted(found["vm"]) == ["empty", "full", "half"]
    assert sorted(found["spot"]) == ["empty", "half"]
    assert found["large"] == []
    assert "ERROR cospot: DOES NOT DECIDE: its compiled module does not load" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_doctor_says_so_and_goes_on(tmp_path):
    pytest.importorskip("openstack", reason="python3-openstacksdk is not installed")
    config = tmp_path / "nova.conf"
    config.write_text("")
    command = ["-m", "cospot.nova.tools.command", "doctor", "--offline", "--format", "json"]
    done = run_broken(tmp_path / "broken", *command, "--config-file", str(config))
    assert done.returncode == 1, done.stderr
    checks = {one["check"]: one for one in json.loads(done.stdout)["checks"]}
    assert checks["compiled module"]["verdict"] == "error"
    assert "it does not load in Python 3" in checks["compiled module"]["findings"][0]["found"]
    assert checks["policies"]["verdict"] == "unknown"
    assert checks["filter"]["verdict"] == "error"  # the others look as ever


def test_the_evictor_says_so_and_does_not_start(tmp_path):
    done = run_broken(tmp_path, "-m", "cospot.nova.evictor", "--config-file", "/dev/null")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("cospot-evictor: cospot's compiled module does not load: ")


def test_the_rest_of_the_package_says_why_when_it_is_asked(tmp_path):
    done = run_broken(tmp_path, "-c", "import cospot; from cospot import Chain")
    assert done.returncode == 1
    assert "ImportError: cospot's compiled module does not load: " in done.stderr


def broken_filter() -> CospotFilter:
    return CospotFilter(PassThrough(ImportError("for another Python")))


def test_a_spot_keeps_hosts_with_free_capacity():
    """16 vCPUs and 33280 MiB of which 512 are reserved: four spots of 4 vCPUs fill it."""
    half = make_state("half", instances=[make_instance(VM), make_instance(SPOT)])
    states = [full_of_spots("full"), half, make_state("twice", (8, 66048, 10), cpu_ratio=0.5)]
    plugin = broken_filter()
    assert names(plugin.filter_all(states, make_spec(SPOT))) == ["half", "twice"]
    assert names(plugin.filter_all(states, make_spec(VM))) == ["full", "half", "twice"]
    # 33280 - 512 - 2 * 8192 = 16384 MiB are left on `half`.
    assert names(plugin.filter_all([half], make_spec(make_flavor(1, 16384, spot=True)))) == ["half"]
    assert plugin.filter_all([half], make_spec(make_flavor(1, 16385, spot=True))) == []


def test_it_obeys_its_switches_and_aggregates(set_option):
    from nova import objects

    states = [full_of_spots("full"), make_state("a"), make_state("b")]
    states[1].aggregates = [objects.Aggregate(name="spots")]
    states[2].aggregates = []
    plugin = broken_filter()
    set_option(aggregates=["spots"])
    assert names(plugin.filter_all(states[1:], make_spec(SPOT))) == ["a"]
    set_option(enabled=False)  # as if cospot were absent
    assert len(plugin.filter_all(states, make_spec(SPOT))) == 3


def test_it_is_said_at_the_start_and_once_a_minute(caplog, clock):
    clock.now = 1000.0
    broken = PassThrough(ImportError("for another Python"), clock=clock)
    plugin = CospotFilter(broken)
    assert caplog.text.count("DOES NOT DECIDE") == 1
    for seconds, said in ((1.0, 1), (58.0, 1), (1.0, 2), (1.0, 2), (60.0, 3)):
        clock.now += seconds
        plugin.filter_all([make_state("a")], make_spec(VM))
        assert caplog.text.count("DOES NOT DECIDE") == said
    assert "(ImportError): for another Python" in caplog.text
    assert CONF.cospot.enabled
