"""Judges the locks that tell owners why their spots go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seeds.cloud import Instance
from seeds.evidence import Order

if TYPE_CHECKING:
    from seeds.judge import Judge


class LockJudge:
    """Hears of locks, and says which must not be.

    Args:
        judge: knows the orders, and is told what must not happen.
    """

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.locks: dict[str, Order] = {}  # by the spot that its process locked
        self.unlocks: dict[str, float] = {}  # when it was sent that one is to be unlocked

    def sent(self, path: str, body: Any) -> None:
        """Note what is on its way, whether or not it arrives."""
        if "unlock" in body:
            self.unlocks[path.split("/")[2]] = self.judge.kernel.now

    def locked(self, spot: Instance) -> None:
        """Judge a lock that is to tell an owner why a spot goes, when it arrives."""
        if self.judge.has_script:
            return
        thread = self.judge.kernel.current
        assert thread is not None
        ordered = [
            each
            for each in self.judge.orders
            if each.spot is spot and each.taken and each.process is thread.process
        ]
        if not ordered:
            self.judge.violation("locked without an order", spot.name)
            return
        self.locks[spot.uuid] = ordered[-1]
        if spot.locked_by != "owner":
            return
        host = self.judge.cloud.hosts[ordered[-1].provider]
        read = [thread.seen.get(("server", spot.uuid), self.judge.kernel.now)]
        read += [thread.seen.get(("servers", host.name), (self.judge.kernel.now,))[0]]
        if spot.locked_at < min(read):
            self.judge.violation("its owner's lock was replaced", spot.name)
        else:
            self.judge.race("its owner locked it meanwhile")

    def check(self) -> None:
        """Judge at the end whether spots that did not go are unlocked."""
        for uuid, order in self.locks.items():
            spot = self.judge.cloud.instances[uuid]
            if spot.deleted or spot.locked_by != "admin":
                continue
            again = [
                each for each in self.judge.orders if each.spot is spot and each.at >= order.at
            ]
            if self.unlocks.get(uuid, -1.0) >= order.at:
                self.judge.race("Nova did not take an unlock, or took the lock later")
            elif self.judge.ended.get((order.process.pid, uuid)) == "freed":
                self.judge.race("it left its host alive, and stays locked")
            elif any(each.process.alive for each in again if each is order or each.heard):
                self.judge.violation("it did not go and stays locked", spot.name)
            else:
                self.judge.race("it stays locked, as its service was killed")
