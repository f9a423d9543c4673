"""The lifetime model: its inputs, its network, its file (docs/lifetime-model.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cospot.argument_errors import checked
from cospot.errors import InputError
from cospot.lifetime import curves
from cospot.lifetime.model_lines import ModelLines
from cospot.lifetime.spots import Floats, Integers, SpotTable
from cospot.lifetime.survival_model import MAGIC as SURVIVAL_MAGIC
from cospot.lifetime.survival_model import SurvivalModel, parse_survival_model
from cospot.values import ByContents

_HOURS = 24
_WEEKDAYS = 7
_HOUR_S = 3600
_DAY_S = 86400


@dataclass(frozen=True, eq=False)
class LifetimeInputs(ByContents):
    """Maps spots to inputs of the network: one input of each kind is 1, all others are 0.

    Attributes:
        flavors: Shape (f, 3): the known sizes; input f is any other one.
        previous_ends: Shape (p,), seconds: upper bounds of the classes of the previous lifetime;
            input p is a longer one, input p + 1 an unknown one.
        interval_ends: Shape (k,), seconds of age.
        interval_inputs: Shape (k,): the age input of each interval.
    """

    flavors: Integers
    previous_ends: Floats
    interval_ends: Floats
    interval_inputs: Integers

    @property
    def counts(self) -> dict[str, int]:
        """The number of inputs of each kind, in the order of the columns."""
        return {
            "flavor": len(self.flavors) + 1,
            "hour": _HOURS,
            "weekday": _WEEKDAYS,
            "previous": len(self.previous_ends) + 2,
            "age": int(self.interval_inputs.max()) + 1,
        }

    @property
    def edges(self) -> Floats:
        """Edges of the intervals of age, shape (k + 1,), seconds."""
        return np.concatenate([np.zeros(1), self.interval_ends])

    def of_spots(self, spots: SpotTable) -> Integers:
        """Return the indices of the inputs that are 1: shape (n, 4), without the age."""
        flavor = np.full(len(spots), len(self.flavors))
        for number, known in enumerate(self.flavors):
            flavor[(spots.flavors == known).all(axis=1)] = number
        day = np.floor(spots.requested_s / _DAY_S).astype(np.int64)
        hour = ((spots.requested_s - day * _DAY_S) // _HOUR_S).astype(np.int64)
        previous = np.searchsorted(self.previous_ends, spots.previous_lifetime_s, side="right")
        previous[np.isnan(spots.previous_lifetime_s)] = len(self.previous_ends) + 1
        return np.stack([flavor, hour, day % _WEEKDAYS, previous], axis=1)


@dataclass(frozen=True, eq=False)
class LifetimeModel(ByContents):
    """A discrete-time hazard model: a network with one hidden layer of rectified linear units.

    Attributes:
        inputs: Maps spots to inputs.
        weights: By kind of input, shape (inputs of the kind, h).
        hidden_bias: Shape (h,).
        output_weights: Shape (h,).
        output_bias: Of the one output, whose logistic function is the hazard.
        note: Its origin, one line.
    """

    inputs: LifetimeInputs
    weights: dict[str, Floats]
    hidden_bias: Floats
    output_weights: Floats
    output_bias: float
    note: str = ""

    @property
    def edges(self) -> Floats:
        """Edges of the intervals of age, shape (k + 1,), seconds."""
        return self.inputs.edges

    def hazards(self, spots: SpotTable) -> Floats:
        """Return the hazard of each interval: shape (n, k)."""
        kinds, rows = np.unique(self.inputs.of_spots(spots), axis=0, return_inverse=True)
        names = list(self.inputs.counts)[:-1]
        sums = self.hidden_bias + sum(
            self.weights[name][kinds[:, column]] for column, name in enumerate(names)
        )
        by_age = np.empty((len(kinds), len(self.weights["age"])))
        for age, weights in enumerate(self.weights["age"]):
            output = np.maximum(sums + weights, 0.0) @ self.output_weights + self.output_bias
            by_age[:, age] = 1 / (1 + np.exp(-output))
        result: Floats = by_age[rows.reshape(-1)][:, self.inputs.interval_inputs]
        return result

    def expected_rest(self, spots: SpotTable, age: Floats, limit: Floats) -> Floats:
        """Return the expected remaining life in seconds; see `curves.expected_rest`."""
        return curves.expected_rest(self.inputs.edges, self.hazards(spots), age, limit)

    def summary(self) -> str:
        """Return a text about the trained model."""
        return (
            f"{len(self.inputs.flavors)} spot types, {len(self.weights['age'])} age inputs, "
            f"{len(self.hidden_bias)} hidden units"
        )

    def text(self) -> str:
        """Return the content of the model's file; deterministic."""
        lines = ["cospot-lifetime-model 1"]
        if self.note:
            lines.append(f"# {self.note}")
        lines.append(f"flavors {len(self.inputs.flavors)}")
        lines += [" ".join(str(int(amount)) for amount in size) for size in self.inputs.flavors]
        lines.append(f"previous-ends {len(self.inputs.previous_ends)}")
        lines += [f"{end:.15g}" for end in self.inputs.previous_ends]
        lines.append(f"intervals {len(self.inputs.interval_ends)}")
        lines += [
            f"{end:.15g} {int(age)}"
            for end, age in zip(self.inputs.interval_ends, self.inputs.interval_inputs, strict=True)
        ]
        lines.append(f"hidden {len(self.hidden_bias)}")
        lines.append("bias " + _numbers(self.hidden_bias))
        lines.append("output " + _numbers(self.output_weights))
        lines.append("output-bias " + _numbers(np.array([self.output_bias])))
        for name, count in self.inputs.counts.items():
            lines.append(f"inputs {name} {count}")
            lines += [_numbers(row) for row in self.weights[name]]
        return "\n".join([*lines, "end", ""])


