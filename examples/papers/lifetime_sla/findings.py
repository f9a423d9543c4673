"""Every table, figure and number that the paper published, with what came out here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from cospot import sla
from lifetime_sla.production import NATIVE_HOSTS, PAPER_PRODUCTION, load_over_time
from lifetime_sla.results import Combination, Results, letters
from reproduction.judging import is_near
from reproduction.page import Finding, percent

#: Section III-A: of the requests admitted, of those evicted. Of the rest there are only bars.
PAPER_SYNTHETIC = {None: ("70 %", "39 %"), 0.25: ("60 %", "9 %")}
#: Section III-B: the time until eviction with 15 free slots, seconds.
PAPER_QUANTILES = {0.25: 3200, 0.05: 1500, 0.01: 900}
#: The largest distance of a share from the published one that counts as the same.
NEAR = 0.03
NEAR_EVICTED = 0.005
_BURSTS = "bursts come that were not seen before"


def findings(results: Results, quotes: sla.Quotes, traces: Path, kind: str) -> tuple[Finding, ...]:
    """Judge a whole run; `kind`: ``traces`` or ``stand-ins``."""
    seeds = _native(results, "ab")[1].replays
    data = (
        f"Eucalyptus traces DS2, DS3, DS5 and DS6, {seeds} seeds of the starting points"
        if kind == "traces"
        else "stand-ins for the Eucalyptus traces"
    )
    return (
        *_synthetic(results),
        *_conditions(quotes),
        *_platforms(results, data),
        *_loads(traces, data),
        *_tables(results, data),
        *_smaller(results, data),
    )


def _synthetic(results: Results) -> Iterator[Finding]:
    runs = results.runs("e1")
    assert runs is not None
    data = f"generated requests of Table I, {runs['seed'].nunique()} seeds"
    ones = results.combinations("e1")
    for column, name, paper in (
        ("on_demand_vcpus_mean", "on-demand", 21.77),
        ("spot_vcpus_mean", "spot", 21.95),
    ):
        mean = float(runs[column].mean())
        yield Finding(
            "Table I",
            f"cores that {name} requests ask for, mean (with e^4 s as the mean between arrivals)",
            f"{paper}",
            f"{mean:.2f}",
            abs(mean / paper - 1) <= 0.05,
            data,
        )
    for one in ones:
        shares = PAPER_SYNTHETIC.get(one.target)
        if shares is None:
            continue
        admitted, evicted = (float(text.rstrip(" %")) / 100 for text in shares)
        yield Finding(
            "Figure 1",
            f"spots admitted, evicted of them; target {one.name}",
            f"{shares[0]}, {shares[1]}",
            f"{percent(one.spot_admission)}, {percent(one.evicted)}",
            abs(one.spot_admission - admitted) <= NEAR and abs(one.evicted - evicted) <= NEAR,
            data,
        )
    promised = [one for one in ones if one.target is not None]
    yield Finding(
        "Figure 1",
        "fewer are evicted than each target says",
        "targets 0.25, 0.1, 0.05, 0.01",
        ", ".join(percent(one.evicted) for one in promised),
        all(one.evicted < (one.target or 0) for one in promised),
        data,
    )
    admissions = [one.spot_admission for one in ones]
    yield Finding(
        "Figure 1",
        "the stricter the target, the fewer spots are admitted",
        "from 70 %",
        ", ".join(percent(share) for share in admissions),
        admissions == sorted(admissions, reverse=True),
        data,
    )


def _conditions(quotes: sla.Quotes) -> Iterator[Finding]:
    data = "generated requests of Table I, one seed, day 9, target 0.25"
    size = quotes.sizes[0]
    samples = dict(zip(size.slots, size.samples, strict=True))
    most = max(samples, key=lambda slots: samples[slots])
    yield Finding(
        "Figure 2", "free slots with the most samples", "2 to 4", f"{most:g}", 2 <= most <= 4, data
    )
    yield Finding(
        "Figure 2",
        "samples with the most frequent numbers of free slots",
        "about 10,000 each",
        f"{samples[most]:,}",
        holds=False,
        data=data,
        because="the paper says that 10,000 are drawn in all, which we draw",
    )
    yield Finding(
        "Figure 2",
        "more than 1,000 samples with each of 0 to 14 free slots, 200 with each of 15 to 20",
        "yes",
        f"{sum(samples.values()):,} in all",
        holds=False,
        data=data,
        because="its groups add up to more than the 10,000 samples that it says it draws",
    )
    for probability, by_slots in zip(quotes.evicted, size.quantiles_s, strict=True):
        paper = PAPER_QUANTILES.get(probability)
        value = by_slots[min(15, len(by_slots) - 1)]
        if paper is None or value is None:
            continue
        near = is_near(value, paper)
        yield Finding(
            "Figure 3",
            f"time until eviction with 15 free slots, quantile {probability:g}",
            f"{paper:,} s",
            f"{value:,.0f} s",
            near,
            data,
            "" if near else "both rest on few samples of one draw, and its promise is not stated",
        )


def _platforms(results: Results, data: str) -> Iterator[Finding]:
    yield Finding(
        "Table II",
        "platforms of A and B",
        "7 x 8 and 7 x 12 cores",
        "7 x 12 and 7 x 8",
        holds=False,
        data=data,
        because="the table swaps them: A has instances of 12 cores, and the traces' own README and "
        "the paper's text say 7 x 12",
    )
    runs = results.runs("e3-ab")
    assert runs is not None
    mean = float(runs["on_demand_vcpus_mean"].iloc[0] + runs["spot_vcpus_mean"].iloc[0])
    yield Finding(
        "section III-D",
        "cores that A and B use together, mean",
        "26.62",
        f"{mean:.2f}",
        abs(mean / 26.62 - 1) <= 0.03,
        data,
    )


def _loads(traces: Path, data: str) -> Iterator[Finding]:
    for number, trace, name in ((4, "ds3", "B"), (5, "ds5", "C")):
        _, cores = load_over_time(traces / f"{trace}.txt")
        yield Finding(
            f"Figure {number}",
            f"load of {name} over time",
            "drawn, without numbers",
            f"drawn; at most {max(cores):,} cores",
            "not tested",
            data,
            "it shows the data, which are drawn again, and no result",
        )


def _on_demand(results: Results) -> str:
    """Return why other shares of the on-demand instances are admitted."""
    six = next(one for one in results.replays("e3-ab") if one.hosts == 6)
    return (
        "first-fit on these hosts has room for nearly all of A; on 6 hosts it rejects "
        f"{100 * (1 - six.on_demand_admission):.1f} %, the paper 2.3 % on 7"
    )


def _censored(results: Results) -> str:
    """Return why other shares are admitted under a promise."""
    shares = [
        f"{letters(pair)} {one.spot_admission:.3f}"
        for pair in PAPER_PRODUCTION
        for one in results.replays(f"sofar-{pair}")
    ]
    return (
        "the paper does not say how it counts a spot that still lives when the history ends; here "
        "it is taken to live on, and counted as evicted then (`censored: so_far`) it admits "
        + ", ".join(shares)
    )


def _victims(results: Results, pair: str) -> str:
    """Return why other shares are evicted."""
    shares = ", ".join(f"{one.evicted:.4f}" for one in results.replays(f"first-{pair}"))
    return (
        "the paper does not say which spots go, nor in which order simultaneous events come; with "
        "the youngest spots of the first host that suffices (`victim: first_host`), without a "
        f"promise and with it, {letters(pair)} evicts {shares}"
    )


def _by_pair(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{letters(pair)} {share:.4f}" for pair, share in shares.items())


def _native(results: Results, pair: str) -> tuple[Combination, Combination]:
    base, promised = (
        one for one in results.replays(f"e3-{pair}") if one.hosts == NATIVE_HOSTS[pair]
    )
    return base, promised


def _tables(results: Results, data: str) -> Iterator[Finding]:
    pairs = {pair: _native(results, pair) for pair in PAPER_PRODUCTION}
    on_demand, censored = _on_demand(results), _censored(results)
    for pair, papers in PAPER_PRODUCTION.items():
        because = (on_demand, censored, _victims(results, pair))
        for one, paper, table in zip(pairs[pair], papers, ("III", "IV"), strict=True):
            what = f"{letters(pair)}, target {one.name}"
            yield from _row(f"Table {table}", what, one, paper, data, because)
    without = {pair: base.evicted for pair, (base, _) in pairs.items()}
    yield Finding(
        "Table III",
        "without a promise more than 0.01 are evicted in all cases",
        "yes",
        _by_pair(without),
        "partly" if any(share > 0.01 for share in without.values()) else False,
        data,
        _victims(results, "ab"),
    )
    kept = {pair: promised.evicted for pair, (_, promised) in pairs.items()}
    is_met = all(share <= 0.01 for share in kept.values())
    yield Finding(
        "Table IV",
        "the target 0.01 is met in all cases",
        "yes",
        _by_pair(kept),
        is_met,
        data,
        "" if is_met else _BURSTS,
    )
    same = [
        base.on_demand_admission == promised.on_demand_admission
        for base, promised in pairs.values()
    ]
    yield Finding(
        "section III-E",
        "on its own hosts as many on-demand instances are admitted with a promise as without",
        "yes",
        f"in {sum(same)} of {len(same)} pairs",
        all(same) or "partly",
        data,
        "" if all(same) else "other spots lie elsewhere, and an instance cannot span hosts",
    )


def _row(
    source: str,
    what: str,
    one: Combination,
    paper: tuple[float, float, float],
    data: str,
    reasons: tuple[str, str, str],
) -> Iterator[Finding]:
    parts = (
        ("on-demand admitted", one.on_demand_admission, 0.01),
        ("spot admitted", one.spot_admission, NEAR),
        ("evicted", one.evicted, NEAR_EVICTED),
    )
    for (name, ours, near), published, because in zip(parts, paper, reasons, strict=True):
        holds = abs(ours - published) <= near
        yield Finding(
            source,
            f"{what}: {name}",
            f"{published:.3f}",
            f"{ours:.3f}",
            holds,
            data,
            "" if holds else because,
        )


def _smaller(results: Results, data: str) -> Iterator[Finding]:
    for number, pair in ((6, "ab"), (7, "cd")):
        every = results.replays(f"e3-{pair}")
        promised = [one for one in every if one.target is not None]
        is_met = all(one.evicted <= 0.01 for one in promised)
        yield Finding(
            f"Figure {number}",
            f"{letters(pair)} on fewer hosts: the target 0.01 is met in every case",
            "yes",
            ", ".join(f"{one.hosts} hosts {one.evicted:.4f}" for one in promised),
            is_met or "partly",
            data,
            "" if is_met else _BURSTS,
        )
        (base,) = (one for one in every if one.target is None and one.hosts == NATIVE_HOSTS[pair])
        yield Finding(
            f"Figure {number}",
            f"{letters(pair)} without a promise misses it on its own hosts",
            "yes",
            f"{base.evicted:.4f}",
            base.evicted > 0.01,
            data,
            "" if base.evicted > 0.01 else _victims(results, pair),
        )
        shares = [one.on_demand_admission for one in promised]
        yield Finding(
            f"Figure {number}",
            f"{letters(pair)}: the fewer hosts, the fewer on-demand instances are admitted",
            "yes",
            ", ".join(f"{share:.3f}" for share in shares),
            shares == sorted(shares, reverse=True),
            data,
        )
