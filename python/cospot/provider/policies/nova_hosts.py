"""Presents cospot's hosts and requests to Nova's classes as Nova's own objects.

Hosts are real ``nova.scheduler.host_manager.HostState`` objects and requests real
``nova.objects.RequestSpec`` objects: Nova's classes and an operator's own can read any attribute of
the installed release. Both are kept between calls, so the cost of a call depends on what has
changed, not on the number of hosts.
"""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from cospot.provider.policies.nova_options import import_nova

if TYPE_CHECKING:
    import numpy.typing as npt

    from cospot._core import HostView, Request

_MIB_PER_GIB = 1024
# Any project and user will do: a workload does not contain them.
_PROJECT_ID = "0" * 32
_USER_ID = "1" * 32
# A run typically has a few hundred instance sizes; a workload with unique sizes has millions.
_MAX_SPECS = 4096


@functools.cache
def _nova_objects() -> Any:
    """Returns the module nova.objects after registering all its classes."""
    objects = import_nova("nova.objects")
    objects.register_all()
    return objects


class HostMirror:
    """Nova HostState objects that follow the columns of a host table.

    A host's state is what its instances leave free. An object is updated if one of its amounts has
    changed since the last call. Amounts are compared instead of generations, which are specific to
    a table, because each call may show the mirror another table.
    """

    def __init__(self) -> None:
        self.states: list[Any] = []
        """HostState of every host, by host index."""
        self.weighed: list[Any] = []
        """nova.scheduler.weights.WeighedHost around each of them."""
        self._seen: npt.NDArray[np.int64] = np.empty((0, 0), dtype=np.int64)

    def follow(self, hosts: HostView, *, sees_spots: bool) -> None:
        """Updates the objects to the current state of `hosts`.

        Args:
            hosts: n hosts.
            sees_spots: False: hide the spots.
        """
        columns = _columns(hosts, sees_spots=sees_spots)
        if columns.shape != self._seen.shape:
            self._start(columns.shape[1])
            changed = np.arange(columns.shape[1])
        else:
            changed = np.flatnonzero((columns != self._seen).any(axis=0))
        if changed.size == 0:
            return
        rows = columns[:, changed].T.tolist()
        for host, row in zip(changed.tolist(), rows, strict=True):
            _update(self.states[host], *row)
        self._seen = columns

    def _start(self, count: int) -> None:
        weighed_host = import_nova("nova.scheduler.weights").WeighedHost
        self.states = [new_host_state(host) for host in range(count)]
        self.weighed = [weighed_host(state, 0.0) for state in self.states]


def _columns(hosts: HostView, *, sees_spots: bool) -> npt.NDArray[np.int64]:
    """Returns the contents of the objects: int64, one row per quantity in `_update`'s order."""
    if sees_spots:
        free = (hosts.vcpus_free, hosts.memory_mb_free, hosts.disk_gb_free)
        instances = np.add(hosts.num_vms, hosts.num_spots)
    else:
        free = (
            hosts.vcpus_free_ignoring_spots,
            hosts.memory_mb_free_ignoring_spots,
            hosts.disk_gb_free_ignoring_spots,
        )
        instances = hosts.num_vms
    total = (hosts.vcpus_total, hosts.memory_mb_total, hosts.disk_gb_total)
    return np.array((*total, *free, instances, hosts.num_io_ops), dtype=np.int64)


def _update(
    state: Any,
    vcpus: int,
    memory_mb: int,
    disk_gb: int,
    free_vcpus: int,
    free_memory_mb: int,
    free_disk_gb: int,
    instances: int,
    io_ops: int,
) -> None:
    state.vcpus_total = vcpus
    state.vcpus_used = vcpus - free_vcpus
    state.total_usable_ram_mb = memory_mb
    state.free_ram_mb = free_memory_mb
    state.total_usable_disk_gb = disk_gb
    state.disk_mb_used = (disk_gb - free_disk_gb) * _MIB_PER_GIB
    state.free_disk_mb = free_disk_gb * _MIB_PER_GIB
    state.num_instances = instances
    state.num_io_ops = io_ops
    # Nova also reports these two as strings, in the stats of a compute node.
    state.stats["num_instances"] = str(instances)
    state.stats["io_workload"] = str(io_ops)


