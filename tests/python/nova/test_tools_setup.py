"""`cospot-nova setup`: what is missing, in a safe order, and what it does about it."""

import pytest
from cospot.nova.tools.doctor import evictor_checks
from cospot.nova.tools.service_user import ServiceUser
from doctor_cases import GOOD_EVICTOR, configure, good_cloud, write_private
from tool_cases import run

DISK = "VCPU,MEMORY_MB,DISK_GB"


@pytest.fixture
def cloud(monkeypatch):
    with good_cloud(monkeypatch) as made:
        made.delete_spot_flavor = lambda: made.flavors.remove(made.flavor("spot.m1"))
        made.delete_spot_flavor()
        yield made


@pytest.fixture
def setup(cloud, tmp_path, capsys):
    """Run it with changes of nova.conf and options of the evictor; return exit code and lines."""
    evictor = tmp_path / "cospot-evictor.conf"
    user = {
        "auth_type": "password",
        "auth_url": f"{cloud.url}/identity/v3",
        "username": "cospot-evictor",
        "password": "its own",
        "project_name": "service",
        "user_domain_name": "Default",
        "project_domain_name": "Default",
    }

    def run_setup(*arguments, changes=None, options="", section=user):
        lines = [f"{key} = {value}" for key, value in section.items()]
        text = [GOOD_EVICTOR, "[nova]", *lines, "[cospot_evictor]", options, ""]
        write_private(evictor, "\n".join(text))
        capsys.readouterr()
        code = run(
            *("setup", *arguments),
            *("--config-file", configure(tmp_path / "nova.conf", changes)),
            *("--evictor-config-file", evictor, "--evictor-metrics", f"{cloud.url}/metrics"),
        )
        printed = capsys.readouterr()
        return code, printed.out.splitlines() + printed.err.splitlines()

    return run_setup


def states(lines):
    """Step to its states, in their order."""
    found = {}
    for line in lines:
        if not line.startswith(" "):
            state, _, rest = line.partition(" ")
            found.setdefault(rest.strip().partition(":")[0], []).append(state)
    return found


def test_check_says_what_is_missing_and_changes_nothing(cloud, setup):
    cloud.requests.clear()
    code, lines = setup("--check", "--flavor", "m1", "--open")
    assert code == 1
    assert states(lines) == {
        "inventories": ["ok"],
        "scheduler": ["ok"],
        "evictor's user": ["missing", "missing"],
        "evictor": ["ok"],
        "spot flavors": ["missing"],
        "open to tenants": ["missing"],
    }
    assert list(states(lines)) == [
        "inventories", "scheduler", "evictor's user", "evictor", "spot flavors", "open to tenants",
    ]  # fmt: skip
    changing = {one for one in cloud.requests if not one.startswith("GET")}
    assert changing == {"POST /identity/v3/auth/tokens"}


def test_apply_makes_the_user_and_a_flavor_for_nobody_then_opens_it(cloud, setup):
    code, lines = setup("--apply", "--flavor", "m1")
    assert code == 0
    assert "done     evictor's user: user cospot-evictor" in lines
    assert "done     evictor's user: role cospot_evictor" in lines
    assert "done     evictor's user: role cospot_evictor on the project service" in lines
    spot = cloud.flavor("spot.m1")
    assert spot["os-flavor-access:is_public"] is False and cloud.access == {}
    assert spot["extra_specs"]["resources:CUSTOM_SPOT_VCPU"] == "2"
    assert cloud.users["cospot-evictor"]["password"] == "its own"
    assert cloud.roles == {"id-of-cospot-evictor": ["cospot_evictor"]}

    assert setup("--check", "--flavor", "m1") == (0, [f"ok       {name}" for name in states(lines)])
    code, lines = setup("--check", "--flavor", "m1", "--open")
    assert code == 1
    assert lines[-1] == ("missing  open to tenants: spot.m1 is not open to those who may use m1")
    code, lines = setup("--apply", "--flavor", "m1", "--open")
    assert (code, lines[-1]) == (
        0,
        "done     open to tenants: spot.m1, open to those who may use m1",
    )
    opened = cloud.flavor("spot.m1")
    assert opened == {**spot, "os-flavor-access:is_public": True}  # its id too
    for mode in ("--check", "--apply"):  # again and again
        before = list(cloud.flavors)
        code, lines = setup(mode, "--flavor", "m1", "--open")
        assert code == 0 and all(found == ["ok"] for found in states(lines).values())
        assert cloud.flavors == before


