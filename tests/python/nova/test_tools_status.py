"""`cospot-nova status`, against sums worked out by hand and the evictor's own audit log."""

import json

import pytest
from tool_cases import cloud_for, run

VM = {"VCPU": 4, "MEMORY_MB": 1024, "DISK_GB": 10}
SPOT = {"CUSTOM_SPOT_VCPU": 6, "CUSTOM_SPOT_MEMORY_MB": 512}


@pytest.fixture
def cloud(monkeypatch):
    with cloud_for(monkeypatch) as stand_in:
        size = {
            "VCPU": {"total": 8, "allocation_ratio": 2.0},
            "MEMORY_MB": {"total": 4096, "reserved": 96},
            "DISK_GB": {"total": 50},
        }
        stand_in.add_host("h1", inventories=size, allocations={"a": VM, "b": VM, "c": SPOT})
        stand_in.add_host(
            "h2", inventories=size, allocations={"d": VM, "e": SPOT, "f": SPOT, "g": SPOT}
        )
        stand_in.add_host("h3", inventories=size)
        stand_in.aggregates = [
            {"name": "fast", "hosts": ["h2", "h3"]},
            {"name": "all but one", "hosts": ["h1", "h2"]},
        ]
        yield stand_in


@pytest.fixture
def audit(tmp_path):
    """A log written by the service's own class."""
    pytest.importorskip("oslo_log")
    pytest.importorskip("prometheus_client")
    from cospot.nova.state.records import AuditLog

    path = tmp_path / "audit.jsonl"
    log = AuditLog(str(path))

    def write(event, instance, **fields):
        known = {"instance": instance, "name": f"job {instance}", "host": "h1", "cause": "plan"}
        log.write(event, **known, **fields)

    write.path = path
    return write


def status(capsys, *arguments):
    assert run("status", "--format", "json", *arguments) == 0
    return json.loads(capsys.readouterr().out)


def amounts(capacity, vms, spots, overcommit):
    return {"capacity": capacity, "vms": vms, "spots": spots, "overcommit": overcommit}


def test_who_holds_an_overcommitted_host_for_a_resize_is_named(cloud, capsys, said):
    """h2 is short of 6 vCPUs; e holds 6 of it for a server that is elsewhere. h1 has enough."""
    row = {"instance_uuid": "s1", "status": "finished"}
    cloud.migrations = [
        {**row, "uuid": "e", "source_compute": "h2"},
        {**row, "uuid": "c", "source_compute": "h1"},
        {**row, "uuid": "long gone", "source_compute": "h2"},
    ]
    cloud.servers.append({"id": "s1", "tenant_id": "blue", "status": "VERIFY_RESIZE"})
    assert status(capsys)["unconfirmed_resizes"] == [
        {"host": "h2", "server": "s1", "project_id": "blue", "holds": SPOT}
    ]
    alarm = said("status").splitlines()[0]
    assert alarm.startswith("ALARM: host h2 is overcommitted and holds {'CUSTOM_SPOT_VCPU': 6,")
    assert "for server s1 (project blue), whose resize is not confirmed" in alarm


def test_use_of_hosts_aggregates_and_all(cloud, capsys, tmp_path):
    found = status(capsys)
    hosts = {host["name"]: host for host in found["hosts"]}
    assert list(hosts) == ["h1", "h2", "h3"]
    # h1: 8 * 2.0 vCPUs; 2 VMs of 4, one spot of 6. h2: 4 + 3 * 6 - 16 = 6 too many
    assert hosts["h1"]["vcpus"] == amounts(16, 8, 6, 0)
    assert hosts["h2"]["vcpus"] == amounts(16, 4, 18, 6)
    assert hosts["h1"]["memory_mb"] == amounts(4000, 2048, 512, 0)
    assert hosts["h1"]["disk_gb"] == amounts(50, 20, 0, 0)
    assert (hosts["h2"]["vms"], hosts["h2"]["spots"]) == (1, 3)
    assert found["total"]["vcpus"] == amounts(48, 12, 24, 6)
    assert found["total"]["hosts"] == 3
    groups = {group["name"]: group for group in found["aggregates"]}
    assert list(groups) == ["all but one", "fast"]
    assert groups["all but one"]["vcpus"] == amounts(32, 12, 24, 6)
    assert groups["fast"]["vcpus"] == amounts(32, 4, 18, 6)
    assert found["evictions"] == []


