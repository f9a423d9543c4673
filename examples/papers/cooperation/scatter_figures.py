"""Figures 2 and 4 of the paper: lines and points."""

from __future__ import annotations

from typing import Any

import pandas as pd
from cooperation.evaluation import Evaluation
from cospot.plots.style import BLUE, DARK, ORANGE, VERMILION, new_figure, note
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

VM_COLOURS = {"UTIL": BLUE, "COS": ORANGE, "DPD": "#009E73"}
_VM_MARKERS = {"UTIL": "o", "COS": "^", "DPD": "s"}
_PRIOR_WORK_MARKERS = ("x", "+", "1")


def figure_2(evaluation: Evaluation) -> Figure | None:
    """Draw how many VMs are rejected when each goes on a random one of the top N hosts.

    Returns:
        One axes per headroom; x: N; y: rejected VMs. A line per VM policy, the mean over the
        workloads, and a band, the middle half of them. None when that was not run.
    """
    frame = evaluation.degradation
    if frame is None:
        return None
    headrooms = sorted(frame["headroom_percent"].unique())
    size = (2.4 * len(headrooms) + 0.8, 3.2)
    with new_figure(size, 1, ncols=len(headrooms), sharey=True, squeeze=False) as figure:
        for axes, headroom in zip(figure.axes, headrooms, strict=True):
            of_size = frame[frame["headroom_percent"] == headroom]
            for vm, runs in of_size.groupby("vm", sort=False):
                _draw_rejections(axes, str(vm), runs)
            axes.set_xscale("log", base=2)
            # All of the paper's 32 would stand on each other.
            ns = [int(n) for n in sorted(of_size["host_subset_size"].unique()) if n & (n - 1) == 0]
            axes.set_xticks(ns, [str(n) for n in ns])
            axes.minorticks_off()
            axes.set_title(f"{headroom:g} % headroom")
            axes.set_ylim(bottom=0)
        figure.axes[0].set_ylabel("VMs rejected")
        figure.axes[-1].legend(loc="upper right")
        workloads = frame["workload"].nunique()
        note(figure, f"x: N; lines: means of {workloads} workloads; bands: their middle half")
    return figure


def _draw_rejections(axes: Axes, vm: str, runs: pd.DataFrame) -> None:
    described = runs.groupby("host_subset_size")["vm_rejected"].describe()
    colour = VM_COLOURS.get(vm, DARK)
    ns = described.index.to_numpy()
    axes.fill_between(ns, described["25%"], described["75%"], color=colour, alpha=0.18, lw=0)
    marker = _VM_MARKERS.get(vm, "d")
    axes.plot(ns, described["mean"], color=colour, marker=marker, markersize=4, label=vm)


def figure_4(evaluation: Evaluation) -> Figure:
    """Draw spot revenue earned against VM revenue lost, for every setting of every combination.

    Returns:
        One axes per headroom; x: spot revenue, % of requested; y: VM revenue lost, %. A point is a
        VM policy, spot policy, OTN and SAF, averaged over evictors and workloads. Lines join the
        OTNs of a combination, dashed with SAF on; black squares are baselines, crosses prior work.
    """
    keys = ["headroom_percent", "vm", "spot", "saf", "otn"]
    points = evaluation.runs.groupby(keys, observed=True)[["spot_share", "vm_loss"]].mean()
    points = 100 * points
    headrooms = sorted(evaluation.runs["headroom_percent"].unique())
    size = (7.2, 2.1 * len(headrooms) + 0.6)
    with new_figure(size, len(headrooms), sharex=True, squeeze=False) as figure:
        for axes, headroom in zip(figure.axes, headrooms, strict=True):
            _draw_trade_off(axes, points.loc[headroom].reset_index())
            if evaluation.prior_work is not None:
                _draw_prior_work(axes, evaluation.prior_work, headroom)
            axes.set_title(f"{headroom:g} % headroom")
            axes.set_ylabel("VM rev. lost (%)")
        figure.axes[-1].set_xlabel("spot revenue (% of what spots requested)")
        figure.axes[0].legend(
            handles=_legend(evaluation), loc="upper left", bbox_to_anchor=(1.01, 1.0)
        )
        note(figure, "means over evictors and workloads")
    return figure


def _draw_trade_off(axes: Axes, points: pd.DataFrame) -> None:
    for (vm, _, saf), line in points.groupby(["vm", "spot", "saf"], observed=True):
        colour = VM_COLOURS.get(str(vm), DARK)
        axes.plot(
            line["spot_share"],
            line["vm_loss"],
            color=colour,
            linestyle="--" if saf else "-",
            linewidth=0.7,
            marker="^" if saf else "o",
            markersize=3.2,
            markeredgewidth=0,
            clip_on=False,
        )
    baseline = points[~points["saf"] & (points["otn"] == points["otn"].min())]
    axes.plot(
        baseline["spot_share"],
        baseline["vm_loss"],
        linestyle="",
        marker="s",
        color="black",
        markersize=4,
        clip_on=False,
        zorder=4,
    )
    axes.set_ylim(bottom=0)


def _draw_prior_work(axes: Axes, prior_work: pd.DataFrame, headroom: float) -> None:
    of_size = prior_work[prior_work["headroom_percent"] == headroom]
    means = 100 * of_size.groupby("vm", observed=True)[["spot_share", "vm_loss"]].mean()
    for marker, (_, point) in zip(_PRIOR_WORK_MARKERS, means.iterrows(), strict=False):
        axes.plot(
            point["spot_share"],
            point["vm_loss"],
            linestyle="",
            marker=marker,
            color=VERMILION,
            markersize=8,
            markeredgewidth=1.8,
            clip_on=False,
            zorder=5,
        )


def _legend(evaluation: Evaluation) -> list[Any]:
    vms = evaluation.runs["vm"].cat.remove_unused_categories().cat.categories
    entries = [
        Line2D([], [], color=VM_COLOURS.get(str(vm), DARK), marker="o", label=str(vm)) for vm in vms
    ]
    entries += [
        Line2D([], [], color=DARK, marker="o", markersize=4, label="SAF off"),
        Line2D([], [], color=DARK, marker="^", markersize=4, linestyle="--", label="SAF on"),
        Line2D([], [], color="black", marker="s", linestyle="", label="baseline"),
    ]
    if evaluation.prior_work is not None:
        names = evaluation.prior_work["vm"].cat.remove_unused_categories().cat.categories
        for marker, name in zip(_PRIOR_WORK_MARKERS, names, strict=False):
            entries.append(
                Line2D([], [], color=VERMILION, marker=marker, linestyle="", label=str(name))
            )
    return entries
