"""Evaluation of lifetime models: concordance, Kaplan-Meier, the table."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import cospot
import numpy as np
import pytest
from cospot.errors import InputError
from cospot.lifetime import parse_model, read_spots
from cospot.lifetime.baselines import flavor_means, kaplan_meier_hazards
from cospot.lifetime.concordance import count_concordance
from cospot.lifetime.evaluation import Evaluation, evaluate
from cospot.lifetime.model import LifetimeModel
from cospot.lifetime.spots import SpotTable
from lifetime_cases import exponential_spots, spots_of, two_kinds
from programs import printed_by, run_program

DAY = 86400.0


def by_pairs(predicted: np.ndarray, life: np.ndarray, ended: np.ndarray) -> tuple[float, int]:
    """Look at every pair of spots."""
    right, pairs = 0.0, 0
    for i, j in itertools.permutations(range(len(life)), 2):
        # i ended first: j was seen longer, or as long without ending.
        if not ended[i] or not (life[i] < life[j] or (life[i] == life[j] and not ended[j])):
            continue
        pairs += 1
        right += 1.0 if predicted[i] < predicted[j] else 0.5 * (predicted[i] == predicted[j])
    return right, pairs


def test_concordance_by_hand() -> None:
    # Lives 1, 2, 3+ (alive at 3), 3: 1 < all (3 pairs), 2 < 3+ and 3, 3 < 3+: 6 pairs. Predicted
    # 1, 4, 4, 2: right are (1,4), (1,4), (1,2); (4,4) half; (4,2) wrong; 3 < 3+ is 2 < 4: right.
    found = count_concordance(
        np.array([1.0, 4, 4, 2]), np.array([1.0, 2, 3, 3]), np.array([True, True, False, True])
    )
    assert (found.right, found.pairs) == (4.5, 6)
    assert found.index == 0.75


def test_concordance_looks_at_every_pair() -> None:
    random = np.random.default_rng(2)
    for _ in range(60):
        count = int(random.integers(0, 25))
        predicted = random.integers(0, 8, count).astype(float)
        life = random.integers(0, 8, count).astype(float)
        ended = random.uniform(size=count) < 0.7
        found = count_concordance(predicted, life, ended)
        assert (found.right, found.pairs) == by_pairs(predicted, life, ended)


def test_kaplan_meier_by_hand() -> None:
    # Watched to 100. Lives 5, 12, 12, unknown after 15 (requested at 85), 30; and one that came at
    # -10, so that it is at risk only after the age 10, and ends at the age 25.
    #   at 5: 5 at risk, 1 ends: 0.8. At 12: 4 + the late one = 5, 2 end: 0.48.
    #   at 25: the late one and the last, 1 ends: 0.24. At 30: 1, 1 ends: 0.
    spots = spots_of([(0, 5), (0, 12), (1, 13), (85, np.inf), (2, 32), (-10, 15)])
    hazards = kaplan_meier_hazards(spots, np.array([0.0, 10, 20, 30, 40]), 100.0)
    assert hazards == pytest.approx([0.2, 1 - 0.48 / 0.8, 0.5, 1.0])
    # With the end of watching at 14 the longer lives are unknown.
    hazards = kaplan_meier_hazards(spots, np.array([0.0, 10, 20, 30]), 14.0)
    # At 12 (ended at 12 and 13): at risk those two, the one of 30 (seen to 12), and the late one.
    assert hazards == pytest.approx([1 - 3 / 4, 0.5, 0.0])


def test_mean_of_the_flavor_leaves_out_who_lives() -> None:
    spots = spots_of([(0, 10), (0, 30), (0, 7), (0, np.inf), (0, 500)], flavors=[1, 1, 2, 2, 2])
    means = flavor_means(spots, 100.0)
    other = spots_of([(0, np.inf)] * 3, flavors=[1, 2, 9])
    # (10 + 30) / 2, 7, and (10 + 30 + 7) / 3 for a flavor without ends.
    assert means.lifetime(other) == pytest.approx([20, 7, 47 / 3])
    rest = means.expected_rest(other, np.array([5.0, 9, 0]), np.array([12.0, 99, 99]))
    assert rest == pytest.approx([7, 0, 47 / 3])


def constant_model(hazard: float, count: int = 172) -> LifetimeModel:
    """Make a model in which every interval of 1,000 s (172: to day 2) has the same hazard."""
    bias = float(np.log(hazard / (1 - hazard)))
    intervals = [f"{1000 * (k + 1)} 0" for k in range(count)]
    kinds = [("flavor", 1), ("hour", 24), ("weekday", 7), ("previous", 2), ("age", 1)]
    rows = [line for kind, count in kinds for line in [f"inputs {kind} {count}"] + ["0"] * count]
    text = [
        "cospot-lifetime-model 1", "flavors 0", "previous-ends 0", f"intervals {len(intervals)}",
        *intervals, "hidden 1", "bias 0", "output 0", f"output-bias {bias!r}", *rows, "end",
    ]  # fmt: skip
    return parse_model("\n".join(text), "constant")


def tiny_case(window_days: float = 14) -> Evaluation:
    """Evaluate a model without covariates, and the mean of the flavor, which is always wrong.

    Day 4: four spots of flavors 1 to 4 with lives of 1, 2, 3 h and no end. On day 0 they lived 4,
    3, 2 and 1 h.
    """
    hour = 3600.0
    start = 4 * DAY + 60
    early = [(0.0, hour * life) for life in (4, 3, 2, 1)]
    late = [(start, start + hour), (start, start + 2 * hour), (start, start + 3 * hour)]
    spots = spots_of([*early, *late, (start, np.inf)], flavors=[1, 2, 3, 4, 1, 2, 3, 4])
    return evaluate(spots, constant_model(0.1), observed_until=90, window_days=window_days)


def test_plot_shows_the_calibration_of_every_predictor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas")
    figure_module = pytest.importorskip("matplotlib.figure")
    from cospot.lifetime.evaluation_plot import plot_evaluation

    # The legends' places are those of the layout, which is made when the file is written.
    save = figure_module.Figure.savefig
    saved = []

    def keep(figure: Any, *arguments: Any, **options: Any) -> None:
        save(figure, *arguments, **options)
        boxes = [axes.get_window_extent() for axes in figure.axes]
        legends = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
        apart = [
            not box.overlaps(legend.get_window_extent()) for box in boxes for legend in legends
        ]
        saved.append((figure, apart))

    monkeypatch.setattr(figure_module.Figure, "savefig", keep)
    evaluation = tiny_case()
    plot_evaluation(evaluation, tmp_path / "e.png")
    ((figure, apart),) = saved
    *panels, concordance = figure.axes
    assert len(panels) == 3
    for panel, score in zip(panels, evaluation.scores, strict=True):
        assert panel.get_title(loc="left").startswith(f"{score.name}\n")
        diagonal, *lines = panel.get_lines()
        assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
        assert [line.get_label() for line in lines] == ["10 min", "1 h", "6 h", "20 h", "30 h"]
        for line in lines:
            groups = [g for g in score.calibration if g.horizon == line.get_label()]
            assert len(groups) == 4
            assert line.get_xydata().tolist() == [[g.predicted, g.observed] for g in groups]
    # The mean of the flavor is sure: from lives of 4, 3, 2 and 1 h it expects none to live 6 h, of
    # lives of 1, 2, 3 h and one without an end.
    six = panels[2].get_lines()[3].get_xydata().tolist()
    assert six == [[0, 0], [0, 0], [0, 0], [0, 1]]
    shared = panels[0].get_shared_x_axes(), panels[0].get_shared_y_axes()
    assert all(axes.joined(panels[0], panel) for axes in shared for panel in panels)
    assert panels[0].get_xlim() == panels[0].get_ylim() == (-0.02, 1.02)
    assert panels[2].get_legend().get_title().get_text() == "lives longer than"
    assert apart == [True] * 8  # 2 legends, 4 axes

    # From 0: there is room for what is worse than chance, as the mean of the flavor is here.
    assert concordance.get_ylim()[0] == 0
    at_request = concordance.containers[0]
    assert [bar.get_height() for bar in at_request] == [0.5, 0.5, 0.0]


def test_evaluation_of_a_tiny_case() -> None:
    # At the request the model orders nothing: C = 0.5 of 6 pairs.
    evaluation = tiny_case()
    model, kaplan_meier, mean = evaluation.scores
    assert (evaluation.spots, evaluation.censored) == (4, 1)
    assert (model.at_request.right, model.at_request.pairs) == (3.0, 6)
    assert kaplan_meier.at_request.index == 0.5
    assert mean.at_request.index == 0.0
    # Only the spot without an end runs at the start of days 5 to 14: no pairs, and remaining lives
    # of 85, 84, ..., 76 days to day 90.
    assert model.running.pairs == 0
    assert model.true_mean_rest_days == pytest.approx(80.5)
    # At 1 h all four live (a life of exactly 1 h reaches it); the model: 0.9^3.6 between 0.9^3 and
    # 0.9^4, on a straight line.
    groups = [group for group in model.calibration if group.horizon == "1 h"]
    assert sum(group.spots for group in groups) == 4
    assert all(group.observed == 1.0 for group in groups)
    predicted = 0.9**3 + 0.6 * (0.9**4 - 0.9**3)
    assert groups[0].predicted == pytest.approx(predicted)
    # Kaplan-Meier of lives 4, 3, 2, 1 h: after 6 h nobody is left, one of the four is.
    six = [group for group in kaplan_meier.calibration if group.horizon == "6 h"]
    assert all(group.predicted < 1e-9 for group in six)
    assert sum(group.observed * group.spots for group in six) == 1


def test_running_spots_are_compared_until_the_window_ends() -> None:
    # At the start of days 5, 6 and 7 with 85, 84 and 83 days to day 90.
    for window_days in (7, 7.9):
        assert tiny_case(window_days).scores[0].true_mean_rest_days == pytest.approx(84)


def test_only_what_was_watched_counts_by_hand() -> None:
    # Watched until day 2; evaluated from day 1 on. Seen of the late ones: 2 h to its end, 12 h,
    # 2.4 h, 30 min to its end, 0.24 h, and 0.48 h of one whose end is in the file, but later.
    hour = 3600.0
    early = [(0.0, hour), (0.0, 2 * hour)]
    late = [
        (DAY, DAY + 2 * hour), (1.5 * DAY, np.inf), (1.9 * DAY, np.inf),
        (1.95 * DAY, 1.95 * DAY + hour / 2), (1.99 * DAY, np.inf), (1.98 * DAY, 3 * DAY),
    ]  # fmt: skip
    spots = spots_of([*early, *late, (2.5 * DAY, 2.6 * DAY)])
    evaluation = evaluate(spots, constant_model(0.1), days=1, observed_until=2)
    model = evaluation.scores[0]
    assert (evaluation.spots, evaluation.censored) == (6, 4)
    # 30 min < 2, 2.4 and 12 h; 2 h < 2.4 and 12 h. Of 2.4 and 12 h nobody knows which is longer,
    # nor who lived longer than those seen for less than 30 min.
    assert model.at_request.pairs == 5
    # Followed to 10 min are all; to 1 h those before 1.958, to 6 h those before 1.75, to 20 h the
    # one of day 1, to 30 h none.
    found = {
        horizon: (
            sum(group.spots for group in model.calibration if group.horizon == horizon),
            sum(g.spots * g.observed for g in model.calibration if g.horizon == horizon),
        )
        for horizon in ("10 min", "1 h", "6 h", "20 h", "30 h")
    }
    assert found == {
        "10 min": (6, 6), "1 h": (4, 3), "6 h": (2, 1), "20 h": (1, 0), "30 h": (0, 0)
    }  # fmt: skip
    # On day 1 the first runs, for 2 h more; day 2 is over.
    assert model.true_mean_rest_days * 24 == pytest.approx(2)
    assert "4 of them alive at day 2;" in evaluation.text()
    assert "rest: remaining life of running spots, to day 2." in evaluation.text()
    # Without the day, the latest time in the table counts.
    assert evaluate(spots, constant_model(0.1), days=1).observed_until == 3
    with pytest.raises(InputError, match="no spot was requested from day 2.7 to day 3, when"):
        evaluate(spots, constant_model(0.1), days=2.7)


def test_exponential_lives_of_which_many_ends_are_unknown() -> None:
    # 4,000 spots over 14 days, lives of mean 2 days; the model is the truth.
    watched, mean, count = 14, 2.0, 4000
    spots = exponential_spots(count, mean, watched, seed=5)
    model = constant_model(1 - np.exp(-1000 / (mean * DAY)), count=1300)
    evaluation = evaluate(spots, model, days=3, observed_until=watched)
    truth = evaluation.scores[0]
    # Of those of 11 days, 2 (1 - exp(-11 / 2)) days' worth live at day 14: 569, with a standard
    # deviation below 24.
    assert evaluation.censored == np.isinf(spots.ended_s[spots.requested_s >= 3 * DAY]).sum()
    assert evaluation.censored == pytest.approx(569, abs=72)
    # Lives that are all alike are all expected alike, however long each could be watched.
    assert [score.at_request.index for score in evaluation.scores] == [0.5] * 3
    # A spot that runs on day d lives 2 (1 - exp(-(14 - d) / 2)) days more, counted to day 14:
    # from 1.99 days on day 3 to 0.79 on day 13, whatever its age.
    days = np.arange(3, watched)
    runs = [
        ((spots.requested_s <= d * DAY) & (spots.ended_s > d * DAY)).sum() for d in days.tolist()
    ]
    expected = np.average(mean * (1 - np.exp(-(watched - days) / mean)), weights=runs)
    assert expected == pytest.approx(1.71, abs=0.02)
    assert truth.mean_rest_days == pytest.approx(expected, abs=1e-3)
    assert truth.true_mean_rest_days == pytest.approx(expected, abs=0.1)
    # To 30 h live exp(-1.25 / 2) = 0.535, of those requested until day 12.75: their share has a
    # standard deviation of 0.0095.
    groups = [group for group in truth.calibration if group.horizon == "30 h"]
    assert (
        sum(group.spots for group in groups)
        == ((spots.requested_s >= 3 * DAY) & (spots.requested_s <= 12.75 * DAY)).sum()
    )
    observed = np.average([g.observed for g in groups], weights=[g.spots for g in groups])
    assert observed == pytest.approx(np.exp(-1.25 / 2), abs=0.03)
    assert truth.calibration_error < 0.03


def write_history(path: Path, spots: SpotTable) -> None:
    """Write a workload in cospot's own schema."""
    lines = ["instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s"]
    for row, (start, end) in enumerate(zip(spots.requested_s, spots.ended_s, strict=True)):
        ended = "never" if np.isinf(end) else f"{end:.6f}"
        lines.append(f"{row},t,spot,1,1,0,{start:.6f},{ended}")
    path.write_text("\n".join([*lines, ""]))