def test_one_aggregate(cloud, capsys):
    found = status(capsys, "--aggregate", "fast")
    assert [host["name"] for host in found["hosts"]] == ["h2", "h3"]
    assert [group["name"] for group in found["aggregates"]] == ["fast"]
    assert found["total"]["hosts"] == 2
    assert run("status", "--aggregate", "slow") == 2
    assert "'slow': expected one of: all but one, fast" in capsys.readouterr().err


def test_hosts_in_no_aggregate_have_a_sum_of_their_own(cloud, capsys):
    del cloud.aggregates[1]
    groups = {group["name"]: group for group in status(capsys)["aggregates"]}
    assert groups["(none)"]["vcpus"] == amounts(16, 8, 6, 0)


def test_the_table(cloud, said, audit):
    audit("intent", "s1", for_instance="v1")
    audit("freed", "s1", for_instance="v1", seconds=0.83)
    lines = said("status", "--audit-log", audit.path).splitlines()
    assert lines[0].split()[:4] == ["host", "vms", "spots", "vcpus"]
    assert lines[2].split() == ["h2", "1", "3", "16", "4", "18", "6", "4000", "1024", "1536", "0"]
    assert lines[4].split()[0] == "total"
    assert lines[-1].split()[1:] == ["s1", "job", "s1", "h1", "plan", "v1", "freed", "0.8"]


def test_evictions_newest_first_in_their_last_state(cloud, capsys, audit):
    audit("intent", "s1", for_instance="v1")
    audit("refused", "v9", reason="not a spot")
    audit("intent", "s2", for_instance=None)
    audit("freed", "s1", seconds=1.25)
    audit("failed", "s2", error="500")
    audit("would_evict", "s3")
    audit("freed", "s0", seconds=1)  # its order was in the log before it was rotated
    found = status(capsys, "--audit-log", audit.path)["evictions"]
    assert [(one["instance"], one["state"], one["seconds"]) for one in found] == [
        ("s3", "dry run", None),
        ("s2", "failed", None),
        ("s1", "freed", 1.25),
    ]
    assert (found[1]["for_instance"], found[2]["for_instance"]) == ("", "v1")
    assert len(status(capsys, "--audit-log", audit.path, "--evictions", "1")["evictions"]) == 1


def test_a_damaged_log_is_read_as_far_as_it_goes(cloud, capsys, audit):
    audit("intent", "s1")
    with audit.path.open("ab") as file:
        file.write(
            b"[" * 100_000 + b'{"cut\n[1, 2]\n\xff\xfe\n"text"\n{"event": {}}\n{"event": "intent"'
        )
    found = status(capsys, "--audit-log", audit.path)["evictions"]
    assert [one["instance"] for one in found] == ["s1"]


def test_the_log_is_where_the_evictor_s_configuration_says(cloud, capsys, audit, tmp_path):
    audit("intent", "s1")
    config = tmp_path / "evictor.conf"
    config.write_text(f"[cospot_evictor]\nstate_path = {tmp_path}\n")
    found = status(capsys, "--evictor-config-file", config)["evictions"]
    assert [one["instance"] for one in found] == ["s1"]


