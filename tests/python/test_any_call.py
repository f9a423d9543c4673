"""Every public name takes an argument of any kind: a call works or raises a documented exception.

The public API is walked, so that a new name is covered when it comes. Calls that are known to work
are changed in one argument; a name that is not known here is called with nothing but odd arguments.
"""

from __future__ import annotations

import copy
import dataclasses
import faulthandler
import inspect
import math
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

import cospot
import numpy as np
import pandas as pd

MODULES = (
    "cospot",
    *(f"cospot.{name}" for name in sorted(cospot._LAZY_MODULES) if name in cospot.__all__),
)
#: Users write subclasses of these, whose methods then are theirs.
THEIRS = ("Filter", "Weigher", "Evictor")
#: Seconds that no call may take, and MiB that none may need beyond what was in use.
HANGS_S, MOST_MB = 100, 1500
OPTION = re.compile(r"(?:^|[ (])--[a-z]")


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
    "tuple": (1, 1), "negative tuple": (-1, -1), "empty dict": {}, "dict": {"x": 1},
    "odd dict": {"\ud800": math.nan, 3: []}, "set": {"UTIL"}, "object": object(), "class": Odd,
    "Odd": Odd(), "ellipsis": ..., "array": np.zeros((2, 2)), "empty array": np.zeros(0),
    "objects": np.array([None, "x"], dtype=object), "frame": pd.DataFrame({"x": [1]}),
    "empty frame": pd.DataFrame(), "Request": cospot.Request(1, 1), "Chain": cospot.Chain(["COS"]),
}  # fmt: skip


