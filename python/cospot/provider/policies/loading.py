"""Finds the policies that a sweep file names with a scheme.

``python:MODULE.CLASS`` is a subclass of `cospot.Filter`, `cospot.Weigher` or `cospot.Evictor` in an
importable module; ``nova:MODULE.CLASS`` is an unmodified weigher or filter of OpenStack Nova
(`cospot.provider.policies.nova_policies`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from cospot.errors import ConfigError
from cospot.provider.policies import Evictor, Filter, Weigher
from cospot.provider.policies.imported_class import import_class, require_concrete

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
        # Imported late, because it requires Nova.
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
