"""The Debian packages beside Debian's Nova. The tests follow each other; the last removes all."""

import re
import shutil
import subprocess

import pytest
from conftest import ROOT, require_hardened

NAMES = ("cospot", "python3-cospot", "cospot-evictor")
CONFIGURATION = "/etc/cospot/cospot-evictor.conf"
EXAMPLES = "/usr/share/cospot/examples"

NOVA = """
import nova.conf
from nova.scheduler import filters, weights

CONF = nova.conf.CONF
sample = "/usr/share/doc/python3-cospot/examples/nova.conf"
CONF(["--config-file", sample], project="nova")
scheduler = CONF.filter_scheduler
filters = filters.HostFilterHandler().get_matching_classes(scheduler.available_filters)
weighers = weights.HostWeightHandler().get_matching_classes(scheduler.weight_classes)
enabled = [one for one in filters if one.__name__ in scheduler.enabled_filters]
for one in enabled + weighers:
    print(type(one()).__module__, one.__name__)
"""


def options_of(sample: str) -> dict[str, list[str]]:
    """Return the options of a sample of oslo.config's, by section."""
    _, *parts = re.split(r"^\[(\w+)\]$", sample, flags=re.MULTILINE)
    texts = zip(parts[::2], parts[1::2], strict=True)
    return {section: re.findall(r"^#(\w+) =", text, re.MULTILINE) for section, text in texts}


@pytest.fixture(scope="module")
def debian(nova_base, packages, scratch):
    """A controller with Debian's Nova, on which the three packages are installed."""
    chroot = nova_base.copy(scratch / "controller")
    chroot.install("man-db", "bash-completion")
    chroot.mounts[packages] = "/packages"
    chroot.install(*(f"/packages/{path.name}" for path in packages.glob("*.deb")))
    yield chroot
    shutil.rmtree(chroot.root)


def test_lintian_finds_nothing(packages):
    if shutil.which("lintian") is None:
        pytest.skip("lintian is not installed")
    found = subprocess.run(
        ["lintian", "--fail-on", "error,warning", *packages.glob("*.deb")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout


def test_what_is_compiled_is_hardened(packages, tmp_path):
    for package in packages.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, tmp_path], check=True)
    compiled = [tmp_path / "usr/bin/cospot", *tmp_path.rglob("*.so")]
    assert len(compiled) == 3  # with the Python module and the host of Python policies
    require_hardened(compiled)


def test_the_program_compares_what_it_ships(debian):
    readme = (ROOT / "README.md").read_text()
    best = re.search(r"^Spot revenue earned without VM loss: .*$", readme, re.MULTILINE)[0]
    done = debian.output("cospot", "compare", f"{EXAMPLES}/small_grid.yaml", "--db", "/tmp/grid.db")
    assert best in done
    report = debian.output("cospot", "report", "/tmp/grid.db", "-o", "/tmp/report.html")
    assert "report.html" in report


def test_a_policy_in_python_runs(debian):
    done = debian.output("cospot", "compare", f"{EXAMPLES}/python_policy/sweep.yaml",
                         "--db", "/tmp/policy.db")  # fmt: skip
    assert "Policies compared: 24 runs" in done
    debian.run("rm", "-r", f"{EXAMPLES}/python_policy/__pycache__", check=False)


def test_the_manual_pages(debian):
    for page, part in (
        ("cospot", "cospot tune"),
        ("cospot-nova", "cospot-nova"),
        ("cospot-evictor", "/etc/cospot/cospot-evictor.conf"),
    ):
        assert part in debian.output("man", page, MANWIDTH="100")
    page = debian.output("man", "cospot-nova", MANWIDTH="200")
    for command in re.findall(r"^    (\w+) ", debian.output("cospot-nova", "--help"), re.MULTILINE):
        assert re.search(rf"^ +{command}\b", page, re.MULTILINE), f"{command} is not in the page"


def test_bash_completes(debian):
    script = """
. /usr/share/bash-completion/bash_completion
_completion_loader cospot || [ $? -eq 124 ]
COMP_WORDS=(cospot workload im) COMP_CWORD=2
"$(complete -p cospot | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
echo "${COMPREPLY[@]}"
"""
    assert debian.output("bash", "-c", script).split() == ["import"]


