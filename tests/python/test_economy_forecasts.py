"""Forecasts of slack: ARIMA and ETS by statsmodels, and what happens when they cannot be made."""

from __future__ import annotations

import builtins
import csv
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cospot.errors import InputError
from cospot.provider.economy.forecast import Forecast, NoModelError
from cospot.provider.economy.methods import forecast
from programs import run_program

pytest.importorskip("statsmodels")

ROOT = Path(__file__).resolve().parents[2]


def noise(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, count)


def test_the_interval_of_a_level_widens_as_hyndman_says() -> None:
    # Simple exponential smoothing: the variance of step h is s^2 (1 + (h - 1) alpha^2).
    import cospot.provider.economy.ets as ets

    form = ets._Form("add", None, False, None)
    fitted = ets._fit(0.5 + np.cumsum(0.01 * noise(300)) + 0.02 * noise(300, 2), form, 0)
    sigma = ets._sigma(fitted, form, 50)
    assert len(sigma) == 50
    alpha = fitted.params[0]
    assert 0 < alpha < 1
    for step in (1, 2, 10, 50):
        expected = sigma[0] ** 2 * (1 + (step - 1) * alpha**2)
        assert sigma[step - 1] ** 2 == pytest.approx(expected, rel=1e-6)


def test_ets_chooses_a_form_and_names_it() -> None:
    made = forecast("ets", 0.5 + 0.02 * noise(200), 20)
    assert made.model.startswith("ETS(")
    assert made.note == ""
    assert len(made.point) == len(made.sigma) == 20
    assert np.abs(made.point - 0.5).max() < 0.05


def test_arima_of_a_random_walk_grows_with_the_root_of_the_horizon() -> None:
    made = forecast("arima", np.cumsum(noise(400)), 100)
    assert made.model.startswith("ARIMA(") and ";1;" in made.model
    # Of a pure random walk it is exactly this; the chosen model may have a small extra term.
    assert made.sigma[99] / made.sigma[0] == pytest.approx(10, rel=0.3)


def test_a_season_is_found_when_there_is_one() -> None:
    days = np.arange(140)
    training = 0.5 + 0.2 * np.sin(2 * math.pi * days / 7) + 0.01 * noise(140)
    made = forecast("ets", training, 14, season=7)
    assert made.model.endswith(";A)") or made.model.endswith(";M)")
    expected = 0.5 + 0.2 * np.sin(2 * math.pi * np.arange(140, 154) / 7)
    assert np.abs(made.point - expected).max() < 0.05
    assert np.ptp(forecast("ets", training, 14).point) < 0.3  # without: no season


def test_the_same_series_gives_the_same_forecast_also_where_it_is_simulated() -> None:
    # Growth in proportion: an error that multiplies has the least AIC.
    training = np.exp(0.01 * np.arange(120) + 0.05 * noise(120))
    once, again = forecast("ets", training, 10), forecast("ets", training, 10)
    assert once.model.startswith("ETS(M;")
    assert (once.sigma == again.sigma).all()


def test_what_cannot_be_fitted_falls_back_to_the_mean_and_says_so() -> None:
    made = forecast("ets", np.full(100, 0.25), 3)
    assert made.note == "the series is constant: mean used, not ets"
    assert made.point.tolist() == [0.25] * 3
    assert made.sigma.tolist() == [0.0] * 3
    made = forecast("arima", np.array([1.0, 2.0, 3.0]), 2)
    assert made.note == "3 values are too few for arima: mean used"
    assert made.point.tolist() == [2.0, 2.0]
    assert made.sigma.tolist() == [1.0, 1.0]


def test_no_convergence_falls_back_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import cospot.provider.economy.ets as ets

    monkeypatch.setattr(ets, "_fit", lambda *_: None)
    with pytest.raises(NoModelError):
        ets.ets_forecast(noise(50), 5)
    made = forecast("ets", noise(50), 5)
    assert made.model == "mean"
    assert made.note == "no model of exponential smoothing converges: mean used, not ets"

    def diverge(*_: object) -> Forecast:
        return Forecast(np.array([np.inf]), np.array([1.0]), "ETS(A;A;N)")

    monkeypatch.setattr(ets, "ets_forecast", diverge)
    assert forecast("ets", noise(50), 1).note == "ETS(A;A;N) diverges: mean used, not ets"


