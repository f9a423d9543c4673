"""Every figure and printed number of the paper beside what came out here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from cospot.provider.economy import Backtest, TradeOff
from reproduction.judging import is_near, not_tested, of_several
from reproduction.page import Finding, percent

#: Backtests by the short name of their usage.
Reports = Mapping[str, Backtest]
#: The end of the names of usage of memory.
MEMORY = " memory"

_OTHERS = (
    "other clusters were measured, most over weeks and not half-years: the six of Google's are "
    "not public"
)
_UNSAID = f"{_OTHERS}, and the paper does not say what made it so"
_NONE_PROMISED = "theta is 1 where nothing is promised"
_ALL = (0.5, 0.6, 0.7, 0.8, 0.9)
_USAGE = "usage of"


def all_findings(reports: Reports) -> list[Finding]:
    """Compare all that the paper published, in its order."""
    sellable = {name: past for name, past in reports.items() if _can_promise(past)}
    return [
        *_figures_2_to_4(reports),
        *_section_5_1(reports),
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
    judge: Callable[[Backtest], tuple[str, bool] | None],
    because: str = _OTHERS,
) -> Finding:
    """Return a finding about every usage that `judge` has a text and a verdict for."""
    judged = {name: found for name, past in reports.items() if (found := judge(past))}
    if not judged:
        return not_tested(source, what, paper, "no usage or forecaster was given that tells it")
    return of_several(
        Finding(source, what, paper, "", because=because),
        {name: text for name, (text, _) in judged.items()},
        {name: holds for name, (_, holds) in judged.items()},
        _USAGE,
    )


def _figures_2_to_4(reports: Reports) -> Iterator[Finding]:
    ceilings = "no usage at hand has ceilings of users"
    yield not_tested(
        "Figure 2", "ceiling utilization of a user: median; below 1%, above 99% of the ceiling",
        "30% to 63%; in 38%, in 15% of the samples", ceilings,
    )  # fmt: skip
    yield not_tested(
        "Figure 2", "ceiling utilization of a cluster, median; below 1% and above 81%",
        "55% to 75%; each in less than 1% of the samples", ceilings,
    )  # fmt: skip
    cpu = {name: past for name, past in reports.items() if not name.endswith(MEMORY)}
    memory = {name: past for name, past in reports.items() if name.endswith(MEMORY)}
    yield _several(
        "Figure 3", "mean slack of CPU", "57%", cpu,
        lambda past: (percent(past.usage.slack_mean), is_near(past.usage.slack_mean, 0.57)),
    )  # fmt: skip
    yield not_tested(
        "Figure 3", "reservation and allocation slack vary more than usage slack", "drawn",
        "no usage at hand tells the three apart over time",
    )  # fmt: skip
    for name, those, share in (("CPU", cpu, 0.45), ("memory", memory, 0.43)):
        yield _several(
            "Figure 4", f"99% of the samples leave more {name} unused than", f"{share:.0%}", those,
            lambda past, least=share: (  # type: ignore[misc]
                percent(past.usage.slack_p1), past.usage.slack_p1 >= least
            ),
        )  # fmt: skip
    yield not_tested(
        "Figure 4", "99% of the samples leave more disk unused than", "89%",
        "no usage at hand has disks",
    )  # fmt: skip


def _section_5_1(reports: Reports) -> Iterator[Finding]:
    yield not_tested(
        "section 5.1", "time of all predictions", "around 2 hours",
        "times depend on machine and usage; economy-evaluation.md says how long these take",
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
        is_near(*available) and is_near(*promised),
        data=f"{_USAGE} {name}, {name.removesuffix(MEMORY)}",
        because=_OTHERS,
    )


def _rising(past: Backtest) -> tuple[str, bool] | None:
    """Tell whether the median error rises with the confidence, for all that have intervals."""
    parts, rises = [], True
    for forecaster in ("mean", "arima", "ets"):
        found = [one for level in _ALL if (one := _at(past, forecaster, level))]
        errors = [one.error_quantiles[50] for one in found]
        if errors:
            parts.append(f"{forecaster} {percent(errors[0])} to {percent(errors[-1])}")
            rises = rises and errors == sorted(errors)
    return (", ".join(parts), rises) if parts else None


def _availability(past: Backtest, forecaster: str) -> list[float]:
    """Return the availability at each confidence, in rising order."""
    return [one.result.availability for c in _ALL if (one := _at(past, forecaster, c))]


def _mean(past: Backtest) -> tuple[str, bool] | None:
    kept = _availability(past, "mean")
    text = f"{percent(kept[0])} to {percent(kept[-1])}" if kept else ""
    return (text, sum(value >= 0.99 for value in kept) > len(kept) / 2) if kept else None


def _minimum(past: Backtest) -> tuple[str, bool] | None:
    least, oracle = _at(past, "minimum"), _at(past, "oracle")
    if not least or not oracle:
        return None
    promised = [least.result.quantity, oracle.result.quantity]
    text = f"{percent(promised[0])} of {percent(promised[1])}"
    return text, least.result.availability == 1 and promised[0] < 0.9 * promised[1]


def _arima(past: Backtest) -> tuple[str, bool] | None:
    kept = _availability(past, "arima")
    return (percent(kept[-1]), kept[-1] < 1) if kept else None


def _ets(past: Backtest) -> tuple[str, bool] | None:
    kept, last = _availability(past, "ets"), _at(past, "ets")
    if not kept or not last:
        return None
    text = f"{percent(kept[0])} to {percent(kept[-1])}{_of_nothing(last)}"
    return text, kept == sorted(kept) and kept[-1] >= 0.989 and not _of_nothing(last)


def _of_nothing(one: TradeOff) -> str:
    """Return a remark where a promise is kept because it is of nothing, else nothing."""
    return " (nothing promised)" if percent(one.result.quantity) == "0.0%" else ""


def _figure_6(reports: Reports) -> Iterator[Finding]:
    yield _several(
        "Figure 6", "median error at confidence 0.5 to 0.9", "rises with the confidence (drawn)",
        reports, _rising,
    )  # fmt: skip
    yield _several(
        "Figure 6", "Mean: availability at 0.5 to 0.9 (holds: 99% at most confidences)",
        "no shortage in most scenarios", reports, _mean, _UNSAID,
    )  # fmt: skip
    yield _several(
        "Figure 6", "Minimum: promised, of what the oracle promises (holds: less than 90%, kept)",
        "simply too conservative", reports, _minimum, _UNSAID,
    )  # fmt: skip
    yield _several("Figure 6", "ARIMA: availability at 0.9", "shortages even then", reports, _arima)
    yield _several(
        "Figure 6", "ETS: availability at 0.5 to 0.9 (holds: rises, to 98.9% at least)",
        "shortages get fewer, to almost none", reports, _ets,
    )  # fmt: skip


def _figure_7(reports: Reports) -> Iterator[Finding]:
    def varies(past: Backtest) -> tuple[str, bool] | None:
        shares = [
            one.least_slack / one.mean_slack for one in past.predictions if one.mean_slack > 0
        ]
        return (f"{min(shares):.2f}", min(shares) < 0.5) if shares else None

    yield _several(
        "Figure 7", "least slack of a cycle over its mean, where it is least (holds: below half)",
        "slack varies much in some periods (drawn)", reports, varies,
    )  # fmt: skip


def _share(
    forecaster: str, confidence: float, what: str, low: float, high: float
) -> Callable[[Backtest], tuple[str, bool] | None]:
    """Return a judge of whether a result of a forecaster is in a published range."""

    def judge(past: Backtest) -> tuple[str, bool] | None:
        one = _at(past, forecaster, confidence)
        if not one:
            return None
        value = float(getattr(one.result, what))
        if what == "availability" and _of_nothing(one):
            return percent(value) + _of_nothing(one), False
        return percent(value), low <= value <= high

    return judge


def _figure_8(reports: Reports) -> Iterator[Finding]:
    at = "Figure 8"
    yield _several(at, "ETS at 0.9: promised", "6.7% to 17.3%", reports,
                   _share("ets", 0.9, "quantity", 0.067, 0.173))  # fmt: skip
    yield _several(at, "ETS at 0.9: availability", "98.9% to 100%", reports,
                   _share("ets", 0.9, "availability", 0.989, 1))  # fmt: skip
    yield _several(at, "ETS at 0.5: promised", "28.4% to 40.4%", reports,
                   _share("ets", 0.5, "quantity", 0.284, 0.404))  # fmt: skip
    yield _several(at, "ETS at 0.5: availability", "88.7% to 100%", reports,
                   _share("ets", 0.5, "availability", 0.887, 1))  # fmt: skip
    yield _several(at, "oracle: promised", "30.7% to 52.1%", reports,
                   _share("oracle", 0.9, "quantity", 0.307, 0.521))  # fmt: skip
    yield _several(
        at, "ETS: least availability at any confidence (holds: 99%)",
        "almost 100% on clusters 2, 3 and 6 of six", reports,
        lambda past: (percent(min(kept)), min(kept) >= 0.99)
        if (kept := _availability(past, "ets"))
        else None,
    )  # fmt: skip


def _theta(
    forecaster: str, confidence: float, price: float, low: float, high: float
) -> Callable[[Backtest], tuple[str, bool] | None]:
    """Return a judge of whether theta is in a published range; of usage that has a theta."""

    def judge(past: Backtest) -> tuple[str, bool] | None:
        one = _at(past, forecaster, confidence)
        value = one.theta[past.prices.index(price)] if one else None
        return None if value is None else (f"{value:.3f}", low <= round(value, 3) <= high)

    return judge


def _of_all_confidences(
    price: float, judge: Callable[[float], bool]
) -> Callable[[Backtest], tuple[str, bool] | None]:
    """Return a judge of ETS' theta at one price and every confidence."""

    def judged(past: Backtest) -> tuple[str, bool] | None:
        found = [one.theta[past.prices.index(price)] for c in _ALL if (one := _at(past, "ets", c))]
        values = [value for value in found if value is not None]
        if not values:
            return None
        return f"{min(values):.3f} to {max(values):.3f}", all(map(judge, values))

    return judged


