"""Puts the parts of the service together, starts and stops them."""

from __future__ import annotations

from typing import Any

from cospot.nova import log as logging
from cospot.nova.configuration_faults import plain
from cospot.nova.evictor.context import open_context
from cospot.nova.evictor.executor import EvictionExecutor
from cospot.nova.evictor.freed_watch import FreedWatch, Leaving
from cospot.nova.evictor.host_reconcile import EXPECTED, HostReconciler
from cospot.nova.evictor.hosts import HostHistory, HostWatch
from cospot.nova.evictor.plans import ClaimWatch, PlanEndpoint, PlanIntake
from cospot.nova.evictor.reconcile import ReconcileLoop, WorkQueue
from cospot.nova.evictor.reserve_keeper import ReserveKeeper
from cospot.nova.evictor.signal_keeper import SignalKeeper
from cospot.nova.evictor.signal_server import SignalServer
from cospot.nova.evictor.stalled_hosts import StalledHosts
from cospot.nova.evictor.vendordata import Vendordata
from cospot.nova.live_options import READING_ERRORS
from cospot.nova.state.errors import AuditError, CloudError, MissingInventoryError

LOG = logging.getLogger(__name__)

#: A service that ends waits so long for evicted spots to be gone, to write that down, seconds.
_LAST_PATIENCE_S = 5.0


class EvictorService:
    """The running service.

    Args:
        conf: oslo.config's configuration, with `options.register` done and files read.

    Raises:
        SettingError, AuditError: it cannot run like this.
    """

    def __init__(self, conf: Any) -> None:
        self.context = open_context(conf)
        self.metrics = self.context.metrics
        self._history = HostHistory(self.metrics)
        self._make_reconciler()
        self._make_loops()
        self._make_signals()
        self.endpoint = PlanEndpoint(self.context, self._claims.watch)
        self._intake = PlanIntake(conf, self.context.settings.plan_topic, self.endpoint)

    def _make_reconciler(self) -> None:
        """Make what decides and evicts."""
        context = self.context
        self._freed = FreedWatch(context, self._did_not_go)
        self._stalled = StalledHosts(context)
        self._executor = EvictionExecutor(context, self._freed, self._stalled)
        self._reconciler = HostReconciler(context, self._history, self._executor, self._stalled)

    def _did_not_go(self, leaving: Leaving) -> None:
        """Have a spot's host reconciled again, and other spots preferred."""
        self._reconciler.failures.did_not_go(leaving.spot)
        self._queue.put(leaving.provider, "reconcile")

    def _make_loops(self) -> None:
        """Make what finds the hosts to work on."""
        context = self.context
        self._queue = WorkQueue(context, self._free_host)
        self._hosts = HostWatch(context, self._history)
        self._reserves = ReserveKeeper(context, self._hosts, self._reconciler)
        self._loop = ReconcileLoop(context, self._hosts, self._queue, self._after_reconcile)
        self._claims = ClaimWatch(
            context,
            found=self._claimed_on,
            expected=lambda provider: self._queue.put(provider, EXPECTED),
        )

    def _make_signals(self) -> None:
        """Make what tells customers of their spots."""
        context = self.context
        self.signals = SignalKeeper(context, self._hosts)
        self._signal_server = SignalServer(context, Vendordata(context, self.signals))
        if context.settings.signals_port:
            self.signals.afterwards = self._signal_server.ensure

    def start(self) -> None:
        """Start all threads; returns at once."""
        settings = self.context.settings
        self._log_switches()  # first: no scrape finds the metric of the switches unset
        if settings.metrics_port:
            self.metrics.serve(settings.metrics_address, settings.metrics_port)
        self.context.promises.start()
        self._freed.start()
        self._queue.start()
        self._claims.start()
        self._intake.start()
        self._loop.start()
        if settings.signals_port:
            self._signal_server.ensure()
        if settings.signals or settings.signals_port:
            self.signals.start()

    def stop(self) -> None:
        """Stop: no new work, iterations that are running come to their end."""
        self.signals.stop()
        self._signal_server.stop()
        self._intake.stop()
        self._loop.stop()
        self._claims.stop()
        self._queue.stop()
        self._freed.stop(_LAST_PATIENCE_S)
        self.context.promises.stop()
        self.context.locks.close()

    def reload(self) -> None:
        """Read the mutable options again, and open the audit log anew.

        Of a configuration with an error nothing is taken. While what is in force is not what the
        files say, nothing is evicted.
        """
        conf, settings = self.context.conf, self.context.settings
        files = ", ".join(conf.config_file)
        self.metrics.reload_failed.set(1)
        # First: what the new options allow is recorded in the new log.
        try:
            self.context.audit.reopen()
        except AuditError as error:
            LOG.error("%s; going on with the one that is open", error)
        try:
            # oslo.log and oslo.messaging read their own options from there.
            settings.reload(conf.mutate_config_files)
        except READING_ERRORS as error:
            self.metrics.errors.labels(where="reload").inc()
            LOG.error("configuration %s: %s; going on with the old one", files, plain(error))
        else:
            self.metrics.reload_failed.set(0)
        if settings.now.fault:
            self.metrics.reload_failed.set(1)
            self.metrics.errors.labels(where="reload").inc()
            LOG.critical("configuration %s: %s; reload again", files, settings.now.fault)
        self._log_switches()

    def _claimed_on(self, provider: str) -> None:
        """Have a host freed on which a VM has its claim; what is below a host is none."""
        if self._hosts.may_be_host(provider):
            self._queue.put(provider, "plan")

    def _free_host(self, provider: str, cause: str) -> float | None:
        """Do an iteration; what no iteration can change is not tried again.

        Whatever else is wrong with a host, the reconcile of all hosts finds it again.
        """
        try:
            return self._reconciler.free_host(provider, cause).wait
        except MissingInventoryError as error:  # of a host the reconcile says so
            LOG.debug("provider %s: %s", provider, error)
        except CloudError as error:
            if not error.is_not_found or self._hosts.is_listed(provider):
                raise
            LOG.info("provider %s no longer exists: %s", provider, error)
        return None

    def _after_reconcile(self) -> None:
        self._show_switches()
        self.context.observer.learn_hosts()
        known = {usage.provider for usage in self._hosts.usages()}
        for provider in self._stalled.providers():
            # One that is not overcommitted is reconciled too: whether it frees again.
            if not self._hosts.is_listed(provider):
                self._stalled.forget(provider)
            elif provider in known and not self._queue.is_waiting(provider):
                self._queue.put(provider, "reconcile")
        self._reserves.reconcile()

    def _log_switches(self) -> None:
        settings = self.context.settings
        LOG.info(
            "mode %s, evictor %s, resources %s: %s",
            settings.mode,
            settings.evictor,
            ", ".join(settings.resources),
            self.context.switches.now(),
        )
        self._show_switches()

    def _show_switches(self) -> None:
        self.metrics.enabled.set(float(self.context.switches.now().is_on))
