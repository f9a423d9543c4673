"""Every table, figure and number that the paper published, with what came out here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from cospot import sla
from lifetime_sla.production import NATIVE_HOSTS, PAPER_PRODUCTION, load_over_time
from lifetime_sla.results import Combination, Results, letters
from reproduction.finding import Finding
from reproduction.page import percent

#: Section III-A: of the requests admitted, of those evicted. Of the rest there are only bars.
PAPER_SYNTHETIC = {None: ("70 %", "39 %"), 0.25: ("60 %", "9 %")}
#: Section III-B: the time until eviction with 15 free slots, seconds.
PAPER_QUANTILES = {0.25: 3200, 0.05: 1500, 0.01: 900}
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
            "value",
            paper,
            mean,
            "prints the mean of the generated requests",
            data=data,
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
            "value",
            [admitted, evicted],
            [one.spot_admission, one.evicted],
            "says both shares of this pair",
            data=data,
            because="few are evicted, and the seeds of the paper's requests are not known",
        )
    promised = [one for one in ones if one.target is not None]
    yield Finding(
        "Figure 1",
        "fewer are evicted than each target says",
        "targets 0.25, 0.1, 0.05, 0.01",
        ", ".join(percent(one.evicted) for one in promised),
        "at most",
        {one.name: one.target for one in promised},
        {one.name: one.evicted for one in promised},
        "each promise keeps the share evicted below its target",
        data=data,
        because=_BURSTS,
    )
    admissions = [one.spot_admission for one in ones]
    yield Finding(
        "Figure 1",
        "the stricter the target, the fewer spots are admitted",
        "from 70 %",
        ", ".join(percent(share) for share in admissions),
        "ordering",
        ">",
        admissions,
        "a stricter target admits fewer spots",
        data=data,
        because="a target admits more than a laxer one",
    )


def _conditions(quotes: sla.Quotes) -> Iterator[Finding]:
    data = "generated requests of Table I, one seed, day 9, target 0.25"
    size = quotes.sizes[0]
    samples = dict(zip(size.slots, size.samples, strict=True))
    most = max(samples, key=lambda slots: samples[slots])
    yield Finding(
        "Figure 2",
        "free slots with the most samples",
        "2 to 4",
        f"{most:g}",
        "range",
        [2, 4],
        most,
        "the most frequent numbers of free slots lie in this range",
        data=data,
        because="other requests were drawn",
    )
    yield Finding(
        "Figure 2",
        "samples with the most frequent numbers of free slots",
        "about 10,000 each",
        f"{samples[most]:,}",
        "value",
        10000,
        samples[most],
        "so many samples stand behind each of these numbers",
        flag="erratum of the paper",
        data=data,
        because="the paper says that 10,000 are drawn in all, which we draw",
    )
    yield Finding(
        "Figure 2",
        "more than 1,000 samples with each of 0 to 14 free slots, 200 with each of 15 to 20",
        "yes",
        f"{sum(samples.values()):,} in all",
        claim="so many samples stand behind each number of free slots",
        flag="erratum of the paper",
        data=data,
        because="its groups add up to more than the 10,000 samples that it says it draws",
    )
    for probability, by_slots in zip(quotes.evicted, size.quantiles_s, strict=True):
        paper = PAPER_QUANTILES.get(probability)
        value = by_slots[min(15, len(by_slots) - 1)]
        if paper is None or value is None:
            continue
        yield Finding(
            "Figure 3",
            f"time until eviction with 15 free slots, quantile {probability:g}",
            f"{paper:,} s",
            f"{value:,.0f} s",
            "value",
            paper,
            value,
            "says the quantile read from the figure",
            data=data,
            because="both rest on few samples of one draw, and its promise is not stated",
        )


def _platforms(results: Results, data: str) -> Iterator[Finding]:
    yield Finding(
        "Table II",
        "platforms of A and B",
        "7 x 8 and 7 x 12 cores",
        "7 x 12 and 7 x 8",
        claim="the table gives the hosts of each platform",
        flag="erratum of the paper",
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
        "value",
        26.62,
        mean,
        "says the mean of the two loads",
        data=data,
        because="other traces than the released ones were read",
    )


def _loads(traces: Path, data: str) -> Iterator[Finding]:
    for number, trace, name in ((4, "ds3", "B"), (5, "ds5", "C")):
        _, cores = load_over_time(traces / f"{trace}.txt")
        yield Finding(
            f"Figure {number}",
            f"load of {name} over time",
            "drawn, without numbers",
            f"drawn; at most {max(cores):,} cores",
            claim="the figure shows the load",
            flag="definition",
            data=data,
            because="it shows the data, which are drawn again, and no result",
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
        "at least",
        0.01,
        _named(without),
        "no pair meets the target without a promise",
        data=data,
        because=_victims(results, "ab"),
    )
    kept = {pair: promised.evicted for pair, (_, promised) in pairs.items()}
    yield Finding(
        "Table IV",
        "the target 0.01 is met in all cases",
        "yes",
        _by_pair(kept),
        "at most",
        0.01,
        _named(kept),
        "every pair meets its promise",
        data=data,
        because=_BURSTS,
        headline="lifetime promise of 0.01 met on all four pairs",
    )
    bases = {pair: base.on_demand_admission for pair, (base, _) in pairs.items()}
    with_promise = {pair: one.on_demand_admission for pair, (_, one) in pairs.items()}
    same = sum(with_promise[pair] == share for pair, share in bases.items())
    yield Finding(
        "section III-E",
        "on its own hosts as many on-demand instances are admitted with a promise as without",
        "yes",
        f"in {same} of {len(pairs)} pairs",
        "at least",
        _named(bases),
        _named(with_promise),
        "the promise takes no capacity from on-demand instances",
        data=data,
        because="other spots lie elsewhere, and an instance cannot span hosts",
    )


def _named(shares: Mapping[str, float]) -> dict[str, float]:
    return {letters(pair): share for pair, share in shares.items()}


def _row(
    source: str,
    what: str,
    one: Combination,
    paper: tuple[float, float, float],
    data: str,
    reasons: tuple[str, str, str],
) -> Iterator[Finding]:
    evicted = "value" if one.target is None else "value or less"
    parts = (
        ("on-demand admitted", one.on_demand_admission, "value"),
        ("spot admitted", one.spot_admission, "value"),
        ("evicted", one.evicted, evicted),
    )
    for (name, ours, kind), published, because in zip(parts, paper, reasons, strict=True):
        yield Finding(
            source,
            f"{what}: {name}",
            f"{published:.3f}",
            f"{ours:.3f}",
            kind,
            published,
            ours,
            "prints the share" + (", which the promise is to keep low" if "or" in kind else ""),
            data=data,
            because=because,
        )


def _smaller(results: Results, data: str) -> Iterator[Finding]:
    for number, pair in ((6, "ab"), (7, "cd")):
        every = results.replays(f"e3-{pair}")
        promised = [one for one in every if one.target is not None]
        yield Finding(
            f"Figure {number}",
            f"{letters(pair)} on fewer hosts: the target 0.01 is met in every case",
            "yes",
            ", ".join(f"{one.hosts} hosts {one.evicted:.4f}" for one in promised),
            "at most",
            0.01,
            {f"{one.hosts} hosts": one.evicted for one in promised},
            "the promise is kept on every number of hosts",
            data=data,
            because=_BURSTS,
        )
        (base,) = (one for one in every if one.target is None and one.hosts == NATIVE_HOSTS[pair])
        yield Finding(
            f"Figure {number}",
            f"{letters(pair)} without a promise misses it on its own hosts",
            "yes",
            f"{base.evicted:.4f}",
            "at least",
            0.01,
            base.evicted,
            "without a promise more than the target are evicted",
            data=data,
            because=_victims(results, pair),
        )
        shares = [one.on_demand_admission for one in promised]
        yield Finding(
            f"Figure {number}",
            f"{letters(pair)}: the fewer hosts, the fewer on-demand instances are admitted",
            "yes",
            ", ".join(f"{share:.3f}" for share in shares),
            "ordering",
            ">",
            shares,
            "each host less admits fewer on-demand instances",
            data=data,
            because="a host less admits as many",
        )
