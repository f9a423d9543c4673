"""A reserve: capacity kept free of spots for so many VMs of a size, its hosts, troubled spots."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cospot
from cospot.nova import log as logging
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.model import Amounts, HostUsage
from cospot.nova.inventory import held
from cospot.nova.reserved_capacity import (
    DEFAULT_LABEL,
    MOST_AMOUNT,
    ReservedCapacity,
    ReserveError,
    read_reserved,
)
from cospot.nova.spot_flavors import MEMORY_MB, VCPU
from cospot.nova.state.errors import (
    PASSING,
    CloudError,
    EvictorError,
    NotSentError,
    RepeatedNews,
    SettingError,
    kind_of,
)

if TYPE_CHECKING:
    from cospot._core import ReservedHosts

LOG = logging.getLogger(__name__)
#: After so many failures a spot keeps its place for a while, seconds. One without an answer says
#: little: Nova may be away.
_MOST_FAILURES: Final = 3.0
_GIVEN_UP_S: Final = 600.0
_NO_ANSWER: Final = 0.1


@dataclass(frozen=True)
class Reserve(ReservedCapacity):
    """Free capacity for so many VMs of a size, and what hosts do for it."""

    def counts(self, usage: HostUsage) -> bool:
        """Tell whether a host has all the resources; one without some is no host for such VMs."""
        return all(resource in usage.inventories for resource in self.size)

    def hosts(self, usages: Sequence[HostUsage], gone: Collection[str]) -> ReservedHosts:
        """Return hosts, in this order, as the rule of reserves sees them.

        Args:
            usages: of hosts that count.
            gone: consumers to count as gone.
        """
        from cospot._core import ReservedHosts  # if it does not load, the service says so itself

        hosts = ReservedHosts(reserved_vector(self.size), self.count, len(usages))
        for row, usage in enumerate(usages):
            hosts.set_free(row, self.free(usage, gone))
        return hosts

    def free(self, usage: HostUsage, gone: Collection[str]) -> cospot.ResourceVector:
        """Return what is free on a host of what such VMs need; negative when overcommitted."""
        return reserved_vector({each: usage.free(each, gone) for each in self.size})

    def held(self, usage: HostUsage | None, consumer: str) -> cospot.ResourceVector:
        """Return what a consumer holds of a host, of what such VMs need."""
        amounts = [usage.consumers.get(consumer, {})] if usage else []
        return reserved_vector({each: sum(held(amounts, each)) for each in self.size})

    def need(self, usage: HostUsage, gone: Collection[str] = ()) -> dict[str, int]:
        """Return what must become free on a host for one more such VM, by resource."""
        need = self.hosts([usage], gone).need(0)
        lacks = {VCPU: need.vcpus, MEMORY_MB: need.memory_mb}
        return {each: lacks[each] for each in self.size if lacks[each]}

    def missing(self, usages: Iterable[HostUsage], gone: Collection[str] = ()) -> int:
        """Return for how many such VMs there is no free capacity on these hosts."""
        return self.hosts([*usages], gone).missing


def reserved_vector(amounts: Amounts) -> cospot.ResourceVector:
    """Amounts beyond 64 TiB of memory, or as many vCPUs, count as that much."""
    within = {each: max(-MOST_AMOUNT, min(amounts[each], MOST_AMOUNT)) for each in amounts}
    return cospot.ResourceVector(within.get(VCPU, 0), within.get(MEMORY_MB, 0))


def read_reserves(entries: Sequence[str], default: str) -> list[Reserve]:
    """Read the options `reserve` and `default_reserve`.

    Raises:
        SettingError: an entry is not of the form that the options' help says.
    """
    try:
        return [Reserve(**vars(each)) for each in read_reserved(entries, default)]
    except ReserveError as error:
        raise SettingError(f"[cospot_evictor] {error}") from error


def members_of(
    context: EvictorContext, reserves: Sequence[Reserve], usages: Iterable[HostUsage]
) -> dict[str, set[str]]:
    """Return the providers of each reserve, by its label; an unknown aggregate has none.

    Hosts that take no VM, as their compute is disabled or down, are of no reserve.

    Args:
        context: of the service.
        reserves: all of them.
        usages: of the hosts with inventory for spots.

    Raises:
        CloudError: Nova or placement was not to be asked.
    """
    working = context.servers.working_computes()
    hosts = {each.provider: context.observer.compute_host(each.provider) for each in usages}
    everyone = {each for each, host in hosts.items() if host is not None and host.host in working}
    uuids: dict[str, str] | None = None
    members: dict[str, set[str]] = {}
    for reserve in reserves:
        if not reserve.aggregate:
            continue
        name = reserve.aggregate
        if not _is_uuid(name):
            uuids = context.servers.aggregate_uuids() if uuids is None else uuids
            if name not in uuids:
                context.metrics.errors.labels(where="reserve").inc()
                LOG.error("reserve: there is no host aggregate %s", name)
                members[reserve.label] = set()
                continue
            name = uuids[name]
        found = {each.uuid for each in context.placement.providers(name)}
        members[reserve.label] = found & everyone
    members[DEFAULT_LABEL] = everyone.difference(*members.values())
    return members


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


class TroubledSpots:
    """Spots with which something that a reserve needs fails again and again."""

    def __init__(self) -> None:
        self._failures: dict[str, tuple[float, float]] = {}  # how many, and when the last one was
        self._news = RepeatedNews()

    def failed(self, spot: str, error: EvictorError) -> bool:
        """Take note that something failed; tell whether it is to be said."""
        now = time.monotonic()
        lately = {each: of for each, of in self._failures.items() if now - of[1] <= _GIVEN_UP_S}
        self._failures = lately
        is_kept_back = isinstance(error, NotSentError)
        if isinstance(error, CloudError) and not is_kept_back and not self.is_given_up(spot):
            weight = _NO_ANSWER if error.status in PASSING else 1.0
            self._failures[spot] = (lately.get(spot, (0.0, now))[0] + weight, now)
        return self._news.is_news(spot, kind_of(error))

    def give_up(self, spot: str) -> None:
        """Give a spot up for as long as this process runs."""
        self._failures[spot] = (_MOST_FAILURES, float("inf"))

    def is_given_up(self, spot: str) -> bool:
        """Tell whether a spot keeps its place, and others get the notice."""
        failures, at = self._failures.get(spot, (0.0, 0.0))
        return failures >= _MOST_FAILURES and time.monotonic() - at <= _GIVEN_UP_S
