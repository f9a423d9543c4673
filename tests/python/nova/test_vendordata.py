"""The service's answers to Nova's dynamic vendordata, asked by Nova's own code and by others."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import ssl
import subprocess
import time
import uuid
from types import SimpleNamespace
from typing import Any

import pytest
from cospot.nova.evictor import signal_keeper, signal_server
from cospot.nova.promises.promise_message import EVENT_TYPE, Promise, promise_to_message
from cospot.nova.promises.promise_table import PromiseTable, SizePromises, table_to_text
from cospot.nova.state.stores import Notice
from evictor_running import Running, metric, send
from sample_files import ROOT
from waiting import PATIENCE_S, wait_until

PROJECT = "p" * 32
HOUR = 3600.0


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Endpoint:
    """A service with the port, and what asks it."""

    def __init__(self, running: Running, **settings: Any) -> None:
        self.port = free_port()
        settings = {"signals_port": self.port, "signals_interval": 0.2, **settings}
        self.service = running.start(**settings)

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.getheader("Content-Type") == "application/json"
        found = json.loads(text)
        assert isinstance(found, dict)
        return answer.status, found

    def spot(self, instance: str, project: str = PROJECT) -> dict[str, Any]:
        status, found = self.ask("POST", "/vendordata", request(instance, project))
        assert status == 200
        return found

    def send(self, text: bytes) -> bytes:
        """Send bytes, and return the first of the answer; empty: the port was closed."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as raw:
            raw.sendall(text)
            try:
                return raw.recv(1000)
            except ConnectionResetError:
                return b""


def looked(running: Running, spots: list[str], **settings: Any) -> Endpoint:
    """Return a service that has had its first look at Nova."""
    endpoint = Endpoint(running, **settings)
    wait_until(lambda: bool(endpoint.spot(spots[20])), "the first look")
    return endpoint


def request(instance: str, project: str = PROJECT) -> dict[str, Any]:
    """What nova/api/metadata/vendordata_dynamic.py sends."""
    return {
        "project-id": project, "instance-id": instance, "image-id": "i", "user-data": None,
        "hostname": "worker", "metadata": {}, "boot-roles": "member",
    }  # fmt: skip


@pytest.fixture
def spots(running):
    """40 spots of which 12 were evicted, one VM; all an hour old."""
    host = running.cloud.add_host("h1", vcpus=100, memory_mb=1 << 20)
    now = time.time()
    made = [
        running.cloud.add(
            host, 1, 64, spot=True, created=now - HOUR, updated=now - HOUR, flavor="spot.m1"
        )
        for _ in range(40)
    ]
    (running.folder / "state").mkdir(exist_ok=True)
    log = running.folder / "state" / "audit.jsonl"
    with log.open("w") as file:
        stamps = [(now - 2 * HOUR, "host_resumed", "")]
        stamps += [(now - HOUR / 2, "intent", spot) for spot in made[:12]]
        for at, event, spot in stamps:
            moment = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(at))
            file.write(json.dumps({"time": moment, "event": event, "instance": spot}) + "\n")
    for spot in made[:12]:
        running.cloud.remove(spot)
    return made


def test_a_spot_learns_of_itself_and_of_its_flavor(running, spots):
    endpoint = looked(running, spots)
    found = endpoint.spot(spots[20])
    assert found["spot"] is True and found["flavor"] == "spot.m1"
    assert found["notice"] is None and found["promise"] is None
    assert found["eviction_rate"]["evictions"] == 12
    assert found["eviction_rate"]["spot_hours"] == pytest.approx(28 + 6, rel=0.01)
    assert 0 < found["risk"]["evicted_within_10_min"] < found["risk"]["evicted_within_60_min"] < 1
    assert found["expected_uptime"]["lives_hours"]["1"] is None or found["unknown"] == {}
    # No other instance is named, nor a host or another project.
    assert not any(each in json.dumps(found) for each in [*spots, "h1", PROJECT])
    status, signals = endpoint.ask("GET", "/signals")
    assert status == 200 and [each["flavor"] for each in signals["flavors"]] == ["spot.m1"]
    assert not any(each in json.dumps(signals) for each in [*spots, "h1", PROJECT])
    file = running.folder / "state" / "signals.json"
    assert json.loads(file.read_text())["format"] == "cospot signals"


