"""Wrong calls say which argument is meant; notebooks complete keywords."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot.argument_errors import argument_error


def test_a_wrong_keyword_names_the_nearest(workload: cospot.Workload) -> None:
    with pytest.raises(cospot.ArgumentError) as raised:
        cospot.simulate(workload, hosts=3, host=(8, 8), vm="COS", spt="sCOS", evictor="FIFO")
    assert str(raised.value) == "simulate: there is no argument 'spt'; did you mean 'spot'?"
    assert isinstance(raised.value, TypeError)
    assert isinstance(raised.value, cospot.InputError)


def test_a_wrong_keyword_like_no_other_lists_all() -> None:
    with pytest.raises(cospot.ArgumentError) as raised:
        cospot.Chain(["UTIL"], colour="red")
    expected = "Chain: there is no argument 'colour'; valid names: weighers, filters, label"
    assert str(raised.value) == expected


def test_methods_and_static_methods(workload: cospot.Workload) -> None:
    with pytest.raises(cospot.ArgumentError, match=r"^Workload\.sample: .*'seed'\?$"):
        workload.sample(0.5, sed=1)
    with pytest.raises(cospot.ArgumentError, match=r"^Workload\.generate: .*'scale'\?$"):
        cospot.Workload.generate(scal=1)


def test_an_argument_is_missing_or_too_many(workload: cospot.Workload) -> None:
    with pytest.raises(cospot.ArgumentError, match="^size: missing a required argument: 'host'"):
        cospot.size(workload, vm="COS")
    with pytest.raises(cospot.ArgumentError, match="^size: too many positional arguments"):
        cospot.size(workload, "COS")


def test_a_value_of_another_type_names_the_argument() -> None:
    with pytest.raises(cospot.ArgumentError) as raised:
        cospot.optimal_interval("ten", mttr_hours=2.0)
    assert str(raised.value) == (
        "optimal_interval: checkpoint_hours is of type str, expected float; see "
        "help(cospot.optimal_interval)"
    )


def test_the_message_of_pybind11_3_names_the_argument_too() -> None:
    """As its version 3.0 writes it; Debian has 2.10."""
    raised = TypeError(
        "f(): incompatible function arguments. The following argument types are supported:\n"
        "    1. (hours: typing.SupportsFloat | typing.SupportsIndex, "
        "count: typing.SupportsInt | typing.SupportsIndex) -> float\n\nInvoked with: 1.5, 'two'"
    )
    error = argument_error("f", "(hours, count)", (1.5, "two"), {}, raised)
    assert str(error) == "f: count is of type str, expected int; see help(cospot.f)"


@pytest.mark.parametrize("name", ["size", "simulate", "explain", "simulate_life", "Simulation"])
def test_a_file_in_place_of_a_workload_says_how_to_read_it(name: str) -> None:
    more = {"explain": ["7"], "simulate_life": [{}]}.get(name, [])
    run = {} if name == "size" else {"hosts": 3, "spot": "sCOS", "evictor": "FIFO"}
    with pytest.raises(cospot.ArgumentError) as raised:
        getattr(cospot, name)("requests.csv", *more, vm="COS", host=(64, 262144), **run)
    assert str(raised.value) == (
        f"{name}: workload is of type str, expected a cospot.Workload; "
        "cospot.Workload.load(FILE) reads a file"
    )


def test_tune_and_plan_name_all_their_arguments() -> None:
    for call, name in ((cospot.tune, "tune"), (cospot.plan, "plan")):
        given: dict[str, Any] = {"price": "p.csv"} if name == "plan" else {}
        given |= {"host": (64, 262144)}
        with pytest.raises(cospot.ArgumentError) as raised:
            call("w.csv", headroom=2, **given)
        text = str(raised.value)
        assert text.startswith(f"{name}: there is no argument 'headroom'; valid names: ")
        valid = text.partition("valid names: ")[2].split(", ")
        assert {"host", "headroom_percent", "vm", "otn"} <= set(valid)
        assert "kwargs" not in valid
        assert "candidates" not in valid
        with pytest.raises(cospot.ArgumentError, match="'evicter'; did you mean 'evictor'?"):
            call("w.csv", evicter="FIFO", **given)
    with pytest.raises(cospot.ArgumentError, match="^workloads is of type int, expected a path"):
        cospot.tune(3, host=(64, 262144))  # type: ignore[arg-type]


def test_wrong_types_are_argument_errors_everywhere(workload: cospot.Workload) -> None:
    for call in (
        lambda: cospot.Request(1.5, 1),
        lambda: cospot.size(workload, vm=3, host=(64, 262144)),
        lambda: cospot.size(workload, vm="COS", host=3.5),
        lambda: cospot.compare(3),
        lambda: cospot.compare({}, overrides="otn=4"),
        lambda: cospot.sweep({}, overrides="otn=4"),
        lambda: cospot.sweep(3),
        lambda: cospot.compare({}, progress="yes"),
        lambda: cospot.compare_policies({}, study=3),
        lambda: cospot.Workload.from_frame(3),
    ):
        with pytest.raises(cospot.ArgumentError):
            call()


def test_errors_name_arguments_instead_of_options(
    workload: cospot.Workload, tmp_path: Path
) -> None:
    with pytest.raises(cospot.ConfigError, match="^price: found 'vm=1', expected on-demand="):
        cospot.report("r.db", tmp_path / "x.html", price={"vm": 1})
    with pytest.raises(cospot.ConfigError, match="^overrides nonsense: expected key=value, for"):
        cospot.compare({}, overrides=["nonsense"], db=tmp_path / "r.db")
    # An option stays in the value of somebody, and in a command.
    with pytest.raises(cospot.ConfigError, match="found '--otn', expected"):
        cospot.simulate(workload, hosts=3, host=(8, 8), vm="COS", spot="sCOS", evictor="FIFO",
                        otn="--otn")  # fmt: skip
    workload.save(tmp_path / "w.csv")
    study = {
        "workloads": str(tmp_path / "w.csv"), "host": {"vcpus": 10400, "memory_mb": 2250},
        "hosts": 40, "vm": "COS", "spot": "sCOS", "evictor": "FIFO", "saf": False, "otn": 1,
    }  # fmt: skip
    outcome = cospot.compare(study, db=tmp_path / "r.db")
    with pytest.raises(cospot.DatabaseError, match="resume=True continues it, force=True"):
        cospot.compare(study, db=tmp_path / "r.db")
    with pytest.raises(cospot.ConfigError, match="^shard 3: expected I/N with"):
        cospot.compare(study, shard="3", db=tmp_path / "new.db")
    (tmp_path / "w.csv").unlink()
    (tmp_path / "p.csv").write_text("vcpus,memory_mb,on_demand,spot\n1,1,4,1\n")
    with pytest.raises(cospot.InputError, match="`cospot workload info WORKLOAD --price"):
        cospot.load_results(outcome.database).money(flavors=tmp_path / "p.csv")


def test_a_keyword_that_is_no_text_is_an_error_like_others() -> None:
    with pytest.raises(cospot.ArgumentError, match=r"^Chain: there is no argument '\\udc80'"):
        cospot.Chain(["UTIL"], **{"\udc80": 1})
    with pytest.raises(cospot.ArgumentError, match="^mean_interval: there is no argument"):
        cospot.mean_interval(**{"\ud800": 1})


def test_functions_in_python_name_the_argument_too() -> None:
    pytest.importorskip("pandas")
    with pytest.raises(cospot.ArgumentError) as raised:
        cospot.pareto_front({})  # type: ignore[arg-type]
    text = "pareto_front: frame is of type dict, expected pandas DataFrame"
    assert str(raised.value) == text
    with pytest.raises(
        cospot.ArgumentError, match="^read_events: there is no argument 'event'; did"
    ):
        cospot.read_events(event="x")  # type: ignore[call-arg]
    with pytest.raises(cospot.ConfigError, match="first_day is nan, expected a finite number"):
        cospot.occupancy_over_time("x.csv", host=(1, 1), hosts=1, first_day=float("nan"))


def test_an_error_of_the_function_itself_stays() -> None:
    own = TypeError("vcpus is of type float, expected a whole number")
    assert argument_error("Request", "(self, vcpus)", (None, 1.5), {}, own) is own
    with pytest.raises(TypeError, match="vcpus is of type float"):
        cospot.Request(1.5, 1)


@pytest.mark.parametrize("with_jedi", [False, True])
def test_notebooks_complete_keywords(with_jedi: bool) -> None:
    pytest.importorskip("IPython")
    # In a process of its own: IPython changes how Python shows errors.
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell()\n"
        f"shell.Completer.use_jedi = {with_jedi}\n"
        "shell.run_cell('import cospot')\n"
        "import warnings; warnings.simplefilter('ignore')\n"
        "for text in ('cospot.simulate(ev', 'cospot.Chain(fil', 'cospot.Workload.generate(sca'):\n"
        "    print(*(c.text for c in shell.Completer.completions(text, len(text))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    lines = [line for line in done.stdout.splitlines() if "=" in line]
    assert len(lines) == 3, done.stdout + done.stderr
    for line, keyword in zip(lines, ("evictor=", "filters=", "scale="), strict=True):
        assert keyword in line.split()
