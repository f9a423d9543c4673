"""What a process was told, what was so, and what was ordered: the judge goes by these."""

from __future__ import annotations

from dataclasses import dataclass

from seeds.cloud import Instance
from seeds.kernel import Process


class Told:
    """What a process was told of a host, as far as it matters.

    Attributes:
        capacity: when it was last told that the host is within its capacity; None: never.
        consumers: those that the host had then.
        shrunk_since: since when it is told a smaller capacity; None: it is not.
        asked_at: when it asked for that; what it had asked for before and hears later is older.
    """

    __slots__ = ("asked_at", "capacity", "consumers", "now", "shrunk_since")

    def __init__(self) -> None:
        self.asked_at = 0.0
        self.capacity: tuple[int, int] | None = None
        self.consumers: frozenset[str] = frozenset()
        self.shrunk_since: float | None = None
        self.now: tuple[int, int] = (0, 0)

    def hear(
        self,
        asked_at: float,
        at: float,
        capacity: tuple[int, int],
        held: tuple[int, int],
        consumers: frozenset[str],
    ) -> None:
        """Take note of an answer, if it is no older than the last."""
        if asked_at < self.asked_at:
            return
        self.asked_at, before = asked_at, self.capacity
        if held[0] <= capacity[0] and held[1] <= capacity[1]:
            self.capacity, self.consumers, self.shrunk_since = capacity, consumers, None
        elif before is None or (capacity[0] >= before[0] and capacity[1] >= before[1]):
            self.shrunk_since = None
        elif self.shrunk_since is None:
            self.shrunk_since = at


class Order:
    """An order to delete.

    Attributes:
        host: where its spot was when it arrived.
        provider: of the host for which it was given.
        end: the event by which its process wrote down what became of it.
    """

    __slots__ = (
        "at", "end", "found_marked", "heard", "host", "process", "provider", "spot", "taken",
    )  # fmt: skip

    def __init__(self, spot: Instance, process: Process, at: float, taken: bool) -> None:
        self.spot, self.process, self.at, self.taken = spot, process, at, taken
        self.host = spot.host
        self.heard = False
        self.found_marked = False
        self.provider = self.end = ""


@dataclass(frozen=True)
class State:
    """What was used of a host from some moment on.

    Attributes:
        at: that moment.
        vcpus, memory_mb: what is being deleted counts as gone.
        leaving: of that: until when it does, and what it then counts as.
    """

    at: float
    vcpus: int
    memory_mb: int
    leaving: tuple[tuple[float, int, int], ...]

    def used(self, until: float) -> tuple[int, int]:
        """Return what was used right before a moment, if nothing else had changed by then."""
        back = [each for each in self.leaving if each[0] < until]
        return (
            self.vcpus + sum(vcpus for _, vcpus, _ in back),
            self.memory_mb + sum(memory_mb for _, _, memory_mb in back),
        )
