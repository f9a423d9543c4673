"""`cospot-nova flavor`, and that what it makes is a spot for the real Nova."""

import pytest
from cospot.nova.tools import flavor_rules
from cospot.nova.tools.cloud import Flavor
from nova_requests import PLAIN, nova_request
from tool_cases import run

MEDIUM = {
    "resources:VCPU": "0",
    "resources:MEMORY_MB": "0",
    "resources:DISK_GB": "0",
    "resources:CUSTOM_SPOT_VCPU": "2",
    "resources:CUSTOM_SPOT_MEMORY_MB": "4096",
    "resources:CUSTOM_SPOT_DISK_GB": "23",  # 20 + 2 + 1: swap of 1 MiB takes a whole GiB
    "hw:cpu_policy": "shared",
    "hw:mem_encryption": "False",
}


@pytest.fixture
def cloud(empty_cloud):
    return empty_cloud


def add_medium(cloud, **fields):
    return cloud.add_flavor("m1.medium", 2, 4096, 20, ephemeral=2, swap=1, **fields)


def test_create_spot_makes_a_spot_flavor(cloud, capsys, said):
    add_medium(cloud, extra_specs={"quota:vif_outbound_average": "100"})
    assert run("flavor", "create-spot", "m1.medium") == 0
    spot = cloud.flavor("spot.m1.medium")
    assert spot["extra_specs"] == {**MEDIUM, "quota:vif_outbound_average": "100"}
    assert (spot["vcpus"], spot["ram"], spot["disk"], spot["swap"]) == (2, 4096, 20, 1)
    assert "spot.m1.medium (2): made, 2 vCPUs, 4096 MiB, 23 GiB" in capsys.readouterr().out
    assert said("flavor", "check") == "spot.m1.medium: ok\n"


def test_create_spot_does_nothing_when_it_is_there(cloud, capsys):
    add_medium(cloud)
    assert run("flavor", "create-spot", "m1.medium", "--name", "cheap") == 0
    assert run("flavor", "create-spot", "1", "--name", "cheap") == 0
    assert "cheap (2): already exists, nothing to do" in capsys.readouterr().out
    assert len(cloud.flavors) == 2


def test_create_spot_dry_run_makes_nothing(cloud, capsys):
    add_medium(cloud)
    assert run("flavor", "create-spot", "m1.medium", "--dry-run") == 0
    assert "would be made with hw:cpu_policy=shared" in capsys.readouterr().out
    assert len(cloud.flavors) == 1


def test_a_private_flavor_has_a_private_spot_flavor_for_the_same_projects(cloud):
    base = add_medium(cloud, is_public=False)
    cloud.access[base["id"]] = ["blue", "green"]
    assert run("flavor", "create-spot", "m1.medium") == 0
    spot = cloud.flavor("spot.m1.medium")
    assert spot["os-flavor-access:is_public"] is False
    assert cloud.access[spot["id"]] == ["blue", "green"]


@pytest.mark.parametrize("failing", ["os-extra_specs", "action"])
def test_a_spot_flavor_that_cannot_be_finished_is_taken_back(cloud, capsys, failing):
    base = add_medium(cloud, is_public=False)
    cloud.access[base["id"]] = ["blue"]
    cloud.failing[f"POST /compute/flavors/2/{failing}"] = 500
    assert run("flavor", "create-spot", "m1.medium") == 2
    assert f"compute: POST /flavors/2/{failing}" in capsys.readouterr().err
    assert [row["name"] for row in cloud.flavors] == ["m1.medium"]


