"""The deployment itself, without cospot: what placement and Nova show of VMs and spots."""

import pytest
from keystoneauth1.exceptions import Forbidden


@pytest.fixture(autouse=True)
def without_cospot(cloud):
    cloud.set_policy(absent=True)


def test_placement_shows_what_hosts_may_hand_out(cloud):
    use = {name: host.capacity for name, host in cloud.hosts().items()}
    assert use == {
        "h1": (8, 16384),
        "h2": (16, 12288),  # 8 vCPUs at a ratio of 2.0
        "h3": (16, 8192),
        "h4": (6, 16384),  # 24576 - 8192 MiB that are reserved
        "h5": (12, 16384),  # 14 - 2 vCPUs that are reserved
        "h6": (10, 15360),  # 10240 MiB at a ratio of 1.5
    }


def test_a_spot_is_no_use_of_vcpus_or_memory(cloud):
    spot = cloud.boot("spot", 4, 4096, host="h1")
    vm = cloud.boot("vm", 2, 2048, host="h1")
    provider = cloud.providers()["h1"]
    assert cloud.allocations(spot) == {
        provider: {"CUSTOM_SPOT_VCPU": 4, "CUSTOM_SPOT_MEMORY_MB": 4096}
    }
    assert cloud.allocations(vm) == {provider: {"VCPU": 2, "MEMORY_MB": 2048, "DISK_GB": 1}}


def test_members_see_only_their_own(cloud):
    mine = cloud.boot("vm", 1, 1024, project="apricot")
    cloud.boot("vm", 1, 1024, project="birch")
    servers = cloud.member_of["apricot"].get("/servers").json()["servers"]
    assert [server["id"] for server in servers] == [mine]
    with pytest.raises(Forbidden):
        cloud.member_of["apricot"].get("/servers?all_tenants=1")
