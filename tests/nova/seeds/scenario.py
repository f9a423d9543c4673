"""What a seed makes happen: a cloud, how its parts are set up, and a list of actions in time.

The list is all there is to shrink: an action that is left out leaves the others as they are.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

#: Until then things go wrong; after it all is repaired, seconds.
CHAOS_S = 24.0


@dataclass(frozen=True)
class Action:
    """Something that happens.

    Attributes:
        at: when, seconds.
        kind: a method of `actions.Actions`.
        values: its arguments. Whom it is about is a number from 0 to 1 among those there are then.
    """

    at: float
    kind: str
    values: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')} {' '.join(map(str, self.values))}".strip()


@dataclass(frozen=True)
class Scenario:
    seed: int
    hosts: tuple[tuple[int, int, int, float], ...]  # vCPUs, MiB, reserved MiB, ratio
    first: tuple[tuple[int, int, int, bool, float], ...]  # host, vCPUs, GiB, is it a spot, age
    evictors: int
    machines: int
    schedulers: int
    settings: dict[str, Any]
    plugin: dict[str, Any]
    skews: tuple[float, ...]  # of the machines' clocks, and of Nova's, last
    lease: float | None
    speed: float
    actions: tuple[Action, ...] = field(default=())
    salt: int = 0  # the same with other delays
    shares: bool = False  # a database between the machines, instead of leases of tooz
    behind_s: float = 0.0  # for so long Nova may show what it had before an order
    devices: bool = False  # hosts have a provider below them, and some VMs hold something of it

    def only(self, actions: tuple[Action, ...], salt: int = 0) -> Scenario:
        return replace(self, actions=actions, salt=salt)


def draw(seed: int) -> Scenario:
    """Return the scenario of a seed."""
    rng = random.Random(seed)
    hosts = tuple(
        (rng.randint(4, 10), 1024 * rng.randint(5, 10) + 512, 512, rng.choice([1.0, 1.0, 1.5]))
        for _ in range(rng.choice([1, 2, 2, 3]))
    )
    machines = 2 if rng.random() < 0.2 else 1
    evictors = max(machines, rng.choice([1, 1, 2]))
    skews = [rng.choice([0.0, 0.0, rng.uniform(-200, 200)]) for _ in range(3)]
    scenario = Scenario(
        seed=seed,
        hosts=hosts,
        first=_first(rng, hosts),
        evictors=evictors,
        machines=machines,
        schedulers=rng.choice([1, 1, 2]),
        settings={
            "evictor": rng.choice(["FIFO", "YJF"]),
            "overcommit_grace": rng.choice([8.0, 15.0]),
            "deletion_timeout": rng.choice([6.0, 12.0]),
            "reconcile_interval": rng.choice([3.0, 5.0]),
            "full_reconcile_every": rng.choice([2, 10]),
            "evictions_per_host": rng.choice([16, 16, 2]),
            "claim_timeout": rng.choice([5.0, 15.0]),
            "plan_grace": rng.choice([0.0, 1.0]),
            "evict_if_insufficient": False,
        },
        plugin={"saf": rng.random() < 0.3, "otn": rng.choice([1, 1, 2])},
        skews=tuple(skews),
        lease=8.0 if machines > 1 else None,
        speed=rng.choice([1.0, 1.0, 1.0, 8.0]),
    )
    plugin = {**scenario.plugin, "evictor": scenario.settings["evictor"]}
    scenario = replace(scenario, plugin=plugin, actions=_actions(rng, scenario))
    return _halving(_reserving(_nesting(_queueing(_checking(_telling(_sharing(scenario)))))))


def _sharing(scenario: Scenario) -> Scenario:
    """Give some of the scenarios with two machines a database between them, with its faults."""
    rng = random.Random(f"{scenario.seed} shares")  # all else is as it was without this
    if scenario.machines == 1 or rng.random() < 0.3:
        return scenario
    faults = [_state_fault(rng) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
    settings = {**scenario.settings, "state_connection": "sqlite://", "state_timeout": 2.0}
    return replace(scenario, shares=True, settings=settings, actions=_in_order(scenario, faults))


def _state_fault(rng: random.Random) -> Action:
    at = round(rng.uniform(0.5, CHAOS_S - 2), 2)
    lasts = round(rng.uniform(0.5, 14), 1)
    who = round(rng.random(), 3)
    kind = rng.choice(["partition", "partition", "network", "down", "freeze", "kill_ordering"])
    if kind == "network":
        fault = rng.choice(["refused", "lost", "unanswered", "slow"])
        return Action(at, kind, ("state", fault, rng.choice([0.1, 0.4, 1.0]), lasts))
    if kind == "down":
        return Action(at, kind, ("state", lasts))
    if kind == "freeze":
        return Action(at, kind, (who, rng.choice([2.0, 12.0, 18.0])))
    return Action(at, kind, (who, lasts) if kind == "partition" else (who,))


def _telling(scenario: Scenario) -> Scenario:
    """Let some of the scenarios tell owners why their spots go, and owners lock some of them."""
    rng = random.Random(f"{scenario.seed} tells")  # all else is as it was without this
    if rng.random() < 0.5:
        return scenario
    made = [
        Action(round(rng.uniform(0.5, CHAOS_S - 4), 2), "lock", (round(rng.random(), 3),))
        for _ in range(rng.choice([0, 0, 1, 2]))
    ]
    if rng.random() < 0.4:  # one that does not go is unlocked
        at, who = round(rng.uniform(0.5, CHAOS_S - 4), 2), round(rng.random(), 3)
        way = rng.choice(["fails", "fails", "hangs"])
        made.append(Action(at, "compute", (who, way, round(rng.uniform(3, 20), 1))))
    settings = {**scenario.settings, "tell_owners": True}
    return replace(scenario, settings=settings, actions=_in_order(scenario, made))


def _checking(scenario: Scenario) -> Scenario:
    """Let some of the schedulers ask placement about each spot, and several ask at once."""
    rng = random.Random(f"{scenario.seed} checks")  # likewise
    if rng.random() < 0.5:
        return scenario
    at = round(rng.uniform(1.0, CHAOS_S - 5), 2)
    made = [
        Action(at, "boot_spots", (rng.choice([1, 2, 4]), rng.randint(1, 4), rng.randint(1, 4), ""))
        for _ in range(rng.choice([0, 0, 1, 1, 2]))
    ]
    plugin = {**scenario.plugin, "spot_check_wait": 0.5}
    return replace(scenario, plugin=plugin, actions=_in_order(scenario, made))


def _queueing(scenario: Scenario) -> Scenario:
    """Let some orders wait for each other, and Nova's nodes be behind each other."""
    rng = random.Random(f"{scenario.seed} queues")  # likewise
    settings, made = scenario.settings, []
    if rng.random() < 0.25:
        settings = {**settings, "orders_at_once": rng.choice([1, 1, 2])}
        at = round(rng.uniform(1.0, CHAOS_S - 8), 2)
        made.append(Action(at, "network", ("nova", "slow orders", rng.choice([0.5, 1.0]), 8.0)))
        count, size = rng.choice([2, 3]), (rng.randint(1, 4), rng.randint(1, 4))
        made.append(Action(round(at + 0.5, 2), "boot_vm", (count, *size)))
        if rng.random() < 0.5:
            off = round(at + rng.uniform(0.6, 3.0), 2)
            made.append(Action(off, "disable", (0.0, round(rng.uniform(2, 8), 1))))
    behind_s = 0.0
    if scenario.evictors == 1 and rng.random() < 0.25:  # another copy would not know of the order
        behind_s = rng.choice([0.5, 2.0])
        at = round(rng.uniform(1.0, CHAOS_S - 5), 2)
        for pause in (0.0, 0.3, 0.8)[: rng.choice([1, 2, 3])]:
            size = (rng.randint(1, 2), rng.randint(1, 2))
            made.append(Action(round(at + pause, 2), "boot_vm", (1, *size)))
    actions = _in_order(scenario, made)
    return replace(scenario, settings=settings, behind_s=behind_s, actions=actions)


