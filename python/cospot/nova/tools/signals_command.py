"""`cospot-nova signals`: eviction rate, expected uptime and risk of each spot flavor."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cospot.errors import ConfigError
from cospot.nova.moment import seconds_of
from cospot.nova.promises.asked_lifetime import lifetime_text
from cospot.nova.tools import settings
from cospot.nova.tools.text_table import text_table

_NAME: Final = "signals.json"
_OLD_S: Final = 3600.0
_HEADER: Final = (
    "flavor",
    "running",
    "evictions/h",
    "95% interval",
    "spots",
    "evictions",
    "of 28 days",
    "of ended",
    "lives 1 h",
    "lives 6 h",
    "lives 24 h",
    "median",
    "risk 10 min",
    "risk 60 min",
)
_LEGEND: Final = (
    "evictions/h: per hour that a spot ran; of 28 days: evicted of the spots that ran at some time"
    " in the last 28 days; of ended: evicted of all that ended; lives: share that is not evicted"
    " before, if its owner keeps it; risk: of an eviction of a running spot, mean; -: not known"
)
#: Metric of the text format, its meaning, and the path of its value in a flavor's object.
_METRICS: Final[Sequence[tuple[str, str, tuple[str, ...]]]] = (
    ("running_spots", "Spots that run", ("running",)),
    ("eviction_rate_per_hour", "Evictions per hour that a spot ran", ("eviction_rate", "per_hour")),
    ("eviction_rate_spots", "Spots behind the rate", ("eviction_rate", "spots")),
    (
        "evicted_of_running_28_d_ratio",
        "Evicted of the spots that ran in the last 28 days",
        ("eviction_rate", "of_running_28_d", "share"),
    ),
    (
        "evicted_of_ended_ratio",
        "Evicted of all spots that ended",
        ("eviction_rate", "of_ended", "share"),
    ),
    ("median_uptime_seconds", "Age that half of the spots reach", ("expected_uptime", "median_s")),
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `signals`."""
    parser = commands.add_parser(
        "signals",
        help="show eviction rate, expected uptime and risk of each spot flavor",
        description="Shows what cospot-evictor on this machine knows; it needs signals = true in"
        " [cospot_evictor].",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the file as it is")
    form.add_argument(
        "--prometheus",
        action="store_true",
        help="print Prometheus' text format, for node_exporter's textfile collector",
    )
    parser.add_argument(
        "--signals",
        metavar="PATH",
        help="the file (default: signals.json in state_path of the evictor's configuration)",
    )
    settings.add_evictor_argument(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    found = _read(arguments)
    if arguments.json:
        print(json.dumps(found, indent=1))
    elif arguments.prometheus:
        print("\n".join(_prometheus(found)))
    else:
        print("\n".join(_table(found)))
    age = time.time() - seconds_of(found["as_of"])
    if age > _OLD_S:
        print(
            f"cospot-nova: the signals are of {lifetime_text(age)} ago: does cospot-evictor run?",
            file=sys.stderr,
        )
    return 0


def _read(arguments: argparse.Namespace) -> Mapping[str, Any]:
    from cospot.nova.signals.signals_file import SignalsFileError, signals_from_text

    path = arguments.signals
    if path is None:
        evictor = settings.read_evictor_settings(arguments.evictor_config_file).cospot_evictor
        path = str(Path(evictor.state_path) / _NAME)
    try:
        return signals_from_text(Path(path).read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise ConfigError(
            f"{path}: there is none: set signals = true in [cospot_evictor] where cospot-evictor"
            " runs, and restart it"
        ) from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (SignalsFileError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _value(flavor: Mapping[str, Any], *path: str) -> Any:
    """Return the value at a path in an object; None if there is none."""
    found: Any = flavor
    for name in path:
        if not isinstance(found, Mapping):
            return None
        found = found.get(name)
    return found


def _table(found: Mapping[str, Any]) -> Iterator[str]:
    flavors = found["flavors"]
    yield f"signals of {found['as_of']}, from spots observed since {found['observed_since']}"
    if not flavors:
        yield "no spot has run since"
        return
    yield text_table(_HEADER, [_row(each) for each in flavors])
    yield textwrap.fill(f"({_LEGEND})", 100)
    yield _score_text(found["risk_score"])
    for each in flavors:
        reasons: dict[str, list[str]] = {}
        for name, why in each["unknown"].items():
            reasons.setdefault(why, []).append(name)
        for why, names in reasons.items():
            yield f"{each['flavor']}: no {' and no '.join(names)}: {why}"


def _score_text(score: Mapping[str, Any]) -> str:
    """Describe which estimate of the risk is used, and why."""
    if score["skill"] is None:
        why = f"too few evictions to score it by age: {score['evicted']} on held-out time"
    else:
        skill = f"{score['skill']:.3f} +/- {score['half_width']:.3f}"
        why = f"by age its skill over the base rate on held-out time is {skill}"
    return f"risk is told by {'age' if score['is_told'] else 'the base rate of the flavor'}: {why}"


def _row(flavor: Mapping[str, Any]) -> list[object]:
    rate = flavor.get("eviction_rate") or {}
    interval = rate.get("per_hour_95")
    lives = [
        _percent(_value(flavor, "expected_uptime", "lives_hours", hours, "share"))
        for hours in ("1", "6", "24")
    ]
    risks = [
        _percent(_value(flavor, "risk", f"evicted_within_{minutes}_min"), 2) for minutes in (10, 60)
    ]
    return [
        flavor["flavor"],
        flavor["running"],
        "-" if not rate else f"{rate['per_hour']:.5f}",
        "-" if interval is None else f"{interval[0]:.5f} to {interval[1]:.5f}",
        rate.get("spots", 0),
        rate.get("evictions", 0),
        _percent(_value(rate, "of_running_28_d", "share")),
        _percent(_value(rate, "of_ended", "share")),
        *lives,
        _median(flavor.get("expected_uptime")),
        *risks,
    ]


def _percent(share: float | None, digits: int = 1) -> str:
    return "-" if share is None else f"{100 * share:.{digits}f}%"


def _median(uptime: Mapping[str, Any] | None) -> str:
    if uptime is None:
        return "-"
    if uptime["median_s"] is not None:
        return lifetime_text(uptime["median_s"])
    return f"over {lifetime_text(uptime['observed_up_to_s'])}"


def _prometheus(found: Mapping[str, Any]) -> Iterator[str]:
    flavors = found["flavors"]
    for name, text, path in _METRICS:
        yield from _family(name, text, [(each, "", _value(each, *path)) for each in flavors])
    yield from _family(
        "survival_ratio",
        "Share of spots that is not evicted within some hours",
        [
            (each, f',hours="{hours}"', _value(one, "share"))
            for each in flavors
            for hours, one in (_value(each, "expected_uptime", "lives_hours") or {}).items()
        ],
    )
    yield from _family(
        "risk_ratio",
        "Probability that a running spot is evicted within some minutes",
        [
            (each, f',minutes="{minutes}"', _value(each, "risk", f"evicted_within_{minutes}_min"))
            for each in flavors
            for minutes in (10, 60)
        ],
    )
    as_of = seconds_of(found["as_of"])
    yield "# HELP cospot_signals_timestamp_seconds When the signals were made"
    yield "# TYPE cospot_signals_timestamp_seconds gauge"
    yield f"cospot_signals_timestamp_seconds {as_of:.0f}"


def _family(
    name: str, text: str, samples: Sequence[tuple[Mapping[str, Any], str, float | None]]
) -> Iterator[str]:
    """Yield a metric; unknown values have no sample."""
    yield f"# HELP cospot_signals_{name} {text}"
    yield f"# TYPE cospot_signals_{name} gauge"
    for flavor, labels, value in samples:
        if value is not None:
            shown = flavor["flavor"].replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            yield f'cospot_signals_{name}{{flavor="{shown}"{labels}}} {value:.10g}'
