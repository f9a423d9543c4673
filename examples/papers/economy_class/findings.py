"""Every figure and printed number of the paper beside what came out here."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cospot.provider.economy import Backtest, TradeOff
from reproduction.finding import Finding, not_public, not_tested
from reproduction.page import percent

#: Backtests by the short name of their usage.
Reports = Mapping[str, Backtest]
#: A text about a backtest, and what is judged: one measurement, or several by name.
Judge = Callable[[Backtest], tuple[str, Any] | None]
#: The usage that comes from a cluster of Google's.
GOOGLE = "Google's trace of 2019"
#: The end of the names of usage of memory.
MEMORY = " memory"

_OTHERS = (
    "other clusters were measured, most over weeks and not half-years: the six of Google's are "
    "not public"
)
_UNSAID = f"{_OTHERS}, and the paper does not say what made it so"
_NONE_PROMISED = "theta is 1 where nothing is promised"
#: Section 5.1: around 2 hours.
_PUBLISHED_S = 7200
_ALL = (0.5, 0.6, 0.7, 0.8, 0.9)
_USAGE = "usage of"


def all_findings(
    reports: Reports, seconds: float, parts_of_slack: tuple[float, float] | None = None
) -> list[Finding]:
    """Compare all that the paper published, in its order.

    Args:
        reports: Backtests by the short name of their usage.
        seconds: How long they took.
        parts_of_slack: Standard deviations in Google's trace of what is not reserved, and of what
            is but is unused.
    """
    sellable = {name: past for name, past in reports.items() if _can_promise(past)}
    return [
        *_figures_2_to_4(reports, parts_of_slack),
        *_section_5_1(reports, seconds),
        *_figure_6(sellable),
        *_figure_7(sellable),
        *_figure_8(sellable),
        *_figure_9(sellable),
    ]


def _can_promise(past: Backtest) -> bool:
    """Tell whether there is anything to promise; without it every promise of nothing is kept."""
    oracle = _at(past, "oracle")
    return oracle is None or oracle.result.quantity > 0


def _at(past: Backtest, forecaster: str, confidence: float = 0.9) -> TradeOff | None:
    for one in past.trade_offs:
        if one.forecaster == forecaster and one.confidence == confidence:
            return one
    return None


def _several(
    source: str,
    what: str,
    paper: str,
    reports: Reports,
    judge: Judge,
    kind: str,
    target: Any,
    claim: str,
    because: str = _OTHERS,
    series: str = "every",
    together: bool = False,
) -> Finding:
    """Return a finding about every usage that `judge` has a text and a measurement for.

    Args:
        source: As of `Finding`, like all that is not below.
        what: ...
        paper: ...
        reports: ...
        judge: ...
        kind: ...
        target: ...
        claim: ...
        because: ...
        series: ...
        together: The paper says it of all clusters together: judged is the mean over the usages.
    """
    judged = {name: found for name, past in reports.items() if (found := judge(past))}
    if not judged:
        return not_tested(source, what, paper, "no usage or forecaster was given that tells it")
    between = "; " if any("," in text for text, _ in judged.values()) else ", "
    measured: Any = {}
    for name, (_, value) in judged.items():
        parts = value if isinstance(value, Mapping) else {"": value}
        measured.update({f"{name} {part}".strip(): one for part, one in parts.items()})
    return Finding(
        source,
        what,
        paper,
        between.join(f"{name} {text}" for name, (text, _) in judged.items()),
        kind,
        target,
        _means(measured.values()) if together else measured,
        claim,
        series,
        data=f"{_USAGE} {', '.join(judged)}",
        because=because,
    )


def _means(rows: Iterable[Sequence[float | None]]) -> list[float | None]:
    """Return the mean of each place; None is left out, unless there is no more."""
    columns = [[one for one in column if one is not None] for column in zip(*rows, strict=True)]
    return [sum(column) / len(column) if column else None for column in columns]


def _figures_2_to_4(
    reports: Reports, parts_of_slack: tuple[float, float] | None
) -> Iterator[Finding]:
    ceilings = "ceilings of the users of Google's clusters were never published"
    yield not_public(
        "Figure 2", "ceiling utilization of a user: median; below 1%, above 99% of the ceiling",
        "30% to 63%; in 38%, in 15% of the samples", ceilings,
        "says the range over the clusters, and shares of the samples",
    )  # fmt: skip
    yield not_public(
        "Figure 2", "ceiling utilization of a cluster, median; below 1% and above 81%",
        "55% to 75%; each in less than 1% of the samples", ceilings,
        "says the range over the clusters, and shares of the samples",
    )  # fmt: skip
    memory = {name: past for name, past in reports.items() if name.endswith(MEMORY)}
    # The claims describe Google's clusters: another of them tells more than other clouds.
    cpu = {name: past for name, past in reports.items() if name == GOOGLE} or {
        name: past for name, past in reports.items() if name not in memory
    }
    yield _several(
        "Figure 3", "mean slack of CPU", "57%", cpu,
        lambda past: (percent(past.usage.slack_mean), past.usage.slack_mean),
        "value", 0.57, "says the mean of Google's clusters",
    )  # fmt: skip
    apart = parts_of_slack and [f"{100 * deviation:.1f}" for deviation in parts_of_slack]
    yield Finding(
        "Figure 3", "reservation and allocation slack vary more than usage slack", "drawn",
        f"standard deviation in points: {apart[0]} of what is not reserved, {apart[1]} of what is "
        "reserved and unused" if apart else "",
        claim="both vary more over time than usage slack", flag="not tested",
        data=f"{_USAGE} {GOOGLE}" if apart else "none",
        because="it takes the sums of reservations and of limits apart, from the tables "
        "instance_events and instance_usage of Google's trace of 2019",
    )  # fmt: skip
    for name, those, share in (("CPU", cpu, 0.45), ("memory", memory, 0.43)):
        yield _several(
            "Figure 4", f"99% of the samples leave more {name} unused than", f"{share:.0%}", those,
            lambda past: (percent(past.usage.slack_p1), past.usage.slack_p1),
            "at least", share, "nearly all the time more than this is unused",
        )  # fmt: skip
    yield not_tested(
        "Figure 4", "99% of the samples leave more disk unused than", "89%",
        "it takes the use of disks over time, such as that of Google's trace of 2011",
        "nearly all the time more than this is unused",
    )  # fmt: skip


def _section_5_1(reports: Reports, seconds: float) -> Iterator[Finding]:
    yield Finding(
        "section 5.1", "time of all predictions", "around 2 hours", f"{seconds:.0f} s",
        "value or less", _PUBLISHED_S, seconds, "says how long they took",
        data=f"{_USAGE} {', '.join(reports)}", because="more usage was predicted",
    )  # fmt: skip
    what = "ETS at 0.9 on memory, then CPU: availability; promised, of the mean slack (each near)"
    for name in reports:
        if name.endswith(MEMORY) and name.removesuffix(MEMORY) in reports:
            yield _memory_beside_cpu(reports, name, what)
            return
    yield not_tested("section 5.1", what, "similar", "no usage has both CPU and memory")


def _memory_beside_cpu(reports: Reports, name: str, what: str) -> Finding:
    both = [reports[name], reports[name.removesuffix(MEMORY)]]
    ets = [one for past in both if (one := _at(past, "ets"))]
    if len(ets) < 2:
        return not_tested("section 5.1", what, "similar", "ETS was not asked for")
    available = [one.result.availability for one in ets]
    promised = [
        one.result.quantity / past.usage.slack_mean for one, past in zip(ets, both, strict=True)
    ]
    return Finding(
        "section 5.1",
        what,
        "similar",
        f"{', '.join(map(percent, available))}; {', '.join(map(percent, promised))}",
        "value",
        1,
        [available[0] / available[1], promised[0] / promised[1]],
        "memory is like CPU",
        data=f"{_USAGE} {name}, {name.removesuffix(MEMORY)}",
        because=_OTHERS,
    )


def _rising(past: Backtest) -> tuple[str, Any] | None:
    """Return the median errors by confidence of all forecasters that have intervals."""
    parts, found = [], {}
    for forecaster in ("mean", "arima", "ets"):
        levels = [one for level in _ALL if (one := _at(past, forecaster, level))]
        errors = [one.error_quantiles[50] for one in levels]
        if errors:
            parts.append(f"{forecaster} {percent(errors[0])} to {percent(errors[-1])}")
            found[forecaster] = errors
    return (", ".join(parts), found) if parts else None


def _availability(past: Backtest, forecaster: str) -> list[float]:
    """Return the availability at each confidence, in rising order."""
    return [one.result.availability for c in _ALL if (one := _at(past, forecaster, c))]


def _mean(past: Backtest) -> tuple[str, Any] | None:
    kept = _availability(past, "mean")
    text = f"{percent(kept[0])} to {percent(kept[-1])}" if kept else ""
    return (text, _by_level(kept)) if kept else None


def _by_level(values: list[Any]) -> dict[str, Any]:
    return {f"at {level:g}": value for level, value in zip(_ALL, values, strict=False)}


def _beside_oracle(forecaster: str) -> Judge:
    """Return a judge of what is promised at 0.9, beside the oracle's."""

    def judge(past: Backtest) -> tuple[str, Any] | None:
        one, oracle = _at(past, forecaster), _at(past, "oracle")
        if not one or not oracle:
            return None
        promised = [one.result.quantity, oracle.result.quantity]
        return f"{percent(promised[0])} of {percent(promised[1])}", promised

    return judge


