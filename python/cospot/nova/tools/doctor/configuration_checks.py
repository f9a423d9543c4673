"""Checks that need only nova.conf."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

import cospot
from cospot.nova import promises
from cospot.nova.tools.doctor.file_checks import metrics_check
from cospot.nova.tools.doctor.finding import Check, Finding, error, ok, unknown, warning

FILTER: Final = "cospot.nova.scheduler.filter.CospotFilter"
WEIGHER: Final = "cospot.nova.scheduler.weigher.CospotWeigher"
#: Nova supports server groups with soft affinity only if these weighers are enabled. cospot's
#: multiplier outweighs theirs.
_ALL_WEIGHERS: Final = "nova.scheduler.weights.all_weighers"
_FILTER_NAME: Final = FILTER.rpartition(".")[2]


def configuration_checks(settings: Any) -> list[Check]:
    """Return the checks that need only the configuration.

    Args:
        settings: From `read_settings`.
    """
    checks = [
        ("compiled module", "The module _core is built for one version of Python. Where it does not"
         " load Nova places VMs as without cospot, and nothing is planned.", _check_module),
        ("filter", "The filter makes the decision. It must see the hosts that every other filter"
         " has passed, so it is the last.", _check_filter),
        ("weigher", "The weigher turns the decision into the order of hosts. A weigher of another"
         " origin beside it could change that order.", _check_weigher),
        ("host_subset_size", "With more than 1 Nova picks a host at random among the first ones,"
         " and spots are evicted where no VM goes.", _check_subset),
        ("shuffle", "Shuffling hosts of equal weight cannot change the decision: no two weights of"
         " the weigher are equal.", _check_shuffle),
        ("instance tracking", "The filter learns from the computes which spots a host has. Without"
         " it each decision must read them from the database.", _check_tracking),
        ("messages", "Plans go from the scheduler to the evictor over the message bus. Without them"
         " spots go later, when the evictor looks at all hosts.", _check_messages),
        ("policies", "A policy or option that cannot be used makes the scheduler go on as if cospot"
         " were absent.", _check_policies),
        ("promises", "With lifetime_target spots may ask how long they will live. Without a table"
         " of promises that is right and fresh nothing is promised, and nobody is told.",
         _check_promises),
        ("scheduler metrics", "With metrics_directory each nova-scheduler writes its metrics to a"
         " file there. One that cannot only says so in its log.", metrics_check),
        ("initial ratios", "A compute that has just started offers its initial_*_allocation_ratio"
         " until it reports for the first time.", _check_initial_ratios),
        ("quota", "Nova's own count takes a spot's vCPUs and memory off the project's quota for"
         " VMs; a count by placement does not.", _check_quota),
        ("soft delete", "With reclaim_instance_interval a deleted spot keeps its room on the host"
         " until it is reclaimed.", _check_reclaim),
        ("resizes", "A spot whose resize nobody confirms holds capacity on two hosts. The evictor"
         " confirms it only when a VM needs the former one.", _check_resizes),
    ]  # fmt: skip
    return [Check(name, why, partial(look, settings)) for name, why, look in checks]


def _check_module(settings: Any) -> Iterator[Finding]:
    found = cospot.compiled_module_error
    version = sys.version.partition(" ")[0]
    if found is None:
        yield ok(f"cospot {cospot.__version__} in Python {version} ({sys.executable})")
    else:
        yield error(
            f"it does not load in Python {version} ({sys.executable}): {found}",
            "build the wheel with this Python, install it, restart nova-scheduler",
        )


def _check_filter(settings: Any) -> Iterator[Finding]:
    group = settings.filter_scheduler
    enabled, available = group.enabled_filters, group.available_filters
    yes = True
    if FILTER not in available:
        yes = False
        yield error(
            f"available_filters does not name {FILTER}: {_listed(available)}",
            f"[filter_scheduler] available_filters = {FILTER} (one more line beside those there"
            " are; without any, also nova.scheduler.filters.all_filters)",
        )
    if _FILTER_NAME not in enabled:
        yes = False
        yield error(
            f"enabled_filters does not name {_FILTER_NAME}: {_listed(enabled)}",
            f"[filter_scheduler] enabled_filters = {','.join([*enabled, _FILTER_NAME])}",
        )
    elif enabled[-1] != _FILTER_NAME or enabled.count(_FILTER_NAME) > 1:
        yes = False
        others = [name for name in enabled if name != _FILTER_NAME]
        yield error(
            f"{_FILTER_NAME} is not the last of enabled_filters: {_listed(enabled)}",
            f"[filter_scheduler] enabled_filters = {','.join([*others, _FILTER_NAME])}",
        )
    if yes:
        yield ok(f"{_FILTER_NAME} is the last of {len(enabled)} filters")


def _check_weigher(settings: Any) -> Iterator[Finding]:
    classes = settings.filter_scheduler.weight_classes
    if classes == [WEIGHER]:
        yield ok(f"the only weight class (for soft affinity add {_ALL_WEIGHERS})")
    elif sorted(classes) == sorted([WEIGHER, _ALL_WEIGHERS]):
        yield ok("beside Nova's own, for server groups with soft affinity; it outweighs them")
    else:
        yield error(
            f"weight_classes is {_listed(classes)}",
            f"[filter_scheduler] weight_classes = {WEIGHER}; to keep the weighers of before, name"
            " them in [cospot] vm_weighers and set vm_policy = nova",
        )


def _check_subset(settings: Any) -> Iterator[Finding]:
    size = settings.filter_scheduler.host_subset_size
    if size <= 1:  # Nova treats less than 1 as 1
        yield ok("1")
    else:
        yield error(f"host_subset_size is {size}", "[filter_scheduler] host_subset_size = 1")


def _check_shuffle(settings: Any) -> Iterator[Finding]:
    shuffle = settings.filter_scheduler.shuffle_best_same_weighed_hosts
    yield ok("on: changes nothing" if shuffle else "off")


def _check_tracking(settings: Any) -> Iterator[Finding]:
    if settings.filter_scheduler.track_instance_changes:
        yield ok("on (every compute must have it on too)")
    else:
        yield warning(
            "track_instance_changes is off",
            "[filter_scheduler] track_instance_changes = true for schedulers and computes; leave it"
            " off only where cells cannot call up",
        )


def _check_messages(settings: Any) -> Iterator[Finding]:
    group = settings.oslo_messaging_notifications
    transport = group.transport_url or settings.transport_url
    if not urlsplit(transport).netloc:  # the default is rabbit://
        yield error(
            "there is no message bus: transport_url names no host",
            "[DEFAULT] transport_url = rabbit://USER:PASSWORD@HOST:5672/",
        )
        return
    yield ok(f"plans go to the topic {settings.cospot.plan_topic}")


def _check_policies(settings: Any) -> Iterator[Finding]:
    from cospot.nova.scheduler import options
    from cospot.nova.scheduler.settings import check_weighers, make_policies, read_settings

    group = settings.cospot
    yield from faults_found(options.faults(settings, group))
    check_weighers("fallback_weighers", group.fallback_weighers)
    if cospot.compiled_module_error is not None:
        yield unknown("the compiled module does not load: policies cannot be made", "see above")
        return
    make_policies(read_settings(group))
    if not group.enabled:
        yield warning(
            "[cospot] enabled is false: cospot decides nothing", "[cospot] enabled = true"
        )
    elif group.dry_run:
        yield warning(
            "[cospot] dry_run is true: decisions are only logged", "[cospot] dry_run = false"
        )
    else:
        saf = "on" if group.saf else "off"
        yield ok(
            f"VMs {group.vm_policy}, spots {group.spot_policy}, evictor {group.evictor},"
            f" OTN {group.otn}, SAF {saf}"
        )
    attempts = settings.scheduler.max_attempts
    if group.plan_hosts < attempts:
        yield warning(
            f"plan_hosts is {group.plan_hosts}, but [scheduler] max_attempts is {attempts}: a VM"
            " that is built on its last alternate finds no plan there",
            f"[cospot] plan_hosts = {attempts}",
        )


def faults_found(faults: Iterable[str]) -> Iterator[Finding]:
    """Yield an error for each fault of a configuration file."""
    for fault in faults:
        yield error(fault, "correct the file: nobody reads what is misspelt")


def _check_promises(settings: Any) -> Iterator[Finding]:
    from cospot.nova.scheduler.promise_file import PromiseFile

    group = settings.cospot
    target = group.lifetime_target
    if target is None:
        if group.lifetime_promises:
            yield warning(
                "lifetime_promises is set, lifetime_target is not: nothing is promised",
                "[cospot] lifetime_target = 0.05, or another share that may be broken",
            )
        else:
            yield ok("off: spots are promised no lifetime")
        return
    if group.evictor != promises.EVICTOR:
        yield warning(
            f"lifetime_target is set with evictor = {group.evictor}: lifetimes are estimated as if"
            " the youngest spots went first",
            f"evictor = {promises.EVICTOR} in [cospot] and in [cospot_evictor]",
        )
    table, problem = PromiseFile(patience=5.0).look(group.lifetime_promises, group.promises_max_age)
    make = "cospot-nova promise --history FILE -o PATH, again every few hours"
    if table is None:
        yield error(
            f"nothing is promised: {problem}",
            make if group.lifetime_promises else f"{make}; [cospot] lifetime_promises = PATH",
        )
    elif table.target_index(target) is None:
        made = ", ".join(f"{each:g}" for each in table.targets)
        yield error(
            f"nothing is promised: {group.lifetime_promises} has no promises for lifetime_target"
            f" {target:g}, only for {made}",
            f"cospot-nova promise --target {target:g}, or one of those as lifetime_target",
        )
    else:
        kept = f"{100 * (1 - target):g} %"
        yield ok(f"{kept} live as long as promised; {len(table.sizes)} sizes of spots in the table")


def _check_initial_ratios(settings: Any) -> Iterator[Finding]:
    for resource in ("cpu", "ram", "disk"):
        option = f"{resource}_allocation_ratio"
        ratio, initial = settings[option], settings[f"initial_{option}"]
        # Without a value of its own (0 counts as none) the initial one applies.
        if not ratio:
            yield ok(f"{resource}: {initial} from the start")
        elif ratio != initial:
            yield warning(
                f"{option} is {ratio}, initial_{option} is {initial}",
                f"[DEFAULT] initial_{option} = {ratio} on the computes",
            )
        else:
            yield ok(f"{resource}: {ratio}")


def uses_unified_limits(settings: Any) -> bool:
    """Tell whether Keystone keeps the quotas."""
    return bool(settings.quota.driver.rpartition(".")[2] == "UnifiedLimitsDriver")


def _check_quota(settings: Any) -> Iterator[Finding]:
    group = settings.quota
    driver = group.driver.rpartition(".")[2]
    if uses_unified_limits(settings):
        yield ok("unified limits; limit spots with class:CUSTOM_SPOT_VCPU and the like")
    elif driver == "NoopQuotaDriver":
        yield ok("there are no quotas")
    elif group.count_usage_from_placement:
        yield ok("counted by placement: spots have none but the number of instances")
    else:
        yield warning(
            "count_usage_from_placement is off: spots use up their project's quota for VMs",
            "[quota] count_usage_from_placement = true, or unified limits",
        )


def _check_reclaim(settings: Any) -> Iterator[Finding]:
    seconds = settings.reclaim_instance_interval
    if seconds > 0:
        yield warning(
            f"reclaim_instance_interval is {seconds} s: a spot that its owner deletes keeps its"
            " room for that long (the evictor deletes by force, and is not held up)",
            "[DEFAULT] reclaim_instance_interval = 0, or accept it",
        )
    else:
        yield ok("off")


def _check_resizes(settings: Any) -> Iterator[Finding]:
    seconds = settings.resize_confirm_window
    if seconds > 0:
        yield ok(f"confirmed after {seconds} s")
    else:
        yield warning(
            "resize_confirm_window is 0: a resize that its owner does not confirm holds both hosts"
            " until a VM needs the former one",
            "[DEFAULT] resize_confirm_window = 86400 on the computes",
        )


def _listed(values: Any) -> str:
    return ", ".join(values) or "empty"
