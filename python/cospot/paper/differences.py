"""Why numbers differ from the paper's, whatever the workloads; docs/reproduction.md says more."""

from __future__ import annotations

from cospot.paper.evaluation import BATCHED, BERNOULLI, Evaluation


def differences(evaluation: Evaluation) -> list[str]:
    """Return the reasons that hold for this evaluation, as sentences."""
    first = evaluation.runs.drop_duplicates("workload")
    counts = {name: int((first["sampling"] == name).sum()) for name in (BATCHED, BERNOULLI)}
    reasons = [
        f"Workloads: {counts[BATCHED]} batched and {counts[BERNOULLI]} Bernoulli ones here, ten of "
        f"each in the paper. Largest values are over fewer runs, and batched samples differ much.",
        "The paper leaves room: ties, the order of events at equal times, requests before the "
        "window, the host type, the end of revenue. docs/semantics.md says what was chosen.",
        "The paper trained LPML on the first three days of the full trace.",
        "Times are of another machine and another program; the paper's LPO tries all subsets.",
        "Of the quick allocations one in 64 is timed here: the longest may not be among them.",
    ]
    if evaluation.burstier["sampling"].iloc[0] != BATCHED:
        reasons.append(
            "No workload here is known to be batched: where the paper looks at those, all are."
        )
    return reasons
