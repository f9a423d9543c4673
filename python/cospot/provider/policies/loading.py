"""Finds the policies that a sweep file names with a scheme.

``python:MODULE.CLASS`` is a subclass of `cospot.Filter`, `cospot.Weigher` or `cospot.Evictor` in an
importable module; ``nova:MODULE.CLASS`` is an unmodified weigher or filter of OpenStack Nova
(`cospot.provider.policies.nova_policies`).
"""

from __future__ import annotations

import importlib
import importlib.machinery
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

from cospot.errors import ConfigError
from cospot.provider.policies import Evictor, Filter, Weigher

Policy = Filter | Weigher | Evictor
OptionValue = bool | int | float | str

_BASES: dict[str, type[Any]] = {"filter": Filter, "weigher": Weigher, "evictor": Evictor}
# A policy must override at least one of these.
_METHODS = {
    "filter": ("host_passes", "filter_all"),
    "weigher": ("weigh_host", "weigh_all"),
    "evictor": ("make_plan",),
}


def policy_maker(kind: str, name: str, options: Mapping[str, OptionValue]) -> Callable[[], Policy]:
    """Finds a policy's class.

    Args:
        kind: ``filter``, ``weigher`` or ``evictor``, as required where the policy is named.
        name: ``python:MODULE.CLASS`` or ``nova:MODULE.CLASS``.
        options: The policy's options in the configuration: keyword arguments of its constructor, or
            options of Nova.

    Returns:
        A function that returns a new object at every call.

    Raises:
        ConfigError: There is no such module or class, it is not a policy of that kind, or it does
            not accept the options.
    """
    scheme, _, path = name.partition(":")
    given = dict(options)
    if scheme == "nova":
        # Imported late, because that module imports this one.
        from cospot.provider.policies.nova_policies import nova_policy_maker

        return nova_policy_maker(kind, path, given)
    policy_class = import_class(path)
    base = _BASES[kind]
    if not issubclass(policy_class, base):
        raise ConfigError(f"{path} is no {kind}: expected a subclass of cospot.{base.__name__}")
    require_concrete(policy_class, path)
    if all(getattr(policy_class, method) is getattr(base, method) for method in _METHODS[kind]):
        raise ConfigError(f"{path} overrides none of {', '.join(_METHODS[kind])}; expected one")
    _require_options(policy_class, path, given)

    def make() -> Policy:
        made: Policy = policy_class(**given)
        return made

    return make


def import_class(path: str) -> type[Any]:
    """Imports ``MODULE.CLASS``.

    Raises:
        ConfigError: There is no such module or class.
    """
    module_name, dot, class_name = path.rpartition(".")
    if not dot or not all(part.isidentifier() for part in path.split(".")):
        raise ConfigError(f"'{path}' is no class: expected MODULE.CLASS")
    _forget_namesake(module_name.partition(".")[0])
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        # An existing module with a failing import is a different error.
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise ConfigError(
            f"there is no Python module '{error.name}'; modules are looked for next to the study"
            " file, in PYTHONPATH and among the installed ones"
        ) from error
    found = getattr(module, class_name, None)
    if isinstance(found, type):
        return found
    if found is not None:
        raise ConfigError(f"{path} is a {type(found).__name__}, expected a class")
    classes = sorted(
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module_name
    )
    raise ConfigError(
        f"module '{module_name}' has no class '{class_name}'; its classes:"
        f" {', '.join(classes) or 'none'}"
    )


def _forget_namesake(name: str) -> None:
    """Removes a loaded module if Python would now find another file of that name.

    So two sweep files in one process each get the ``my_policies.py`` in their own folder.
    """
    loaded = sys.modules.get(name)
    spec = getattr(loaded, "__spec__", None)
    if spec is None or spec.origin is None:
        return
    found = importlib.machinery.PathFinder.find_spec(name)
    if found is None or found.origin in (None, spec.origin):
        return
    for module in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
        del sys.modules[module]


def require_concrete(policy_class: type[Any], path: str) -> None:
    """Raises ConfigError if a class lacks required methods."""
    missing = sorted(getattr(policy_class, "__abstractmethods__", ()))
    if missing:
        raise ConfigError(f"{path} is abstract: it has no {', '.join(missing)}")


def _require_options(
    policy_class: type[Any], path: str, options: Mapping[str, OptionValue]
) -> None:
    """Raises ConfigError if the constructor does not accept the options."""
    try:
        parameters = inspect.signature(policy_class).parameters.values()
    except ValueError:  # a constructor written in C, which checks its arguments itself
        return
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return
    keywords = {
        parameter.name: parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    for key in options:
        if key not in keywords:
            valid = f"valid options: {', '.join(keywords)}" if keywords else "it has no options"
            raise ConfigError(f"{path}: unknown option '{key}'; {valid}")
    for key, parameter in keywords.items():
        if parameter.default is parameter.empty and key not in options:
            raise ConfigError(f"{path}: option '{key}' is missing; it has no default")
