"""What users do to servers, with cospot in the scheduler and every host full of spots."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, ClassVar

import fixtures
from cospot.nova.promises.promise_table import PromiseTable, SizePromises, table_to_text
from cospot.nova.scheduler.claim_check import ClaimCheck
from cospot.nova.scheduler.decider import Decider
from cospot_test_case import HOST_VCPUS, CospotTestCase
from nova.exception import ComputeResourcesUnavailable
from waiting import PATIENCE_S, wait_until


class PlacingTest(CospotTestCase):
    """VMs and spots that come."""

    def test_spots_fill_the_cloud_and_no_more(self) -> None:
        spots = self.spots_everywhere()
        assert [len(on_host) for on_host in spots.values()] == [2, 2, 2]
        self.boot(self.spot_flavor, expected_state="ERROR")
        assert self.plans() == []

    def test_a_vm_lands_where_the_policy_says_and_the_oldest_spot_is_planned(self) -> None:
        spots = self.spots_everywhere()
        # UTIL: all hosts hold no VM; the first by name.
        first = self.boot(self.vm_flavor)
        assert self.host_of(first) == "host0"
        (plan,) = self.plans()
        assert first["id"] == plan.instance
        assert [host.host for host in plan.hosts] == ["host0", "host1", "host2"]
        for host in plan.hosts:
            assert (spots[host.host][0],) == host.victims
        assert self.providers_of(first["id"]) == {plan.hosts[0].provider}
        # 4 of 10 vCPUs are used by a VM: the fullest host, and its other spot.
        second = self.boot(self.vm_flavor)
        assert self.host_of(second) == "host0"
        assert (spots["host0"][1],) == self.plans()[-1].hosts[0].victims
        # 8 are used: the next VM does not fit there.
        assert self.host_of(self.boot(self.vm_flavor)) == "host1"

    def test_no_room_ignoring_spots_is_no_valid_host_and_evicts_nothing(self) -> None:
        self.spots_everywhere()
        too_large = self._create_flavor(
            name="large", vcpu=HOST_VCPUS + 1, memory_mb=64, disk=1, ephemeral=0
        )
        self.boot(too_large, expected_state="ERROR")
        assert self.plans() == []

    def test_a_vm_deleted_before_the_scheduler_saw_it_run_leaves_its_capacity(self) -> None:
        """Nova's database tells; without it the VM counts as use for `claim_seconds`."""
        ahead = 0  # seconds, so that nobody has to wait

        def clock() -> float:
            return time.monotonic() + ahead

        self.filter._decider = Decider(claim_check=ClaimCheck(clock=clock))
        large = self._create_flavor(
            name="large", vcpu=HOST_VCPUS, memory_mb=64, disk=1, ephemeral=0
        )
        *_, last = [self.boot(large) for _ in range(self.num_hosts)]
        free = self.host_of(last)
        self._delete_server(last)
        ahead = 3
        assert self.host_of(self.boot(self.spot_flavor)) == free

    def test_multi_create_plans_each_instance_once_and_where_it_goes(self) -> None:
        self.spots_everywhere()
        servers = self.boot_many(self.vm_flavor, 4)
        plans = {plan.instance: plan for plan in self.plans()}
        assert len(self.plans()) == len(plans)
        victims: list[str] = []
        for server in servers:
            planned = plans[server["id"]].hosts[0]
            assert self.host_of(server) == planned.host
            victims += planned.victims
        # 4 VMs of 4 vCPUs on hosts of 10 with two spots of 5: each needs one spot gone.
        assert len(set(victims)) == 4

    def test_a_forced_host_gives_no_plan(self) -> None:
        self.spots_everywhere()
        server = self.boot(self.vm_flavor, az="nova:host2")
        assert self.host_of(server) == "host2"
        assert self.plans() == []

    def test_a_requested_host_gives_a_plan_for_it(self) -> None:
        spots = self.spots_everywhere()
        server = self.boot(self.vm_flavor, host="host2")
        assert self.host_of(server) == "host2"
        (plan,) = self.plans()
        assert [("host2", (spots["host2"][0],))] == [(h.host, h.victims) for h in plan.hosts]

    def test_a_vm_whose_build_fails_goes_to_the_next_host_of_its_plan(self) -> None:
        """Nova tries an alternate without asking the scheduler again."""
        spots = self.spots_everywhere()

        def fail(*arguments: Any, **more: Any) -> None:
            raise ComputeResourcesUnavailable(reason="this host builds nothing")

        self.computes["host0"].manager.driver.spawn = fail
        server = self.boot(self.vm_flavor)
        assert self.host_of(server) == "host1"
        (plan,) = self.plans()
        assert [host.host for host in plan.hosts] == ["host0", "host1", "host2"]
        # Placement tells the evictor which of them it is.
        assert self.providers_of(server["id"]) == {plan.hosts[1].provider}
        assert (spots["host1"][0],) == plan.hosts[1].victims

    def test_a_failure_inside_leaves_the_scheduler_working(self) -> None:
        self.spots_everywhere()

        def fail(*arguments: Any, **more: Any) -> Any:
            raise RuntimeError("a bug in cospot")

        self.filter._decider.decide = fail
        self.boot(self.vm_flavor)
        assert self.plans() == []
        assert self.filter.failures == 1
        self.filter._decider = Decider()
        self.boot(self.vm_flavor)
        assert len(self.plans()) == 1

    def test_a_spot_that_asks_for_a_lifetime_is_placed_if_it_can_be_promised(self) -> None:
        """Two slots on each of three hosts: 6, for which an hour may be promised."""
        path = Path(self.useFixture(fixtures.TempDir()).path) / "promises.json"
        steps = [(0, None), (1, 3600.0)]
        table = PromiseTable(
            time.time(), time.time(), (0.05,), [SizePromises((5, 1024, 0), [steps])]
        )
        path.write_text(table_to_text(table))
        self.flags(
            lifetime_target=0.05, lifetime_promises=str(path), lifetime_hints="all", group="cospot"
        )

        def ask(flavor: str, lifetime: str, state: str = "ACTIVE") -> str:
            body = self._build_server(flavor_id=flavor, networks="none")
            hints = {"cospot:lifetime": lifetime}
            made = self.api.post_server({"server": body, "os:scheduler_hints": hints})
            server: dict[str, Any] = self._wait_for_state_change(made, state)
            return str(server["id"])

        placed = ask(self.spot_flavor, "1h")
        ask(self.spot_flavor, "61min", "ERROR")
        ask(self.spot_flavor, "soon", "ERROR")
        ask(self.vm_flavor, "61min")
        path.unlink()
        ask(self.spot_flavor, "61min")
        assert self.filter._publisher.wait_until_sent(PATIENCE_S)
        promises = [each for each in self._sent if "lifetime_s" in each]
        assert [(placed, 3600.0)] == [(each["instance"], each["lifetime_s"]) for each in promises]
        assert self.filter.failures == 0

    def test_switched_off_and_on(self) -> None:
        self.spots_everywhere()
        self.flags(enabled=False, group="cospot")
        self.boot(self.vm_flavor)
        assert self.plans() == []
        self.flags(enabled=True, group="cospot")
        self.boot(self.vm_flavor)
        assert len(self.plans()) == 1


