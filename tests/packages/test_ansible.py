"""The playbooks of the Ansible role, on a machine that is scheduler, API, evictor and compute.

Ansible is Debian's, and runs on that machine. systemd does not run there: units are enabled and
disabled, and of restarts it is only seen that Ansible orders them.
"""

import os
import re
import shutil
import subprocess
import zipfile

import pytest
from conftest import ROOT

PLAYBOOKS = "/clone/packaging/ansible"
NOVA_CONF = "/etc/nova/nova.conf"
# An operator's own filters, one of them from a further file of nova.conf.d.
OWN_FILE = "/etc/nova/nova.conf.d/10-own.conf"
OWN_FILTERS = "[filter_scheduler]\nenabled_filters = ComputeFilter,NUMATopologyFilter\n"
RESTARTED = {"nova-scheduler", "nova-api", "nova-compute", "the evictor"}
INVENTORY = """\
all:
  vars:
    ansible_connection: local
    ansible_python_interpreter: /usr/bin/python3
    cospot_debs: /packages
    cospot_venv: /nova-venv
    cospot_provider_file: /clone/examples/nova/provider.yaml
    cospot_evictor:
      DEFAULT: {transport_url: "rabbit://openstack:secret@controller:5672/"}
      nova: {auth_type: password, auth_url: "http://controller:5000/v3", username: cospot-evictor,
             password: secret, project_name: service}
  children:
    cospot_schedulers: {hosts: {here: {}}}
    cospot_apis: {hosts: {here: {}}}
    cospot_evictors: {hosts: {here: {}}}
    cospot_computes: {hosts: {here: {}}}
"""
# What nova-scheduler reads: its unit names nova.conf and no folder, so nova.conf.d counts.
SCHEDULER = """
import sys
from nova.conf import CONF
from nova.scheduler import filters, weights

CONF(["--config-file", "/etc/nova/nova.conf"], project="nova")
scheduler = CONF.filter_scheduler
print(*scheduler.enabled_filters)
if "CospotFilter" in scheduler.enabled_filters:
    found = filters.HostFilterHandler().get_matching_classes(scheduler.available_filters)
    (one,) = {each for each in found if each.__name__ == "CospotFilter"}
    (other,) = weights.HostWeightHandler().get_matching_classes(scheduler.weight_classes)
    print(sys.modules[type(one()).__module__].__file__, type(other()).__name__)
"""


def newer(package, folder):
    """Make the same package once more as version 0.1.1-1, or what follows the version it has."""
    name, version, end = package.name.split("_")
    head, last = re.fullmatch(r"(.*\.)(\d+)-\d+", version).groups()
    later = f"{head}{int(last) + 1}-1"
    unpacked = folder / name
    subprocess.run(["dpkg-deb", "-R", package, unpacked], check=True)
    control = unpacked / "DEBIAN" / "control"
    text = control.read_text().replace(f"\nVersion: {version}\n", f"\nVersion: {later}\n")
    assert later in text
    control.write_text(text)
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-b", unpacked, folder / f"{name}_{later}_{end}"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    shutil.rmtree(unpacked)
    return later


class Machine:
    """The machine, and the playbooks on it."""

    def __init__(self, chroot):
        self.chroot = chroot
        self.variables = {}

    def play(self, playbook, *options, **variables):
        """Run a playbook; return how many tasks changed something, and what was restarted."""
        chosen = [f"-e{name}={value}" for name, value in (self.variables | variables).items()]
        done = self.chroot.output(
            "ansible-playbook", "-i", "/srv/cloud.yml", *chosen, *options, f"{playbook}.yml",
            cwd=PLAYBOOKS, SYSTEMD_OFFLINE="1", ANSIBLE_NOCOLOR="1",
        )  # fmt: skip
        changed = int(re.search(r"^here +: ok=\d+ +changed=(\d+)", done, re.MULTILINE)[1])
        return changed, set(re.findall(r"HANDLER \[cospot : Restart (.*?)\]", done))

    def state(self):
        """Return what an operator would miss, or not want to find: paths, with digests in /etc."""
        contents = self.chroot.output(
            "find", "/etc", "-type", "f", "!", "-name", "*-", "!", "-name", "ld.so.cache", "-exec",
            "sha256sum", "{}", "+",
        )  # fmt: skip
        others = self.chroot.output(
            "find", "/opt", "/nova-venv", "/usr/lib/python3", "/lib/systemd", "/var/cache/cospot",
            "/var/lib/cospot-evictor", "-name", "__pycache__", "-prune", "-o", "-print",
            check=False,
        )  # fmt: skip
        missing = re.compile(r"^find: .*\n", re.MULTILINE)
        found = {path: "" for path in missing.sub("", others).splitlines()}
        return found | {line.split()[1]: line.split()[0] for line in contents.splitlines()}

    def scheduler(self, python="/usr/bin/python3", **environment):
        return self.chroot.output(python, "-c", SCHEDULER, **environment).split()


