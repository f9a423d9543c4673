"""Spots that the evictor service leaves alone, and clouds that do not answer as they should."""

from __future__ import annotations

import time
import uuid
from typing import Any

import pytest
from cospot.nova.evictor import service as service_module
from evictor_running import Running, metric, plan_message, send
from waiting import PATIENCE_S, wait_until


def full_host(running: Running, **odd: Any) -> tuple[str, str, str]:
    """A host of 8 vCPUs with an odd spot of 4, placed first, a usual one of 4, a VM of 4."""
    host = running.cloud.add_host("a")
    oddity = running.cloud.add(host, 4, 1024, spot=True, **odd)
    usual = running.cloud.add(host, 4, 1024, spot=True)
    running.cloud.add(host, 4, 1024, spot=False)
    return host, oddity, usual


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({"extra_specs": {}}, id="a flavor that is no spot's"),
        pytest.param({"extra_specs": {"resources:CUSTOM_SPOT_VCPU": "0"}}, id="0 spot vCPUs"),
        pytest.param({"host": "b"}, id="already on another host"),
        pytest.param({"host": None}, id="not on a host yet"),
        pytest.param({"has_server": False}, id="no server of Nova"),
    ],
)
def test_what_is_no_spot_of_this_host_stays(running, odd):
    host, oddity, usual = full_host(running, **odd)
    running.start()
    wait_until(lambda: bool(running.events("freed")), "the usual spot is evicted")
    running.reconciles()
    assert running.cloud.deleted == [usual]
    assert oddity in running.cloud.hosts[host].consumers


def test_a_host_without_an_inventory_is_left_alone(running, caplog):
    host, *_ = full_host(running)
    running.cloud.change(host, missing=("MEMORY_MB",))
    service = running.start()
    running.reconciles(5)
    assert running.cloud.deleted == []
    lines = [each for each in caplog.records if "has no inventory of MEMORY_MB" in each.message]
    assert len(lines) == 1 and "host a" in lines[0].message
    assert metric(service, "errors_total", where="inventory") > 0


def test_a_provider_that_is_no_compute_node_is_left_alone(running):
    host, *_ = full_host(running)
    running.cloud.hosts[host].is_compute = False
    running.start()
    running.reconciles(5)
    assert running.cloud.deleted == []


def test_vms_alone_beyond_the_room_take_all_spots_or_none(running):
    host = running.cloud.add_host("a")
    spots = [running.cloud.add(host, 1, 1024, spot=True) for _ in range(2)]
    running.cloud.add(host, 9, 1024, spot=False)
    running.start()
    running.reconciles(3)
    assert running.cloud.deleted == []
    running.services.pop().stop()
    running.start(evict_if_insufficient=True)
    wait_until(lambda: len(running.events("freed")) == 2, "both spots are evicted")
    assert running.cloud.deleted == spots


def test_ratio_and_reserve_count_as_in_placement(running):
    # (8 - 2) * 1.5 = 9 vCPUs and (8192 - 2) * 1.5 MiB: 9 used are all right, 10 are one too many.
    host = running.cloud.add_host("a", ratio=1.5, reserved=2)
    spot = running.cloud.add(host, 1, 1024, spot=True)
    running.cloud.add(host, 8, 1024, spot=False)
    running.start()
    running.reconciles(5)
    assert running.cloud.deleted == []
    running.cloud.add(host, 1, 1024, spot=False)
    wait_until(lambda: running.cloud.deleted == [spot], "the spot is evicted")


@pytest.mark.parametrize("status", [401, 409, 500, 502, 503])
@pytest.mark.parametrize("what", ["/placement/resource_providers", "/nova/servers", "POST /nova"])
def test_services_that_fail_for_a_while_are_asked_again(running, status, what):
    _, first, _ = full_host(running)
    running.cloud.refuse(what, status, times=2)
    running.start()
    wait_until(lambda: bool(running.events("freed")), "the spot is evicted in the end")
    running.reconciles()
    assert running.cloud.deleted == [first]


