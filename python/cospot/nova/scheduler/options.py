"""The options of the scheduler plugin: group `[cospot]` of nova.conf."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from oslo_config import cfg

from cospot.nova.configuration_faults import relative_paths, unread
from cospot.nova.plan_message import DEFAULT_TOPIC, MOST_HOSTS
from cospot.nova.scheduler.lenient_type import lenient

GROUP = "cospot"


_SWITCHES = [
    cfg.BoolOpt(
        "enabled",
        default=True,
        help="""
Whether cospot decides. When false the filter passes every host and the weigher does what
`fallback_weighers` do: the scheduler goes on as if cospot were absent. Spots are then placed by
their custom resource classes alone, also beside VMs that leave them no room.
""",
    ),
    cfg.BoolOpt(
        "dry_run",
        default=False,
        help="""
Decide and log every decision, and place as if cospot were absent. No plan is published.
""",
    ),
]

_POLICIES = [
    cfg.StrOpt(
        "vm_policy",
        default="COS",
        help="""
How VMs are placed, as if there were no spots: a weigher that `cospot list` names (UTIL, COS, DPD,
...), `nova` for the weighers of `vm_weighers`, or python:MODULE.CLASS.
""",
    ),
    cfg.ListOpt(
        "vm_weighers",
        default=["nova.scheduler.weights.all_weighers"],
        help="""
With vm_policy = nova: the classes, or functions that return classes, that
`[filter_scheduler] weight_classes` named before. Their multipliers are those of nova.conf. They see
every host as if it had no spots.
""",
    ),
    cfg.StrOpt(
        "spot_policy",
        default="sCOS",
        help="""
How spots are placed: a weigher as for `vm_policy` (sUTIL, sCOS, sDPD, vmaUTIL, ...), or `nova` for
the weighers of `vm_weighers`, which then see the hosts as they are.
""",
    ),
    cfg.StrOpt(
        "evictor",
        default="FIFO",
        help="""
Which spots a VM displaces: FIFO (those placed first), YJF (those placed last) or LPKM (those that
are expected to lose the least revenue, by `evictor_model`).
""",
    ),
    cfg.StrOpt(
        "evictor_model",
        default="",
        help="""
With evictor = LPKM: the file that `cospot lifetime train --kind kaplan-meier` wrote, here and where
cospot-evictor runs. It is read when the configuration is.
""",
    ),
    cfg.ListOpt(
        "reserve",
        default=[],
        help="""
Capacity that new spots are kept out of, as `reserve` of cospot-evictor: aggregate:vcpus:memory_mb
or aggregate:vcpus:memory_mb:count. Set both to the same.
""",
    ),
    cfg.StrOpt(
        "default_reserve",
        default="",
        help="""
The same for all hosts in none of those aggregates together, as `default_reserve` of cospot-evictor:
vcpus:memory_mb or vcpus:memory_mb:count.
""",
    ),
    cfg.StrOpt(
        "otn",
        default="1",
        help="""
Offer top N: from how many of the VM policy's best hosts the one is taken whose evictions cost
least. Or another offer, as in the simulator: epsilon-0.05, or one that follows the VM load,
adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1.
""",
    ),
    cfg.BoolOpt(
        "saf",
        default=False,
        help="""
Spot-avoiding filter: hosts with room for the VM beside all their spots come before all others.
""",
    ),
]

_SCOPE = [
    cfg.ListOpt(
        "resources",
        default=["VCPU", "MEMORY_MB"],
        item_type=cfg.types.String(choices=["VCPU", "MEMORY_MB", "DISK_GB"]),
        help="""
The resources that spots give up for VMs. VCPU and MEMORY_MB must be among them. Add DISK_GB where
instances use local disks, and CUSTOM_SPOT_DISK_GB to the spot flavors and inventories.
""",
    ),
    cfg.ListOpt(
        "aggregates",
        default=[],
        help="""
Names of the host aggregates whose hosts may get spots. Empty: all hosts. VMs see every host.
""",
    ),
]

_PLANS = [
    cfg.StrOpt(
        "plan_topic",
        default=DEFAULT_TOPIC,
        help="""
Topic of the notification bus on which eviction plans go to cospot-evictor.
""",
    ),
    cfg.IntOpt(
        "plan_hosts",
        default=4,
        min=1,
        max=MOST_HOSTS,
        help="""
For how many of the first hosts of a decision a plan names victims. More than one, because a claim
may fail on the first; at least `[scheduler] max_attempts`, so that a build that is tried elsewhere
finds its plan.
""",
    ),
    cfg.IntOpt(
        "plan_queue",
        default=1000,
        min=1,
        max=1000000,
        help="""
How many plans wait at most while the message bus is away. Later ones are dropped with a warning;
the evictor's reconcile does their work.
""",
    ),
]

_VIEW = [
    cfg.IntOpt(
        "inventory_seconds",
        default=300,
        min=5,
        max=86400,
        help="""
Age in seconds at which a host's inventories (totals, reserved amounts, allocation ratios) are read
from placement again, in the background.
""",
    ),
    cfg.FloatOpt(
        "inventory_wait",
        default=0.5,
        min=0.0,
        max=30.0,
        help="""
