"""examples/papers/cooperation/figures.py: what the lines and boxes show, against arithmetic.

Spots request 500 vcpu-seconds in every run and VMs 1000: 5 of spot revenue are one percentage point
of what was requested, 1 of VM revenue is 0.1 %.
"""

import pytest

pytest.importorskip("pandas", minversion="1.5")
pytest.importorskip("matplotlib", minversion="3.6")

from cooperation import figures
from made_evaluations import made_evaluation

BASELINE = {"otn": 1, "revenue": 100}
SETTINGS = ((0, 1), (0, 2), (1, 1))


def _figures(evaluation):
    return {drawing.name: drawing.figure for drawing in figures.drawings(evaluation)}


def _check_line(line, points):
    drawn = [tuple(point) for point in line.get_xydata()]
    assert len(drawn) == len(points)
    for point, expected in zip(drawn, points, strict=True):
        assert point == pytest.approx(expected)


def _box_at(axes, place):
    """Return the lower quartile, the median and the upper quartile that a box shows."""
    (box,) = [
        patch
        for patch in axes.patches
        if patch.get_path().get_extents().intervalx.mean() == pytest.approx(place)
    ]
    low, high = box.get_path().get_extents().intervaly
    flat = [
        tuple(line.get_ydata())
        for line in axes.lines
        if len(line.get_xdata()) == 2
        and sum(line.get_xdata()) / 2 == pytest.approx(place)
        and line.get_ydata()[0] == line.get_ydata()[1]
    ]
    (median,) = {y for y, _ in flat if low < y < high}
    return low, median, high


def test_figure_2_is_the_mean_of_the_workloads_and_their_middle_half(tmp_path):
    # N = 8 without headroom: 0, 0, 4 and 12, mean 4; quartiles at 0 and at 4 + (12 - 4) / 4 = 6.
    rows = [
        {"workload": f"day{day}", "headroom_percent": headroom, "vm": vm}
        | {"host_subset_size": n}
        | {"vm_rejected": rejected * (n == 8) * (headroom == 0) + (vm == "COS")}
        for day, rejected in enumerate((0, 0, 4, 12))
        for headroom in (0, 1)
        for vm in ("UTIL", "COS")
        for n in (1, 8)
    ]
    figure = _figures(made_evaluation(tmp_path, [BASELINE], degradation=rows))["Figure 2"]
    tight, loose = figure.axes
    assert tight.get_title(loc="left") == "0 % headroom"
    lines = {line.get_label(): line for line in tight.lines}
    _check_line(lines["UTIL"], [(1, 0), (8, 4)])
    _check_line(lines["COS"], [(1, 1), (8, 5)])
    _check_line(loose.lines[0], [(1, 0), (8, 0)])
    (path,) = tight.collections[0].get_paths()
    assert {y for x, y in path.vertices if x == 8} == {0, 6}


def test_figure_2_has_every_n_and_names_powers_of_two(tmp_path):
    rows = [{"host_subset_size": n, "vm_rejected": 2 * n} for n in range(1, 33)]
    figure = _figures(made_evaluation(tmp_path, [BASELINE], degradation=rows))["Figure 2"]
    (axes,) = figure.axes
    _check_line(axes.lines[0], [(n, 2 * n) for n in range(1, 33)])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "2", "4", "8", "16", "32"]


def test_figure_4_is_the_mean_over_evictors_and_workloads(tmp_path):
    # OTN 2: 200, 240, 280 and 320 of 500, mean 260, 52 %; of 1000 VMs' 4, 0, 0 and 0 lost, 0.1 %.
    runs = [
        {"workload": day, "evictor": evictor, "otn": otn, "revenue": 100 if otn == 1 else revenue}
        | {"vm_earned": 1000 - lost * (otn == 2)}
        for day, evictor, revenue, lost in (
            ("a", "FIFO", 200, 4), ("a", "LPO", 240, 0), ("b", "FIFO", 280, 0),
            ("b", "LPO", 320, 0),
        )
        for otn in (1, 2)
    ]  # fmt: skip
    prior_work = [
        {"vm": "SpotHour", "revenue": revenue, "vm_earned": 995} for revenue in (150, 250)
    ]
    figure = _figures(made_evaluation(tmp_path, runs, prior_work=prior_work))["Figure 4"]
    line, baseline, spot_hour = figure.axes[0].lines
    _check_line(line, [(20, 0), (52, 0.1)])
    _check_line(baseline, [(20, 0)])
    _check_line(spot_hour, [(40, 0.5)])


