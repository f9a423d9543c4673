"""The commands of docs/nova/install.md for Kolla on a deployment host, and Nova on what they make.

Nova is laid out as in Kolla's image, and its files are put there as Kolla's containers do it.
"""

import configparser
import shutil

import pytest
from conftest import ROOT
from container_file import read_last_stage
from kolla_host import KollaHost, make_tools
from test_ansible import libraries_of, wheel_of

PAGE = ROOT / "docs" / "nova" / "install.md"
MARKER = "<!-- not run: Kolla; tests/packages/test_kolla.py follows it -->\n```sh\n"
FILE = ROOT / "packaging" / "containers" / "kolla-nova-scheduler.Dockerfile"
VENV = "/var/lib/kolla/venv"
CONFIGURED = "/var/lib/kolla/config_files"
EVICTOR = "/etc/kolla/cospot-evictor/cospot-evictor.conf"

SCHEDULER = """
import sys
from nova.conf import CONF
from nova.scheduler import filters, weights

CONF(["--config-file", "/etc/nova/nova.conf"], project="nova")
scheduler = CONF.filter_scheduler
found = filters.HostFilterHandler().get_matching_classes(scheduler.available_filters)
enabled = [one for one in found if one.__name__ in scheduler.enabled_filters]
for one in enabled + weights.HostWeightHandler().get_matching_classes(scheduler.weight_classes):
    print(one.__name__, sys.modules[type(one()).__module__].__file__)
print(len(scheduler.enabled_filters), CONF.cospot.otn)
"""
AGREEMENT = """
from cospot.nova.tools import settings
from cospot.nova.tools.doctor.agreement import check_agreement

nova = settings.read_settings(["/etc/nova/nova.conf"])
for finding in check_agreement(nova, settings.read_evictor_settings()):
    print(finding.verdict.value, finding.found)
"""
PROVIDERS = """
from nova.compute.provider_config import get_provider_configs

for provider in get_provider_configs("/etc/nova/provider_config").values():
    print(*(name for one in provider["inventories"]["additional"] for name in one))
"""


def commands():
    """Return the page's commands, those of the removal last."""
    text = PAGE.read_text()
    return [part.partition("```")[0] for part in text.split(MARKER)[1:]]


@pytest.fixture(scope="module")
def host(base, scratch, request):
    if request.config.getoption("--ubuntu"):
        pytest.skip("the deployment host of the test is a Debian")
    chroot = base.copy(scratch / "deployment")
    yield KollaHost(chroot, make_tools(ROOT / "build" / "kolla-tools"), ROOT)
    shutil.rmtree(chroot.root)


@pytest.fixture(scope="module")
def container(nova_base, packages, scratch, host):
    """A Debian with Nova laid out as Kolla's image, after the commands of the container file."""
    chroot = nova_base.copy(scratch / "kolla-nova")
    chroot.install("python3-venv")
    # Kolla's environment sees the system's Python, too; here that has Nova.
    chroot.run("/usr/bin/python3", "-m", "venv", "--system-site-packages", VENV)
    chroot.run("useradd", "fluentd")
    chroot.run("groupadd", "kolla")
    chroot.run("rm", "-r", "/etc/nova/nova.conf")
    tool = "/usr/local/bin/kolla_set_configs"
    chroot.write(tool, (host.tools / "set_configs.py").read_text(), mode=0o755)
    (package,) = packages.glob("python3-cospot_*.deb")
    chroot.install(*libraries_of(package))
    stage = read_last_stage(FILE)
    assert stage.user == "nova"
    folder = scratch / "kolla-wheels"
    folder.mkdir()
    wheel_of(package, folder, "0.1.0")
    chroot.mounts[folder] = stage.mounts["wheels"]
    for command in stage.commands:
        chroot.run("sh", "-ec", command)
    yield chroot
    shutil.rmtree(chroot.root)