class _UpService(dict[str, Any]):
    """The compute service of a host; its last report is always now."""

    def get(self, key: str, default: Any = None) -> Any:
        if key == "last_seen_up":
            return import_nova("nova.utils").timeutils.utcnow()
        return super().get(key, default)


def new_host_state(host: int) -> Any:
    """Makes the HostState of an empty host that is up and in no aggregate."""
    name = f"host-{host}"
    state = import_nova("nova.scheduler.host_manager").HostState(name, name, None)
    state.uuid = f"00000000-0000-4000-8000-{host:012x}"
    state.service = _UpService(disabled=False, host=name, binary="nova-compute")
    state.stats = {"failed_builds": "0"}
    # cospot's totals are what the scheduler can allocate: after allocation ratios.
    state.cpu_allocation_ratio = 1.0
    state.ram_allocation_ratio = 1.0
    state.disk_allocation_ratio = 1.0
    state.host_ip = "127.0.0.1"
    state.hypervisor_type = "QEMU"
    state.hypervisor_version = 7_002_000
    state.hypervisor_hostname = name
    state.cpu_info = "{}"
    state.supported_instances = [["x86_64", "qemu", "hvm"]]
    state.metrics = _nova_objects().MonitorMetricList(objects=[])
    return state


class RequestSpecs:
    """Nova RequestSpec objects, one per instance size.

    Making one takes tens of microseconds, so they are cached. Requests of one size share one:
    Nova's classes do not modify it, and `instance_uuid` is the same for all.
    """

    def __init__(self) -> None:
        self._specs: dict[tuple[int, int, int], Any] = {}

    def spec_of(self, request: Request) -> Any:
        """Returns the RequestSpec of a request for one instance."""
        size = (request.vcpus, request.memory_mb, request.disk_gb)
        spec = self._specs.get(size)
        if spec is None:
            if len(self._specs) >= _MAX_SPECS:
                self._specs.clear()
            spec = self._specs[size] = _new_spec(*size)
        return spec


def _new_spec(vcpus: int, memory_mb: int, disk_gb: int) -> Any:
    objects = _nova_objects()
    name = f"{vcpus}-vcpus-{memory_mb}-mb-{disk_gb}-gb"
    flavor = objects.Flavor(
        id=1,
        name=name,
        flavorid=name,
        vcpus=vcpus,
        memory_mb=memory_mb,
        root_gb=disk_gb,
        ephemeral_gb=0,
        swap=0,
        rxtx_factor=1.0,
        vcpu_weight=0,
        disabled=False,
        is_public=True,
        extra_specs={},
        projects=[],
    )
    spec = objects.RequestSpec(
        flavor=flavor,
        num_instances=1,
        instance_uuid="00000000-0000-4000-8000-000000000000",
        project_id=_PROJECT_ID,
        user_id=_USER_ID,
        image=objects.ImageMeta(properties=objects.ImageMetaProps()),
        availability_zone=None,
        numa_topology=None,
        pci_requests=objects.InstancePCIRequests(requests=[]),
        instance_group=None,
        ignore_hosts=None,
        force_hosts=None,
        force_nodes=None,
        retry=None,
        limits=objects.SchedulerLimits(),
        scheduler_hints={},
        security_groups=objects.SecurityGroupList(objects=[]),
        is_bfv=False,
    )
    spec.obj_set_defaults("requested_destination", "requested_resources")
    return spec


class NovaView:
    """One thread's mirrors and request specs."""

    def __init__(self) -> None:
        self._ignoring_spots = HostMirror()
        self._including_spots = HostMirror()
        self.specs = RequestSpecs()

    def mirror(self, hosts: HostView, *, sees_spots: bool) -> HostMirror:
        """Returns an updated mirror with or without spots."""
        mirror = self._including_spots if sees_spots else self._ignoring_spots
        mirror.follow(hosts, sees_spots=sees_spots)
        return mirror


# By thread: a thread simulates one run at a time, so its hosts change little between calls. Not
# threading.local(), because an engine thread may get a new Python thread state in every call.
_views: dict[int, NovaView] = {}


def view_of_this_thread() -> NovaView:
    """Returns the calling thread's objects."""
    view = _views.get(threading.get_ident())
    if view is None:
        view = _views[threading.get_ident()] = NovaView()
    return view
