"""Checks of the evictor service: whether it listens and reconciles, and its settings."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPException
from typing import Any, Final

from cospot.nova.configuration_faults import readable_secrets
from cospot.nova.tools.cloud import CloudError
from cospot.nova.tools.doctor import agreement
from cospot.nova.tools.doctor.configuration_checks import faults_found
from cospot.nova.tools.doctor.file_checks import signals_check
from cospot.nova.tools.doctor.finding import Check, Finding, error, no_evictor, ok, warning
from cospot.nova.tools.doctor.state_checks import state_check

_TIMEOUT_S: Final = 5.0
#: More plans than this in the queue of a running evictor mean that it does not keep up.
_MANY_PLANS: Final = 100
_START = "systemctl start cospot-evictor, and see its log"


def evictor_checks(
    settings: Any, evictor_settings: Any, metrics_url: Callable[[], str]
) -> list[Check]:
    """Return the checks of the service.

    Args:
        settings: Nova's configuration, with the scheduler plugin's options.
        evictor_settings: The service's own configuration.
        metrics_url: The address of its metrics; empty: it has none.
    """
    return [
        Check(
            "evictor listens",
            "Without a running evictor no spot goes: hosts stay overcommitted when VMs arrive.",
            lambda: _check_queue(settings),
        ),
        Check(
            "evictor works",
            "The evictor looks at all hosts from time to time, and finds what no plan named.",
            lambda: _check_metrics(metrics_url()),
        ),
        Check(
            "evictor agrees",
            "Scheduler and evictor must count the same resources, choose by the same policy, and"
            " meet on the same message bus.",
            lambda: agreement.check_agreement(settings, evictor_settings),
        ),
        Check(
            "evictor options",
            "The evictor does not start with a misspelt option, and after a reload goes on with"
            " the old ones. Everybody who may read its passwords may delete spots and VMs.",
            lambda: _check_options(evictor_settings),
        ),
        Check(
            "evictor's login",
            "The evictor asks Nova and placement with the credentials of its own file. What its"
            " user may not read there it does not evict for.",
            lambda: _check_login(evictor_settings),
        ),
        state_check(settings, evictor_settings),
        signals_check(evictor_settings),
    ]


def _check_options(settings: Any) -> Iterator[Finding]:
    from cospot.nova.evictor import options

    yield from faults_found(options.faults(settings, settings[options.GROUP]))
    for text in readable_secrets(settings):
        where, _, fix = text.rpartition("; ")
        yield warning(where, fix)


def _check_login(settings: Any) -> Iterator[Finding]:
    """Ask what the service asks, by its own means."""
    from cospot.nova.evictor import cloud
    from cospot.nova.evictor.options import NOVA_GROUP, PLACEMENT_GROUP
    from cospot.nova.state.errors import EvictorError

    if not settings.config_file and not settings.config_dir:
        yield no_evictor("nothing to log in with")
        return
    try:
        client = cloud.open_client(settings, PLACEMENT_GROUP, cloud.PLACEMENT_MICROVERSION)
        placement = cloud.Placement(client)
        client = cloud.open_client(settings, NOVA_GROUP, cloud.NOVA_MICROVERSION)
        servers = cloud.Servers(client)
        providers = placement.providers()
        if providers:
            placement.holdings(providers[0].uuid)
        hosts = servers.compute_hosts()
        servers.working_computes()
        servers.aggregate_uuids()
        next(servers.rows("limit=1"), None)
    except EvictorError as found:
        yield error(
            str(found), "docs/nova/configuration.md#the-service-user says what its user needs"
        )
    else:
        yield ok(f"it may read {len(providers)} providers, {len(hosts)} hosts and all servers")
        # Nova asks Cinder with this user's token; with a service token if it is a credential's.
        is_user = "credential" not in (settings[NOVA_GROUP].auth_type or "")
        if is_user and _volumes_answer(client.adapter) == 403:
            yield warning(
                "Cinder takes it for no administrator: volumes of evicted spots stay in-use",
                "cat examples/nova/cinder-policy.yaml >> /etc/cinder/policy.yaml",
            )


def _volumes_answer(adapter: Any) -> int | None:
    """Return how Cinder answers what only its administrators may ask; None: it does not."""
    from keystoneauth1.exceptions import ClientException

    where = {name: getattr(adapter, name) for name in ("interface", "region_name")}
    try:
        answer = adapter.session.get(
            "/os-services",
            auth=adapter.auth,
            endpoint_filter={**where, "service_type": "block-storage"},
            raise_exc=False,
        )
    except ClientException:
        return None
    return int(answer.status_code)


def queue_state(settings: Any, queue: str) -> tuple[int, int] | None:
    """Query the message bus for a queue, without changing anything.

    Args:
        settings: Nova's configuration.
        queue: Its name.

    Returns:
        Waiting messages and consumers; None if there is no such queue.

    Raises:
        CloudError: The bus does not answer.
    """
    import oslo_messaging

    own = settings.oslo_messaging_notifications.transport_url
    url = oslo_messaging.TransportURL.parse(settings, own or None)
    problems = []
    for host in url.hosts or ():
        try:
            return _ask_broker(url, host, queue)
        except Exception as found:  # kombu passes on its transports' exceptions
            problems.append(f"{host.hostname}:{host.port or 5672}: {found or type(found).__name__}")
    raise CloudError(f"message bus: {'; '.join(problems) or 'transport_url names no host'}")


def _ask_broker(url: Any, host: Any, queue: str) -> tuple[int, int] | None:
    import kombu

    connection = kombu.Connection(
        hostname=host.hostname,
        port=host.port or 5672,
        userid=host.username,
        password=host.password,
        virtual_host=url.virtual_host or "/",
        transport="amqp" if url.transport in {"rabbit", "kombu"} else url.transport,
        connect_timeout=_TIMEOUT_S,
        ssl=url.query.get("ssl") in {"1", "true", "True"},
    )
    with connection:
        connection.connect()  # opening a channel first would retry for ever
        channel = connection.channel()
        try:
            state = channel.queue_declare(queue, passive=True)
        except connection.channel_errors:
            return None
        return state.message_count, state.consumer_count


def _check_queue(settings: Any) -> Iterator[Finding]:
    # The scheduler sends plans with priority info, which has its own queue.
    queue = f"{settings.cospot.plan_topic}.info"
    state = queue_state(settings, queue)
    if state is None:
        yield error(f"there is no queue {queue}: no evictor has ever listened", _START)
        return
    messages, consumers = state
    if consumers == 0:
        yield error(f"nobody listens to {queue}; {messages} plans wait", _START)
    elif messages > _MANY_PLANS:
        yield warning(f"{messages} plans wait in {queue}", "see why the evictor is slow in its log")
    else:
        yield ok(f"{consumers} of them listen to {queue}")


def read_metrics(url: str) -> dict[str, float]:
    """Read the values of a Prometheus page; values of several labels are summed.

    Raises:
        CloudError: It cannot be read, or is not such a page.
    """
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:  # an operator's own URL
            return _parse_metrics(answer.read().decode().splitlines())
    except (OSError, HTTPException, ValueError) as found:
        raise CloudError(f"{url}: expected the evictor's metrics: {found!r}") from found


def _parse_metrics(lines: Iterable[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for line in lines:
        name, _, value = line.rpartition(" ")
        if name and not line.startswith("#"):
            name = name.partition("{")[0]
            values[name] = values.get(name, 0.0) + float(value)
    return values


def _check_metrics(url: str) -> Iterator[Finding]:
    if not url:
        yield warning("metrics are off (metrics_port = 0): cannot be seen", "metrics_port = 9108")
        return
    try:
        values = read_metrics(url)
    except CloudError as found:
        yield error(str(found), f"{_START}; or tell where it runs with --evictor-metrics URL")
        return
    looks = values.get("cospot_evictor_reconcile_seconds_count", 0.0)
    if looks < 1:
        yield error("it has not yet looked at all hosts", "see its log")
    elif values.get("cospot_evictor_enabled", 0.0) < 1:
        yield warning(
            "evictions are switched off", "enabled = true, dry_run = false, no disable_file"
        )
    else:
        hosts = values.get("cospot_evictor_hosts", 0.0)
        yield ok(f"it has looked at all {hosts:.0f} hosts {looks:.0f} times")