def test_a_flavor_of_that_name_that_is_something_else_is_left_alone(cloud, said):
    add_medium(cloud)
    cloud.add_flavor("spot.m1.medium", 4, 4096, 20)
    error = said("flavor", "create-spot", "m1.medium", code=2)
    assert "'spot.m1.medium' already exists and is different: vcpus is 4, expected 2" in error
    assert cloud.flavor("spot.m1.medium")["extra_specs"] == {}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"hw:cpu_policy": "dedicated"}, "pinned CPUs"),
        ({"hw:cpu_policy": "mixed", "hw:cpu_dedicated_mask": "0"}, "pinned CPUs"),
        ({"hw:cpu_thread_policy": "isolate"}, "pinned CPUs"),
        ({"hw:mem_page_size": "1GB"}, "huge pages"),
        ({"hw:numa_nodes": "2"}, "NUMA"),
        ({"hw:mem_encryption": "True"}, "encrypted"),
        ({"hw:pmem": "6GB"}, "persistent memory"),
        ({"pci_passthrough:alias": "gpu:1"}, "PCI"),
        ({"accel:device_profile": "fpga"}, "accelerators"),
        ({"resources:VGPU": "1"}, "VGPU"),
        ({"resources:PCPU": "2"}, "PCPU"),
        ({"resources1:CUSTOM_NVME": "1"}, "CUSTOM_NVME"),
        ({"resources_disk:DISK_GB": "0"}, "DISK_GB"),
        ({"resources:CUSTOM_SPOT_VCPU": "1"}, "a spot flavor already"),
    ],
)
def test_what_cannot_be_a_spot_is_refused(cloud, said, spec, reason):
    add_medium(cloud, extra_specs=spec)
    error = said("flavor", "create-spot", "m1.medium", code=2)
    assert error.startswith("cospot-nova: error: flavor 'm1.medium' can have no spot flavor: ")
    assert reason in error
    assert len(cloud.flavors) == 1


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"resources:VCPU": None}, "resources:VCPU is not set, expected 0"),
        ({"resources:MEMORY_MB": "1"}, "resources:MEMORY_MB is 1, expected 0"),
        ({"resources:CUSTOM_SPOT_VCPU": "1"}, "resources:CUSTOM_SPOT_VCPU is 1, expected 2"),
        ({"resources:CUSTOM_SPOT_MEMORY_MB": None}, "is not set, expected 4096"),
        ({"hw:mem_page_size": "large"}, "huge pages"),
        ({"resources:VGPU": "1"}, "VGPU"),
    ],
)
def test_check_names_what_is_wrong_and_how_to_mend_it(cloud, said, changed, text):
    specs = {key: value for key, value in {**MEDIUM, **changed}.items() if value is not None}
    cloud.add_flavor("half", 2, 4096, 20, ephemeral=2, swap=1, extra_specs=specs)
    output = said("flavor", "check", code=1)
    assert output.startswith("half: error: ") and text in output
    assert f"fix: openstack flavor {'un' if 'hw' in str(changed) else ''}set" in output or (
        "unset --property resources:VGPU half" in output
    )


def test_disks_on_shared_storage_need_not_count(cloud, capsys):
    add_medium(cloud)
    assert run("flavor", "create-spot", "m1.medium", "--without-disk") == 0
    specs = cloud.flavor("spot.m1.medium")["extra_specs"]
    assert specs["resources:DISK_GB"] == "0"
    assert "resources:CUSTOM_SPOT_DISK_GB" not in specs
    assert run("flavor", "check") == 0
    spot = flavor_rules.spot_flavor(PLAIN, "spot", with_disk=False)
    assert flavor_rules.faults(spot) == []
    (fault,) = flavor_rules.faults(spot, disk_counts=True)
    assert fault.text == "resources:CUSTOM_SPOT_DISK_GB is not set, expected 23"
    assert nova_request(spot) == {"CUSTOM_SPOT_VCPU": 2, "CUSTOM_SPOT_MEMORY_MB": 4096}