def test_a_host_that_placement_does_not_know_is_said(cloud, capsys):
    cloud.add_host("new")
    assert run("status") == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("new: left out: placement: GET /resource_providers/")
    assert "new" not in captured.out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--audit-log", "/nowhere/audit.jsonl"], "no audit log at /nowhere/audit.jsonl here"),
        (["--audit-log", "/dev/null/audit.jsonl"], "audit.jsonl: cannot be read: Not a directory"),
        (["--audit-log", "/"], "audit log /: cannot be read: Is a directory"),
        (["--audit-log", "x" * 5000], ": File name too long"),
        (["--evictor-config-file", "/nowhere"], "/nowhere"),
    ],
)
def test_an_unreadable_file_is_an_error_after_the_table(cloud, capsys, arguments, text):
    assert run("status", *arguments) == 2
    captured = capsys.readouterr()
    assert captured.out.splitlines()[4].split()[0] == "total"
    assert captured.err.startswith("cospot-nova: error: ") and text in captured.err
    assert len(captured.err.splitlines()) == 1


def test_bad_usage_is_one_error(cloud, said):
    error = said("status", "--evictions", "-1", code=2)
    assert "'-1', expected a whole number from 0 to 1000000" in error


@pytest.fixture
def evictor_config(monkeypatch, tmp_path):
    """The configuration of the service where it looks by itself, and its state in tmp_path."""
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / ".cospot" / "cospot-evictor.conf"
    path.parent.mkdir()
    path.write_text(f"[cospot_evictor]\nstate_path = {tmp_path}\n")
    return path


def test_a_log_on_another_machine_is_no_empty_log(cloud, capsys, said, evictor_config, tmp_path):
    log = tmp_path / "audit.jsonl"
    assert run("status") == 0
    captured = capsys.readouterr()
    where = f"there is no audit log at {log} here"
    last = captured.out.splitlines()[-1]
    assert last == f"{where}: evictions are shown where cospot-evictor runs"
    assert captured.err == "" and "no evictions" not in captured.out
    assert status(capsys)["audit_log"] == {"path": str(log), "problem": where}

    log.touch()
    assert said("status").splitlines()[-1] == "no evictions in the audit log"
    assert status(capsys)["audit_log"] == {"path": str(log), "problem": None}


def test_a_log_that_cannot_be_read_does_not_hide_the_hosts(cloud, capsys, evictor_config, tmp_path):
    log = tmp_path / "audit.jsonl"
    log.mkdir()  # what this user may not read is the same to it; root may read all
    assert run("status") == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[4].split()[0] == "total"
    assert "no evictions" not in captured.out
    problem = f"audit log {log}: cannot be read: Is a directory"
    assert captured.err == f"cospot-nova: {problem}; evictions are left out\n"

    assert run("status", "--format", "json") == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (found["total"]["hosts"], found["evictions"]) == (3, [])
    assert found["audit_log"] == {"path": str(log), "problem": problem}
    assert problem in captured.err


@pytest.mark.parametrize("text", ["no group\n", "[cospot_evictor]\naudit_log = $nothing/a\n"])
def test_a_wrong_configuration_does_not_hide_the_hosts(cloud, capsys, evictor_config, text):
    evictor_config.write_text(text)
    assert run("status") == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[4].split()[0] == "total"
    assert captured.err.startswith("cospot-nova: ") and "; evictions are left out" in captured.err


def test_disk_is_shown_where_spots_share_it_with_vms(cloud, capsys, said):
    disk = {"DISK_GB": {"total": 1028}, "CUSTOM_SPOT_DISK_GB": {"total": 1028}}
    half = {"VCPU": {"total": 8}, "MEMORY_MB": {"total": 4096}}
    vm = {"VCPU": 1, "MEMORY_MB": 1, "DISK_GB": 900}
    spot = {"CUSTOM_SPOT_VCPU": 1, "CUSTOM_SPOT_MEMORY_MB": 1, "CUSTOM_SPOT_DISK_GB": 900}
    cloud.add_host("local", inventories={**half, **disk}, allocations={"v": vm, "s": spot})
    # More of VMs than there is, of a disk that spots have no part of
    cloud.add_host("shared", inventories={**half, "DISK_GB": {"total": 800}}, allocations={"w": vm})
    lines = said("status").splitlines()
    assert lines[0].split()[-6:] == ["disk_gb", "of", "vms", "of", "spots", "over"]
    rows = {line.split()[0]: line.split()[-4:] for line in lines[1:] if line}
    assert rows["local"] == ["1028", "900", "900", "772"]  # 900 + 900 - 1028
    assert rows["shared"] == ["800", "900", "0", "0"]
    # h1, h2 and h3: 50 each, of which 3 VMs have 10 each
    assert rows["total"] == ["1978", "1830", "900", "772"]
    assert rows["fast"] == ["100", "10", "0", "0"]
    hosts = {host["name"]: host for host in status(capsys)["hosts"]}
    assert hosts["local"]["disk_gb"] == amounts(1028, 900, 900, 772)