def test_without_statsmodels_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: object, **options: object) -> object:
        if name.startswith(("statsmodels", "cospot.provider.economy.arima")):
            raise ImportError("No module named 'statsmodels'")
        return real(name, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"need statsmodels .* pip install 'cospot\[economy\]'"):
        forecast("ets", noise(50), 5)


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(InputError, match="forecaster is 'prophet', expected one of: arima, ets"):
        forecast("prophet", noise(50), 5)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment whose forecasts are kept in a folder of the test."""
    import os

    return {**os.environ, "COSPOT_PYTHON": sys.executable, "COSPOT_CACHE": str(tmp_path / "cache")}


def usage_file(folder: Path) -> Path:
    """150 days of usage, four samples a day."""
    rows = ["time_s,capacity,used"]
    use = 40 + np.cumsum(noise(600) * 0.3)
    rows += [f"{i * 21600},100,{max(value, 0):.3f}" for i, value in enumerate(use)]
    file = folder / "usage.csv"
    file.write_text("\n".join(rows) + "\n")
    return file


def run(program: Path, environment: dict[str, str], *words: object) -> subprocess.CompletedProcess:
    return run_program(program, *words, env=environment)


def test_the_program_asks_python_once_and_keeps_what_it_made(
    program: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    usage = usage_file(tmp_path)
    words = ("economy", "backtest", usage, "--forecaster", "ets", "--training-days", 60)
    words += ("--horizon-days", 30)
    once = run(program, environment, *words)
    assert once.returncode == 0, once.stderr
    assert "cycles  3: promises for 30 days, the first after 60 days" in once.stdout
    kept = sorted((tmp_path / "cache" / "forecasts").glob("*.csv"))
    assert len(kept) == 3
    # With the forecasts kept, no Python is needed any more.
    again = run(program, {**environment, "COSPOT_PYTHON": "/nowhere/python"}, *words)
    assert (again.returncode, again.stdout) == (0, once.stdout)
    # A damaged one is made anew.
    kept[0].write_text("nonsense")
    assert run(program, environment, *words).stdout == once.stdout
    # And without either there is one error.
    missing = {**environment, "COSPOT_PYTHON": "/nowhere/python", "COSPOT_CACHE": str(tmp_path)}
    failed = run(program, missing, *words)
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1
    assert "statsmodels" in failed.stderr


def test_a_process_that_dies_is_one_error(
    program: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    # As for lack of memory: each process that another one forks is killed before its first line.
    (tmp_path / "sitecustomize.py").write_text(
        "import os\nos.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), 9))\n"
    )
    path = f"{tmp_path}:{environment.get('PYTHONPATH', '')}"
    usage_file(tmp_path)
    study = tmp_path / "study.yaml"
    study.write_text(
        "study: economy\nusage: usage.csv\nforecaster: ets\ntraining_days: 60\nhorizon_days: 30\n"
    )
    words = ("compare", study, "--db", tmp_path / "one.db", "-q", "-j", 2)
    done = run(program, {**environment, "PYTHONPATH": path}, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "cospot: one of 2 processes that make forecasts died; is there enough memory? Fewer "
        "threads need less\ncospot: forecaster: forecasts of 3 series cannot be made; what Python "
        "says is above\n"
    )


def test_a_study_is_the_same_for_threads_shards_and_resume(
    program: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    usage_file(tmp_path)
    study = tmp_path / "study.yaml"
    study.write_text(
        "study: economy\nusage: usage.csv\nforecaster: [mean, ets, oracle]\n"
        "confidence: [0.5, 0.9]\nprice: [0.3, 0.7]\ntraining_days: 60\nhorizon_days: 30\n"
    )

    def compare(name: str, *words: object) -> subprocess.CompletedProcess:
        options = ("--db", tmp_path / f"{name}.db", "--csv", tmp_path / f"{name}.csv", "-q")
        done = run(program, environment, "compare", study, *options, *words)
        assert done.returncode == 0, done.stderr
        return done

    compare("one", "-j", 1)
    compare("two", "-j", 2)
    expected = (tmp_path / "one.csv").read_text()
    assert expected == (tmp_path / "two.csv").read_text()
    assert len(expected.splitlines()) == 13
    for shard in (1, 2):
        options = ("--db", tmp_path / f"{shard}.db", "-q", "--shard", f"{shard}/2")
        assert run(program, environment, "compare", study, *options).returncode == 0
    databases = [tmp_path / f"{name}.db" for name in "m12"]
    merged = run(program, environment, "merge", *databases)
    assert merged.returncode == 0, merged.stderr
    summary = run(program, environment, "summary", tmp_path / "m.db", "--csv", tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text() == expected
    assert "price  runs  promised" in summary.stdout
    # A shard is finished by --resume with the forecasts that it began with.
    compare("1", "--resume")
    assert (tmp_path / "1.csv").read_text() == expected


def test_other_programs_may_forecast(
    program: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    usage = usage_file(tmp_path)
    days = ("--training-days", 60, "--horizon-days", 30, "--forecaster", "last")
    tasks = tmp_path / "tasks.csv"
    assert run(program, environment, "economy", "tasks", usage, *days, "-o", tasks).returncode == 0
    rows = list(csv.reader(tasks.open()))
    assert len(rows) == 4  # three cycles of the past and the next one
    with (tmp_path / "forecasts.csv").open("w") as file:
        file.write("key,method,model,note,step,point,sigma\n")
        for key, method, _, horizon, values in rows:
            last = values.split()[-1]
            for step in range(1, int(horizon) + 1):
                file.write(f"{key},{method},last,,{step},{last},0\n")
    given = ("--forecasts", tmp_path / "forecasts.csv")
    done = run(program, environment, "economy", "plan", usage, *days, *given, "--confidence", 0.9)
    assert done.returncode == 0, done.stderr
    assert "model   last" in done.stdout
    # In percent no more than all could be promised: ten times the capacity and more.
    text = (tmp_path / "forecasts.csv").read_text()
    (tmp_path / "forecasts.csv").write_text(re.sub(r",0\.\d+,0\n", ",75,0\n", text))
    done = run(program, environment, "economy", "plan", usage, *days, *given, "--confidence", 0.9)
    assert done.returncode == 2
    assert "is 75 times the capacity or more in every step, expected shares" in done.stderr
    unknown = run(program, environment, "economy", "plan", usage, *days)
    assert unknown.returncode == 2
    assert "found 'last', expected one of: ses, mean, minimum, arima, ets, oracle" in unknown.stderr


def test_plan_and_backtest_from_python(
    program: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    from cospot import economy

    usage = usage_file(tmp_path)
    days = {"training_days": 60, "horizon_days": 30}
    plan = economy.plan(usage, forecaster="minimum", confidences=[0.5], clamp=False, **days)
    assert plan.promises[0].backtest is not None
    assert (plan.forecaster, plan.promises[0].backtest.cycles) == ("minimum", 3)
    past = economy.backtest(usage, forecasters=["oracle"], confidences=[0.5], **days)
    assert all(one.least_slack == one.quantities[0] for one in past.predictions)
    with pytest.raises(InputError, match="horizon_days is 0.3, expected a whole number of periods"):
        economy.plan(usage, forecaster="mean", horizon_days=0.3)
    with pytest.raises(InputError, match="economy: unknown key 'horizon'") as refused:
        economy.plan(usage, horizon=3)
    by_command = run(program, environment, "economy", "plan", usage, "--set", "horizon=3").stderr
    assert str(refused.value).split("valid names")[1] == by_command.strip().split("valid names")[1]
    with pytest.raises(InputError, match="time_zone: found 'Mars', expected a time zone"):
        economy.plan(usage, time_zone="Mars")
    with pytest.raises(InputError, match="confidences: found an empty list, expected one or more"):
        economy.plan(usage, confidences=[])
    with pytest.raises(InputError, match="price is 2.0, expected a number from 0 to 1"):
        economy.plan(usage, price=2)