def test_a_deletion_without_an_answer_is_asked_for_again(running):
    # The order is taken late: after the service has given up waiting for the answer.
    host, first, _ = full_host(running)
    running.cloud.refuse("POST /nova", 504, times=1)
    service = running.start(evictor="YJF", reconcile_interval=30)
    wait_until(lambda: bool(running.events("freed")), "a spot is evicted")
    youngest = running.cloud.deleted[0]
    assert youngest != first
    assert [each["chosen_by"] for each in running.events("intent")] == ["YJF", "note"]
    assert metric(service, "failed_evictions_total") == 1
    assert not list((running.folder / "state" / "deletions").glob(f"{host}*"))


def test_a_spot_that_does_not_go_is_reported(running):
    _, first, _ = full_host(running)
    running.cloud.freeing_takes = 1.5
    service = running.start(freed_timeout=1)
    wait_until(lambda: bool(running.events("late")), "the report")
    assert metric(service, "late_spots") == 1
    (late,) = running.events("late")
    assert (late["instance"], late["timeout"]) == (first, 1.0)
    wait_until(lambda: bool(running.events("freed")), "it is evicted after all")
    running.reconciles()
    assert running.cloud.deleted == [first]
    (freed,) = running.events("freed")
    assert freed["instance"] == first and freed["seconds"] >= 1.5
    assert running.events("failed") == []
    assert metric(service, "failed_evictions_total") == 0
    assert metric(service, "late_evictions_total") == 1
    assert metric(service, "late_spots") == 0
    assert metric(service, "delete_to_freed_seconds_count") == 1


def test_a_late_spot_of_which_nova_says_nothing_hides_no_other(running, caplog):
    """Two spots are late; each question about one is answered by 500, the other is back."""
    host, *spots = full_host(running)
    running.cloud.add(host, 4, 1024, spot=False)  # which needs the second one, too
    running.cloud.never_goes.update(spots)
    service = running.start(freed_timeout=1, reconcile_interval=600)
    wait_until(lambda: metric(service, "late_spots") == 2, "the report")
    wait_until(lambda: not service._queue.is_waiting(host), "what the reports led to")
    bad, good = service._freed._late
    running.cloud.refuse(f"/servers/{bad}")
    running.cloud.instances[good].task_state = None
    wait_until(lambda: bool(running.events("failed")), "it is noted")
    assert [each["instance"] for each in running.events("failed")] == [good]
    asked = metric(service, "errors_total", where="freed-watch")
    wait_until(lambda: metric(service, "errors_total", where="freed-watch") > asked, "one more")
    said = [each for each in caplog.messages if "cannot see what is freed" in each]
    assert len(said) == 1


def test_a_service_that_ends_does_not_wait_for_what_is_late(running, monkeypatch):
    monkeypatch.setattr(service_module, "_LAST_PATIENCE_S", PATIENCE_S)
    _, first, _ = full_host(running)
    running.cloud.never_goes.add(first)
    service = running.start(freed_timeout=1)
    wait_until(lambda: bool(running.events("late")), "the report")
    running.services.remove(service)
    began = time.monotonic()
    service.stop()
    assert time.monotonic() - began < PATIENCE_S  # in which others may go


@pytest.mark.parametrize(
    "answer",
    [
        *(b"", b"[]", b"{}", b"{", b'{"inventories": [], "allocations": []}', b"\xff\xfe"),
        pytest.param(b'{"a":' * 100_000, id="deep"),
        b'{"inventories": {"VCPU": {"total": 1e999, "reserved": 0, "allocation_ratio": 1.0}},'
        b' "allocations": {"a": {"resources": {"VCPU": 1e999}}}}',
    ],
)
@pytest.mark.parametrize("what", ["inventories", "allocations"])
def test_a_host_whose_answers_make_no_sense_keeps_no_other_from_being_freed(running, what, answer):
    bad, _, _ = full_host(running)
    usual = running.cloud.add_host("usual")
    spot = running.cloud.add(usual, 8, 1024, spot=True)
    running.cloud.refuse(f"/placement/resource_providers/{bad}/{what}", answer)
    service = running.start()
    running.cloud.add(usual, 4, 1024, spot=False)
    wait_until(lambda: running.cloud.deleted == [spot], "the other host is freed")
    assert metric(service, "errors_total", where="reconcile") > 0
    running.cloud.accept()
    wait_until(lambda: len(running.cloud.deleted) == 2, "this one, too")


