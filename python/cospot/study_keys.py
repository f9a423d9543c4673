"""The keys of studies as types, so that editors complete them and type checkers know them.

A test compares them with those that the compiled module accepts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from cospot import _core

    Path: TypeAlias = str | PathLike[str]
    Paths: TypeAlias = Path | Sequence[Path]
    Number: TypeAlias = float | np.number[Any]
    Numbers: TypeAlias = Number | Sequence[Number] | npt.NDArray[Any]
    Texts: TypeAlias = str | Sequence[str] | npt.NDArray[Any]
    Flags: TypeAlias = bool | str | Sequence[bool | str] | npt.NDArray[Any]
    #: A number, a word such as ``"none"``, or a list of both.
    Values: TypeAlias = Number | str | Sequence[Number | str | None] | npt.NDArray[Any]
    #: A name or an object of the package, or a dict with options, or a list of these.
    Policies: TypeAlias = Any
    #: A dict with keys of its own, or a list of dicts and words.
    Mappings: TypeAlias = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any] | None]
    Workloads: TypeAlias = (
        Path
        | _core.Workload
        | Mapping[str, Any]
        | Sequence[Path | _core.Workload | Mapping[str, Any]]
        | npt.NDArray[Any]
    )


class ProviderKeys(TypedDict, total=False):
    """The keys of studies of a provider's datacenter, and of the parts that combine in them."""

    workloads: Workloads
    spot_workloads: Workloads
    window_days: Number
    host: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Path
    added_type: str
    headroom_percent: Numbers
    headroom_of: Texts
    hosts: Numbers
    vm: Policies
    spot: Policies
    evictor: Policies
    saf: Flags
    otn: Values | Mappings
    seed: Numbers
    spot_delay_hours: Number
    spot_end: str
    target: Values
    refresh_hours: Number
    samples: Numbers
    samples_per: str
    samples_kept: Texts
    least_samples: Numbers
    victim: str
    censored: Texts
    quantile: Texts
    condition_width: Numbers
    history: Texts
    before_first_refresh: Texts
    asked_factor: Numbers
    asking_percent: Numbers
    disruptions: Mappings
    on_eviction: Texts
    state_size: Texts
    bandwidth_mb_s: Values
    schedulers: Numbers
    assigned_by: Texts
    refresh_interval_s: Numbers
    decision_ms: Numbers
    commit_rule: Texts
    retry_rule: Texts
    max_retries: Numbers
    host_subset_size: Numbers
    reserve: Texts
    notice_s: Numbers
    signal: Texts
    signal_every_minutes: Number
    signal_warmup_percent: Number
    signal_folds: Number
    economy: Any
    economy_percent: Numbers
    economy_price: Numbers
    promise: Any


class PromiseKeys(TypedDict, total=False):
    """The keys of promises of capacity: the study ``economy``, and the part of that name."""

    usage: Workloads
    forecaster: Texts
    forecasts: Paths
    confidence: Numbers
    price: Numbers
    period_hours: Number
    training_days: Number
    horizon_days: Number
    step_days: Number
    season_days: Number
    gaps: str
    clamp: Flags
    resource: str
    capacity: Number
    bill_days: Number
    penalty_percent: Number
    penalty_below_percent: Number
    penalty_at_threshold: Flags
    penalty_on: str
    sellable_slack: Texts
    opportunistic_price: Number
    time_zone: str


class CustomerKeys(TypedDict, total=False):
    """The keys of the studies ``broker``, ``deadline`` and ``classes``."""

    market: Any
    types: Any
    jobs: Any
    bid: Texts
    alpha: Numbers
    fault_tolerance: Texts
    billing: Texts
    market_choice: Texts
    on_demand_fallback: Flags
    job_model: Any
    interval_seconds: Number
    boot_seconds: Number
    notice_seconds: Number
    postpone: Flags
    max_late_percent: Number
    trace: Workloads
    strategy: Texts
    duration_hours: Numbers
    deadline_hours: Numbers
    overhead_hours: Numbers
    start_hours: Any
    spot_price: Numbers
    on_demand_price: Numbers
    classes: Numbers
    partition: Texts
    value: Texts
    mttr: Texts
    checkpoint_minutes: Numbers
    from_day: Number
    to_day: Number
    servers: Number
    server_vcpus: Number


class Study(ProviderKeys, PromiseKeys, CustomerKeys, total=False):
    """A study as a dict, for `compare`, `sweep`, `compare_policies` and the others that take one.

    Each study has some of the keys (docs/sweep-file.md); an error names those of the one chosen.
    """

    study: Literal[
        "compare", "degradation", "economy", "levels", "sla", "broker", "deadline", "classes",
        "life", "schedulers", "notice", "signals",
    ]  # fmt: skip
    prices: Mapping[str, Any] | Path
