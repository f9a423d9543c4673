"""The operator's own weighers: as the VM policy, and for when cospot does not decide."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cospot.nova.scheduler.host_mirror import MirroredHost  # needs the compiled module


class VmView:
    """A HostState as it would be without spots.

    What depends on the instances is worked out here; everything else is the host's own.
    """

    def __init__(self, state: Any, host: MirroredHost) -> None:
        usage, reserved = host.usage, host.capacity.reserved
        spots = usage.listed_spots
        spots_disk_mb = 1024 * sum(spot.size.disk_gb for spot in spots)
        hidden = {spot.uuid for spot in spots}
        self._state = state
        self.vcpus_used = (usage.vms + reserved).pooled().vcpus
        self.free_ram_mb = state.total_usable_ram_mb - reserved.memory_mb - usage.vms.memory_mb
        self.free_disk_mb = state.free_disk_mb + spots_disk_mb
        self.disk_mb_used = state.disk_mb_used - spots_disk_mb
        self.num_instances = max(state.num_instances - len(spots), 0)
        self.instances = {
            uuid: instance for uuid, instance in list(state.instances.items()) if uuid not in hidden
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)

    def __repr__(self) -> str:
        return f"<VmView of {self._state!r}>"


@functools.cache
def _weighers(names: tuple[str, ...]) -> tuple[Any, list[Any]]:
    from nova.scheduler import weights

    handler = weights.HostWeightHandler()
    return handler, [weigher() for weigher in handler.get_matching_classes(names)]


def check(names: tuple[str, ...]) -> None:
    """Find the weighers, so that a wrong name shows before they are needed.

    Raises:
        nova.exception.ClassNotFound, ImportError: a name is no weigher; and whatever its module
            raises.
    """
    _weighers(names)


def weigh(names: tuple[str, ...], hosts: Sequence[Any], spec: Any) -> list[Any]:
    """Weigh hosts as Nova's scheduler does.

    Args:
        names: As in `[filter_scheduler] weight_classes`.
        hosts: HostState objects, or views of them.
        spec: RequestSpec.

    Returns:
        Nova's WeighedHost objects, the best first; equal ones in the given order.

    Raises:
        nova.exception.ClassNotFound, ImportError: a name is no weigher.
    """
    handler, weighers = _weighers(names)
    weighed: list[Any] = handler.get_weighed_objects(weighers, hosts, spec)
    return weighed
