"""The ten steps of docs/nova/README.md on a cloud: the page's own commands, in their order.

What changes the machine is stood in for; cospot-nova, Nova, Keystone, RabbitMQ and the evictor are
the real ones. Lines that start, restart or edit something are done here to the deployment.
"""

import os
import re
import signal
import subprocess

import pytest
from deployment import identity
from deployment.settings import PASSWORD, ROOT
from running_services import evictor_name
from waiting import PATIENCE_S, wait_until
from watch import intents

PAGE = (ROOT / "docs" / "nova" / "README.md").read_text()
FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STEPS = FENCE.search(PAGE, PAGE.index("## Ten steps"))[1]
BASE, SPOT = "m1.large", "spot.m1.large"
USER = "cospot-by-the-page"
#: A command that is done here; what it stands for is in Machine.
DONE_HERE = re.compile(r"^(systemctl|editor|sed -i) ")

STAND_INS = {
    "apt-get": "",
    "pip": "",
    "useradd": "",
    "systemctl": "",  # within ssh
    "openstack": 'for host in $HOSTS; do echo "$host"; done',
    "ssh": """
bash -e -c "$2"
cp "$R/etc/nova/provider_config/cospot.yaml" "$R/inventories/$1.yaml"
""",
    # Only for a group that is there; here there is none.
    "install": """
words=()
while [ $# -gt 0 ]; do
  if [ "$1" = -g ]; then shift 2; else words+=("$1"); shift; fi
done
/usr/bin/install "${words[@]}"
""",
    "cospot-nova": """
more=()
case "$1" in setup|doctor|status)
  more=(--evictor-config-file "$R/etc/cospot/cospot-evictor.conf") ;;
esac
PYTHONPATH=$TREE exec "$PYTHON" -m cospot.nova.tools.command "$@" "${more[@]}"
""",
}


