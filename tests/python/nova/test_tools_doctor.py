"""`cospot-nova doctor`: all is well with a good set-up, and whatever is broken is named."""

import json
import socket
import threading

import pytest

pytest.importorskip("openstack", reason="python3-openstacksdk is not installed")
pytest.importorskip("nova.conf", reason="python3-nova is not installed")

from cospot.nova.tools.cloud import CloudError
from cospot.nova.tools.doctor import evictor_checks
from cospot.nova.tools.settings import read_settings
from tool_cases import cloud_for, run

GOOD = {
    ("DEFAULT", "transport_url"): "rabbit://guest:guest@127.0.0.1:1/",
    ("DEFAULT", "initial_cpu_allocation_ratio"): "3.0",
    ("DEFAULT", "cpu_allocation_ratio"): "3.0",
    ("filter_scheduler", "available_filters"): "nova.scheduler.filters.all_filters",
    ("filter_scheduler", "available_filters "): "cospot.nova.scheduler.filter.CospotFilter",
    ("filter_scheduler", "enabled_filters"): "ComputeFilter,CospotFilter",
    ("filter_scheduler", "weight_classes"): "cospot.nova.scheduler.weigher.CospotWeigher",
    ("notifications", "notification_format"): "versioned",
    ("oslo_messaging_notifications", "driver"): "messagingv2",
    ("quota", "count_usage_from_placement"): "true",
    ("cospot", "otn"): "4",
}
EVICTOR_METRICS = {"reconcile_seconds_count": 7, "enabled": 1, "hosts": 2}