def test_the_spot_flavor_of_a_private_one_is_opened_to_the_same_projects(cloud, setup):
    base = cloud.add_flavor("gold", 2, 2048, is_public=False)
    cloud.access[base["id"]] = ["p1", "p2"]
    setup("--apply", "--flavor", "gold")
    spot = cloud.flavor("spot.gold")["id"]
    assert spot not in cloud.access
    assert setup("--apply", "--flavor", "gold", "--open")[0] == 0
    assert cloud.access[spot] == ["p1", "p2"]
    cloud.access[base["id"]].append("p3")
    assert setup("--apply", "--flavor", "gold", "--open")[0] == 0
    assert cloud.access[spot] == ["p1", "p2", "p3"]


@pytest.mark.parametrize(
    ("changes", "options", "step", "lines"),
    [
        ({("filter_scheduler", "enabled_filters"): "ComputeFilter"}, "", "scheduler",
         ["[filter_scheduler]", "enabled_filters = ComputeFilter,CospotFilter"]),
        ({("quota", "count_usage_from_placement"): None}, "", "scheduler",
         ["[quota]", "then: systemctl restart nova-scheduler nova-api"]),
        ({("cospot", "dry_run"): "true"}, "", "scheduler", ["dry_run = false"]),
        (None, "dry_run = true", "evictor", ["[cospot_evictor]", "dry_run = false"]),
        (None, "enabled = false", "evictor", ["enabled = true"]),
        (None, f"resources = {DISK}", "evictor", ["resources = VCPU,MEMORY_MB"]),
    ],
)  # fmt: skip
def test_nothing_is_opened_while_anything_is_missing(cloud, setup, changes, options, step, lines):
    setup("--apply", "--flavor", "m1")
    code, printed = setup("--apply", "--flavor", "m1", "--open", changes=changes, options=options)
    assert code == 1
    assert states(printed)[step][0] == "missing"
    stripped = [line.strip() for line in printed]
    assert all(line in stripped for line in lines)
    assert printed[-1].endswith(f"not before this is done: {step}")
    assert cloud.flavor("spot.m1")["os-flavor-access:is_public"] is False
    # Without --open what is left is for a human, and said.
    assert setup("--apply", "--flavor", "m1", changes=changes, options=options)[0] == 0


def test_an_option_is_printed_as_a_line_of_its_file_and_a_remark_as_a_comment(setup, tmp_path):
    _, lines = setup("--check", changes={("filter_scheduler", "weight_classes"): None})
    at = next(i for i, line in enumerate(lines) if line.startswith("missing  scheduler: weigher"))
    assert [line.strip() for line in lines[at + 1 : at + 5]] == [
        f"in {tmp_path / 'nova.conf'}:",
        "[filter_scheduler]",
        "# to keep the weighers of before, name them in [cospot] vm_weighers and set vm_policy ="
        " nova",
        "weight_classes = cospot.nova.scheduler.weigher.CospotWeigher",
    ]


def test_nothing_is_opened_while_no_evictor_listens(cloud, setup, monkeypatch):
    setup("--apply", "--flavor", "m1")
    monkeypatch.setattr(evictor_checks, "queue_state", lambda settings, queue: (0, 0))
    code, lines = setup("--apply", "--flavor", "m1", "--open")
    assert code == 1 and states(lines)["evictor"] == ["missing"]
    assert cloud.flavor("spot.m1")["os-flavor-access:is_public"] is False


