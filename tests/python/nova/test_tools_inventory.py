"""`cospot-nova inventory`: files that Nova's own loader takes."""

import os

import pytest
from nova.compute import provider_config
from tool_cases import run


@pytest.fixture
def cloud(empty_cloud):
    return empty_cloud


def load(folder):
    """What Nova's compute service reads from the folder: class to inventory."""
    providers = provider_config.get_provider_configs(str(folder))
    assert list(providers) == ["$COMPUTE_NODE"]
    rows = providers["$COMPUTE_NODE"]["inventories"]["additional"]
    return {name: row for item in rows for name, row in item.items()}


def test_totals_are_what_vms_may_use(cloud, tmp_path, said):
    cloud.add_host("other", inventories={})
    cloud.add_host(
        "h1",
        inventories={
            "VCPU": {"total": 64, "reserved": 4, "allocation_ratio": 4.0},
            "MEMORY_MB": {"total": 1000, "reserved": 1, "allocation_ratio": 1.5},
            "DISK_GB": {"total": 500, "reserved": 0, "allocation_ratio": 1.0},
        },
    )
    path = tmp_path / "cospot.yaml"
    assert "restart nova-compute" in said("inventory", "--host", "h1", "-o", path)
    found = load(tmp_path)
    # (64 - 4) * 4 vCPUs, at most the 64 of the machine for one; (1000 - 1) * 1.5 = 1498.5 MiB
    totals = {name: (row["total"], row["max_unit"]) for name, row in found.items()}
    assert totals == {
        "CUSTOM_SPOT_VCPU": (240, 64),
        "CUSTOM_SPOT_MEMORY_MB": (1498, 1000),
        "CUSTOM_SPOT_DISK_GB": (500, 500),
    }
    for row in found.values():
        assert (row["reserved"], row["allocation_ratio"], row["min_unit"]) == (0, 1.0, 1)
    assert path.stat().st_mode & 0o777 == 0o644
    assert [file.name for file in tmp_path.iterdir()] == ["cospot.yaml"]


def test_the_host_is_that_of_the_configuration(cloud, tmp_path):
    size = {"VCPU": {"total": 8}, "MEMORY_MB": {"total": 512}}
    cloud.add_host("other", inventories={"VCPU": {"total": 1}, "MEMORY_MB": {"total": 1}})
    cloud.add_host("mine", inventories=size)
    config = tmp_path / "nova.conf"
    config.write_text("[DEFAULT]\nhost = mine\n")
    folder = tmp_path / "providers"
    folder.mkdir()
    assert run("inventory", "--config-file", config, "-o", folder / "cospot.yaml") == 0
    assert load(folder)["CUSTOM_SPOT_VCPU"]["total"] == 8


def test_totals_can_be_given_without_any_cloud(monkeypatch, tmp_path, said):
    monkeypatch.delenv("OS_AUTH_URL", raising=False)
    (tmp_path / "given.yaml").write_text(said("inventory", "--vcpus", "8", "--memory-mb", "4096"))
    found = load(tmp_path)
    assert {name: row["total"] for name, row in found.items()} == {
        "CUSTOM_SPOT_VCPU": 8,
        "CUSTOM_SPOT_MEMORY_MB": 4096,
    }


def test_shared_storage_is_said(cloud, capsys):
    cloud.add_host("h1", inventories={"VCPU": {"total": 8}, "MEMORY_MB": {"total": 512}})
    assert run("inventory", "--host", "h1") == 0
    captured = capsys.readouterr()
    assert "CUSTOM_SPOT_DISK_GB" not in captured.out
    assert "no DISK_GB" in captured.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--host", "h9"], "host 'h9': not found, expected one of: empty, h1, unknown"),
        (["--host", "empty"], "empty: placement has no VCPU of empty.example"),
        (["--host", "unknown"], "placement: GET /resource_providers/"),
        (["--vcpus", "8"], "expected both --vcpus and --memory-mb"),
        (["--vcpus", "-1", "--memory-mb", "1"], "'-1', expected a whole number from 1 to 2147483"),
        (["--vcpus", "0", "--memory-mb", "0"], "'0', expected a whole number from 1"),
        (["--vcpus", "8", "--memory-mb", "2147483648"], "'2147483648', expected a whole number"),
        (["--vcpus", "9" * 5000, "--memory-mb", "1"], f"'{'9' * 60}...', expected a whole number"),
        (["--host", "h1", "-o", "/"], "/: expected a file, found a folder"),
        (["--config-file", "/nowhere.conf"], "/nowhere.conf"),
        (["--host", "h1", "-o", "/nowhere/x.yaml"],
         "x.yaml: cannot be written: there is no folder"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_error(cloud, said, arguments, text):
    cloud.add_host("h1", inventories={"VCPU": {"total": 8}, "MEMORY_MB": {"total": 512}})
    cloud.add_host("empty", inventories={})
    cloud.add_host("unknown")
    error = said("inventory", *arguments, code=2)
    assert text in error and "Traceback" not in error


def test_a_folder_or_a_pipe_is_not_replaced(tmp_path, capsys):
    """As root, -o /dev/null would take that device away from the whole machine."""
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for path, found in ((pipe, "a device or the like"), (folder, "a folder")):
        assert run("inventory", "--vcpus", "8", "--memory-mb", "4096", "-o", path) == 2
        assert f"{path}: expected a file, found {found}" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe"]
    assert pipe.is_fifo()


def test_a_file_that_cannot_be_put_in_place_leaves_nothing_behind(tmp_path, capsys, monkeypatch):
    def refuse(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "replace", refuse)
    path = tmp_path / "cospot.yaml"
    assert run("inventory", "--vcpus", "8", "--memory-mb", "4096", "-o", path) == 2
    assert f"{path}: cannot be written: Operation not permitted" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_of_a_link_the_file_that_it_leads_to_is_written(tmp_path):
    target, link = tmp_path / "target.yaml", tmp_path / "link.yaml"
    link.symlink_to(target)
    assert run("inventory", "--vcpus", "8", "--memory-mb", "4096", "-o", link) == 0
    assert link.is_symlink() and "CUSTOM_SPOT_VCPU" in target.read_text()
