"""The plot of an offer: what the hosts hold, the offer on top, the choice and the spots that go."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")

import cospot
from cospot.plots import offered_hosts
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle


@pytest.fixture
def datacenter() -> cospot.Datacenter:
    """Two hosts of 8 vCPUs: VMs of 4 and 2; spots of 3 and 1 (the older) on host-0, 1 on host-1."""
    made = cospot.Datacenter(cospot.HostTable.uniform(2, (8, 16)))
    made.add_vm(0, cospot.Request(4, 4, instance=0))
    made.add_vm(1, cospot.Request(2, 2, instance=1))
    for instance, host, vcpus in ((10, 0, 1), (11, 0, 3), (12, 1, 1)):
        spot = cospot.Request(vcpus, 2, spot=True, instance=instance, time_us=instance)
        made.add_spot(host, spot)
    return made


def boxes(axes: Axes, linestyle: str, is_filled: bool) -> set[tuple[float, float, float]]:
    """(host, bottom, top) of the bars of one kind."""
    return {
        (round(bar.get_x() + bar.get_width() / 2), bar.get_y(), bar.get_y() + bar.get_height())
        for bar in axes.patches
        if isinstance(bar, Rectangle)
        and bar.get_linestyle() == linestyle
        and bool(bar.get_fill()) is is_filled
    }


def test_hosts_alone(datacenter: cospot.Datacenter) -> None:
    (axes,) = offered_hosts(datacenter, title="two hosts").axes
    # VMs from 0; spots on top, the oldest first.
    assert boxes(axes, "solid", True) == {(0, 0, 4), (1, 0, 2), (0, 4, 5), (0, 5, 8), (1, 2, 3)}
    assert boxes(axes, "solid", False) == {(0, 0, 8), (1, 0, 8)}  # the frames
    assert [label.get_text() for label in axes.get_xticklabels()] == ["host-0", "host-1"]
    assert (axes.get_ylabel(), axes.get_title(loc="left")) == ("vCPUs", "two hosts")


def test_offer_and_choice(datacenter: cospot.Datacenter) -> None:
    chain = cospot.Chain(["UTIL"])
    offer = cospot.make_offer(chain, datacenter.hosts, cospot.Request(3, 2, instance=5), otn=1)
    choice = cospot.choose(offer, "FIFO", datacenter)
    assert choice is not None
    (axes,) = offered_hosts(datacenter, offer, choice).axes
    # The VM of 3 on top of host-0's 8.
    assert boxes(axes, "--", False) == {(0, 8, 11)}
    assert [text.get_text() for text in axes.texts] == ["1 ✓"]
    hatched = {bar.get_y() for bar in axes.patches if bar.get_hatch()}
    assert hatched == {4, 5}  # FIFO: the spot of 1 is older, and not enough: both go
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "VMs", "spots", "evicted", "VM on top", "chosen"
    ]  # fmt: skip
    assert axes.get_ylim()[1] > 11


def test_memory(datacenter: cospot.Datacenter) -> None:
    (axes,) = offered_hosts(datacenter, resource="memory_mb").axes
    assert boxes(axes, "solid", True) == {(0, 0, 4), (1, 0, 2), (0, 4, 6), (0, 6, 8), (1, 2, 4)}
    assert axes.get_ylabel() == "memory (MiB)"


def test_bad_input(datacenter: cospot.Datacenter) -> None:
    with pytest.raises(cospot.ConfigError, match="found resource='gpus'; expected one of vcpus, m"):
        offered_hosts(datacenter, resource="gpus")  # type: ignore[arg-type]
    many = cospot.Datacenter(cospot.HostTable.uniform(61, (8, 16)))
    with pytest.raises(cospot.ConfigError, match="there are 61 hosts; expected 1 to 60 to draw"):
        offered_hosts(many)