def study(folder: Path) -> dict[str, Any]:
    return {
        "workloads": str(folder / "w.csv"),
        "host": {"vcpus": 64, "memory_mb": 64},
        "hosts": 2,
        "vm": "COS",
        "spot": "sCOS",
        "evictor": "FIFO",
        "saf": [False, True],
        "otn": [1, 2],
    }


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Arguments that work, by the parameter's name or by CALL.PARAMETER."""
    folder = tmp_path_factory.mktemp("any")
    # 40 requests over four days, a VM and a spot in turn.
    columns = {
        "is_spot": [row % 2 for row in range(40)],
        "vcpus": [4] * 40,
        "memory_mb": [4] * 40,
        "start_us": [row * 8_000_000_000 for row in range(40)],
        "end_us": [(row + 3) * 8_000_000_000 for row in range(40)],
    }
    workload = cospot.Workload.from_columns(columns, window_days=4)
    workload.save(folder / "w.csv")
    # For 14 days an hour in two, and twice as many a day later: one of two servers is idle.
    jobs = [f"{7200 * i},3600\n" * (1 + i % 12 // 6) for i in range(14 * 12)]
    (folder / "jobs.csv").write_text("submission_s,duration_s\n" + "".join(jobs))
    (folder / "prices.csv").write_text("time,price\n0,0.03\n2592000,0.03\n")
    market = {"type": "m1.small", "os": "Linux/UNIX", "datacenter": "a"}
    broker = {
        "study": "broker",
        "market": [{**market, "prices": str(folder / "prices.csv")}],
        "jobs": {"csv": str(folder / "jobs.csv"), "count": 3, "days": 7},
        "bid": "on_demand",
        "alpha": 2,
        "fault_tolerance": "none",
        "seed": 1,
    }
    database = cospot.compare(study(folder), db=folder / "r.db", timeline=True).database
    events = folder / "events.csv"
    run = {"host": (64, 64), "hosts": 2, "vm": "COS", "spot": "sCOS", "evictor": "FIFO"}
    result = cospot.simulate(workload, events=events, **run)
    hosts = cospot.HostTable.uniform(2, (8, 8))
    chain, request = cospot.Chain(["COS"]), cospot.Request(1, 1, instance=7)
    offer = cospot.make_offer(chain, hosts, request, 2)
    results = cospot.load_results(database)
    runs = results.runs
    lives = cospot.History([(8, 8)])
    lives.place(cospot.Request(4, 4, instance=7, spot=True), 0)
    return {
        **run,
        "results": results,
        "result": result,
        "workload": workload,
        "workloads": workload,
        "history": workload,
        "sweep": study(folder),
        "study": study(folder),
        "mine": {"vm": "UTIL"},
        "trace": folder / "jobs.csv",
        "usage": folder / "jobs.csv",
        "split_day": 1,
        "db": folder / "new.db",
        "force": True,
        "database": database,
        "output": folder / "out.html",
        "events": events,
        "request_id": "0",
        "frame": runs,
        "runs": runs,
        "datacenter": cospot.Datacenter(hosts),
        "offer": offer,
        "evictor": "FIFO",
        "chain": chain,
        "request": request,
        "candidates": [0, 1],
        "top": 1,
        "simulation": cospot.Simulation(workload, **run),
        "disruptions": {},
        "price": {"on_demand": 1, "spot": 0.1},
        "weighers": ["COS"],
        "total": (8, 8),
        "generation": 0,
        "victims": [],
        "score": 0.0,
        "vcpus": 1,
        "memory_mb": 1,
        "instance": 7,
        "resources": (1, 1),
        "room": cospot.ResourceVector(1, 1),
        "work_hours": 1.0,
        "checkpoint": 1.0,
        "mttr_hours": 5.0,
        "checkpoint_hours": 0.1,
        "interval_hours": 1.0,
        "performance": 0.5,
        "target": 0.1,
        "promised": 10,
        "broken": 1,
        "values": [1.0, 2.0],
        "sizes": [(1, 1)],
        "size": (1, 1),
        "probabilities": [0.1],
        "now_us": 10**9,
        "slots": 1,
        "probability": 0.1,
        "times": 1,
        "spots": [],
        "shortfall": (1, 1),
        "spot": "sCOS",
        "arguments": ["list", "weighers"],
        "columns": columns,
        "path": folder / "w.csv",
        "time_us": 0,
        "choice": cospot.Choice(0, 0, [], 0.0),
        "index": 0,
        "count": 2,
        "name": "COS",
        "otn": 1,
        "window_days": 1,
        "run_index": 0,
        "done": 1,
        "skipped": 0,
        "make_filter.name": "VmFeasibility",
        "make_evictor.name": "FIFO",
        "broker_run.study": broker,
        "broker_recommend.study": broker,
        "tune.db": None,
        "sla.quote.study": {**study(folder), "saf": False, "otn": 1},
        "Results.view.name": "run_figures",
        "Results.money.on_demand": 1,
        "Results.money.spot": 0.1,
        "economy.training_days": 5,
        "economy.horizon_days": 2,
        "price_classes.classes": [1, 2],
        "held_out.classes": [1, 2],
        "Workload.from_pandas.frame": workload.to_pandas(),
        "Workload.from_frame.frame": workload.to_pandas(),
        "estimate_lifetimes.history": lives,
        "HostTable.hosts": [cospot.HostSpec("a", (8, 8))],
        "Datacenter.hosts": hosts,
        "History.hosts": [(8, 8)],
        "Chain.rank.hosts": hosts,
        "Chain.weigh.hosts": hosts,
        "make_offer.hosts": hosts,
        "Offer.hosts": [(0, 0)],
        "filter_all.hosts": hosts,
        "weigh_all.hosts": hosts,
        "CompareOutcome.total": 2,
        "host_occupancy.occupancy": cospot.occupancy_over_time(events, host=(64, 64), hosts=2),
        "Datacenter.host": 1,
        "Choice.host": 0,
        "History.host": 0,
        "Simulation.spots_on.host": 0,
        "Datacenter.add_spot.request": cospot.Request(1, 1, spot=True, instance=2),
        "Datacenter.remove.instance": 1,
        "Datacenter.evict.spot": 1,
        "History.evict.spot": 7,
        "History.place.request": cospot.Request(1, 1, instance=8),
    }


def objects(good: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """How to make an object of each public class whose methods are called."""
    run = {name: good[name] for name in ("host", "hosts", "vm", "spot", "evictor")}

    def datacenter() -> cospot.Datacenter:
        made = cospot.Datacenter(cospot.HostTable.uniform(2, (8, 8)))
        made.add_spot(0, cospot.Request(8, 8, spot=True, instance=1))
        return made

    return {
        "Chain": lambda: good["chain"],
        "Choice": lambda: good["choice"],
        "CompareOutcome": lambda: cospot.CompareOutcome(1, 1, 0, "r.db"),
        "CompiledEvictor": lambda: cospot.make_evictor("LPO"),
        "CompiledFilter": lambda: cospot.make_filter("VmFeasibility"),
        "CompiledWeigher": lambda: cospot.make_weigher("COS"),
        "Datacenter": datacenter,
        "DatacenterSize": lambda: cospot.size(good["workload"], host=(64, 64), vm="COS"),
        "EvictionPlan": lambda: cospot.make_evictor("FIFO").make_plan([], (0, 0)),
        "History": lambda: copy.copy(good["estimate_lifetimes.history"]),
        "HostRow": lambda: good["Chain.rank.hosts"][0],
        "HostSpec": lambda: cospot.HostSpec("a", (8, 8)),
        "HostTable": lambda: good["Chain.rank.hosts"],
        "HostView": lambda: cospot.Simulation(good["workload"], **run).hosts,
        "LifetimeQuantiles": lambda: cospot.estimate_lifetimes(
            good["estimate_lifetimes.history"], [(1, 1)], [0.1], 10**9
        ),
        "Offer": lambda: good["offer"],
        "PolicyInfo": lambda: cospot.list_weighers()[0],
        "Request": lambda: good["request"],
        "ResourceVector": lambda: good["room"],
        "Results": lambda: good["results"],
        "RunResult": lambda: good["result"],
        "RunningSpot": lambda: cospot.RunningSpot(1, (1, 1)),
        "Simulation": lambda: cospot.Simulation(good["workload"], **run),
        "Workload": lambda: good["workload"],
    }


def is_plain(value: Any) -> bool:
    """Whether a class has no call of its own to check: exceptions, results, bases of users' own."""
    return (
        issubclass(value, (Exception, *(getattr(cospot, name) for name in THEIRS)))
        or (dataclasses.is_dataclass(value) and value is not cospot.Results)
    )  # fmt: skip


def public_values() -> Iterator[tuple[str, Any]]:
    """Every public function and class with its name below cospot."""
    for module_name in MODULES:
        module = cospot if module_name == "cospot" else getattr(cospot, module_name[7:])
        prefix = "" if module is cospot else module_name[7:] + "."
        names = getattr(module, "__all__", None)
        for name, value in (
            vars(module).items()
            if names is None
            else ((one, getattr(module, one)) for one in names)
        ):
            is_own = names is not None or getattr(value, "__module__", "") == module.__name__
            if not name.startswith("_") and callable(value) and is_own:
                yield prefix + name, value


def calls() -> dict[str, Callable[[dict[str, Any]], Any]]:
    """Every public call by its name, with a function that returns what to call."""
    found: dict[str, Callable[[dict[str, Any]], Any]] = {}
    for name, value in public_values():
        if not isinstance(value, type):
            found[name] = lambda _, value=value: value
            continue
        if is_plain(value):
            continue
        if type(value.__init__).__name__ != "wrapper_descriptor" and value is not cospot.Results:
            found[name] = lambda _, value=value: value
        for member, bound in inspect.getmembers(value):
            if isinstance(bound, property) or (member.startswith("_") and member != "__getitem__"):
                continue
            if callable(bound):
                found[f"{name}.{member}"] = lambda good, name=name, member=member: getattr(
                    objects(good)[name](), member
                )
    return found


CALLS = calls()
#: Keywords that a call with **kwargs reads.
KEYWORDS = {
    "tune": ("vm", "spot", "evictor", "otn", "promise", "model"),
    "plan": ("vm", "spot", "evictor", "otn"),
    "estimate_lifetimes": ("samples", "samples_per", "least_samples", "victim", "censored",
                           "quantile", "condition_width", "seed"),
    **dict.fromkeys(("economy.plan", "economy.backtest"),
                    ("horizon_days", "training_days", "period_hours", "season_hours")),
    "sla.quote": ("vm", "targets", "samples"),
    "classes.servers": ("servers", "from_day"),
}  # fmt: skip


def parameters_of(name: str, call: Any) -> list[inspect.Parameter]:
    return list(inspect.signature(call).parameters.values())


def base_of(name: str, call: Any, good: dict[str, Any]) -> dict[str, Any]:
    """Return arguments that work, as far as they are known: what the call needs, and its own."""
    base = {}
    owner, _, last = name.rpartition(".")
    for one in parameters_of(name, call):
        is_needed = one.default is one.empty and one.kind is not one.VAR_KEYWORD
        is_needed |= one.name in ("db", "force", "output", "hosts", "host", "mttr_hours")
        names = KEYWORDS.get(name, ()) if one.kind is one.VAR_KEYWORD else (one.name,)
        for key in names:
            own = [f"{name}.{key}", f"{owner}.{key}", f"{last}.{key}"]
            known = [good[place] for place in (*own, *[key] * is_needed) if place in good]
            if known:
                base[key] = known[0]
    return base


def arguments_of(
    name: str, call: Any, base: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what to call with: each argument of each kind, and what is unknown of one kind."""
    unknown = [
        one.name for one in parameters_of(name, call)
        if one.default is one.empty and one.name not in base and one.kind is not one.VAR_KEYWORD
    ]  # fmt: skip
    for kind, value in KINDS.items():
        yield (
            f"all required: {kind}",
            {**base, **dict.fromkeys(base, value), **dict.fromkeys(unknown, value)},
        )
        for one in parameters_of(name, call):
            names = KEYWORDS.get(name, ("x",)) if one.kind is one.VAR_KEYWORD else (one.name,)
            for keyword in names:
                yield (
                    f"{keyword}: {kind}",
                    {**base, **dict.fromkeys(unknown, value), keyword: value},
                )
    yield "a keyword that is no text's", {**base, "\ud800": 1}
    yield "no arguments", {}


def call_with(name: str, call: Any, given: dict[str, Any]) -> Any:
    """Call; pass those by position that have no name."""
    first = [one.name for one in parameters_of(name, call) if one.kind is one.POSITIONAL_ONLY]
    positional = [given[one] for one in first if one in given]
    return call(*positional, **{key: value for key, value in given.items() if key not in first})


def fault_of(error: BaseException) -> str:
    """Say what is wrong with an exception that a call raised; an empty text: it is documented."""
    own = traceback.extract_tb(error.__traceback__)
    if isinstance(error, LookupError) and "no number" in str(error):
        return ""  # raised by Odd, and passed on
    if isinstance(error, cospot.CospotError):
        text = str(error)
        if not text:
            return "no text"
        return f"names an option of the command line: {text[:300]}" if names_option(text) else ""
    if isinstance(error, IndexError) and str(error):
        return ""
    is_pythons = len(own) == 2 and "incompatible" not in str(error)
    if isinstance(error, TypeError) and is_pythons:
        return ""  # Python itself refused the call
    return f"{type(error).__name__}: {str(error)[:300]}"


def names_option(text: str) -> bool:
    """Whether a message tells a Python caller to use an option, other than one of a command."""
    for found in OPTION.finditer(text):
        before = text[: found.start()]
        if "cospot " not in re.split(r"[;:(),`]", before)[-1] and before.count("`") % 2 == 0:
            return True
    return False


def peak_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


@pytest.mark.parametrize("name", CALLS)
def test_any_argument(
    name: str, good: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    warnings.simplefilter("ignore")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = peak_mb()
    faults = []
    base = base_of(name, CALLS[name](good), good)
    for what, given in arguments_of(name, CALLS[name](good), base):
        call = CALLS[name](good)
        faulthandler.dump_traceback_later(HANGS_S, exit=True)
        try:
            call_with(name, call, given)
        except Exception as error:
            if fault := fault_of(error):
                faults.append(f"{name}({what}): {fault}")
        finally:
            faulthandler.cancel_dump_traceback_later()
    assert not faults, "\n".join(faults)
    assert peak_mb() - before < MOST_MB


@pytest.mark.parametrize("name", CALLS)
def test_the_arguments_that_are_changed_work(
    name: str, good: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call = CALLS[name](good)
    call_with(name, call, base_of(name, call, good))


def test_every_class_has_an_object_and_properties_that_stay(good: dict[str, Any]) -> None:
    made = objects(good)
    classes = {name: value for name, value in public_values() if isinstance(value, type)}
    assert {name for name, value in classes.items() if not is_plain(value)} == set(made)
    for name, make in made.items():
        one = make()
        for member, bound in inspect.getmembers(classes[name]):
            if isinstance(bound, property):
                getattr(one, member)
                with pytest.raises(AttributeError):
                    setattr(one, member, 1)
        repr(one)
