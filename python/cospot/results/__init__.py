"""Results of studies as pandas frames, and selections of runs. Requires pandas."""

from __future__ import annotations

from cospot.results.choices import average_over_workloads, best_without_vm_loss, pareto_front
from cospot.results.database import COMBINATION, Results, load_results
from cospot.results.differences import difference

__all__ = [
    "COMBINATION",
    "Results",
    "average_over_workloads",
    "best_without_vm_loss",
    "difference",
    "load_results",
    "pareto_front",
]
