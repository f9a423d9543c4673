"""A host with a real Kolla-Ansible; stand-ins replace what needs containers or other machines."""

import shutil
import subprocess
import zipfile
from pathlib import Path

# The release that docs/nova/install.md names. Its collections come with the package ansible,
# here only the one that the configuration of Nova needs.
KOLLA_ANSIBLE, KOLLA, ANSIBLE = "kolla-ansible==22.2.0", "kolla==22.2.0", "ansible==12.3.0"
_COLLECTION = "ansible_collections/ansible/utils/"
_SET_CONFIGS = "share/kolla/docker/base/set_configs.py"

# Asks a running cloud which hypervisors it has; the answer of one that has none yet.
_TOOLBOX = """\
#!/usr/bin/python
from ansible.module_utils.basic import AnsibleModule

NAMES = "container_engine module_name module_args module_extra_vars user timeout api_version"
module = AnsibleModule({name: {"type": "raw"} for name in NAMES.split()})
module.exit_json(changed=False, resources=[])
"""
# Each writes its call; the cloud answers with the inventory of the examples.
_STAND_INS = {
    "docker": """
case "$*" in
  "exec nova_scheduler cospot-nova inventory "*) cat /clone/examples/nova/provider.yaml ;;
esac
""",
    "ssh": 'shift; sh -ec "$*"',
    "kolla-ansible": """
action=$1; shift
if [ "$action" = reconfigure ]; then exec "$TOOLS/bin/kolla-ansible" genconfig "$@"; fi
""",
}
_GLOBALS = """\
kolla_base_distro: debian
network_interface: lo
neutron_external_interface: lo
kolla_internal_vip_address: 127.0.0.1
enable_haproxy: false
"""


def make_tools(folder: Path) -> Path:
    """Install Kolla-Ansible, and `set_configs.py` of Kolla's images, unless they are there."""
    stamp, wanted = folder / "made", f"{KOLLA_ANSIBLE} {KOLLA} {ANSIBLE}"
    if stamp.exists() and stamp.read_text() == wanted:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "python3", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", KOLLA_ANSIBLE], check=True)
    packages = folder / "packages"
    subprocess.run([*pip, "download", "--no-deps", "-d", packages, KOLLA, ANSIBLE], check=True)
    (libraries,) = folder.glob("lib/python3*/site-packages")
    for package in packages.iterdir():
        with zipfile.ZipFile(package) as archive:
            for name in archive.namelist():
                if name.startswith(_COLLECTION):
                    archive.extract(name, libraries)
                elif name.endswith(_SET_CONFIGS):
                    (folder / "set_configs.py").write_bytes(archive.read(name))
    shutil.rmtree(packages)
    library = folder / "share/kolla-ansible/ansible/library"
    (library / "kolla_toolbox.py").write_text(_TOOLBOX)
    stamp.write_text(wanted)
    return folder


class KollaHost:
    """The host: /etc/kolla, the clone, and /calls, which lists the calls of the stand-ins."""

    def __init__(self, chroot, tools: Path, clone: Path):
        self.chroot = chroot
        self.tools = tools
        chroot.install("iproute2")
        chroot.mounts |= {tools: str(tools), Path("/sys"): "/sys"}
        for name in ("examples", "packaging"):
            chroot.mounts[clone / name] = f"/clone/{name}"
        for name, script in _STAND_INS.items():
            log = f'echo "{name} $*" >>/calls\n'
            chroot.write(f"/usr/local/bin/{name}", f"#!/bin/sh -e\n{log}{script}", mode=0o755)
        for name in ("build-wheel.sh", "build-deb.sh"):
            log = f'echo "{name} $*" >>/calls\n'
            chroot.write(f"/clone/scripts/{name}", f"#!/bin/sh -e\n{log}", mode=0o755)
        chroot.write("/etc/kolla/globals.yml", _GLOBALS)
        examples = tools / "share/kolla-ansible"
        chroot.write(
            "/etc/kolla/passwords.yml",
            (examples / "etc_examples/kolla/passwords.yml").read_text(), mode=0o600,
        )  # fmt: skip
        # One machine for everything: each machine more costs Ansible as much again.
        inventory = (examples / "ansible/inventory/all-in-one").read_text()
        chroot.write("/etc/kolla/multinode", inventory.replace("localhost ", "compute1 "))
        self.run("kolla-genpwd")

    def run(self, command: str) -> str:
        """Run lines in the clone."""
        return self.chroot.output(
            "bash", "-ec", command, cwd="/clone", TOOLS=str(self.tools), ANSIBLE_NOCOLOR="1",
            PATH=f"/usr/local/bin:{self.tools}/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        )  # fmt: skip

    def calls(self) -> list[str]:
        return self.chroot.path("/calls").read_text().splitlines()

    def made(self, service: str) -> Path:
        """Return the folder that goes into a container."""
        return self.chroot.path(f"/etc/kolla/{service}")
