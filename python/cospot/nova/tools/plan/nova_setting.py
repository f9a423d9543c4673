"""Translates a plan to options of the scheduler part and the evictor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cospot
from cospot.errors import ConfigError
from cospot.nova import promises, spot_flavors
from cospot.nova.evictor_policy import make_evictor_policy
from cospot.nova.scheduler.settings import NOVA_POLICY
from cospot.nova.tools.plan.plan_file import Plan, PromisedClass

STATE: Final = "/var/lib/cospot"
#: Default of [cospot] lifetime_target.
_LEAST_TARGET, _MOST_TARGET = 0.0001, 0.5
_PORTED: Final = "nova/"


@dataclass(frozen=True)
class NovaSetting:
    """The part of a plan that Nova can express.

    Attributes:
        cospot: options of [cospot] in nova.conf.
        evictor: options of [cospot_evictor].
        classes: promised lifetimes that can be sold, all with one probability.
        cannot: parts of the plan that Nova cannot express, one sentence each.
        notes: further remarks, one sentence each.
    """

    cospot: Mapping[str, Any]
    evictor: Mapping[str, Any]
    classes: Sequence[PromisedClass] = ()
    cannot: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def target(self) -> float | None:
        """The share of promises that may be broken; None without promises."""
        return self.classes[0].target if self.classes else None


@dataclass
class _Draft:
    cannot: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def nova_setting(
    plan: Plan, *, with_disk: bool = True, probability: float | None = None
) -> NovaSetting:
    """Return the settings for Nova.

    Args:
        plan: a plan that sells something.
        with_disk: whether instances have their disks on their hosts.
        probability: of the promised lifetimes to sell; None: the one with the most classes.

    Raises:
        ConfigError: the plan lacks a setting, or sells nothing with that probability.
    """
    draft = _Draft()
    resources = [spot_flavors.VCPU, spot_flavors.MEMORY_MB]
    resources += [spot_flavors.DISK_GB] * with_disk
    own: dict[str, Any] = {}
    for option, key, who in (("vm_policy", "vm", "VMs"), ("spot_policy", "spot", "spots")):
        policy = _policy(plan.one(key), who, draft)
        if policy is not None:
            own[option] = policy
    eviction = _evictor(plan, draft)
    own |= eviction
    own["otn"] = _otn(plan)
    own["saf"] = _saf(plan)
    own["resources"] = resources
    classes = _classes(plan, eviction.get("evictor"), probability, draft)
    if classes:
        own["lifetime_target"] = classes[0].target
        own["lifetime_promises"] = f"{STATE}/promises.json"
    if plan.sells_economy:
        draft.cannot.append(_economy(plan))
    if plan.others:
        draft.notes.append(
            f"the plan's runs also had {', '.join(plan.others)}: what it assumes of the cloud, and"
            " nothing that is configured here"
        )
    evictor = {**eviction, "resources": resources}
    return NovaSetting(own, evictor, classes, draft.cannot, draft.notes)


def _policy(entry: Any, who: str, draft: _Draft) -> str | None:
    """Return the policy's name in nova.conf; None if it has none."""
    weighers = _weighers(entry)
    names = [name for name, _ in weighers]
    shown = " + ".join(names) or f"{entry!r:.60}"
    ported = {one.name for one in cospot.list_weighers() if one.source.startswith(_PORTED)}
    if len(weighers) > 1 and ported.issuperset(names):
        if who == "VMs":
            draft.cannot.append(
                f"the plan's {shown} see spots when they place VMs: vm_policy = {NOVA_POLICY} hides"
                " spots from Nova's weighers, so VMs go elsewhere than in the plan"
            )
        return NOVA_POLICY
    plain = len(weighers) == 1 and not weighers[0][1] and "filters" not in entry
    if not plain:
        draft.cannot.append(
            f"{who} are placed by {shown}: Nova takes one weigher without options"
            " or filters of its own; plan with such policies (--vm, --spot)"
        )
        return None
    try:
        cospot.Chain([names[0]])
    except cospot.CospotError as error:
        draft.cannot.append(f"{who} are placed by {shown}, which is not to be had here: {error}")
        return None
    return names[0]


