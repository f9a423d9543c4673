"""A plot of one offer: usage, offered and chosen hosts, and the spots to evict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from cospot.argument_errors import checked
from cospot.errors import ConfigError
from cospot.plots.style import BLUE, DARK, GREEN, ORANGE, VERMILION, legend_above, panels

if TYPE_CHECKING:
    from cospot._core import Choice, Datacenter, Offer
    from cospot.plots.style import Drawn

_UNITS = {"vcpus": "vCPUs", "memory_mb": "memory (MiB)", "disk_gb": "disk (GB)"}
_WIDTH = 0.72
_MOST_HOSTS = 60


@checked
def offered_hosts(
    datacenter: Datacenter,
    offer: Offer | None = None,
    choice: Choice | None = None,
    *,
    resource: Literal["vcpus", "memory_mb", "disk_gb"] = "vcpus",
    ax: Drawn | None = None,
    title: str | None = None,
) -> Drawn:
    """Plot every host's usage of one resource, and an offer on top of it.

    A dashed box on an offered host is the VM on top of the current usage: where it exceeds the
    host's frame, spots must be evicted. The number is the host's place in the offer.

    Args:
        datacenter: The hosts and their instances, before the choice is committed.
        offer: The VM side's offer; None: only the hosts.
        choice: The choice of the spot side.
        resource: ``vcpus``, ``memory_mb`` or ``disk_gb``.
        ax: The axes to draw on; None: a new figure.
        title: Title above the plot.

    Returns:
        `ax`, or a figure with one axes, with the hosts as x and the resource as y.

    Raises:
        ConfigError: There are no hosts, too many to draw, or there is no such resource.
    """
    hosts = datacenter.hosts
    if resource not in _UNITS:
        raise ConfigError(f"found resource='{resource}'; expected one of {', '.join(_UNITS)}")
    if not 1 <= len(hosts) <= _MOST_HOSTS:
        raise ConfigError(f"there are {len(hosts)} hosts; expected 1 to {_MOST_HOSTS} to draw")
    total: list[int] = getattr(hosts, f"{resource}_total").tolist()
    free_ignoring_spots: list[int] = getattr(hosts, f"{resource}_free_ignoring_spots").tolist()
    free: list[int] = getattr(hosts, f"{resource}_free").tolist()
    tops = [whole - left for whole, left in zip(total, free, strict=True)]
    with panels(ax, (max(4.5, 1.6 + 0.75 * len(hosts)), 4.0)) as drawn:
        (axes,) = drawn.axes
        vms = [whole - left for whole, left in zip(total, free_ignoring_spots, strict=True)]
        axes.bar(range(len(hosts)), vms, width=_WIDTH, color=BLUE, label="VMs")
        gone = set(choice.victims) if choice is not None else set()
        for host in range(len(hosts)):
            _draw_spots(axes, datacenter, host, vms[host], resource, gone)
        axes.bar(range(len(hosts)), total, width=_WIDTH, fill=False, edgecolor=DARK, linewidth=1.2)
        if offer is not None:
            _draw_offer(axes, offer, choice, tops, resource)
        axes.set_xticks(range(len(hosts)), hosts.names)
        axes.grid(visible=False, axis="x")
        # Leave space for the numbers above the boxes.
        axes.set_ylim(0, 1.12 * axes.get_ylim()[1])
        axes.set_ylabel(_UNITS[resource])
        axes.set_xlabel("host")
        axes.set_title(title if title is not None else "")
        legend_above(axes, _legend(offer is not None, choice is not None, bool(gone)))
    return drawn.drawn  # type: ignore[no-any-return]


def _draw_spots(
    axes: Axes, datacenter: Datacenter, host: int, bottom: int, resource: str, gone: set[int]
) -> None:
    """Stack a host's spots on its VMs, oldest first; spots to evict are hatched."""
    for spot in datacenter.spots_on(host):
        height = getattr(spot.resources, resource)
        is_gone = spot.instance in gone
        axes.bar(
            host,
            height,
            bottom=bottom,
            width=_WIDTH,
            color=VERMILION if is_gone else ORANGE,
            hatch="xxx" if is_gone else "",
            edgecolor="white",
            linewidth=1.0,
        )
        bottom += height


def _draw_offer(
    axes: Axes, offer: Offer, choice: Choice | None, tops: list[int], resource: str
) -> None:
    needed = getattr(offer.request.resources, resource)
    for place, (host, _) in enumerate(offer.hosts, start=1):
        is_chosen = choice is not None and choice.host == host
        colour = GREEN if is_chosen else DARK
        axes.bar(
            host,
            needed,
            bottom=tops[host],
            width=_WIDTH - 0.12,
            fill=False,
            edgecolor=colour,
            linestyle="--",
            linewidth=2.4 if is_chosen else 1.2,
            zorder=4,
        )
        axes.annotate(
            f"{place}" + (" ✓" if is_chosen else ""),
            (host, tops[host] + needed),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            color=colour,
            fontweight="bold" if is_chosen else "normal",
        )


def _legend(has_offer: bool, has_choice: bool, has_victims: bool) -> list[Patch]:
    patches = [Patch(color=BLUE, label="VMs"), Patch(color=ORANGE, label="spots")]
    if has_victims:
        patches.append(Patch(facecolor=VERMILION, edgecolor="white", hatch="xxx", label="evicted"))
    if has_offer:
        patches.append(Patch(fill=False, edgecolor=DARK, linestyle="--", label="VM on top"))
    if has_choice:
        patches.append(
            Patch(fill=False, edgecolor=GREEN, linestyle="--", linewidth=2.4, label="chosen")
        )
    return patches
