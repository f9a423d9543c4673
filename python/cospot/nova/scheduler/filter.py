"""The filter that decides. Must be the last of `[filter_scheduler] enabled_filters`."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import nova.conf
from nova.scheduler import filters, utils

from cospot.errors import ConfigError
from cospot.nova import log as logging
from cospot.nova import promises, spot_flavors
from cospot.nova.live_options import OptionValues
from cospot.nova.scheduler import options
from cospot.nova.scheduler.decision import Decision, decision_of, keep_decision
from cospot.nova.scheduler.lenient_type import WrongValue
from cospot.nova.scheduler.live_options import live_options_of
from cospot.nova.scheduler.metrics import RequestTally, metrics_of
from cospot.nova.scheduler.nova_settings import warn_of_nova_settings
from cospot.nova.scheduler.pass_through import PassThrough
from cospot.nova.scheduler.plan_publisher import NotificationSender, PlanPublisher, make_plan
from cospot.nova.scheduler.settings import (
    Policies,
    Settings,
    check_weighers,
    make_policies,
    read_settings,
)

if TYPE_CHECKING:
    from cospot.nova.scheduler.decider import Decider  # needs the compiled module

CONF = nova.conf.CONF
LOG = logging.getLogger(__name__)
options.register(CONF)


class CospotFilter(filters.BaseHostFilter):  # type: ignore[misc]  # Nova is not typed
    """Puts the hosts in cospot's order, and publishes what would have to be evicted on them.

    A VM keeps every host: placement has found room for it on all of them, beside the other VMs. A
    spot keeps those with room beside all VMs and spots.

    When it cannot decide, a VM keeps every host in Nova's own order, and a spot, which has no claim
    to a place, gets none. Where the compiled module does not load see pass_through.py.
    """

    RUN_ON_REBUILD = False

    def __init__(
        self, decider: Decider | None = None, publisher: PlanPublisher | None = None
    ) -> None:
        self._decider = decider or _decider()
        self._publisher = publisher or _publisher()
        self._options = live_options_of(CONF)
        self._options.take()
        self._read: tuple[OptionValues, Settings] | None = None
        self._made: tuple[Settings, Policies | str] | None = None
        self._metrics = metrics_of(CONF.cospot.metrics_directory)
        self.failures = 0
        warn_of_nova_settings(CONF)
        self._warn_of_own_settings()

    def _warn_of_own_settings(self) -> None:
        """Say at the start what the first request would find."""
        if isinstance(self._decider, PassThrough):
            return  # has said so, and makes no policies
        try:
            settings = self._settings()
            if settings.enabled:
                self._policies(settings)
                _warn_of_promises(settings)
        except ConfigError as error:
            LOG.error(
                "cospot: %s; until this is fixed Nova's own weighers place VMs, and spots get no"
                " host",
                error,
            )

    def filter_all(self, filter_obj_list: Iterable[Any], spec_obj: Any) -> list[Any]:
        """Return the hosts in the order in which they are to be tried."""
        hosts = list(filter_obj_list)
        # Overriding filter_all goes round Nova's own test of this.
        if not hosts or utils.request_is_rebuild(spec_obj):
            return hosts
        began = time.perf_counter()
        tally = RequestTally()
        kept = self._kept(hosts, spec_obj, tally)
        if self._metrics is not None:
            if not isinstance(self._decider, PassThrough):
                tally.unanswered = self._decider.take_unanswered()
                tally.hanging = self._decider.hanging
            self._metrics.note_request(tally, time.perf_counter() - began)
        return kept

    def _kept(self, hosts: list[Any], spec_obj: Any, tally: RequestTally) -> list[Any]:
        is_spot = False
        try:
            is_spot = spot_flavors.is_spot_flavor(spec_obj.flavor.extra_specs)
            tally.kind = "spot" if is_spot else "vm"
            return self._filter(hosts, spec_obj, tally)
        except Exception as error:
            why = "configuration" if isinstance(error, ConfigError) else "failure"
            tally.refused, tally.passed_through = (why, "") if is_spot else ("", why)
            self.failures += 1
            LOG.exception(
                "cospot: failure %d: no decision for instance %s; %s",
                self.failures,
                getattr(spec_obj, "instance_uuid", None),
                "a spot gets no host" if is_spot else "Nova's own weighers order the hosts",
            )
        keep_decision(spec_obj, None)
        return [] if is_spot else hosts

    def _filter(self, hosts: list[Any], spec: Any, tally: RequestTally) -> list[Any]:
        earlier = decision_of(spec)
        keep_decision(spec, None)
        settings = self._settings()
        if not settings.enabled:
            tally.passed_through = "disabled"
            return hosts
        if isinstance(self._decider, PassThrough):
            tally.passed_through = "module"
            kept = self._decider.hosts(hosts, spec, settings)
            tally.refused = "" if kept else "capacity"
            return kept
        policies = self._policies(settings)
        # Nova asks again about the last instance of a multi-create, to find alternates.
        is_first_time = earlier is None
        decision = self._decider.decide(
            hosts, spec, settings, policies, claim=is_first_time and not settings.dry_run
        )
        if is_first_time:
            self._tell(decision, spec, settings)
        if settings.dry_run:
            tally.passed_through = "dry_run"
            return hosts
        tally.is_repeated = not is_first_time
        if is_first_time:
            tally.refused, tally.promise = decision.refused, decision.answer
        keep_decision(spec, decision)
        return list(decision.order)

    def _settings(self) -> Settings:
        values = self._options.now
        if values.fault:
            raise ConfigError(f"[cospot]: {values.fault}")
        # Values are replaced as a whole when they change.
        read = self._read  # once: another thread may replace it meanwhile
        if read is None or read[0] is not values:
            self._read = read = (values, read_settings(values))
            _warn_of_fallback(values)
        return read[1]

    def _policies(self, settings: Settings) -> Policies:
        made = self._made  # once, as above
        if made is None or made[0] is not settings:
            self._made = made = (settings, _policies_or_error(settings))
        policies = made[1]
        if isinstance(policies, str):
            raise ConfigError(policies)
        return policies

    def _tell(self, decision: Decision, spec: Any, settings: Settings) -> None:
        first = decision.order[0] if decision.order else None
        LOG.log(
            logging.INFO if settings.dry_run or decision.plans else logging.DEBUG,
            "cospot%s: instance %s: first of %d hosts is %s, evicting %s",
            " (dry run)" if settings.dry_run else "",
            decision.instance,
            len(decision.order),
            first.host if first is not None else None,
            list(decision.plans[0].victims) if decision.plans else [],
        )
        if settings.dry_run:
            return
        if decision.promise is not None:
            self._publisher.tell(decision.promise)
        if not decision.plans or decision.instance is None:
            return
        self._publisher.publish(
            make_plan(
                decision.instance,
                spec.project_id or "",
                settings.policy_names(),
                decision.plans,
            )
        )


def _warn_of_fallback(values: OptionValues) -> None:
    """Say at once what would show when cospot does not decide."""
    try:
        check_weighers("fallback_weighers", values.fallback_weighers)
    except ConfigError as error:
        LOG.error("cospot: %s; where cospot does not decide, hosts keep their order", error)


def _warn_of_promises(settings: Settings) -> None:
    """Say what would break promises."""
    if settings.lifetime_target is not None and settings.evictor != promises.EVICTOR:
        LOG.warning(
            "cospot: lifetime_target is set with evictor = %s: promises are estimated as if the"
            " youngest spots went first; use %s, for cospot-evictor too",
            settings.evictor,
            promises.EVICTOR,
        )


def _decider() -> Decider | PassThrough:
    try:
        from cospot.nova.scheduler.decider import Decider

        return Decider()
    except Exception as error:  # an ImportError, or what a half-fitting module or NumPy raises
        return PassThrough(error)


def _policies_or_error(settings: Settings) -> Policies | str:
    try:
        return make_policies(settings)
    except ConfigError as error:
        return str(error)


def _publisher() -> PlanPublisher:
    waiting = CONF.cospot.plan_queue
    if isinstance(waiting, WrongValue):
        waiting = 1  # nothing is decided, so nothing is published
    return PlanPublisher(lambda: NotificationSender(CONF, CONF.cospot.plan_topic), waiting)
