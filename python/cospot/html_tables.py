"""Results as small tables with units, for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cospot import Chain, Choice, HostRow, HostSpec, Offer, PolicyInfo, RunResult, Workload

#: The maximum number of rows shown.
_MOST_ROWS = 20
_SECONDS_PER_HOUR = 3600

Row = tuple[str, ...]


def html_table(caption: str, head: Row, rows: Iterable[Row], count: int | None = None) -> str:
    """Return an HTML table of texts, which are escaped; the first column names the row.

    `count`: the number of rows, if only the first ones are given.
    """
    listed = list(rows)
    count = count or len(listed)
    lines = [f"<table><caption>{escape(caption)}</caption>"]
    if head:
        cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        lines.append(f"<thead><tr>{cells}</tr></thead>")
    lines.append("<tbody>")
    for first, *others in listed[:_MOST_ROWS]:
        cells = "".join(f'<td style="text-align: right">{escape(cell)}</td>' for cell in others)
        lines.append(f'<tr><th style="text-align: left">{escape(first)}</th>{cells}</tr>')
    if count > _MOST_ROWS:
        width = len(listed[0])
        left = f"{count - _MOST_ROWS:,} more"
        lines.append(f'<tr><td colspan="{width}">{left}</td></tr>')
    lines.append("</tbody></table>")
    return "\n".join(lines)


def html_of(value: Any) -> str:
    """Return the HTML table for a value of the compiled module."""
    return TABLES[type(value).__name__](value)


def share(part: float | None, of: float = 1) -> str:
    """Return a part as a percentage; empty if the whole is 0."""
    return f"{100 * part / of:.2f}%" if part is not None and of else ""


def _count(part: int, of: int) -> Row:
    return (f"{part:,}", share(part, of))


def _hours(part: float, of: float) -> Row:
    return (f"{part / _SECONDS_PER_HOUR:,.0f} vCPU-hours", share(part, of))


def _run_table(run: RunResult) -> str:
    rows = [
        ("Hosts", f"{run.hosts:,}", ""),
        ("VMs requested", f"{run.vm_requests:,}", ""),
        ("VMs rejected", *_count(run.vm_rejected, run.vm_requests)),
        ("Spots requested", f"{run.spot_requests:,}", ""),
        ("Spots admitted", *_count(run.spot_admitted, run.spot_requests)),
        ("Spots evicted", *_count(run.evictions, run.spot_admitted)),
        ("VM revenue", *_hours(run.vm_revenue, run.vm_revenue_requested)),
        ("Spot revenue", *_hours(run.spot_revenue, run.spot_revenue_requested)),
        ("Median allocation", f"{run.alloc_p50_ns / 1000:,.1f} µs", ""),
        ("Run", f"{run.wall_ms / 1000:,.2f} s", ""),
    ]
    return html_table("Run", ("", "", "% of requested or admitted"), rows)


def _workload_table(workload: Workload) -> str:
    columns = workload.to_columns()
    is_spot = columns["is_spot"]
    rows = []
    for name, chosen in (("VMs", ~is_spot), ("Spots", is_spot)):
        vcpus = int(columns["vcpus"][chosen].sum(dtype="int64"))
        memory_gib = int(columns["memory_mb"][chosen].sum(dtype="int64")) / 1024
        rows.append((name, f"{int(chosen.sum()):,}", f"{vcpus:,}", f"{memory_gib:,.0f} GiB"))
    caption = f"{workload.name}: {workload.window_days:g} days"
    return html_table(caption, ("", "Requests", "vCPUs", "Memory"), rows)


def _chain_table(chain: Chain) -> str:
    rows = [(name, "filter", "") for name in chain.filters]
    rows += [(name, "weigher", f"{multiplier:g}") for name, multiplier in chain.weighers]
    return html_table(f"Chain {chain.label}", ("Policy", "Kind", "Multiplier"), rows)


def _offer_table(offer: Offer) -> str:
    request = offer.request
    kind = "spot" if request.is_spot else "VM"
    caption = (
        f"Offer for {kind} {request.instance}: {request.vcpus:,} vCPUs, {request.memory_mb:,} MiB"
    )
    rows = [
        (str(rank), str(host), str(generation))
        for rank, (host, generation) in enumerate(offer.hosts, 1)
    ]
    return html_table(caption, ("Rank", "Host", "Generation"), rows)


def _choice_table(choice: Choice) -> str:
    victims = ", ".join(str(victim) for victim in choice.victims) or "none"
    rows = [
        ("Host", str(choice.host)),
        ("Generation", str(choice.generation)),
        ("Evicted spots", victims),
        ("Score", f"{choice.score:g}"),
    ]
    return html_table("Choice", (), rows)


def _host_row(host: HostSpec | HostRow) -> Row:
    used = [
        f"{getattr(host.vm_used, unit):,} + {getattr(host.spot_used, unit):,} of "
        f"{getattr(host.total, unit):,}"
        for unit in ("vcpus", "memory_mb", "disk_gb")
    ]
    return (host.name, f"{host.num_vms:,}", f"{host.num_spots:,}", *used)


def _hosts_table(value: Any) -> str:
    """Show a host, a table of hosts, or the hosts of what runs on them."""
    hosts = getattr(value, "hosts", value)
    shown = [hosts] if hasattr(hosts, "vm_used") else islice(hosts, _MOST_ROWS)
    used = "VMs + spots of total"
    head = ("Host", "VMs", "Spots", f"vCPUs: {used}", f"Memory: {used}", f"Disk: {used}")
    count = len(hosts) if hasattr(hosts, "__len__") else 1
    return html_table(type(value).__name__, head, map(_host_row, shown), count)


def _policy_table(policy: Any) -> str:
    from cospot import _core

    kind = type(policy).__name__.removeprefix("Compiled").lower()
    infos: list[PolicyInfo] = getattr(_core, f"list_{kind}s")()
    (info,) = (one for one in infos if one.name == policy.name)
    options = ", ".join(f"{name}={value!r}" for name, value in policy.options.items())
    return _info_table(info, [("Options", options or "none given")])


def _info_table(info: PolicyInfo, more: Iterable[Row] = ()) -> str:
    rows = [("Summary", info.summary), ("Source", info.source), *more]
    rows.append(("Usable", "no: needs true lifetimes" if info.needs_true_lifetimes else "yes"))
    return html_table(info.name, (), rows)


#: The tables of the compiled module's classes.
TABLES: dict[str, Callable[[Any], str]] = {
    "Chain": _chain_table,
    "Choice": _choice_table,
    **dict.fromkeys(("CompiledEvictor", "CompiledFilter", "CompiledWeigher"), _policy_table),
    **dict.fromkeys(
        ("Datacenter", "HostRow", "HostSpec", "HostTable", "HostView", "Simulation"), _hosts_table
    ),
    "Offer": _offer_table,
    "PolicyInfo": _info_table,
    "RunResult": _run_table,
    "Workload": _workload_table,
}