def _nesting(scenario: Scenario) -> Scenario:
    """Give the hosts of some scenarios a provider below them: a device that some VMs have."""
    rng = random.Random(f"{scenario.seed} nests")  # likewise
    return replace(scenario, devices=rng.random() < 0.2)


def _reserving(scenario: Scenario) -> Scenario:
    """Let some of the services keep a reserve free, and tell its spots before."""
    rng = random.Random(f"{scenario.seed} reserves")  # likewise
    if scenario.machines > 1 or rng.random() < 0.85:
        return scenario
    more = {
        "mode": "proactive",
        "default_reserve": rng.choice(["1:1024", "2:1024", "3:0", "1:1024:2"]),
        "notice_seconds": rng.choice([2.0, 4.0]),
    }
    made = []
    for _ in range(rng.choice([0, 1, 2])):
        at, lasts = round(rng.uniform(0.5, CHAOS_S - 4), 2), round(rng.uniform(1, 6), 1)
        fault = rng.choice(["refused", "500", "unanswered", "lost"])
        made.append(Action(at, "network", ("metadata", fault, rng.choice([0.5, 1.0]), lasts)))
    if rng.random() < 0.3:
        jump = rng.choice([30.0, 3600.0])
        made.append(Action(round(rng.uniform(1.0, 12.0), 2), "clock", (0.0, jump)))
    settings = {**scenario.settings, **more}
    return replace(scenario, settings=settings, actions=_in_order(scenario, made))