def start(container, folder):
    """Do what a container does first: put the files of its folder where config.json says."""
    configured = container.path(CONFIGURED)
    shutil.rmtree(configured, ignore_errors=True)
    shutil.copytree(folder, configured)
    container.run(
        "python3", "/usr/local/bin/kolla_set_configs", KOLLA_CONFIG_STRATEGY="COPY_ALWAYS"
    )
    return container.path("/run_command").read_text()


def python(container, program):
    return container.output(f"{VENV}/bin/python3", "-W", "ignore", "-c", program).splitlines()


def edit_evictor(host):
    """Put in what the page's table says."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read(host.made("nova-scheduler") / "nova.conf")
    path = host.chroot.path(EVICTOR)
    text = path.read_text()
    for old, new in (
        ("rabbit://openstack:secret@controller:5672/\n", parser["DEFAULT"]["transport_url"] + "\n"),
        ("http://controller:5000/v3", parser["placement"]["auth_url"] + "/v3"),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text)


def test_the_page(host, container):
    without = "kolla-ansible reconfigure -i /etc/kolla/multinode --tags nova"
    host.run(without)
    services = ("nova-scheduler", "nova-api", "nova-compute")
    before = {name: (host.made(name) / "nova.conf").read_text() for name in services}
    *deployment, removal = commands()
    assert len(deployment) == 5
    said = ""
    for block in deployment:
        said = host.run(block)
        if "install -m 0640" in block:
            edit_evictor(host)

    # The image and the mount are those of nova_scheduler's container.
    assert "registry.example/kolla/nova-scheduler:2026.1-cospot-1" in said
    assert "/etc/kolla/cospot-evictor:/etc/cospot:ro" in said
    builds = [call for call in host.calls() if call.startswith("docker buildx build")]
    for build, file in zip(builds, ("kolla-nova-scheduler", "cospot-evictor"), strict=True):
        assert f"packaging/containers/{file}.Dockerfile" in build
    assert host.chroot.output("stat", "-c", "%a %g", EVICTOR) == "640 10001\n"

    assert start(container, host.made("nova-scheduler")) == "nova-scheduler"
    *loaded, last = python(container, SCHEDULER)
    own = [line.split() for line in loaded if "Cospot" in line]
    (site,) = container.root.glob(f"{VENV[1:]}/lib/python3*/site-packages/cospot/nova/scheduler")
    inside = f"/{site.relative_to(container.root)}"
    assert own == [
        ["CospotFilter", f"{inside}/filter.py"],
        ["CospotWeigher", f"{inside}/weigher.py"],
    ]
    assert len(loaded) == 7 and last == "6 4"  # Nova's five filters and two of cospot; otn = 4

    # nova_scheduler_extra_volumes mounts the evictor's folder.
    evictor = host.chroot.path(EVICTOR).read_text()
    container.write("/etc/cospot/cospot-evictor.conf", evictor)
    assert [line.split()[0] for line in python(container, AGREEMENT)] == ["ok"]
    container.write(
        "/etc/cospot/cospot-evictor.conf", evictor.replace("rabbit_quorum_queue = true", "")
    )
    (finding,) = python(container, AGREEMENT)
    assert finding.startswith("error") and "rabbit_quorum_queue" in finding

    changed = {name: (host.made(name) / "nova.conf").read_text() for name in services}
    assert changed["nova-compute"] == before["nova-compute"]
    quota = "\n[quota]\ncount_usage_from_placement = true\n"
    assert quota in changed["nova-api"] and "cospot" not in changed["nova-api"]
    assert start(container, host.made("nova-compute")) == "nova-compute"
    classes = "CUSTOM_SPOT_VCPU CUSTOM_SPOT_MEMORY_MB CUSTOM_SPOT_DISK_GB"
    assert python(container, PROVIDERS) == [classes]

    said = host.run(removal)
    assert "registry.example" not in said
    assert {name: (host.made(name) / "nova.conf").read_text() for name in services} == before
    start(container, host.made("nova-compute"))
    assert python(container, PROVIDERS) == []
    host.chroot.run("rm", "/calls")
    left = host.chroot.output("grep", "-rl", "cospot", "/etc", check=False)
    assert left == ""
