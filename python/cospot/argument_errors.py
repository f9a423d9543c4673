"""The error for a call with invalid arguments, of the compiled module or of a Python function."""

from __future__ import annotations

import ast
import functools
import inspect
import math
import numbers
import os
import re
import sys
import warnings
from collections.abc import Callable, Container, Mapping
from typing import Any, TypeVar, cast

import numpy

from cospot.errors import ArgumentError, ConfigError

_Function = TypeVar("_Function", bound=Callable[..., Any])
_MOST = 2**63 - 1
#: Former names of arguments, which calls may use for a while, and their names of today.
RENAMED = {"sweep": "study"}


def checked(function: _Function) -> _Function:
    """Decorate a function of the package so that calls are checked against its annotations.

    A wrong name or type raises ArgumentError; a number that is not finite or exceeds 64 bits raises
    ConfigError. A text for a ``Literal`` is left to the function.
    """
    signature = inspect.signature(function)
    name = function.__qualname__.removesuffix(".__init__")
    annotations = {
        parameter: ast.parse(str(annotation), mode="eval").body
        for parameter, annotation in function.__annotations__.items()
    }

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        kwargs = with_current_names(signature.parameters, kwargs, 3) or kwargs
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            fault = _fault(name, signature, args, kwargs, "")
            raise ArgumentError(f"{name}: {fault}") from None
        for parameter, value in given.items():
            if parameter in annotations:
                _check(f"{name}: {parameter}", annotations[parameter], value, function.__globals__)
        return function(*args, **kwargs)

    return cast("_Function", call)


def with_current_names(
    parameters: Container[str], kwargs: dict[str, Any], stacklevel: int = 2
) -> dict[str, Any] | None:
    """Return keyword arguments under their names of today; None: none has a former one.

    A former name gives a DeprecationWarning, in the name of the code that called cospot.

    Args:
        parameters: The names of the function's parameters.
        kwargs: As called.
        stacklevel: Where that code is, as for ``warnings.warn``.
    """
    former = {
        old: new
        for old, new in RENAMED.items()
        if old in kwargs and old not in parameters and new in parameters and new not in kwargs
    }
    for old, new in former.items():
        warnings.warn(
            f"the argument '{old}' is now '{new}'", DeprecationWarning, stacklevel=stacklevel
        )
    return {former.get(name, name): value for name, value in kwargs.items()} if former else None


def parameter_names(parameters: str) -> list[str]:
    """Return the names in the text of a signature without types: ``(workload, *, hosts=None)``."""
    return list(_signature(parameters).parameters) if parameters else []


def _check(what: str, annotation: ast.expr, value: object, space: dict[str, Any]) -> None:
    if not _is_of(annotation, value, space):
        expected = re.sub(r"PathLike\[str\]|Path\b", "path", ast.unparse(annotation))
        expected = expected.replace("pd.DataFrame", "pandas DataFrame").replace(" | ", " or ")
        raise ArgumentError(f"{what} is of type {_type_name(value)}, expected {expected}")
    takes_paths, takes_arrays = "Path" in ast.unparse(annotation), _is_array(annotation)
    for number in value if isinstance(value, tuple | list) else (value,):
        if takes_paths:
            _check_path(what, number)
        if isinstance(number, numbers.Integral) and abs(int(number)) > _MOST:
            raise ConfigError(f"{what} is too large, expected a whole number of 64 bits")
        # Arrays may hold infinity (a server that is never revoked); so may a number in their place.
        is_finite = not isinstance(number, numbers.Real) or math.isfinite(number)
        if not is_finite and not takes_arrays:
            raise ConfigError(f"{what} is {number}, expected a finite number")


def _check_path(what: str, value: object) -> None:
    try:
        is_path = not isinstance(value, str | os.PathLike) or b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        is_path = False
    if not is_path:
        raise ConfigError(f"{what} is no path: it has a zero character or a lone surrogate")


def _is_array(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Attribute) and annotation.attr == "ArrayLike"


def _is_of(annotation: ast.expr, value: object, space: dict[str, Any]) -> bool:
    """Return True if a value fits an annotation of a module; unknown ones accept everything."""
    match annotation:
        case ast.BinOp(left=left, right=right):
            return _is_of(left, value, space) or _is_of(right, value, space)
        case ast.Constant(value=None):
            return value is None
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=parts)):
            if not isinstance(value, tuple | list) or len(value) != len(parts):
                return False
            return all(_is_of(part, one, space) for part, one in zip(parts, value, strict=True))
        case ast.Subscript(value=ast.Name(id="Sequence"), slice=part):
            return isinstance(value, list | tuple) and all(_is_of(part, v, space) for v in value)
        case ast.Attribute(attr="NDArray"):
            return isinstance(value, numpy.ndarray)
        case ast.Attribute(attr="ArrayLike"):
            try:
                return numpy.asarray(value).dtype.kind in "iuf"
            except (ValueError, OverflowError):  # rows of different lengths
                return False
        case ast.Subscript(value=generic):
            return _is_of(generic, value, space)
        case ast.Attribute(value=ast.Name(id="pd"), attr=name):
            return isinstance(value, getattr(sys.modules["pandas"], name))
        case ast.Name(id=name) if name in _OF_ANNOTATION:
            is_flag = isinstance(value, bool | numpy.bool_)
            return isinstance(value, _OF_ANNOTATION[name]) and is_flag == (name == "bool")
        case ast.Name(id=name) if name != "Any":
            known = space.get(name) or getattr(sys.modules.get("cospot._core"), name, None)
            return not isinstance(known, type) or isinstance(value, known)
    return True


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
    # Without the values, which may be long and look like a signature.
    supported = str(raised).partition("\nInvoked with: ")[0]
    signature = _signature(parameters)
    if "self" in signature.parameters:
        args = args[1:]
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
    error = ArgumentError(f"{name}: {_fault(name, signature, args, kwargs, supported)}")
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
            # A lone surrogate cannot be written.
            said = keyword.encode(errors="backslashreplace").decode()
            from cospot import _core  # not every installation has it

            valid = _core._valid_names_text(said, names) if names else "expected none"
            return f"there is no argument '{said}'; {valid}"
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


#: The classes of an annotation, which takes no bool for a number and no bytes for a text.
_OF_ANNOTATION: dict[str, tuple[Any, ...]] = {
    **_CONVERTED,
    "str": (str,),
    "Literal": (str,),
    "Callable": (Callable,),
    "Mapping": (Mapping,),
    "PathLike": (os.PathLike,),
    "Study": (Mapping,),
}

#: The ways to make an object of a class from the values that callers often pass instead.
_MADE_BY: dict[str, str] = {"Workload": "cospot.Workload.load(FILE) reads a file"}


def _wrong_classes(given: dict[str, Any], supported: str) -> list[str]:
    """Name the arguments that are not of the required class of the module."""
    wrong = []
    for name, class_name in re.findall(r"(\w+): cospot\._core\.(\w+)", supported):
        expected = getattr(sys.modules["cospot._core"], class_name)
        if name in given and not isinstance(given[name], expected):
            hint = f"; {_MADE_BY[class_name]}" if class_name in _MADE_BY else ""
            wrong.append(
                f"{name} is of type {_type_name(given[name])}, expected a cospot.{class_name}{hint}"
            )
    return wrong


def _type_name(value: object) -> str:
    return type(value).__name__