def _halving(scenario: Scenario) -> Scenario:
    """Let some reserves be half free for a while, and new spots ask for hosts meanwhile.

    A VM of the reserve needs two spots at least. As Nova does not take each notice at once, the
    first of them goes before the second. The schedulers have the same reserve.
    """
    rng = random.Random(f"{scenario.seed} halves")  # likewise
    if scenario.machines > 1 or scenario.settings.get("default_reserve") or rng.random() < 0.9:
        return scenario
    reserve = rng.choice(["4:1024", "4:3072", "5:1024", "3:1024:2"])
    more = {"mode": "proactive", "default_reserve": reserve, "notice_seconds": 2.0}
    made = [Action(0.1, "network", ("metadata", "refused", 0.6, round(rng.uniform(6, 14), 1)))]
    for at in range(5, int(CHAOS_S), 2):
        size = (rng.randint(1, 3), rng.randint(1, 2))
        made.append(Action(round(at + rng.random(), 2), "boot_spots", (1, *size, "")))
    # What placement shows and schedulers hear is right: else nobody could tell what they know.
    kept = tuple(
        each for each in scenario.actions if each.kind not in ("inventory", "shrink", "lists")
    )
    plugin = {**scenario.plugin, "default_reserve": reserve}
    scenario = replace(scenario, actions=kept, plugin=plugin)
    settings = {**scenario.settings, **more}
    return replace(scenario, settings=settings, actions=_in_order(scenario, made))


def _in_order(scenario: Scenario, more: list[Action]) -> tuple[Action, ...]:
    return tuple(sorted([*scenario.actions, *more], key=lambda each: each.at))


