"""What the service asks placement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from cospot.nova.evictor.clients import Client
from cospot.nova.evictor.errors import CloudError
from cospot.nova.evictor.room import Amounts, HostRoom, Inventory

#: 1.28 shows allocations with their consumer's generation; every release since Rocky has it.
MICROVERSION: Final = "1.28"

_T = TypeVar("_T")


@dataclass(frozen=True)
class Provider:
    """A root resource provider, as the list of all of them shows it."""

    uuid: str
    name: str
    generation: int


class Placement:
    """Questions to placement; every method raises `CloudError` when there is no good answer."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def providers(self, aggregate: str | None = None) -> list[Provider]:
        """Return the root providers, of all the cloud or of one aggregate (its UUID)."""
        path = "/resource_providers"
        if aggregate is not None:
            path += f"?member_of={aggregate}"
        return self._read(path, _read_providers)

    def room(self, provider: Provider) -> HostRoom:
        """Return what a provider has and who holds it.

        The inventories are asked for first, so a host that shrinks in between looks larger for a
        moment, never smaller: nothing is evicted for it before the next look.
        """
        path = f"/resource_providers/{provider.uuid}"
        inventories = self._read(f"{path}/inventories", _read_inventories)
        return HostRoom(provider.uuid, provider.name, inventories, self.consumers(provider.uuid))

    def provider(self, uuid: str) -> Provider:
        """Return one provider."""
        return self._read(
            f"/resource_providers/{uuid}",
            lambda body: Provider(body["uuid"], body["name"], body["generation"]),
        )

    def consumers(self, provider: str) -> dict[str, Amounts]:
        """Return who holds what of a provider (its UUID)."""
        return self._read(f"/resource_providers/{provider}/allocations", _read_allocations)

    def allocation(self, consumer: str, patience: float | None = None) -> dict[str, Amounts]:
        """Return what a consumer holds, by provider; empty when it holds nothing.

        Args:
            consumer: its UUID.
            patience: ask once and wait at most so many seconds.
        """
        return self._read(f"/allocations/{consumer}", _read_allocations, patience)

    def _read(
        self, path: str, read: Callable[[dict[str, Any]], _T], patience: float | None = None
    ) -> _T:
        body = self._client.get(path, patience)
        try:
            return read(body)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CloudError(
                f"placement GET {path}: cannot read the answer: {type(error).__name__}: {error}"
            ) from error


def _read_providers(body: Mapping[str, Any]) -> list[Provider]:
    return [
        Provider(each["uuid"], each["name"], each["generation"])
        for each in body["resource_providers"]
        if each["root_provider_uuid"] == each["uuid"]
    ]


def _read_inventories(body: Mapping[str, Any]) -> dict[str, Inventory]:
    return {
        name: Inventory(int(each["total"]), int(each["reserved"]), float(each["allocation_ratio"]))
        for name, each in body["inventories"].items()
    }


def _read_allocations(body: Mapping[str, Any]) -> dict[str, Amounts]:
    return {
        key: {name: int(amount) for name, amount in each["resources"].items()}
        for key, each in body["allocations"].items()
    }
