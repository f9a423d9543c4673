"""Nova's keeper of reserves gives and withdraws the notices that the simulation's does."""

from __future__ import annotations

import csv
import random
import subprocess
import time
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cospot.nova.evictor.model import ComputeHost, HostUsage, Inventory
from cospot.nova.evictor.reserve_keeper import ReserveKeeper
from cospot.nova.evictor.reserves import read_reserves
from cospot.nova.evictor.snapshot import HostSnapshot, Spot, SpotsOfHost
from cospot.nova.evictor.victims import SpotChooser
from cospot.nova.state.stores import Notice

#: Of the simulation's window: the policies' times count from 2020.
_START = 1_700_000_000.0
_HOSTS, _SIZE = 3, (10, 12)


class Cloud:
    """The hosts of a run, by the log of its events."""

    def __init__(self) -> None:
        self.held: dict[str, tuple[str, str, tuple[int, int], float]] = {}

    def take(self, event: dict[str, str]) -> None:
        if event["event"] == "placement":
            size = (int(event["vcpus"]), int(event["memory_mb"]))
            placed = (event["host"], event["class"], size, float(event["time_s"]))
            self.held[event["instance_id"]] = placed
        elif event["event"] in {"departure", "eviction"}:
            del self.held[event["instance_id"]]

    def usages(self) -> dict[str, HostUsage]:
        inventories = {
            name: Inventory(total, 0, 1.0)
            for name, total in zip(("VCPU", "MEMORY_MB"), _SIZE, strict=True)
        }
        names = [f"host-{number}" for number in range(_HOSTS)]
        return {name: HostUsage(name, name, inventories, self._on(name)) for name in names}

    def _on(self, host: str) -> dict[str, dict[str, int]]:
        return {
            instance: {
                ("CUSTOM_SPOT_" if kind == "spot" else "") + name: amount
                for name, amount in zip(("VCPU", "MEMORY_MB"), size, strict=True)
            }
            for instance, (where, kind, size, _) in self.held.items()
            if where == host
        }

    def snapshot(self, usage: HostUsage) -> HostSnapshot:
        spots = {}
        for instance, (where, kind, (vcpus, memory_mb), placed) in self.held.items():
            if where == usage.provider and kind == "spot":
                server = SimpleNamespace(uuid=instance, placed_at=_START + placed)
                amounts = {"VCPU": vcpus, "MEMORY_MB": memory_mb}
                spots[instance] = Spot(cast("Any", server), amounts)
        return HostSnapshot(
            usage=usage,
            host=ComputeHost(usage.name, usage.name),
            spots=SpotsOfHost(spots, {}),
            pending=frozenset(),
            taken_at=0.0,
            nova_time=0.0,
            created_at={},
            leaving_vms=frozenset(),
        )


class Notices:
    """The notices that stand, in the order in which they were given."""

    def __init__(self) -> None:
        self.standing: list[Notice] = []

    def all(self) -> list[Notice]:
        return list(self.standing)

    def of(self, reserve: str) -> list[Notice]:
        return list(self.standing)

    def withdraw(self, notice: Notice) -> None:
        self.standing.remove(notice)


class Keeper(ReserveKeeper):
    """Nova's, of a cloud in which every spot may go and everybody reads a notice at once."""

    def __init__(self, cloud: Cloud, evictor: str, reserve: str) -> None:
        self._context = cast("Any", SimpleNamespace(observer=cloud, chooser=SpotChooser(evictor)))
        self._cloud = cloud
        self._notices = cast("Any", Notices())
        self._evictions = cast("Any", SimpleNamespace(is_given_up=lambda spot: False))
        self._is_stalled = self._evictions.is_given_up
        self._would_notify = {}
        [self._reserve] = read_reserves([], reserve)

    def keep(self) -> list[str]:
        """Do at one moment what the simulation does; return the spots with notice."""
        usages, notices = self._cloud.usages(), cast("Notices", self._notices)
        notices.standing = [each for each in notices.standing if each.spot in self._cloud.held]
        self._withdraw_needless(self._reserve, usages)
        self._give(self._reserve, usages)
        self._withdraw_needless(self._reserve, usages)
        return [each.spot for each in notices.standing]

    def _give_again(self, reserve: Any, usages: Any) -> None:
        """All were given."""

    def _notify(self, reserve: Any, provider: str, spot: Spot) -> None:
        given_at = float(len(self._notices.all()) and self._notices.all()[-1].given_at + 1)
        cast("Notices", self._notices).standing.append(
            Notice(spot.uuid, provider, reserve.label, given_at, 0.0)
        )


def moments(program: Path, folder: Path, evictor: str, reserve: str) -> Iterator[tuple[float, Any]]:
    """Simulate the workload of a folder; yield each moment with its events."""
    (folder / "run.yaml").write_text(
        f"{{workloads: w.csv, host: {{vcpus: {_SIZE[0]}, memory_mb: {_SIZE[1]}}}, hosts: {_HOSTS},"
        f' vm: COS, spot: sDPD, evictor: {evictor}, saf: off, otn: 2, reserve: "{reserve}",'
        " notice_s: 40}"
    )
    command = [program, "run", "run.yaml", "--events", "events.csv"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    with open(folder / "events.csv", newline="") as file:
        for when, events in groupby(csv.DictReader(file), key=itemgetter("time_s")):
            yield float(when), list(events)


@pytest.mark.parametrize("evictor", ["FIFO", "YJF"])
def test_at_every_moment_the_same_spots_have_notice(program, tmp_path, monkeypatch, evictor):
    given = withdrawn = 0
    for seed in range(40):
        draw = random.Random(seed)
        # All ends within the window, 1728 s.
        rows = ["# window_days: 0.02", "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s"]
        for number in range(60):
            start = draw.randrange(400)
            size = f"{draw.randrange(1, 6)},{draw.randrange(1, 6)}"
            kind = draw.choice(["vm", "spot", "spot"])
            rows.append(f"i{number},t,{kind},{size},{start},{start + draw.randrange(1, 200)}")
        (tmp_path / "w.csv").write_text("\n".join(rows) + "\n")
        reserve = f"{draw.randrange(1, 6)}:{draw.randrange(6)}:{draw.randrange(1, 5)}"
        cloud, noticed = Cloud(), list[str]()
        keeper = Keeper(cloud, evictor, reserve)
        for when, events in moments(program, tmp_path, evictor, reserve):
            for event in events:
                cloud.take(event)
                if event["event"] == "notice":
                    noticed.append(event["instance_id"])
                    given += 1
                elif event["event"] == "notice_withdrawn":
                    noticed.remove(event["instance_id"])
                    withdrawn += 1
            noticed = [each for each in noticed if each in cloud.held]
            monkeypatch.setattr(time, "time", lambda now=when: _START + now)
            assert keeper.keep() == noticed, (seed, when)
    assert given > 100 and withdrawn > 20
