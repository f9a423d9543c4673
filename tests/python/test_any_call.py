"""Every public name takes an argument of any kind: a call works or raises a documented exception.

The public API is walked, so that a new name is covered when it comes; it needs arguments that work
(any_arguments.py), of which each is changed. By default one change in eight is made.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import inspect
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, is_typeddict

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

import cospot
from any_arguments import KINDS, objects, working_arguments
from cospot.lifetime import SpotTable

MODULES = ("cospot", *(f"cospot.{name}" for name in sorted(cospot._LAZY_MODULES)))
#: Users write subclasses of these, whose methods then are theirs.
THEIRS = ("Filter", "Weigher", "Evictor")
#: Seconds that no call may take, and MiB that none may need beyond what was in use.
HANGS_S, MOST_MB = 100, 1500
OPTION = re.compile(r"(?:^|[ (])--[a-z]")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return working_arguments(tmp_path_factory.mktemp("any"))


def is_plain(value: Any) -> bool:
    """Whether a class has no call of its own to check: exceptions, results, bases of users' own."""
    return (
        issubclass(value, (Exception, tuple, *(getattr(cospot, name) for name in THEIRS)))
        or is_typeddict(value)
        or (dataclasses.is_dataclass(value) and value not in (cospot.Results, SpotTable))
    )  # fmt: skip


def public_values() -> Iterator[tuple[str, Any]]:
    """Every public function and class once, with its first name below cospot."""
    seen = set()
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
            if not name.startswith("_") and callable(value) and is_own and value not in seen:
                seen.add(value)
                yield prefix + name, value


def is_gymnasiums(member: Any) -> bool:
    """Whether a method or property is inherited from a class of Gymnasium."""
    return str(getattr(getattr(member, "fget", member), "__module__", "")).startswith("gymnasium")


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
            if is_gymnasiums(bound):
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


def base_of(name: str, call: Any, good: dict[str, Any]) -> dict[str, Any]:
    """Return arguments that work, as far as they are known: what the call needs, and its own."""
    base = {}
    owner, _, last = name.rpartition(".")
    for one in inspect.signature(call).parameters.values():
        is_needed = one.default is one.empty and one.kind is not one.VAR_KEYWORD
        is_needed |= one.name in ("db", "force", "output", "hosts", "host", "mttr_hours")
        names = KEYWORDS.get(name, ()) if one.kind is one.VAR_KEYWORD else (one.name,)
        for key in names:
            own = [f"{name}.{key}", f"{owner}.{key}", f"{last}.{key}"]
            known = [good[place] for place in (*own, *[key] * is_needed) if place in good]
            if known:
                base[key] = known[0]
    if "simulation" in base:  # earlier calls may have run it to its end
        base["simulation"] = objects(good)["Simulation"]()
    return base


def arguments_of(
    name: str, call: Any, base: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what to call with: each argument of each kind, and all of one kind."""
    for kind, value in KINDS.items():
        yield f"all required: {kind}", dict.fromkeys(base, value)
        for one in inspect.signature(call).parameters.values():
            names = KEYWORDS.get(name, ("x",)) if one.kind is one.VAR_KEYWORD else (one.name,)
            for keyword in names:
                yield f"{keyword}: {kind}", {**base, keyword: value}
    yield "a keyword that is no text's", {**base, "\ud800": 1}
    yield "no arguments", {}


def call_with(call: Any, given: dict[str, Any]) -> Any:
    """Call; pass those by position that have no name."""
    parameters = inspect.signature(call).parameters
    first = [name for name, one in parameters.items() if one.kind is one.POSITIONAL_ONLY]
    named = {key: value for key, value in given.items() if key not in first}
    return call(*(given[one] for one in first if one in given), **named)


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


@pytest.mark.parametrize("one_in", [8, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CALLS)
def test_any_argument(
    name: str, one_in: int, good: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    warnings.simplefilter("ignore")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = peak_mb()
    faults = []
    base = base_of(name, CALLS[name](good), good)
    given_ones = list(arguments_of(name, CALLS[name](good), base))
    for what, given in given_ones[len(name) % one_in :: one_in]:
        call = CALLS[name](good)
        faulthandler.dump_traceback_later(HANGS_S, exit=True)
        try:
            said = call_with(call, given)
            if isinstance(said, str) and names_option(said):
                faults.append(f"{name}({what}): its text names an option")
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
    call_with(call, base_of(name, call, good))


def test_every_class_has_an_object_and_properties_that_stay(good: dict[str, Any]) -> None:
    made = objects(good)
    classes = {name: value for name, value in public_values() if isinstance(value, type)}
    assert {name for name, value in classes.items() if not is_plain(value)} == set(made)
    for name, make in made.items():
        one = make()
        for member, bound in inspect.getmembers(classes[name]):
            if isinstance(bound, property) and not is_gymnasiums(bound):
                getattr(one, member)
                with pytest.raises(AttributeError):
                    setattr(one, member, 1)
        repr(one)
