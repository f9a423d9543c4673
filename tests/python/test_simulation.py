"""simulate, Simulation, size and explain: the same numbers as the program `cospot`."""

from __future__ import annotations

import json
import signal
from decimal import Decimal
from pathlib import Path
from typing import Any

import cospot
import numpy as np
import pytest
from cospot import Chain, HostTable, Simulation, Workload
from host_size import HOST
from programs import printed_by
from sample_policies import Util

POLICIES = {"vm": "COS", "spot": "vmaDPD", "evictor": "LPO", "saf": True, "otn": 4}
RUN: dict[str, Any] = {"hosts": 35, "host": HOST, **POLICIES}
SCENARIO = {**RUN, "workloads": "w.csv.gz", "host": {"vcpus": HOST[0], "memory_mb": HOST[1]}}


@pytest.fixture(scope="module")
def folder(workload: Workload, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulation")
    workload.save(folder / "w.csv.gz")
    (folder / "s.yaml").write_text(json.dumps(SCENARIO))  # JSON is YAML
    return folder


def told(program: Path, folder: Path, *arguments: str) -> str:
    return printed_by(program, *arguments, cwd=folder)


def row_of_compare(program: Path, folder: Path, *arguments: str) -> dict[str, str]:
    """Return the run of the scenario as the program writes it."""
    words = ("--db", "o.db", "--csv", "o.csv", "-q", "--force")
    told(program, folder, "compare", "s.yaml", *words, *arguments)
    names, row = (line.split(",") for line in (folder / "o.csv").read_text().splitlines())
    return dict(zip(names, row, strict=True))


ADAPTIVE = "adaptive:at_low_load=8:at_high_load=1:from=0.5:to=0.9"


@pytest.mark.parametrize(
    ("otn", "label"),
    [
        (4, "4"),
        ("4", "4"),
        ({"epsilon": 0.25}, "epsilon-0.25"),
        ("epsilon-0.25", "epsilon-0.25"),
        ({"adaptive": {"at_low_load": 8, "at_high_load": 1, "from": 0.5, "to": 0.9}}, ADAPTIVE),
        (ADAPTIVE, ADAPTIVE),
    ],
)
def test_offers_of_sweep_files(
    program: Path, folder: Path, workload: Workload, otn: Any, label: str
) -> None:
    result = cospot.simulate(workload, **{**RUN, "otn": otn})
    expected = row_of_compare(program, folder, "--set", f"otn={label}")
    assert expected["otn"] == label
    assert expected["evictions"] == str(result.evictions)
    for revenue in ("spot_revenue", "spot_revenue_first_hour_free"):
        exact = getattr(result, f"{revenue}_vcpu_us")
        assert int(Decimal(expected[revenue]) * 10**6) == exact
        assert result.as_dict()[revenue] == exact / 1e6


@pytest.mark.parametrize(
    "otn",
    [
        "fixed-3",
        {},
        {"epsilon": 2.0},
        {"epsilon": 0.1, "adaptive": {}},
        {"upsilon": 0.1},
        {"adaptive": {"at_low_load": 8}},
        {"adaptive": {"at_low_load": 8, "at_high_load": 1, "from": 0.9, "to": 0.5}},
    ],
)
def test_offers_that_are_none(workload: Workload, otn: Any) -> None:
    with pytest.raises(cospot.ConfigError):
        cospot.simulate(workload, **{**RUN, "otn": otn})


def test_simulate_is_the_programs_run(program: Path, folder: Path, workload: Workload) -> None:
    result = cospot.simulate(Workload.load(folder / "w.csv.gz"), **RUN)
    expected = row_of_compare(program, folder)
    found = result.as_dict()
    compared = 0
    for name in found:
        if name in expected and not name.endswith(("_ns", "_ms")):
            assert float(expected[name]) == found[name], name
            compared += 1
    assert compared >= 10
    assert result.evictions > 0
    exact = result.spot_revenue_vcpu_us
    assert isinstance(exact, int) and exact / 1e6 == result.spot_revenue
    assert f"{exact / 10**6:.6f}".rstrip("0").rstrip(".").startswith(expected["spot_revenue"][:12])


def test_events_are_the_programs(program: Path, folder: Path) -> None:
    workload = Workload.load(folder / "w.csv.gz")
    cospot.simulate(workload, **RUN, events=folder / "python.csv")
    told(program, folder, "run", "s.yaml", "--events", "program.csv")
    assert (folder / "python.csv").read_bytes() == (folder / "program.csv").read_bytes()
    with pytest.raises(cospot.InputError, match="none"):
        cospot.simulate(workload, **RUN, events=folder / "none" / "e.csv")


def test_explain_is_the_programs(program: Path, folder: Path) -> None:
    workload = Workload.load(folder / "w.csv.gz")
    request_id = workload.to_columns()["instance_id"][-1]
    text = cospot.explain(workload, request_id, **RUN)
    assert text in told(program, folder, "run", "s.yaml", "--explain", request_id)
    many = cospot.explain(workload, request_id, **{**RUN, "hosts": 90})
    assert "more feasible hosts; all_hosts=True shows all" in many
    assert len(cospot.explain(workload, request_id, **RUN, all_hosts=True)) >= len(text)
    mixed = {**RUN, "vm": Chain([Util, ("RAMWeigher", 0.5)], filters=["SpotAvoiding"])}
    assert "python:sample_policies.Util" in cospot.explain(workload, request_id, **mixed)
    with pytest.raises(cospot.InputError, match="nobody"):
        cospot.explain(workload, "nobody", **RUN)


def test_explain_speaks_of_units_where_the_file_does(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(
        "# vcpus_unit: relative\ninstance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\n"
        "a,t,vm,1000,100,-1,9\n"
    )
    asked = "VM 'a' asks for 1,000 units, 100 units of memory, 0 GB"
    policies: dict[str, Any] = {"vm": "UTIL", "spot": "sUTIL", "evictor": "FIFO"}
    for workload in (Workload.load(path), Workload.load(path).with_window_days(3)):
        text = cospot.explain(workload, "a", hosts=1, host=(2000, 2000), **policies)
        assert text.startswith(asked)
        with pytest.raises(cospot.ConfigError, match="asks for 1,000 units, 100 units of memory"):
            cospot.size(workload, host=(10, 10), vm="UTIL")


def test_size_is_the_programs(program: Path, folder: Path) -> None:
    workload = Workload.load(folder / "w.csv.gz")
    size = cospot.size(workload, host=HOST, vm="DPD", headroom_percent=10)
    text = told(program, folder, "size", "w.csv.gz", "--vm", "DPD", "--host", "10400,2250",
                "--headroom", "10")  # fmt: skip
    assert text.splitlines()[-1].split() == ["DPD", str(size.lower_bound), str(size.hosts)]
    assert cospot.size(workload, host=HOST, vm=Util) == cospot.size(workload, host=HOST, vm="UTIL")
    # Without a policy: the fewest of those that tune and plan try.
    each = [cospot.size(workload, host=HOST, vm=vm).hosts for vm in ("UTIL", "COS", "DPD")]
    assert cospot.size(workload, host=HOST).hosts == min(each)
    with pytest.raises(cospot.ConfigError, match="asks for .* more than a host has"):
        cospot.size(workload, host=(10, 10), vm="UTIL")
    with pytest.raises(cospot.ConfigError, match="vm: unknown weigher 'X'; valid names"):
        cospot.size(workload, host=HOST, vm="X")


@pytest.mark.filterwarnings("ignore::cospot.WorkloadWarning")
@pytest.mark.parametrize("day", [-1, 0, 0.5, 3, 9])
def test_the_result_until_a_day_is_that_of_a_window_that_ends_there(
    workload: Workload, day: float
) -> None:
    simulation = Simulation(workload, **RUN)
    simulation.run_until(int(day * cospot.DAY_US))
    until = simulation.result().as_dict()
    start, is_spot = (workload.to_columns()[name] for name in ("start_us", "is_spot"))
    came = start < day * cospot.DAY_US
    assert until["vm_requests"] == int((came & ~is_spot).sum())
    assert until["spot_requests"] == int((came & is_spot).sum()) >= until["spot_admitted"]
    if day <= 0:  # revenue counts from the window's start
        assert until["spot_revenue"] == until["vm_revenue_requested"] == 0
        return
    whole = cospot.simulate(workload.with_window_days(day), **RUN).as_dict()
    for name in whole:
        if not name.endswith(("_ns", "_ms")):
            assert until[name] == whole[name], name


def test_a_run_in_steps_ends_like_a_run_at_once(workload: Workload) -> None:
    simulation = Simulation(workload, **RUN)
    used = simulation.hosts.vcpus_total - simulation.hosts.vcpus_free
    assert used.sum() == 0
    peak = 0
    for day in range(-30, 15):
        simulation.run_until(day * cospot.DAY_US)
        hosts = simulation.hosts
        spots = [simulation.spots_on(i) for i in range(len(hosts))]
        assert [len(s) for s in spots] == hosts.num_spots.tolist()
        held = [sum(s.resources.vcpus for s in on_host) for on_host in spots]
        assert (hosts.vcpus_free_ignoring_spots - hosts.vcpus_free).tolist() == held
        for host, on_host in enumerate(spots):
            assert all(simulation.host_of(s.instance) == host for s in on_host)
        peak = max(peak, int(hosts.num_vms.sum()))
        assert simulation.now_us == max(day * cospot.DAY_US, simulation.now_us)
    simulation.run()
    assert simulation.is_finished and peak > 500
    whole = cospot.simulate(workload, **RUN)
    left = {
        name: value for name, value in whole.as_dict().items() if not name.endswith(("_ns", "_ms"))
    }
    steps = simulation.result().as_dict()
    assert {name: steps[name] for name in left} == left
    # Only those that never end are left.
    columns = workload.to_columns()
    endless = int((columns["end_us"] == cospot.NEVER_US).sum())
    assert int(simulation.hosts.num_vms.sum() + simulation.hosts.num_spots.sum()) <= endless


def test_hosts_may_differ_and_hold_something_already(workload: Workload) -> None:
    table = HostTable(
        [cospot.HostSpec(f"big-{i}", (20800, 4500)) for i in range(10)]
        + [cospot.HostSpec(f"small-{i}", HOST) for i in range(18)]
    )
    used = Chain([cospot.make_weigher("UTIL", measure="used")])
    common: dict[str, Any] = {"vm": used, "spot": "sUTIL", "evictor": "FIFO", "otn": 2}
    result = cospot.simulate(workload, hosts=table, **common)
    assert result.hosts == 28 and result.vm_requests == 4299
    again = cospot.simulate(workload, hosts=table, **{**common, "vm": Util})
    assert again.spot_revenue_vcpu_us == result.spot_revenue_vcpu_us
    assert table.num_vms.sum() == 0
    with pytest.raises(cospot.ConfigError, match="host: given beside a HostTable"):
        cospot.simulate(workload, hosts=table, host=HOST, **common)
    with pytest.raises(cospot.ConfigError, match="the table has no hosts"):
        cospot.simulate(workload, hosts=HostTable([]), **common)
    with pytest.raises(cospot.ConfigError, match="host: missing; expected the totals"):
        cospot.simulate(workload, hosts=3, **common)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"hosts": 0}, "hosts is 0, expected a whole number from 1 to 10000000"),
        ({"host": (0, 1)}, "host vcpus is 0"),
        ({"vm": "BEST"}, "vm: unknown weigher 'BEST'; valid names: UTIL"),
        ({"spot": "BEST"}, "spot: unknown weigher 'BEST'"),
        ({"evictor": "BEST"}, "unknown evictor 'BEST'; valid names: FIFO"),
        ({"otn": 0}, "otn is 0, expected a whole number from 1"),
        ({"otn": "two"}, "^otn: found 'two', expected an OTN such as"),
    ],
)
def test_arguments_that_cannot_be(workload: Workload, change: dict[str, Any], text: str) -> None:
    with pytest.raises(cospot.ConfigError, match=text):
        cospot.simulate(workload, **{**RUN, **change})


