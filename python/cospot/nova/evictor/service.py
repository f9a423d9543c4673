"""Puts the parts of the service together, starts and stops them."""

from __future__ import annotations

import time
from typing import Any

from oslo_log import log as logging

from cospot.nova.evictor import options, placement, servers
from cospot.nova.evictor.audit import AuditLog
from cospot.nova.evictor.cause import CauseFinder
from cospot.nova.evictor.choice import SpotChooser
from cospot.nova.evictor.claims import ClaimWatch
from cospot.nova.evictor.clients import open_client
from cospot.nova.evictor.deletion_clock import DeletionClock
from cospot.nova.evictor.deletion_notes import DeletionNotes
from cospot.nova.evictor.errors import AuditError
from cospot.nova.evictor.freed_watch import FreedWatch, Leaving
from cospot.nova.evictor.host_history import HostHistory
from cospot.nova.evictor.host_pass import HostEvictor
from cospot.nova.evictor.intake import PlanEndpoint, PlanIntake
from cospot.nova.evictor.killing import Killer
from cospot.nova.evictor.limits import EvictionLimits
from cospot.nova.evictor.locks import HostLocks
from cospot.nova.evictor.metrics import Metrics
from cospot.nova.evictor.notice_sender import NoticeSender
from cospot.nova.evictor.observation import HostObserver
from cospot.nova.evictor.plan_book import PlanBook
from cospot.nova.evictor.proactive import ReserveKeeper
from cospot.nova.evictor.reconcile import HostWatch, ReconcileLoop
from cospot.nova.evictor.spots import Deletions
from cospot.nova.evictor.stalled_hosts import StalledHosts
from cospot.nova.evictor.stalled_notes import StalledNotes
from cospot.nova.evictor.switches import Switches
from cospot.nova.evictor.work_queue import WorkQueue
from cospot.nova.live_options import READING_ERRORS

LOG = logging.getLogger(__name__)

#: How long a service that ends waits for evicted spots to be gone, to write that down, seconds.
_LAST_PATIENCE_S = 5.0


