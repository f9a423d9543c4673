"""Every figure and printed number of the paper beside what came out here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import cospot
import pandas as pd
from reproduction.finding import Finding, not_tested, of_series
from reproduction.page import percent

#: The tables of `page.per_trace`, by name; none without a trace.
Tables = Mapping[str, pd.DataFrame]

_GOOGLE = "other clusters were measured: the trace of Google's is not at hand"
_EC2, _POISSON = "EC2's m1.large", "Poisson"
_PRICES = "EC2's prices of m1.large in us-east, bid on demand, 2009-12-31 to 2011-02-14"
_OTHER_YEAR = "the paper's prices are of 2014, when m1.large was revoked 27 times as often"
_EXTRA = "as extra time"
#: The paper's of m1.large: 555 revocations a year.
_MTTR = 8760 / 555
_AVAILABLE, _SHARES = "available {:.0%} of the time: rate of work", (0.25, 0.5, 0.75, 1.0)
_JOBS = "other revocations were drawn than the paper's"
_TWO_WEEKS = "a job of two weeks on Poisson revocations, 20 seeds"
_YEARS = "20 years of Poisson revocations, 555 a year"
_FORMULA = "the formula"


def all_findings(simulated: pd.DataFrame, tables: Tables) -> list[Finding]:
    """Compare all that the paper published, in its order.

    Args:
        simulated: What was simulated: ``figure``, ``what``, ``value``.
        tables: Of figures 8 to 10; empty where no trace was found.
    """
    values = {(row.figure, row.what): float(row.value) for row in simulated.itertuples()}
    return [
        *_figures_2_and_3(values),
        *_figure_3c(values),
        *_formulas(),
        *_figure_6(values),
        *_figures_7_and_8(tables),
        *_figure_9(tables),
        *_figure_10(tables),
    ]


def _figures_2_and_3(values: Mapping[tuple[str, str], float]) -> Iterator[Finding]:
    yield not_tested(
        "Figure 2", "prices of c4-large are more volatile than cg1-4xlarge's", "drawn",
        "it takes EC2's prices of both markets in 2015, which EC2 shows for 90 days",
        "one market's prices vary more",
    )  # fmt: skip
    rates = {f"{share:.0%}": values["3a", _AVAILABLE.format(share)] for share in _SHARES}
    yield of_series(
        "Figure 3a", "rate of work on a server that is there for this share of two weeks",
        "at most the share", rates, percent, kind="at most",
        target={f"{share:.0%}": share for share in _SHARES},
        claim="the rate is at most the availability",
        data="Poisson revocations every 4 h of its time, 20 seeds",
    )  # fmt: skip
    one = rates["100%"]
    yield of_series(
        "Figure 3a", "the same, over the share and over the rate at 100%", "linear (drawn)",
        {name: rates[name] / share / one for share, name in zip(_SHARES, rates, strict=True)},
        "{:.2f}".format, kind="value", target=1, claim="rate and availability are linearly related",
        data="Poisson revocations every 4 h of its time, 20 seeds", because=_JOBS,
    )  # fmt: skip
    ways = ("saving only", "with boot", "with restore and boot")
    lost = {
        way: [values["3b", f"MTTR {mttr:g} h, predictable, {way}: time lost"] for mttr in (1, 0.25)]
        for way in ways
    }
    yield Finding(
        "Figure 3b",
        "time lost at an MTTR of 1 to 0.25 h that is predictable; with boot; with restore and boot",
        "35% to 70%",
        "; ".join(" to ".join(map(percent, lost[way])) for way in ways),
        "value",
        [0.35, 0.7],
        lost[ways[0]],
        "says the shares read from the figure",
        readings={way: lost[way] for way in ways[1:]} | {_EXTRA: _extra(lost[ways[0]])},
        data=_TWO_WEEKS,
        because="the paper does not say which of these it counts; its numbers lie between them",
    )


def _extra(lost: Any) -> Any:
    """Return what is lost of the time as extra time, over what is left of it."""
    if isinstance(lost, Mapping):
        return {name: _extra(value) for name, value in lost.items()}
    if isinstance(lost, list):
        return [_extra(value) for value in lost]
    return lost / (1 - lost)


def _figure_3c(values: Mapping[tuple[str, str], float]) -> Iterator[Finding]:
    known = values["3b", "MTTR 4 h, predictable, saving only: time lost"]
    extra = {
        mttr: values["3c", f"MTTR 4 h, unpredictable, assumed {mttr:g} h: extra time"]
        for mttr in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
    }
    lost = 1 - 1 / (1 + extra[4.0])
    at = "Figure 3c"
    yield _number("Figure 3b", "time lost at 4 h, predictable", "~4%", 0.04, known, _TWO_WEEKS,
                  _JOBS)  # fmt: skip
    yield _number(at, "time lost at 4 h, unpredictable", "~27%", 0.27, lost, _TWO_WEEKS, _JOBS)
    yield Finding(
        at, "unpredictable over predictable", "more than 6 times", f"{lost / known:.1f} times",
        "at least", 6, lost / known, "unpredictable revocations cost more than so many times",
        readings={_EXTRA: extra[4.0] / _extra(known)},
        data=_TWO_WEEKS, because=_JOBS,
    )  # fmt: skip
    yield Finding(
        at,
        "time lost at an assumed MTTR of 0.5, 1, 2, 4, 8, 16 h where it is 4 h",
        "least at 4 h (drawn)",
        ", ".join(percent(1 - 1 / (1 + value)) for value in extra.values()),
        "direction",
        "<",
        _against_least({f"{mttr:g} h": value for mttr, value in extra.items()}, "4 h"),
        "the true MTTR loses least",
        data=_TWO_WEEKS,
        because=_JOBS,
    )


def _against_least(values: Mapping[str, float], name: str) -> dict[str, list[float]]:
    """Return the value of one name beside each other's: the least is below all."""
    others = {other: value for other, value in values.items() if other != name}
    return {f"against {other}": [values[name], value] for other, value in others.items()}