def configure(path, changes=None):
    values = {**GOOD, **(changes or {})}
    lines = []
    for group in dict.fromkeys(group for group, _ in values):
        lines.append(f"[{group}]")
        for (own, option), value in values.items():
            if own == group and value is not None:
                lines.append(f"{option.strip()} = {value}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def config(tmp_path):
    return tmp_path / "nova.conf"


def diagnose(capsys, *arguments):
    """Run it; return its exit code and the results by the name of the check."""
    code = run("doctor", "--format", "json", *arguments)
    checks = json.loads(capsys.readouterr().out)["checks"]
    return code, {check["check"]: check for check in checks}


def bad(results):
    return {name: one["verdict"] for name, one in results.items() if one["verdict"] != "ok"}


def test_a_good_configuration_is_all_ok(config, capsys):
    code, results = diagnose(capsys, "--offline", "--config-file", configure(config))
    assert (code, bad(results)) == (0, {})
    assert len(results) == 10


FILTERS = ("filter_scheduler", "enabled_filters")


@pytest.mark.parametrize(
    ("change", "name", "verdict", "text"),
    [
        ({("filter_scheduler", "available_filters "): None}, "filter", "error", "available_filt"),
        ({FILTERS: "ComputeFilter"}, "filter", "error", "does not name CospotFilter"),
        ({FILTERS: "CospotFilter,ComputeFilter"}, "filter", "error", "is not the last"),
        ({FILTERS: "CospotFilter,ComputeFilter,CospotFilter"}, "filter", "error", "not the last"),
        (
            {("filter_scheduler", "weight_classes"): "nova.scheduler.weights.all_weighers"},
            "weigher",
            "error",
            "weight_classes is nova",
        ),
        (
            {
                ("filter_scheduler", "weight_classes"): "cospot.nova.scheduler.weigher."
                "CospotWeigher,nova.scheduler.weights.ram.RAMWeigher"
            },
            "weigher",
            "error",
            "RAMWeigher",
        ),
        (
            {("filter_scheduler", "host_subset_size"): "3"},
            "host_subset_size",
            "error",
            "host_subset_size is 3",
        ),
        (
            {("filter_scheduler", "host_subset_size"): "three"},
            "host_subset_size",
            "error",
            "host_subset_size",
        ),
        (
            {("filter_scheduler", "track_instance_changes"): "false"},
            "instance tracking",
            "warning",
            "track_instance_changes is off",
        ),
        ({("DEFAULT", "transport_url"): None}, "messages", "error", "transport_url names no host"),
        (
            {("oslo_messaging_notifications", "driver"): "noop"},
            "messages",
            "warning",
            "driver is noop",
        ),
        ({("cospot", "vm_policy"): "CSO"}, "policies", "error", "COS"),
        ({("cospot", "evictor"): "LPX"}, "policies", "error", "FIFO"),
        ({("cospot", "resources"): "VCPU"}, "policies", "error", "MEMORY_MB"),
        ({("cospot", "resources"): "VCPU,RAM"}, "policies", "error", "RAM"),
        ({("cospot", "otn"): "0"}, "policies", "error", "otn"),
        ({("cospot", "enabled"): "false"}, "policies", "warning", "enabled is false"),
        ({("cospot", "dry_run"): "true"}, "policies", "warning", "dry_run is true"),
        ({("cospot", "plan_hosts"): "2"}, "policies", "warning", "max_attempts is 3"),
        (
            {("DEFAULT", "initial_cpu_allocation_ratio"): None},
            "initial ratios",
            "warning",
            "cpu_allocation_ratio is 3.0, initial_cpu_allocation_ratio is ",
        ),
        (
            {("quota", "count_usage_from_placement"): None},
            "quota",
            "warning",
            "count_usage_from_placement is off",
        ),
        (
            {("DEFAULT", "reclaim_instance_interval"): "600"},
            "soft delete",
            "warning",
            "reclaim_instance_interval is 600 s",
        ),
    ],
)
def test_one_broken_setting_is_named(config, capsys, change, name, verdict, text):
    code, results = diagnose(capsys, "--offline", "--config-file", configure(config, change))
    assert bad(results) == {name: verdict}
    assert code == (1 if verdict == "error" else 0)
    finding = next(one for one in results[name]["findings"] if one["verdict"] == verdict)
    assert text in finding["found"] and finding["mend"] and results[name]["why"]


def test_nova_s_own_weighers_may_stand_beside_the_weigher(config, capsys):
    """Nova takes server groups with soft affinity only then."""
    classes = f"nova.scheduler.weights.all_weighers,{GOOD['filter_scheduler', 'weight_classes']}"
    path = configure(config, {("filter_scheduler", "weight_classes"): classes})
    assert diagnose(capsys, "--offline", "--config-file", path)[0] == 0


def test_the_mending_mends(config, capsys):
    """What is said of the order of filters is a line that nova.conf takes."""
    path = configure(config, {FILTERS: "CospotFilter,ComputeFilter"})
    _, results = diagnose(capsys, "--offline", "--config-file", path)
    mend = results["filter"]["findings"][0]["mend"]
    group, _, line = mend.partition("] ")
    assert group == "[filter_scheduler"
    configure(config, {FILTERS: line.partition(" = ")[2]})
    assert diagnose(capsys, "--offline", "--config-file", path)[0] == 0


@pytest.mark.parametrize("text", ["[filter_scheduler\n", "x\n", "\x00"])
def test_a_file_that_is_no_configuration_is_one_error(config, capsys, text):
    config.write_text(text)
    assert run("doctor", "--offline", "--config-file", config) == 2
    error = capsys.readouterr().err
    assert error.startswith("cospot-nova: error: Nova's configuration: ")


@pytest.fixture
def cloud(monkeypatch):
    with cloud_for(monkeypatch) as stand_in:
        for host in ("h1", "h2"):
            stand_in.add_host(
                host,
                inventories={
                    "VCPU": {"total": 8, "allocation_ratio": 4.0},
                    "MEMORY_MB": {"total": 4096, "reserved": 512},
                    "CUSTOM_SPOT_VCPU": {"total": 32, "max_unit": 8},
                    "CUSTOM_SPOT_MEMORY_MB": {"total": 3584},
                },
            )
        stand_in.add_flavor("m1", 2, 2048)
        assert run("flavor", "create-spot", "m1") == 0
        monkeypatch.setattr(evictor_checks, "queue_state", lambda settings, queue: (0, 1))
        stand_in.metrics = EVICTOR_METRICS
        yield stand_in


def diagnose_cloud(cloud, capsys, config, *arguments):
    capsys.readouterr()
    return diagnose(
        capsys,
        *("--config-file", configure(config)),
        *("--evictor-metrics", f"{cloud.url}/metrics"),
        *arguments,
    )


def test_a_good_cloud_is_all_ok(cloud, capsys, config):
    code, results = diagnose_cloud(cloud, capsys, config)
    assert (code, bad(results)) == (0, {})
    found = {name: one["findings"][0]["found"] for name, one in results.items()}
    assert found["hosts seen"] == "2 enabled hosts, at most 1000"
    assert found["inventories"] == "2 of 2 hosts"
    assert found["spot flavors"] == "spot.m1"
    assert found["evictor works"] == "it has looked at all 2 hosts 7 times"


def inventories(cloud, host="h1"):
    row = next(one for one in cloud.hypervisors if one["service"]["host"] == host)
    return cloud.providers[row["id"]]["inventories"]


BREAKS = {
    "no spot inventory": (
        lambda cloud: inventories(cloud).pop("CUSTOM_SPOT_VCPU"),
        ("inventories", "error", "h1: no CUSTOM_SPOT_VCPU, expected 32"),
    ),
    "stale inventory": (
        lambda cloud: inventories(cloud)["MEMORY_MB"].update(reserved=0),
        ("inventories", "error", "CUSTOM_SPOT_MEMORY_MB is 3584, expected 4096 as of MEMORY_MB"),
    ),
    "small max_unit": (
        lambda cloud: inventories(cloud)["CUSTOM_SPOT_VCPU"].update(max_unit=4),
        ("inventories", "error", "CUSTOM_SPOT_VCPU gives 4 at once, expected 8 as of VCPU"),
    ),
    "no provider": (
        lambda cloud: cloud.providers.pop(cloud.hypervisors[0]["id"]),
        ("inventories", "error", "h1: placement: GET /resource_providers/"),
    ),
    "no host": (
        lambda cloud: cloud.hypervisors.clear(),
        ("hosts seen", "error", "no enabled host"),
    ),
    "half a spot": (
        lambda cloud: cloud.flavor("spot.m1")["extra_specs"].pop("resources:VCPU"),
        ("spot flavors", "error", "spot.m1: resources:VCPU is not set, expected 0"),
    ),
    "no spot flavor": (
        lambda cloud: cloud.flavors.pop(),
        ("spot flavors", "warning", "there is none"),
    ),
    "no disk for spots": (
        lambda cloud: (cloud.add_flavor("disky", 1, 1, 1), run("flavor", "create-spot", "disky")),
        ("inventories", "error", "h1: no CUSTOM_SPOT_DISK_GB, expected 0: there is no DISK_GB"),
    ),
    "evictor idle": (
        lambda cloud: setattr(cloud, "metrics", {**EVICTOR_METRICS, "reconcile_seconds_count": 0}),
        ("evictor works", "error", "has not yet looked at all hosts"),
    ),
    "evictor off": (
        lambda cloud: setattr(cloud, "metrics", {**EVICTOR_METRICS, "enabled": 0}),
        ("evictor works", "warning", "evictions are switched off"),
    ),
    "evictor gone": (
        lambda cloud: cloud.failing.update({"GET /metrics": 503}),
        ("evictor works", "error", "503"),
    ),
}


@pytest.mark.parametrize("broken", BREAKS)
def test_one_broken_thing_of_the_cloud_is_named(cloud, capsys, config, broken):
    break_it, (name, verdict, text) = BREAKS[broken]
    break_it(cloud)
    code, results = diagnose_cloud(cloud, capsys, config)
    assert bad(results) == {name: verdict}
    assert code == (1 if verdict == "error" else 0)
    assert any(text in one["found"] for one in results[name]["findings"])


def test_only_the_hosts_of_chosen_aggregates_need_inventories(cloud, capsys, config):
    inventories(cloud).pop("CUSTOM_SPOT_VCPU")
    cloud.aggregates = [
        {"name": "spots", "hosts": ["h2"]},
        {"name": "empty", "hosts": []},
    ]

    def found(names):
        path = configure(config, {("cospot", "aggregates"): names})
        arguments = ("--config-file", path, "--evictor-metrics", f"{cloud.url}/metrics")
        capsys.readouterr()
        return diagnose(capsys, *arguments)

    assert found("spots")[0] == 0
    code, results = found("spots,empty")
    assert (code, bad(results)) == (0, {"aggregates": "warning"})
    code, results = found("spotz")
    assert (code, bad(results)) == (1, {"aggregates": "error"})
    assert results["aggregates"]["findings"][0]["found"] == (
        "[cospot] aggregates names spotz, expected any of: empty, spots"
    )
    assert bad(found("")[1]) == {"inventories": "error"}


def test_a_disabled_host_need_not_be_ready(cloud, capsys, config):
    cloud.add_host("h3", inventories={}, status="disabled")
    assert diagnose_cloud(cloud, capsys, config)[0] == 0


def test_more_hosts_than_placement_hands_out(cloud, capsys, config):
    for number in range(3, 13):
        cloud.add_host(f"h{number}", inventories={})
    path = configure(config, {("scheduler", "max_placement_results"): "10"})
    assert run("doctor", "--config-file", path, "--evictor-metrics", f"{cloud.url}/metrics") == 1
    text = capsys.readouterr().out
    assert "12 enabled hosts, but max_placement_results is 10" in text
    # Ten hosts without inventories: all are shown, and none beyond.
    assert text.count("no CUSTOM_SPOT_VCPU") == 10 and "more: see --format json" not in text


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (None, "there is no queue cospot_plans.info"),
        ((3, 0), "nobody listens to cospot_plans.info; 3 plans wait"),
        ((5000, 1), "5000 plans wait"),
    ],
)
def test_an_evictor_that_does_not_listen_is_named(cloud, capsys, config, monkeypatch, state, text):
    monkeypatch.setattr(evictor_checks, "queue_state", lambda settings, queue: state)
    _, results = diagnose_cloud(cloud, capsys, config)
    assert list(bad(results)) == ["evictor listens"]
    assert text in results["evictor listens"]["findings"][0]["found"]