def test_a_flavor_with_a_disk_wants_disk_counted_on_both_sides(cloud, setup, tmp_path):
    cloud.add_flavor("large", 2, 2048, 20)
    for provider in cloud.providers.values():
        disk = {**provider["inventories"]["MEMORY_MB"], "reserved": 0, "allocation_ratio": 1.0}
        provider["inventories"].update(DISK_GB=disk, CUSTOM_SPOT_DISK_GB=disk)
    code, lines = setup("--check", "--flavor", "large")
    assert code == 1
    for step, section, file in (
        ("scheduler", "[cospot]", "nova.conf"),
        ("evictor", "[cospot_evictor]", "cospot-evictor.conf"),
    ):
        at = lines.index(
            f"missing  {step}: the spot flavors have disks, but {section} resources lacks DISK_GB"
        )
        expected = [f"in {tmp_path / file}:", section, f"resources = {DISK}"]
        assert [line.strip() for line in lines[at + 1 : at + 4]] == expected
    both = {"changes": {("cospot", "resources"): DISK}, "options": f"resources = {DISK}"}
    setup("--apply", "--flavor", "large", **both)
    assert setup("--apply", "--flavor", "large", "--open", **both)[0] == 0
    assert cloud.flavor("spot.large")["extra_specs"]["resources:CUSTOM_SPOT_DISK_GB"] == "20"
    cloud.flavors.remove(cloud.flavor("spot.large"))
    # Nobody is told to take DISK_GB from the side that has it, to agree with the other.
    for half in ({"changes": both["changes"]}, {"options": both["options"]}):
        _, lines = setup("--check", "--flavor", "large", **half)
        told = {line.strip() for line in lines if line.strip().startswith("resources =")}
        assert told == {f"resources = {DISK}"}
    _, lines = setup("--check", "--flavor", "large", "--without-disk")
    assert states(lines)["scheduler"] == ["ok"]


def test_a_user_with_another_password_is_left_to_a_human(cloud, setup):
    cloud.users["cospot-evictor"] = {"id": "there", "password": "another"}
    code, lines = setup("--apply")
    assert code == 0
    assert "done     evictor's user: role cospot_evictor on the project service" in lines
    code, lines = setup("--check")
    assert code == 1 and set(states(lines)["evictor's user"]) == {"missing"}
    at = next(i for i, line in enumerate(lines) if line.startswith("missing  evictor's user"))
    assert "openstack user set --password-prompt cospot-evictor" in lines[at + 1]


def test_policy_files_that_do_not_let_the_role_in_are_said(cloud, setup, monkeypatch):
    monkeypatch.setattr(ServiceUser, "problem", lambda self: "nova GET /os-hypervisors: 403")
    _, lines = setup("--apply")
    assert "done     evictor's user: role cospot_evictor on the project service" in lines
    at = next(i for i, line in enumerate(lines) if line.startswith("missing  evictor's user"))
    assert "must let the role cospot_evictor in" in lines[at] and "403" in lines[at]
    assert lines[at + 1].strip().startswith("cat examples/nova/nova-policy.yaml >>")
    assert lines[at + 2].strip().startswith("cat examples/nova/placement-policy.yaml >>")
    assert lines[at + 3].strip().startswith("cat examples/nova/cinder-policy.yaml >>")


def test_the_user_gets_the_role_admin_if_asked_to(cloud, setup):
    _, lines = setup("--apply", "--role", "admin")
    assert "done     evictor's user: role admin on the project service" in lines
    assert "policy files" not in "\n".join(lines)
    assert cloud.roles == {"id-of-cospot-evictor": ["admin"]}


def test_an_application_credential_is_its_owner_s(cloud, setup):
    section = {
        "auth_type": "v3applicationcredential",
        "auth_url": f"{cloud.url}/identity/v3",
        "application_credential_id": "i",
        "application_credential_secret": "s",
    }
    _, lines = setup("--apply", section=section)
    assert "missing  evictor's user: the application credential cannot" in "\n".join(lines)
    assert "cospot-evictor" not in cloud.users


def test_an_evictor_s_file_without_a_user_is_said(cloud, setup):
    code, lines = setup("--apply", section={"auth_type": "password"})
    assert code == 0
    assert "lacks username, password, project_name" in "\n".join(lines)
    assert "cospot-evictor" not in cloud.users


def test_what_cannot_be_is_one_error(cloud, setup, capsys):
    assert run("setup") == 2
    assert run("setup", "--check", "--apply") == 2
    capsys.readouterr()
    assert setup("--apply", "--open")[0] == 2
    assert setup("--check", "--flavor", "none")[0] == 2
    cloud.add_flavor("spot.m1", 9, 9)  # of another size
    assert setup("--check", "--flavor", "m1")[0] == 2
