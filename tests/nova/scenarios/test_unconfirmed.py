"""What holds a host for no running spot: resizes that nobody confirms."""

import pytest
from deployment.flavors import flavor_name
from oracle import Policy
from waiting import wait_until
from watch import audit_lines

HOST = "h1"


@pytest.mark.keeps_instances
def test_a_vm_gets_what_unconfirmed_resizes_of_spots_hold(cloud):
    """Spots of a host are resized and never confirmed; a VM needs what they still hold there.

    Wherever Nova resizes them to, their migrations hold what they had on the host.
    """
    spots = [cloud.boot("spot", 1, 1024, host=HOST) for _ in range(4)]
    for spot in spots:
        cloud.act(spot, "resize", {"flavorRef": flavor_name("spot", 2, 2048)})
        cloud.wait_for_status(spot, "VERIFY_RESIZE")
    gone = [spot for spot in spots if cloud.host_of(spot) != HOST]
    cloud.start_evictor()
    vcpus = -cloud.hosts()[HOST].over[0]
    # One VM after the other takes all that is free, and the last one what the migrations hold.
    for _ in range(vcpus + len(gone)):
        cloud.boot("vm", 1, 1024, host=HOST)
    wait_until(lambda: not cloud.overcommitted(), "the VMs have their capacity")
    confirmed = [line for line in audit_lines(cloud) if line["event"] == "confirm_intent"]
    assert {line["instance"] for line in confirmed} >= set(gone)
    assert all(line["project_id"] and line["claims"] for line in confirmed)
    for spot in gone:
        cloud.wait_for_status(spot, "ACTIVE")
    assert set(gone) <= cloud.spots()


def test_a_vm_on_its_way_to_a_spot_flavor_is_spared_while_others_suffice(cloud):
    """Its owner may still revert the resize, and have the VM back."""
    cloud.set_policy(**Policy().options())
    vm = cloud.boot("vm", 4, 4096, host=HOST)
    cloud.act(vm, "resize", {"flavorRef": flavor_name("spot", 4, 1024)})
    cloud.wait_for_status(vm, "VERIFY_RESIZE")
    host = cloud.host_of(vm)
    over_vcpus, over_mb = cloud.hosts()[host].over
    free = min(-over_vcpus, -over_mb // 1024)
    spots = [cloud.boot("spot", 1, 1024, host=host) for _ in range(free)]
    cloud.start_evictor()
    cloud.boot("vm", 2, 2048, host=host)
    cloud.wait_until_not_overcommitted()
    assert vm in cloud.spots()
    assert len(cloud.spots() & set(spots)) == len(spots) - 2
