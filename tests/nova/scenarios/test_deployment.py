"""The deployment itself, without cospot: what placement and Nova show of VMs and spots."""

import uuid
from concurrent.futures import ThreadPoolExecutor

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


def test_placement_hands_no_capacity_out_twice(cloud):
    """20 claims of 2 vCPUs at once, of a provider with 12: six at most are granted."""
    provider, consumers = str(uuid.uuid4()), [str(uuid.uuid4()) for _ in range(20)]
    path = f"/resource_providers/{provider}"
    cloud.placement.post("/resource_providers", json={"name": provider, "uuid": provider})
    vcpus = {"VCPU": {"total": 12, "max_unit": 12}}
    cloud.placement.put(
        f"{path}/inventories", json={"resource_provider_generation": 0, "inventories": vcpus}
    )

    def claim(consumer):
        body = {
            "allocations": {provider: {"resources": {"VCPU": 2}}},
            "project_id": "p",
            "user_id": "u",
            "consumer_generation": None,
        }
        return cloud.placement.put(f"/allocations/{consumer}", json=body, raise_exc=False)

    try:
        with ThreadPoolExecutor(len(consumers)) as pool:
            answers = [each.status_code for each in pool.map(claim, consumers)]
        assert set(answers) <= {204, 409}
        used = cloud.placement.get(f"{path}/usages").json()["usages"]["VCPU"]
        assert used == 2 * answers.count(204)
        assert 0 < used <= 12
    finally:
        for consumer in consumers:
            cloud.placement.delete(f"/allocations/{consumer}", raise_exc=False)
        cloud.placement.delete(path)
