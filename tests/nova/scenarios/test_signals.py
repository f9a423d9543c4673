"""Spots are told of themselves, and counted, from what the real Nova says of servers."""

import json
import socket
import urllib.request
from datetime import datetime, timedelta, timezone

from deployment.processes import wait_for_next_second
from waiting import PATIENCE_S, wait_until

SMALL, LARGE = "spot.2x2048", "spot.8x6144"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Port:
    """The evictor's port for signals."""

    def __init__(self, cloud):
        self.url = f"http://127.0.0.1:{free_port()}"
        self.port = self.url.rpartition(":")[2]
        cloud.start_evictor(signals_port=self.port, signals_interval=2)

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(f"{self.url}{path}", data, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    def told(self, instance, project):
        return self.ask("/vendordata", {"instance-id": instance, "project-id": project})

    def rates(self):
        """Return by flavor: running, ended and evicted spots; None before the first look."""
        try:
            flavors = self.ask("/signals")["flavors"]
        except OSError:
            return None
        rates = {SMALL: (0, 0, 0), LARGE: (0, 0, 0)}
        for each in flavors:
            rate = each["eviction_rate"]
            rates[each["flavor"]] = (each["running"], rate["of_ended"]["spots"], rate["evictions"])
        return rates


def more(rates, flavor, added):
    """Return rates with so many more running, ended and evicted spots of one flavor."""
    return {**rates, flavor: tuple(map(sum, zip(rates[flavor], added, strict=True)))}


def test_spots_are_told_and_counted(cloud):
    cloud.set_policy()
    # Evictions are known for an hour: what a service knows of the past begins with its audit log.
    folder = cloud.settings.folder / "evictor"
    folder.mkdir(exist_ok=True)
    an_hour_ago = datetime.now(timezone.utc) - timedelta(hours=1)
    record = {"time": an_hour_ago.isoformat(), "event": "host_resumed", "spots": []}
    (folder / "audit-1.jsonl").write_text(json.dumps(record) + "\n")
    port = Port(cloud)
    # Spots of the scenarios before are among Nova's deleted servers.
    wait_until(lambda: port.rates() is not None, "the first look")
    before = port.rates()
    evicted = cloud.boot("spot", 8, 6144, host="h6")  # FIFO: the oldest goes first, and suffices
    wait_for_next_second()
    kept = cloud.boot("spot", 2, 2048, host="h6")  # h6 is full
    ended = cloud.boot("spot", 2, 2048, host="h2")
    vm = cloud.request("vm", 4, 4096, host="h2")
    project = cloud.server(kept)["tenant_id"]
    wait_until(lambda: port.told(kept, project).get("flavor") == SMALL, "the spot is known")
    assert port.told(kept, cloud.admin_in["birch"].get_project_id()) == {}
    assert port.told(vm, project) == {}
    assert port.told(kept, project)["notice"] is None
    cloud.delete(ended)
    needs = cloud.boot("vm", 4, 4096, host="h6")
    cloud.wait_until_not_overcommitted()
    wait_until(lambda: cloud.is_gone(evicted), "the eviction")
    want = more(more(before, SMALL, (1, 1, 0)), LARGE, (0, 1, 1))
    wait_until(lambda: port.rates() == want, "the spots are counted")
    wait_until(lambda: port.told(evicted, project) == {}, "Nova shows that it is gone")
    assert port.told(needs, project) == {}
    # What another service finds anew, in Nova's deleted servers and the audit log.
    cloud.stop_evictors()
    (folder / "spot-lives.json").unlink()
    port = Port(cloud)
    wait_until(lambda: port.rates() == want, "the spots are counted anew")