def test_the_program_knows_until_when_a_history_was_watched(program: Path, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return run_program(program, *arguments)

    def evaluated(*arguments: str | Path) -> str:
        return printed_by(program, "lifetime", "eval", *arguments, "-o", output)

    history = tmp_path / "history.csv"
    spots = exponential_spots(600, 1.0, 5, seed=1)
    # A VM tells that watching went on until day 5.
    write_history(history, spots)
    with history.open("a") as file:
        file.write(f"vm,t,vm,1,1,0,0,{5 * 86400}\n")
    alive = np.isinf(spots.ended_s[spots.requested_s >= 3 * DAY]).sum()
    model, output = tmp_path / "m.txt", tmp_path / "eval"
    small = ("--epochs", "2", "--hidden", "4")

    done = run("lifetime", "train", history, "-o", model, "--days", "5.5", *small)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "cospot: --days 5.5: the spots were watched until day 5 only, so that later ends are "
        "unknown; expected fewer days (or --observed-until, if it was later)\n"
    )
    assert not model.exists()
    for more in ([], ["--days", "5"], ["--days", "5.5", "--observed-until", "6"]):
        done = run("lifetime", "train", history, "-o", model, *small, *more)
        assert (done.returncode, done.stderr) == (0, "")

    assert f"{alive} of them alive at day 5;" in evaluated(history)
    assert "alive at day 4;" in evaluated(history, "--observed-until", "4")
    done = run("lifetime", "eval", history, "-o", output, "--days", "5")
    assert done.returncode == 2
    assert "no spot was requested from day 5 to day 5" in done.stderr

    # The release was watched until day 90; together, the first to stop counts.
    release = tmp_path / "release.csv"
    assert run("workload", "convert", history, "-o", release, "--schema", "socc22").returncode == 0
    assert f"{alive} of them alive at day 90;" in evaluated(release)
    assert "alive at day 5;" in evaluated(release, history)