def test_create_spot_says_where_its_disk_is_not_given_up(cloud, capsys, tmp_path):
    """With the default resources a spot's disk and a VM's share a host, and nobody evicts."""
    add_medium(cloud)
    cloud.add_flavor("diskless", 2, 4096)
    config = tmp_path / "nova.conf"

    def error(*arguments):
        assert run("flavor", "create-spot", *arguments) == 0
        return capsys.readouterr().err

    warning = "spot.m1.medium: warning: its 23 GiB of disk are given up for VMs only where"
    for arguments in (["--dry-run"], [], []):  # made by the second, there at the third
        found = error("m1.medium", *arguments)
        assert found.startswith(warning) and len(found.splitlines()) == 1
    assert error("m1.medium", "--without-disk", "--name", "shared") == ""
    assert error("diskless") == ""
    config.write_text("[cospot]\nresources = VCPU,MEMORY_MB\n")
    assert error("m1.medium", "--config-file", config).startswith(warning)
    config.write_text("[cospot]\nresources = VCPU,MEMORY_MB,DISK_GB\n")
    assert error("m1.medium", "--config-file", config) == ""
    assert error("m1.medium", "--config-dir", tmp_path) == ""


def test_check_warns_of_disk_that_is_not_given_up(cloud, said, tmp_path):
    cloud.add_flavor("spot", 2, 4096, 20, ephemeral=2, swap=1, extra_specs=MEDIUM)
    config = tmp_path / "nova.conf"
    config.write_text("[cospot]\nresources = VCPU,MEMORY_MB\n")
    output = said("flavor", "check", "--config-file", config)
    assert output.startswith("spot: warning: it asks for 23 GiB of disk, but [cospot] resources")
    config.write_text("[cospot]\nresources = VCPU,MEMORY_MB,DISK_GB\n")
    assert said("flavor", "check", "--config-file", config) == "spot: ok\n"


def test_check_warns_of_missing_guards_and_passes(cloud, said):
    specs = {key: value for key, value in MEDIUM.items() if not key.startswith("hw:")}
    cloud.add_flavor("old", 2, 4096, 20, ephemeral=2, swap=1, extra_specs=specs)
    assert "old: warning: hw:cpu_policy is not set, expected shared" in said("flavor", "check")


def test_unknown_names_list_the_valid_ones(cloud, capsys):
    add_medium(cloud)
    assert run("flavor", "create-spot", "m1.tiny") == 2
    assert "flavor 'm1.tiny': not found, expected one of: m1.medium" in capsys.readouterr().err
    assert run("flavor", "create-spot", "m1.medium", "--name", "m1.medium") == 2
    assert "is the flavor itself" in capsys.readouterr().err


def test_flavors_come_in_pages(cloud):
    cloud.page = 2
    for number in range(5):
        cloud.add_flavor(f"f{number}", 1, 512)
    assert run("flavor", "create-spot", "f4") == 0
    assert cloud.flavor("spot.f4")["extra_specs"]["resources:CUSTOM_SPOT_VCPU"] == "1"


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("OS_PASSWORD", "wrong", "401"),
        ("OS_AUTH_URL", "http://127.0.0.1:9/v3", "Unable to establish connection"),
        ("OS_CLOUD", "nowhere", "nowhere"),
    ],
)
def test_a_cloud_that_is_not_reached_is_one_error(cloud, monkeypatch, said, variable, value, text):
    monkeypatch.setenv(variable, value)
    error = said("flavor", "check", code=2)
    assert error.startswith("cospot-nova: error: ") and text in error
    assert "Traceback" not in error


def test_nova_asks_placement_for_spot_classes_only():
    assert nova_request(PLAIN) == {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 23}
    assert nova_request(flavor_rules.spot_flavor(PLAIN, "spot")) == {
        "CUSTOM_SPOT_VCPU": 2,
        "CUSTOM_SPOT_MEMORY_MB": 4096,
        "CUSTOM_SPOT_DISK_GB": 23,
    }


def test_without_its_guard_a_spot_could_hold_dedicated_cpus():
    """Why the guard is there: this is what Nova does without it."""
    spot = flavor_rules.spot_flavor(PLAIN, "spot")
    specs = {key: spot.extra_specs[key] for key in spot.extra_specs if key != "hw:cpu_policy"}
    unguarded = Flavor("1", "spot", 2, 4096, 20, 2, 1, extra_specs=specs)
    assert nova_request(unguarded, hw_cpu_policy="dedicated")["PCPU"] == 2
    assert [fault.serious for fault in flavor_rules.faults(unguarded)] == [False]
