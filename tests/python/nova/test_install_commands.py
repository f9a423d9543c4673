"""The commands of docs/nova's installation, pasted: below a folder in place of /, in their order.

What would change the machine or needs a cloud's command-line client is stood in for by scripts,
which look at what they find; mkdir, cp, cat and install are the real ones, and so is cospot-nova.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import textwrap
from pathlib import Path

import pytest
from programs import run_program
from tool_cases import cloud_for

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs" / "nova"
FENCE = re.compile(r"^( *)```sh\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
BEGUN_BY_PACKAGES = (
    "etc/systemd/system",
    "etc/nova",
    "etc/placement",
    "opt",
    "var/lib/kolla/venv/bin",
)

#: Name to script. `$R` is the folder in place of /; each call is a line of $R/calls.
STAND_INS = {
    "apt-get": "",
    "openstack": 'case "$*" in *"service list"*) echo h1 ;; esac',
    "editor": 'test -f "$1"',
    "useradd": 'echo "${!#}" >> "$R/users"',
    "ssh": 'shift; bash -e -c "$1"',
    # A wheel is given by its path; what a registry has by that name is not ours.
    "pip": """
for argument; do :; done
test -f "${argument%\\[nova\\]}"
""",
    "python3": """
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin"; cp "$R/bin/pip" "$3/bin/pip"; fi
""",
    # Only for a group that is there; here there is none.
    "install": """
words=()
while [ $# -gt 0 ]; do
  if [ "$1" = -g ]; then grep -qx "$2" "$R/users"; shift 2; else words+=("$1"); shift; fi
done
/usr/bin/install "${words[@]}"
""",
    "systemctl": """
units=$R/etc/systemd/system
case "$*" in
  "restart nova-compute") grep -q CUSTOM_SPOT_VCPU "$R/etc/nova/provider_config/cospot.yaml" ;;
  "restart nova-scheduler nova-api")
    grep -q PYTHONPATH "$units/nova-scheduler.service.d/cospot.conf"
    grep -q CospotFilter "$R/etc/nova/nova.conf"
    grep -q "count_usage_from_placement = true" "$R/etc/nova/nova.conf" ;;
  "enable --now cospot-evictor") grep -q User= "$units/cospot-evictor.service"
    grep -q "^dry_run = true" "$R/etc/cospot/cospot-evictor.conf" ;;
  "reload cospot-evictor") grep -q "^dry_run = false" "$R/etc/cospot/cospot-evictor.conf" ;;
esac
""",
    "cospot-nova": f"""
more=()
case "$*" in
  doctor* | "setup --check"* | "setup --apply --open"*) exit 0 ;;  # they have tests of their own
  setup*) more=(--evictor-config-file "$R/etc/cospot/cospot-evictor.conf") ;;
esac
PYTHONPATH={shlex.quote(os.pathsep.join(filter(None, sys.path)))} \\
  {shlex.quote(sys.executable)} -m cospot.nova.tools.command "$@" "${{more[@]}}"