def test_a_service_that_fails_is_one_error(cloud, said):
    cloud.failing["GET /compute/os-aggregates"] = 403
    error = said("status", code=2)
    assert error.startswith("cospot-nova: error: compute: GET /os-aggregates: ")


@pytest.mark.parametrize("text", ["<html>", "[]", "{}", ""])
def test_an_answer_of_something_else_is_one_error(cloud, said, text):
    cloud.failing["GET /compute/os-aggregates"] = text
    error = said("status", code=2)
    assert "expected an object with 'aggregates', found" in error
    assert "is this the right service at http://127.0.0.1:" in error


def test_credentials_of_a_section(cloud, monkeypatch, said, tmp_path):
    """Without OS_* the service user of a configuration file is used."""
    for name in cloud.environment():
        monkeypatch.delenv(name)
    config = tmp_path / "nova.conf"
    config.write_text(
        "[keystone_authtoken]\nauth_type = password\nusername = nova\npassword = secret\n"
        f"auth_url = {cloud.url}/identity/v3\nproject_name = service\n"
        "user_domain_id = default\nproject_domain_id = default\n"
    )
    assert "total" in said("status", "--config-file", config)
    config.write_text("[keystone_authtoken]\nauth_type = nothing\n")
    assert "credentials of [keystone_authtoken]" in said("status", "--config-file", config, code=2)
    config.write_text("")
    assert "no credentials: expected --os-cloud" in said("status", "--config-file", config, code=2)


@pytest.fixture
def state(tmp_path):
    """The folder of a service, and its configuration."""
    pytest.importorskip("keystoneauth1", reason="needs python3-keystoneauth1")
    pytest.importorskip("oslo_log", reason="needs python3-oslo.log")
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "audit.jsonl").touch()
    config = tmp_path / "cospot-evictor.conf"
    config.write_text(f"[cospot_evictor]\nstate_path = {folder}\n")
    return folder, str(config)


def test_a_host_that_frees_nothing_is_an_alarm(cloud, capsys, said, state):
    from cospot.nova.state.stores import StalledHostStore

    folder, config = state
    store = StalledHostStore(str(folder))
    assert status(capsys, "--evictor-config-file", config)["stalled_hosts"] == []
    store.put("provider-1", "h1", ["s1", "s2"])
    (alarm,) = status(capsys, "--evictor-config-file", config)["stalled_hosts"]
    assert (alarm["host"], alarm["spots"]) == ("h1", ["s1", "s2"])
    first = said("status", "--evictor-config-file", config).splitlines()[0]
    assert first.startswith("ALARM: host h1 frees nothing since ")
    assert "To be gone: s1, s2." in first
    store.remove("provider-1")
    assert "ALARM" not in said("status", "--evictor-config-file", config)


def test_a_folder_that_is_not_for_this_user_is_said(cloud, capsys, state, monkeypatch):
    from cospot.nova.state.stores import StalledHostStore

    def refuse(self):
        raise PermissionError(13, "Permission denied", "/state/stalled")

    monkeypatch.setattr(StalledHostStore, "all", refuse)
    assert run("status", "--evictor-config-file", state[1]) == 0
    said = capsys.readouterr().err
    assert "/state/stalled: cannot be read: Permission denied; whether hosts free nothing" in said
