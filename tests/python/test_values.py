"""Every public class: its text, equality by contents, pickling, and saved runs."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any, is_typeddict

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

import cospot
import pandas as pd
from any_arguments import objects, working_arguments
from cospot import lifetime
from sample_policies import Util

#: Equal to itself alone: it has a state, or is the base of users' own policies.
IDENTITY = {
    "Datacenter", "Evictor", "Filter", "PlacementEnv", "PlacementVectorEnv", "Simulation",
    "Weigher",
}  # fmt: skip
#: The text is the call that makes it.
CALLS = {
    "Choice", "CompareOutcome", "CompiledEvictor", "CompiledFilter", "CompiledWeigher",
    "EventRecord", "HostSpec", "Offer", "Request", "RequestRecord", "ResourceVector", "RunningSpot",
    "Evictor", "Filter", "Weigher",
}  # fmt: skip
#: Shown as a table in notebooks; the text of the others says all.
TABLES = {
    "BrokerRecommendation", "Chain", "Choice", "CompiledEvictor", "CompiledFilter",
    "CompiledWeigher", "Datacenter", "HostRow", "HostSpec", "HostTable", "HostView", "Offer",
    "PolicyComparison", "PolicyInfo", "PricedClasses", "Results", "RunResult", "Simulation",
    "SpotPlan", "Tuning", "Workload",
}  # fmt: skip
MARKUP = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return working_arguments(tmp_path_factory.mktemp("values"))


@pytest.fixture(scope="module")
def made(good: dict[str, Any]) -> dict[str, Any]:
    """An object of every public class."""
    given = {name: good[name] for name in ("host", "hosts", "price")}
    found = {name: make() for name, make in objects(good).items() if "." not in name}
    simulation = cospot.Simulation(good["workload"], **{n: good[n] for n in (
        "host", "hosts", "vm", "spot", "evictor")})  # fmt: skip
    return {
        **found,
        "BrokerRecommendation": cospot.broker_recommend(good["broker_recommend.study"]),
        "EventRecord": next(simulation.events()),
        "Evictor": cospot.Evictor(),
        "Filter": cospot.Filter(),
        "PolicyComparison": cospot.compare_policies({"vm": "UTIL"}, study=good["study"]),
        "PricedClasses": cospot.price_classes(good["trace"], classes=[1, 2]),
        "Report": cospot.report(good["database"], good["output"]),
        "RequestRecord": good["workload"][0],
        "SpotPlan": cospot.plan(good["workload"], vm="COS", **given),
        "Tuning": cospot.tune(good["workload"], vm=["COS"], otn=[1], host=(64, 64), hosts=2),
        "Weigher": cospot.Weigher(),
    }


def public_classes() -> set[str]:
    classes = {name for name in cospot.__all__ if isinstance(getattr(cospot, name), type)}
    return {
        name
        for name in classes
        if not issubclass(getattr(cospot, name), BaseException)
        and not is_typeddict(getattr(cospot, name))
    }


def test_every_public_class_is_tested(made: dict[str, Any]) -> None:
    assert set(made) == public_classes()
    assert all(type(value) is getattr(cospot, name) for name, value in made.items())


@pytest.mark.parametrize("name", sorted(public_classes()))
def test_a_public_class(name: str, made: dict[str, Any]) -> None:
    value = made[name]
    assert not re.search(r"object at 0x", repr(value))
    assert name in repr(value) or name in {
        "CompiledEvictor", "CompiledFilter", "CompiledWeigher", "PolicyComparison"
    }  # fmt: skip
    if name in CALLS:
        assert eval(repr(value), vars(cospot)) == value or name in IDENTITY
    assert hasattr(value, "_repr_html_") == (name in TABLES)
    assert value == value and value != object() and value is not None
    if name in IDENTITY:
        assert type(value).__hash__ is not None
        return
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    try:
        assert hash(again) == hash(value)
    except TypeError as error:
        assert "unhashable type" in str(error)


def test_live_classes_say_that_they_are(made: dict[str, Any]) -> None:
    for name in ("Datacenter", "Simulation"):
        assert "equal to itself alone" in " ".join(getattr(cospot, name).__doc__.split())
    run = {"hosts": 2, "host": (64, 64), "vm": "COS", "spot": "sCOS", "evictor": "FIFO"}
    one, other = (cospot.Simulation(made["Workload"], **run) for _ in range(2))
    assert one != other and one.hosts == other.hosts and one.result() == other.result()


def test_values_that_differ_in_one_thing_are_not_equal() -> None:
    request, spot = cospot.Request(4, 8), cospot.RunningSpot(3, (4, 8), 1, 2, 3)
    spec = {"vm_used": (1, 1), "num_vms": 1}
    hosts = [cospot.HostSpec("a", (8, 8)), cospot.HostSpec("b", (8, 8))]
    lives = cospot.History([(8, 8)])
    ended = cospot.History([(8, 8)])
    ended.place(cospot.Request(1, 1, instance=1), 0)
    many: list[list[Any]] = [
        [request, cospot.Request(4, 8, spot=True), cospot.Request(4, 8, instance=1)],
        [spot, cospot.RunningSpot(3, (4, 8), 1, 2), cospot.RunningSpot(4, (4, 8), 1, 2, 3)],
        [cospot.Offer(request, [(1, 2)]), cospot.Offer(request, [(1, 3)]),
         cospot.Offer(request, []), cospot.Offer(cospot.Request(4, 9), [(1, 2)])],
        [cospot.Choice(1, 2, [3], 4.0), cospot.Choice(1, 2, [3], 5.0),
         cospot.Choice(1, 2, [], 4.0)],
        [cospot.HostSpec("a", (8, 8), **spec), cospot.HostSpec("b", (8, 8), **spec),
         cospot.HostSpec("a", (8, 8)), cospot.HostSpec("a", (8, 8, 1), **spec)],
        [cospot.HostTable(hosts), cospot.HostTable(hosts[:1]), cospot.HostTable(hosts[::-1])],
        [cospot.HostTable(hosts)[0], cospot.HostTable(hosts)[1]],
        [cospot.make_weigher("COS"), cospot.make_weigher("COS", capacity_normalised=True),
         cospot.make_weigher("DPD")],
        [cospot.Chain(["COS"]), cospot.Chain(["COS"], label="mine"), cospot.Chain([("COS", 2.0)]),
         cospot.Chain(["COS"], ["SpotFeasibility"]), cospot.Chain(["COS", "DPD"]),
         cospot.Chain([cospot.make_weigher("COS", capacity_normalised=True)]),
         cospot.Chain([Util]), cospot.Chain([Util()])],
        [cospot.CompareOutcome(5, 4, 1, "a"), cospot.CompareOutcome(5, 4, 1, "b")],
        [*cospot.list_weighers()],
        [lives, ended],
    ]  # fmt: skip
    for values in many:
        for i, one in enumerate(values):
            for k, other in enumerate(values):
                assert (one == other) is (i == k) and (one != other) is (i != k), (one, other)


def test_values_that_are_made_in_two_ways_are_equal() -> None:
    chain = cospot.Chain(["COS"], ["SpotFeasibility"])
    compiled = cospot.make_weigher("COS"), cospot.make_filter("SpotFeasibility")
    same = cospot.Chain([(compiled[0], 1.0)], [compiled[1]], label="SpotFeasibility+COS")
    assert chain == same and hash(chain) == hash(same)
    table = cospot.HostTable.uniform(2, (8, 8))
    view = cospot.Datacenter(table).hosts
    assert view == table and table == view and table[1] == view[1]
    # A host that was changed and is again as it was has another generation, and is equal.
    datacenter = cospot.Datacenter(table)
    datacenter.add_vm(0, cospot.Request(1, 1, instance=1))
    assert datacenter.hosts != table
    datacenter.remove(1)
    assert datacenter.hosts == table and datacenter.hosts.generation[0] == 2


def test_runs_are_equal_whatever_time_they_took(workload: cospot.Workload) -> None:
    run = {"hosts": 36, "host": (10400, 2250), "vm": "COS", "spot": "sCOS", "evictor": "FIFO"}
    one, other = (cospot.simulate(workload, **run) for _ in range(2))
    assert one == other and hash(one) == hash(other)
    assert one != cospot.simulate(workload, **{**run, "hosts": 37})
    assert one != cospot.simulate(workload, **run, otn=4)


def test_tables_of_hosts_and_policies_are_escaped() -> None:
    spec = cospot.HostSpec(
        MARKUP, (8, 16), vm_used=(4, 8), spot_used=(1, 2), num_vms=2, num_spots=1
    )
    table = cospot.HostTable([spec])
    row = "4 + 1 of 8</td>", "8 + 2 of 16</td>", "0 + 0 of 0</td>", "&lt;script&gt;"
    for shown in (spec, table, table[0], cospot.Datacenter(table)):
        html = shown._repr_html_()
        assert MARKUP not in html and all(text in html for text in row)
    many = cospot.HostTable.uniform(1000, (8, 8))._repr_html_()
    assert many.count("<tr>") == 22 and "980 more" in many  # a head, 20 hosts and the rest
    html = cospot.make_weigher("COS", capacity_normalised=True)._repr_html_()
    assert "capacity_normalised=True" in html and "CoSpot, section 2" in html
    assert "no: needs true lifetimes" in cospot.make_evictor("LPO")._repr_html_()


def test_tables_of_prices_and_of_a_broker(made: dict[str, Any]) -> None:
    priced, broker = made["PricedClasses"], made["BrokerRecommendation"]
    html = priced._repr_html_()
    assert html.count("<tr>") == 1 + len(priced.partitions)  # the head
    assert html.count("100.00%") == sum(one.revenue_of_maximum == 1 for one in priced.partitions)
    html = broker._repr_html_()
    assert html.count("<tr>") == 1 + len(broker.within_risk) and "the first is recommended" in html
    assert html.count(" USD</td>") == len(broker.within_risk)


def test_results_and_models_hold_frames_and_arrays(made: dict[str, Any]) -> None:
    results = made["Results"]
    longer = cospot.Results(**{**vars(results), "runs": pd.concat([results.runs] * 2)})
    assert results != longer and results == cospot.Results(**vars(results))
    table = lifetime.SpotTable([1], [1], [0], [0.0], [9.0], [float("nan")])
    assert table == lifetime.SpotTable([1], [1], [0], [0.0], [9.0], [float("nan")])
    assert table != lifetime.SpotTable([1], [1], [0], [0.0], [8.0], [float("nan")])


class Threshold(cospot.Weigher):
    def __init__(self, least: int) -> None:
        self.least = least


def test_a_policy_of_ones_own_shows_its_attributes() -> None:
    assert repr(Threshold(3)) == "Threshold(least=3)"
    assert Threshold(3) != Threshold(3)
    assert repr(Util()) == "Util()"


def test_a_text_of_live_hosts(made: dict[str, Any]) -> None:
    datacenter = cospot.Datacenter(cospot.HostTable.uniform(3, (8, 8)))
    datacenter.add_vm(0, cospot.Request(1, 1, instance=1))
    datacenter.add_spot(0, cospot.Request(1, 1, spot=True, instance=2))
    assert repr(datacenter) == "<Datacenter: 3 hosts, 1 VMs, 1 spots>"
    run = {"hosts": 2, "host": (64, 64), "vm": "COS", "spot": "sCOS", "evictor": "FIFO"}
    simulation = cospot.Simulation(made["Workload"], **run)
    simulation.run_until(cospot.DAY_US // 2)
    assert repr(simulation).endswith(", at day 0.5 of 4>")
    simulation.run()
    assert repr(simulation) == "<Simulation: 2 hosts, 0 VMs, 0 spots, finished>"


def saved(path: Path, workload: cospot.Workload) -> cospot.RunResult:
    run = cospot.simulate(
        workload, hosts=36, host=(10400, 2250), vm="COS", spot="sCOS", evictor="FIFO"
    )
    run.save(path)
    return run


def test_a_saved_run_is_read_as_it_was(tmp_path: Path, workload: cospot.Workload) -> None:
    path = tmp_path / "run.json"
    run = saved(path, workload)
    again = cospot.RunResult.load(path)
    assert again == run and again.as_dict() == run.as_dict()  # the times too
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]
    written = path.read_bytes()
    with pytest.raises(cospot.ConfigError, match=r"run\.json: already exists; force=True replaces"):
        run.save(path)
    assert path.read_bytes() == written
    run.save(str(path), force=True)
    assert path.read_bytes() == written
    with pytest.raises(cospot.ConfigError, match="cannot be written: there is no folder"):
        run.save(tmp_path / "none" / "run.json")


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"hosts": 36', '"hosts": -1', "hosts is -1, expected a whole number from 0"),
        ('"hosts": 36', '"hosts": true', "hosts is True, expected a whole number"),
        ('"hosts": 36', '"hosts": 36.0', "hosts is 36.0, expected a whole number"),
        ('"hosts": 36', f'"hosts": {2**63}', f"hosts is {2**63}, expected a whole number"),
        ('"wall_ms": ', '"wall_ms": -', "wall_ms is -.*, expected a number from 0"),
        ('"hosts": 36,', "", "has no hosts; expected a result written by RunRes"),
        ('_result": 1', '_result": 2', "has format 2; this cospot reads 1"),
        ('"cospot_run', '"run', "has no cospot_run_result; expected a result written by RunResult"),
        ("{", "[{", "is not JSON: .*; expected a result written by RunResult.save"),
        ("{", "[1]\n#", "is not JSON: .*; expected a result written by RunResult.save"),
    ],
)
def test_a_file_that_is_not_a_saved_run(
    old: str, new: str, text: str, tmp_path: Path, workload: cospot.Workload
) -> None:
    path = tmp_path / "run.json"
    saved(path, workload)
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(cospot.ConfigError, match=rf"run\.json: {text}"):
        cospot.RunResult.load(path)


def test_other_things_that_are_not_a_saved_run(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    for name, text in (
        ("list.json", "is a list; expected a result written by RunResult.save"),
        ("bytes.json", "is not JSON"),
        ("none.json", "No such file or directory; expected a result written"),
        ("", "expected a result written by RunResult.save"),
    ):
        with pytest.raises(cospot.ConfigError, match=f"{name}: {text}" if name else text):
            cospot.RunResult.load(tmp_path / name)