def _hours(value: float) -> str:
    return "without end" if math.isinf(value) else f"{value:.1f}"


def _number(
    source: str, what: str, paper: str, published: float, value: float, data: str, because: str
) -> Finding:
    """Return a finding about a share of the time."""
    return Finding(
        source, what, paper, percent(value), "value", published, value,
        "says the overhead", readings={_EXTRA: _extra(value)}, data=data, because=because,
    )  # fmt: skip


def _formulas() -> Iterator[Finding]:
    best = cospot.optimal_interval(10 / 60, 15)
    yield Finding(
        "equation 1", "best interval, 15 h, rounded to hours", "~2 h", f"{best:.2f} h", "value", 2,
        round(best), "rounds the result of its formula", flag="definition", data=_FORMULA,
        because="the formula is the paper's",
    )  # fmt: skip
    prices = [cospot.transient_price(share) for share in (0.5, 0.9, 1.0)]
    # 101^0.5 - 1 = 9.05, 101^0.9 - 1 = 62.66, 101 - 1 = 100.
    yield Finding(
        "Figure 5", "price offered for a performance of 50, 90, 100%", "101^(x/100) - 1",
        ", ".join(map(percent, prices)), "value", [0.0905, 0.6266, 1], prices,
        "draws the function it offers by", flag="definition", data=_FORMULA,
        because="the function is the paper's",
    )  # fmt: skip