@pytest.mark.parametrize(
    ("where", "what", "answer"),
    [
        *(("reconcile", "/", answer) for answer in (b"", b"[]", b"{}", b"not json")),
        ("reconcile", "/", b'{"allocations": {"a": 1}}'),
        ("pass", "/servers/detail", b"{}"),
        ("pass", "/servers/detail", b'{"servers": {}}'),
        ("pass", "/servers/detail", b'{"servers": [1, null]}'),
        ("pass", "/servers/detail", b'{"servers": [{"flavor": {}}]}'),
        ("pass", "/servers/detail", b'{"servers": [], "servers_links": [{"rel": "next"}'),
    ],
)
def test_answers_that_make_no_sense_evict_nothing(running, where, what, answer, caplog):
    full_host(running)
    running.cloud.refuse(what, answer)
    service = running.start()
    send(service, plan_message(str(uuid.uuid4()), {}))
    wait_until(lambda: metric(service, "errors_total", where=where) > 2, "errors")
    assert running.cloud.orders == [] and "Traceback" not in caplog.text
    running.cloud.accept()
    wait_until(lambda: len(running.cloud.deleted) == 1, "it is freed")


def evacuated(running: Running, moves: list[dict[str, Any]]) -> str:
    """A spot on host b that still holds its capacity on a, whose compute is dead; a VM needs b."""
    dead, host = running.cloud.add_host("a"), running.cloud.add_host("b")
    spot = running.cloud.add(host, 8, 1024, spot=True, also_on=dead, moves=moves)
    running.cloud.add(host, 8, 1024, spot=False)
    return spot


def move(kind: str, status: str, source: str = "a") -> dict[str, Any]:
    """A migration as Nova shows it."""
    return {
        "migration_type": kind, "status": status, "source_compute": source, "source_node": source,
        "dest_compute": "b", "dest_node": "b",
    }  # fmt: skip


@pytest.mark.parametrize(
    "moves",
    [
        pytest.param([move("evacuation", "done")], id="once"),
        pytest.param(
            [move("evacuation", "done"), move("live-migration", "error", "c")],
            id="and a move that failed",
        ),
        pytest.param([move("evacuation", "completed")], id="its old host is just back"),
    ],
)
def test_an_evacuated_spot_is_evicted_on_its_new_host(running, moves):
    spot = evacuated(running, moves)
    running.start()
    wait_until(lambda: running.cloud.deleted == [spot], "the spot is evicted")
    assert running.events("refused") == []


@pytest.mark.parametrize(
    "moves",
    [
        pytest.param([], id="Nova knows of no move"),
        pytest.param([move("evacuation", "accepted")], id="it is being evacuated"),
        pytest.param([move("evacuation", "pre-migrating")], id="it is being built anew"),
        pytest.param([move("evacuation", "error")], id="its evacuation failed"),
        pytest.param([move("evacuation", "done", "c")], id="it was evacuated from elsewhere"),
        pytest.param([move("resize", "finished")], id="a resize waits to be confirmed"),
        pytest.param([move("live-migration", "running")], id="it migrates"),
        pytest.param(
            [move("live-migration", "running"), move("evacuation", "done")],
            id="it migrates after it was evacuated",
        ),
    ],
)
def test_a_spot_that_moves_is_refused(running, moves):
    evacuated(running, moves)
    service = running.start()
    wait_until(
        lambda: metric(service, "refusals_total", reason="several-providers") > 0, "the refusal"
    )
    running.reconciles()
    assert running.cloud.deleted == []


def test_nothing_goes_for_a_dead_host_that_a_spot_has_left(running):
    # On host a 8 of 8 vCPUs are held by the spot that b has now, and 8 by a VM.
    spot = evacuated(running, [move("evacuation", "done")])
    running.cloud.remove(next(each for each in running.cloud.there if each != spot))
    running.cloud.add(next(iter(running.cloud.hosts)), 8, 1024, spot=False)
    running.start()
    running.reconciles(5)
    assert running.cloud.deleted == []


def test_whether_a_spot_was_evacuated_may_not_be_for_the_service_to_ask(running, caplog):
    evacuated(running, [move("evacuation", "done")])
    running.cloud.refuse("/os-migrations", 403)
    service = running.start()
    wait_until(
        lambda: metric(service, "refusals_total", reason="several-providers") > 0, "the refusal"
    )
    assert "was evacuated: nova GET /os-migrations" in caplog.text
    assert running.cloud.deleted == []
