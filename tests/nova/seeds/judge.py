"""What must hold, checked at every order and every change of the cloud, and at the end.

"By what could be known" is taken literally: the judge hears what each thread of each process was
told by placement and Nova, and when. An order is right if it was needed at some moment between what
its thread had read last and the order's arrival, and if that reading was as new as the service
promises: older by the time that its requests took, and one second, at most.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

from seeds import START
from seeds.cloud import TAKEN, Cloud, Host, Instance
from seeds.evidence import Order, State, Told
from seeds.kernel import Kernel, Process, Thread
from seeds.lock_judge import LockJudge

#: A snapshot of Nova's servers may be so old when its reading ends (host_reconcile), seconds.
SNAPSHOT_S = 1.0
SLACK_S = 0.3
#: From the look at a host until a confirmation for it arrives, with what may hold it up, seconds.
_CONFIRM_S = 3.0


class Violation(Exception):
    """What must not happen."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class Judge:
    """Hears of everything and says what must not happen.

    Args:
        kernel, cloud: what is judged.
        settings: of the evictor.
    """

    def __init__(self, kernel: Kernel, cloud: Cloud, settings: dict[str, Any]) -> None:
        self.kernel = kernel
        self.cloud = cloud
        self.grace: float = settings["overcommit_grace"]
        self.deletion_timeout: float = settings["deletion_timeout"]
        self.per_host: int = settings["evictions_per_host"]
        self.interval: float = settings["reconcile_interval"]
        self.states: dict[str, list[State]] = {}
        self.freed_at: dict[str, float] = {}
        self.orders: list[Order] = []
        self.ended: dict[tuple[int, str], str] = {}
        self.by_host: dict[tuple[int, str], list[float]] = {}
        self.lock_lost: dict[str, float] = {}
        self.promised: dict[str, tuple[float, float]] = {}  # delivered: made at, due at
        self.broken_said: set[str] = set()
        self.locks = LockJudge(self)
        self.notice_s: float = settings["notice_seconds"]
        #: So long may an order wait for others after its check, seconds (executor).
        self.queue_s = 2.0 if settings["orders_at_once"] < 16 else 0.0
        self.off_since: dict[Any, float] = {}  # by machine: when evictions were switched off
        self.asked: Counter[tuple[int, str]] = Counter()
        self.races: dict[str, int] = {}
        self.has_script = False  # orders are given by hand: `contract`

    def violation(self, kind: str, text: str) -> None:
        self.kernel.trace("judge", "%s: %s", kind, text)
        self.kernel.broken(kind, Violation(kind, text))

    def race(self, kind: str) -> None:
        """Count what docs/nova/tested.md allows."""
        self.races[kind] = self.races.get(kind, 0) + 1

    # -- what is there -------------------------------------------------------------------------

    def used(self, host: Host) -> tuple[int, int]:
        """What is used of a host, with what is being deleted counted as gone."""
        vcpus = memory_mb = 0
        instances = self.cloud.instances
        for consumer, amounts in host.consumers.items():
            each = instances.get(consumer)
            if each is not None and each.is_leaving and self._is_fresh(each):
                continue
            if each is not None and each.failed_at <= self.kernel.now:
                continue  # nothing is to be evicted for it
            vcpus += amounts.get("VCPU", 0) + amounts.get("CUSTOM_SPOT_VCPU", 0)
            memory_mb += amounts.get("MEMORY_MB", 0) + amounts.get("CUSTOM_SPOT_MEMORY_MB", 0)
        return vcpus, memory_mb

    def _leaving(self, host: Host) -> tuple[tuple[float, int, int], ...]:
        """Return what counts as gone only until its deletion is stuck: when, and how much."""
        found = []
        for consumer, amounts in host.consumers.items():
            each = self.cloud.instances.get(consumer)
            if each is not None and each.task_state == "deleting" and self._is_fresh(each):
                vcpus = amounts.get("VCPU", 0) + amounts.get("CUSTOM_SPOT_VCPU", 0)
                memory_mb = amounts.get("MEMORY_MB", 0) + amounts.get("CUSTOM_SPOT_MEMORY_MB", 0)
                found.append((each.marked_at + self.deletion_timeout, vcpus, memory_mb))
        return tuple(found)

    def _is_fresh(self, instance: Instance) -> bool:
        return (
            instance.task_state != "deleting"
            or self.kernel.now - instance.marked_at < self.deletion_timeout
        )

    def changed(self, host: Host, freed: bool) -> None:
        states = self.states.setdefault(host.uuid, [])
        states.append(State(self.kernel.now, *self.used(host), self._leaving(host)))
        if freed:
            self.freed_at[host.uuid] = self.kernel.now

    def over(self, host: Host) -> bool:
        vcpus, memory_mb = self.used(host)
        capacity = host.shown.capacity()
        return vcpus > capacity[0] or memory_mb > capacity[1]

    # -- what processes are told ---------------------------------------------------------------

    def heard(self, thread: Thread, what: tuple[Any, ...], at: float) -> None:
        kind, subject, data = what
        process = thread.process
        if kind == "providers":
            process.facts["knows hosts"] = True
            for host in data:  # it counts as new when it is listed again
                process.facts.setdefault("told", {}).pop(host, None)
            return
        if kind == "server":
            thread.seen["server", subject.uuid] = at
            return
        if kind == "servers":
            thread.seen["servers", subject] = (at, thread.waited_s, process.frozen_s)
            for mark in data:
                process.facts.setdefault("seen deleting", {}).setdefault(mark, at)
            return
        if kind == "inventories":
            inventory = None if data is None else (data, thread.sent_at)
            thread.seen["inventory", subject.uuid] = inventory
            return
        thread.seen["consumers", subject.uuid] = (at, thread.waited_s, process.frozen_s)
        vcpus = memory_mb = 0
        for amounts in data.values():
            vcpus += amounts.get("VCPU", 0) + amounts.get("CUSTOM_SPOT_VCPU", 0)
            memory_mb += amounts.get("MEMORY_MB", 0) + amounts.get("CUSTOM_SPOT_MEMORY_MB", 0)
        thread.seen["held", subject.uuid] = (vcpus, memory_mb)
        inventory = thread.seen.pop(("inventory", subject.uuid), None)
        if inventory is None:
            return  # read again after an eviction: no state to go back to
        capacity, asked_at = inventory
        told = process.facts.setdefault("told", {}).setdefault(subject.uuid, Told())
        told.hear(asked_at, self.kernel.now, capacity, (vcpus, memory_mb), frozenset(data))
        # Another thread may be told something else before this one decides.
        mine = copy.copy(told)
        mine.now = capacity
        thread.seen["told", subject.uuid] = mine

    def answered(self, thread: Thread, path: str, body: Any, status: int) -> None:
        """Note that an order's answer was heard."""
        if "forceDelete" in body:
            spot = path.split("/")[2]
            for order in reversed(self.orders):
                if order.spot.uuid == spot and order.process is thread.process:
                    order.heard = True
                    return

    def asked_below(self, provider: str) -> None:
        """Judge a question about a provider below a host: a device is no host to be freed."""
        thread = self.kernel.current
        assert thread is not None
        process = thread.process
        self.asked[process.pid, provider] += "knows hosts" in process.facts
        if self.asked[process.pid, provider] > 9:  # what waited as it heard which are hosts
            self.violation("a device is taken for a host", f"{process.name} asks again and again")

    # -- orders --------------------------------------------------------------------------------

    def ordered(self, instance: Instance, status: int) -> None:
        """Judge an order to delete at the moment when it arrives."""
        if self.has_script:
            return
        kernel = self.kernel
        thread = kernel.current
        assert thread is not None
        process = thread.process
        kernel.trace(process.name, "orders that %s goes (answer %d)", instance.name, status)
        order = Order(instance, process, kernel.now, status == TAKEN)
        earlier = [
            each
            for each in self.orders
            if each.spot is instance and each.taken and each.at > instance.came_back_at
        ]
        self.orders.append(order)
        if not instance.is_spot:
            self.violation("a VM was ordered away", instance.name)
        if not self._has_intent(thread, instance):
            return
        order.provider = thread.intent["provider"]
        if instance.host is None or status != TAKEN:
            return
        if instance.task_state == "deleting":
            order.found_marked = True
            self._check_twice(thread, instance, earlier, order.provider)
            return
        if earlier:
            self.violation("ordered twice", f"{instance.name}, though nothing became of the first")
        self._check_switch(thread, instance)
        host = self.cloud.hosts[order.provider]
        if host is not instance.host:
            self.race("it moved meanwhile")
        if thread.intent["cause"] == "reserve":
            self._check_notice(thread, instance)
        else:
            self._check_need(thread, instance, host)
        self._check_stalled(thread, instance, host)

    def confirmed(self, instance: Instance) -> None:
        """Judge the confirmation of a resize: the host that it frees was short of late."""
        host, thread = instance.migration[0], self.kernel.current
        if self.has_script or thread is None:
            return
        since = min(thread.sent_at, self.kernel.now) - _CONFIRM_S - self.queue_s
        states = self.states[host.uuid]
        # What was at the beginning of that time is the last state before it.
        first = max((i for i, each in enumerate(states) if each.at <= since), default=0)
        told = thread.seen.get(("told", host.uuid))
        capacity = host.shown.capacity() if told is None else self._capacity(told)
        if not any(
            each.vcpus > capacity[0] or each.memory_mb > capacity[1] for each in states[first:]
        ):
            self.violation("confirmed for nobody", f"{instance.name}, which holds {host.name}")

    def _check_switch(self, thread: Thread, spot: Instance) -> None:
        """What is stuck is reset between the look at the switch and the order."""
        off_since = self.off_since.get(thread.process.machine, thread.sent_at)
        if off_since < thread.sent_at and spot.came_back_at < 0:
            self.violation("ordered while switched off", spot.name)

    def _check_notice(self, thread: Thread, spot: Instance) -> None:
        """A spot that goes for a reserve was told, and has had its time."""
        if spot.may_be_untold or (spot.told is None and spot.vm_state != "active"):
            self.race("Nova did not change its metadata")
        elif spot.told is None and thread.sent_at < spot.untold_at:
            self.race("its notice was withdrawn as the order was on its way")
        elif spot.told is None:
            self.violation("evicted untold", spot.name)
        else:
            at, process = spot.told
            if process is thread.process and thread.sent_at - at < self.notice_s - 0.01:
                text = f"{spot.name} was told {thread.sent_at - at:.1f} s before"
                self.violation("evicted before its time", text)

    def _has_intent(self, thread: Thread, spot: Instance) -> bool:
        if thread.intent is not None:
            return True
        self.violation("no record", f"{spot.name} was ordered and not in the audit log before")
        return False

    def _check_twice(
        self, thread: Thread, spot: Instance, earlier: list[Order], provider: str
    ) -> None:
        process = thread.process
        seen = thread.seen.get(("server", spot.uuid), 0.0)
        if seen > spot.marked_at:
            self.violation("ordered twice", f"{spot.name} was seen being deleted")
        if not earlier:
            self.race("deleted by its owner meanwhile")
            return
        last = earlier[-1]
        if last.at > thread.sent_at:
            self.race("an order without an answer was repeated")
        elif last.provider != provider:  # each under the lock of its host
            self.race("it was ordered on two hosts, as it moved meanwhile")
        elif last.process is process and last.heard:
            self.violation("ordered twice", f"{spot.name}, though Nova had answered")
        elif last.process is not process and last.heard and not self._lock_was_lost(spot.host):
            self.violation("ordered twice", f"{spot.name}, by {last.process.name} before")
        else:
            self.race("an order without an answer was repeated")

    def _lock_was_lost(self, host: Host | None) -> bool:
        return host is not None and self.kernel.now - self.lock_lost.get(host.uuid, -1e9) < 120

    def _check_need(self, thread: Thread, spot: Instance, host: Host) -> None:
        process = thread.process
        told = thread.seen.get(("told", host.uuid))
        consumers = thread.seen.get(("consumers", host.uuid))
        servers = thread.seen.get(("servers", host.name))
        if told is None or consumers is None or servers is None:
            self.violation("blind order", f"{spot.name}: {host.name} was not looked at")
            return
        if consumers[0] <= thread.seen.get(("ordered", host.uuid), -1.0):
            self.violation("blind order", f"{spot.name}: nothing was read since the last order")
        thread.seen["ordered", host.uuid] = thread.sent_at
        since = min(
            self._known_since(thread, *consumers, SLACK_S + self.queue_s),
            self._known_since(thread, *servers, SNAPSHOT_S + SLACK_S + self.queue_s),
        )
        capacity = self._capacity(told)
        same_look = [
            order
            for order in self.orders
            if order.process is process
            and order.host is host
            and order.taken
            and not order.found_marked
            and order.spot is not spot
            and order.at >= since
        ]
        if not self._was_short(host, since, capacity, same_look):
            if self._lock_was_lost(host):
                self.race("a lock had expired")
                return
            held = thread.seen["held", host.uuid]
            is_fresh = since == min(consumers[0], servers[0])
            was_held = held[0] > capacity[0] or held[1] > capacity[1]
            if is_fresh and was_held and self._deletion_since(host, since):
                self.race("a deletion began between two questions")
                return
            were_here = [each for each in self.cloud.instances.values() if each.host is host]
            if any(each.unclear_until > since for each in were_here):
                self.race("a spot that had just changed was shown as before its order")
                return
            self.violation(
                "not needed",
                f"{spot.name} on {host.name}: {self.used(host)} used of {capacity}, "
                f"since {since:.2f}",
            )
            return
        current = self.used(host)
        if current[0] <= capacity[0] and current[1] <= capacity[1]:
            self.race("something went after the last look")
            return
        if self.kernel.now - thread.sent_at > 1.0:
            self.race("it arrived late")
            return
        self._check_start(process, host, told)
        if self.freed_at.get(host.uuid, -1.0) < since:
            self._check_race(thread, spot, host, told)

    def _deletion_since(self, host: Host, since: float) -> bool:
        """Tell whether something of a host began to be deleted since then."""
        instances = (self.cloud.instances.get(consumer) for consumer in host.consumers)
        return any(each and each.is_leaving and each.marked_at >= since for each in instances)

    def _known_since(
        self, thread: Thread, at: float, waited_s: float, frozen_s: float, most: float
    ) -> float:
        """When the reading was made that an order goes by; later if it was too old to go by."""
        sent = thread.sent_at
        busy = thread.waited_s - waited_s + thread.process.frozen_s - frozen_s
        idle = sent - at - busy
        return at if idle <= most else sent - most

    def _capacity(self, told: Told) -> tuple[int, int]:
        before = told.capacity
        if before is None or told.shrunk_since is None:
            return told.now
        if self.kernel.now - told.shrunk_since >= self.grace:
            return told.now
        return max(before[0], told.now[0]), max(before[1], told.now[1])

    def _was_short(
        self, host: Host, since: float, capacity: tuple[int, int], ordered: list[Order]
    ) -> bool:
        """Tell whether a host was short at some moment since then, without what was `ordered`."""
        vcpus, memory_mb = self.used(host)
        if vcpus > capacity[0] or memory_mb > capacity[1]:
            return True
        until = self.kernel.now
        for state in reversed(self.states[host.uuid]):
            vcpus, memory_mb = state.used(until)
            until = state.at
            later = [order.spot.amounts for order in ordered if order.at > state.at]
            ordered_vcpus = sum(amounts.get("CUSTOM_SPOT_VCPU", 0) for amounts in later)
            ordered_mb = sum(amounts.get("CUSTOM_SPOT_MEMORY_MB", 0) for amounts in later)
            if vcpus - ordered_vcpus > capacity[0] or memory_mb - ordered_mb > capacity[1]:
                return True
            if state.at < since:
                break
        return False

    def _check_start(self, process: Process, host: Host, told: Told) -> None:
        """A service that has just started knows no former capacity: what is old has its time."""
        if told.capacity is not None or self.kernel.now - process.started_at >= self.grace:
            return
        if self.cloud.clock_was_set:
            return
        skew = self.cloud.skew
        if process.facts.get("first date") is None:  # until there is one its machine's clock counts
            skew = min(skew, process.machine.skew)
        oldest = START + process.started_at + skew - self.grace
        vcpus = memory_mb = 0
        for consumer, amounts in host.consumers.items():
            each = self.cloud.instances.get(consumer)
            if each is None or each.has_moved or each.created > oldest - 2 or each.is_leaving:
                return  # somebody has come, or goes
            vcpus += amounts.get("VCPU", 0) + amounts.get("CUSTOM_SPOT_VCPU", 0)
            memory_mb += amounts.get("MEMORY_MB", 0) + amounts.get("CUSTOM_SPOT_MEMORY_MB", 0)
        self.violation(
            "evicted at once after a start", f"on {host.name}, where nobody has come lately"
        )

    def _check_race(self, thread: Thread, spot: Instance, host: Host, told: Told) -> None:
        """No spot goes for one that came later, but for one that was promised to live on."""
        if told.capacity is None or told.shrunk_since is not None:
            return
        if spot.uuid not in told.consumers or spot.has_moved:
            return
        if spot.status == "SOFT_DELETED" or spot.marks:
            return  # what was to go already goes first
        for consumer in host.consumers:
            each = self.cloud.instances.get(consumer)
            if each is None:
                return
            if not each.is_spot and (consumer not in told.consumers or each.has_moved):
                return
        if self._has_grown(host, told):
            return
        came = set(host.consumers) - told.consumers
        if spot.uuid not in self.promised and not came.isdisjoint(self.promised):
            self.race("in place of a promised one")
            return
        if thread.intent["chosen_by"] == "note":
            self.race("an order that may be under way went first")
            return
        self.violation("an older spot went for a newer one", f"{spot.name} on {host.name}")

    def _has_grown(self, host: Host, told: Told) -> bool:
        grown = self.cloud.grown_at.get(host.uuid)
        return grown is not None

    def _check_stalled(self, thread: Thread, spot: Instance, host: Host) -> None:
        """Where a deletion is stuck, or two were given up, no other is ordered until one goes."""
        read_at = thread.seen.get(("servers", host.name), (0.0,))[0]
        given_up = {
            order.spot.uuid
            for order in self.orders
            if order.process is thread.process
            and order.taken  # what Nova refused, the compute has not given up
            and order.heard
            and order.spot.uuid in host.consumers
            and order.spot.task_state is None
            and order.at < order.spot.came_back_at < read_at
            and self.freed_at.get(host.uuid, -1.0) < order.at
        }
        seemed_freed = any(
            order.process is thread.process
            and order.host is host
            and order.spot.uuid in given_up
            and order.end == "freed"
            and not order.spot.deleted
            for order in self.orders
        )
        if len(given_up) > 1 and not spot.marks:
            if seemed_freed:
                self.race("it moved meanwhile")  # and its host held it anew when it did not arrive
            else:
                self.violation(
                    "a host that frees nothing lost another spot", f"{spot.name} on {host.name}"
                )
        first_seen = thread.process.facts.get("seen deleting", {})
        for consumer in () if spot.marks else host.consumers:
            each = self.cloud.instances.get(consumer)
            if each is None or not each.is_spot or each.task_state != "deleting":
                continue
            since = first_seen.get((each.uuid, each.marks), read_at)
            if read_at - since <= self.deletion_timeout + SLACK_S:
                continue
            if self.freed_at.get(host.uuid, 0.0) < each.marked_at:
                self.violation(
                    "a host that frees nothing lost another spot", f"{spot.name} on {host.name}"
                )

    # -- where spots are sent ------------------------------------------------------------------

    def spot_was_sent(self, spot: Instance, host: Host, held: dict[str, dict[str, int]]) -> None:
        """Judge a host that a scheduler chose for a spot, by what placement had just told it.

        Whatever may seem to be leaving counts as gone.
        """
        vcpus, memory_mb = spot.vcpus, spot.memory_mb
        for consumer, amounts in held.items():
            each = self.cloud.instances.get(consumer)
            if each is spot or (each is not None and self._may_seem_gone(each)):
                continue
            vcpus += amounts.get("VCPU", 0) + amounts.get("CUSTOM_SPOT_VCPU", 0)
            memory_mb += amounts.get("MEMORY_MB", 0) + amounts.get("CUSTOM_SPOT_MEMORY_MB", 0)
        if vcpus > host.most[0] or memory_mb > host.most[1]:
            self.violation(
                "a spot was sent to a full host",
                f"{spot.name}: {host.name} would use {(vcpus, memory_mb)} of {host.most}",
            )

    def _may_seem_gone(self, instance: Instance) -> bool:
        return (
            instance.is_leaving
            or instance.marks > 0
            or instance.has_moved
            or instance.status not in ("ACTIVE", "BUILD")
        )

    # -- records -------------------------------------------------------------------------------

    def appended(self, path: str, data: bytes) -> None:
        """Read a line of the audit log as it is written."""
        if not path.endswith("audit.jsonl") or not data.endswith(b"\n"):
            return
        record = json.loads(data)
        event = record["event"]
        spot = record.get("instance", "")
        pid = int(record["who"].rpartition(":")[2])
        if event == "intent":
            self.ended.pop((pid, spot), None)
            thread = self.kernel.current
            assert thread is not None
            thread.intents[spot] = record
            self._check_limit(pid, record["provider"])
            self.kernel.trace(
                "audit", "intent: %s, %s, chosen by %s", record["name"], record["why"],
                record["chosen_by"],
            )  # fmt: skip
        elif event in ("freed", "failed", "gone"):
            self.ended[pid, spot] = event
            ordered = (each for each in reversed(self.orders) if each.spot.uuid == spot)
            if last := next((each for each in ordered if each.process.pid == pid), None):
                last.end = event
            self.kernel.trace("audit", "%s: %s %s", event, record["name"], record.get("error", ""))
            if record.get("order") == "none":  # not given, so it counts for no limit
                self.by_host[pid, record["provider"]].pop()
                thread = self.kernel.current
                assert thread is not None
                thread.intents.pop(spot, None)
            if event == "freed":
                self._check_freed(spot, record["provider"])
        elif event == "promise_broken":
            self.broken_said.add(spot)

    def _check_limit(self, pid: int, provider: str) -> None:
        times = self.by_host.setdefault((pid, provider), [])
        times.append(self.kernel.now)
        lately = [at for at in times if self.kernel.now - at < self.interval - 0.01]
        if 0 < self.per_host < len(lately):
            self.violation("more at once than the limit", f"{len(lately)} spots of one host")

    def _check_freed(self, spot: str, provider: str) -> None:
        host = self.cloud.hosts[provider]
        if spot in host.consumers:
            self.violation(
                "freed, says the audit log", f"{self.cloud.instances[spot].name} holds {host.name}"
            )

    def unreadable(self, data: bytes) -> int:
        """Count the lines of an audit log that are a record with something before or after it."""
        bad = 0
        for line in data.splitlines():
            try:
                json.loads(line)
            except ValueError:
                bad += line.count(b'{"time"') > 1
        return bad

    def delivered(self, process: Process, event_type: str, message: Any) -> None:
        if event_type == "cospot.promise":
            self.promised.setdefault(
                message["instance"],
                (message["made_at"], message["made_at"] + message["lifetime_s"]),
            )

    # -- the end -------------------------------------------------------------------------------

    def open_orders(self) -> list[Order]:
        """Return the orders that were taken and whose end their process has not written down."""
        return [
            order
            for order in self.orders
            if order.taken
            and order.heard
            and order.process.alive
            and (order.process.pid, order.spot.uuid) not in self.ended
        ]

    def is_calm(self) -> bool:
        """Tell whether nothing is overcommitted, being deleted or ordered."""
        if self.open_orders():
            return False
        for host in self.cloud.hosts.values():
            vcpus = memory_mb = 0
            for consumer, amounts in host.consumers.items():
                each = self.cloud.instances.get(consumer)
                if each is not None and (each.task_state == "deleting" or each.deleted):
                    return False
                if each is not None and each.failed_at <= self.kernel.now:
                    continue
                vcpus += amounts.get("VCPU", 0) + amounts.get("CUSTOM_SPOT_VCPU", 0)
                memory_mb += amounts.get("MEMORY_MB", 0) + amounts.get("CUSTOM_SPOT_MEMORY_MB", 0)
            capacity = host.shown.capacity()
            if vcpus > capacity[0] or memory_mb > capacity[1]:
                return not self._can_be_helped(host)
        return True

    def _can_be_helped(self, host: Host) -> bool:
        """Tell whether there is a spot whose eviction would free what is short."""
        for index, name in enumerate(("VCPU", "MEMORY_MB")):
            vms = sum(amounts.get(name, 0) for amounts in host.consumers.values())
            all_of_it = vms + sum(
                amounts.get(f"CUSTOM_SPOT_{name}", 0) for amounts in host.consumers.values()
            )
            capacity = host.shown.capacity()[index]
            if vms <= capacity < all_of_it:
                return True
        return False
