"""Which metrics and labels of cospot a PromQL expression or a template names."""

from __future__ import annotations

import re
from typing import Any, Final

_PREFIXES: Final = ("cospot_evictor_", "cospot_scheduler_")
_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_METRIC: Final = re.compile(rf"\b([a-zA-Z_:][\w:]*)\s*(?:\{{((?:{_STRING}|[^{{}}\"])*)\}})?")
_MATCHER: Final = re.compile(rf"\s*([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*{_STRING}\s*(?:,|$)")
_GROUPING: Final = re.compile(r"\b(by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)\)")
_WORDS: Final = {
    *("sum", "max", "min", "avg", "count", "topk", "rate", "increase", "histogram_quantile"),
    *("absent", "clamp_min", "and", "or", "unless", "offset", "vector", "bool"),
}
#: What Prometheus gives to each series of a target.
_OF_TARGETS: Final = {"instance", "job"}


def registered() -> dict[str, set[str]]:
    """Return the labels of every series that is exported, by the name of the series."""
    from cospot.nova.scheduler.metrics import series as scheduler_series
    from cospot.nova.state.records import Metrics
    from prometheus_client import Counter, Gauge, Histogram

    series = dict(scheduler_series())
    for metric in vars(Metrics()).values():
        if not isinstance(metric, (Counter, Gauge, Histogram)):
            continue
        (family,) = metric.describe()
        labels = set(metric._labelnames)
        if isinstance(metric, Counter):
            series[f"{family.name}_total"] = labels
        elif isinstance(metric, Gauge):
            series[family.name] = labels
        else:
            series[f"{family.name}_bucket"] = {*labels, "le"}
            series[f"{family.name}_sum"] = series[f"{family.name}_count"] = labels
    return series


def named(expression: str) -> dict[str, set[str]]:
    """Return the metrics that an expression names, with the labels that it matches or groups by.

    Raises:
        ValueError: a word in it is neither a metric of cospot nor a known part of PromQL.
    """
    grouped: set[str] = set()
    for _, labels in _GROUPING.findall(expression):
        grouped |= {label.strip() for label in labels.split(",") if label.strip()}
    rest = _GROUPING.sub(" ", expression)
    rest = re.sub(r"\[[^\]]*\]|\boffset\s+\w+", " ", rest)
    found: dict[str, set[str]] = {}
    for name, matchers in _METRIC.findall(rest):
        if name in _WORDS:
            continue
        if not name.startswith(_PREFIXES):
            raise ValueError(f"{name!r} in {expression!r}")
        used = found.setdefault(name, set())
        if _MATCHER.sub("", matchers).strip():
            raise ValueError(f"{matchers!r} in {expression!r}")
        used |= set(_MATCHER.findall(matchers)) | grouped
    if not found:
        raise ValueError(f"no metric in {expression!r}")
    return found


def faults(expression: str, series: dict[str, set[str]]) -> list[str]:
    """Return what an expression names that nothing exports."""
    wrong = []
    for name, labels in named(expression).items():
        if name not in series:
            wrong.append(f"no metric {name}")
        else:
            wrong += [f"{name} has no label {each}" for each in labels - series[name] - _OF_TARGETS]
    return wrong


def template_labels(template: Any) -> set[str]:
    """Return the labels that the text of an alert shows."""
    return set(re.findall(r"\$labels\.(\w+)", str(template)))