class ZonesTest(CospotTestCase):
    """Aggregates that are availability zones; host1 and host2 are one each."""

    cospot_options: ClassVar[dict[str, Any]] = {"aggregates": ["north", "south"]}

    def setUp(self) -> None:
        super().setUp()
        for host, name in (("host1", "north"), ("host2", "south")):
            aggregate = {"name": name, "availability_zone": f"zone-{name}"}
            made = self.admin_api.post_aggregate({"aggregate": aggregate})
            self.admin_api.add_host_to_aggregate(made["id"], host)

    def test_spots_go_where_aggregates_take_them_and_vms_where_their_zone_is(self) -> None:
        # Of 5 vCPUs each, two on each host of 10 that takes spots.
        spots = [self.boot(self.spot_flavor) for _ in range(4)]
        assert sorted(map(self.host_of, spots)) == ["host1", "host1", "host2", "host2"]
        self.boot(self.spot_flavor, expected_state="ERROR")
        # UTIL prefers the first by name, where there is no spot; the zone has only host2.
        in_zone = self.boot(self.vm_flavor, az="zone-south")
        assert self.host_of(in_zone) == "host2"
        (plan,) = self.plans()
        assert [host.host for host in plan.hosts] == ["host2"]
        (victim,) = plan.hosts[0].victims
        assert self.host_of({"id": victim}) == "host2"
        assert self.host_of(self.boot(self.vm_flavor, az="zone-north")) == "host1"