""",
}


@pytest.fixture
def cloud(monkeypatch):
    with cloud_for(monkeypatch) as stand_in:
        sizes = {"VCPU": {"total": 8}, "MEMORY_MB": {"total": 512}, "DISK_GB": {"total": 9}}
        stand_in.add_host("h1", inventories=sizes)
        stand_in.add_flavor("m1.large", 4, 8192, 80)
        yield stand_in


@pytest.fixture
def paste(tmp_path, cloud):
    """Run commands as pasted by root in a clone; return the folder in place of /."""
    machine, clone = tmp_path / "machine", tmp_path / "clone"
    for folder in (*BEGUN_BY_PACKAGES, "bin"):
        (machine / folder).mkdir(parents=True)
    (machine / "etc" / "nova" / "nova.conf").write_text("[DEFAULT]\nhost = h1\n")
    for name, text in STAND_INS.items():
        script = machine / "bin" / name
        script.write_text(f'#!/bin/bash -e\necho "{name} $*" >> "$R/calls"\n{text.strip()}\n')
        script.chmod(0o755)
    kolla = machine / "var" / "lib" / "kolla" / "venv" / "bin" / "pip"
    kolla.write_bytes((machine / "bin" / "pip").read_bytes())
    kolla.chmod(0o755)
    (clone / "wheels").mkdir(parents=True)
    (clone / "wheels" / "cospot-0-cp311-cp311-linux_x86_64.whl").touch()
    for name in ("docs", "examples"):
        (clone / name).symlink_to(ROOT / name)

    def run(commands: str) -> Path:
        commands = re.sub(r"(?<![\w./$-])/(etc|opt|var)/", rf"{machine}/\1/", commands)
        path = f"{machine}/bin:{os.environ['PATH']}"
        bash = ("/bin/bash", "-e", "-u", "-c", f"umask 022\n{commands}")
        done = run_program(*bash, cwd=clone, env={**os.environ, "R": machine, "PATH": path})
        assert done.returncode == 0, done.stdout + done.stderr
        assert "No such file" not in done.stderr
        return machine

    return run


def commands_of(name: str, *, after: str, until: str) -> str:
    """The sh blocks of a part of a document, in their order."""
    text = (DOCS / name).read_text()
    text = text[text.index(after) : text.index(until)]
    return "\n".join(textwrap.dedent(found[2]) for found in FENCE.finditer(text))


def ten_steps() -> str:
    return commands_of("README.md", after="## Ten steps", until="## See it work")


def check_evictor(machine: Path) -> None:
    config = machine / "etc" / "cospot" / "cospot-evictor.conf"
    assert config.stat().st_mode & 0o777 == 0o640  # it holds a password
    assert config.parent.stat().st_mode & 0o777 == 0o755
    unit = machine / "etc" / "systemd" / "system" / "cospot-evictor.service"
    assert unit.stat().st_mode & 0o777 == 0o644
    calls = (machine / "calls").read_text().splitlines()
    assert "systemctl enable --now cospot-evictor" in calls
    (started,) = re.findall(r"^ExecStart=.* --config-file (\S+)$", unit.read_text(), re.MULTILINE)
    assert machine / started[1:] == config
    (user,) = re.findall(r"^User=(\S+)$", unit.read_text(), re.MULTILINE)
    assert user in (machine / "users").read_text().splitlines()


def test_the_ten_steps(paste, cloud):
    machine = paste(ten_steps())
    check_evictor(machine)
    spot = cloud.flavor("spot.m1.large")
    assert spot["extra_specs"]["resources:CUSTOM_SPOT_VCPU"] == "4"
    assert not spot["os-flavor-access:is_public"]  # until --open
    assert cloud.roles == {"id-of-cospot-evictor": ["cospot_evictor"]}
    inventories = machine / "etc" / "nova" / "provider_config" / "cospot.yaml"
    assert "total: 8" in inventories.read_text()
    dropin = machine / "etc" / "systemd" / "system" / "cospot-evictor.service.d" / "cospot.conf"
    assert "\nExecStart=\nExecStart=/opt/cospot/bin/cospot-evictor " in dropin.read_text()
    calls = (machine / "calls").read_text()
    for command in ("restart nova-compute", "restart nova-scheduler nova-api", "daemon-reload"):
        assert f"systemctl {command}\n" in calls
    order = ["nova-scheduler nova-api", "setup --apply --config", "enable --now cospot-evictor"]
    order += ["reload cospot-evictor", "setup --check", "setup --apply --open", "doctor", "status"]
    places = [calls.index(command) for command in order]
    assert places == sorted(places)


def test_the_installation_in_full(paste):
    check_evictor(
        paste(commands_of("install.md", after="## Other packages of Nova", until="## Ansible"))
    )


def test_every_file_that_a_command_takes_is_in_the_repository():
    texts = [path.read_text() for path in DOCS.glob("*.md")]
    taken = {name for text in texts for name in re.findall(r"(?<= )examples/nova/[\w./*-]+", text)}
    assert len(taken) >= 4
    for name in taken:
        assert list(ROOT.glob(name)), name


def test_pip_is_given_a_wheel_and_never_a_name():
    for path in [*DOCS.glob("*.md"), ROOT / "README.md"]:
        for line in re.findall(r"pip3? install .*", path.read_text()):
            assert "cospot" not in line or "wheels/cospot-*.whl" in line, f"{path.name}: {line}"
