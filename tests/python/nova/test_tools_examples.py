"""What examples/nova and docs/nova say is what the commands find good."""

import argparse
import re
from pathlib import Path

import pytest
from tool_cases import run

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs" / "nova"
EXAMPLES = ROOT / "examples" / "nova"
EVICTOR_USER = "cospot-evictor"


def test_the_doctor_finds_nothing_wrong_with_the_example(tmp_path, capsys):
    bus = tmp_path / "bus.conf"
    bus.write_text("[DEFAULT]\ntransport_url = rabbit://guest:guest@127.0.0.1:1/\n")
    example = ROOT / "examples" / "nova" / "nova.conf"
    assert run("doctor", "--offline", "--config-file", bus, "--config-file", example) == 0
    assert "15 ok, 0 unknown, 0 warnings, 0 errors" in capsys.readouterr().out


def test_nova_takes_the_example_file_of_a_compute(tmp_path):
    """64 vCPUs at a ratio of 4; 257,512 MiB less 512."""
    provider_config = pytest.importorskip("nova.compute.provider_config")
    text = (ROOT / "examples" / "nova" / "provider.yaml").read_text()
    (tmp_path / "cospot.yaml").write_text(text)
    (provider,) = provider_config.get_provider_configs(str(tmp_path)).values()
    rows = provider["inventories"]["additional"]
    totals = {name: row["total"] for item in rows for name, row in item.items()}
    assert totals == {
        "CUSTOM_SPOT_VCPU": 64 * 4,
        "CUSTOM_SPOT_MEMORY_MB": 257512 - 512,
        "CUSTOM_SPOT_DISK_GB": 1800,
    }


def test_the_example_file_is_what_the_command_writes():
    from cospot.nova.tools.inventory_command import provider_yaml

    totals = {
        "CUSTOM_SPOT_VCPU": (256, 64),
        "CUSTOM_SPOT_MEMORY_MB": (257000, 257000),
        "CUSTOM_SPOT_DISK_GB": (1800, 1800),
    }
    assert (ROOT / "examples" / "nova" / "provider.yaml").read_text() == provider_yaml(totals)


def test_every_check_of_the_doctor_is_in_the_documentation():
    from cospot.nova.tools.doctor.configuration_checks import configuration_checks

    text = (DOCS / "operating.md").read_text()
    names = [check.name for check in configuration_checks(None)]
    source = ROOT / "python" / "cospot" / "nova" / "tools" / "doctor"
    for file in ("notification_checks.py", "cloud_checks.py", "evictor_checks.py"):
        names += re.findall(r'Check\(\s*"([^"]+)"', (source / file).read_text())
    assert len(names) == 26
    documented = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", text, re.MULTILINE)
    assert [name for name in documented if name in names] == names


def options_of(parser):
    """Every option of a parser and of its commands."""
    found = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                found |= options_of(child)
    return found


def test_commands_in_the_documentation_have_the_options_they_are_given():
    from cospot.nova.tools.command import _parser

    known = options_of(_parser())
    given = set()
    for path in [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "examples" / "nova" / "README.md"]:
        for line in path.read_text().splitlines():
            _, found, rest = line.partition("cospot-nova ")
            if found:
                given |= set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest.partition("#")[0]))
    selling = (DOCS / "selling.md").read_text()
    given |= set(re.findall(r"^\| `(--[a-z-]+)", selling, re.MULTILINE))
    assert len(given) > 8
    assert given <= known, given - known


def test_the_evictor_s_user_has_one_name():
    """In Keystone, whose 401 would name no reason, and on the machine."""
    texts = [path.read_text() for path in [*DOCS.glob("*.md"), *EXAMPLES.glob("*.*")]]
    created, granted, configured, system = (
        [name for text in texts for name in re.findall(pattern, text, re.MULTILINE)]
        for pattern in (
            r"openstack user create .* (\S+)$",
            r"openstack role add .*--user (\S+)",
            r"^ *username *= *(\S+)$",
            r"(?:^useradd .* |^User=|^Group=|^install .*-g )(cospot\S*|\S+$)",
        )
    )
    assert created and granted and len(configured) >= 1 and len(system) >= 6
    assert {*created, *granted, *configured, *system} == {EVICTOR_USER}
    deployment = (ROOT / "tests" / "nova" / "deployment" / "identity.py").read_text()
    assert f'"{EVICTOR_USER}": ("admin",)' in deployment


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)", path.read_text()):
        assert target.startswith("http") or (path.parent / target).exists(), target
