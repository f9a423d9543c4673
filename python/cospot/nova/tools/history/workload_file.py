"""Writes a workload file (docs/workload-format.md) and a matching sweep."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cospot.errors import ConfigError
from cospot.nova.tools.history.order_in_second import in_order
from cospot.nova.tools.history.past_instance import PastInstance, SpotRule
from cospot.whole_file import write_file

_COLUMNS: Final = "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s"
#: Additional columns if instances have placement requirements.
_WISHES: Final = "zone,extra_specs,group,group_policy,max_server_per_host"
#: Characters that a field of the file cannot contain.
_UNWRITABLE: Final = re.compile(r"[,;\"\r\n]")


@dataclass
class Written:
    """The contents of a written workload file.

    Attributes:
        asked_lifetimes: Of spots for which it is known, seconds; 0: none requested.
    """

    vms: int = 0
    spots: int = 0
    projects: set[str] = field(default_factory=set)
    asked_lifetimes: dict[str, float] = field(default_factory=dict)


def pseudonym(project: str) -> str:
    """Return a stable name for a project that does not reveal its id."""
    return "p-" + hashlib.sha256(project.encode()).hexdigest()[:16]


def write_workload(
    path: Path,
    instances: Iterable[PastInstance],
    window_start: float,
    rule: SpotRule,
    name_project: Callable[[str], str] = pseudonym,
    *,
    with_disk: bool = False,
    window_days: float | None = None,
) -> Written:
    """Write instances in cospot's own schema; deterministic.

    Args:
        path: Of the file; compressed if it ends in .gz.
        instances: In any order.
        window_start: Second 0 of the workload, seconds since the epoch.
        rule: Which of them are spots.
        name_project: Maps a project to a tenant.
        with_disk: Whether disk counts; otherwise all have 0.
        window_days: Days observed from window_start, stated in the file; None: derived from the
            requests.

    Raises:
        ConfigError: There is no instance, or the file cannot be written.
    """
    written = Written()
    rows: list[str] = []
    wishes: list[list[str]] = []
    # Nova stores the second in which an instance got its host; the cell orders them within it.
    created = sorted(instances, key=lambda one: (one.created, one.number, one.uuid))
    for instance in in_order(created):
        is_spot = rule.is_spot(instance)
        written.spots += is_spot
        written.vms += not is_spot
        written.projects.add(instance.project)
        lifetime = instance.asked_lifetime_s
        if is_spot and lifetime is not None:
            written.asked_lifetimes[instance.uuid] = lifetime
        disk_gb = instance.disk_gb if with_disk else 0
        size = (instance.vcpus, instance.memory_mb, disk_gb)
        row = (instance.uuid, name_project(instance.project), "spot" if is_spot else "vm", *size)
        rows.append(",".join(map(str, [*row, *_times(instance, window_start)])))
        wishes.append(_wish_fields(instance))
    columns = _COLUMNS
    if any(map(any, wishes)):
        columns = f"{_COLUMNS},{_WISHES}"
        rows = [",".join([row, *wish]) for row, wish in zip(rows, wishes, strict=True)]
    if not rows:
        raise ConfigError(f"{path}: there is no instance to write; give an earlier --window-start")
    stated = [] if window_days is None else [f"# window_days: {window_days:.15g}"]
    data = "\n".join([*stated, columns, *rows, ""]).encode()
    write_file(path, _compressed(data) if path.suffix == ".gz" else data)
    return written


def sweep_text(workload: Path, hosts: Path, up: int, count: int) -> str:
    """Return an example sweep for the workload on the hosts that are up.

    Args:
        workload: In the folder of the sweep.
        hosts: The file of hosts, in the same folder.
        up: Number of hosts to simulate.
        count: Number of hosts in the file.
    """
    return f"""\
# Made by cospot-nova history export. Run: cospot compare {workload.stem.split(".")[0]}.yaml
#
# The {up} of {count} hosts in {hosts.name} that are up, each with what VMs may use of it
# (overcommit is in it). For what more or fewer hosts would do, in proportion to their types, add
# headroom_percent: [0, 2, 5] or hosts: [{max(1, up - 1)}, {up}, {up + 1}].
workloads: [{workload.name}]
host: {hosts.name}
vm: [COS]
spot: [sCOS, vmaCOS]
evictor: [FIFO]
saf: [off, on]
otn: [1, 2, 4, 8, 16]
"""


def _wish_fields(instance: PastInstance) -> list[str]:
    """Return an instance's placement requirements by column; empty where there are none."""
    wishes = instance.wishes
    specs = ";".join(
        f"{field_text(k)}={field_text(v)}" for k, v in sorted(instance.aggregate_specs.items())
    )
    most = wishes.max_server_per_host
    return [
        field_text(wishes.zone),
        specs,
        field_text(wishes.group),
        wishes.policy,
        str(most) if wishes.policy == "anti-affinity" and most > 1 else "",
    ]


def field_text(value: str) -> str:
    """Remove characters that would end a field."""
    return _UNWRITABLE.sub("_", value)


def _times(instance: PastInstance, window_start: float) -> tuple[str, str]:
    start = instance.created - window_start
    if instance.ended is None:
        return f"{start:.6f}", "never"
    # Clocks of an API and a compute differ: no instance may end before its request.
    return f"{start:.6f}", f"{max(instance.ended - window_start, start):.6f}"


def _compressed(data: bytes) -> bytes:
    file = io.BytesIO()
    # No time stamp or name in the gzip header: the same history gives the same bytes.
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packer:
        packer.write(data)
    return file.getvalue()