def _weighers(entry: Any) -> list[tuple[str, bool]]:
    """Return the weighers of a study file's chain, each with whether it has options."""
    if isinstance(entry, str):
        return [(entry, False)]
    if not isinstance(entry, dict):
        return []
    if "weighers" in entry:
        inner = entry["weighers"]
        return [one for each in inner for one in _weighers(each)] if isinstance(inner, list) else []
    return [(str(entry.get("name")), bool(entry.keys() - {"name", "label"}))]


def _evictor(plan: Plan, draft: _Draft) -> dict[str, Any]:
    entry = plan.one("evictor")
    entry = entry if isinstance(entry, dict) else {"name": entry}
    name, model = str(entry.get("name")), str(entry.get("model") or "")
    if model:
        model = str((plan.path.parent / model).resolve())
    known = {one.name: one for one in cospot.list_evictors()}
    is_known = name in known and known[name].is_for_nova
    if is_known and known[name].needs_lifetime_model:
        if not model:
            model = f"{STATE}/curves.txt"
            draft.notes.append(
                f"{name} needs survival curves of your spots, and the plan's run had those that"
                f" come with synthetic workloads: make {model} as models.sh does"
            )
        elif not Path(model).is_file():
            draft.notes.append(f"{name} needs {model}, which is not here")
        return {"evictor": name, "evictor_model": model}
    try:
        make_evictor_policy(name)
    except ConfigError as error:
        valid = [one.name for one in known.values() if one.is_for_nova]
        draft.cannot.append(
            f"spots are evicted by {name}: {error}; plan with --evictor {','.join(valid)}"
        )
        return {}
    return {"evictor": name}


def _otn(plan: Plan) -> str:
    from cospot._core import _offer_label

    try:
        return _offer_label(plan.one("otn"))
    except (ConfigError, TypeError) as error:
        raise ConfigError(f"{plan.path}: {error}") from error


def _saf(plan: Plan) -> bool:
    value = plan.one("saf")
    if not isinstance(value, bool):  # YAML parses on and off as booleans
        raise ConfigError(f"{plan.path}: saf: found {value!r:.60}, expected on or off")
    return value


def _classes(
    plan: Plan, evictor: str | None, probability: float | None, draft: _Draft
) -> list[PromisedClass]:
    """Return the classes to sell: with the plan's lifetimes, all with one probability."""
    if not plan.classes:
        if probability is not None:
            raise ConfigError(f"{plan.path}: --probability {probability:g}: nothing is promised")
        return []
    if evictor != promises.EVICTOR:
        draft.cannot.append(
            f"lifetimes are promised ({len(plan.classes)} classes) with another evictor than"
            f" {promises.EVICTOR}: Nova's table of promises is estimated as if the youngest spots"
            f" went first, so nothing is promised; plan with --evictor {promises.EVICTOR} to sell"
            " them"
        )
        return []
    possible = [one for one in plan.classes if _LEAST_TARGET <= one.target <= _MOST_TARGET]
    counts = Counter(one.probability for one in possible)
    if probability is not None and probability not in counts:
        found = ", ".join(f"{each:g}" for each in sorted(counts))
        raise ConfigError(
            f"{plan.path}: --probability {probability:g}: expected one that the plan sells: {found}"
        )
    if probability is None and counts:
        probability = max(counts, key=lambda each: (counts[each], each))
    sold = [one for one in possible if one.probability == probability]
    _tell_left_out(plan.classes, sold, draft)
    return sold


def _tell_left_out(
    classes: Iterable[PromisedClass], sold: Sequence[PromisedClass], draft: _Draft
) -> None:
    """Note the classes that are not sold and that no sold class covers."""
    left = [
        one.text
        for one in classes
        if not any(each.hours >= one.hours and each.target <= one.target for each in sold)
    ]
    if left:
        with_one = f"{100 * sold[0].probability:g} %" if sold else "none that the plan has"
        draft.cannot.append(
            f"Nova promises with one probability, here {with_one} ([cospot] lifetime_target):"
            f" {', '.join(left)} {'is' if len(left) == 1 else 'are'} not sold; --probability"
            " chooses another"
        )


def _economy(plan: Plan) -> str:
    return (
        f"{plan.one('economy_percent')} % of what is asked for is to be sold as Economy"
        " instances: the plugin knows VMs and spots and no level between them, so that share is"
        " sold as plain spots or not at all"
    )
