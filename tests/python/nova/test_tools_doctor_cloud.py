"""`cospot-nova doctor` on a cloud: all is well with a good one, and what is broken is named."""

from types import SimpleNamespace

import pytest
from cospot.nova.tools.doctor import cloud_checks
from doctor_cases import EVICTOR_METRICS, FILTERS, bad, configure
from tool_cases import run


def test_a_good_cloud_is_all_ok(diagnosed):
    code, results = diagnosed()
    assert (code, bad(results)) == (0, {})
    found = {name: one["findings"][0]["found"] for name, one in results.items()}
    assert found["hosts seen"] == "2 enabled hosts, at most 1000"
    assert found["inventories"] == "2 of 2 hosts"
    assert found["spot flavors"] == "spot.m1"
    assert found["evictor works"] == "it has looked at all 2 hosts 7 times"


def inventories(cloud, host="h1"):
    row = next(one for one in cloud.hypervisors if one["service"]["host"] == host)
    return cloud.providers[row["id"]]["inventories"]


def shows(cloud, **values):
    cloud.metrics = {**EVICTOR_METRICS, **values}


BREAKS = {
    "no spot inventory": (lambda cloud: inventories(cloud).pop("CUSTOM_SPOT_VCPU"),
        ("inventories", "error", "h1: no CUSTOM_SPOT_VCPU, expected 32")),
    "stale inventory": (lambda cloud: inventories(cloud)["MEMORY_MB"].update(reserved=0),
        ("inventories", "error", "CUSTOM_SPOT_MEMORY_MB is 3584, expected 4096 as of MEMORY_MB")),
    "small max_unit": (lambda cloud: inventories(cloud)["CUSTOM_SPOT_VCPU"].update(max_unit=4),
        ("inventories", "error", "CUSTOM_SPOT_VCPU gives 4 at once, expected 8 as of VCPU")),
    "no provider": (lambda cloud: cloud.providers.pop(cloud.hypervisors[0]["id"]),
        ("inventories", "error", "h1: placement: GET /resource_providers/")),
    "no host": (lambda cloud: cloud.hypervisors.clear(),
        ("hosts seen", "error", "no enabled host")),
    "half a spot": (lambda cloud: cloud.flavor("spot.m1")["extra_specs"].pop("resources:VCPU"),
        ("spot flavors", "error", "spot.m1: resources:VCPU is not set, expected 0")),
    "no spot flavor": (lambda cloud: cloud.flavors.pop(),
        ("spot flavors", "warning", "there is none")),
    "evictor idle": (lambda cloud: shows(cloud, reconcile_seconds_count=0),
        ("evictor works", "error", "has not yet looked at all hosts")),
    "evictor off": (lambda cloud: shows(cloud, enabled=0),
        ("evictor works", "warning", "evictions are switched off")),
    "evictor gone": (lambda cloud: cloud.failing.update({"GET /metrics": 503}),
        ("evictor works", "error", "503")),
}  # fmt: skip


@pytest.mark.parametrize("broken", BREAKS)
def test_one_broken_thing_of_the_cloud_is_named(cloud, diagnosed, broken):
    break_it, (name, verdict, text) = BREAKS[broken]
    break_it(cloud)
    code, results = diagnosed()
    assert bad(results) == {name: verdict}
    assert code == (1 if verdict == "error" else 0)
    assert any(text in one["found"] for one in results[name]["findings"])


def providers_of(cloud):
    return [cloud.providers[row["id"]] for row in cloud.hypervisors]


@pytest.mark.parametrize(
    ("unmarked", "release", "wanted"),
    [
        ((), 34, {}),
        ((0,), 34, {"owner trait": "error"}),
        # All computes are of an earlier release, perhaps.
        ((0, 1), 34, {"owner trait": "warning"}),
        ((0,), 33, {}),  # nobody asks for it
    ],
)
def test_a_host_without_owner_trait_is_named(
    cloud, diagnosed, monkeypatch, unmarked, release, wanted
):
    monkeypatch.setattr(cloud_checks, "nova_release", lambda: release)
    for number in unmarked:
        providers_of(cloud)[number]["traits"].remove("OWNER_NOVA")
    code, results = diagnosed()
    assert bad(results) == wanted
    assert code == int("error" in wanted.values())
    assert ("owner trait" in results) == (release >= 34)
    if unmarked and release >= 34:
        assert results["owner trait"]["findings"][0]["found"] == "h1: no trait OWNER_NOVA"


def test_the_release_of_nova_is_that_of_its_package():
    from nova import version

    assert cloud_checks.nova_release() == int(version.version_string().split(".")[0])


WITH_DISK = "VCPU,MEMORY_MB,DISK_GB"


def add_spot_with_disk(cloud):
    cloud.add_flavor("disky", 1, 1, 20)
    assert run("flavor", "create-spot", "disky") == 0


def test_a_disk_that_hosts_do_not_have_is_named(cloud, diagnosed, tmp_path):
    add_spot_with_disk(cloud)
    code, results = diagnose_with_disk(diagnosed, tmp_path)
    assert (code, bad(results)) == (1, {"inventories": "error"})
    found = results["inventories"]["findings"][0]["found"]
    assert found.startswith("h1: no CUSTOM_SPOT_DISK_GB, expected 0: there is no DISK_GB")


def diagnose_with_disk(diagnosed, tmp_path):
    """Where scheduler and evictor count disk."""
    evictor = tmp_path / "evictor.conf"
    evictor.write_text(f"[cospot_evictor]\nresources = {WITH_DISK}\n")
    changes = {("cospot", "resources"): WITH_DISK}
    arguments = ("--evictor-config-file", evictor)
    return diagnosed(*arguments, changes=changes)


