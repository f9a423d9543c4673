"""OpenStack Nova's own weighers and filters as policies of cospot, unchanged.

A sweep file names them ``nova:MODULE.CLASS``, for example
``nova:nova.scheduler.weights.ram.RAMWeigher``. Any subclass of Nova's BaseWeigher or BaseFilter
works, including an operator's own. They see hosts and requests as Nova's objects (nova_hosts.py)
and read Nova's configuration (nova_options.py).

Source: nova/weights.py, nova/filters.py; tested with Nova 26.2.2 (Zed).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cospot.errors import ConfigError, PolicyError
from cospot.provider.policies import Filter, Weigher
from cospot.provider.policies.imported_class import import_class, require_concrete
from cospot.provider.policies.nova_hosts import HostMirror, new_host_state, view_of_this_thread
from cospot.provider.policies.nova_options import NovaOptions, OptionValue, import_nova

if TYPE_CHECKING:
    import numpy.typing as npt

    from cospot._core import HostView, Request

_SEES = ("requested", "vms", "all")


class _NovaObject:
    """An object of a Nova class with its options and its view of the hosts."""

    def __init__(
        self, nova_class: type[Any], policy: str, sees: str, options: dict[str, OptionValue]
    ) -> None:
        if sees not in _SEES:
            raise ConfigError(
                f"{policy}: option 'sees' is {sees!r}, expected one of: {', '.join(_SEES)}"
            )
        self._sees = sees
        self.options = NovaOptions(policy, options)
        with self.options.applied():
            self.instance = nova_class()

    def show(self, hosts: HostView, request: Request) -> tuple[HostMirror, Any]:
        """Returns Nova's objects for the hosts and the request."""
        sees_spots = request.is_spot if self._sees == "requested" else self._sees == "all"
        view = view_of_this_thread()
        return view.mirror(hosts, sees_spots=sees_spots), view.specs.spec_of(request)


class NovaWeigher(Weigher):
    """A weigher of Nova.

    The chain normalises, multiplies and sums like Nova's handler, between the class's own
    ``minval`` and ``maxval`` if it has them. Its multiplier is the chain's, or else the class's
    ``weight_multiplier`` for a host in no aggregate.
    """

    def __init__(
        self, nova_class: type[Any], *, sees: str = "requested", **options: OptionValue
    ) -> None:
        """Makes the weigher.

        Args:
            nova_class: Subclass of ``nova.weights.BaseWeigher``.
            sees: The instances that the weigher sees on a host: ``vms`` (no spots), ``all``, or
                ``requested``: VMs for a VM request, all for a spot request.
            **options: Options of Nova's configuration (see `NovaOptions`).

        Raises:
            ConfigError: An option is unknown or has an invalid value.
        """
        super().__init__()
        self._nova = _NovaObject(nova_class, nova_class.__name__, sees, options)

    def minval(self) -> float | None:
        """Returns the class's lower bound for normalisation."""
        return _bound(self._nova.instance.minval)

    def maxval(self) -> float | None:
        """Returns the class's upper bound for normalisation."""
        return _bound(self._nova.instance.maxval)

    def default_multiplier(self) -> float:
        """Returns the class's multiplier for chains that give none."""
        with self._nova.options.applied():
            return float(self._nova.instance.weight_multiplier(new_host_state(0)))

    def weigh_all(
        self, hosts: HostView, candidates: npt.NDArray[np.uint32], request: Request
    ) -> npt.NDArray[np.float64]:
        """Weighs candidate hosts in one call of the class's ``weigh_objects``.

        Args:
            hosts: n hosts.
            candidates: uint32, shape (m,): rows of `hosts`.
            request: The request to place.

        Returns:
            float64, shape (m,): raw weights, clamped to minval and maxval as in Nova.
        """
        with self._nova.options.applied():
            mirror, spec = self._nova.show(hosts, request)
            chosen = _chosen(mirror.weighed, candidates)
            weights = self._nova.instance.weigh_objects(chosen, spec)
            return np.array(weights, dtype=np.float64)


class NovaFilter(Filter):
    """A filter of Nova. Hosts that do not pass it are dropped."""

    def __init__(
        self, nova_class: type[Any], *, sees: str = "requested", **options: OptionValue
    ) -> None:
        """Makes the filter.

        Args:
            nova_class: Subclass of ``nova.filters.BaseFilter``.
            sees: As for `NovaWeigher`.
            **options: Options of Nova's configuration (see `NovaOptions`).

        Raises:
            ConfigError: An option is unknown or has an invalid value.
        """
        super().__init__()
        self._nova = _NovaObject(nova_class, nova_class.__name__, sees, options)

    def filter_all(
        self, hosts: HostView, candidates: npt.NDArray[np.uint32], request: Request
    ) -> npt.NDArray[np.bool_]:
        """Calls the class's ``filter_all`` once for all candidates.

        Args:
            hosts: n hosts.
            candidates: uint32, shape (m,): rows of `hosts`.
            request: The request to place.

        Returns:
            bool, shape (m,): which candidates pass.

        Raises:
            PolicyError: The class returned a host that was not among the candidates.
        """
        with self._nova.options.applied():
            mirror, spec = self._nova.show(hosts, request)
            given = _chosen(mirror.states, candidates)
            passed = self._nova.instance.filter_all(given, spec)
            # Nova interprets None as "stop filtering: no host".
            kept = set() if passed is None else {id(state) for state in passed}
        passes = np.fromiter(
            (id(state) in kept for state in given), dtype=np.bool_, count=len(given)
        )
        if int(passes.sum()) != len(kept):
            raise PolicyError("filter_all returned a host that it was not given")
        return passes


def nova_policy_maker(
    kind: str, path: str, options: Mapping[str, OptionValue]
) -> Callable[[], NovaWeigher | NovaFilter]:
    """Finds the class of a name ``nova:PATH``.

    Args:
        kind: ``weigher`` or ``filter``, as required where the policy is named.
        path: MODULE.CLASS.
        options: Its options in the configuration, except its name.

    Returns:
        A function that returns a new policy at every call.

    Raises:
        ConfigError: Nova or the class is missing, has another kind, or an option is invalid.
    """
    if kind == "evictor":
        raise ConfigError("Nova has no evictors; expected one of cospot or of your own")
    import_nova("nova")
    nova_class = import_class(path)
    if kind == "weigher":
        base = import_nova("nova.weights").BaseWeigher
    else:
        base = import_nova("nova.filters").BaseFilter
    if not issubclass(nova_class, base):
        raise ConfigError(
            f"{path} is no {kind} of Nova: expected a subclass of {base.__module__}.{base.__name__}"
        )
    require_concrete(nova_class, path)
    given: dict[str, Any] = dict(options)
    if kind == "weigher":
        return lambda: NovaWeigher(nova_class, **given)
    return lambda: NovaFilter(nova_class, **given)


def _bound(value: float | None) -> float | None:
    return None if value is None else float(value)


def _chosen(objects: list[Any], candidates: npt.NDArray[np.uint32]) -> list[Any]:
    return list(map(objects.__getitem__, candidates.tolist()))