def test_python_finds_the_package_and_its_entry_points(debian):
    where = debian.output("python3", "-c", "import cospot; print(cospot.__file__)").strip()
    assert where == "/usr/lib/python3/dist-packages/cospot/__init__.py"
    compiled = debian.output("python3", "-c", "import cospot; print(cospot.__cached__)").strip()
    assert debian.path(compiled).exists(), "the package was not compiled"
    version = debian.output(
        "python3", "-c", "from importlib.metadata import version; print(version('cospot'))"
    )
    assert version == debian.output("python3", "-c", "import cospot; print(cospot.__version__)")
    for name in ("scheduler", "evictor"):
        printed = debian.output("oslo-config-generator", "--namespace", f"cospot.{name}")
        options = options_of(printed)
        sample = options_of((ROOT / "docs" / "nova" / f"cospot-{name}.conf.sample").read_text())
        assert options.keys() == sample.keys()
        for section, names in sample.items():
            if section.startswith("cospot"):
                assert options[section] == names
            else:  # keystoneauth1's, which has more options in later releases
                assert set(names) <= set(options[section])


def test_nova_loads_the_filter_and_the_weigher(debian):
    assert debian.output("python3", "-c", NOVA).split()[-4:] == [
        "cospot.nova.scheduler.filter", "CospotFilter",
        "cospot.nova.scheduler.weigher", "CospotWeigher",
    ]  # fmt: skip


def test_the_operators_command_runs(debian):
    assert "doctor" in debian.output("cospot-nova", "--help")
    made = debian.output("cospot-nova", "inventory", "--vcpus", "64", "--memory-mb", "250000")
    assert "CUSTOM_SPOT_VCPU" in made


def test_the_unit_is_sound_and_off(debian):
    assert debian.output("systemd-analyze", "verify", "cospot-evictor.service") == ""
    state = debian.run("systemctl", "is-enabled", "cospot-evictor", check=False)
    assert state.stdout.strip() == "disabled"
    assert debian.output("stat", "-c", "%a %U %G", CONFIGURATION) == "640 root cospot-evictor\n"
    assert debian.output("id", "-gn", "cospot-evictor") == "cospot-evictor\n"


def test_the_service_starts_and_stops(debian):
    debian.run("install", "-d", "-o", "cospot-evictor", "/var/lib/cospot-evictor")  # systemd's part
    done = debian.start_and_stop(
        "cospot-evictor", "--config-file", CONFIGURATION,
        word="started", user="cospot-evictor:cospot-evictor", cwd="/",
    )  # fmt: skip
    assert done.startswith("exit 0\n"), done
    assert "stopping" in done
    assert "Traceback" not in done


def test_installing_again_keeps_what_the_administrator_did(debian):
    debian.run("sed", "-i", "s/controller/mine/", CONFIGURATION)
    debian.run("chgrp", "adm", CONFIGURATION)
    debian.run("systemctl", "enable", "cospot-evictor")
    debian.run("sh", "-c", "dpkg -i /packages/cospot-evictor_*.deb")
    assert "http://mine:5000" in debian.path(CONFIGURATION).read_text()
    assert debian.output("stat", "-c", "%a %G", CONFIGURATION) == "640 adm\n"
    assert debian.output("systemctl", "is-enabled", "cospot-evictor") == "enabled\n"


def test_removed_it_keeps_the_configuration_and_purged_nothing(debian):
    debian.run("rm", "-rf", "/tmp/grid.db", "/tmp/policy.db")
    debian.mounts = {source: at for source, at in debian.mounts.items() if at != "/packages"}
    debian.path("/packages").rmdir()
    debian.run("apt-get", "remove", "-q", "-y", *NAMES)
    assert debian.path(CONFIGURATION).exists()
    assert not debian.path("/usr/lib/python3/dist-packages/cospot").exists()
    debian.run("dpkg", "--purge", "python3-cospot", "cospot-evictor")
    assert debian.find("*cospot*") == []
    for table in ("passwd", "group", "shadow"):
        assert "cospot" not in debian.path(f"/etc/{table}").read_text()
