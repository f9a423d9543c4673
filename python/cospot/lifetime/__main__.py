"""``python -m cospot.lifetime``: implements ``cospot lifetime train`` and ``eval``."""

from __future__ import annotations

import argparse
import re
import signal
import sys
from pathlib import Path
from typing import Any

from cospot.errors import CospotError, InputError
from cospot.lifetime.model import LifetimeModel, read_model
from cospot.lifetime.spots import DEFAULT_WINDOW_DAYS, read_spots
from cospot.lifetime.survival_model import SurvivalModel, train_survival
from cospot.lifetime.training import train
from cospot.printable import printable_streams
from cospot.whole_file import write_file

_BAD_INPUT = 2
_INTERRUPTED = 130

# The options of each kind of model, with their defaults.
_OPTIONS: dict[str, dict[str, int | float | str]] = {
    "network": {"seed": 1, "hidden": 16, "epochs": 15},
    "kaplan-meier": {"by": "flavor", "least_share": 0.0},
}


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cospot.lifetime", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("train", "eval"):
        command = commands.add_parser(name)
        command.add_argument("--spots", action="append", required=True, help="a spot table")
        command.add_argument("--name", action="append", required=True, help="of its workload")
        command.add_argument("--days", type=float, default=3.0)
        command.add_argument("--observed-until", type=float, help="day; left out: the latest time")
        command.add_argument("-o", "--output", type=Path, required=True)
        if name == "train":
            command.add_argument("--kind", choices=tuple(_OPTIONS), default="network")
            command.add_argument("--seed", type=int)
            command.add_argument("--hidden", type=int)
            command.add_argument("--epochs", type=int)
            command.add_argument("--by", choices=("flavor", "all"))
            command.add_argument("--least-share", type=float, help="percent")
        else:
            command.add_argument("--model", type=Path, required=True)
            command.add_argument("--window-days", type=float, default=DEFAULT_WINDOW_DAYS)
    return parser.parse_args(arguments)


def _train(arguments: argparse.Namespace) -> None:
    if not arguments.output.parent.is_dir():
        raise InputError(f"{arguments.output}: there is no folder {arguments.output.parent}")
    if arguments.output.is_dir():
        raise InputError(f"{arguments.output}: is a folder; expected the name of a file to write")
    chosen = _options_of_kind(arguments)
    kind = "" if arguments.kind == "network" else f" --kind {arguments.kind}"
    written = "".join(
        f" --{name.replace('_', '-')} " + (f"{value:g}" if isinstance(value, float) else f"{value}")
        for name, value in chosen.items()
    )
    note = (
        f"cospot lifetime train {' '.join(arguments.name)}{kind} --days {arguments.days:g}{written}"
    )
    spots = read_spots(arguments.spots)
    common: dict[str, Any] = {"note": note, "observed_until": arguments.observed_until}
    model: LifetimeModel | SurvivalModel
    if arguments.kind == "network":
        model = train(spots, arguments.days, **chosen, **common)
    else:
        least_share = chosen["least_share"] / 100
        model = train_survival(spots, arguments.days, chosen["by"], least_share, **common)
    write_file(arguments.output, model.text().encode())
    print(f"{arguments.output}: {model.summary()}")


def _options_of_kind(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the requested kind of model; reject those of the other kind."""
    for kind, defaults in _OPTIONS.items():
        given = [name for name in defaults if getattr(arguments, name) is not None]
        if kind != arguments.kind and given:
            raise InputError(
                f"--{given[0].replace('_', '-')} is an option of --kind {kind}, "
                f"not of --kind {arguments.kind}"
            )
    defaults = _OPTIONS[arguments.kind]
    values = {name: getattr(arguments, name) for name in defaults}
    return {name: defaults[name] if value is None else value for name, value in values.items()}


def _evaluate(arguments: argparse.Namespace) -> None:
    from cospot.lifetime.evaluation import evaluate
    from cospot.lifetime.evaluation_plot import plot_evaluation

    spots = read_spots(arguments.spots)
    model = read_model(arguments.model)
    evaluation = evaluate(
        spots, model, arguments.days, arguments.observed_until, arguments.window_days
    )
    try:
        arguments.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{arguments.output}: is no folder: {error.strerror}") from error
    title = f"workload  {' '.join(arguments.name)}\nmodel     {arguments.model.name}\n\n"
    write_file(arguments.output / "evaluation.txt", (title + evaluation.text()).encode())
    write_file(arguments.output / "evaluation.csv", evaluation.csv().encode())
    plot_evaluation(evaluation, arguments.output / "evaluation.png")
    print(title + evaluation.text(), end="")


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return its exit code: 0 done, 2 bad input, 130 interrupted."""
    with printable_streams():
        return _run(_parse(arguments))


def _run(parsed: argparse.Namespace) -> int:
    try:
        if parsed.command == "train":
            _train(parsed)
        else:
            _evaluate(parsed)
    except CospotError as error:
        # Texts name arguments of Python's functions, which are the options here.
        names = rf"`({'|'.join(vars(parsed))})`"
        said = re.sub(names, lambda name: "--" + name[1].replace("_", "-"), str(error))
        print(f"cospot: {said}", file=sys.stderr)
        return _BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


if __name__ == "__main__":
    # Make both signals unwind, so that an incomplete file is removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
