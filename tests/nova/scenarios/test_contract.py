"""The model of the simulation by seed is asked the same questions as Nova, and answers the same."""

import os
import signal
import subprocess
import sys

import pytest
import sqlalchemy
from cospot.nova.evictor.command import read_configuration
from cospot.nova.evictor.service import EvictorService
from oracle import Policy
from seeds.contract import HOSTS, Script
from waiting import PATIENCE_S, wait_until, written_records


class NovaStage:
    """The cloud of Nova as the stage of the script: see seeds.contract.ModelStage."""

    def __init__(self, cloud):
        self._cloud = cloud
        settings = {"overcommit_grace": 3600, "deletion_timeout": 120, "evictor": "FIFO"}
        path = cloud.configure_evictor(**settings, tell_owners=False, orders_at_once=1)
        self.service = EvictorService(read_configuration(["--config-file", str(path)]))
        self.wait_until = wait_until
        self.now = self.service.context.servers.now

    def providers(self):
        found = self._cloud.providers()
        return {name: found[name] for name in HOSTS}

    def add(self, host, vcpus, memory_mb, is_spot):
        return self._cloud.boot("spot" if is_spot else "vm", vcpus, memory_mb, host=host)

    def stop(self, host):
        self._cloud.processes.send(f"compute-{host}", signal.SIGSTOP)

    def finish(self, host):
        self._cloud.processes.send(f"compute-{host}", signal.SIGCONT)

        def is_done():
            # One that is deleted is shown as such for a moment.
            return not any(
                each["OS-EXT-STS:task_state"] or each["status"] == "DELETED"
                for each in self._cloud.servers()
                if each["OS-EXT-SRV-ATTR:host"] == host
            )

        wait_until(is_done, f"{host} has done all")

    def soft_delete(self, instance):
        # As its owner does where reclaim_instance_interval is set, which it is not here.
        with sqlalchemy.create_engine(self._cloud.settings.database_url("nova")).begin() as db:
            text = "UPDATE instances SET vm_state = 'soft-delete' WHERE uuid = :uuid"
            db.execute(sqlalchemy.text(text), {"uuid": instance})

    def migrate(self, instance, target):
        self._cloud.act(instance, "migrate", {"host": target})
        self._cloud.wait_for_status(instance, "VERIFY_RESIZE")

    def evacuate(self, instance, target):
        host = self._cloud.host_of(instance)
        self._cloud.processes.stop(f"compute-{host}", signal.SIGKILL)
        self._cloud.force_down(host, True)
        self._cloud.act(instance, "evacuate", {"host": target})
        wait_until(lambda: self._cloud.host_of(instance) == target, "it is evacuated")
        self._cloud.wait_for_status(instance, "ACTIVE")

    def records(self):
        return written_records(self._cloud.settings.folder / "evictor" / "audit-1.jsonl")


@pytest.fixture
def stage(cloud):
    cloud.set_policy(**Policy(vm_policy="UTIL").options())
    yield NovaStage(cloud)
    for host in HOSTS:
        if cloud.processes.main_process(f"compute-{host}"):
            cloud.processes.send(f"compute-{host}", signal.SIGCONT)


def test_the_model_answers_as_nova(stage):
    script = Script(stage)
    try:
        of_nova = script.play()
    finally:
        print("\n".join(script.lines))
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "seeds", "--contract"],
        env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=True,
    )  # fmt: skip
    assert of_nova == done.stdout.splitlines()
