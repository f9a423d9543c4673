"""The stub of the compiled module names what the module has, and the other way."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import re
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot import _core

STUB = Path(cospot.__file__).parent / "_core.pyi"
#: What pybind11 adds to a class by itself, or every class has.
INHERITED = {
    "__init__", "__module__", "__doc__", "__qualname__", "__new__",
    "__eq__", "__hash__", "__repr__", "__reduce__",
}  # fmt: skip


@functools.cache
def stub_tree() -> ast.Module:
    return ast.parse(STUB.read_text())


def stub_functions() -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in stub_tree().body if isinstance(node, ast.FunctionDef)}


def stub_classes() -> dict[str, ast.ClassDef]:
    return {node.name: node for node in stub_tree().body if isinstance(node, ast.ClassDef)}


def members(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}


def parameters(function: ast.FunctionDef) -> list[tuple[str, Any, Any]]:
    """The name, kind and default of each parameter, as inspect.signature has them."""
    space: dict[str, Any] = {}
    arguments = copy.deepcopy(function.args)
    for part in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        part.annotation = None
    if arguments.kwarg is not None:
        arguments.kwarg.arg, arguments.kwarg.annotation = "kwargs", None
    exec(f"def call({ast.unparse(arguments)}): pass", space)
    return shape(inspect.signature(space["call"]))


def shape(signature: inspect.Signature) -> list[tuple[str, Any, Any]]:
    return [(one.name, one.kind, one.default) for one in signature.parameters.values()]


def without_unknown(stub: list[Any], bound: list[Any]) -> list[Any]:
    """The stub may say `...` where a default is a number that nobody would write."""
    return [
        (name, kind, other[2] if default is ... else default)
        for (name, kind, default), other in zip(stub, bound, strict=False)
    ]


def test_names_of_the_module() -> None:
    variables = {
        target.target.id
        for target in stub_tree().body
        if isinstance(target, ast.AnnAssign) and isinstance(target.target, ast.Name)
    }
    expected = {*stub_functions(), *stub_classes(), *variables}
    expected = {name for name in expected if not re.match(r"_[A-Z]", name)}  # aliases of types
    bound = {name for name in vars(_core) if not name.startswith("__")} | {"__version__"}
    assert expected == bound


def test_everything_public_is_in_the_package() -> None:
    compiled = {name for name in vars(_core) if not name.startswith("_")}
    # What the plugin of Nova alone needs, and what has another name in a module.
    apart = {"ChangeWatch", "LiveHosts", "ReservedHosts"}
    apart |= {"economy_backtest", "economy_plan", "quote_lifetimes", "PlacementRuns"}
    assert compiled - apart <= set(cospot.__all__)
    assert apart.isdisjoint(cospot.__all__)
    assert apart <= compiled
    for name in cospot.__all__:
        if name not in {**cospot._LAZY, **cospot._LAZY_MODULES}:
            assert getattr(cospot, name) is not None
    assert len(set(cospot.__all__)) == len(cospot.__all__)
    with pytest.raises(AttributeError, match="module 'cospot' has no attribute 'nothing'"):
        cospot.nothing  # noqa: B018


def is_made_by_callers(bound_class: type) -> bool:
    return type(bound_class.__init__).__name__ != "wrapper_descriptor"


@pytest.mark.parametrize("name", stub_classes())
def test_members_of_a_class(name: str) -> None:
    bound_class = getattr(_core, name)
    own = {
        member
        for member, value in vars(bound_class).items()
        if member not in INHERITED and not member.startswith("_pybind11")
    }
    has_constructor = is_made_by_callers(bound_class)
    expected = members(stub_classes()[name])
    assert ("__init__" in expected) == has_constructor
    assert set(expected) - {"__init__"} == own


def test_signatures() -> None:
    checked = 0
    for name, function in stub_functions().items():
        bound = shape(inspect.signature(getattr(_core, name)))
        assert bound == without_unknown(parameters(function), bound), name
        checked += 1
    for class_name, node in stub_classes().items():
        for name, function in members(node).items():
            bound_member = inspect.getattr_static(getattr(_core, class_name), name)
            is_property = any(ast.unparse(d) == "property" for d in function.decorator_list)
            assert is_property == isinstance(bound_member, property)
            if is_property:
                continue
            is_static = any(ast.unparse(d) == "staticmethod" for d in function.decorator_list)
            assert is_static == isinstance(bound_member, staticmethod)
            bound = shape(inspect.signature(getattr(getattr(_core, class_name), name)))
            expected = without_unknown(parameters(function), bound)
            assert bound == expected, f"{class_name}.{name}"
            if name == "__init__":
                assert shape(inspect.signature(getattr(_core, class_name))) == expected[1:]
            checked += 1
    assert checked > 60


def public_callables() -> list[str]:
    return [name for name in cospot.__all__ if callable(getattr(cospot, name))]


@pytest.mark.parametrize("name", public_callables())
def test_everything_public_has_a_signature_and_a_docstring(name: str) -> None:
    value = getattr(cospot, name)
    assert (value.__doc__ or "").strip()
    if isinstance(value, type) and not is_made_by_callers(value):
        return  # other calls alone make it
    inspect.signature(value)


def test_docstrings_of_the_stub() -> None:
    checked = 0
    for name, bound in documented():
        if name.rpartition(".")[2].startswith("__"):
            continue
        first, *rest = name.split(".")
        node: Any = {**stub_functions(), **stub_classes()}[first]
        node = members(node)[rest[0]] if rest else node
        assert ast.get_docstring(node) == inspect.cleandoc(bound.__doc__), name
        checked += 1
    assert checked > 200


def documented() -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name in (*stub_functions(), *stub_classes()):
        found.append((name, getattr(_core, name)))
    for class_name, node in stub_classes().items():
        for name in members(node):
            bound = inspect.getattr_static(getattr(_core, class_name), name)
            found.append((f"{class_name}.{name}", getattr(bound, "__func__", bound)))
    return found


@pytest.mark.parametrize(("name", "bound"), documented())
def test_everything_has_a_docstring(name: str, bound: Any) -> None:
    sentence = (bound.__doc__ or "").strip()
    assert len(sentence) > 5 and sentence.rstrip(")").endswith((".", ":")), f"{name}: {sentence}"
