"""`cospot-nova doctor` on the evictor service: whether it listens, works and agrees."""

import socket
import threading

import pytest
from cospot.nova.tools.cloud import CloudError
from cospot.nova.tools.doctor import command as doctor_command
from cospot.nova.tools.doctor import evictor_checks
from cospot.nova.tools.settings import read_settings
from doctor_cases import GOOD_EVICTOR, bad, configure, diagnose, login, write_private


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (None, "there is no queue cospot_plans.info"),
        ((3, 0), "nobody listens to cospot_plans.info; 3 plans wait"),
        ((5000, 1), "5000 plans wait"),
    ],
)
def test_an_evictor_that_does_not_listen_is_named(diagnosed, monkeypatch, state, text):
    monkeypatch.setattr(
        evictor_checks,
        "queue_state",
        lambda settings, queue: state if queue == "cospot_plans.info" else None,
    )
    _, results = diagnosed()
    assert list(bad(results)) == ["evictor listens"]
    assert text in results["evictor listens"]["findings"][0]["found"]


def test_scheduler_and_evictor_that_disagree_are_named(diagnosed, tmp_path):
    evictor = tmp_path / "evictor.conf"
    evictor.write_text("[cospot_evictor]\nresources = MEMORY_MB,VCPU,DISK_GB\n")
    code, results = diagnosed("--evictor-config-file", evictor)
    assert (code, bad(results)) == (1, {"evictor agrees": "error"})
    assert (
        "resources is VCPU,MEMORY_MB in [cospot]"
        in results["evictor agrees"]["findings"][0]["found"]
    )
    evictor.write_text("[cospot_evictor]\nresources = MEMORY_MB,VCPU\n")
    assert diagnosed("--evictor-config-file", evictor)[0] == 0


def test_without_an_evictor_s_configuration_agreement_is_unknown(cloud, capsys, config):
    capsys.readouterr()
    code, results = diagnose(
        capsys,
        *("--config-file", configure(config)),
        *("--evictor-metrics", f"{cloud.url}/metrics"),
    )
    assert (code, bad(results)) == (0, {"evictor agrees": "unknown", "evictor's login": "unknown"})
    (finding,) = results["evictor agrees"]["findings"]
    assert "there is no configuration of cospot-evictor here" in finding["found"]
    assert "--evictor-config-file" in finding["fix"]


@pytest.mark.parametrize(
    ("text", "verdict", "found"),
    [
        ("[cospot_evictor]\nevictor = YJF\n", "warning", "evictor is FIFO in [cospot], YJF in"),
        ("[cospot_evictor]\nplan_topic = plans\n", "error", "plan_topic is cospot_plans in"),
        ("[DEFAULT]\ntransport_url = rabbit://guest:guest@127.0.0.1:1/spots\n", "error",
         "virtual host '/', the evictor listens on 'spots'"),
        ("[DEFAULT]\ntransport_url = rabbit://guest:guest@elsewhere:5672/\n", "warning",
         "message bus at 127.0.0.1:1, the evictor listens at elsewhere:5672"),
        ("[oslo_messaging_rabbit]\namqp_durable_queues = true\n", "error",
         "amqp_durable_queues is False for the scheduler, True for the evictor"),
        ("[placement]\nregion_name = two\n", "error", "region_name is one for the scheduler, two"),
        ("[cospot_evictor]\nmode = proactive\ndefault_reserve = 2:4096\n", "warning",
         "default_reserve is empty in [cospot], 2:4096 in [cospot_evictor]: spots are placed"),
    ],
)  # fmt: skip
def test_whatever_both_must_share_is_compared(diagnosed, tmp_path, text, verdict, found):
    evictor = write_private(tmp_path / "evictor.conf", f"[cospot_evictor]\n{text}")
    region = {("placement", "region_name"): "one"}
    arguments = ("--evictor-config-file", evictor)
    _, results = diagnosed(*arguments, changes=region)
    # With a region that is not there, its login finds no endpoint either.
    assert {**bad(results), "evictor's login": ""} == {
        "evictor agrees": verdict,
        "evictor's login": "",
    }
    (finding,) = results["evictor agrees"]["findings"]
    assert found in finding["found"] and finding["fix"]


NOTIFIES = {
    ("oslo_messaging_notifications", "driver"): "messagingv2",
    ("notifications", "notification_format"): "both",
}