def _figure_6(values: Mapping[tuple[str, str], float]) -> Iterator[Finding]:
    a_year = values.get(("V-A", f"{_EC2}: revocations a year"))
    if a_year is None:
        yield not_tested("section V-A", "revocations of m1.large in 2014, MTTR", "555, ~15 h",
                         "it takes EC2's prices", "counts a year's revocations")  # fmt: skip
    else:
        mttr = values["V-A", f"{_EC2}: MTTR, h"]
        yield Finding(
            "section V-A", "revocations of m1.large a year, and MTTR in hours", "555, ~15 h",
            f"{a_year:.1f}, {mttr:.0f} h", "value", [555, 15], [a_year, mttr],
            "counts a year's revocations", data=_PRICES, because=_OTHER_YEAR,
        )  # fmt: skip
    by_formula = {
        name: 1 - cospot.transient_performance(1 / 6, _MTTR, interval)
        for name, interval in (
            ("optimal interval", cospot.optimal_interval(1 / 6, _MTTR)), ("hourly", 1.0)
        )
    }  # fmt: skip
    restart = "with restore and boot"
    for name, paper, published in (("optimal interval", "12%", 0.12), ("hourly", "24%", 0.24)):
        lost = values["6a", f"{name}: time lost"]
        restarted = values["6a", f"{name}, restore and boot: time lost"]
        found = _number("Figure 6a", f"time lost, {name}", paper, published, lost, _YEARS,
                        "EC2's revocations are no Poisson process, as the paper says")  # fmt: skip
        more = {"by equation 2": by_formula[name], restart: restarted}
        more |= {f"{_EXTRA}, {way}": _extra(value) for way, value in more.items()}
        yield replace(found, readings={**found.readings, **more})
    oracle = values["6a", "oracle: time lost"]
    yield Finding(
        "Figure 6a", "time lost, oracle", "less than 1%", percent(oracle, 2), "at most", 0.01,
        oracle, "an oracle loses less than this", flag="erratum of the paper", data=_YEARS,
        because="555 revocations, each after a checkpoint of 10 minutes, are 1.06% of a year",
    )  # fmt: skip
    on_ec2 = {
        what.split(", ")[1].partition(":")[0]: value
        for (figure, what), value in values.items()
        if figure == "6a" and what.startswith(_EC2)
    }
    if on_ec2:
        yield Finding(
            "Figure 6a", f"the same on other prices: {', '.join(on_ec2)}", "",
            ", ".join(percent(lost, 2) for lost in on_ec2.values()), data=_PRICES,
        )  # fmt: skip
    factors = {
        factor: _both(values, "6b", f"{factor:g} x optimal interval")
        for factor in (0.25, 0.5, 1, 2, 4)
    }
    yield Finding(
        "Figure 6b",
        "time lost with 1/4, 1/2, 1, 2, 4 times the best interval by the formula",
        "least near 2",
        "; ".join(
            f"{name} {', '.join(percent(lost[name]) for lost in factors.values())}"
            for name in factors[2]
        ),
        "direction",
        "<",
        {
            f"{name}, {against}": pair
            for name in factors[2]
            for against, pair in _against_least(
                {f"{factor:g}": lost[name] for factor, lost in factors.items()}, "2"
            ).items()
        },
        "intervals longer than the formula's lose least",
        data=f"{_YEARS}; {_PRICES}",
        because=_OTHER_YEAR,
    )
    windows: dict[str, list[float]] = {}
    for (figure, what), value in values.items():
        if figure == "6c":
            windows.setdefault(what.partition(",")[0], []).append(value)
    if not windows:
        yield not_tested(
            "Figure 6c", "time lost by window", "9% to 21%", "it takes EC2's prices",
            "the window decides how much is lost",
        )  # fmt: skip
        return
    ends = {name: [min(lost), max(lost)] for name, lost in windows.items()}
    yield of_series(
        "Figure 6c", "time lost by the window from which the MTTR is known", "9% to 21%", ends,
        lambda ends: " to ".join(map(percent, ends)), kind="value", target=[0.09, 0.21],
        claim="says the least and the most that is lost", readings={_EXTRA: _extra(ends)},
        data=f"idle periods of rank 201 of SURF Lisa, a day to all; {_PRICES}, an hour to a year",
        because=_OTHER_YEAR,
    )  # fmt: skip


