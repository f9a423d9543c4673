"""Training: fits a scikit-learn network to the observed age intervals."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from cospot.argument_errors import checked
from cospot.errors import ConfigError, InputError
from cospot.extras import install_hint
from cospot.lifetime.ages import (
    AgeIntervals,
    PersonPeriods,
    default_intervals,
    expand,
    first_intervals,
)
from cospot.lifetime.model import LifetimeInputs, LifetimeModel
from cospot.lifetime.spots import Floats, Integers, SpotTable, require_enough, training_spots

_DAY_S = 86400.0

# Minimum numbers: of spots in the training days for a spot type of its own, of rows for an age
# input. An input with fewer spots counts as unseen. Ages at which less than this share of the spots
# was observed are not learned: the few spots from before the window say little about them.
LEAST_SPOTS = 20
LEAST_ROWS = 300
LEAST_SHARE = 0.05

# Upper bounds of the classes of the previous lifetime, seconds: minutes, hours, about a day, days.
_PREVIOUS_ENDS = (180, 300, 420, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 20 * 3600,
                  28 * 3600, 2 * 86400, 4 * 86400)  # fmt: skip


def known_intervals(spots: SpotTable, until_s: float) -> AgeIntervals:
    """Return the contiguous age intervals from 0 in which enough spots were observed.

    Beyond them a model expects no ends, like the Kaplan-Meier estimate.
    """
    intervals = default_intervals()
    periods = expand(spots, intervals.edges, until_s)
    rows = np.bincount(periods.interval, minlength=len(intervals))
    is_known = rows >= max(LEAST_SHARE * len(spots), 1)
    count = len(intervals) if is_known.all() else int(np.argmin(is_known))
    return first_intervals(intervals, max(count, 1))


def choose_inputs(
    spots: SpotTable, periods: PersonPeriods, intervals: AgeIntervals
) -> LifetimeInputs:
    """Choose the inputs for which the training data is sufficient.

    Args:
        spots: The spots of the training days.
        periods: Their rows on `intervals`.
        intervals: The grid of ages.

    Returns:
        Spot types with at least `LEAST_SPOTS` spots; adjacent intervals of the same width share an
        age input until it has `LEAST_ROWS` rows.
    """
    sizes, counts = np.unique(spots.flavors, axis=0, return_counts=True)
    rows = np.bincount(periods.interval, minlength=len(intervals))
    age_inputs = np.zeros(len(intervals), dtype=np.int64)
    current, held = 0, 0
    for k in range(1, len(intervals)):
        held += rows[k - 1]
        left = rows[(np.arange(len(intervals)) >= k) & (intervals.segment == intervals.segment[k])]
        new_segment = intervals.segment[k] != intervals.segment[k - 1]
        if new_segment or (held >= LEAST_ROWS and left.sum() >= LEAST_ROWS):
            current, held = current + 1, 0
        age_inputs[k] = current
    return LifetimeInputs(
        sizes[counts >= LEAST_SPOTS],
        np.array(_PREVIOUS_ENDS, dtype=np.float64),
        intervals.edges[1:],
        age_inputs,
    )


def design_matrix(inputs: LifetimeInputs, spots: SpotTable, periods: PersonPeriods) -> Any:
    """Return the inputs of every row as a sparse 0/1 matrix of shape (m, inputs)."""
    from scipy import sparse

    columns = np.concatenate(
        [
            inputs.of_spots(spots)[periods.spot],
            inputs.interval_inputs[periods.interval][:, np.newaxis],
        ],
        axis=1,
    )
    starts = np.cumsum([0, *inputs.counts.values()])
    columns = columns + starts[:-1]
    row_starts = np.arange(0, columns.size + 1, columns.shape[1])
    return sparse.csr_matrix(
        (np.ones(columns.size), columns.reshape(-1), row_starts),
        shape=(len(columns), int(starts[-1])),
    )


def require_training_packages() -> None:
    """Check that scikit-learn and its dependencies can be imported.

    Raises:
        InputError: One of them cannot be imported.
    """
    for name in ("scipy", "sklearn", "threadpoolctl"):
        try:
            import_module(name)
        except ImportError as error:
            raise InputError(
                f"training needs scikit-learn, and {error.name} is missing "
                f"(Debian: python3-sklearn; {install_hint('lifetime')})"
            ) from error


def fit_network(matrix: Any, ended: Integers, hidden: int, epochs: int, seed: int) -> Any:
    """Fit scikit-learn's network; deterministic on one machine."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from threadpoolctl import threadpool_limits

    network = MLPClassifier(
        hidden_layer_sizes=(hidden,),
        activation="relu",
        alpha=1e-4,
        batch_size=min(1024, len(ended)),
        learning_rate_init=2e-3,
        max_iter=epochs,
        n_iter_no_change=epochs,
        random_state=seed,
    )
    # One thread, so that sums have a fixed order.
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # the number of epochs is intended
        # On Ctrl-C scikit-learn returns a partly trained network with a warning.
        warnings.filterwarnings("error", "Training interrupted", UserWarning)
        try:
            network.fit(matrix, ended)
        except UserWarning as interruption:
            raise KeyboardInterrupt from interruption
    return network


