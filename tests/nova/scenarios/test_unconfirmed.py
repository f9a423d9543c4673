"""What holds a host for no running spot: resizes that nobody confirms."""

import pytest
from deployment.flavors import flavor_name
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
