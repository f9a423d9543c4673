"""The configuration of `cospot-evictor`: group `[cospot_evictor]`, and the two services it asks.

The service user: Nova shows the servers of other projects, their hosts and its hypervisors only to
the role `admin`, and only for it a tenant's lock does not stop a deletion. So the least that works
for `[nova]` is `admin` on the service project. `[placement]` may name another user, who only needs
to read: a role that placement's policy file lists for the rules in docs/nova/configuration.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from keystoneauth1 import exceptions, loading
from oslo_config import cfg

from cospot.nova import log as logging
from cospot.nova import plan_message, spot_flavors
from cospot.nova.configuration_faults import relative_paths, unread
from cospot.nova.evictor import told_options
from cospot.nova.live_options import LiveOptions

GROUP: Final = "cospot_evictor"
NOVA_GROUP: Final = "nova"
PLACEMENT_GROUP: Final = "placement"

_switches = [
    cfg.BoolOpt(
        "enabled",
        default=True,
        mutable=True,
        help="False: watch, measure and log, but evict nothing. Read again upon SIGHUP.",
    ),
    cfg.BoolOpt(
        "dry_run",
        default=False,
        mutable=True,
        help="Write to the audit log what would be evicted; evict nothing. Read again upon SIGHUP.",
    ),
    cfg.StrOpt(
        "disable_file",
        default="$state_path/disable",
        help="While this file exists nothing is evicted. Looked at before every eviction, "
        "so that `touch` stops the service at once.",
    ),
]

_places = [
    cfg.StrOpt(
        "state_path",
        default="/var/lib/cospot-evictor",
        help="Folder of the locks (with a file:// coordination_url), and of the stores: deletions "
        "just asked for, stalled hosts, notices given.",
    ),
    cfg.StrOpt(
        "audit_log",
        default="$state_path/audit.jsonl",
        help="File to append one JSON object to for each decision. "
        "Nothing is evicted while it cannot be written.",
    ),
    cfg.StrOpt(
        "coordination_url",
        default="file://$state_path/locks",
        help="Where the locks per host are, as a URL of tooz. The default holds between copies of "
        "the service on one machine. For several machines set state_connection, which replaces it.",
    ),
    cfg.StrOpt(
        "state_connection",
        default="",
        secret=True,
        help="Database that copies of the service on several machines share, as a URL of "
        "SQLAlchemy such as mysql+pymysql://cospot:secret@controller/cospot: locks, orders, "
        "stalled hosts, notices and promises are there instead of in coordination_url and in files "
        "of state_path. Make its tables with `cospot-nova db sync`. Empty: none.",
    ),
    cfg.FloatOpt(
        "state_timeout",
        default=5.0,
        min=0.5,
        max=10.0,
        help="Most seconds that the database may take to connect, and for each question. Nothing "
        "is evicted while it does not answer.",
    ),
    cfg.FloatOpt(
        "lock_timeout", default=30.0, min=0.1, help="Longest wait for the lock of a host, seconds."
    ),
]

_decision = [
    cfg.ListOpt(
        "resources",
        default=[spot_flavors.VCPU, spot_flavors.MEMORY_MB],
        item_type=cfg.types.String(choices=sorted(spot_flavors.SPOT_CLASS_OF)),
        help="Resources of which VMs and spots together may use no more than a host has. "
        "The same as `resources` in [cospot] of nova.conf.",
    ),
    cfg.StrOpt(
        "evictor",
        default="FIFO",
        help="Policy that chooses spots when no plan names enough of them: FIFO, YJF or LPKM, as "
        "`evictor` in [cospot] of nova.conf.",
    ),
    cfg.StrOpt(
        "evictor_model",
        default="",
        help="With evictor = LPKM: the file that "
        "`cospot lifetime train --kind kaplan-meier` wrote.",
    ),
    cfg.BoolOpt(
        "evict_if_insufficient",
        default=False,
        help="Evict spots for a resource of which VMs alone use more than the host has, until none "
        "is left, though that cannot free enough. False: evict none for that resource, log and "
        "count it. It protects spots where an allocation ratio or an inventory is wrong.",
    ),
]

_plans = [
    cfg.StrOpt(
        "plan_topic",
        default=plan_message.DEFAULT_TOPIC,
        help="Topic on which the scheduler sends plans; `plan_topic` in [cospot] of nova.conf.",
    ),
    cfg.FloatOpt(
        "plan_ttl",
        default=300.0,
        min=1.0,
        help="Plans older than this many seconds are dropped: the reconcile loop finds what is "
        "needed. The clocks of the schedulers and of this machine must agree to within it.",
    ),
    cfg.FloatOpt(
        "first_plan_window",
        default=5.0,
        min=0.0,
        help="Of several plans for one instance made within this many seconds the first is kept: "
        "a multi-create asks the filters again for its alternates.",
    ),
    cfg.IntOpt(
        "max_plans", default=10000, min=1, help="Plans remembered at once; more are dropped."
    ),
    cfg.FloatOpt(
        "claim_timeout",
        default=60.0,
        min=1.0,
        help="How long after its plan an instance is looked up, seconds.",
    ),
]

_loops = [
    cfg.FloatOpt(
        "reconcile_interval",
        default=5.0,
        min=0.1,
        help="Seconds between two reconciles of all hosts.",
    ),
    cfg.IntOpt(
        "full_reconcile_every",
        default=60,
        min=1,
        help="Besides the hosts whose generation in placement has changed, each reconcile reads "
        "one in so many of the others, in turn.",
    ),
    cfg.FloatOpt(
        "plan_grace",
        default=1.0,
        min=0.0,
        help="Seconds a reconcile leaves an overcommitted host to its plan, which may "
        "still be under way.",
    ),
    cfg.IntOpt("workers", default=8, min=1, max=64, help="Hosts worked on at once."),
    cfg.IntOpt(
        "orders_at_once",
        default=16,
        min=1,
        max=64,
        help="Most orders to delete a spot that Nova is given at the same moment.",
    ),
    cfg.FloatOpt(
        "freed_timeout",
        default=60.0,
        min=1.0,
        help="After so many seconds an evicted spot that placement still shows is logged as "
        "late, and its host is reconciled again; when it has gone it is logged as freed.",
    ),
    cfg.FloatOpt(
        "shelve_timeout",
        default=1800.0,
        min=1.0,
        help="The same for a spot that is shelved: that takes a snapshot first.",
    ),
    cfg.FloatOpt(
        "deletion_timeout",
        default=120.0,
        min=1.0,
        help="A spot whose deletion this service has seen under way for longer than so many "
        "seconds no longer counts as free capacity, and its host as stalled: nothing more is "
        "evicted there until something goes. The order to its compute was lost, or the compute "
        "hangs.",
    ),
    cfg.BoolOpt(
        "repeat_stuck_deletions",
        default=True,
        help="Where VMs need what such a spot holds, reset its state and order its deletion "
        "again, with growing pauses; false: that is left to you. No other spot is evicted in its "
        "place.",
    ),
    cfg.FloatOpt(
        "retry_delay",
        default=1.0,
        min=0.05,
        help="First pause before a host is tried again after an error, seconds; doubled each time.",
    ),
    cfg.FloatOpt("retry_delay_max", default=60.0, min=0.1, help="Longest such pause, seconds."),
]

_limits = [
    cfg.BoolOpt(
        "confirm_resizes",
        default=True,
        help="Confirm the resize or cold migration of a spot when VMs need what it still holds on "
        "its former host: its owner can no longer revert. False: others are evicted instead.",
    ),
    cfg.IntOpt(
        "confirmations_per_minute",
        default=60,
        min=0,
        mutable=True,
        help="Most such confirmations a minute of this copy; 0 is no limit. No evictions count.",
    ),
    cfg.FloatOpt(
        "overcommit_grace",
        default=300.0,
        min=0.0,
        mutable=True,
        help="How long a host must be overcommitted by more than new claims explain before spots "
        "are evicted for that, seconds: a wrong allocation ratio or inventory is put right "
        "meanwhile. What a VM has claimed since the host was last within its capacity is made free "
        "at once.",
    ),
    cfg.IntOpt(
        "evictions_per_host",
        default=16,
        min=0,
        mutable=True,
        help="Most evictions on one host within one `reconcile_interval`; 0 is no limit. Whatever "
        "goes wrong on a host, its spots are not evicted all at once.",
    ),
    cfg.IntOpt(
        "evictions_per_minute",
        default=120,
        min=0,
        mutable=True,
        help="Most evictions a minute of this copy of the service; 0 is no limit. Evictions for "
        "which no VM has claimed the capacity leave half of it to those for which one has. What "
        "the limit holds back is tried again, so a host stays overcommitted meanwhile.",
    ),
    cfg.IntOpt(
        "evictions_per_minute_per_project",
        default=0,
        min=0,
        mutable=True,
        help="The same for the spots of any one project. No limit by default: it would make VMs "
        "wait where one project owns most spots.",
    ),
]

_proactive = [
    cfg.StrOpt(
        "mode",
        default="reactive",
        choices=[
            ("reactive", "evict when a VM needs the capacity"),
            ("proactive", "also keep a reserve free, and give notice before evicting for it"),
        ],
        help="When to evict.",
    ),
    cfg.ListOpt(
        "reserve",
        default=[],
        help="Capacity to keep free of spots in host aggregates, as aggregate:vcpus:memory_mb or "
        "aggregate:vcpus:memory_mb:count: capacity for `count` (default 1) VMs of that size, "
        "each on one host. An aggregate is given by its name or UUID.",
    ),
    cfg.StrOpt(
        "default_reserve",
        default="",
        help="The same for all hosts in none of those aggregates together, as vcpus:memory_mb or "
        "vcpus:memory_mb:count. Empty: none.",
    ),
    cfg.FloatOpt(
        "notice_seconds",
        default=120.0,
        min=0.0,
        help="Time between the notice that a spot will be evicted for a reserve, and the eviction.",
    ),
    cfg.StrOpt(
        "action",
        default="delete",
        choices=[
            ("delete", "delete the spot"),
            ("shelve-offload", "shelve it, so that its owner can have it back"),
        ],
        help="How a spot is evicted for a reserve. For a VM that is already there spots are "
        "always deleted: shelving first takes a snapshot.",
    ),
]

_promises = [
    cfg.IntOpt(
        "promise_days",
        default=30,
        min=1,
        max=3650,
        help="Promises of a lifetime whose term was over so many days ago are counted no more, "
        "here and in `cospot-nova status`.",
    ),
]

OPTIONS: Final = [
    *_switches,
    *_places,
    *_decision,
    *_plans,
    *_loops,
    *_limits,
    *_proactive,
    *_promises,
    *told_options.OPTIONS,
]

_PATHS: Final = (
    *("state_path", "disable_file", "audit_log", "evictor_model", "lifetime_promises"),
    *("signals_certificate", "signals_key", "signals_client_ca"),
)
#: Without an own value a request to a service that hangs would hold a lock for ever.
_REQUEST_TIMEOUT_S: Final = 30


def _service_options(service_type: str) -> list[Any]:
    options = [
        *loading.get_auth_common_conf_options(),
        *loading.get_session_conf_options(),
        *loading.get_adapter_conf_options(include_deprecated=False),
    ]
    cfg.set_defaults(
        options,
        service_type=service_type,
        valid_interfaces=["internal", "public"],
        timeout=_REQUEST_TIMEOUT_S,
    )
    return options


def register(conf: Any) -> None:
    """Add the service's options to a configuration."""
    conf.register_opts(OPTIONS, group=GROUP)
    conf.register_opts(_service_options("compute"), group=NOVA_GROUP)
    conf.register_opts(_service_options("placement"), group=PLACEMENT_GROUP)