def _split(inputs: LifetimeInputs, rows: Floats) -> dict[str, Floats]:
    starts = np.cumsum([0, *inputs.counts.values()])
    return {
        name: rows[start : start + count]
        for (name, count), start in zip(inputs.counts.items(), starts[:-1], strict=True)
    }


def mix_of_unseen(inputs: LifetimeInputs, spots: SpotTable) -> Any:
    """Return the inputs that replace those without training data.

    An input with fewer than `LEAST_SPOTS` spots is replaced by the average of the other inputs of
    its kind, weighted by their spots. Only spots requested during the training days count: of
    earlier weekdays, training sees only the survivors, which say nothing about the weekday.

    Args:
        inputs: The inputs.
        spots: The spots of the training days.

    Returns:
        A sparse matrix of shape (inputs, inputs): 1 on the diagonal for a seen input, otherwise the
            weights of its replacements. Rows sum to 1.
    """
    from scipy import sparse

    seen_of_spots = inputs.of_spots(spots)[spots.requested_s >= 0]
    blocks = []
    for column, (name, count) in enumerate(inputs.counts.items()):
        block = np.eye(count)
        if name != "age":  # age inputs exist only for known ages
            counts = np.bincount(seen_of_spots[:, column], minlength=count)
            seen = counts >= min(LEAST_SPOTS, counts.max())
            block[~seen] = np.where(seen, counts, 0) / counts[seen].sum()
        blocks.append(block)
    return sparse.block_diag(blocks, format="csr")


@checked
def train(
    spots: SpotTable,
    days: float = 3.0,
    seed: int = 1,
    hidden: int = 16,
    epochs: int = 15,
    note: str = "",
    observed_until: float | None = None,
) -> LifetimeModel:
    """Train a model on the first days of a workload.

    Args:
        spots: The workload's spots. Events after the training days are ignored.
        days: Training days, from the start of the window.
        seed: Of the initial weights and the shuffling.
        hidden: Hidden units.
        epochs: Passes over the training data.
        note: Its origin, stored in the model's file.
        observed_until: The day on which observation stopped; default: the latest time in `spots`.

    Returns:
        The model.

    Raises:
        InputError: The training days exceed the observed time, or have too few spots or no ends, or
            scikit-learn is missing.
        ConfigError: An argument is out of range.
    """
    for name, value, least, most in (
        ("seed", seed, 0, 2**32 - 1), ("hidden", hidden, 1, 4096), ("epochs", epochs, 1, 100_000),
    ):  # fmt: skip
        if not least <= value <= most:
            raise ConfigError(f"{name} is {value}, expected a whole number from {least} to {most}")
    require_training_packages()
    until_s = days * _DAY_S
    known = training_spots(spots, days, observed_until)
    intervals = known_intervals(known, until_s)
    periods = expand(known, intervals.edges, until_s)
    require_enough(known, days, int(periods.ended.sum()), len(periods.ended), LEAST_SPOTS)
    inputs = choose_inputs(known, periods, intervals)
    mix = mix_of_unseen(inputs, known)
    matrix = design_matrix(inputs, known, periods) @ mix
    network = fit_network(matrix, periods.ended, hidden, epochs, seed)
    weights = _split(inputs, mix @ network.coefs_[0])
    return LifetimeModel(
        inputs,
        weights,
        np.array(network.intercepts_[0]),
        np.array(network.coefs_[1][:, 0]),
        float(network.intercepts_[1][0]),
        note,
    )
