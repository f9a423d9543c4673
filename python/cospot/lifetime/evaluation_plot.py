"""The plot of an evaluation."""

from __future__ import annotations

import io
from pathlib import Path

from cospot.errors import InputError
from cospot.lifetime.evaluation import HORIZONS_S, Evaluation
from cospot.whole_file import write_file


def plot_evaluation(evaluation: Evaluation, path: Path) -> None:
    """Plot predicted against observed survival, and concordance, for every predictor.

    A panel for each predictor, with its calibration error, then one for the concordance.

    Args:
        evaluation: The evaluation to plot.
        path: PNG file to write.

    Raises:
        InputError: Matplotlib is missing, or the file cannot be written.
    """
    try:
        import matplotlib

        matplotlib.use("agg")
        from cospot.plots.style import BLUE, DARK, GREEN, ORANGE, VERMILION, new_figure
    except ImportError as error:
        raise InputError(
            f"the plot needs Matplotlib and pandas, and {error.name} is missing "
            "(Debian: python3-matplotlib python3-pandas; pip: cospot[lifetime])"
        ) from error
    colours = (BLUE, ORANGE, GREEN, VERMILION, DARK)
    markers = ("o", "s", "^", "D", "v")
    predictors = len(evaluation.scores)
    ratios = [1.0] * predictors + [1.3]
    with new_figure(
        (15.0, 3.9), 1, ncols=predictors + 1, gridspec_kw={"width_ratios": ratios}
    ) as figure:
        *panels, concordance = figure.axes
        for panel, score in zip(panels, evaluation.scores, strict=True):
            panel.plot([0, 1], [0, 1], color=DARK, linewidth=0.8)
            for horizon, colour, marker in zip(HORIZONS_S, colours, markers, strict=True):
                groups = [g for g in score.calibration if g.horizon == horizon]
                panel.plot(
                    [g.predicted for g in groups],
                    [g.observed for g in groups],
                    color=colour,
                    marker=marker,
                    label=horizon,
                )
            panel.set_title(f"{score.name}\nmean difference {score.calibration_error:.3f}")
            panel.set_aspect("equal")
        for panel in panels[1:]:
            panel.sharex(panels[0])
            panel.sharey(panels[0])
            panel.tick_params(labelleft=False)
        panels[0].set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), ylabel="observed share")
        panels[len(panels) // 2].set_xlabel("predicted share that lives longer (fifths of spots)")
        panels[-1].legend(title="lives longer than", loc="upper left", bbox_to_anchor=(1.0, 1.0))
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
            # Start at 0: a predictor may be worse than chance, and a bar's length is its value.
            ylim=(0, 1.05),
            ylabel="concordance",
            title="Pairs in the right order\n(0.5: chance)",
        )
        concordance.set_xticks(
            list(places), [s.name.replace(" of the ", "\nof the ") for s in evaluation.scores]
        )
        concordance.grid(visible=False, axis="x")
        concordance.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        plot = io.BytesIO()
        figure.savefig(plot, format="png", metadata={"Software": None})
    write_file(path, plot.getvalue())
