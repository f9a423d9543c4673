"""cospot: spot instances for cloud providers. Places VMs and spots, evicts, compares policies.

Times are whole microseconds since the start of the observation window (names end in ``_us``),
memory is in MiB (``_mb``), disks in GB, revenue in vcpu-seconds.

Compose a VM chain and a spot chain (`Chain`), make one decision step by step (`Datacenter`,
`make_offer`, `choose`), replay a workload (`Workload`, `simulate`, `Simulation`), compare thousands
of combinations (`compare`; on many machines: `sweep`), find out what to set (`tune`) and what to
sell (`plan`), price idle capacity (`price_classes`, `idle_periods`, `simulate_job`), promise it
(`sla.quote`, `economy.plan`), run a customer's jobs on spot markets (`broker_run`,
`broker_recommend`), write policies in Python (`Filter`, `Weigher`, `Evictor`), and view results
(`load_results`, `difference`, `report`).
"""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING, Any

from cospot.errors import (
    ArgumentError,
    ConfigError,
    CospotError,
    DatabaseError,
    InputError,
    PolicyError,
    ResultsWarning,
    WorkloadError,
    WorkloadWarning,
)
from cospot.extras import missing_package

# Import it before the compiled module, so that both use Python's SQLite: SQLite's locks fail with
# two copies in one process. The copy in a wheel is for Pythons without SQLite.
with contextlib.suppress(ImportError):
    importlib.import_module("_sqlite3")
#: The reason why the compiled module or NumPy cannot be loaded; None: it is loaded.
compiled_module_error: Exception | None = None
try:
    from cospot import _core, values
    from cospot._core import (
        DAY_US,
        NEVER_US,
        Chain,
        Choice,
        CompareOutcome,
        CompiledEvictor,
        CompiledFilter,
        CompiledWeigher,
        Datacenter,
        DatacenterSize,
        EvictionPlan,
        Evidence,
        History,
        HostRow,
        HostSpec,
        HostTable,
        HostView,
        LifetimeQuantiles,
        Offer,
        PolicyInfo,
        Request,
        ResourceVector,
        RunningSpot,
        RunResult,
        Simulation,
        Workload,
        __version__,
        broker_recommend,
        broker_run,
        choose,
        compare,
        estimate_lifetimes,
        eviction_interval,
        explain,
        idle_periods,
        list_evictors,
        list_filters,
        list_weighers,
        make_evictor,
        make_filter,
        make_offer,
        make_weigher,
        mean_interval,
        observations_needed,
        optimal_interval,
        plan,
        price_classes,
        renewal_performance,
        run_command_line,
        simulate,
        simulate_job,
        simulate_life,
        size,
        transient_performance,
        transient_price,
        tune,
    )
    from cospot.provider.policies import Evictor, Filter, Weigher
    from cospot.records import EventRecord, RequestRecord

    values.complete(_core)
except Exception as error:
    # The error is raised on the first use of compiled code. nova-scheduler finds the plugin's
    # classes below this package, and must start and place VMs regardless.
    compiled_module_error = error

if TYPE_CHECKING:
    from cospot import plots
    from cospot.customer.broker import BrokerRecommendation
    from cospot.plots import host_plots, offer_plot
    from cospot.provider import classes, economy, sla
    from cospot.provider.occupancy import occupancy_over_time, read_events, watch_occupancy
    from cospot.provider.placement_env import PlacementEnv, PlacementVectorEnv
    from cospot.provider.planning import SpotPlan
    from cospot.provider.policy_comparison import PolicyComparison, compare_policies
    from cospot.provider.pricing import PricedClasses
    from cospot.provider.tuning import Tuning
    from cospot.reporting import Report, report
    from cospot.results import (
        Results,
        average_over_workloads,
        best_without_vm_loss,
        difference,
        load_results,
        pareto_front,
    )
    from cospot.study_keys import Study
    from cospot.sweeps import sweep

