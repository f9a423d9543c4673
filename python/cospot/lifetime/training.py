"""Training: a network of scikit-learn on the intervals of age that were watched."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np

from cospot.errors import InputError
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

# A spot type of its own needs so many spots in the training days, an age input so many rows; an
# input that fewer spots have is taken as never seen. Ages at which less than this share of the
# spots was watched are not learned: what a few spots from before the window do there says little.
LEAST_SPOTS = 20
LEAST_ROWS = 300
LEAST_SHARE = 0.05

# Classes of the previous lifetime, seconds: minutes, hours, around a day, days.
_PREVIOUS_ENDS = (180, 300, 420, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 20 * 3600,
                  28 * 3600, 2 * 86400, 4 * 86400)  # fmt: skip


def known_intervals(spots: SpotTable, until_s: float) -> AgeIntervals:
    """Return the intervals of age in which enough spots were watched, from 0 without a gap.

    After the last of them a model expects nobody to end, as the Kaplan-Meier estimate does.
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
    """Choose the inputs that the training data can tell something about.

    Args:
        spots: The spots of the training days.
        periods: Their rows on `intervals`.
        intervals: The grid of ages.

    Returns:
        Spot types with at least `LEAST_SPOTS` spots; neighbouring intervals of the same width share
        an age input until it has `LEAST_ROWS` rows.
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
    """Return the inputs of every row, a sparse matrix of shape (m, inputs) of zeros and ones."""
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
    """Refuse to train where scikit-learn, or what comes with it, is missing.

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
    """Fit scikit-learn's network; the same arguments give the same weights on one machine."""
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
    # One thread, so that sums are added up in one order.
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # the epochs are as many as asked for
        # scikit-learn answers Ctrl-C with a warning and a network that is trained in part.
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
    """Say by which other inputs those are replaced that training tells nothing about.

    An input that fewer than `LEAST_SPOTS` spots have counts as the average of the others of its
    kind, weighted by their spots. Only spots that came inside the training days count here: of the
    weekdays before, training knows nobody but those that had already survived, which says nothing
    about a weekday.

    Args:
        inputs: The inputs.
        spots: The spots of the training days.

    Returns:
        A sparse matrix of shape (inputs, inputs): one for an input that is seen, the weights of
        those that stand for it otherwise. Rows add up to 1.
    """
    from scipy import sparse

    seen_of_spots = inputs.of_spots(spots)[spots.requested_s >= 0]
    blocks = []
    for column, (name, count) in enumerate(inputs.counts.items()):
        block = np.eye(count)
        if name != "age":  # of ages, only those that are known became inputs
            counts = np.bincount(seen_of_spots[:, column], minlength=count)
            seen = counts >= min(LEAST_SPOTS, counts.max())
            block[~seen] = np.where(seen, counts, 0) / counts[seen].sum()
        blocks.append(block)
    return sparse.block_diag(blocks, format="csr")


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
        seed: Of the random numbers that training begins with and shuffles by.
        hidden: Hidden units.
        epochs: Passes over the training data.
        note: The remark on its origin in the model's file.
        observed_until: The day on which observation stopped; the latest time in `spots` when left
            out.

    Returns:
        The model.

    Raises:
        InputError: The training days go beyond what was watched, or hold too few spots or no end,
            or scikit-learn is missing.
    """
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
