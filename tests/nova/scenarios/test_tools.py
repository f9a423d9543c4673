"""`cospot-nova` against a whole cloud: each command, as an operator runs it."""

import json
import time
from contextlib import contextmanager
from datetime import datetime, timezone

import cospot
import kombu
import pytest
from deployment.processes import DeploymentError
from waiting import wait_until


def doctor(cloud, run, *more):
    """Return the exit code and what is not ok, by the name of the check."""
    folder = cloud.settings.folder
    files = [folder / "nova.conf", folder / "nova-database.conf", folder / "scheduler.conf", *more]
    code, output, _ = run(
        "doctor",
        *(f"--config-file={path}" for path in files),
        *("--evictor-config-file", folder / "cospot-evictor-1.conf"),
        *("--format", "json"),
    )
    checks = json.loads(output)["checks"]
    bad = {one["check"]: one for one in checks if one["verdict"] != "ok"}
    return code, {name: [each["found"] for each in bad[name]["findings"]] for name in bad}


@pytest.fixture
def evictor(cloud):
    cloud.set_policy(otn=2)
    cloud.start_evictor()


def test_the_doctor_finds_nothing_wrong_here_and_names_what_is_broken(
    cloud, run, evictor, tmp_path
):
    # The evictor's first reconcile of all hosts takes a moment.
    wait_until(lambda: doctor(cloud, run) == (0, {}), "the doctor finds nothing")

    broken = tmp_path / "broken.conf"
    broken.write_text("[filter_scheduler]\nenabled_filters = CospotFilter,ComputeFilter\n")
    code, bad = doctor(cloud, run, broken)
    assert (code, list(bad)) == (1, ["filter"])
    assert bad["filter"][0].startswith("CospotFilter is not the last")

    # Releases since 2025.1 enforce no limit that is not registered, unless they are told to.
    broken.write_text(
        "[quota]\ndriver = nova.quota.UnifiedLimitsDriver\n"
        "unified_limits_resource_strategy = ignore\nunified_limits_resource_list = servers\n"
    )
    code, bad = doctor(cloud, run, broken)  # Keystone has none here
    assert (code, list(bad)) == (1, ["limits"])
    missing = "there is no registered limit class:CUSTOM_SPOT_VCPU"
    assert bad["limits"][0].startswith(missing)

    with broken_flavor(cloud, "spot.1x1024"), spot_vcpus(cloud, "h1", 5):
        code, bad = doctor(cloud, run)
    assert (code, set(bad)) == (1, {"spot flavors", "inventories"})
    assert bad["spot flavors"][0] == "spot.1x1024: resources:VCPU is not set, expected 0"
    assert bad["inventories"][0] == "h1: CUSTOM_SPOT_VCPU is 5, expected 8 as of VCPU"

    cloud.stop_evictors()
    wait_until(lambda: "evictor listens" in doctor(cloud, run)[1], "nobody listens")
    code, bad = doctor(cloud, run)
    assert (code, set(bad)) == (1, {"evictor listens", "evictor works"})
    assert "nobody listens to cospot_plans.info" in bad["evictor listens"][0]


def test_the_doctor_asks_with_the_evictors_own_credentials(cloud, run):
    cloud.set_policy(otn=2)
    cloud.start_evictor(nova_user="cospot_member")
    _, bad = doctor(cloud, run)
    assert any("403" in found for found in bad["evictor's login"]), bad


def test_setup_and_doctor_name_a_misspelt_option(cloud, run):
    cloud.set_policy(otn=2)
    config = cloud.configure_evictor(dry_runn="true")
    for command in ("doctor", "setup"):
        more = () if command == "doctor" else ("--check",)
        files = [f"--config-file={cloud.settings.folder / 'nova.conf'}"]
        code, output, error = run(command, *more, *files, "--evictor-config-file", config)
        assert code in (1, 2) and "dry_runn" in output + error, (command, output, error)


