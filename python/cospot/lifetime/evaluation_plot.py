"""The plot of an evaluation."""

from __future__ import annotations

from pathlib import Path

from cospot.errors import InputError
from cospot.lifetime.evaluation import HORIZONS_S, Evaluation


def plot_evaluation(evaluation: Evaluation, path: Path) -> None:
    """Write a plot: predicted against observed survival, and concordance by predictor.

    Args:
        evaluation: What to plot.
        path: PNG file to write.

    Raises:
        InputError: Matplotlib is missing, or the file cannot be written.
    """
    try:
        import matplotlib

        matplotlib.use("agg")
        from cospot.plot_style import BLUE, DARK, GREEN, ORANGE, VERMILION, new_figure
    except ImportError as error:
        raise InputError(
            f"the plot needs Matplotlib and pandas, and {error.name} is missing "
            "(Debian: python3-matplotlib python3-pandas; pip: cospot[lifetime])"
        ) from error
    colours = (BLUE, ORANGE, GREEN, VERMILION, DARK)
    markers = ("o", "s", "^", "D", "v")
    with new_figure((9.6, 4.4), 1, ncols=2, gridspec_kw={"width_ratios": [1.1, 1]}) as figure:
        calibration, concordance = figure.axes
        calibration.plot([0, 1], [0, 1], color=DARK, linewidth=0.8)
        for horizon, colour, marker in zip(HORIZONS_S, colours, markers, strict=True):
            groups = [g for g in evaluation.scores[0].calibration if g.horizon == horizon]
            calibration.plot(
                [g.predicted for g in groups],
                [g.observed for g in groups],
                color=colour,
                marker=marker,
                label=horizon,
            )
        calibration.set(
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
            xlabel="predicted share that lives longer",
            ylabel="observed share",
            title="Calibration of the model, fifths of the spots",
        )
        calibration.legend(title="lives longer than")
        places = range(len(evaluation.scores))
        for offset, colour, name in ((-0.2, BLUE, "at request"), (0.2, ORANGE, "running")):
            values = [
                (s.at_request if name == "at request" else s.running).index
                for s in evaluation.scores
            ]
            bars = concordance.bar([p + offset for p in places], values, 0.38, color=colour)
            concordance.bar_label(bars, fmt="%.2f", padding=2)
            bars.set_label(name)
        concordance.axhline(0.5, color=DARK, linewidth=0.8)
        concordance.set(
            # From 0: a predictor may be worse than chance, and a bar's length is its value.
            ylim=(0, 1.05),
            ylabel="concordance",
            title="Pairs in the right order (0.5: chance)",
        )
        concordance.set_xticks(
            list(places), [s.name.replace(" of the ", "\nof the ") for s in evaluation.scores]
        )
        concordance.grid(visible=False, axis="x")
        concordance.legend(loc="upper right", ncols=2)
        try:
            figure.savefig(path, metadata={"Software": None})
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from error