How many seconds a request waits at most for the inventories of hosts that were never seen before.
After that what Nova's compute nodes say of themselves is used until placement has answered.
""",
    ),
    cfg.FloatOpt(
        "spot_check_wait",
        default=0.5,
        min=0.0,
        max=10.0,
        help="""
How many seconds a spot's request waits at most for placement to say who holds the host that it is
to get, as other schedulers may have been faster. After that, what hosts have reported is used. 0:
placement is not asked.
""",
    ),
    cfg.FloatOpt(
        "database_wait",
        default=0.5,
        min=0.05,
        max=30.0,
        help="""
How many seconds a request waits at most for Nova's database to say what is on hosts whose reports
contradict what the scheduler has heard, and which instances are deleted. After that, what the
scheduler has heard is used. A database that has left a question unanswered is not asked again
before that question has ended, and not for 5 s.
""",
    ),
    cfg.IntOpt(
        "claim_seconds",
        default=60,
        min=1,
        max=3600,
        help="""
For how many seconds a decision counts as use of its host while the host does not report the
instance, and its victims count as gone. Decisions come faster than hosts report.
""",
    ),
    cfg.ListOpt(
        "fallback_weighers",
        default=["nova.scheduler.weights.all_weighers"],
        help="""
The weighers that order the hosts when cospot does not: it is switched off, in a dry run, or has
failed. As `[filter_scheduler] weight_classes` was before cospot.
""",
    ),
]

_PROMISES = [
    cfg.FloatOpt(
        "lifetime_target",
        min=0.0001,
        max=0.5,
        help="""
The share of promised spots that may be evicted before the lifetime that they ask for with the
scheduler hint, or extra spec of their flavor, `cospot:lifetime`. A spot that asks for more than
`lifetime_promises` allows now gets no host. Unset: nothing is promised and nobody is refused for
what he asks. Use it with evictor = YJF, here and in the configuration of cospot-evictor.
""",
    ),
    cfg.StrOpt(
        "lifetime_hints",
        default="flavors",
        choices=["flavors", "projects", "all"],
        help="""
Who may ask for a lifetime: `flavors`, only spot flavors by their extra spec, which their price can
cover; `projects`, those of `lifetime_projects` by a hint too; `all`, every project. A spot with a
hint of another project gets no host. A promised spot is evicted after those of all other projects.
""",
    ),
    cfg.ListOpt(
        "lifetime_projects",
        default=[],
        help="""
With lifetime_hints = projects: the ids of the projects in Keystone.
""",
    ),
    cfg.IntOpt(
        "lifetimes_per_project",
        default=0,
        min=0,
        help="""
Most spots that a project has at once with a promise that is not over; 0: no limit. Each process of
nova-scheduler counts those that it has promised, so with N of them the most is N times as many.
""",
    ),
    cfg.StrOpt(
        "lifetime_promises",
        default="",
        help="""
The file that `cospot-nova promise` writes. It is read again when it has changed. Where it is
missing, broken, too old or without `lifetime_target`, nothing is promised and no spot is refused.
""",
    ),
    cfg.IntOpt(
        "promises_max_age",
        default=86400,
        min=60,
        help="""
Seconds since the end of the history that the file was made of, after which it counts as too old.
""",
    ),
]

_METRICS = [
    cfg.StrOpt(
        "metrics_directory",
        default="",
        help="""
Directory that each process of nova-scheduler writes a file of Prometheus metrics to, for the
textfile collector of node_exporter. nova-scheduler's user must be able to write there. Empty: no
metrics. Read at the start only.
""",
    ),
]

#: Options that are read at the start alone; all others may change while the scheduler runs.
_FIXED: Final = frozenset({"plan_topic", "plan_queue", "metrics_directory"})


def _completed(options: list[Any]) -> list[Any]:
    for option in options:
        option.help = " ".join(option.help.split())  # one line: what shows it breaks it anew
        option.mutable = option.dest not in _FIXED
    return options


OPTIONS = _completed([*_SWITCHES, *_POLICIES, *_SCOPE, *_PLANS, *_VIEW, *_PROMISES, *_METRICS])
_LENIENT = lenient(OPTIONS)
_PATHS: Final = ("evictor_model", "lifetime_promises", "metrics_directory")


def register(conf: Any) -> None:
    """Make the options known to the scheduler's configuration; more than once does no harm.

    A wrong value is read as a `WrongValue`, so that it ends no service.
    """
    conf.register_opts(_LENIENT, group=GROUP)


def register_strict(conf: Any) -> None:
    """Make the options known to a configuration whose wrong values raise when they are read."""
    conf.register_opts(OPTIONS, group=GROUP)


def faults(conf: Any, values: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the group in Nova's files beyond the values' types."""
    return unread(conf, {GROUP: OPTIONS}) + relative_paths(GROUP, values, _PATHS)


def list_opts() -> list[tuple[str, list[Any]]]:
    """Return the options for oslo-config-generator (entry point `cospot.scheduler`)."""
    return [(GROUP, OPTIONS)]
