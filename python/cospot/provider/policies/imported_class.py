"""Imports the class that a study names, and says why that is not possible."""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from typing import Any

from cospot.errors import ConfigError


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