def test_scheduler_and_evictor_that_disagree_are_named(cloud, capsys, config, tmp_path):
    evictor = tmp_path / "evictor.conf"
    evictor.write_text("[cospot_evictor]\nresources = MEMORY_MB,VCPU,DISK_GB\n")
    code, results = diagnose_cloud(cloud, capsys, config, "--evictor-config-file", evictor)
    assert (code, bad(results)) == (1, {"evictor agrees": "error"})
    assert (
        "resources is VCPU,MEMORY_MB in [cospot]"
        in results["evictor agrees"]["findings"][0]["found"]
    )
    evictor.write_text("[cospot_evictor]\nresources = MEMORY_MB,VCPU\n")
    assert diagnose_cloud(cloud, capsys, config, "--evictor-config-file", evictor)[0] == 0


def test_without_a_cloud_the_rest_is_said_and_the_exit_code_is_2(cloud, capsys, config):
    cloud.failing["POST /identity/v3/auth/tokens"] = 503
    path = configure(config, {FILTERS: "ComputeFilter"})
    assert run("doctor", "--config-file", path, "--evictor-metrics", f"{cloud.url}/metrics") == 2
    captured = capsys.readouterr()
    assert "does not name CospotFilter" in captured.out
    assert "evictor works" in captured.out
    assert captured.err.startswith("cospot-nova: error: compute: GET /os-hypervisors/detail")


