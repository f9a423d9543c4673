"""Compares a plan with the current state of a cloud."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from cospot.nova import spot_flavors
from cospot.nova.tools.cloud import Cloud, Provider
from cospot.nova.tools.doctor import agreement
from cospot.nova.tools.doctor.cloud_checks import cloud_checks
from cospot.nova.tools.doctor.configuration_checks import configuration_checks
from cospot.nova.tools.doctor.finding import Check, Finding, error, ok, unknown, warning
from cospot.nova.tools.plan import flavors
from cospot.nova.tools.plan.flavors import PlannedFlavor
from cospot.nova.tools.plan.nova_setting import NovaSetting
from cospot.nova.tools.plan.pages import option_text
from cospot.nova.tools.plan.plan_file import Plan

#: The doctor's checks of the settings that a plan makes.
_OF_NOVA: Final = ("filter", "weigher", "host_subset_size", "instance tracking", "quota")
_OF_CLOUD: Final = ("hosts seen", "inventories", "limits")


def configuration_comparison(setting: NovaSetting, nova: Any, evictor: Any) -> list[Check]:
    """Return checks of the existing configuration files.

    Args:
        setting: the plan.
        nova: from `read_settings`.
        evictor: from `read_evictor_settings`.
    """
    if not (nova.config_file or nova.config_dir):
        missing = unknown(
            "there is no nova.conf here: nothing to compare", "name it with --config-file"
        )
        checks = [Check("[cospot]", "", lambda: [missing])]
    else:
        checks = [Check("[cospot]", "", lambda: _options("cospot", setting.cospot, nova.cospot))]
        wanted = [*_OF_NOVA, *["promises"] * bool(setting.classes)]
        checks += [one for one in configuration_checks(nova) if one.name in wanted]
    if not (evictor.config_file or evictor.config_dir):
        absent = unknown(
            "there is no configuration of cospot-evictor here: nothing to compare",
            "name it with --evictor-config-file",
        )
        return [*checks, Check("[cospot_evictor]", "", lambda: [absent])]
    group = evictor.cospot_evictor
    checks.append(Check("[cospot_evictor]", "", lambda: _evictor(setting.evictor, group)))
    if nova.config_file or nova.config_dir:
        checks.append(Check("evictor agrees", "", lambda: agreement.check_agreement(nova, evictor)))
    return checks


def cloud_comparison(
    plan: Plan, nova: Any, cloud: Cloud, planned: Sequence[PlannedFlavor]
) -> list[Check]:
    """Return checks of hosts, inventories, limits and flavors.

    Raises:
        CloudError: Nova does not answer.
    """
    return [
        Check("hosts", "", lambda: _hosts(plan, cloud)),
        *(one for one in cloud_checks(cloud, nova) if one.name in _OF_CLOUD),
        Check("spot flavors", "", lambda: _flavors(planned)),
    ]


def _options(group: str, wanted: Mapping[str, Any], found: Any) -> Iterator[Finding]:
    for name, value in wanted.items():
        now = found[name]
        if _comparable(now) == _comparable(value):
            yield ok(f"{name} is {option_text(value)}")
        else:
            shown = "not set" if now is None or now == "" else option_text(now)
            yield error(
                f"{name} is {shown}, the plan has {option_text(value)}",
                f"[{group}] {name} = {option_text(value)}",
            )


def _comparable(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value


def _evictor(wanted: Mapping[str, Any], found: Any) -> Iterator[Finding]:
    yield from _options("cospot_evictor", wanted, found)
    if found.dry_run or not found.enabled:
        yield warning(
            "evictions are switched off: hosts with more than they hold stay so",
            "[cospot_evictor] enabled = true, dry_run = false",
        )


def _hosts(plan: Plan, cloud: Cloud) -> Iterator[Finding]:
    hypervisors = [one for one in cloud.hypervisors() if one.enabled]
    providers = [one for one in cloud.providers(hypervisors).values() if isinstance(one, Provider)]
    planned = plan.hosts()
    if not planned:
        counts = f"{len(providers)} enabled hosts, the plan counts on {plan.count_of_hosts()}"
        yield ok(counts) if len(providers) >= plan.count_of_hosts() else _too_few(counts)
        return
    for at, resource in enumerate((spot_flavors.VCPU, spot_flavors.MEMORY_MB)):
        needed = sum(host[at] for host in planned)
        there = sum(one.capacity(resource) for one in providers)
        text = (
            f"{len(providers)} enabled hosts have {there} {resource}, the plan counts on {needed}"
            f" of {len(planned)} hosts"
        )
        yield ok(text) if there >= needed else _too_few(text)


def _too_few(text: str) -> Finding:
    return error(
        f"{text}: VMs may lose capacity, and promises may break",
        "plan anew with the hosts that there are: cospot plan --hosts FILE.csv, which cospot-nova"
        " history export writes",
    )


def _flavors(planned: Sequence[PlannedFlavor]) -> Iterator[Finding]:
    if not planned:
        yield unknown("no flavor has a spot flavor yet", "name those to sell with --flavor NAME")
    yield from flavors.look(planned)