def test_the_doctor_names_notifications_that_nobody_reads(cloud, run):
    cloud.set_policy(otn=2)
    name = "versioned_notifications.info"
    connection = kombu.Connection(cloud.settings.message_url.replace("rabbit:", "amqp:"))
    with connection, connection.channel() as channel:
        queue = kombu.Queue(name, channel=channel, durable=False)
        queue.declare()
        try:
            kombu.Producer(channel).publish({"many": "of them"}, routing_key=name)
            _, bad = doctor(cloud, run)
            found = f"nobody reads {name}: 1 messages wait, and grow in number"
            assert bad["notifications"] == [found]
        finally:
            queue.delete()
    assert "notifications" not in doctor(cloud, run)[1]


@contextmanager
def broken_flavor(cloud, name):
    path = f"/flavors/{name}/os-extra_specs"
    cloud.nova.delete(f"{path}/resources:VCPU")
    try:
        yield
    finally:
        cloud.nova.post(path, json={"extra_specs": {"resources:VCPU": "0"}})


@contextmanager
def spot_vcpus(cloud, host, total):
    """For a while, give a host another number of vCPUs for spots than it has."""
    path = f"/resource_providers/{cloud.providers()[host]}"
    inventory = f"{path}/inventories/CUSTOM_SPOT_VCPU"

    def set_total(amount):
        generation = cloud.placement.get(path).json()["generation"]
        fields = {"total": amount, "max_unit": amount}
        cloud.placement.put(inventory, json={"resource_provider_generation": generation, **fields})

    before = cloud.placement.get(inventory).json()["total"]
    set_total(total)
    try:
        yield
    finally:
        set_total(before)


def test_create_spot_makes_a_flavor_of_spots(cloud, run):
    cloud.set_policy(otn=2)
    made = "spot.vm.2x2048"
    try:
        code, output, _ = run("flavor", "create-spot", "vm.2x2048", "--without-disk")
        assert code == 0 and output.startswith(made)
        code, output, _ = run("flavor", "create-spot", "vm.2x2048", "--without-disk")
        assert code == 0 and "already exists" in output
        code, output, _ = run("flavor", "check")
        assert code == 0 and f"{made}: ok" in output
        flavor = flavor_id(cloud, made)
        spot = cloud.boot("spot", 2, 2048, flavorRef=flavor)
        (held,) = cloud.allocations(spot).values()
        assert held == {"CUSTOM_SPOT_VCPU": 2, "CUSTOM_SPOT_MEMORY_MB": 2048}
    finally:
        cloud.nova.delete(f"/flavors/{flavor_id(cloud, made)}")


def flavor_id(cloud, name):
    found = cloud.nova.get("/flavors?is_public=None").json()["flavors"]
    return next(flavor["id"] for flavor in found if flavor["name"] == name)


def test_the_inventory_file_says_what_vms_may_use(cloud, run, tmp_path):
    from nova.compute import provider_config

    for host in cloud.settings.hosts:
        folder = tmp_path / host.name
        folder.mkdir()
        code, _, _ = run("inventory", "--host", host.name, "-o", folder / "cospot.yaml")
        assert code == 0
        loaded = provider_config.get_provider_configs(str(folder))["$COMPUTE_NODE"]
        rows = loaded["inventories"]["additional"]
        totals = {name: row["total"] for item in rows for name, row in item.items()}
        assert totals["CUSTOM_SPOT_VCPU"] == host.usable_vcpus
        assert totals["CUSTOM_SPOT_MEMORY_MB"] == host.usable_memory_mb