@pytest.fixture(scope="module")
def machine(nova_base, packages, scratch, request):
    if request.config.getoption("--ubuntu"):
        pytest.skip("its Ansible is newer, and the playbooks are the same")
    chroot = nova_base.copy(scratch / "ansible")
    chroot.install("ansible-core", "python3-apt", "python3-numpy", "python3-pip", "python3-venv")
    chroot.run("python3", "-m", "venv", "--system-site-packages", "/nova-venv")
    for unit in ("nova-api", "nova-compute"):
        chroot.write(f"/lib/systemd/system/{unit}.service", "[Service]\nExecStart=/bin/true\n")
    chroot.write(OWN_FILE, OWN_FILTERS)
    chroot.mounts |= {
        packages: "/packages",
        ROOT / "packaging": "/clone/packaging",
        ROOT / "examples": "/clone/examples",
    }
    chroot.write("/srv/cloud.yml", INVENTORY)
    yield Machine(chroot)
    shutil.rmtree(chroot.root)


def test_debian_packages(machine, packages, scratch):
    before = machine.state()
    changed, restarted = machine.play("cospot", "--check", "--diff")
    assert changed > 0 and restarted >= {"nova-scheduler", "nova-api", "nova-compute"}
    assert machine.state() == before, "a run with --check has written"

    changed, restarted = machine.play("cospot")
    assert changed > 0 and restarted == RESTARTED
    names = ["ComputeFilter", "NUMATopologyFilter", "CospotFilter"]
    loaded = ["/usr/lib/python3/dist-packages/cospot/nova/scheduler/filter.py", "CospotWeigher"]
    assert machine.scheduler() == [*names, *loaded]
    assert machine.state()[NOVA_CONF] == before[NOVA_CONF]
    enabled = machine.chroot.output("systemctl", "is-enabled", "cospot-evictor")
    assert enabled == "enabled\n"
    configuration = machine.chroot.output("cat", "/etc/cospot/cospot-evictor.conf")
    assert "\ndry_run = True\n" in configuration and "\npassword = secret\n" in configuration
    owner = machine.chroot.output("stat", "-c", "%a %U %G", "/etc/cospot/cospot-evictor.conf")
    assert owner == "640 root cospot-evictor\n"
    installed = machine.state()
    assert machine.play("cospot") == (0, set())
    assert machine.state() == installed

    # An upgrade restarts what runs the package and keeps the configuration. The service may be
    # switched off.
    folder = scratch / "newer"
    folder.mkdir()
    versions = {newer(file, folder) for file in packages.glob("*cospot*_*.deb")
                if not file.name.startswith("cospot_")}  # fmt: skip
    machine.chroot.mounts[folder] = "/packages"
    del machine.chroot.mounts[packages]
    _, restarted = machine.play("cospot", cospot_evictor_service="false")
    assert restarted == {"nova-scheduler", "the evictor"}
    shown = ["dpkg-query", "-W", "-f", "${Version}\\n", "python3-cospot", "cospot-evictor"]
    assert set(machine.chroot.output(*shown).split()) == versions
    assert machine.chroot.output("cat", "/etc/cospot/cospot-evictor.conf") == configuration
    enabled = machine.chroot.run("systemctl", "is-enabled", "cospot-evictor", check=False).stdout
    assert enabled == "disabled\n"

    # Removed, it keeps configuration and audit log unless told otherwise.
    _, restarted = machine.play("remove")
    assert restarted >= {"nova-scheduler", "nova-api", "nova-compute"}
    left = {path for path in machine.state() if "cospot" in path}
    assert left == {"/etc/cospot/cospot-evictor.conf"}
    assert machine.scheduler() == names[:-1]
    machine.play("remove", cospot_purge="true")
    assert machine.state() == before
    assert "cospot" not in machine.chroot.path("/etc/passwd").read_text()


