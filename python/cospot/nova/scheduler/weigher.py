"""The weigher that keeps the filter's order.

It is meant to be the only one of `weight_classes`. Nova accepts server groups with soft affinity
only where `nova.scheduler.weights.all_weighers` is named there too; then its multiplier outweighs
all the others, which decide where it does not.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from typing import Any, Final

import nova.conf
from nova.scheduler import weights

from cospot.nova import log as logging
from cospot.nova.scheduler import operator_weighers, options
from cospot.nova.scheduler.decision import decision_of
from cospot.nova.scheduler.live_options import live_options_of
from cospot.nova.scheduler.metrics import metrics_of

CONF = nova.conf.CONF
LOG = logging.getLogger(__name__)
_MULTIPLIER: Final = 10**13  # an integer: Nova formats it for its log, for each host
options.register(CONF)


class CospotWeigher(weights.BaseHostWeigher):  # type: ignore[misc]  # Nova is not typed
    """Weighs hosts by their rank in the decision; without one, as `fallback_weighers` do.

    Ranks are all different, so Nova's shuffling of equals changes nothing.

    Attributes:
        minval, maxval: with these Nova's normalisation leaves weights as they are. Nova formats
            each of them for its log at every request, and a whole number takes half the time.
    """

    minval = 0.0
    maxval = 1.0

    def __init__(self) -> None:
        self._metrics = metrics_of(CONF.cospot.metrics_directory)

    def weight_multiplier(self, host_state: Any) -> int:
        """Return a multiplier before which all of Nova's own (the largest is 1e6) are nothing.

        Two neighbouring ranks are 1e13 apart.
        """
        return _MULTIPLIER

    def weigh_objects(self, weighed_obj_list: Sequence[Any], weight_properties: Any) -> list[float]:
        """Return a weight for each host, the larger the better."""
        began = time.perf_counter()
        hosts = [weighed.obj for weighed in weighed_obj_list]
        ranks = _ranks(hosts, weight_properties)
        if ranks is not None:
            if self._metrics is not None:
                self._metrics.note_weigher(time.perf_counter() - began)
            return ranks
        if len(CONF.filter_scheduler.weight_classes) > 1:
            return [0.0] * len(hosts)  # the others decide
        try:
            return _fallback_weights(hosts, weight_properties)
        except Exception:
            LOG.exception("cospot: the fallback weighers failed; the hosts keep their order")
            return [-float(position) for position in range(len(hosts))]

    def _weigh_object(self, obj: Any, weight_properties: Any) -> float:
        # Abstract in Nova; weigh_objects does its work.
        raise NotImplementedError


def _ranks(hosts: list[Any], spec: Any) -> list[float] | None:
    """Return minus the rank of each host; None when the decision is not about these hosts."""
    decision = decision_of(spec)
    if decision is None:
        return None
    order = decision.order
    if len(hosts) == len(order) and all(map(operator.is_, hosts, order)):
        return list(map(float, range(0, -len(order), -1)))
    rank_of = {id(host): rank for rank, host in enumerate(order)}
    if not all(id(host) in rank_of for host in hosts):
        return None
    return [-float(rank_of[id(host)]) for host in hosts]


def _fallback_weights(hosts: list[Any], spec: Any) -> list[float]:
    names = tuple(live_options_of(CONF).now.fallback_weighers)
    weight_of = {id(host.obj): host.weight for host in operator_weighers.weigh(names, hosts, spec)}
    return [float(weight_of[id(host)]) for host in hosts]