def test_the_program_trains_predicts_and_evaluates(program: Path, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return run_program(program, "lifetime", *arguments)

    recipe = "azure2020:seed=3:scale=0.002"
    for name in ("one.txt", "two.txt"):
        done = run("train", recipe, "-o", tmp_path / name, "--epochs", "2", "--hidden", "4")
        assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "one.txt").read_bytes() == (tmp_path / "two.txt").read_bytes()

    # C++ and Python expect the same lives.
    done = run("spots", recipe, "--model", tmp_path / "one.txt", "-o", tmp_path / "spots.csv")
    assert (done.returncode, done.stderr) == (0, "")
    spots = read_spots([tmp_path / "spots.csv"])
    model = parse_model((tmp_path / "one.txt").read_text(), "one.txt")
    lines = (tmp_path / "spots.csv").read_text().splitlines()[1:]
    compiled = [float(line.rsplit(",", 1)[1]) for line in lines]
    expected = model.expected_rest(spots, np.zeros(len(spots)), 90 * DAY - spots.requested_s)
    assert len(compiled) > 400
    assert compiled == pytest.approx(expected, rel=1e-9, abs=1e-5)

    done = run("eval", recipe, "--model", tmp_path / "one.txt", "-o", tmp_path / "eval")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Kaplan-Meier" in done.stdout
    assert "of them alive at day 90;" in done.stdout
    table = (tmp_path / "eval" / "evaluation.txt").read_text()
    assert table == done.stdout
    assert (tmp_path / "eval" / "evaluation.png").read_bytes().startswith(b"\x89PNG")
    assert len((tmp_path / "eval" / "evaluation.csv").read_text().splitlines()) == 1 + 3 * 5 * 5

    folder = tmp_path / "folder"
    folder.mkdir()
    before = sorted(tmp_path.iterdir())
    done = run("train", recipe, "-o", folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"cospot: -o {folder}: is a folder, expected a file\n"
    assert sorted(tmp_path.iterdir()) == before
    # What eval writes is there before as a folder.
    (tmp_path / "eval" / "evaluation.csv").unlink()
    (tmp_path / "eval" / "evaluation.csv").mkdir()
    before = sorted((tmp_path / "eval").iterdir())
    done = run("eval", recipe, "-o", tmp_path / "eval")
    assert (done.returncode, done.stdout) == (2, "")
    name = tmp_path / "eval" / "evaluation.csv"
    assert done.stderr == f"cospot: {name}: expected a file, found a folder\n"
    assert sorted((tmp_path / "eval").iterdir()) == before

    done = run("train", recipe, "-o", tmp_path / "none" / "m.txt")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr


def test_many_spots_of_two_kinds_are_told_apart() -> None:
    pytest.importorskip("sklearn")
    from cospot.lifetime import train

    spots = two_kinds(1500)
    model, kaplan_meier, _ = evaluate(spots, train(spots)).scores
    assert model.at_request.index > 0.7
    assert kaplan_meier.at_request.index == 0.5
    assert model.calibration_error < kaplan_meier.calibration_error


def test_half_a_package_next_to_the_program_hides_no_whole_one(
    program: Path, tmp_path: Path
) -> None:
    """A build of the program alone has the Python files and no compiled module beside them."""
    shutil.copy(program, tmp_path / "cospot")
    half = tmp_path / "python" / "cospot"
    # An earlier build may have left links to files that are gone.
    rest: dict[str, Any] = {"ignore": shutil.ignore_patterns("_core*.so")}
    shutil.copytree(Path(cospot.__file__).parent, half, ignore_dangling_symlinks=True, **rest)
    # Its whole package comes after the half one, as that of site-packages does.
    whole = str(Path(cospot.__file__).parents[1])
    environment = {**os.environ, "COSPOT_PYTHON": sys.executable, "PYTHONPATH": whole}
    command = [tmp_path / "cospot", "lifetime", "eval", "azure2020:scale=0.001"]
    printed_by(*command, "-o", tmp_path / "out", env=environment)
    assert (tmp_path / "out").is_dir()