def test_the_customers_page_shows_what_is_answered(running, spots, monkeypatch):
    page = (ROOT / "docs" / "nova" / "customers.md").read_text()
    shown = json.loads(page.split("```json\n")[1].split("```")[0])["cospot"]
    endpoint = looked(running, spots)
    promise = Promise(spots[20], time.time(), 3 * HOUR, 0.05)
    send(endpoint.service, promise_to_message(promise), EVENT_TYPE)
    notice = Notice(spots[20], "provider", "gold", time.time(), time.time() + 120)
    monkeypatch.setattr(endpoint.service.context.stores.notices, "told", {spots[20]: notice}.get)
    found = endpoint.spot(spots[20])
    assert found.keys() == shown.keys()
    for key in ("notice", "promise", "risk", "eviction_rate"):
        assert found[key].keys() == shown[key].keys(), key
    if found["expected_uptime"] is not None:
        assert found["expected_uptime"].keys() == shown["expected_uptime"].keys()
    for key in shown:
        assert f"| `{key}`" in page or key in ("spot", "as_of", "flavor"), key


def test_no_project_learns_of_a_spot_of_another(running, spots, monkeypatch):
    endpoint = looked(running, spots)
    assert endpoint.spot(spots[20], "q" * 32) == {}
    assert endpoint.spot(str(uuid.uuid4())) == {}
    assert endpoint.spot(spots[0]) == {}  # evicted and gone
    notice = Notice(spots[20], "provider", "gold", time.time(), time.time() + 120)
    monkeypatch.setattr(endpoint.service.context.stores.notices, "told", {spots[20]: notice}.get)
    assert endpoint.spot(spots[20], "q" * 32) == {}


def test_a_vm_and_a_spot_that_comes(running, spots, monkeypatch):
    monkeypatch.setattr(signal_keeper, "_LEAST_PAUSE_S", 0.3)
    endpoint = Endpoint(running, signals_interval=600.0)
    endpoint.service.signals.look_soon()
    wait_until(lambda: bool(endpoint.spot(spots[20])), "the first look")
    host = next(iter(running.cloud.hosts))
    now = time.time()
    vm = running.cloud.add(host, 1, 64, spot=False, created=now, updated=now)
    assert endpoint.spot(vm) == {}
    new = running.cloud.add(host, 1, 64, spot=True, created=now, updated=now)
    # The question has Nova asked sooner than in ten minutes.
    wait_until(lambda: endpoint.spot(new).get("flavor") == "m1", "the spot is known")
    assert endpoint.spot(vm) == {}


def test_a_notice_shows_at_once_and_a_withdrawal_too(running):
    host = running.cloud.add_host("h1")
    spot = running.cloud.add(host, 4, 4096, spot=True, created=time.time(), updated=time.time())
    running.cloud.add(host, 4, 4096, spot=True, created=time.time(), updated=time.time())
    endpoint = Endpoint(
        running, mode="proactive", default_reserve="4:4096:1", notice_seconds=600,
        evictor="FIFO", signals_interval=600.0,
    )  # fmt: skip
    wait_until(lambda: bool(running.events("notice")), "the notice")
    (record,) = running.events("notice")
    # Nova, too, is told before this is answered.
    told = lambda: endpoint.spot(record["instance"]).get("notice")  # noqa: E731
    wait_until(lambda: told() is not None, "it is told")
    notice = told()
    assert notice["reason"] == "reserve" and notice["action"] == "delete"
    assert abs(time.mktime(time.strptime(notice["evict_at"][:19], "%Y-%m-%dT%H:%M:%S"))
               - time.mktime(time.gmtime(record["evict_at"]))) < 2  # fmt: skip
    assert "default" not in json.dumps(notice)  # which reserve is the operator's business
    other = spot if spot != record["instance"] else next(iter(running.cloud.instances))
    running.cloud.remove(other if other != record["instance"] else spot)
    wait_until(lambda: bool(running.events("notice_withdrawn")), "the withdrawal")
    assert endpoint.spot(record["instance"]).get("notice") is None


def test_a_promise_is_told(running, spots):
    endpoint = looked(running, spots)
    promise = Promise(spots[20], time.time(), 3 * HOUR, 0.05)
    send(endpoint.service, promise_to_message(promise), EVENT_TYPE)
    told = endpoint.spot(spots[20])["promise"]
    assert told["lifetime_s"] == 3 * HOUR and told["probability"] == pytest.approx(0.95)
    assert told["broken_at"] is None
    assert endpoint.spot(spots[21])["promise"] is None


def test_a_quote_by_what_is_free_on_hosts_that_work(running, spots, tmp_path):
    now = time.time()
    sizes = [SizePromises((1, 1, 0), [[(1, HOUR)]])]
    table = PromiseTable(made_at=now, observed_until=now, targets=[0.05], sizes=sizes)
    (tmp_path / "promises.json").write_text(table_to_text(table))
    down = running.cloud.add_host("h2")
    running.cloud.hosts[down].is_up = False
    endpoint = Endpoint(running, lifetime_promises=tmp_path / "promises.json")

    def quote() -> Any:
        return endpoint.spot(spots[20]).get("quote")

    # 100 vCPUs less 28 spots of one each; the host that is down has 8 more.
    want = {"slots": 72, "lives_at_least_s": {"0.95": HOUR}}
    wait_until(lambda: quote() == want, "the quote")