def _both(values: Mapping[tuple[str, str], float], figure: str, name: str) -> dict[str, float]:
    """Return what was lost on Poisson revocations, and on EC2's prices where they are at hand."""
    lost = {_POISSON: values[figure, f"{name}: time lost"]}
    on_ec2 = values.get((figure, f"{_EC2}, {name}: time lost"))
    return lost if on_ec2 is None else {**lost, _EC2: on_ec2}


def _figures_7_and_8(tables: Tables) -> Iterator[Finding]:
    yield not_tested(
        "Figures 7a, 7b", "most VMs in use at a time; idle ones, of 10 minutes and more",
        "~141,000; 0 to ~80,000", "it takes Google's trace of 2011, 41 GB, and its smallest server",
        "counts the trace's VMs",
    )  # fmt: skip
    if not tables:
        yield not_tested("Figures 8 to 10", "all", "drawn", "no log was found to measure", "all")
        return
    mttrs = tables["figure_8a"].set_index("trace")
    for column, what, paper, published in (
        ("pooled", "MTTR of all servers, h", "3.72", 3.72),
        ("top 10 %", "MTTR that the best tenth exceeds, h", "84", 84.0),
        ("top 50 %", "MTTR that the best half exceeds, h", "17", 17.0),
    ):
        yield _by_trace("Figure 8a", what, paper, mttrs[column], _hours, "value", published,
                        "says a point of the distribution")  # fmt: skip
    near = mttrs["near 30 min (< 1 h), share"]
    yield _by_trace("Figure 8a", "servers with an MTTR near 30 minutes (below 1 h)", "7%", near,
                    percent, "value", 0.07, "says a point of the distribution")  # fmt: skip
    yield _change(
        tables, "8b: useful time, 24 h assumed, against each server's own", "near the best",
        "value", 1, "is as good as what it is compared with", lambda change: 1 + change,
        because="the servers of NASA's log live 2 h on the mean, far from 24",
    )  # fmt: skip
    yield _change(
        tables, "8b: useful time, 30 min assumed, against each server's own", "~-40%",
        "value", -0.4, "says the change",
        because="by equation 2 even a server that is never revoked loses only 29%",
    )  # fmt: skip
    lost = tables["figure_8c"].pivot(index="trace", columns="memory_gb", values="time_lost")
    lost = lost.loc[mttrs.index]
    yield _by_trace("Figure 8c", "time lost with 16 GB", "~25%", lost[16], percent,
                    "value", 0.25, "says the overhead", extra=_extra)  # fmt: skip
    found = _by_trace("Figure 8c", "time lost with 8 GB over that with 16", "~18/25 = 0.72",
                      lost[8] / lost[16], "{:.2f}".format,
                      "value", 0.72, "says both overheads")  # fmt: skip
    extra = {name: _extra(lost[8][name]) / _extra(lost[16][name]) for name in lost.index}
    yield replace(found, readings={_EXTRA: extra})


def _by_trace(
    source: str,
    what: str,
    paper: str,
    values: pd.Series[float],
    told: Callable[[float], str],
    kind: str,
    target: Any,
    claim: str,
    because: str = _GOOGLE,
    extra: Callable[[Any], Any] | None = None,
) -> Finding:
    """Return a finding with a number for each trace; it holds where it does on all of them."""
    names = {str(name): value for name, value in values.items()}
    return of_series(
        source, what, paper, names, told,
        kind=kind, target=target, claim=claim, because=because,
        readings={} if extra is None else {_EXTRA: extra(names)},
        data=f"idle servers of {', '.join(names)}",
    )  # fmt: skip