class MovingTest(CospotTestCase):
    """Servers that run already. A VM on host0 displaces; the other hosts are full of spots."""

    def setUp(self) -> None:
        super().setUp()
        self.flags(allow_resize_to_same_host=False)
        self.spots = self.spots_everywhere()
        self.vm = self.boot(self.vm_flavor)
        assert self.host_of(self.vm) == "host0"
        assert len(self.plans()) == 1

    def assert_planned_again(self, *, host: str = "host1") -> None:
        """The last plan is for the VM, on the host that it went to, and evicts its oldest spot."""
        plans = self.plans()
        assert len(plans) == 2
        assert self.vm["id"] == plans[-1].instance
        assert host == plans[-1].hosts[0].host
        assert (self.spots[host][0],) == plans[-1].hosts[0].victims
        assert host == self.host_of(self.vm)

    def test_resize(self) -> None:
        larger = self._create_flavor(name="larger", vcpu=5, memory_mb=1024, disk=1, ephemeral=0)
        self._resize_server(self.vm, larger)
        self.assert_planned_again()
        self._confirm_resize(self.vm)

    def test_resize_on_its_own_host_needs_room_beside_itself(self) -> None:
        self.flags(allow_resize_to_same_host=True)
        larger = self._create_flavor(name="larger", vcpu=5, memory_mb=1024, disk=1, ephemeral=0)
        self._resize_server(self.vm, larger)
        # 4 vCPUs until it is confirmed, and 5: host0 is the fullest and has room for both. One of
        # its spots was planned before; the other one must go too.
        assert self.host_of(self.vm) == "host0"
        (planned,) = [host for host in self.plans()[-1].hosts if host.host == "host0"]
        assert self.spots["host0"][1] in planned.victims

    def test_cold_migration(self) -> None:
        self._migrate_server(self.vm)
        self.assert_planned_again()
        self._confirm_resize(self.vm)

    def test_live_migration(self) -> None:
        self._live_migrate(self.vm)
        self.assert_planned_again()

    def test_a_spot_takes_what_a_live_migration_has_left(self) -> None:
        """Nova's list of the source keeps the VM until the next sync, which is off here."""
        gone = self.spots["host0"][0]
        self._delete_server({"id": gone})
        wait_until(lambda: gone not in self.listed()["host0"])
        self._live_migrate(self.vm)
        wait_until(lambda: self.host_of(self.vm) == "host1")
        assert self.vm["id"] in self.listed()["host0"]
        # One spot of 5 vCPUs is left there, so one more finds 5 of 10; 4 less with the VM.
        assert self.host_of(self.boot(self.spot_flavor)) == "host0"

    def test_evacuation(self) -> None:
        compute = self.computes["host0"]
        compute.stop()
        self.api.put_service(
            self.api.get_services(host="host0", binary="nova-compute")[0]["id"],
            {"forced_down": True},
        )
        self._evacuate_server(self.vm, expected_host="host1")
        self.assert_planned_again()

    def test_rebuild_stays_and_plans_nothing(self) -> None:
        self._rebuild_server(self.vm, "a2459075-d96c-40d5-893e-577ff92e721c")
        assert self.host_of(self.vm) == "host0"
        assert len(self.plans()) == 1

    def test_shelve_and_unshelve(self) -> None:
        self.flags(shelved_offload_time=0)
        self._shelve_server(self.vm)
        wait_until(lambda: self.vm["id"] not in self.listed()["host0"])
        self._unshelve_server(self.vm)
        # The victim of its first plan was not evicted here, so host0 is as full as the others.
        self.assert_planned_again(host="host0")

    def test_a_spot_that_moves_needs_room_beside_everything(self) -> None:
        spot = self.spots["host1"][0]
        self.api.post_server_action(spot, {"migrate": None}, check_response_status=[202])
        self._wait_for_action_fail_completion({"id": spot}, "migrate", "cold_migrate")
        assert len(self.plans()) == 1


class OfferTest(CospotTestCase):
    """The spot side chooses among two hosts."""

    cospot_options = {"otn": 2, "saf": False}  # noqa: RUF012  # read only

    def test_the_offered_host_with_the_fewest_victims_wins(self) -> None:
        spots = self.spots_everywhere()
        # host0 becomes the fullest with VMs; host1 gets room when a spot's owner deletes it.
        assert self.host_of(self.boot(self.vm_flavor)) == "host0"
        self._delete_server({"id": spots["host1"][0]})
        wait_until(lambda: spots["host1"][0] not in self.listed()["host1"])
        server = self.boot(self.vm_flavor)
        assert self.host_of(server) == "host1"
        assert len([plan for plan in self.plans() if plan.instance == server["id"]]) == 1
        assert self.plans()[-1].hosts[0].victims == ()