def _figure_9(reports: Reports) -> Iterator[Finding]:
    yield not_tested(
        "section 5.4", "price of spots, of on demand: by type; mean", "15.4% to 59.9%; 31.8%",
        "EC2's prices of that winter are not at hand; 31.8% is taken as given",
    )  # fmt: skip
    at = "Figure 9"
    yield _several(at, "theta of ETS at 0.9, price 0.7", "1.22 to 1.60", reports,
                   _theta("ets", 0.9, 0.7, 1.22, 1.60))  # fmt: skip
    yield _several(at, "theta of ETS at 0.5, price 0.5", "1.41 to 1.50", reports,
                   _theta("ets", 0.5, 0.5, 1.41, 1.50))  # fmt: skip
    yield _several(at, "theta of ETS at price 0.3", "below 1", reports,
                   _of_all_confidences(0.3, lambda value: value < 1), _NONE_PROMISED)  # fmt: skip
    for price in (0.5, 0.7, 1.0):
        yield _several(at, f"theta of ETS at price {price:g}", "above 1 almost always", reports,
                       _of_all_confidences(price, lambda value: value > 1),
                       _NONE_PROMISED)  # fmt: skip
    # Nobody gets more than 1 / 0.318 = 3.1447 of it.
    yield _several(at, "largest theta: oracle at price 1", "3.145 (drawn)", reports,
                   _theta("oracle", 0.9, 1.0, 3.144, 3.146))  # fmt: skip