def _change(
    tables: Tables,
    what: str,
    paper: str,
    kind: str,
    target: float,
    claim: str,
    judged: Callable[[float], float] = lambda change: change,
    because: str = _GOOGLE,
) -> Finding:
    """Return a finding about a row of `comparisons`; `judged`: the number of a change."""
    rows = tables["comparisons"].set_index(["what", "trace"])["change"]
    values = rows[what]
    as_extra = what.replace("time lost", "extra time")
    figure, _, name = what.partition(": ")
    found = _by_trace(
        f"Figure {figure}",
        name,
        paper,
        values,
        lambda value: f"{100 * value:+.1f}%",
        kind,
        target,
        claim,
        because,
    )
    measured = {name: judged(one) for name, one in found.measured.items()}
    readings = {} if as_extra == what else {_EXTRA: dict(rows[as_extra].items())}
    return replace(found, measured=measured, readings=readings)


def _figure_9(tables: Tables) -> Iterator[Finding]:
    if not tables:
        return
    speed = tables["figures_9_10"].pivot(index="trace", columns="sold", values="performance")
    speed = speed.loc[tables["figure_8a"]["trace"]]
    one, two, four = (speed[f"{count} classes, equal"] for count in (1, 2, 4))
    yield of_series(
        "Figure 9a", "performance with 1, 2, 4 equal classes", "higher with more (drawn)",
        {name: [one[name], two[name], four[name]] for name in speed.index},
        lambda values: ", ".join(map(percent, values)), kind="ordering", target="<",
        claim="more classes perform better", because=_GOOGLE,
        data=f"idle servers of {', '.join(speed.index)}",
    )  # fmt: skip
    yield _change(tables, "9a: time lost, 2 equal classes, against 1", "-13.5%",
                  "value", -0.135, "says the change")  # fmt: skip
    yield _change(tables, "9b: performance, GCE (24 h), against 1 class", "near", "value", 1,
                  "is as good as what it is compared with",
                  lambda change: 1 + change)  # fmt: skip
    yield _change(tables, "9b: time lost, GCE (24 h), against 2 equal classes", "+13%",
                  "value", 0.13, "says the change")  # fmt: skip
    yield _change(
        tables, "9b: performance, EC2 (+25%), against 1 class", "-28%",
        "value", -0.28, "says the change",
        because="the paper does not say what a restart costs, and other clusters were measured",
    )  # fmt: skip


def _figure_10(tables: Tables) -> Iterator[Finding]:
    if not tables:
        return
    names = tables["figure_8a"]["trace"]
    sold = (
        tables["figures_9_10"].pivot(index="trace", columns="sold", values="of_maximum").loc[names]
    )
    gce = 1 / sold[[name for name in sold if name.startswith("GCE")]].max(axis=1)
    ec2 = 1 / sold["EC2, hourly, +25% revocations"]
    at = "Figure 10"
    reach = (
        "at the paper's mean, if revocations are a Poisson process, so much more is out of reach"
    )
    for what, paper, values, published in (
        ("the maximum over GCE's best", "6.5 times", gce, 6.5),
        ("the maximum over EC2 (+25%)", "14 times", ec2, 14.0),
    ):
        yield _by_trace(at, what, paper, values, "{:.1f}".format,
                        "value", published, "says how many times more",
                        f"{reach} (price.md); {_GOOGLE}")  # fmt: skip
    for count, share in ((2, 0.75), (4, 0.85)):
        found = _by_trace(at, f"revenue with {count} equal classes, of the maximum",
                          f"within {round(100 * (1 - share))}%", sold[f"{count} classes, equal"],
                          percent, "at least", share, "comes so near to the maximum")  # fmt: skip
        headline = "revenue with four equal classes, of the maximum" if count == 4 else ""
        yield replace(found, headline=headline)
    never = "the greedy rule as printed never stops on most of these logs: it makes one class"
    ratio = sold["2 classes, greedy"] / sold["2 classes, equal"] - 1
    yield _by_trace(at, "revenue of 2 greedy classes over 2 equal ones", "+20%", ratio,
                    lambda value: f"{100 * value:+.1f}%", "value", 0.2, "says the change",
                    never)  # fmt: skip