def _first(
    rng: random.Random, hosts: tuple[tuple[int, int, int, float], ...]
) -> tuple[tuple[int, int, int, bool, float], ...]:
    """What runs at the start: on each host something, most of it spots."""
    made: list[tuple[int, int, int, bool, float]] = []
    for number, (vcpus, memory_mb, reserved, ratio) in enumerate(hosts):
        free = [int(vcpus * ratio), (memory_mb - reserved) // 1024]
        fill = rng.choice([1.0, 1.0, 0.6])
        while len(made) < 12:
            size = (rng.randint(1, 3), rng.randint(1, 3))
            free = [free[0] - size[0], free[1] - size[1]]
            if min(free) < 0 or rng.random() > fill:
                break
            age = rng.choice([5000.0, 500.0, 30.0, 3.0]) + rng.random()
            made.append((number, *size, rng.random() < 0.8, age))
    return tuple(made)


#: VMs of one order in so many fail after their claim.
_FAILS_ONE_IN = 7
_SERVICES = ("placement", "nova", "database")
_NETWORK_FAULTS = ("refused", "lost", "unanswered", "late", "500", "503", "garbage", "slow")


def _actions(rng: random.Random, scenario: Scenario) -> tuple[Action, ...]:
    calm = rng.random() < 0.1  # no faults: the plain ways must work too
    made = [_demand(rng, scenario) for _ in range(rng.randint(2, 5))]
    made += [_owner(rng) for _ in range(rng.randint(0, 3))]
    if not calm:
        made += [_fault(rng) for _ in range(rng.randint(1, 4))]
    return tuple(sorted(made, key=lambda each: each.at))


def _demand(rng: random.Random, scenario: Scenario) -> Action:
    at = round(rng.uniform(1.0, CHAOS_S - 5), 2)
    size = (rng.randint(1, 4), rng.randint(1, 4))
    kind = rng.choice(["boot_vm"] * 5 + ["boot_spots"] * 3 + ["force_vm", "force_spot"])
    if kind == "boot_spots":
        lifetime = rng.choice(["", "15s", "30s"])
        return Action(at, kind, (rng.choice([1, 1, 2, 4]), *size, lifetime))
    if kind == "boot_vm":
        # By the time: other draws would change all scenarios, of which some have rare bugs.
        fails = int(100 * at) % _FAILS_ONE_IN == 0
        return Action(at, "fail_vm" if fails else kind, (rng.choice([1, 1, 1, 2]), *size))
    return Action(at, kind, (round(rng.random(), 3), *size))


def _owner(rng: random.Random) -> Action:
    at = round(rng.uniform(1.0, CHAOS_S - 4), 2)
    kind = rng.choice(
        ["delete", "delete", "soft_delete", "resize", "live_migrate", "shelve", "rebuild",
         "evacuate", "ambush", "ambush"]
    )  # fmt: skip
    who = round(rng.random(), 3)
    if kind == "ambush":
        # At the worst moment: between the evictor's question about a server and its order.
        ways = ["delete", "delete another", "shelve", "live_migrate", "resize"]
        return Action(at, kind, (rng.randint(1, 3), rng.choice(ways)))
    if kind == "resize":
        more, end = rng.choice([1, 2]), rng.random()
        way = "revert" if end < 0.3 else "confirm" if end < 0.7 else "never"
        return Action(at, kind, (who, more, way))
    if kind == "evacuate":
        return Action(at, kind, (who, round(rng.uniform(5, 12), 1)))
    return Action(at, kind, (who,))


def _fault(rng: random.Random) -> Action:
    at = round(rng.uniform(0.5, CHAOS_S - 2), 2)
    lasts = round(rng.uniform(0.5, 10), 1)
    who = round(rng.random(), 3)
    kind = rng.choice(
        ["kill"] * 3
        + ["kill_ordering"] * 2
        + ["network"] * 4
        + ["compute"] * 4
        + ["inventory"] * 4
        + ["freeze"] * 2
        + ["bus", "bus", "stop_service", "kill_scheduler", "clock", "nova_clock", "no_dates",
           "disk_full", "torn_write", "disable", "locks_down", "lists", "refuse", "down",
           "shrink"]
    )  # fmt: skip
    if kind == "kill":
        return Action(at, kind, (who, rng.randint(1, 25)))
    if kind == "kill_scheduler":
        return Action(at, kind, (who, rng.randint(1, 6)))
    if kind == "network":
        chance = rng.choice([0.1, 0.4, 1.0])
        fault = rng.choice(_NETWORK_FAULTS)
        return Action(at, kind, (rng.choice(_SERVICES), fault, chance, lasts))
    if kind == "compute":
        way = rng.choice(["slowly", "loses", "fails", "hangs"])
        return Action(at, kind, (who, way, round(rng.uniform(3, 20), 1)))
    if kind == "inventory":
        what = rng.choice(["half", "nothing", "missing", "double", "unlisted"])
        return Action(at, kind, (who, what, lasts))
    if kind == "bus":
        return Action(at, kind, (rng.choice(["lost", "doubled", "delayed", "down"]), lasts))
    if kind in ("clock", "nova_clock"):
        return Action(at, kind, (who, rng.choice([-3600.0, -30.0, 30.0, 3600.0])))
    if kind == "down":
        return Action(at, kind, (rng.choice(_SERVICES), lasts))
    if kind == "freeze":
        return Action(at, kind, (who, rng.choice([0.3, 2.0, 12.0])))
    if kind == "refuse":
        return Action(at, kind, (who, rng.randint(1, 4)))
    if kind in ("stop_service", "torn_write", "kill_ordering"):
        return Action(at, kind, (who,))
    return Action(at, kind, (who, lasts))
