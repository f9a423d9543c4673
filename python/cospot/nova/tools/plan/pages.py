"""A plan's configuration as text: one page per file, or commands to run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import cospot
from cospot.nova import spot_flavors
from cospot.nova.tools.doctor.configuration_checks import FILTER, WEIGHER, uses_unified_limits
from cospot.nova.tools.plan import flavors
from cospot.nova.tools.plan.flavors import PlannedFlavor
from cospot.nova.tools.plan.nova_setting import STATE, NovaSetting
from cospot.nova.tools.plan.plan_file import Plan

_FILTER_NAME: Final = FILTER.rpartition(".")[2]
_NOVA_CONF: Final = "/etc/nova/nova.conf"
_EXPORTED_DAYS: Final = 14


@dataclass(frozen=True)
class Page:
    """The required contents of one file.

    Attributes:
        name: of the file.
        text: whole lines.
    """

    name: str
    text: str


def pages(
    plan: Plan,
    setting: NovaSetting,
    nova: Any,
    planned: Sequence[PlannedFlavor] | None,
    names: Sequence[str],
) -> list[Page]:
    """Return all pages, in a safe order of application.

    Args:
        plan: what to sell.
        setting: the same for Nova.
        nova: the current nova.conf, from `read_settings`; its filters are kept.
        planned: spot flavors; None if no cloud was queried.
        names: of the flavors to get spot flavors, if no cloud was queried.
    """
    found = []
    if "evictor_model" in setting.evictor:
        found.append(_models_page(str(setting.evictor["evictor_model"])))
    # An evictor older than promises would treat them as faulty plans.
    found += [_evictor_page(setting), _nova_page(plan, setting, nova)]
    found += [_quota_page(plan, setting, nova), _flavor_page(setting, planned, names)]
    if setting.classes:
        found.append(_promise_page(setting))  # needs the existing spot flavors
    return found


def option_text(value: Any) -> str:
    """Return a value in configuration file syntax."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else str(value)


def _section(group: str, options: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> list[str]:
    rows = options.items() if isinstance(options, Mapping) else options
    return ["", f"[{group}]", *(f"{name} = {option_text(value)}" for name, value in rows)]


def _nova_page(plan: Plan, setting: NovaSetting, nova: Any) -> Page:
    group = nova.filter_scheduler
    available = [name for name in group.available_filters if name != FILTER]
    enabled = [name for name in group.enabled_filters if name != _FILTER_NAME]
    classes = list(group.weight_classes)  # server groups with soft affinity need Nova's own too
    lines = [
        "# Into nova.conf of every nova-scheduler, [quota] of nova-api too; then restart both.",
        "# enabled_filters and available_filters are yours, and cospot's last.",
        *_section(
            "filter_scheduler",
            [
                *(("available_filters", name) for name in (*available, FILTER)),
                ("enabled_filters", [*enabled, _FILTER_NAME]),
                ("weight_classes", classes if WEIGHER in classes else WEIGHER),
                ("host_subset_size", 1),
                ("track_instance_changes", True),
            ],
        ),
    ]
    if plan.count_of_hosts() > nova.scheduler.max_placement_results:
        lines += _section("scheduler", {"max_placement_results": plan.count_of_hosts()})
    if _counts_itself(nova):
        lines += _section("quota", {"count_usage_from_placement": True})
    lines += _section("cospot", setting.cospot)
    return Page("nova.conf", _text(lines))


def _counts_itself(nova: Any) -> bool:
    """Tell whether Nova itself counts quotas, so that it must be told to exclude spots."""
    return bool(nova.quota.driver.rpartition(".")[2] == "DbQuotaDriver")


def _evictor_page(setting: NovaSetting) -> Page:
    lines = ["# Into cospot-evictor.conf; then restart cospot-evictor, before nova-scheduler."]
    return Page(
        "cospot-evictor.conf", _text([*lines, *_section("cospot_evictor", setting.evictor)])
    )


def _models_page(model: str) -> Page:
    return Page(
        "models.sh",
        _text(
            [
                "# Survival curves of this cloud's spots, for nova-scheduler and cospot-evictor",
                "# alike; then SIGHUP to the one, a restart of the other.",
                f"cospot-nova history export --config-file {_NOVA_CONF} -o {STATE}/history.csv.gz",
                f"cospot lifetime train {STATE}/history.csv.gz --kind kaplan-meier -o {model}",
            ]
        ),
    )


def _promise_page(setting: NovaSetting) -> Page:
    longest = max(setting.classes)
    days = history_days(longest.hours, longest.target)
    needed = f"# {longest.text} takes {days} days of history with spots, more if any is evicted:"
    return Page(
        "promises.sh",
        _text(
            [
                "# The table of promises: now, and every 6 hours (docs/nova/selling.md#promises).",
                needed,
                "# a shorter history promises less, and spots that ask for more get no host.",
                f"cospot-nova history export --config-file {_NOVA_CONF} --window-days"
                f" {max(days, _EXPORTED_DAYS)} -o {STATE}/history.csv.gz",
                f"cospot-nova promise --config-file {_NOVA_CONF} --history {STATE}/history.csv.gz"
                f" --target {longest.target:g} -o {setting.cospot['lifetime_promises']}",
            ]
        ),
    )


def history_days(hours: float, target: float) -> int:
    """Return the minimum days of history for `cospot-nova promise` to support a lifetime."""
    return math.ceil(hours * (cospot.observations_needed(target) or 0) / 24)


def _quota_page(plan: Plan, setting: NovaSetting, nova: Any) -> Page:
    lines = ["# Quotas (docs/nova/configuration.md#quotas)."]
    if not uses_unified_limits(nova):
        lines.append(
            "# [quota] count_usage_from_placement in nova.conf: spots use none of a project's quota"
            if _counts_itself(nova)
            else "# Nova keeps no quotas here: nothing to do."
        )
        if _counts_itself(nova):
            lines.append("# for VMs but the number of instances. Nothing else to run.")
        return Page("quotas.sh", _text(lines))
    totals = [sum(host[at] for host in plan.hosts()) for at in range(3)]
    lines.append("# All that the plan's hosts have, so that no project is limited: choose less.")
    for resource, total in zip(spot_flavors.SPOT_CLASS_OF, totals, strict=True):
        if resource in setting.cospot["resources"]:
            amount = str(total) if total else "N"
            lines.append(
                "openstack registered limit create --service nova --default-limit"
                f" {amount} class:{spot_flavors.SPOT_CLASS_OF[resource]}"
            )
    return Page("quotas.sh", _text(lines))


def _flavor_page(
    setting: NovaSetting, planned: Sequence[PlannedFlavor] | None, names: Sequence[str]
) -> Page:
    lines = ["# Spot flavors: when nova-scheduler and cospot-evictor run with the files above."]
    without = "" if spot_flavors.DISK_GB in setting.cospot["resources"] else " --without-disk"
    if planned:
        for one in planned:
            lines += flavors.commands(one)
    elif names:
        for base in names:
            for name, lifetime in flavors.spot_names(base, setting.classes).items():
                lines.append(f"cospot-nova flavor create-spot {base} --name {name}{without}")
                if lifetime:
                    lines.append(
                        f"openstack flavor set --property cospot:lifetime={lifetime} {name}"
                    )
    else:
        lines.append("# None: name those to sell as spots with --flavor NAME, once for each.")
    return Page("flavors.sh", _text(lines))


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"