def _arima(past: Backtest) -> tuple[str, Any] | None:
    kept = _availability(past, "arima")
    return (percent(kept[-1]), [kept[-1], 1]) if kept else None


def _ets(past: Backtest) -> tuple[str, Any] | None:
    ones = [one for level in _ALL if (one := _at(past, "ets", level))]
    if not ones:
        return None
    kept = [one.result.availability for one in ones]
    text = f"{percent(kept[0])} to {percent(kept[-1])}{_of_nothing(ones[-1])}"
    return text, [None if _of_nothing(one) else one.result.availability for one in ones]


def _of_nothing(one: TradeOff) -> str:
    """Return a remark where a promise is kept because it is of nothing, else nothing."""
    return " (nothing promised)" if percent(one.result.quantity) == "0.0%" else ""


def _figure_6(reports: Reports) -> Iterator[Finding]:
    rises = _several(
        "Figure 6", "median error at confidence 0.5 to 0.9", "rises with the confidence (drawn)",
        reports, _rising, "ordering", "<=", "a more careful forecast errs more",
        "a promise is the lower end of an interval, and that falls with the confidence",
    )  # fmt: skip
    yield replace(rises, flag="definition" if rises.kind else rises.flag)
    yield _several(
        "Figure 6", "Mean: availability at 0.5 to 0.9", "no shortage in most scenarios",
        reports, _mean, "at least", 1, "most scenarios have no shortage", _UNSAID, "most",
    )  # fmt: skip
    yield _several(
        "Figure 6", "Mean: promised at 0.9, of what the oracle promises", "all too conservative",
        reports, _beside_oracle("mean"), "direction", "<",
        "each of its predictions is below what could be promised", _UNSAID,
    )  # fmt: skip
    yield _several(
        "Figure 6", "Minimum: promised, of what the oracle promises; judged: the mean of all",
        "simply too conservative", reports, _beside_oracle("minimum"), "direction", "<",
        "over all clusters it promises less than could be", _UNSAID, together=True,
    )  # fmt: skip
    yield _several(
        "Figure 6", "ARIMA: availability at 0.9", "shortages even then", reports, _arima,
        "direction", "<", "there are shortages even at high confidence", _UNSAID, "some",
    )  # fmt: skip
    yield _several(
        "Figure 6", "ETS: availability at 0.5 to 0.9; judged: the mean of all that promise",
        "shortages get fewer", reports, _ets, "ordering", "<=",
        "over all clusters more confidence means fewer shortages", together=True,
    )  # fmt: skip


