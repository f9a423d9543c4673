"""Lifetime models: which intervals a spot tells of, training, the model's arithmetic and file."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from cospot.errors import InputError
from cospot.lifetime import curves, parse_model
from cospot.lifetime.ages import default_intervals, expand
from cospot.lifetime.training import choose_inputs, design_matrix, fit_network, mix_of_unseen, train
from lifetime_cases import spots_of, two_kinds

EDGES = np.array([0.0, 10.0, 20.0, 40.0])


def rows(lives: list[tuple[float, float]], until: float = 100.0) -> list[tuple[int, int, int]]:
    periods = expand(spots_of(lives), EDGES, until)
    return list(
        zip(periods.spot.tolist(), periods.interval.tolist(), periods.ended.tolist(), strict=True)
    )


def test_a_spot_tells_of_every_interval_until_it_ends() -> None:
    # Life 25: survives [0, 10) and [10, 20), ends in [20, 40).
    assert rows([(0, 25)]) == [(0, 0, 0), (0, 1, 0), (0, 2, 1)]
    # Life 10 reaches the age 10, so it ends in the second interval; life 0 in the first.
    assert rows([(0, 10), (5, 5)]) == [(0, 0, 0), (0, 1, 1), (1, 0, 1)]
    assert rows([(0, 500)]) == [(0, 0, 0), (0, 1, 0), (0, 2, 0)]


def test_unknown_ends_tell_of_survived_intervals_only() -> None:
    # Watched until 100. Requested at 75: age 25, so the third interval is not seen as a whole.
    assert rows([(75, np.inf)]) == [(0, 0, 0), (0, 1, 0)]
    # What happens later changes nothing.
    assert rows([(75, 100.5)]) == rows([(75, np.inf)])
    # Neither does an end inside the interval that watching cuts: with it, and without those that
    # lived on, lives would look shorter.
    assert rows([(75, 98)]) == [(0, 0, 0), (0, 1, 0)]
    assert rows([(75, 87)]) == [(0, 0, 0), (0, 1, 1)]
    assert rows([(95, np.inf), (100, np.inf), (120, 130)]) == []


def test_spots_from_before_the_window_tell_of_later_intervals_only() -> None:
    # Age 15 at time 0: it is there because it had survived [0, 15).
    assert rows([(-15, np.inf)]) == [(0, 2, 0)]
    assert rows([(-15, 12)]) == [(0, 2, 1)]
    # It ends at age 18, in the interval that it entered in the middle: nothing.
    assert rows([(-15, 3)]) == []
    # Age 10 at time 0: the second interval is seen from its start.
    assert rows([(-10, 5)]) == [(0, 1, 1)]
    assert rows([(-50, 60)]) == []


def test_rows_estimate_hazards_without_bias() -> None:
    # Exponential lives, mean 30: the hazards are 1 - exp(-width / 30). Watched for 100, entering
    # from -200 on; those that had ended by time 0 are not there. 40,000 spots: an error of 0.02 is
    # three standard deviations of the smallest sample below.
    random = np.random.default_rng(5)
    requested = random.uniform(-200, 100, 40_000)
    ended = requested + random.exponential(30, 40_000)
    there = ended >= 0
    spots = spots_of(np.stack([requested[there], ended[there]], axis=1).tolist())
    periods = expand(spots, EDGES, 100.0)
    for interval, width in enumerate((10, 10, 20)):
        seen = periods.ended[periods.interval == interval]
        assert len(seen) > 5000
        assert seen.mean() == pytest.approx(1 - np.exp(-width / 30), abs=0.02)


def test_life_curves_by_hand() -> None:
    # As in tests/cpp/test_life_curve.cpp: survival 1, 0.5, 0.4, 0.3; rest 19 from the start.
    hazards = np.array([[0.5, 0.2, 0.25]] * 5)
    age = np.array([0.0, 5.0, 5.0, 0.0, 50.0])
    limit = np.array([40.0, 20.0, 8.0, 100.0, 100.0])
    expected = [19.0, 7.625 / 0.75, 2.7, 37.0, 50.0]
    assert curves.expected_rest(EDGES, hazards, age, limit) == pytest.approx(expected)
    assert curves.survival_at(EDGES, hazards, np.array([0, 5, 10, 30, 99.0])) == pytest.approx(
        [1, 0.75, 0.5, 0.35, 0.3]
    )


def test_hazards_are_those_of_scikit_learn() -> None:
    pytest.importorskip("sklearn")
    spots = two_kinds(800)
    known = spots.select(spots.requested_s < 3 * 86400)
    intervals = default_intervals()
    model = train(spots, days=3, seed=4, hidden=6, epochs=3)
    kept = model.inputs.interval_ends
    periods = expand(known, np.concatenate([[0.0], kept]), 3 * 86400.0)
    inputs = model.inputs
    matrix = design_matrix(inputs, known, periods) @ mix_of_unseen(inputs, known)
    network = fit_network(matrix, periods.ended, hidden=6, epochs=3, seed=4)
    expected = network.predict_proba(matrix)[:, 1]
    found = model.hazards(known)[periods.spot, periods.interval]
    assert found == pytest.approx(expected, rel=1e-9)
    assert len(kept) < len(intervals)  # nobody is watched for 120 days in 3
    text = parse_model(model.text(), "m").hazards(known)[periods.spot, periods.interval]
    assert text == pytest.approx(expected, rel=1e-6)  # 9 digits


def test_training_learns_the_flavor() -> None:
    pytest.importorskip("sklearn")
    model = train(two_kinds(4000), seed=1)
    both = spots_of([(90000.0, np.inf)] * 2, flavors=[1, 2])
    short, long = model.expected_rest(both, np.zeros(2), np.full(2, 86400.0))
    # Exponential lives of mean 600 s, and of mean 40,000 s counted to 86,400 s:
    # 40,000 (1 - exp(-2.16)) = 35,387.
    assert short < long / 5
    assert long == pytest.approx(35_387, rel=0.25)


@pytest.mark.parametrize("package", ["scipy", "sklearn", "threadpoolctl"])
def test_training_names_the_package_that_is_missing(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    with pytest.raises(InputError, match=f"training needs scikit-learn, and {package} is missing"):
        train(two_kinds(500))


def test_training_gives_the_same_bytes_for_a_seed() -> None:
    pytest.importorskip("sklearn")
    spots = two_kinds(500)
    first = train(spots, seed=7, epochs=2).text()
    assert train(spots, seed=7, epochs=2).text() == first
    assert train(spots, seed=8, epochs=2).text() != first
    # What happens after the training days is not looked at.
    later = spots.select(spots.requested_s < 3 * 86400)
    cut = np.where(later.ended_s > 3 * 86400, np.inf, later.ended_s)
    forgetful = type(later)(
        later.vcpus, later.memory_mb, later.disk_gb, later.requested_s, cut,
        later.previous_lifetime_s,
    )  # fmt: skip
    assert train(forgetful, seed=7, epochs=2, observed_until=3).text() == first


def test_an_interrupted_training_gives_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """scikit-learn itself catches Ctrl-C and returns a network that is trained in part."""
    network = pytest.importorskip("sklearn.neural_network").MLPClassifier

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    # Called within fit after every epoch.
    monkeypatch.setattr(network, "_update_no_improvement_count", interrupt)
    with pytest.raises(KeyboardInterrupt):
        train(two_kinds(500))


def test_inputs_that_nobody_had_count_as_the_mean_of_the_others() -> None:
    pytest.importorskip("sklearn")
    spots = two_kinds(900)
    model = train(spots, epochs=2)
    inside = spots.select((spots.requested_s >= 0) & (spots.requested_s < 3 * 86400))
    weekdays = np.bincount((inside.requested_s // 86400).astype(int), minlength=7)
    assert (weekdays[3:] == 0).all()
    mean = np.average(model.weights["weekday"][:3], axis=0, weights=weekdays[:3])
    for day in range(3, 7):
        assert model.weights["weekday"][day] == pytest.approx(mean)


def test_neighbouring_ages_share_an_input_only_with_the_same_width() -> None:
    spots = two_kinds(900)
    intervals = default_intervals()
    periods = expand(spots, intervals.edges, 3 * 86400.0)
    inputs = choose_inputs(spots, periods, intervals)
    assert inputs.interval_inputs[0] == 0
    assert set(np.diff(inputs.interval_inputs).tolist()) <= {0, 1}
    for number in range(inputs.counts["age"]):
        assert len(set(intervals.segment[inputs.interval_inputs == number].tolist())) == 1


def test_too_little_to_learn_from_is_an_error() -> None:
    with pytest.raises(InputError, match="the first 3 days have 2 spots"):
        train(spots_of([(0, 100), (5, 7), (4 * 86400, 5 * 86400)]))


def test_training_ends_where_watching_stopped() -> None:
    spots = spots_of([(0, 86400), (10, np.inf)])
    message = "`days` 1.5: the spots were watched until day {} only"
    with pytest.raises(InputError, match=message.format(1)):
        train(spots, days=1.5)
    with pytest.raises(InputError, match=message.format(1.4)):
        train(spots, days=1.5, observed_until=1.4)
    with pytest.raises(InputError, match="the first 1.5 days have 2 spots"):
        train(spots, days=1.5, observed_until=1.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("model 1", "model 2"), "another version"),
        (("hidden 6", "hidden 5"), "expected 5"),
        (("\nend", ""), "not complete"),
        (("output-bias ", "output-bias nan#"), "finite"),
    ],
)
def test_a_broken_file_is_refused(change: tuple[str, str], message: str) -> None:
    pytest.importorskip("sklearn")
    text = train(two_kinds(300), hidden=6, epochs=1).text()
    assert change[0] in text
    with pytest.raises(InputError, match=message):
        parse_model(text.replace(*change), "m.txt")
