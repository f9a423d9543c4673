"""The error for a call of the compiled module with invalid arguments."""

from __future__ import annotations

import inspect
import numbers
import re
from typing import Any

import numpy

from cospot import _core
from cospot.errors import ArgumentError


def argument_error(
    name: str, parameters: str, args: tuple[Any, ...], kwargs: dict[str, Any], raised: TypeError
) -> TypeError:
    """Return the exception to raise instead of `raised`.

    Args:
        name: The function called: ``simulate``, ``Chain.rank``.
        parameters: Its signature without types: ``(workload, *, hosts=None)``.
        args: The positional arguments, including ``self``.
        kwargs: The keyword arguments.
        raised: An error of pybind11, which lists types, or one that the function raised itself; the
            latter is returned unchanged.
    """
    if not str(raised).startswith(f"{name.rpartition('.')[2]}(): incompatible") and (
        "__init__(): incompatible" not in str(raised)
    ):
        return raised
    signature = _signature(parameters)
    if "self" in signature.parameters:
        args = args[1:]
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
    error = ArgumentError(f"{name}: {_fault(name, signature, args, kwargs, str(raised))}")
    error.__suppress_context__ = True
    return error


def _signature(parameters: str) -> inspect.Signature:
    """Parse the text of a signature whose defaults are Python literals."""
    space: dict[str, Any] = {}
    exec(f"def call{parameters}: pass", space)
    return inspect.signature(space["call"])


def _fault(
    name: str,
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    supported: str,
) -> str:
    names = [
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.VAR_KEYWORD)
    ]
    takes_any = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
    for keyword in kwargs:
        if keyword not in names and not takes_any:
            valid = _core._valid_names_text(keyword, names) if names else "expected none"
            return f"there is no argument '{keyword}'; {valid}"
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        return f"{error}; it is called with {signature}"
    if wrong := _wrong_classes(bound.arguments, supported):
        return "; ".join(wrong)
    if wrong := _wrong_types(bound.arguments, supported):
        return f"{'; '.join(wrong)}; see help(cospot.{name})"
    given = [_type_name(value) for value in args]
    given += [f"{keyword}: {_type_name(value)}" for keyword, value in kwargs.items()]
    return (
        f"an argument is of a type that it does not take: found ({', '.join(given)}), expected "
        f"{signature}; see help(cospot.{name})"
    )


#: Python types that pybind11 converts, by their name in its messages: since version 3, a number is
#: a `typing.SupportsFloat` or a `typing.SupportsInt` there.
_CONVERTED: dict[str, tuple[type, ...]] = {
    "bool": (bool, numpy.bool_),
    "int": (numbers.Integral, numpy.integer),
    "float": (numbers.Real, numpy.number),
    "str": (str, bytes),
}


def _wrong_types(given: dict[str, Any], supported: str) -> list[str]:
    """Name the arguments of the wrong type in a call with one signature and plain types."""
    signatures = re.findall(r"(?m)^ +\d+\. .*\((.*)\)", supported)
    if len(signatures) != 1:
        return []
    stated = re.sub(r"typing\.SupportsFloat( \| typing\.SupportsIndex)?", "float", signatures[0])
    stated = re.sub(r"typing\.SupportsInt( \| typing\.SupportsIndex)?", "int", stated)
    types = dict(re.findall(r"(\w+): (\w+)\b(?![.\[])", stated))
    return [
        f"{name} is of type {_type_name(value)}, expected {types[name]}"
        for name, value in given.items()
        if types.get(name) in _CONVERTED and not isinstance(value, _CONVERTED[types[name]])
    ]


#: How to make an object of a class from the values that callers often pass instead.
_MADE_BY: dict[str, str] = {"Workload": "cospot.Workload.load(FILE) reads a file"}


def _wrong_classes(given: dict[str, Any], supported: str) -> list[str]:
    """Name the arguments that are not of the required class of the module."""
    wrong = []
    for name, class_name in re.findall(r"(\w+): cospot\._core\.(\w+)", supported):
        expected = getattr(_core, class_name)
        if name in given and not isinstance(given[name], expected):
            hint = f"; {_MADE_BY[class_name]}" if class_name in _MADE_BY else ""
            wrong.append(
                f"{name} is of type {_type_name(given[name])}, expected a cospot.{class_name}{hint}"
            )
    return wrong


def _type_name(value: object) -> str:
    return type(value).__name__