def _figure_7(reports: Reports) -> Iterator[Finding]:
    def varies(past: Backtest) -> tuple[str, Any] | None:
        shares = [
            one.least_slack / one.mean_slack for one in past.predictions if one.mean_slack > 0
        ]
        return (f"{min(shares):.2f}", min(shares)) if shares else None

    yield _several(
        "Figure 7", "least slack of a cycle over its mean, where it is least",
        "slack varies much in some periods (drawn)", reports, varies,
        "at most", 0.5, "in some periods slack falls far below its mean: to half of it",
        series="some",
    )  # fmt: skip


def _share(forecaster: str, confidence: float, what: str) -> Judge:
    """Return a judge of a result of a forecaster; nothing promised is no promise kept."""

    def judge(past: Backtest) -> tuple[str, Any] | None:
        one = _at(past, forecaster, confidence)
        if not one:
            return None
        value = float(getattr(one.result, what))
        if what == "availability" and _of_nothing(one):
            return percent(value) + _of_nothing(one), None
        return percent(value), value

    return judge


def _figure_8(reports: Reports) -> Iterator[Finding]:
    at, told = "Figure 8", "says the range over the clusters"
    for forecaster, name, level, what, paper, ends in (
        ("ets", "ETS at 0.9: promised", 0.9, "quantity", "6.7% to 17.3%", (0.067, 0.173)),
        ("ets", "ETS at 0.9: availability", 0.9, "availability", "98.9% to 100%", (0.989, 1)),
        ("ets", "ETS at 0.5: promised", 0.5, "quantity", "28.4% to 40.4%", (0.284, 0.404)),
        ("ets", "ETS at 0.5: availability", 0.5, "availability", "88.7% to 100%", (0.887, 1)),
        ("oracle", "oracle: promised", 0.9, "quantity", "30.7% to 52.1%", (0.307, 0.521)),
    ):
        found = _several(
            at, name, paper, reports, _share(forecaster, level, what), "range", ends, told
        )
        is_headline = name == "ETS at 0.9: availability"
        yield replace(found, headline="capacity promised is there" if is_headline else "")
    yield _several(
        at, "ETS: least availability at any confidence",
        "almost 100% on clusters 2, 3 and 6 of six", reports,
        lambda past: (percent(min(kept)), min(kept))
        if (kept := _availability(past, "ets"))
        else None,
        "at least", 0.99, "some clusters have almost no shortage, whatever the confidence",
        series="some",
    )  # fmt: skip