def wheel_of(package, folder, version):
    """Make a wheel of what the Debian package has of Python's, as that version."""
    subprocess.run(["dpkg-deb", "-x", package, folder / "unpacked"], check=True)
    files = folder / "unpacked/usr/lib/python3/dist-packages"
    (module,) = files.glob("cospot/_core.cpython-*.so")
    tag = "cp" + module.name.split("-")[1]
    (old,) = files.glob("cospot-*.dist-info")
    info = old.rename(files / f"cospot-{version}.dist-info")
    text = (info / "METADATA").read_text()
    (info / "METADATA").write_text(re.sub(r"(?m)^Version: .*", f"Version: {version}", text))
    platform = f"{tag}-{tag}-linux_{os.uname().machine}"
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {platform}\n")
    names = [str(path.relative_to(files)) for path in files.rglob("*") if path.is_file()]
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in [*names, f"{info.name}/RECORD"]))
    wheel = folder / f"cospot-{version}-{platform}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        for path in [*files.rglob("*")]:
            archive.write(path, path.relative_to(files))
    shutil.rmtree(folder / "unpacked")
    return f"/wheels/{wheel.name}"


def libraries_of(package):
    """Return the Debian packages that `wheel_of` needs; build-wheel.sh puts them into a wheel."""
    needs = subprocess.check_output(["dpkg-deb", "-f", package, "Depends"], text=True)
    return re.findall(r"(?:^|, )((?:lib|coinor-lib)[\w.+-]+|python3-numpy)", needs)


@pytest.fixture
def wheels(machine, packages, scratch):
    """Two versions of a wheel on the machine."""
    (package,) = packages.glob("python3-cospot_*.deb")
    machine.chroot.install(*libraries_of(package))
    folder = scratch / "role-wheels"
    folder.mkdir()
    machine.chroot.mounts[folder] = "/wheels"
    yield [wheel_of(package, folder, version) for version in ("0.1.0", "0.1.1")]
    del machine.chroot.mounts[folder]
    shutil.rmtree(folder)


def test_a_wheel_in_a_folder(machine, wheels):
    # The distribution's own Python packages go first and stay.
    machine.chroot.install("python3-tooz", "python3-prometheus-client")
    before = machine.state()
    old, new = wheels
    machine.play("cospot", cospot_install="folder", cospot_wheel=old)
    # As the unit's drop-in says.
    assert machine.scheduler(PYTHONPATH="/opt/cospot")[-2:] == [
        "/opt/cospot/cospot/nova/scheduler/filter.py", "CospotWeigher",
    ]  # fmt: skip
    for unit in ("nova-scheduler", "cospot-evictor"):
        shown = machine.chroot.output("cat", f"/etc/systemd/system/{unit}.service.d/cospot.conf")
        assert "\nEnvironment=PYTHONPATH=/opt/cospot\n" in shown
    verify = ("systemd-analyze", "verify", "--man=no", "cospot-evictor.service")
    assert machine.chroot.output(*verify) == ""
    program = "/opt/cospot/bin/cospot-evictor"
    assert "--config-dir" in machine.chroot.output(program, "--help", PYTHONPATH="/opt/cospot")
    _, restarted = machine.play("cospot", cospot_install="folder", cospot_wheel=new)
    assert restarted == {"nova-scheduler", "the evictor"}
    # Nothing of the former version stays where Python would find it first.
    infos = machine.chroot.output("sh", "-c", "ls -d /opt/cospot/*.dist-info")
    assert infos == "/opt/cospot/cospot-0.1.1.dist-info\n"
    machine.play("remove", cospot_install="folder", cospot_purge="true")
    assert machine.state() == before


def test_a_wheel_in_novas_environment(machine, wheels):
    before = machine.state()
    # Without an evictor, whose environment would need the network.
    evictors = "    cospot_evictors: {hosts: {here: {}}}\n"
    text = INVENTORY.replace(evictors, "")
    assert text != INVENTORY
    machine.chroot.write("/srv/cloud.yml", text)
    machine.play("cospot", cospot_install="venv", cospot_wheel=wheels[0])
    where = machine.scheduler("/nova-venv/bin/python3")[-2]
    assert re.fullmatch(r"/nova-venv/lib/python3\.\d+/site-packages/cospot/.*/filter.py", where)
    machine.play("remove", cospot_install="venv")
    assert machine.state() == before