@pytest.mark.parametrize(
    ("changes", "queues", "verdict", "text"),
    [
        (NOTIFIES, {}, "warning", "Nova fills versioned_notifications.info, and nobody reads it"),
        (
            NOTIFIES,
            {"versioned_notifications.info": (4244, 0), "notifications.info": (0, 1)},
            "warning",
            "nobody reads versioned_notifications.info: 4244 messages wait",
        ),
        (
            NOTIFIES,
            {"versioned_notifications.info": (9, 2), "notifications.info": (0, 1)},
            "ok",
            "versioned_notifications.info: read by 2",
        ),
        # Another service's nova.conf may have them on, or this one had.
        (None, {"notifications.info": (7, 0)}, "warning", "nobody reads notifications.info: 7"),
        (None, {}, "ok", "nothing to find fault with"),
    ],
)
def test_unread_notifications_are_named(diagnosed, monkeypatch, changes, queues, verdict, text):
    states = {"cospot_plans.info": (0, 1), **queues}
    monkeypatch.setattr(evictor_checks, "queue_state", lambda settings, queue: states.get(queue))
    _, results = diagnosed(changes=changes)
    assert results["notifications"]["verdict"] == verdict
    assert text in results["notifications"]["findings"][0]["found"]


def test_a_bus_that_does_not_answer_leaves_it_unknown(diagnosed, monkeypatch):
    def fail(settings, queue):
        raise CloudError("message bus: away")

    monkeypatch.setattr(evictor_checks, "queue_state", fail)
    _, results = diagnosed(changes=NOTIFIES)
    assert results["notifications"]["verdict"] == "unknown"
    assert (
        "RabbitMQ cannot be asked (message bus: away)"
        in (results["notifications"]["findings"][0]["found"])
    )


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
def test_metrics_of_something_else_are_named(diagnosed, url):
    code, results = diagnosed("--evictor-metrics", url)
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
    text = "\n".join([GOOD_EVICTOR, "metrics_port = many", "[nova]", *login(cloud), ""])
    evictor = write_private(tmp_path / "evictor.conf", text)
    capsys.readouterr()
    files = ("--config-file", configure(config), "--evictor-config-file", evictor)
    code, results = diagnose(capsys, *files)
    assert (code, bad(results)) == (1, {"evictor works": "error"})
    assert "metrics_port" in results["evictor works"]["findings"][0]["found"]


@pytest.mark.parametrize(
    ("request_line", "answer"),
    [
        ("POST /identity/v3/auth/tokens", 401),
        ("GET /placement/resource_providers", 403),
        ("GET /compute/os-hypervisors/detail", 403),
        ("GET /compute/os-services", 403),
        ("GET /compute/servers/detail", 403),
    ],
)
def test_the_evictor_s_own_user_is_tried(cloud, diagnosed, monkeypatch, request_line, answer):
    """The operator's own credentials may do what the service's may not."""
    diagnosed()  # as the operator, to be compared
    _, results = diagnosed()
    (finding,) = results["evictor's login"]["findings"]
    assert finding["found"] == "it may read 2 providers, 2 hosts and all servers"
    as_evictor = {}
    monkeypatch.setattr(cloud, "failing", as_evictor)
    run_checks, was = doctor_command.run_checks, []

    def count(checks):
        if checks and checks[-1].name == "signals port":
            as_evictor[request_line] = answer
            was.append(True)
        return run_checks(checks)

    monkeypatch.setattr(doctor_command, "run_checks", count)
    code, results = diagnosed()
    assert was and (code, bad(results)) == (1, {"evictor's login": "error"})
    (finding,) = results["evictor's login"]["findings"]
    assert str(answer) in finding["found"] and "the-service-user" in finding["fix"]


@pytest.mark.parametrize(("answer", "verdict"), [(200, ""), (403, "warning"), (503, "")])
def test_cinder_must_take_the_evictor_for_an_administrator(cloud, diagnosed, answer, verdict):
    """Else volumes of evicted spots stay attached; a Cinder that is away tells nothing."""
    cloud.failing = {"GET /volumev3/os-services": answer} if answer != 200 else {}
    _, results = diagnosed()
    assert bad(results).get("evictor's login", "") == verdict
    found = [each["found"] for each in results["evictor's login"]["findings"]]
    assert any("stay in-use" in each for each in found) == bool(verdict)


@pytest.mark.parametrize(
    ("text", "verdict", "found"),
    [
        ("[cospot_evictor]\ndry_runn = true\n", "error", "did you mean dry_run?"),
        ("[cospot-evictor]\ndry_run = true\n", "error", "did you mean [cospot_evictor]?"),
        ("[cospot_evictor]\naudit_log = audit\n", "error", "audit_log: found audit, expected an a"),
        ("[cospot_evictor]\n[nova]\npassword = x\n", "warning", "every user of this machine may"),
    ],
)
def test_an_evictor_s_file_that_it_refuses_is_named(diagnosed, tmp_path, text, verdict, found):
    evictor = tmp_path / "evictor.conf"
    evictor.write_text(text)
    evictor.chmod(0o644)
    arguments = ("--evictor-config-file", evictor)
    _, results = diagnosed(*arguments)
    (finding,) = results["evictor options"]["findings"]
    assert (finding["verdict"], finding["fix"] != "") == (verdict, True)
    assert found in finding["found"]


def test_metrics_of_the_real_service_are_read(cloud):
    prometheus_client = pytest.importorskip("prometheus_client")
    from cospot.nova.state.records import Metrics

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
