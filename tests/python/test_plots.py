"""The plots hold the numbers of the frame: artists' values against arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

import cospot
import matplotlib
import numpy as np
import pandas as pd
from cospot import plots
from made_results import FOUR_RUNS, make_database
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch


@pytest.fixture
def runs(tmp_path: Path) -> pd.DataFrame:
    """Gains 0, 20 (SAF off), 50, 80 % (on) and losses 0, 0, 0.1, 0.2 %, and one without a gain."""
    without_gain = {"evictor": "LPO", "saf": 1, "otn": 4}
    database = make_database(tmp_path / "r.db", [*FOUR_RUNS, without_gain], run_count=12)
    return cospot.load_results(database).runs


def titles(axes: Axes) -> tuple[str, str, str]:
    return axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()


def test_scatter(runs: pd.DataFrame) -> None:
    figure = plots.gain_against_vm_loss(runs, value="gain")
    (axes,) = figure.axes
    assert titles(axes) == ("4 points", "VM revenue lost (%)", "spot revenue gain (%)")
    saf_off, saf_on = axes.collections
    assert saf_off.get_offsets().tolist() == [[0.0, pytest.approx(0)], [0.0, pytest.approx(20)]]
    assert saf_on.get_offsets().data == pytest.approx(np.array([[0.1, 50], [0.2, 80]]))
    (front,) = axes.get_lines()
    # The run with gain 0 is beaten by the one with 20 % and no loss either.
    assert front.get_xydata() == pytest.approx(np.array([[0, 20], [0.1, 50], [0.2, 80]]))
    # OTN 1 and 2 have a colour each, the same for both SAF settings.
    assert saf_off.get_facecolors() == pytest.approx(saf_on.get_facecolors())
    assert tuple(saf_off.get_facecolors()[0]) != tuple(saf_off.get_facecolors()[1])
    legends = [*figure.legends, axes.get_legend(), *axes.artists]
    texts = [text.get_text() for legend in legends for text in legend.get_texts()]
    assert sorted(texts) == ["1", "2", "Pareto front", "SAF off", "SAF on"]


def test_scatter_of_shares(runs: pd.DataFrame) -> None:
    figure = plots.gain_against_vm_loss(runs, front=False, title="t")
    (axes,) = figure.axes
    assert titles(axes) == ("t", "VM revenue lost (%)", "spot revenue (% of what spots requested)")
    # 150, 180 and (without a gain, but with a share) 100 of 500.
    assert axes.collections[1].get_offsets()[:, 1].tolist() == pytest.approx([30, 36, 20])
    assert axes.get_lines() == []


def test_the_front_is_of_what_can_be_set(tmp_path: Path) -> None:
    # LPO's 200 and 300 of 500 lose nothing and would beat all; it knows lifetimes.
    oracle = [{"evictor": "LPO", "otn": otn, "revenue": 100 + 100 * otn} for otn in (1, 2)]
    database = make_database(tmp_path / "r.db", [*FOUR_RUNS, *oracle], run_count=12)
    runs = cospot.load_results(database).runs
    (front,) = plots.gain_against_vm_loss(runs).axes[0].get_lines()
    assert front.get_xydata() == pytest.approx(np.array([[0, 24], [0.1, 30], [0.2, 36]]))
    alone = runs[runs["evictor"] == "LPO"]
    (front,) = plots.gain_against_vm_loss(alone).axes[0].get_lines()
    assert front.get_xydata() == pytest.approx(np.array([[0, 60]]))


def test_scatter_coloured_by_name(runs: pd.DataFrame) -> None:
    (axes,) = plots.gain_against_vm_loss(runs, value="spot_share", colour="evictor").figure.axes
    # A collection for each SAF setting and evictor: a marker and a colour each, hollow for SAF on.
    off, _, fifo, lpo = axes.collections
    assert [len(one.get_offsets()) for one in (off, fifo, lpo)] == [2, 2, 1]
    assert off.get_edgecolors() == pytest.approx(fifo.get_edgecolors())
    assert tuple(fifo.get_edgecolors()[0]) != tuple(lpo.get_edgecolors()[0])
    assert fifo.get_paths()[0].vertices.shape != lpo.get_paths()[0].vertices.shape
    assert (len(off.get_facecolors()), len(fifo.get_facecolors())) == (1, 0)
    assert [text.get_text() for text in axes.artists[0].get_texts()] == ["FIFO", "LPO"]
    many = pd.concat([runs] * 4).assign(vm=[f"policy {row}" for row in range(20)])
    with pytest.raises(cospot.ConfigError, match="the column vm has 16 values; expected at most 7"):
        plots.gain_against_vm_loss(many, value="gain", colour="vm")


def boxes_of(axes: Axes) -> list[PathPatch]:
    return list(axes.patches)


def means_of(axes: Axes) -> list[tuple[float, float]]:
    """Position and height of the diamonds, from left to right."""
    points = [line.get_xydata()[0] for line in axes.get_lines() if line.get_marker() == "D"]
    return sorted((round(float(x), 3), float(y)) for x, y in points)


def test_boxes_by_otn(runs: pd.DataFrame) -> None:
    # Five runs of OTN 2 with SAF on instead of one: 10, 20, 30, 40, 80 %.
    extra = pd.concat([runs.iloc[[3]]] * 4).assign(gain=[0.1, 0.2, 0.3, 0.4])
    figure = plots.gain_by_otn_and_saf(pd.concat([runs, extra]))
    (axes,) = figure.axes
    assert titles(axes) == ("8 runs", "OTN (hosts the VM side offers)", "spot revenue gain (%)")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2"]
    # Means: SAF off 0, 20; SAF on 50, (10 + 20 + 30 + 40 + 80) / 5 = 36.
    expected = [(-0.21, 0.0), (0.21, 50.0), (0.79, 20.0), (1.21, 36.0)]
    assert np.array(means_of(axes)) == pytest.approx(np.array(expected))
    # The middle half of 10, 20, 30, 40, 80 is 20 to 40.
    heights = [box.get_path().vertices[:, 1] for box in boxes_of(axes)]
    assert any((h.min(), h.max()) == pytest.approx((20, 40)) for h in heights)
    # The whiskers leave out what is below 10 + 0.2 * 10 (5 %) or above 40 + 0.8 * 40 (95 %).
    ends = {round(float(y), 6) for line in axes.get_lines() for y in line.get_ydata()}
    assert {20.0, 40.0} <= ends
    assert not {10.0, 80.0} & ends
    hatched = {bool(box.get_hatch()) for box in boxes_of(axes)}
    assert hatched == {False, True}  # told apart without colour too
    (legend,) = [axes.get_legend()]
    assert [text.get_text() for text in legend.get_texts()] == ["SAF off", "SAF on"]


def test_boxes_by_headroom(tmp_path: Path) -> None:
    bigger = [{**run, "headroom_percent": 2.0, "hosts": 12} for run in FOUR_RUNS]
    bigger[3]["revenue"] = 300
    sizes = [{"headroom_percent": 0}, {"headroom_percent": 2}, {"headroom_percent": 4}]
    database = make_database(tmp_path / "r.db", [*FOUR_RUNS, *bigger], sizes=sizes)
    figure = plots.gain_by_headroom(cospot.load_results(database).runs)
    gain, loss = figure.axes
    assert gain.get_ylabel() == "spot revenue gain (%)"
    assert loss.get_ylabel() == "VM revenue lost (%)"
    assert loss.get_xlabel().startswith("headroom")
    # 4 % has no run.
    assert [label.get_text() for label in loss.get_xticklabels()] == ["0 %", "2 %"]
    # SAF off: (0 + 20) / 2. SAF on at 0 %: (50 + 80) / 2, at 2 %: (50 + 200) / 2.
    expected = [(-0.21, 10), (0.21, 65), (0.79, 10), (1.21, 125)]
    assert np.array(means_of(gain)) == pytest.approx(np.array(expected))
    assert [y for _, y in means_of(loss)] == pytest.approx([0, 0.15, 0, 0.15])


def test_degradation(runs: pd.DataFrame) -> None:
    figure = plots.degradation_curve(runs)
    loss, gain = figure.axes
    assert [loss.get_ylabel(), gain.get_ylabel()] == [
        "VM revenue lost (%)", "spot revenue gain (%)"
    ]  # fmt: skip
    assert gain.get_xlabel() == "OTN (hosts the VM side offers)"
    saf_off, saf_on = gain.get_lines()
    assert saf_off.get_xydata() == pytest.approx(np.array([[1, 0], [2, 20]]))
    assert saf_on.get_xydata() == pytest.approx(np.array([[1, 50], [2, 80]]))
    assert loss.get_lines()[1].get_xydata() == pytest.approx(np.array([[1, 0.1], [2, 0.2]]))
    assert saf_off.get_linestyle() != saf_on.get_linestyle()
    assert [label.get_text() for label in gain.get_xticklabels()] == ["1", "2"]


def test_offers_with_labels(tmp_path: Path) -> None:
    """Labels stand behind the numbers; the curve over OTN has numbers only."""
    label = {"otn": "epsilon-0.05", "saf": 0, "revenue": 130}
    runs = cospot.load_results(make_database(tmp_path / "r.db", [label, *FOUR_RUNS])).runs
    assert runs["otn"].tolist() == ["epsilon-0.05", 1, 2, 1, 2]
    assert runs["gain"].tolist() == pytest.approx([0.3, 0, 0.2, 0.5, 0.8])
    boxes = plots.gain_by_otn_and_saf(runs).axes[0]
    assert [tick.get_text() for tick in boxes.get_xticklabels()] == ["1", "2", "epsilon-0.05"]
    curve = plots.degradation_curve(runs).axes[1]
    assert [tick.get_text() for tick in curve.get_xticklabels()] == ["1", "2"]
    assert plots.gain_against_vm_loss(runs).axes


def all_plots(runs: pd.DataFrame, hosts: int) -> dict[str, Callable[..., Any]]:
    """Every public plot with its data, of few or many hosts."""
    datacenter = cospot.Datacenter(cospot.HostTable.uniform(hosts, (8, 16)))
    for host in range(hosts):
        datacenter.add_spot(host, cospot.Request(8, 8, spot=True, instance=host))
    vm = cospot.Request(4, 4, instance=99)
    offer = cospot.make_offer(cospot.Chain(["UTIL"]), datacenter.hosts, vm, otn=2)
    choice = cospot.choose(offer, "FIFO", datacenter)
    columns = {
        "time_s": [0, 0], "event": ["request", "placement"], "instance_id": ["a", "a"],
        "class": ["vm", "vm"], "vcpus": [4, 4], "memory_mb": [4, 4], "host": ["", "h"],
    }  # fmt: skip
    used = cospot.occupancy_over_time(pd.DataFrame(columns), host=(8, 16), hosts=hosts)
    given: dict[str, tuple[object, ...]] = {
        "offered_hosts": (datacenter, offer, choice), "host_occupancy": (used,)
    }  # fmt: skip
    names = [name for name in plots.__all__ if name != "style"]
    return {name: partial(getattr(plots, name), *given.get(name, (runs,))) for name in names}


@pytest.mark.parametrize(
    ("hosts", "style"), [(1, "notebook"), (2, "notebook"), (12, "notebook"), (12, "paper")]
)
def test_no_legend_covers_a_title_or_leaves_the_figure(
    runs: pd.DataFrame, hosts: int, style: Literal["notebook", "paper"]
) -> None:
    title = "What the hosts hold, and where the VM goes"
    for name, plot in all_plots(runs, hosts).items():
        with plots.style(style):
            figure = plot(title=title)
        figure.draw_without_rendering()
        for axes in figure.axes:
            # The title on the left is no attribute of its own.
            texts = [one for one in axes.get_children() if getattr(one, "get_text", str)()]
            for legend in filter(None, [axes.get_legend(), *axes.artists]):
                box = legend.get_window_extent()
                assert not any(one.get_window_extent().overlaps(box) for one in texts), name
                assert box.x0 >= 0, name


def test_nothing_is_left_open(runs: pd.DataFrame) -> None:
    before = pyplot.get_fignums()
    style = dict(matplotlib.rcParams)
    plots.degradation_curve(runs)
    assert pyplot.get_fignums() == before
    assert dict(matplotlib.rcParams) == style


def test_colours_differ_in_lightness() -> None:
    """VMs and spots, SAF off and on can be told apart in grey."""
    from cospot.plots.style import BLUE, ORANGE

    def lightness(colour: str) -> float:
        red, green, blue, _ = to_rgba(colour)
        return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)

    assert lightness(ORANGE) - lightness(BLUE) > 0.25


@pytest.mark.parametrize(
    "plot",
    [
        partial(plots.gain_against_vm_loss, value="gain"), plots.gain_by_otn_and_saf,
        plots.gain_by_headroom, plots.degradation_curve,
    ],
)  # fmt: skip
def test_bad_frames_are_named(plot: Callable[[pd.DataFrame], Figure], runs: pd.DataFrame) -> None:
    with pytest.raises(cospot.ConfigError, match="no column .*gain.*; expected the runs of"):
        plot(pd.DataFrame({"x": [1]}))
    with pytest.raises(cospot.ConfigError, match="no run has a gain"):
        plot(runs[runs["gain"].isna()])
    with pytest.raises(cospot.ConfigError, match="no rows"):
        plot(runs.iloc[:0])


def test_every_plot_draws_on_given_axes_and_returns_them(runs: pd.DataFrame) -> None:
    for name, plot in all_plots(runs, 2).items():
        alone = plot(title="t")
        assert isinstance(alone, Figure)
        rows = len(alone.axes)
        figure, grid = pyplot.subplots(rows, 2, squeeze=False)
        axes = grid[0, 1] if rows == 1 else grid[:, 1]
        assert plot(ax=axes, title="t") is axes, name
        for mine, own in zip(np.ravel(axes), alone.axes, strict=True):
            assert (mine.get_title(), *titles(mine)[1:]) == titles(own), name
            assert len(mine.get_children()) == len(own.get_children()), name
        # The neighbours stay empty, and so does the space below the caller's figure.
        assert all(not one.has_data() for one in grid[:, 0])
        assert getattr(figure, "_supxlabel", None) is None
        pyplot.close(figure)
        with pytest.raises(cospot.ArgumentError, match=r"ax: found 4 of type Axes\w*, expected"):
            plot(ax=list(alone.axes[:1]) * 4)
        with pytest.raises(cospot.ArgumentError, match="ax: found 1 of type str, expected"):
            plot(ax="left")


def test_the_style_of_a_paper(runs: pd.DataFrame, tmp_path: Path) -> None:
    usual = dict(matplotlib.rcParams)
    for name, plot in all_plots(runs, 12).items():
        with plots.style("paper"):
            figure = plot()
            figure.savefig(tmp_path / name)
        assert figure.get_figwidth() == pytest.approx(3.33)
        assert {text.get_fontsize() for text in figure.axes[-1].get_xticklabels()} == {7}
        pdf = (tmp_path / f"{name}.pdf").read_bytes()
        assert pdf.startswith(b"%PDF")
        # Type 42: text remains text. No image: the plot is vectors.
        assert b"/Type3" not in pdf
        assert b"/Subtype /Image" not in pdf
        assert plot().get_figwidth() > 7
    assert dict(matplotlib.rcParams) == usual
    with pytest.raises(cospot.ConfigError, match="found style 'poster'; expected one of notebook"):
        plots.style("poster").__enter__()  # type: ignore[arg-type]