# Modules that need an optional package, such as pandas, are imported on first use.
_LAZY = {
    "BrokerRecommendation": "cospot.customer.broker",
    "average_over_workloads": "cospot.results",
    "best_without_vm_loss": "cospot.results",
    "difference": "cospot.results",
    "pareto_front": "cospot.results",
    "PlacementEnv": "cospot.provider.placement_env",
    "PlacementVectorEnv": "cospot.provider.placement_env",
    "PolicyComparison": "cospot.provider.policy_comparison",
    "compare_policies": "cospot.provider.policy_comparison",
    "occupancy_over_time": "cospot.provider.occupancy",
    "read_events": "cospot.provider.occupancy",
    "watch_occupancy": "cospot.provider.occupancy",
    "PricedClasses": "cospot.provider.pricing",
    "Results": "cospot.results",
    "Study": "cospot.study_keys",
    "SpotPlan": "cospot.provider.planning",
    "Tuning": "cospot.provider.tuning",
    "load_results": "cospot.results",
    "Report": "cospot.reporting",
    "report": "cospot.reporting",
    "sweep": "cospot.sweeps",
}
_LAZY_MODULES = {
    "classes": "cospot.provider.classes",
    "customer": "cospot.customer",
    "economy": "cospot.provider.economy",
    "host_plots": "cospot.plots.host_plots",
    "lifetime": "cospot.lifetime",
    "nova": "cospot.nova",
    "offer_plot": "cospot.plots.offer_plot",
    "plots": "cospot.plots",
    "provider": "cospot.provider",
    "results": "cospot.results",
    "sla": "cospot.provider.sla",
    "sweeps": "cospot.sweeps",
}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name) or _LAZY_MODULES.get(name)
    if module is not None:
        try:
            imported = importlib.import_module(module)
        except ImportError as error:
            raise missing_package(error) or error from error
        return imported if name in _LAZY_MODULES else getattr(imported, name)
    if compiled_module_error is not None and name in __all__:
        try:
            importlib.import_module("numpy")
        except ImportError as error:
            raise ImportError("cospot needs NumPy: pip install numpy") from error
        raise ImportError(
            f"cospot's compiled module does not load: {compiled_module_error}"
        ) from compiled_module_error
    raise AttributeError(f"module 'cospot' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "DAY_US",
    "NEVER_US",
    "ArgumentError",
    "BrokerRecommendation",
    "Chain",
    "Choice",
    "CompareOutcome",
    "CompiledEvictor",
    "CompiledFilter",
    "CompiledWeigher",
    "ConfigError",
    "CospotError",
    "DatabaseError",
    "Datacenter",
    "DatacenterSize",
    "EventRecord",
    "EvictionPlan",
    "Evidence",
    "Evictor",
    "Filter",
    "History",
    "HostRow",
    "HostSpec",
    "HostTable",
    "HostView",
    "InputError",
    "LifetimeQuantiles",
    "Offer",
    "PlacementEnv",
    "PlacementVectorEnv",
    "PolicyComparison",
    "PolicyError",
    "PolicyInfo",
    "PricedClasses",
    "Report",
    "Request",
    "RequestRecord",
    "ResourceVector",
    "Results",
    "ResultsWarning",
    "RunResult",
    "RunningSpot",
    "Simulation",
    "SpotPlan",
    "Study",
    "Tuning",
    "Weigher",
    "Workload",
    "WorkloadError",
    "WorkloadWarning",
    "__version__",
    "average_over_workloads",
    "best_without_vm_loss",
    "broker_recommend",
    "broker_run",
    "choose",
    "classes",
    "compare",
    "compare_policies",
    "difference",
    "economy",
    "estimate_lifetimes",
    "eviction_interval",
    "explain",
    "host_plots",
    "idle_periods",
    "list_evictors",
    "list_filters",
    "list_weighers",
    "load_results",
    "make_evictor",
    "make_filter",
    "make_offer",
    "make_weigher",
    "mean_interval",
    "occupancy_over_time",
    "offer_plot",
    "observations_needed",
    "optimal_interval",
    "pareto_front",
    "plan",
    "plots",
    "price_classes",
    "read_events",
    "renewal_performance",
    "report",
    "run_command_line",
    "simulate",
    "simulate_job",
    "simulate_life",
    "size",
    "sla",
    "sweep",
    "transient_performance",
    "transient_price",
    "tune",
    "watch_occupancy",
]