class Machine:
    """A controller below a folder, on which the commands are run."""

    def __init__(self, cloud, root):
        self.cloud = cloud
        self.root = root
        self.output = ""
        for folder in (
            "bin",
            "clone",
            "inventories",
            "etc/nova",
            "etc/placement",
            "etc/systemd/system",
        ):
            (root / folder).mkdir(parents=True)
        (root / "clone" / "examples").symlink_to(ROOT / "examples")
        files = [cloud.settings.folder / name for name in ("nova.conf", "nova-database.conf")]
        text = "\n".join(path.read_text() for path in files)
        self.nova_conf.write_text(text)
        for name, script in STAND_INS.items():
            path = root / "bin" / name
            path.write_text(f"#!/bin/bash -e\n{script.strip()}\n")
            path.chmod(0o755)
        self.done_here = {
            "systemctl daemon-reload": lambda: None,
            "systemctl restart nova-scheduler nova-api": self.restart_scheduler,
            "systemctl enable --now cospot-evictor": self.start_evictor,
            "systemctl reload cospot-evictor": self.reload_evictor,
            "editor /etc/nova/nova.conf": lambda: None,
            "editor /etc/cospot/cospot-evictor.conf": self.edit_evictor,
        }

    @property
    def nova_conf(self):
        return self.root / "etc" / "nova" / "nova.conf"

    @property
    def evictor_conf(self):
        return self.root / "etc" / "cospot" / "cospot-evictor.conf"

    def run(self, commands):
        """Run some lines in one shell as an administrator, and keep what they print."""
        if not commands:
            return
        settings = self.cloud.settings
        below = re.sub(r"(?<![\w./$-])/(etc|opt|var)/", rf"{self.root}/\1/", "\n".join(commands))
        # It finds fault with the deployment's other spot flavors, whose disk is not counted.
        below = re.sub(r"^cospot-nova doctor .*$", r"\g<0> || true", below, flags=re.MULTILINE)
        environment = {key: os.environ[key] for key in os.environ if not key.startswith("OS_")}
        environment.update(
            PATH=f"{self.root}/bin:{os.environ['PATH']}",
            R=str(self.root),
            TREE=self.cloud.services.environment["PYTHONPATH"],
            PYTHON=str(settings.python),
            HOSTS=" ".join(host.name for host in settings.hosts),
            OS_AUTH_URL=settings.auth_url,
            OS_USERNAME="admin",
            OS_PASSWORD=PASSWORD,
            OS_PROJECT_NAME="admin",
            OS_USER_DOMAIN_ID="default",
            OS_PROJECT_DOMAIN_ID="default",
        )
        done = subprocess.run(
            ["/bin/bash", "-e", "-c", below],
            cwd=self.root / "clone",
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        self.output += done.stdout + done.stderr
        assert done.returncode == 0, below + done.stdout + done.stderr

    def paste(self, lines):
        """Run the lines of the page."""
        waiting = []
        for line in lines:
            if not DONE_HERE.match(line):
                waiting.append(line)
            else:
                self.run(waiting)
                waiting = []
                if line in self.done_here:
                    self.done_here[line]()
                else:
                    self.run([line])
        self.run(waiting)

    def restart_scheduler(self):
        """Restart it with the page's nova.conf; the API has counted by placement from the start."""
        assert "count_usage_from_placement = true" in self.nova_conf.read_text()
        text = self.nova_conf.read_text()
        (self.cloud.settings.folder / "scheduler.conf").write_text(text)
        self.cloud.restart_scheduler()

    def edit_evictor(self):
        """Put in what is this deployment's, and where this machine is."""
        settings = self.cloud.settings
        text = self.evictor_conf.read_text()
        for old, new in (
            ("rabbit://openstack:secret@controller:5672/", settings.message_url),
            ("http://controller:5000/v3", settings.auth_url),
            ("username = cospot-evictor", f"username = {USER}"),
        ):
            assert old in text
            text = text.replace(old, new)
        state = settings.folder / "evictor"
        state.mkdir(exist_ok=True)
        own = f"state_path = {state}\naudit_log = {state}/audit-1.jsonl\n"
        own += f"metrics_port = {settings.port('evictor-metrics')}\n"
        self.evictor_conf.write_text(text + own)

    def start_evictor(self):
        command = [
            self.cloud.settings.python,
            "-m",
            "cospot.nova.evictor",
            "--config-file",
            self.evictor_conf,
        ]
        command += ["--config-dir", self.cloud.settings.folder / "no-config"]
        self.cloud.processes.start(evictor_name(1), command, self.cloud.services.environment)
        wait_until(self.has_reconciled, "the evictor has reconciled all hosts")

    def has_reconciled(self):
        try:
            return self.cloud.evictor_metrics()["cospot_evictor_reconcile_seconds_count"] >= 1
        except OSError:
            return False

    def reload_evictor(self):
        self.cloud.processes.send(evictor_name(1), signal.SIGHUP)
        enabled = "cospot_evictor_enabled"
        wait_until(lambda: self.cloud.evictor_metrics()[enabled] == 1, "evictions are on")


def delete_flavors(cloud):
    for flavor in cloud.nova.get("/flavors?is_public=None").json()["flavors"]:
        if flavor["name"] in (BASE, SPOT):
            cloud.nova.delete(f"/flavors/{flavor['id']}")


@pytest.fixture
def machine(cloud, tmp_path):
    cloud.set_policy(absent=True)
    delete_flavors(cloud)
    size = {"name": BASE, "id": BASE, "vcpus": 4, "ram": 4096, "disk": 1}
    cloud.nova.post("/flavors", json={"flavor": size})
    yield Machine(cloud, tmp_path)
    cloud.stop_evictors()
    delete_flavors(cloud)
    catalogue = identity.Catalogue(cloud.settings)
    catalogue.api.delete(f"/users/{catalogue.user(USER)}")


def offered_to_tenants(cloud):
    found = cloud.member_of["apricot"].get("/flavors").json()["flavors"]
    return {flavor["name"]: flavor["id"] for flavor in found}


def test_the_ten_steps_then_see_it_work(cloud, machine):
    lines = STEPS.splitlines()
    opening = next(i for i, line in enumerate(lines) if "--open" in line)
    machine.paste(lines[:opening])
    assert len(list((machine.root / "inventories").iterdir())) == len(cloud.settings.hosts)
    # Nothing is missing, and no tenant has a spot flavor yet.
    assert "missing" not in machine.output.rpartition("done     spot flavors")[2]
    assert SPOT not in offered_to_tenants(cloud)
    machine.paste(lines[opening:])
    errors = re.findall(r"^error +(.*)$", machine.output, re.MULTILINE)
    assert errors == ["spot flavors"] and f"{SPOT}:" not in machine.output.rpartition("error ")[2]
    offered = offered_to_tenants(cloud)[SPOT]
    see_it_work(cloud, offered)
    machine.run(["cospot-nova status"])
    assert "freed" in machine.output or "ordered" in machine.output


def see_it_work(cloud, offered):
    """h1 has 8 vCPUs: two spots of 4, then a VM of 4, for which the plan evicts one of them."""
    spots = [
        cloud.boot("spot", 4, 4096, host="h1", filtered=True, flavorRef=offered) for _ in range(2)
    ]
    cloud.wait_until_refused(
        cloud.request("spot", 4, 4096, host="h1", filtered=True, flavorRef=offered)
    )
    cloud.boot("vm", 4, 4096, host="h1", filtered=True, flavorRef=BASE)
    cloud.wait_until_not_overcommitted()
    assert len(cloud.spots() & set(spots)) == 1
    evicted = {line["instance"] for line in intents(cloud)}
    assert len(evicted) == 1 and evicted <= set(spots)
