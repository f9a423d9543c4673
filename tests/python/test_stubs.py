"""The hand-written stub of the compiled module names what the module has, and the other way."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import cospot
import pytest
from cospot import _core

STUB = Path(cospot.__file__).parent / "_core.pyi"
#: What pybind11 adds to a class by itself, or every class has.
INHERITED = {"__init__", "__module__", "__doc__", "__qualname__", "__new__"}


def stub_tree() -> ast.Module:
    return ast.parse(STUB.read_text())


def stub_functions() -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in stub_tree().body if isinstance(node, ast.FunctionDef)}


def stub_classes() -> dict[str, ast.ClassDef]:
    return {node.name: node for node in stub_tree().body if isinstance(node, ast.ClassDef)}


def members(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}


def parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    names += [argument.arg for argument in arguments.kwonlyargs]
    if arguments.kwarg is not None:
        names.append("kwargs")
    return names


def bound_parameters(docstring: str) -> list[str]:
    """The parameter names in the signature line that pybind11 writes."""
    signature = docstring.splitlines()[0]
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    # Defaults may hold commas: names stand at the start or after ", " and before a colon.
    return re.findall(r"(?:^|, )(?:\*\*)?([a-z_]+)(?::|(?=$))", inside)


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
    apart = {"ChangeWatch", "LiveHosts", "economy_backtest", "economy_plan", "quote_lifetimes"}
    assert compiled - apart <= set(cospot.__all__)
    assert apart.isdisjoint(cospot.__all__)
    assert apart <= compiled
    for name in cospot.__all__:
        if name not in {**cospot._LAZY, **cospot._LAZY_MODULES}:
            assert getattr(cospot, name) is not None
    assert len(set(cospot.__all__)) == len(cospot.__all__)
    with pytest.raises(AttributeError, match="module 'cospot' has no attribute 'nothing'"):
        cospot.nothing  # noqa: B018


@pytest.mark.parametrize("name", stub_classes())
def test_members_of_a_class(name: str) -> None:
    bound_class = getattr(_core, name)
    own = {
        member
        for member, value in vars(bound_class).items()
        if member not in INHERITED and not member.startswith("_pybind11")
    }
    has_constructor = "__init__" in vars(bound_class) and (
        "self:" in (bound_class.__init__.__doc__ or "")
    )
    expected = members(stub_classes()[name])
    assert ("__init__" in expected) == has_constructor
    # A class that defines equality alone has no hash: Python writes None.
    own = {member for member in own if not (member == "__hash__" and bound_class.__hash__ is None)}
    assert set(expected) - {"__init__"} == own


def test_parameters() -> None:
    checked = 0
    for name, function in stub_functions().items():
        assert bound_parameters(getattr(_core, name).__doc__) == parameters(function), name
        checked += 1
    for class_name, node in stub_classes().items():
        for name, function in members(node).items():
            bound = inspect.getattr_static(getattr(_core, class_name), name)
            if isinstance(bound, property):
                assert parameters(function) == ["self"]
                continue
            is_static = any(ast.unparse(d) == "staticmethod" for d in function.decorator_list)
            found = bound_parameters(getattr(getattr(_core, class_name), name).__doc__)
            assert found == parameters(function), f"{class_name}.{name}"
            assert is_static == isinstance(bound, staticmethod)
            checked += 1
    assert checked > 60


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
    text = bound.__doc__ or ""
    # The first line of a function's is the signature that pybind11 writes.
    sentence = re.sub(r"^\w+\(.*\n", "", text, count=1).strip()
    assert len(sentence) > 5 and sentence.rstrip(")").endswith((".", ":")), f"{name}: {sentence}"
