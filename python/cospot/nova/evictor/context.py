"""The context that all parts of the service share: made once and never changed.

A part takes the context and what is really its own. What a part of the context needs is given to
it in `open_context`, so none of them knows the context.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cospot.nova.evictor import options
from cospot.nova.evictor.cloud import (
    NOVA_MICROVERSION,
    PLACEMENT_MICROVERSION,
    Placement,
    Servers,
    open_client,
)
from cospot.nova.evictor.deletions import Deletions
from cospot.nova.evictor.observer import HostObserver
from cospot.nova.evictor.promise_keeper import PromiseKeeper
from cospot.nova.evictor.victims import SpotChooser
from cospot.nova.live_options import LiveOptions
from cospot.nova.state.errors import SettingError
from cospot.nova.state.opened_stores import Stores, open_stores
from cospot.nova.state.records import AuditLog, Metrics
from cospot.nova.state.safeguards import HostLocks, Switches
from cospot.nova.state.stores import PlanStore


@dataclass(frozen=True)
class EvictorContext:
    """The objects that the parts of one service share; any thread may use each of them.

    Attributes:
        conf: oslo.config's configuration, for oslo.messaging, which reads its own options there.
            Nothing that decides reads it.
        settings: the group [cospot_evictor] as it is now.
        metrics, audit: what is left for people.
        placement, servers: what placement and Nova are asked, and Nova is told.
        switches: whether evictions are on.
        locks: one per host; whoever evicts there holds it.
        plans: preferences among spots, by host.
        stores: what outlives the process, in files or in a database.
        deletions: for how long spots have been going.
        observer: takes snapshots of hosts and checks a spot right before it is evicted.
        chooser: the evictor policy, which asks `promises` who goes last.
        promises: knows who was promised a lifetime, and counts which promises are kept.
    """

    conf: Any
    settings: LiveOptions
    metrics: Metrics
    placement: Placement
    servers: Servers
    stores: Stores
    audit: AuditLog
    switches: Switches
    locks: HostLocks
    plans: PlanStore
    deletions: Deletions
    observer: HostObserver
    chooser: SpotChooser
    promises: PromiseKeeper


def open_context(conf: Any) -> EvictorContext:
    """Make the context from a configuration, with `options.register` done and files read.

    Raises:
        SettingError, AuditError: the service cannot run like this.
    """
    settings = options.live(conf)
    if settings.now.fault:
        raise SettingError(settings.now.fault)
    placement = Placement(open_client(conf, options.PLACEMENT_GROUP, PLACEMENT_MICROVERSION))
    servers = Servers(open_client(conf, options.NOVA_GROUP, NOVA_MICROVERSION))
    metrics = Metrics()
    stores = open_stores(settings, metrics)
    audit = AuditLog(settings.audit_log)
    promises = PromiseKeeper(stores, placement, audit, metrics)
    deletions = Deletions(settings.deletion_timeout, settings.repeat_stuck_deletions)
    observer = HostObserver(placement, servers, stores.pending, deletions)
    observer.confirms = settings.confirm_resizes

    def promised_until(spot: str) -> float:
        # A spot that may become a VM again is spared as if it had the longest of promises.
        return float("inf") if observer.was_vm(spot) else promises.promised_until(spot)

    return EvictorContext(
        conf=conf,
        settings=settings,
        metrics=metrics,
        placement=placement,
        servers=servers,
        stores=stores,
        audit=audit,
        switches=Switches(settings),
        locks=stores.locks,
        plans=PlanStore(settings.plan_ttl, settings.first_plan_window, settings.max_plans),
        deletions=deletions,
        observer=observer,
        chooser=SpotChooser(settings.evictor, settings.evictor_model, promised_until),
        promises=promises,
    )