@pytest.mark.parametrize(
    "body",
    [
        b"", b"junk", b"[]", b"null", b"{}", b'{"instance-id": 1, "project-id": "p"}',
        b'{"instance-id": "a"}', b"\xff\xfe", b"[" * 100_000, b'{"instance-id": ["a"]}',
    ],
)  # fmt: skip
def test_garbage_is_one_clear_400(running, spots, body):
    endpoint = Endpoint(running)
    status, answer = endpoint.ask("POST", "/vendordata", body)
    assert status == 400 and answer["error"].startswith("expected")
    wait_until(lambda: bool(endpoint.spot(spots[20])), "the service goes on")


def test_other_requests_are_refused(running, spots):
    endpoint = Endpoint(running)
    assert endpoint.ask("POST", "/other", {})[0] == 404
    assert endpoint.ask("GET", "/")[0] == 404
    assert endpoint.ask("PUT", "/vendordata", {})[0] == 501
    head = b"POST /vendordata HTTP/1.0\r\n"
    assert b" 400 " in endpoint.send(head + b"\r\n")
    assert b" 400 " in endpoint.send(head + b"Content-Length: -1\r\n\r\n")
    assert b" 413 " in endpoint.send(head + b"Content-Length: 99999999999999999999\r\n\r\n")
    assert b" 413 " in endpoint.send(head + b"Content-Length: 1048577\r\n\r\n")
    assert b"Bad request" in endpoint.send(b"\x16\x03\x01 no HTTP\r\n\r\n")
    wait_until(lambda: bool(endpoint.spot(spots[20])), "the service goes on")


def test_slow_and_many_clients_cost_themselves_only(running, spots, monkeypatch):
    monkeypatch.setattr(signal_server, "_LONGEST_S", 1.0)
    monkeypatch.setattr(signal_server, "_MOST_CONNECTIONS", 4)
    endpoint = looked(running, spots)
    slow = [
        socket.create_connection(("127.0.0.1", endpoint.port), timeout=PATIENCE_S) for _ in range(4)
    ]
    for each in slow:
        each.sendall(b"POST /vendordata HTTP/1.0\r\nContent-Length: 10\r\n\r\n1")
    refused = endpoint.send(b"GET /signals HTTP/1.0\r\n\r\n")
    assert refused == b""
    for each in slow:
        with each:
            each.recv(1000)  # until it is given up, or a TimeoutError
    wait_until(lambda: _answers(endpoint, spots[20]), "others are answered again")


def _answers(endpoint: Endpoint, spot: str) -> bool:
    try:
        return bool(endpoint.spot(spot))
    except (OSError, http.client.HTTPException):
        return False


def test_without_nova_the_port_answers_and_the_service_evicts(running):
    """And with a port that is taken, or without the certificate."""
    host = running.cloud.add_host("h1")
    spot = running.cloud.add(host, 8, 1024, spot=True)
    running.cloud.refuse("changes-since")
    endpoint = Endpoint(running)
    assert endpoint.ask("GET", "/signals")[0] == 503
    assert endpoint.spot(spot) == {}
    for more in ({}, {"signals_certificate": "/none.pem"}, {"signals_key": "/none.pem"}):
        taken = Endpoint(running, signals_port=endpoint.port, **more)
        wait_until(lambda one=taken: metric(one.service, "errors_total", where="signals") > 0, "")
    running.cloud.add(host, 4, 1024, spot=False)
    wait_until(lambda: running.cloud.deleted == [spot], "the eviction")
    running.cloud.accept()
    wait_until(lambda: endpoint.ask("GET", "/signals")[0] == 200, "it is tried again")


def test_a_crash_loses_no_eviction(running, spots):
    first = looked(running, spots)
    first.service.stop()
    running.services.clear()
    (running.folder / "state" / "audit.jsonl").unlink()  # rotated away
    second = looked(running, spots)
    assert second.spot(spots[20])["eviction_rate"]["evictions"] == 12
    second.service.stop()
    running.services.clear()
    (running.folder / "state" / "spot-lives.json").write_text("junk")
    looked(running, spots)


def test_what_was_archived_ends_and_what_a_cell_hides_does_not(running, spots, monkeypatch):
    monkeypatch.setattr(signal_keeper, "_LIST_ALL_S", 0.0)
    endpoint = looked(running, spots)
    with running.cloud.lock:
        del running.cloud.instances[spots[20]]
        # Listed nowhere, and there when it is asked for.
        running.cloud.set(spots[21], status="SOFT_DELETED", updated=0.0)
    wait_until(lambda: endpoint.spot(spots[20]) == {}, "it is gone")
    assert endpoint.spot(spots[21]) != {}