def _theta(forecaster: str, confidence: float, price: float) -> Judge:
    """Return a judge of theta, with three decimals as printed; of usage that has a theta."""

    def judge(past: Backtest) -> tuple[str, Any] | None:
        one = _at(past, forecaster, confidence)
        value = one.theta[past.prices.index(price)] if one else None
        if one is None or value is None:
            return None
        return f"{value:.3f}{_of_nothing(one)}", None if _of_nothing(one) else round(value, 3)

    return judge


def _scenarios(prices: Sequence[float], *, with_nothing: bool) -> Judge:
    """Return a judge of ETS' theta, beside 1, at some prices and every confidence.

    Args:
        prices: ...
        with_nothing: Where nothing is promised it counts as no profit; else it is left out.
    """

    def judged(past: Backtest) -> tuple[str, Any] | None:
        found = {}
        for price, level in itertools.product(prices, _ALL):
            one = _at(past, "ets", level)
            theta = one.theta[past.prices.index(price)] if one else None
            if one is None or theta is None or (_of_nothing(one) and not with_nothing):
                continue
            found[f"at {level:g}, price {price:g}"] = [None if _of_nothing(one) else theta, 1]
        thetas = [theta for theta, _ in found.values() if theta is not None]
        if not thetas:
            return None
        return f"{min(thetas):.3f} to {max(thetas):.3f}", found

    return judged


def _figure_9(reports: Reports) -> Iterator[Finding]:
    yield not_public(
        "section 5.4", "price of spots, of on demand: by type; mean", "15.4% to 59.9%; 31.8%",
        "EC2 shows the prices of the last 90 days, and no copy of those from December 2013 to "
        "March 2014 was found; 31.8% is taken as given",
        "says the range over four types, and the mean",
    )  # fmt: skip
    at, told = "Figure 9", "says the range over the clusters"
    theta = _several(at, "theta of ETS at 0.9, price 0.7", "1.22 to 1.60", reports,
                     _theta("ets", 0.9, 0.7), "range", (1.22, 1.60), told)  # fmt: skip
    yield replace(theta, headline="profit against spots alone (theta), of ETS at price 0.7")
    yield _several(at, "theta of ETS at 0.5, price 0.5", "1.41 to 1.50", reports,
                   _theta("ets", 0.5, 0.5), "range", (1.41, 1.50), told)  # fmt: skip
    # Nobody gets more than 1 / 0.318 = 3.1447 of it, and at a price below 0.318 nobody gets 1.
    cheap = _several(at, "theta of ETS at price 0.3", "below 1", reports,
                     _scenarios([0.3], with_nothing=False), "direction", "<",
                     "so low a price does not pay", "spots pay more: 0.318")  # fmt: skip
    yield replace(cheap, flag="definition" if cheap.kind else cheap.flag)
    yield _several(
        at, "theta of ETS at the prices 0.5, 0.7 and 1", "above 1 almost always", reports,
        _scenarios([0.5, 0.7, 1.0], with_nothing=True), "direction", ">",
        "almost all prices above that of spots pay", _NONE_PROMISED, "nearly all",
    )  # fmt: skip
    largest = _several(at, "largest theta: oracle at price 1", "3.145 (drawn)", reports,
                       _theta("oracle", 0.9, 1.0), "value", 3.145,
                       "draws it", "it is 1 / 0.318, the price of spots")  # fmt: skip
    yield replace(largest, flag="definition" if largest.kind else largest.flag)