def test_status_shows_use_and_the_last_eviction(cloud, run, evictor):
    spot = cloud.request("spot", 8, 6144, host="h1")
    cloud.wait_for_status(spot, "ACTIVE")
    cloud.boot("vm", 4, 4096, host="h1")  # past the filters, so that there is no plan
    cloud.wait_until_gone([spot])
    cloud.wait_until_not_overcommitted()
    cloud.boot("spot", 2, 2048, host="h1")
    config = cloud.settings.folder / "cospot-evictor-1.conf"

    def status():
        code, output, _ = run(
            *("status", "--format", "json", "--evictor-config-file", config, "--evictions", "1")
        )
        assert code == 0
        return json.loads(output)

    wait_until(lambda: status()["evictions"][0]["state"] == "freed", "freed is logged")
    found = status()
    hosts = {host["name"]: host for host in found["hosts"]}
    for name, use in cloud.hosts().items():
        for number, word in enumerate(("vcpus", "memory_mb")):
            assert hosts[name][word] == {
                "capacity": use.capacity[number],
                "vms": use.vm_used[number],
                "spots": use.spot_used[number],
                "overcommit": 0,
            }
    assert (hosts["h1"]["vms"], hosts["h1"]["spots"]) == (1, 1)
    assert hosts["h1"]["vcpus"]["vms"] == 4 and hosts["h1"]["vcpus"]["spots"] == 2
    (eviction,) = found["evictions"]
    assert (eviction["instance"], eviction["host"]) == (spot, "h1")


def test_the_service_user_of_the_evictor_will_do(cloud, run, evictor):
    config = cloud.settings.folder / "cospot-evictor-1.conf"
    code, output, _ = run("status", "--config-file", config, user=None)
    assert code == 0 and output.splitlines()[7].startswith("total")
    code, _, error = run("status", "--config-file", "/dev/null", user=None)
    assert code == 2 and error.startswith("cospot-nova: error: no credentials: ")


def test_history_becomes_a_workload(cloud, run, tmp_path):
    """Two VMs, one of them gone, and two spots, one of them archived."""
    cloud.set_policy(otn=2)
    # MariaDB rounds times to whole seconds: what was deleted before this test ended before `start`.
    start = int(time.time()) + 2
    wait_until(lambda: time.time() >= start, "the second begins")
    began = datetime.fromtimestamp(start, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    kept = [cloud.boot("vm", 2, 2048), cloud.boot("spot", 4, 4096)]
    archived = cloud.boot("spot", 1, 1024, project="birch")
    cloud.delete(archived)
    with pytest.raises(DeploymentError, match="exit 1"):  # so it says that it archived some
        cloud.services.manage("archive", "db", "archive_deleted_rows", "--until-complete")
    gone = cloud.boot("vm", 1, 1024)
    cloud.delete(gone)
    folder = cloud.settings.folder
    files = [f"--config-file={folder / name}" for name in ("nova.conf", "nova-database.conf")]

    def export(name, *arguments):
        path = tmp_path / name
        window = ("--window-start", began, "--lead-days", "0")
        code, output, error = run("history", "export", "-o", path, *window, *arguments)
        assert code == 0, output + error
        return cospot.Workload.load(path)

    workload = export("database.csv.gz", *files)
    rows = {row["instance_id"]: row for row in workload.to_pandas().to_dict("records")}
    assert set(rows) == {*kept, archived, gone}
    info = workload.info()
    assert (info["vms"]["requests"], info["spots"]["requests"]) == (2, 2)
    assert info["tenants"] == 2
    assert (rows[kept[1]]["vcpus"], rows[kept[1]]["memory_mb"]) == (4, 4096)
    never = max(row["end_us"] for row in rows.values())
    for uuid, row in rows.items():
        assert (row["end_us"] == never) == (uuid in kept)
        assert 0 <= row["start_us"] <= row["end_us"]  # in whole seconds, of which it may live none
    # The API no longer knows what is archived; of the rest it says the same.
    by_api = export("api.csv.gz", "--api").to_pandas().to_dict("records")
    assert {row["instance_id"] for row in by_api} == {*kept, gone}
    assert all(row == rows[row["instance_id"]] for row in by_api)
    sweep = (tmp_path / "database.yaml").read_text()
    assert "host: database-hosts.csv" in sweep
    hosts = (tmp_path / "database-hosts.csv").read_text().splitlines()
    assert len(hosts) - 1 == len(cloud.settings.hosts)
