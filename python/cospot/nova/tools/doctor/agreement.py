"""The settings that nova-scheduler and cospot-evictor must share, from their files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from cospot.nova.tools.doctor.finding import Finding, error, no_evictor, ok, warning

#: Queue options: RabbitMQ rejects a second declaration of a queue with other values.
_QUEUE_OPTIONS: Final = ("amqp_durable_queues", "amqp_auto_delete", "rabbit_quorum_queue")


def check_agreement(scheduler: Any, evictor: Any) -> Iterator[Finding]:
    """Compare the two configurations.

    Args:
        scheduler: From `read_settings`: Nova's, with `[cospot]`.
        evictor: From `read_evictor_settings`.
    """
    if not evictor.config_file and not evictor.config_dir:
        yield no_evictor("nothing to compare")
        return
    different = [
        *_policy_differences(scheduler.cospot, evictor.cospot_evictor),
        *_reserve_differences(scheduler.cospot, evictor.cospot_evictor),
        *_bus_differences(scheduler, evictor),
        *_cloud_differences(scheduler, evictor),
    ]
    yield from different
    if not different:
        own = scheduler.cospot
        yield ok(
            f"both count {_shown(own.resources)}, choose by {own.evictor}, and meet on"
            f" {own.plan_topic}"
        )


def _policy_differences(scheduler: Any, evictor: Any) -> Iterator[Finding]:
    for option, make in (("plan_topic", error), ("resources", error), ("evictor", warning)):
        here, there = scheduler[option], evictor[option]
        # The order of resources does not matter; in a name every letter counts.
        if here != there and (isinstance(here, str) or sorted(here) != sorted(there)):
            yield make(
                f"{option} is {_shown(here)} in [cospot], {_shown(there)} in [cospot_evictor]",
                f"[cospot_evictor] {option} = {_shown(here)}",
            )


def _reserve_differences(scheduler: Any, evictor: Any) -> Iterator[Finding]:
    """Find reserves that only one side keeps: the other would fill or ignore them."""
    is_kept = evictor.mode == "proactive"
    for option in ("reserve", "default_reserve"):
        here, there = scheduler[option], evictor[option] if is_kept else type(scheduler[option])()
        if here != there and (isinstance(here, str) or sorted(here) != sorted(there)):
            yield warning(
                f"{option} is {_shown(here) or 'empty'} in [cospot], {_shown(there) or 'empty'} in"
                f" [cospot_evictor]{'' if is_kept else ', whose mode is not proactive'}: spots are"
                " placed into what is to be kept free, or kept out of what nobody keeps",
                f"the same {option} in both; mode = proactive in [cospot_evictor]",
            )


def _bus_differences(scheduler: Any, evictor: Any) -> Iterator[Finding]:
    here, there = _transport(scheduler), _transport(evictor)
    own, others = (", ".join(_hosts(url)) or "none" for url in (here, there))
    if (here.virtual_host or "") != (there.virtual_host or ""):
        yield error(
            f"plans go to the virtual host '{here.virtual_host or '/'}', the evictor listens on"
            f" '{there.virtual_host or '/'}'",
            "the same virtual host in transport_url of both files",
        )
    elif not set(_hosts(here)) & set(_hosts(there)):
        yield warning(
            f"plans go to the message bus at {own}, the evictor listens at {others}",
            "the same hosts in transport_url of both files, unless these are names of the same",
        )
    if here.transport != "rabbit":
        return
    for option in _QUEUE_OPTIONS:
        mine, other = (
            getattr(each.oslo_messaging_rabbit, option, None) for each in (scheduler, evictor)
        )
        if mine != other:
            yield error(
                f"[oslo_messaging_rabbit] {option} is {mine} for the scheduler, {other} for the"
                " evictor: RabbitMQ refuses the second that declares the queue of plans",
                f"[oslo_messaging_rabbit] {option} = {str(mine).lower()} in the evictor's file",
            )


def _cloud_differences(scheduler: Any, evictor: Any) -> Iterator[Finding]:
    here, there = scheduler.placement.region_name, evictor.placement.region_name
    if here and there and here != there:
        yield error(
            f"[placement] region_name is {here} for the scheduler, {there} for the evictor",
            f"[placement] region_name = {here} in the evictor's file",
        )


def _transport(settings: Any) -> Any:
    """Return the URL of the message bus for plans."""
    import oslo_messaging
    from oslo_messaging import opts

    for group, options in opts.list_opts():
        settings.register_opts(options, group=group)
    own = settings.oslo_messaging_notifications.transport_url
    return oslo_messaging.TransportURL.parse(settings, own or None)


def _hosts(url: Any) -> list[str]:
    return [f"{host.hostname}:{host.port or 5672}" for host in url.hosts or () if host.hostname]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else ",".join(value)
