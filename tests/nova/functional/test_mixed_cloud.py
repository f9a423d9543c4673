"""A cloud of two host types in two zones, with a server group that wants to be apart: its history,
exported and simulated, places every VM where Nova with cospot did."""

from __future__ import annotations

import csv
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import fixtures
from cospot.nova.tools import command
from cospot_test_case import INVENTORY_FILE, CospotTestCase
from nova import context
from nova.db.api import api as api_database
from nova.db.main import api as cell_database
from nova.virt import fake
from waiting import wait_until

SCENARIO = """
workloads: history.csv
host: history-hosts.csv
vm: {vm}
spot: s{vm}
evictor: FIFO
saf: false
otn: 1
"""
#: vCPUs and MiB of the VMs.
SIZES = ((2, 1024), (4, 1024), (3, 4096), (7, 2048), (12, 2048))


class LargeFakeDriver(fake.FakeDriver):
    """Of the other type than `fake.MediumFakeDriver`, which has 10 vCPUs and 8192 MiB."""

    vcpus = 16
    memory_mb = 12288
    local_gb = 1028


class MixedCloudTest(CospotTestCase):
    """Hosts host0 and host2 are of 10 vCPUs, host1 and host3 of 16; the zone az1 has the first two,
    az2 the others."""

    num_hosts = 0  # setUp starts them
    cospot_options: ClassVar[dict[str, Any]] = {"vm_policy": "UTIL", "spot_policy": "sUTIL"}

    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(1)
        self.placed: dict[str, str] = {}  # the host of each VM that found one
        self.rejected = 0
        self.running: list[dict[str, Any]] = []
        for i in range(4):
            self._start_host(f"host{i}", is_large=i % 2 == 1)
        for zone, hosts in (("az1", ("host0", "host1")), ("az2", ("host2", "host3"))):
            aggregate = self._create_aggregate(f"rack of {zone}", zone)
            for host in hosts:
                self.admin_api.add_host_to_aggregate(aggregate, host)
        self.num_hosts = 4
        self.group = self.api.post_server_groups({"name": "apart", "policy": "anti-affinity"})["id"]
        self.flavors = [
            self._create_flavor(vcpu=vcpus, memory_mb=memory_mb, disk=1, ephemeral=0)
            for vcpus, memory_mb in SIZES
        ]

    def _start_host(self, name: str, *, is_large: bool) -> None:
        if is_large:
            # Nova looks for drivers in its own modules only.
            name_in_nova = f"{fake.__name__}.{LargeFakeDriver.__name__}"
            self.useFixture(fixtures.MonkeyPatch(name_in_nova, LargeFakeDriver))
            self.flags(compute_driver=f"fake.{LargeFakeDriver.__name__}")
            text = INVENTORY_FILE.replace("10", "16").replace("8192", "12288")
        else:
            self.flags(compute_driver=self.compute_driver)
            text = INVENTORY_FILE
        folder = Path(self.useFixture(fixtures.TempDir()).path)
        (folder / "spots.yaml").write_text(text)
        self.flags(provider_config_location=str(folder), group="compute")
        self._start_compute(name)

    def _ask(self, flavor: str, *, zone: str = "", in_group: bool = False) -> dict[str, Any]:
        """Asks for a server and waits until it runs or has found no host."""
        server = self._build_server(flavor_id=flavor, networks="none", az=zone or None)
        body: dict[str, Any] = {"server": server}
        if in_group:
            body["os:scheduler_hints"] = {"group": self.group}
        asked = self.api.post_server(body)
        found: dict[str, Any] = {}

        def is_decided() -> bool:
            found.update(self.api.get_server(asked["id"]))
            return found["status"] in ("ACTIVE", "ERROR")

        wait_until(is_decided)
        return found

    def _ask_for_vm(self) -> None:
        plans_before = len(self.plans())
        server = self._ask(
            self.random.choice(self.flavors),
            zone=self.random.choice(("", "", "az1", "az2")),
            in_group=self.random.random() < 0.3,
        )
        if server["status"] == "ERROR":
            self.rejected += 1
            self._delete_server(server)
            return
        self.placed[server["id"]] = self.host_of(server)
        self.running.append(server)
        for plan in self.plans()[plans_before:]:
            self._evict(plan.hosts[0].victims)

    def _evict(self, victims: tuple[str, ...]) -> None:
        """Does what the service of evictions does with a plan."""
        for victim in victims:
            spot = next(server for server in self.running if server["id"] == victim)
            self.running.remove(spot)
            self._delete_server(spot)

    def _ask_for_spot(self) -> None:
        server = self._ask(self.spot_flavor, zone=self.random.choice(("", "az1", "az2")))
        if server["status"] == "ACTIVE":
            self.running.append(server)
        else:
            self._delete_server(server)

    def _wait_until_told(self) -> None:
        """Waits until computes have told the scheduler of all that came and went, which they do
        after Nova's API shows it."""
        running = {server["id"] for server in self.running}
        wait_until(lambda: set().union(*self.listed().values()) == running)

    def _live(self, steps: int) -> None:
        """A random life of the cloud, a step at a time."""
        for _ in range(steps):
            self._wait_until_told()
            what = self.random.random()
            if what < 0.25 and self.running:
                self._delete_server(self.running.pop(self.random.randrange(len(self.running))))
                # Nova tells in which second a server was asked for: after this one.
                time.sleep(1 - time.time() % 1)
            elif what < 0.45:
                self._ask_for_spot()
            else:
                self._ask_for_vm()

    def _export(self, folder: Path) -> None:
        """Runs `cospot-nova history export` on copies of the databases."""
        time.sleep(1.1)  # the window ends with the second before this one
        # A compute writes its allocation ratios when it looks at its resources again.
        self._run_periodics()
        cell, api = folder / "cell.db", folder / "api.db"
        with context.target_cell(
            context.get_admin_context(), self.cell_mappings["cell1"]
        ) as in_cell:
            _copy(cell_database.get_engine(context=in_cell), cell)
        _copy(api_database.get_engine(), api)
        with closing(sqlite3.connect(api)) as connection, connection:
            connection.execute("DELETE FROM cell_mappings WHERE name = 'cell0'")
            connection.execute(f"UPDATE cell_mappings SET database_connection = 'sqlite:///{cell}'")
        settings = folder / "nova.conf"
        settings.write_text(f"[api_database]\nconnection = sqlite:///{api}\n")
        code = command.main(
            ["history", "export", "--config-file", str(settings), "--window-days", "1"]
            + ["--output", str(folder / "history.csv")]
        )
        assert code == 0

    def _simulated(self, folder: Path) -> dict[str, str]:
        """The host of each VM that found one, in a simulation of the history."""
        policy = self.cospot_options["vm_policy"]
        (folder / "scenario.yaml").write_text(SCENARIO.format(vm=policy))
        subprocess.run(
            [sys.executable, "-m", "cospot", "run", "scenario.yaml", "--events", "events.csv"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        with open(folder / "events.csv", newline="", encoding="utf-8") as file:
            events = list(csv.DictReader(line for line in file if not line.startswith("#")))
        return {
            event["instance_id"]: event["host"]
            for event in events
            if event["event"] == "placement" and event["class"] == "vm"
        }

    def test_the_simulated_history_places_every_vm_where_nova_did(self) -> None:
        self._live(45)
        # What the test is about has happened.
        assert set(self.placed.values()) == {"host0", "host1", "host2", "host3"}
        assert self.rejected > 0
        assert self.plans()
        folder = Path(self.useFixture(fixtures.TempDir()).path)
        self._export(folder)
        assert "anti-affinity" in (folder / "history.csv").read_text()
        # In order, so that a failure begins with the first that is elsewhere.
        assert list(self._simulated(folder).items()) == list(self.placed.items())


class MixedCloudByDpdTest(MixedCloudTest):
    """The same by a policy that looks at shares of each host's own totals."""

    cospot_options: ClassVar[dict[str, Any]] = {"vm_policy": "DPD", "spot_policy": "sDPD"}


class MixedCloudByCosTest(MixedCloudTest):
    """The same by a policy that looks at what is left in vCPUs and MiB."""

    cospot_options: ClassVar[dict[str, Any]] = {"vm_policy": "COS", "spot_policy": "sCOS"}


def _copy(engine: Any, path: Path) -> None:
    """Copies a database that is in memory."""
    source = engine.raw_connection()
    try:
        with closing(sqlite3.connect(path)) as target:
            source.connection.backup(target)
    finally:
        source.close()