def test_a_policy_cannot_run_the_run_it_is_part_of(workload: Workload) -> None:
    running: list[Simulation] = []

    class Inward(Util):
        def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> Any:
            with pytest.raises(RuntimeError, match="this Simulation is running"):
                running[0].run()
            with pytest.raises(RuntimeError, match="this Simulation is running"):
                running[0].spots_on(0)
            raise LookupError("seen")

    running.append(Simulation(workload, **{**RUN, "vm": Inward}))
    with pytest.raises(cospot.PolicyError, match="LookupError: seen"):
        running[0].run()
    with pytest.raises(RuntimeError, match="ended by an error in the middle of an event"):
        running[0].run()
    assert np.all(running[0].hosts.vcpus_total == HOST[0])


class Alarmed(Exception):
    """What the test's signal handler raises, as Ctrl-C raises KeyboardInterrupt."""


def test_a_signal_ends_a_run_between_two_events_and_it_can_go_on() -> None:
    def raise_alarmed(_signal: int, _frame: object) -> None:
        raise Alarmed

    workload = Workload.generate(seed=1, scale=0.02)  # about 100,000 requests: many slices
    run = {**RUN, "hosts": 800}
    expected = cospot.simulate(workload, **run)
    interrupted = Simulation(workload, **run)
    before = signal.signal(signal.SIGALRM, raise_alarmed)
    try:
        with pytest.raises(Alarmed):  # noqa: PT012 the alarm may come before the run
            signal.setitimer(signal.ITIMER_REAL, 0.002)
            interrupted.run()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not interrupted.is_finished
    interrupted.run()
    assert interrupted.result().spot_revenue_vcpu_us == expected.spot_revenue_vcpu_us
    assert interrupted.result().evictions == expected.evictions


def test_a_file_of_hosts_is_given_by_either_name(workload: Workload, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.csv"
    hosts.write_text(
        "name,type,vcpus,memory_mb\n" + "".join(f"h{i},a,{HOST[0]},{HOST[1]}\n" for i in range(35))
    )
    expected = cospot.simulate(workload, **RUN).spot_revenue
    assert cospot.simulate(workload, host=hosts, **POLICIES).spot_revenue == expected
    assert cospot.simulate(workload, hosts=str(hosts), **POLICIES).spot_revenue == expected


def test_hosts_in_another_unit_are_doubted_every_time(workload: Workload) -> None:
    gib = {**RUN, "hosts": 2, "host": (10400, 2)}
    for _ in range(2):
        with pytest.warns(cospot.WorkloadWarning, match="the units seem to differ"):
            cospot.simulate(workload, **gib)


def test_a_vm_larger_than_every_host_has_no_size(workload: Workload) -> None:
    with pytest.raises(cospot.ConfigError, match="no datacenter holds all VMs; use a larger host"):
        cospot.size(workload, vm="COS", host=(1, 1))