def _numbers(values: Floats) -> str:
    """Format weights with 9 digits: more than training determines, and half the file size."""
    return " ".join(f"{value:.9g}" for value in values)


@checked
def parse_model(text: str, name: str) -> LifetimeModel:
    """Parse a model file's text.

    Args:
        text: Content of the file.
        name: Its name in errors.

    Raises:
        InputError: The text is not a model of this version.
    """
    lines = ModelLines(text, name)
    if lines.take("cospot-lifetime-model", 1) != ["1"]:
        raise InputError(f"{name}:1: another version, expected version 1")
    flavors = [lines.numbers("", 3) for _ in range(lines.count("flavors"))]
    previous_ends = [lines.numbers("", 1)[0] for _ in range(lines.count("previous-ends"))]
    intervals = np.array([lines.numbers("", 2) for _ in range(lines.count("intervals"))])
    inputs = LifetimeInputs(
        np.array(flavors, dtype=np.int64).reshape(-1, 3),
        np.array(previous_ends),
        intervals[:, 0],
        intervals[:, 1].astype(np.int64),
    )
    hidden = lines.count("hidden")
    bias = np.array(lines.numbers("bias", hidden))
    output = np.array(lines.numbers("output", hidden))
    output_bias = lines.numbers("output-bias", 1)[0]
    weights = {}
    for kind, count in inputs.counts.items():
        if lines.take("inputs", 2) != [kind, str(count)]:
            raise InputError(f"{name}: expected {count} inputs of the kind {kind}")
        weights[kind] = np.array([lines.numbers("", hidden) for _ in range(count)])
    lines.take("end", 0)
    return LifetimeModel(inputs, weights, bias, output, output_bias)


@checked
def read_model(path: str | Path) -> LifetimeModel | SurvivalModel:
    """Read a model file of either kind.

    Raises:
        InputError: The file cannot be read or is not a model of this version.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read; expected a lifetime model") from error
    parse = parse_survival_model if text.startswith(SURVIVAL_MAGIC) else parse_model
    return parse(text, str(path))
