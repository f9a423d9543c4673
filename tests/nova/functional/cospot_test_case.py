"""Nova's own functional fixtures with cospot in the scheduler: real scheduler, conductor, API,
computes with the fake driver, placement; all in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import fixtures
import nova.conf
from cospot.nova.plan_message import Plan, plan_from_message
from cospot.nova.scheduler import options
from cospot.nova.scheduler.live_options import live_options_of
from cospot.nova.scheduler.plan_publisher import PlanPublisher
from cospot.nova.spot_flavors import spot_extra_specs
from nova.tests.functional import integrated_helpers
from waiting import PATIENCE_S, wait_until

CONF = nova.conf.CONF
HOST_VCPUS = 10  # of fake.MediumFakeDriver; 8192 MiB
INVENTORY_FILE = """
meta: {schema_version: '1.0'}
providers:
  - identification: {uuid: $COMPUTE_NODE}
    inventories:
      additional:
        - CUSTOM_SPOT_VCPU: {total: 10, max_unit: 10}
        - CUSTOM_SPOT_MEMORY_MB: {total: 8192, max_unit: 8192}
"""


class CospotTestCase(integrated_helpers.ProviderUsageBaseTestCase):
    """A cloud of computes with 10 vCPUs each, host0 to host2."""

    compute_driver = "fake.MediumFakeDriver"
    #: Options of [cospot] beside what setUp sets.
    cospot_options: ClassVar[dict[str, Any]] = {}
    num_hosts = 3

    def setUp(self) -> None:
        options.register(CONF)
        own = {"vm_policy": "UTIL", "spot_policy": "sUTIL", "plan_hosts": 3, "enabled": True}
        # On a busy machine answers take their time.
        waits = {"inventory_wait": 30, "database_wait": 30}
        super().flags(**{**own, **waits, **self.cospot_options}, group="cospot")
        usual = [name for name in CONF.filter_scheduler.enabled_filters if name != "CospotFilter"]
        self.flags(
            available_filters=[
                "nova.scheduler.filters.all_filters",
                "cospot.nova.scheduler.filter.CospotFilter",
            ],
            enabled_filters=[*usual, "CospotFilter"],
            weight_classes=["cospot.nova.scheduler.weigher.CospotWeigher"],
            group="filter_scheduler",
        )
        self.flags(
            cpu_allocation_ratio=1.0,
            ram_allocation_ratio=1.0,
            disk_allocation_ratio=1.0,
            reserved_host_memory_mb=0,
        )
        # Nova's old way of counting quota counts the cores of spots.
        self.flags(instances=-1, cores=-1, ram=-1, group="quota")
        super().setUp()
        folder = Path(self.useFixture(fixtures.TempDir()).path)
        (folder / "spots.yaml").write_text(INVENTORY_FILE)
        self.flags(provider_config_location=str(folder), group="compute")
        for i in range(self.num_hosts):
            self._start_compute(f"host{i}")
        self._sent: list[dict[str, Any]] = []
        self.filter._publisher = PlanPublisher(lambda: self._keep, 1000)
        self.vm_flavor = self._create_flavor(name="vm", vcpu=4, memory_mb=1024, disk=1, ephemeral=0)
        self.spot_flavor = self._create_flavor(
            name="spot",
            vcpu=5,
            memory_mb=1024,
            disk=1,
            ephemeral=0,
            extra_spec=spot_extra_specs(5, 1024, 1) | {"resources:CUSTOM_SPOT_DISK_GB": "0"},
        )

    def flags(self, **values: Any) -> None:
        """Set options as Nova's tests do: by an override, which is no reload."""
        super().flags(**values)
        live_options_of(CONF).take()

    @property
    def filter(self) -> Any:
        """The filter in the scheduler that runs."""
        manager = self.scheduler_service.manager
        return manager.host_manager.filter_obj_map["CospotFilter"]

    def _keep(self, message: dict[str, Any], event_type: str = "") -> None:
        """Takes what the filter sends; a plan, or a promise with its event type."""
        self._sent.append(message)

    def plans(self) -> list[Plan]:
        """All plans that were published."""
        assert self.filter._publisher.wait_until_sent(PATIENCE_S)
        return [plan_from_message(message) for message in self._sent]

    def boot(self, flavor: str, **fields: Any) -> dict[str, Any]:
        """Boots a server and waits until it is up."""
        server: dict[str, Any] = self._create_server(flavor_id=flavor, networks="none", **fields)
        return server

    def boot_many(self, flavor: str, count: int) -> list[dict[str, Any]]:
        """Boots servers with one request and waits until all are up."""
        body = self._build_server(flavor_id=flavor, networks="none")
        body["min_count"] = body["max_count"] = count
        body["return_reservation_id"] = True
        reservation = self.api.post_server({"server": body})["reservation_id"]
        found: list[dict[str, Any]] = []

        def all_are_up() -> bool:
            found[:] = self.api.get_servers(search_opts={"reservation_id": reservation})
            return len(found) == count and all(server["status"] == "ACTIVE" for server in found)

        wait_until(all_are_up)
        return found

    def spots_everywhere(self) -> dict[str, list[str]]:
        """Fills every host with two spots of 5 vCPUs; returns their UUIDs by host, oldest first."""
        spots: dict[str, list[tuple[str, str]]] = {f"host{i}": [] for i in range(self.num_hosts)}
        for server in self.boot_many(self.spot_flavor, 2 * self.num_hosts):
            # To the second, as Nova tells its scheduler.
            launched_at = server["OS-SRV-USG:launched_at"][:19]
            spots[self.host_of(server)].append((launched_at, server["id"]))
        uuids = {host: [uuid for _, uuid in sorted(found)] for host, found in spots.items()}
        wait_until(lambda: self.listed() == {host: set(found) for host, found in uuids.items()})
        return uuids

    def listed(self) -> dict[str, set[str]]:
        """What the scheduler has been told of the instances on each host."""
        info = self.scheduler_service.manager.host_manager._instance_info
        hosts = [f"host{i}" for i in range(self.num_hosts)]
        return {host: set(info[host]["instances"]) for host in hosts if host in info}

    def host_of(self, server: dict[str, Any]) -> str:
        """The host that a server is on now."""
        host: str = self.admin_api.get_server(server["id"])["OS-EXT-SRV-ATTR:host"]
        return host

    def providers_of(self, server_id: str) -> set[str]:
        """The resource providers that placement shows for an instance."""
        return set(self._get_allocations_by_server_uuid(server_id))
