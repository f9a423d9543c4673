"""Every table, figure and number that the paper published, with what came out here."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cospot import sla
from lifetime_sla.production import NATIVE_HOSTS, PAPER_PRODUCTION, load_over_time
from lifetime_sla.results import Combination, Results, letters
from reproduction.finding import Finding
from reproduction.judging import TOLERANCE
from reproduction.page import percent

#: Section III-A: of the requests admitted, of those evicted. Of the rest there are only bars.
PAPER_SYNTHETIC = {None: ("70 %", "39 %"), 0.25: ("60 %", "9 %")}
#: Section III-B: the time until eviction with 15 free slots, seconds.
PAPER_QUANTILES = {0.25: 3200, 0.05: 1500, 0.01: 900}
#: Settings of the quotes at day 9; the first is the default.
QUOTED = ("all", "first", "vms")
#: Other readings of the paper by the names of run.sh's runs. The paper says which history it uses
#: (section III-B: on-demand and spot instances), but its numbers look like those of VMs alone.
READINGS = {
    "first": "victims of the first host",
    "order": "of one second's spots the last goes first",
    "shift": "spots of the last day stay",
    "sofar": "alive at the end counts as evicted",
    "vms": "history of VMs alone, found afterwards",
    "vms50": "history of VMs alone, 50 samples",
}
_BURSTS = "bursts come that were not seen before"
_TIES = (
    "the paper does not say which spots go, nor in which order simultaneous events come; each can "
    "move the share by more than a tenth"
)
_LAST_DAY = (
    "the paper does not say what becomes of spots after the last request on demand, nor in which "
    "order simultaneous events come"
)
#: Conditions of Figure 2 with many samples, and with enough for rough estimates.
_MANY, _ENOUGH = range(1, 15), range(15, 21)

_FARTHEST = "spots admitted under the promise, on the pair where we differ most"

#: Quotes of every seed by setting.
Quotes = Mapping[str, Sequence[sla.Quotes]]


def findings(results: Results, quotes: Quotes, traces: Path, kind: str) -> tuple[Finding, ...]:
    """Judge a whole run; `kind`: ``traces`` or ``stand-ins``."""
    seeds = _native(results, "e3", "ab", base=False).replays
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
    others = {one.target: one for one in results.combinations("vms-e1")}
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
            "value" if one.target is None else "value or less",
            [1 - admitted, evicted],
            _refused(one),
            "says both shares of this pair" + ("" if one.target is None else ": only 9 % go")
            + " (judged: rejected, evicted)",
            readings={} if one.target is None else {READINGS["vms"]: _refused(others[one.target])},
            data=data,
            because="the seeds of the paper's requests are not known",
        )  # fmt: skip
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
        readings={READINGS["vms"]: {one.name: others[one.target].evicted for one in promised}},
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


def _refused(one: Combination) -> list[float]:
    return [1 - one.spot_admission, one.evicted]


def _samples(quotes: sla.Quotes) -> dict[int, int]:
    """Return the samples of a quote by the number of free slots."""
    size = quotes.sizes[0]
    return {int(slots): count for slots, count in zip(size.slots, size.samples, strict=True)}


def _most(quotes: sla.Quotes) -> int:
    samples = _samples(quotes)
    return max(samples, key=lambda slots: samples[slots])


def _least_share(quotes: sla.Quotes, slots: range) -> float:
    """Return the fewest samples of some numbers of slots, of those of the most frequent one."""
    samples = _samples(quotes)
    return min(samples.get(count, 0) for count in slots) / max(samples.values())


def _rises(quotes: sla.Quotes) -> int:
    """Return with how many further slots of 1 to 14 a quantile rises, over all of Figure 3."""
    rises = 0
    for probability, lives in zip(quotes.evicted, quotes.sizes[0].quantiles_s, strict=True):
        if probability in PAPER_QUANTILES:
            shown = [life for life in lives[_MANY.start : _MANY.stop] if life is not None]
            rises += sum(one < after for one, after in itertools.pairwise(shown))
    return rises


def _by_seed(values: Sequence[float]) -> dict[str, float]:
    return {f"seed {place}": value for place, value in enumerate(values, start=1)}


def _between(values: Sequence[float], digits: int = 0) -> str:
    return f"{min(values):,.{digits}f} to {max(values):,.{digits}f}"


def _conditions(quotes: Quotes) -> Iterator[Finding]:
    default, *_ = (quotes[name] for name in QUOTED)
    data = f"generated requests of Table I, {len(default)} seeds, day 9, target 0.25"
    most = {name: [_most(one) for one in each] for name, each in quotes.items()}
    yield Finding(
        "Figure 2",
        "free slots with the most samples",
        "2 to 4",
        _between(most["all"]),
        "range",
        [2, 4],
        _by_seed(most["all"]),
        "the most frequent numbers of free slots lie in this range",
        readings={READINGS["vms"]: _by_seed(most["vms"])},
        data=data,
        because="other requests were drawn",
    )
    yield Finding(
        "Figure 2",
        "samples with the most frequent numbers of free slots",
        "about 10,000 each",
        _between([max(_samples(one).values()) for one in default]),
        claim="so many samples stand behind each of these numbers",
        flag="erratum of the paper",
        data=data,
        because="section II-B says that 10,000 are drawn in all, which we draw",
    )
    for slots, paper, share in (
        (_MANY, "over 1,000, a tenth of the most frequent's", 0.1),
        (_ENOUGH, "over 200, 2 % of the most frequent's", 0.02),
    ):
        shares = [_least_share(one, slots) for one in default]
        yield Finding(
            "Figure 2",
            f"samples with each of {slots[0]} to {slots[-1]} free slots, of those of the most "
            "frequent number",
            paper,
            _between(shares, 3),
            "at least",
            share,
            _by_seed(shares),
            "its example has so many samples there",
            "some",
            data=data,
            because="no seed has as many",
        )
    for place, probability in enumerate(default[0].evicted):
        if probability not in PAPER_QUANTILES:
            continue
        paper_s = PAPER_QUANTILES[probability]
        lives = {name: _lives(each, place) for name, each in quotes.items()}
        if not all(lives.values()):
            continue
        bounds = {name: [min(those), paper_s, max(those)] for name, those in lives.items()}
        yield Finding(
            "Figure 3",
            f"time until eviction with 15 free slots, quantile {probability:g}",
            f"{paper_s:,} s",
            f"{_between(lives['all'])} s",
            "ordering",
            "<=",
            bounds["all"],
            "reads its example's quantile: judged is whether it lies between the least and the "
            "most of our seeds",
            readings={READINGS[name]: bounds[name] for name in QUOTED[1:]},
            data=data,
            because="it rests on few samples of one draw, and its promise is not stated",
        )  # fmt: skip
    rises, steps = [_rises(one) for one in default], len(PAPER_QUANTILES) * (len(_MANY) - 1)
    yield Finding(
        "Figure 3",
        f"quantiles that rise with one more of 1 to 14 free slots, of {steps}",
        "mostly",
        _between(rises),
        "direction",
        steps // 2 + 1,
        _by_seed(rises),
        "more free slots mostly mean a longer life",
        data=data,
        because="they fall as often",
    )


def _lives(each: Sequence[sla.Quotes], place: int) -> list[float]:
    """Return the quantile with 15 free slots of every seed that has one."""
    found = []
    for one in each:
        by_slots = one.sizes[0].quantiles_s[place]
        life = by_slots[min(15, len(by_slots) - 1)]
        if life is not None and life != float("inf"):
            found.append(life)
    return found


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


def _native(
    results: Results, name: str, pair: str, *, base: bool, hosts: int | None = None
) -> Combination:
    """Return the combination of a run with a promise, or without (`base`), on its own hosts."""
    wanted = hosts or NATIVE_HOSTS[pair]
    return next(
        one
        for one in results.replays(f"{name}-{pair}")
        if (one.target is None) == base and one.hosts == wanted
    )


def _of_pairs(results: Results, name: str, *, base: bool) -> dict[str, Combination]:
    return {pair: _native(results, name, pair, base=base) for pair in PAPER_PRODUCTION}


def _evicted(ones: Mapping[str, Combination]) -> dict[str, float]:
    return {letters(pair): one.evicted for pair, one in ones.items()}


def _by_pair(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{pair} {share:.4f}" for pair, share in shares.items())


def _tables(results: Results, data: str) -> Iterator[Finding]:
    bases = _of_pairs(results, "e3", base=True)
    promised = _of_pairs(results, "e3", base=False)
    for pair, papers in PAPER_PRODUCTION.items():
        for ones, paper, table in zip((bases, promised), papers, ("III", "IV"), strict=True):
            one = ones[pair]
            what = f"{letters(pair)}, target {one.name}"
            yield from _row(f"Table {table}", what, one, paper, data, _readings(results, pair, one))
    six = _native(results, "e3", "ab", base=True, hosts=6)
    without = _evicted(bases)
    yield Finding(
        "Table III",
        "without a promise more than 0.01 are evicted in all cases",
        "yes",
        _by_pair(without),
        "at least",
        0.01,
        without,
        "no pair meets the target without a promise",
        readings={"A-B on 6 hosts": _evicted({**bases, "ab": six})},
        data=data,
        because=_TIES,
    )
    kept = _evicted(promised)
    yield Finding(
        "Table IV",
        "the target 0.01 is met in all cases",
        "yes",
        _by_pair(kept),
        "at most",
        0.01,
        kept,
        "every pair meets its promise",
        readings={
            READINGS[name]: _evicted(_of_pairs(results, name, base=False))
            for name in ("vms", "vms50")
        },
        data=data,
        because=_BURSTS,
        headline="lifetime promise of 0.01 met on all four pairs",
    )
    changes = {
        letters(pair): promised[pair].on_demand_admission - base.on_demand_admission
        for pair, base in bases.items()
    }
    yield Finding(
        "section III-E",
        "on its own hosts as many on-demand instances are admitted with a promise as without",
        "yes",
        ", ".join(f"{pair} {change:+.4f}" for pair, change in changes.items()),
        "value",
        0,
        changes,
        "the promise changes nothing for on-demand instances",
        data=data,
        because="other spots lie elsewhere, and an instance cannot span hosts",
    )


#: Readings by what they are, as numbers of a table's row: on-demand admitted, spot admitted,
#: evicted.
RowReadings = Mapping[str, tuple[float, float, float]]


def _shares(one: Combination) -> tuple[float, float, float]:
    return one.on_demand_admission, one.spot_admission, one.evicted


def _readings(results: Results, pair: str, default: Combination) -> RowReadings:
    """Return a row of Table III or IV on the readings that can move it."""
    base = default.target is None
    names = ("first", "order", "shift") if base else ("sofar", "vms", "vms50")
    found = {READINGS[name]: _native(results, name, pair, base=base) for name in names}
    if pair == "ab":
        found["6 hosts"] = _native(results, "e3", pair, base=base, hosts=6)
        for name in () if base else ("vms", "vms50"):
            one = _native(results, name, pair, base=base, hosts=6)
            found[f"6 hosts, {READINGS[name]}"] = one
    return {name: _shares(one) for name, one in found.items()}


def _row(
    source: str,
    what: str,
    one: Combination,
    paper: tuple[float, float, float],
    data: str,
    readings: RowReadings,
) -> Iterator[Finding]:
    parts = (
        ("on-demand admitted", "the hosts have room for more of these requests"),
        ("spot admitted", _LAST_DAY if one.target is None else "the promise is surer than theirs"),
        ("evicted", _TIES),
    )
    for place, (name, because) in enumerate(parts):
        published, ours = paper[place], _shares(one)[place]
        # A tenth of a share near 1 is more than what is missing to 1.
        is_missing = name != "evicted" and TOLERANCE * published > 1 - published
        judged = {label: shares[place] for label, shares in readings.items()}
        if is_missing:
            judged = {label: 1 - share for label, share in judged.items()}
        is_welcome = name == "evicted" and one.target is not None
        yield Finding(
            source,
            f"{what}: {name}" + (" (judged: rejected)" if is_missing else ""),
            f"{published:.3f}",
            f"{ours:.3f}" + (f" (rejected {1 - ours:.4f})" if is_missing else ""),
            "value or less" if is_welcome else "value",
            1 - published if is_missing else published,
            1 - ours if is_missing else ours,
            "prints the share" + (", which the promise is to keep low" if is_welcome else ""),
            readings=judged if name != "on-demand admitted" else _of_hosts(judged),
            data=data,
            because=because,
            headline=_FARTHEST if (what, name) == ("D-C, target 0.01", "spot admitted") else "",
        )


def _of_hosts(readings: Mapping[str, float]) -> dict[str, float]:
    """Return the readings that are about hosts: no other moves what is admitted on demand."""
    return {name: value for name, value in readings.items() if name == "6 hosts"}


def _smaller(results: Results, data: str) -> Iterator[Finding]:
    more_spots: dict[str, dict[str, list[float]]] = {}
    for number, pair in ((6, "ab"), (7, "cd")):
        promised = {
            name: [one for one in results.replays(f"{name}-{pair}") if one.target is not None]
            for name in ("e3", "vms")
        }
        for ones in promised.values():
            ones.sort(key=lambda one: -one.hosts)
        evicted = {
            name: {f"{one.hosts} hosts": one.evicted for one in ones}
            for name, ones in promised.items()
        }
        yield Finding(
            f"Figure {number}",
            f"{letters(pair)} on fewer hosts: the target 0.01 is met in every case",
            "yes",
            _by_pair(evicted["e3"]),
            "at most",
            0.01,
            evicted["e3"],
            "the promise is kept on every number of hosts",
            readings={READINGS["vms"]: evicted["vms"]},
            data=data,
            because=_BURSTS,
        )
        shares = [one.on_demand_admission for one in promised["e3"]]
        yield Finding(
            f"Figure {number}",
            f"{letters(pair)}: the fewer hosts, the fewer on-demand instances are admitted",
            "yes",
            ", ".join(f"{share:.3f}" for share in shares),
            "ordering",
            ">",
            shares,
            "fewer hosts admit fewer on-demand instances",
            data=data,
            because="fewer hosts admit as many",
        )
        for name, ones in promised.items():
            steps = more_spots.setdefault(name, {})
            for more, fewer in itertools.pairwise(ones):
                label = f"{letters(pair)} on {fewer.hosts} instead of {more.hosts} hosts"
                steps[label] = [fewer.spot_admission, more.spot_admission]
    yield Finding(
        "section III-E",
        "on fewer hosts more spots are admitted",
        "on one number of hosts of C-D",
        f"on {sum(fewer > more for fewer, more in more_spots['e3'].values())} of "
        f"{len(more_spots['e3'])} numbers of hosts",
        "direction",
        ">",
        more_spots["e3"],
        "on some number of hosts more spots are admitted than on more hosts",
        "some",
        readings={READINGS["vms"]: more_spots["vms"]},
        data=data,
        because="fewer hosts always admit fewer spots",
    )
