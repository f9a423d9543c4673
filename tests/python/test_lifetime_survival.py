"""Survival models: Kaplan-Meier curves by spot type, their file, the command that makes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cospot.errors import InputError
from cospot.lifetime import parse_survival_model, read_model, train_survival
from cospot.lifetime.evaluation import evaluate
from cospot.lifetime.spots import SpotTable
from lifetime_cases import spots_of, two_kinds
from programs import printed_by, run_program

DAY = 86400.0


def by_hand() -> SpotTable:
    """Make 60 spots of 1 vcpu, of which 20 live half a minute, 20 live 150 s and 20 for good, and
    20 of 2 vcpus that live 90 s. All come at the window's start."""
    lives = [(0, 30)] * 20 + [(0, 150)] * 20 + [(0, np.inf)] * 20 + [(0, 90)] * 20
    return spots_of(lives, flavors=[1] * 60 + [2] * 20)


def test_curves_by_hand() -> None:
    model = train_survival(by_hand(), observed_until=4)
    assert model.flavors.tolist() == [[1, 1, 0], [2, 1, 0]]
    one, two, other = model.hazards_by_flavor
    # 1 vcpu: 20 of 60 end in the first minute, none of 40 in the second, 20 of 40 in the third.
    assert one[:4] == pytest.approx([1 / 3, 0, 1 / 2, 0])
    # 2 vcpus: none in the first, all 20 in the second; half a spot is taken to have survived. Of
    # the third minute they tell nothing: there the curve of all counts.
    assert two[:4] == pytest.approx([0, 1 - 0.5 / 20, 1 / 2, 0])
    # All: 20 of 80, 20 of 60, 20 of 40.
    assert other[:4] == pytest.approx([1 / 4, 1 / 3, 1 / 2, 0])
    # The 20 that live on were watched for the three days, and nobody longer.
    assert model.interval_ends[-1] == 3 * DAY
    assert not model.hazards_by_flavor[:, 3:].any()
    # 1 vcpu at age 0, counted to 180 s: survival 1, 2/3, 2/3, 1/3, so minutes of 5/6, 2/3 and 1/2.
    # Of 9 vcpus the curve of all: 1, 3/4, 1/2, 1/4: 7/8, 5/8 and 3/8 minutes.
    asked = spots_of([(0, np.inf)] * 2, flavors=[1, 9])
    rest = model.expected_rest(asked, np.zeros(2), np.full(2, 180.0))
    assert rest == pytest.approx([120.0, 112.5])


def test_one_curve_for_all_spots() -> None:
    model = train_survival(by_hand(), by="all", observed_until=4)
    assert len(model.flavors) == 0
    assert model.hazards_by_flavor[:, :3] == pytest.approx(np.array([[1 / 4, 1 / 3, 1 / 2]]))


def test_nothing_after_the_training_days_is_looked_at() -> None:
    spots = two_kinds(2000)
    ended = np.where(spots.ended_s > 3 * DAY, np.inf, spots.ended_s)
    blind = SpotTable(
        spots.vcpus, spots.memory_mb, spots.disk_gb, spots.requested_s, ended,
        spots.previous_lifetime_s,
    )  # fmt: skip
    known = blind.select(spots.requested_s < 3 * DAY)
    assert train_survival(spots).text() == train_survival(known, observed_until=10).text()


def test_least_share_says_which_ages_are_learned() -> None:
    # 1,000 spots that live 90 s, 30 (2.9 %) that live for good.
    spots = spots_of([(0, 90)] * 1000 + [(0, np.inf)] * 30)
    assert train_survival(spots, least_share=0.05, observed_until=4).interval_ends[-1] == 120
    assert train_survival(spots, observed_until=4).interval_ends[-1] == 3 * DAY
    # Of fewer than 20 nothing is learned, whatever their share.
    few = spots_of([(0, 90)] * 100 + [(0, np.inf)] * 19)
    assert train_survival(few, observed_until=4).interval_ends[-1] == 120


def test_curves_find_the_lives_of_two_spot_types() -> None:
    model = train_survival(two_kinds(40_000))
    both = spots_of([(90000.0, np.inf)] * 2, flavors=[1, 2])
    short, long = model.expected_rest(both, np.zeros(2), np.full(2, DAY))
    # Exponential lives of mean 40,000 s, counted to 86,400 s: 35,387. Of the 6,000 with a mean of
    # 600 s fewer than 20 are left after 5.7 means, 0.0033 of them; from there on the curve of all
    # counts, by then that of the others: 600 + 0.0033 * 35,387 = 717 s.
    assert short == pytest.approx(717, rel=0.15)
    assert long == pytest.approx(35_387, rel=0.1)


def test_the_file_keeps_the_model(tmp_path: Path) -> None:
    model = train_survival(two_kinds(2000), note="made for a test")
    path = tmp_path / "m.txt"
    path.write_text(model.text())
    again = read_model(path)
    assert again.text() == model.text().replace("# made for a test\n", "")
    spots = two_kinds(50)
    assert again.hazards(spots) == pytest.approx(model.hazards(spots), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("cospot-survival-model 1", "cospot-survival-model 2", "another version"),
        ("intervals", "hours", "found 'hours', expected 'intervals'"),
        ("end\n", "", "the file is not complete"),
        ("\n60 0.25", "\n60 nan", "expected finite numbers"),
        ("\n60 0.25", "\n60 0.25 0.25", "found 3 values, expected 2"),
    ],
)
def test_a_broken_file_is_refused(old: str, new: str, error: str) -> None:
    text = train_survival(by_hand(), by="all", observed_until=4).text()
    assert old in text
    with pytest.raises(InputError, match=error):
        parse_survival_model(text.replace(old, new), "m.txt")


def test_too_little_to_learn_from() -> None:
    with pytest.raises(InputError, match="watched until day 2 only"):
        train_survival(by_hand(), observed_until=2)
    with pytest.raises(InputError, match="have 10 spots, of which 10 were seen to end"):
        train_survival(spots_of([(0, 30)] * 10), observed_until=4)


def test_a_survival_model_is_evaluated_as_the_network_is() -> None:
    spots = two_kinds(2000)
    scores = evaluate(spots, train_survival(spots)).scores
    assert scores[0].name == "model"
    # Half are of a type that lives minutes, which one curve for all cannot tell from the other.
    assert scores[0].at_request.index > scores[1].at_request.index + 0.2


def test_the_command_trains_what_the_evictor_reads(program: Path, tmp_path: Path) -> None:
    workload = "azure2020:seed=1:scale=0.005"
    train = [program, "lifetime", "train", workload, "-o", "m.txt"]
    curves = [*train, "--kind", "kaplan-meier"]
    printed_by(*curves, cwd=tmp_path)
    first = (tmp_path / "m.txt").read_text()
    assert first.splitlines()[1] == (
        f"# cospot lifetime train {workload} --kind kaplan-meier --days 3 --by flavor"
        " --least-share 0"
    )
    printed_by(*curves, cwd=tmp_path)
    assert (tmp_path / "m.txt").read_text() == first
    spots = ("lifetime", "spots", workload, "--model", "m.txt", "-o", "spots.csv")
    printed_by(program, *spots, cwd=tmp_path)
    assert "expected_life_s" in (tmp_path / "spots.csv").read_text().splitlines()[0]
    for words, text in (
        (
            [*curves, "--hidden", "8"],
            "--hidden is an option of --kind network, not of --kind kapla",
        ),
        ([*train, "--by", "all"], "--by is an option of --kind kaplan-meier"),
    ):
        refused = run_program(*words, cwd=tmp_path)
        assert refused.returncode == 2 and text in refused.stderr