def _five_workloads(**common):
    """Make the runs of FIFO and LPO on five workloads, with OTN 1, OTN 2 and SAF.

    With FIFO and OTN 1: 20, 30, 40, 50 and 100 % of what spots request, and no VM revenue lost;
    with OTN 2 half of that and 0.1, 0.2, 0.3, 0.4 and 0.5 % of the VM revenue lost. LPO earns
    5 points more, or half of that. SAF: 1 % each.
    """
    return [
        {"workload": f"day{day}", "evictor": evictor, "saf": saf, "otn": otn, **common}
        | {"revenue": 5 if saf else (percent + 5 * (evictor == "LPO")) * 5 / otn}
        | {"vm_earned": 999 - day if otn == 2 else 1000}
        for day, percent in enumerate((20, 30, 40, 50, 100))
        for evictor in ("FIFO", "LPO")
        for saf, otn in SETTINGS
    ]


@pytest.mark.parametrize(
    ("name", "spot", "headroom"),
    [("Figure 5", "sDPD", 2), ("Figure 6", "vmaDPD", 2), ("Figure 7", "sDPD", 0)],
)
def test_figures_5_to_7_are_boxes_over_the_workloads_of_one_combination(
    tmp_path, name, spot, headroom
):
    runs = _five_workloads(vm="COS", spot=spot, headroom_percent=headroom)
    # What no figure of one combination may show.
    runs += [{**run, "vm": "UTIL", "revenue": 1} for run in runs]
    drawn = _figures(made_evaluation(tmp_path, runs))
    others = {"Figure 5", "Figure 6", "Figure 7"} - {name}
    assert all(other not in drawn for other in others)
    upper, lower = drawn[name].axes
    # Two boxes, 0.8 wide together: FIFO's middle is 0.2 left of the setting's place, LPO's right.
    assert _box_at(upper, -0.2) == pytest.approx((30, 40, 50))
    assert _box_at(upper, 0.2) == pytest.approx((35, 45, 55))
    assert _box_at(upper, 1 - 0.2) == pytest.approx((15, 20, 25))
    assert _box_at(lower, 1 - 0.2) == pytest.approx((0.2, 0.3, 0.4))
    # The 100 % are beyond 50 + 1.5 * (50 - 30) = 80.
    beyond = [line for line in upper.lines if line.get_marker() == "o"]
    assert [tuple(point) for point in beyond[0].get_xydata()] == [pytest.approx((-0.2, 100))]
    # Of the first workload with OTN 1 and 2: (20 + 25) / 2 and (10 + 12.5) / 2; SAF is apart.
    dashed = [line for line in upper.lines if line.get_linestyle() == "--"]
    assert len(dashed) == 2 * 5
    _check_line(dashed[0], [(0, 22.5), (1, 11.25)])
    _check_line(dashed[1], [(2.6, 1)])


def test_figure_8_is_boxes_over_all_combinations_by_headroom(tmp_path):
    # 1 % headroom: FIFO's 20, 30, 40, 50 and 100 and LPO's 5 more make 20, 25, 30, 35, 40, 45, 50,
    # 55, 100 and 105: median 42.5, quartiles at 30 + 5 / 4 and 50 + 5 * 3 / 4. 0 %: half of that.
    tight = [
        {**run, "headroom_percent": 0, "revenue": run["revenue"] / 2} for run in _five_workloads()
    ]
    runs = [*tight, *_five_workloads(headroom_percent=1)]
    upper, lower = _figures(made_evaluation(tmp_path, runs))["Figure 8"].axes
    assert _box_at(upper, 0.2) == pytest.approx((31.25, 42.5, 53.75))
    assert _box_at(upper, -0.2) == pytest.approx((31.25 / 2, 42.5 / 2, 53.75 / 2))
    # Each of 0.1 to 0.5 % twice: the third and fourth are 0.2, the fifth and sixth 0.3, and so on.
    assert _box_at(lower, 1 + 0.2) == pytest.approx((0.2, 0.3, 0.4))