class EvictorService:
    """The running service.

    Args:
        conf: oslo.config's configuration, with `options.register` done and files read.

    Raises:
        SettingError, AuditError: it cannot run like this.
    """

    def __init__(self, conf: Any) -> None:
        settings = options.live(conf)
        self._conf = conf
        self._settings = settings
        self.metrics = Metrics()
        self._placement = placement.Placement(
            open_client(conf, options.PLACEMENT_GROUP, placement.MICROVERSION)
        )
        self._nova = servers.Servers(open_client(conf, options.NOVA_GROUP, servers.MICROVERSION))
        self._notes = DeletionNotes(f"{settings.state_path}/deletions")
        self.audit = AuditLog(settings.audit_log)
        self._switches = Switches(settings)
        self._locks = HostLocks(settings.coordination_url, settings.lock_timeout)
        self._plans = PlanBook(settings.plan_ttl, settings.first_plan_window, settings.max_plans)
        self._history = HostHistory(self.metrics)
        self._make_evictor()
        self._make_loops()
        self.endpoint = PlanEndpoint(self._plans, self.metrics, self._claims.watch)
        self._intake = PlanIntake(conf, settings.plan_topic, self.endpoint)

    def _make_evictor(self) -> None:
        """Make what decides and evicts."""
        settings = self._settings
        self._freed = FreedWatch(
            self._placement,
            self.audit,
            self.metrics,
            settings.freed_timeout,
            settings.shelve_timeout,
            self._did_not_go,
        )
        deletions = DeletionClock()
        self._observer = HostObserver(
            self._placement,
            self._nova,
            self._notes,
            Deletions(settings.deletion_timeout, settings.repeat_stuck_deletions),
            deletions,
        )
        self._stalled = StalledHosts(
            settings.deletion_timeout,
            deletions,
            StalledNotes(settings.state_path),
            self.audit,
            self.metrics,
        )
        self._chooser = SpotChooser(settings.evictor)
        self._killer = Killer(
            self._nova,
            self._switches,
            _make_limits(settings),
            self._notes,
            self.audit,
            self.metrics,
            self._freed,
            self._stalled,
        )
        self._evictor = HostEvictor(
            settings,
            self._observer,
            self._locks,
            self._plans,
            self._chooser,
            self._killer,
            self.audit,
            self.metrics,
            self._history,
            CauseFinder(settings, self._history, self.audit, self.metrics),
            self._stalled,
        )

    def _did_not_go(self, leaving: Leaving) -> None:
        """Have a spot's host looked at again, and other spots preferred."""
        self._evictor.did_not_go(leaving.spot)
        self._queue.put(leaving.provider, "reconcile")

    def _make_loops(self) -> None:
        """Make what finds the hosts to work on."""
        settings = self._settings
        self._queue = WorkQueue(
            self._free_host,
            settings.workers,
            settings.retry_delay,
            settings.retry_delay_max,
            self.metrics.errors.labels(where="pass").inc,
        )
        self._hosts = HostWatch(settings, self._placement, self.metrics, self._history)
        self._reserves = ReserveKeeper(
            settings,
            self._placement,
            self._nova,
            self._hosts,
            self._observer,
            self._locks,
            self._chooser,
            self._killer,
            self._switches,
            self._stalled,
            NoticeSender(self._conf, self._nova),
            self.audit,
            self.metrics,
        )
        self._loop = ReconcileLoop(
            settings, self._hosts, self._queue, self.metrics, self._after_reconcile
        )
        self._claims = ClaimWatch(
            self._placement,
            self.metrics,
            settings.claim_timeout,
            settings.max_plans,
            lambda provider: self._queue.put(provider, "plan"),
        )

    def start(self) -> None:
        """Start all threads; returns at once."""
        if self._settings.metrics_port:
            self.metrics.serve(self._settings.metrics_address, self._settings.metrics_port)
        self._log_switches()
        self._freed.start()
        self._queue.start()
        self._claims.start()
        self._intake.start()
        self._loop.start()

    def stop(self) -> None:
        """Stop: no new work, passes that are running come to their end."""
        self._intake.stop()
        self._loop.stop()
        self._claims.stop()
        self._queue.stop()
        self._freed.stop(_LAST_PATIENCE_S)
        self._locks.close()

    def reload(self) -> None:
        """Read the mutable options again, and open the audit log anew.

        Of a configuration with an error nothing is taken. While what is in force is not what the
        files say, nothing is evicted.
        """
        files = ", ".join(self._conf.config_file)
        try:
            # oslo.log and oslo.messaging read their own options from there.
            self._settings.reload(self._conf.mutate_config_files)
        except READING_ERRORS as error:
            self.metrics.errors.labels(where="reload").inc()
            LOG.error("configuration %s: %s; going on with the old one", files, error)
        if self._settings.now.fault:
            self.metrics.errors.labels(where="reload").inc()
            LOG.critical("configuration %s: %s; reload again", files, self._settings.now.fault)
        try:
            self.audit.reopen()
        except AuditError as error:
            LOG.error("%s; going on with the one that is open", error)
        self._log_switches()

    def _free_host(self, provider: str, cause: str) -> float | None:
        return self._evictor.free_host(provider, cause).wait

    def _after_reconcile(self) -> None:
        self._show_switches()
        self._observer.learn_hosts()
        known = {room.provider for room in self._hosts.rooms()}
        for provider in self._stalled.providers():
            # One that is not overcommitted is looked at too: whether it frees again.
            if provider not in known:
                self._stalled.forget(provider)
            elif not self._queue.is_waiting(provider):
                self._queue.put(provider, "reconcile")
        self._reserves.look()

    def _log_switches(self) -> None:
        settings = self._settings
        LOG.info(
            "mode %s, evictor %s, resources %s: %s",
            settings.mode,
            settings.evictor,
            ", ".join(settings.resources),
            self._switches,
        )
        self._show_switches()

    def _show_switches(self) -> None:
        self.metrics.enabled.set(float(self._switches.now().is_on))


def _make_limits(settings: Any) -> EvictionLimits:
    # Read each time, because they change upon SIGHUP.
    return EvictionLimits(
        lambda: settings.evictions_per_minute,
        lambda: settings.evictions_per_minute_per_project,
        time.monotonic,
        lambda: settings.evictions_per_host,
        settings.reconcile_interval,
    )