def test_an_eviction_is_counted_and_told(running):
    host = running.cloud.add_host("h1")
    now = time.time()
    spot = running.cloud.add(host, 8, 64, spot=True, created=now - 60, updated=now, flavor="s")
    running.cloud.never_goes.add(spot)
    endpoint = Endpoint(running)
    wait_until(lambda: bool(endpoint.spot(spot)), "the first look")
    assert endpoint.spot(spot)["eviction_ordered_at"] is None
    running.cloud.add(host, 4, 64, spot=False)
    wait_until(lambda: endpoint.spot(spot)["eviction_ordered_at"] is not None, "the eviction")
    wait_until(lambda: endpoint.spot(spot)["eviction_rate"]["evictions"] == 1, "it is counted")


def test_off_by_default(running, spots):
    service = running.start()
    running.reconciles()
    assert service.signals.book is None
    assert not any("changes-since" in each for each in running.cloud.requests)


def instance(uuid: str, project: str = PROJECT) -> Any:
    """As much of Nova's Instance as its vendordata reads."""
    return SimpleNamespace(
        project_id=project, uuid=uuid, image_ref="i", user_data=None, hostname="worker",
        metadata={"a": "b"}, system_metadata={"boot_roles": "member"},
    )  # fmt: skip


@pytest.fixture
def nova_asks(set_option, monkeypatch):
    """Nova's own class asks for an instance's vendordata."""
    dynamic = pytest.importorskip("nova.api.metadata.vendordata_dynamic")

    def ask(url: str, uuid: str, project: str = PROJECT) -> dict[str, Any]:
        monkeypatch.setattr(dynamic, "_SESSION", None)
        set_option("api", vendordata_dynamic_targets=[f"cospot@{url}"])
        found: dict[str, Any] = dynamic.DynamicVendorData(instance(uuid, project)).get()
        return found

    return ask


def test_novas_own_code_asks(running, spots, nova_asks):
    endpoint = Endpoint(running)
    url = f"http://127.0.0.1:{endpoint.port}/vendordata"
    wait_until(lambda: bool(endpoint.spot(spots[20])), "the first look")
    found = nova_asks(url, spots[20])["cospot"]
    assert found["spot"] is True and found["eviction_rate"]["evictions"] == 12
    assert nova_asks(url, spots[20], "q" * 32) == {"cospot": {}}
    assert nova_asks(url, str(uuid.uuid4())) == {"cospot": {}}
    assert nova_asks(f"http://127.0.0.1:{endpoint.port}/wrong", spots[20]) == {"cospot": {}}


@pytest.fixture
def certificates(tmp_path):
    """An authority, a server's certificate for 127.0.0.1 and a client's."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the program openssl")

    def run(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=tmp_path, check=True, capture_output=True)

    key = ("-newkey", "rsa:2048", "-nodes")
    run("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca")
    (tmp_path / "names").write_text("subjectAltName = IP:127.0.0.1\n")
    for name in ("server", "client"):
        run("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        run(
            "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-extfile", "names", "-out", f"{name}.pem",
        )  # fmt: skip
    return tmp_path


def test_nova_asks_by_tls_with_its_certificate(running, spots, certificates, nova_asks, set_option):
    endpoint = Endpoint(
        running,
        signals_certificate=certificates / "server.pem",
        signals_key=certificates / "server.key",
        signals_client_ca=certificates / "ca.pem",
    )
    url = f"https://127.0.0.1:{endpoint.port}/vendordata"
    set_option("api", vendordata_dynamic_ssl_certfile=str(certificates / "ca.pem"))
    assert nova_asks(url, spots[20]) == {"cospot": {}}  # it shows no certificate
    set_option(
        "vendordata_dynamic_auth",
        certfile=str(certificates / "client.pem"),
        keyfile=str(certificates / "client.key"),
    )
    wait_until(lambda: bool(nova_asks(url, spots[20])["cospot"]), "an answer by TLS")
    # One who connects and says nothing, or speaks no TLS, holds nobody up.
    with socket.create_connection(("127.0.0.1", endpoint.port)):
        endpoint.send(b"GET /signals HTTP/1.0\r\n\r\n")
        assert nova_asks(url, spots[20])["cospot"]["spot"] is True
    # A renewed certificate is taken without a restart.
    (certificates / "server.pem").write_text((certificates / "client.pem").read_text())
    (certificates / "server.key").write_text((certificates / "client.key").read_text())

    def subject() -> str:
        trust = ssl.create_default_context(cafile=str(certificates / "ca.pem"))
        trust.load_cert_chain(certificates / "client.pem", certificates / "client.key")
        address = ("127.0.0.1", endpoint.port)
        with (
            socket.create_connection(address, timeout=PATIENCE_S) as raw,
            trust.wrap_socket(raw, server_hostname="127.0.0.1") as tls,
        ):
            return str(tls.getpeercert())

    wait_until(lambda: "client" in subject(), "the new certificate")