def test_the_state_of_a_queue(tmp_path):
    """With a bus inside this process; tests/nova/scenarios asks a real one."""
    import kombu

    config = tmp_path / "nova.conf"
    config.write_text("[DEFAULT]\ntransport_url = memory://here/\n")
    settings = read_settings([str(config)])
    assert evictor_checks.queue_state(settings, "made_up.info") is None
    with kombu.Connection("memory://here/") as connection:
        queue = connection.SimpleQueue("cospot_test.info")
        queue.put({"a": "plan"})
        assert evictor_checks.queue_state(settings, "cospot_test.info")[0] == 1
        queue.clear()


def test_a_bus_that_does_not_answer_is_named(tmp_path):
    config = tmp_path / "nova.conf"
    config.write_text("[DEFAULT]\ntransport_url = rabbit://a:b@127.0.0.1:1,c:d@127.0.0.1:2/\n")
    with pytest.raises(CloudError, match=r"127.0.0.1:1: .*; 127.0.0.1:2: "):
        evictor_checks.queue_state(read_settings([str(config)]), "any")


@pytest.mark.parametrize(
    "url", ["data:,root%20x:0", "http://127.0.0.1:x/", "http://a b/", "nonsense", "data:,%ff"]
)
def test_metrics_of_something_else_are_named(cloud, capsys, config, url):
    code, results = diagnose_cloud(cloud, capsys, config, "--evictor-metrics", url)
    assert (code, bad(results)) == (1, {"evictor works": "error"})
    (finding,) = results["evictor works"]["findings"]
    assert finding["found"].startswith(f"{url}: expected the evictor's metrics: ")


def test_a_service_that_does_not_speak_http_is_named():
    """Such as RabbitMQ, behind a port that was mistaken for the one of the metrics."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        answer = threading.Thread(target=answer_with, args=(server, b"AMQP\0\0\t\1\r\n"))
        answer.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/metrics"
        with pytest.raises(CloudError, match="expected the evictor's metrics: BadStatusLine"):
            evictor_checks.read_metrics(url)
        answer.join()


def answer_with(server, data):
    connection, _ = server.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(data)


def test_an_evictor_s_option_of_the_wrong_type_is_named(cloud, capsys, config, tmp_path):
    evictor = tmp_path / "evictor.conf"
    evictor.write_text("[cospot_evictor]\nmetrics_port = many\n")
    capsys.readouterr()
    files = ("--config-file", configure(config), "--evictor-config-file", evictor)
    code, results = diagnose(capsys, *files)
    assert (code, bad(results)) == (1, {"evictor works": "error"})
    assert "metrics_port" in results["evictor works"]["findings"][0]["found"]


def test_metrics_of_the_real_service_are_read(cloud):
    prometheus_client = pytest.importorskip("prometheus_client")
    from cospot.nova.evictor.metrics import Metrics

    metrics = Metrics()
    metrics.evictions.labels(cause="plan").inc(2)
    metrics.evictions.labels(cause="reconcile").inc()
    metrics.reconcile.observe(0.1)
    metrics.hosts.set(4)
    cloud.metrics = prometheus_client.generate_latest(metrics.registry).decode()
    values = evictor_checks.read_metrics(f"{cloud.url}/metrics")
    assert values["cospot_evictor_evictions_total"] == 3
    assert values["cospot_evictor_reconcile_seconds_count"] == 1
    assert values["cospot_evictor_hosts"] == 4
