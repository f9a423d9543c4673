"""When spots ran, as `cospot-nova bill` reads it from what the real Nova notes of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from cospot.nova.tools.bill.server_time import ServerTime, is_spot, server_time
from cospot_test_case import CospotTestCase

#: Nova keeps whole seconds; what is told apart takes longer.
CLOSE = 1.0
PAUSE = 2.5
#: Before something was asked for, and after it was done: Nova notes a time between these.
Moment = tuple[float, float]


def during(action: Callable[[], Any]) -> Moment:
    before = time.time()
    action()
    return before, time.time()


class ServerTimeTest(CospotTestCase):
    """One spot, and what an owner does with it."""

    def setUp(self) -> None:
        super().setUp()
        self.flags(shelved_offload_time=0, allow_resize_to_same_host=True)
        self.started = during(self._boot)
        self.began = self.started[0]

    def _boot(self) -> None:
        self.spot = self.boot(self.spot_flavor)

    def read(self) -> ServerTime:
        self.admin_api.microversion = "2.73"
        (row,) = [
            row
            for deleted in ("false", "true")
            for row in self.ask(f"/servers/detail?all_tenants=1&deleted={deleted}")["servers"]
            if row["id"] == self.spot["id"]
        ]
        assert is_spot(row)
        actions = self.ask(f"/servers/{self.spot['id']}/os-instance-actions")["instanceActions"]
        return server_time(row, actions, self.began, time.time() + 60)

    def ask(self, path: str) -> Any:
        return self.admin_api.api_get(path).body

    def delete(self) -> Moment:
        time.sleep(PAUSE)
        return during(lambda: self._delete_server(self.spot))

    def assert_spans(self, found: ServerTime, *expected: tuple[Moment, Moment]) -> None:
        for span, wanted in zip(found.spans, expected, strict=True):
            for moment, (before, after) in zip(span, wanted, strict=True):
                assert moment is not None, (found.spans, expected)
                assert before - CLOSE < moment < after + CLOSE, (found.spans, expected)

    def test_a_spot_that_is_deleted(self) -> None:
        asked = self.delete()
        found = self.read()
        self.assert_spans(found, (self.started, asked))
        assert found.review == set()
        assert (found.flavor, found.vcpus) == ("spot", 5)

    def test_what_launches_it_anew_does_not_start_it_anew(self) -> None:
        time.sleep(PAUSE)
        self._rebuild_server(self.spot, "155d900f-4e14-4e4c-a73d-069cbf4541e6")
        asked = self.delete()
        found = self.read()
        self.assert_spans(found, (self.started, asked))
        assert found.review == set()

    def test_the_time_from_shelving_to_unshelving_is_left_out(self) -> None:
        time.sleep(PAUSE)
        shelved = during(lambda: self._shelve_server(self.spot))
        time.sleep(PAUSE)
        unshelved = during(lambda: self._unshelve_server(self.spot))
        asked = self.delete()
        found = self.read()
        self.assert_spans(found, (self.started, shelved), (unshelved, asked))
        assert len(found.shelved) == 1 and found.review == set()

    def test_a_resized_one_is_to_be_reviewed(self) -> None:
        time.sleep(PAUSE)
        smaller = self._create_flavor(
            name="small",
            vcpu=2,
            memory_mb=512,
            disk=1,
            ephemeral=0,
            extra_spec={"resources:VCPU": "0", "resources:CUSTOM_SPOT_VCPU": "2"},
        )
        self._resize_server(self.spot, smaller)
        self._confirm_resize(self.spot)
        asked = self.delete()
        found = self.read()
        self.assert_spans(found, (self.started, asked))
        assert (found.flavor, found.vcpus, found.review) == ("small", 2, {"resized"})

    def test_a_soft_deleted_one_that_is_restored(self) -> None:
        self.flags(reclaim_instance_interval=3600)
        time.sleep(PAUSE)
        deleted = during(self._soft_delete)
        self.assert_spans(self.read(), (self.started, deleted))
        time.sleep(PAUSE)
        restored = during(self._restore)
        self.flags(reclaim_instance_interval=0)
        asked = self.delete()
        found = self.read()
        self.assert_spans(found, (self.started, deleted), (restored, asked))
        assert found.review == {"restored"}

    def _soft_delete(self) -> None:
        self.api.delete_server(self.spot["id"])
        self._wait_for_server_parameter({"id": self.spot["id"]}, {"status": "SOFT_DELETED"})

    def _restore(self) -> None:
        self.api.post_server_action(self.spot["id"], {"restore": None})
        self._wait_for_state_change(self.spot, "ACTIVE")
