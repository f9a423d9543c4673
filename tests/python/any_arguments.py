"""Arguments of every kind, arguments that work, and objects of the public classes."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cospot
import numpy as np
import pandas as pd
from cospot import lifetime
from lifetime_cases import two_kinds


class Odd:
    """Has no number to give; as a class it may be called with anything."""

    def __init__(self, *_: Any) -> None:
        pass

    def __index__(self) -> int:
        raise LookupError("no number")


KINDS: dict[str, Any] = {
    "None": None, "True": True, "0": 0, "-1": -1, "3": 3, "2**31": 2**31, "2**63": 2**63,
    "10**5000": 10**5000, "nan": math.nan, "inf": math.inf, "-inf": -math.inf, "1.5": 1.5,
    "-1e300": -1e300, "1e300": 1e300, "1e-300": 1e-300, "np.int64": np.int64(-7),
    "np.nan": np.float64("nan"), "empty text": "", "text": "UTIL", "surrogate": "\ud800",
    "zero byte": "a\0b", "escapes": "\x1b[2J\r\n", "markup": "{}%s$(x)';--", "no file": "no/such",
    "long text": "x" * 100_000, "bytes": b"\xff\xfe", "empty list": [], "texts": ["UTIL", "x"],
    "numbers": [1, 2], "nans": [math.nan, -math.inf], "pairs": [(0, 1), (2, 1)], "nested": [[[]]],
    "odd pairs": [("UTIL", math.nan), (Odd(), [None])], "odd nested": {"x": [{"vm": Odd()}]},
    "tuple": (1, 1), "negative tuple": (-1, -1), "empty dict": {}, "dict": {"x": 1},
    "odd dict": {"\ud800": math.nan, 3: []}, "set": {"UTIL"}, "object": object(), "class": Odd,
    "Odd": Odd(), "ellipsis": ..., "array": np.zeros((2, 2)), "empty array": np.zeros(0),
    "objects": np.array([None, "x"], dtype=object), "frame": pd.DataFrame({"x": [1]}),
    "empty frame": pd.DataFrame(), "Request": cospot.Request(1, 1), "Chain": cospot.Chain(["COS"]),
}  # fmt: skip


def study(folder: Path) -> dict[str, Any]:
    return {
        "workloads": str(folder / "w.csv"), "host": {"vcpus": 64, "memory_mb": 64}, "hosts": 2,
        "vm": "COS", "spot": "sCOS", "evictor": "FIFO", "saf": [False, True], "otn": [1, 2],
    }  # fmt: skip


def working_arguments(folder: Path) -> dict[str, Any]:
    """Return arguments that work, by the parameter's name or by CALL.PARAMETER."""
    # 40 requests over four days, a VM and a spot in turn.
    columns = {
        "is_spot": [row % 2 for row in range(40)], "vcpus": [4] * 40, "memory_mb": [4] * 40,
        "start_us": [row * 8_000_000_000 for row in range(40)],
        "end_us": [(row + 3) * 8_000_000_000 for row in range(40)],
    }  # fmt: skip
    workload = cospot.Workload.from_columns(columns, window_days=4)
    workload.save(folder / "w.csv")
    # For 14 days an hour in two, and twice as many a day later: one of two servers is idle.
    jobs = [f"{7200 * i},3600\n" * (1 + i % 12 // 6) for i in range(14 * 12)]
    (folder / "jobs.csv").write_text("submission_s,duration_s\n" + "".join(jobs))
    (folder / "prices.csv").write_text("time,price\n0,0.03\n2592000,0.03\n")
    market = {"type": "m1.small", "os": "Linux/UNIX", "datacenter": "a"}
    broker = {
        "study": "broker", "market": [{**market, "prices": str(folder / "prices.csv")}],
        "jobs": {"csv": str(folder / "jobs.csv"), "count": 3, "days": 7}, "bid": "on_demand",
        "alpha": 2, "fault_tolerance": "none", "seed": 1,
    }  # fmt: skip
    database = cospot.compare(study(folder), db=folder / "r.db", timeline=True).database
    events = folder / "events.csv"
    run = {"host": (64, 64), "hosts": 2, "vm": "COS", "spot": "sCOS", "evictor": "FIFO"}
    result = cospot.simulate(workload, events=events, **run)
    result.save(folder / "run.json")
    hosts = cospot.HostTable.uniform(2, (8, 8))
    chain, request = cospot.Chain(["COS"]), cospot.Request(1, 1, instance=7)
    offer = cospot.make_offer(chain, hosts, request, 2)
    results = cospot.load_results(database)
    runs = results.runs
    lives = cospot.History([(8, 8)])
    lives.place(cospot.Request(4, 4, instance=7, spot=True), 0)
    quantiles = cospot.estimate_lifetimes(lives, [(1, 1)], [0.1], 10**9)
    spots = two_kinds(200)
    model = lifetime.train_survival(spots)
    (folder / "model.txt").write_text(model.text())
    (folder / "spots.csv").write_text(f"{','.join(vars(spots))}\n1,1,0,0,9,never\n")
    return {
        **run, "results": results, "result": result, "workload": workload, "workloads": workload,
        "history": workload, "study": study(folder), "mine": {"vm": "UTIL"},
        "a": runs, "b": database,
        "trace": folder / "jobs.csv", "usage": folder / "jobs.csv", "split_day": 1,
        "db": folder / "new.db", "force": True, "database": database, "output": folder / "out.html",
        "events": events, "request_id": "0", "frame": runs, "runs": runs,
        "datacenter": cospot.Datacenter(hosts), "offer": offer, "evictor": "FIFO", "chain": chain,
        "request": request, "candidates": [0, 1], "top": 1,
        "simulation": cospot.Simulation(workload, **run), "disruptions": {},
        "price": {"on_demand": 1, "spot": 0.1}, "weighers": ["COS"], "total": (8, 8),
        "generation": 0, "victims": [], "score": 0.0, "vcpus": 1, "memory_mb": 1, "instance": 7,
        "resources": (1, 1), "room": cospot.ResourceVector(1, 1), "work_hours": 1.0,
        "checkpoint": 1.0, "mttr_hours": 5.0, "checkpoint_hours": 0.1, "interval_hours": 1.0,
        "performance": 0.5, "target": 0.1, "promised": 10, "broken": 1, "values": [1.0, 2.0],
        "sizes": [(1, 1)], "size": (1, 1), "probabilities": [0.1], "now_us": 10**9, "slots": 1,
        "probability": 0.1, "times": 1, "spots": [], "shortfall": (1, 1), "spot": "sCOS",
        "arguments": ["list", "weighers"], "columns": columns, "path": folder / "w.csv",
        "time_us": 0, "choice": cospot.Choice(0, 0, [], 0.0), "index": 0, "count": 2, "name": "COS",
        "otn": 1, "window_days": 1, "run_index": 0, "done": 1, "skipped": 0,
        "make_filter.name": "VmFeasibility", "make_evictor.name": "FIFO",
        "broker_run.study": broker, "broker_recommend.study": broker, "tune.db": None,
        "sla.quote.study": {**study(folder), "saf": False, "otn": 1},
        "Results.view.name": "run_figures", "Results.money.on_demand": 1, "Results.money.spot": 0.1,
        "economy.training_days": 5, "economy.horizon_days": 2, "price_classes.classes": [1, 2],
        "held_out.classes": [1, 2], "Workload.from_pandas.frame": workload.to_pandas(),
        "Workload.from_frame.frame": workload.to_pandas(), "where.condition": np.ones(40, bool),
        "RunResult.save.path": folder / "run.json", "RunResult.load.path": folder / "run.json",
        "estimate_lifetimes.history": lives,
        "Evidence.history": lives, "Evidence.targets": [0.1], "supported.quantiles": quantiles,
        "steps.quantiles": quantiles, "steps.most": 4,
        **{f"SpotTable.{name}": values for name, values in vars(spots).items()},
        "select.rows": np.ones(200, dtype=bool), "lifetime.train.spots": spots,
        "lifetime.train_survival.spots": spots, "lifetime.train.epochs": 1,
        "parse_model.text": lifetime.train(spots, epochs=1).text(),
        "parse_survival_model.text": model.text(), "read_model.path": folder / "model.txt",
        "read_spots.paths": [folder / "spots.csv"],
        "HostTable.hosts": [cospot.HostSpec("a", (8, 8))], "Datacenter.hosts": hosts,
        "History.hosts": [(8, 8)], "Chain.rank.hosts": hosts, "Chain.weigh.hosts": hosts,
        "make_offer.hosts": hosts, "Offer.hosts": [(0, 0)], "filter_all.hosts": hosts,
        "weigh_all.hosts": hosts, "CompareOutcome.total": 2,
        "host_occupancy.occupancy": cospot.occupancy_over_time(events, host=(64, 64), hosts=2),
        "Datacenter.host": 1, "Choice.host": 0, "History.host": 0, "Simulation.spots_on.host": 0,
        "Datacenter.add_spot.request": cospot.Request(1, 1, spot=True, instance=2),
        "Datacenter.remove.instance": 1, "Datacenter.evict.spot": 1, "History.evict.spot": 7,
        "History.place.request": cospot.Request(1, 1, instance=8), "action": 0, "actions": [0],
        "PlacementVectorEnv.workloads": [workload],
    }  # fmt: skip


def objects(good: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """How to make an object of each public class whose methods are called."""
    run = {name: good[name] for name in ("host", "hosts", "vm", "spot", "evictor")}

    def datacenter() -> cospot.Datacenter:
        made = cospot.Datacenter(cospot.HostTable.uniform(2, (8, 8)))
        made.add_spot(0, cospot.Request(8, 8, spot=True, instance=1))
        return made

    def begun(env: Any) -> Any:
        env.reset()
        return env

    return {
        "Chain": lambda: good["chain"], "Choice": lambda: good["choice"],
        "CompareOutcome": lambda: cospot.CompareOutcome(1, 1, 0, "r.db"),
        "CompiledEvictor": lambda: cospot.make_evictor("LPO"),
        "CompiledFilter": lambda: cospot.make_filter("VmFeasibility"),
        "CompiledWeigher": lambda: cospot.make_weigher("COS"), "Datacenter": datacenter,
        "DatacenterSize": lambda: cospot.size(good["workload"], host=(64, 64), vm="COS"),
        "Evidence": lambda: cospot.Evidence(good["Evidence.history"], 10**9, [0.1]),
        "EvictionPlan": lambda: cospot.make_evictor("FIFO").make_plan([], (0, 0)),
        "History": lambda: copy.copy(good["estimate_lifetimes.history"]),
        "HostRow": lambda: good["Chain.rank.hosts"][0],
        "HostSpec": lambda: cospot.HostSpec("a", (8, 8)),
        "HostTable": lambda: good["Chain.rank.hosts"],
        "HostView": lambda: cospot.Simulation(good["workload"], **run).hosts,
        "LifetimeQuantiles": lambda: good["supported.quantiles"], "Offer": lambda: good["offer"],
        "PlacementEnv": lambda: begun(cospot.PlacementEnv(good["workload"], **run)),
        "PlacementVectorEnv": lambda: begun(cospot.PlacementVectorEnv([good["workload"]], **run)),
        "PolicyInfo": lambda: cospot.list_weighers()[0], "Request": lambda: good["request"],
        "ResourceVector": lambda: good["room"], "Results": lambda: good["results"],
        "RunResult": lambda: good["result"], "RunningSpot": lambda: cospot.RunningSpot(1, (1, 1)),
        "Simulation": lambda: cospot.Simulation(good["workload"], **run),
        "lifetime.SpotTable": lambda: good["lifetime.train.spots"],
        "Workload": lambda: good["workload"],
    }  # fmt: skip
