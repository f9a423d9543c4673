"""Wrong calls say which argument is meant; notebooks complete keywords."""

from __future__ import annotations

import subprocess
import sys

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


def test_an_object_of_another_type_says_what_was_found() -> None:
    with pytest.raises(cospot.ArgumentError) as raised:
        cospot.size("requests.csv", vm="COS", host=(64, 262144))
    assert str(raised.value).startswith(
        "size: an argument is of a type that it does not take: found (str, vm: str, host: tuple), "
        "expected (workload, "
    )


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