def live(conf: Any) -> LiveOptions:
    """Return the group [cospot_evictor] as all of the service reads it."""
    return LiveOptions(conf, GROUP, OPTIONS, _register_all, faults)


def faults(conf: Any, values: Mapping[str, Any]) -> list[str]:
    """Return what is wrong in the service's files beyond the values' types."""
    logins = _login_options(conf) if conf.config_file or conf.config_dir else None
    services = {NOVA_GROUP: "compute", PLACEMENT_GROUP: "placement"}
    known = {
        group: None if logins is None else [*_service_options(service), *logins]
        for group, service in services.items()
    }
    found = unread(conf, {GROUP: OPTIONS, **known}, required=GROUP)
    return found + relative_paths(GROUP, values, _PATHS)


def _login_options(conf: Any) -> list[Any] | None:
    """Return the options of the ways to log in that the file names; None: not known here."""
    try:
        types = {conf[group].auth_type for group in (NOVA_GROUP, PLACEMENT_GROUP)} - {None}
        found = [loading.get_auth_plugin_conf_options(each) for each in types]
    except exceptions.NoMatchingPlugin:
        return None  # which opening the client says
    return [option for options in found for option in options] if found else None


def _register_all(conf: Any) -> None:
    logging.register_options(conf)
    register(conf)


def list_opts() -> list[tuple[str, list[Any]]]:
    """Return the options by group, for oslo-config-generator."""
    password = loading.get_auth_plugin_conf_options("v3password")
    return [
        (GROUP, OPTIONS),
        (NOVA_GROUP, [*_service_options("compute"), *password]),
        (PLACEMENT_GROUP, [*_service_options("placement"), *password]),
    ]