def test_disk_that_spots_ask_for_and_nobody_counts_is_named(cloud, diagnosed, tmp_path):
    """A spot of 900 GB and a VM of 900 GB on a host of 1028: no spot would go for it."""
    add_spot_with_disk(cloud)
    for host in ("h1", "h2"):
        own = inventories(cloud, host)
        for name in ("DISK_GB", "CUSTOM_SPOT_DISK_GB"):
            own[name] = {**own["MEMORY_MB"], "total": 1028, "reserved": 0, "max_unit": 1028}
    code, results = diagnosed()
    assert (code, bad(results)) == (0, {"spot flavors": "warning"})
    (finding,) = (one for one in results["spot flavors"]["findings"] if one["verdict"] != "ok")
    assert finding["found"].startswith("spot.disky: it asks for 20 GiB of disk, but [cospot] res")
    assert f"resources = {WITH_DISK} in [cospot] and [cospot_evictor]" in finding["fix"]

    code, results = diagnose_with_disk(diagnosed, tmp_path)
    assert (code, bad(results)) == (0, {})


def test_only_the_hosts_of_chosen_aggregates_need_inventories(cloud, diagnosed):
    inventories(cloud).pop("CUSTOM_SPOT_VCPU")
    cloud.aggregates = [
        {"name": "spots", "uuid": "1", "hosts": ["h2"]},
        {"name": "empty", "uuid": "2", "hosts": []},
    ]

    def found(names):
        changes = {("cospot", "aggregates"): names}
        return diagnosed(changes=changes)

    assert found("spots")[0] == 0
    code, results = found("spots,empty")
    assert (code, bad(results)) == (0, {"aggregates": "warning"})
    code, results = found("spotz")
    assert (code, bad(results)) == (1, {"aggregates": "error"})
    assert results["aggregates"]["findings"][0]["found"] == (
        "[cospot] aggregates names spotz, expected any of: empty, spots"
    )
    assert bad(found("")[1]) == {"inventories": "error"}


def test_a_disabled_host_need_not_be_ready(cloud, diagnosed):
    cloud.add_host("h3", inventories={}, status="disabled")
    assert diagnosed()[0] == 0


def test_more_hosts_than_placement_hands_out(cloud, capsys, config):
    for number in range(3, 13):
        cloud.add_host(f"h{number}", inventories={})
    path = configure(config, {("scheduler", "max_placement_results"): "10"})
    assert run("doctor", "--config-file", path, "--evictor-metrics", f"{cloud.url}/metrics") == 1
    text = capsys.readouterr().out
    assert "12 enabled hosts, but max_placement_results is 10" in text
    # Ten hosts without inventories: all are shown, and none beyond.
    assert text.count("no CUSTOM_SPOT_VCPU") == 10 and "more: see --format json" not in text


def test_without_a_cloud_the_rest_is_said_and_the_exit_code_is_2(cloud, capsys, config):
    cloud.failing["POST /identity/v3/auth/tokens"] = 503
    path = configure(config, {FILTERS: "ComputeFilter"})
    assert run("doctor", "--config-file", path, "--evictor-metrics", f"{cloud.url}/metrics") == 2
    captured = capsys.readouterr()
    assert "does not name CospotFilter" in captured.out
    assert "evictor works" in captured.out
    assert captured.err.startswith("cospot-nova: error: compute: GET /os-hypervisors/detail")


UNIFIED = {("quota", "driver"): "nova.quota.UnifiedLimitsDriver"}
VCPU, MEMORY, DISK = (f"class:CUSTOM_SPOT_{name}" for name in ("VCPU", "MEMORY_MB", "DISK_GB"))


@pytest.mark.parametrize(
    ("limits", "with_disk", "verdict", "found"),
    [
        ({VCPU: 40, MEMORY: -1}, False, "ok", [f"{VCPU}: 40", f"{MEMORY}: -1"]),
        ({VCPU: 40}, False, "error", [f"{VCPU}: 40", f"there is no registered limit {MEMORY}"]),
        ({VCPU: 0, MEMORY: 1}, False, "warning", [f"{VCPU} is 0", f"{MEMORY}: 1"]),
        ({VCPU: 1, MEMORY: 1}, True, "error", [f"{VCPU}: 1", f"{MEMORY}: 1",
         f"there is no registered limit {DISK}"]),
    ],
)  # fmt: skip
def test_unified_limits_must_be_registered(cloud, diagnosed, limits, with_disk, verdict, found):
    cloud.registered_limits = limits
    if with_disk:
        cloud.add_flavor("disky", 1, 1, 1)
        assert run("flavor", "create-spot", "disky") == 0
    _, results = diagnosed(changes=UNIFIED)
    assert results["limits"]["verdict"] == verdict
    findings = [one["found"] for one in results["limits"]["findings"]]
    assert all(map(str.startswith, findings, found)) and len(findings) == len(found)


@pytest.mark.parametrize(
    ("quota", "verdict"),
    [
        # As of Nova 26, which has neither option, and what the later ones make of theirs.
        ({}, "error"),
        ({"strategy": "require", "list": ["servers"]}, "warning"),
        ({"strategy": "require", "list": [VCPU]}, "error"),
        ({"strategy": "ignore", "list": ["servers"]}, "error"),
        ({"strategy": "ignore", "list": [VCPU]}, "warning"),
    ],
)
def test_what_nova_makes_of_a_class_without_a_registered_limit(quota, verdict):
    group = SimpleNamespace(
        **{f"unified_limits_resource_{name}": value for name, value in quota.items()}
    )
    (finding,) = cloud_checks.check_limits({}, ["CUSTOM_SPOT_VCPU"], group)
    assert finding.verdict.value == verdict
