"""Nova's own options that must be right for the plugin to work."""

from __future__ import annotations

from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova.scheduler.lenient_type import WrongValue

LOG = logging.getLogger(__name__)

_FILTER: Final = "CospotFilter"
_WEIGHER: Final = "cospot.nova.scheduler.weigher.CospotWeigher"


def faults_of_nova_settings(conf: Any) -> list[str]:
    """Return what is wrong, one sentence each.

    Args:
        conf: Nova's configuration.
    """
    group = conf.filter_scheduler
    faults: list[str] = []
    if not group.enabled_filters or group.enabled_filters[-1] != _FILTER:
        faults.append(f"[filter_scheduler] enabled_filters must end with {_FILTER}")
    if _WEIGHER not in group.weight_classes:
        faults.append(f"[filter_scheduler] weight_classes must be {_WEIGHER}")
    plan_hosts = conf.cospot.plan_hosts
    if not isinstance(plan_hosts, WrongValue) and group.host_subset_size > plan_hosts:
        faults.append(
            f"[filter_scheduler] host_subset_size is {group.host_subset_size}: plans cover only the"
            f" first {plan_hosts} hosts ([cospot] plan_hosts); expected 1"
        )
    if not group.track_instance_changes:
        faults.append(
            "[filter_scheduler] track_instance_changes is false: every request reads the instances"
            " of all its hosts from the database"
        )
    return faults


def warn_of_nova_settings(conf: Any) -> None:
    """Log what is wrong with Nova's options."""
    for fault in faults_of_nova_settings(conf):
        LOG.warning("cospot: %s", fault)
