"""Simulates the Nova plugin and its service by seed; see docs/nova/tested.md."""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import multiprocessing
import os
import resource
import sys
import time
from collections import Counter, deque
from typing import Any

#: Seeds that a process is given at once, and how many of these wait for it.
_CHUNK = 25
_AHEAD = 6


def main() -> int:
    arguments = _parse()
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The product iterates over sets of text: the same order again needs the same hashes.
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "seeds", *sys.argv[1:]])
    _prepare()
    from seeds.bugs import BUGS

    if arguments.contract:
        from seeds.contract import play_simulated

        print("\n".join(play_simulated()))
        return 0
    if arguments.list_bugs:
        for bug in BUGS:
            print(f"{bug.name:24} {bug.text} (within {bug.within} seeds)")
        return 0
    if arguments.bugs is not None:
        return _find_bugs(arguments.bugs, arguments.workers)
    if arguments.seed is not None:
        return _replay(arguments.seed, arguments.bug, arguments.digest)
    return _run(arguments)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/nova/seeds/run.sh", description=__doc__)
    parser.add_argument("--seeds", type=int, default=2000, help="how many (2000)")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first of them (0)")
    parser.add_argument("--seed", type=int, help="replay this one and print all that happens")
    parser.add_argument("--digest", action="store_true", help="with --seed: only its SHA-256")
    parser.add_argument("--bug", default="", help="plant a known bug")
    parser.add_argument(
        "--bugs", nargs="*", metavar="BUG", help="plant each known bug (or these), find each"
    )
    parser.add_argument("--list-bugs", action="store_true", help="list the known bugs")
    parser.add_argument(
        "--contract", action="store_true", help="play the script that a cloud of Nova plays too"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--minutes", type=float, help="stop after so long, and say how far it got")
    return parser.parse_args()


def _prepare() -> None:
    from seeds import bugs, services, shrink, simulation, state, substitute  # noqa: F401

    state.install()
    substitute.install()
    services.prepare()
    gc.collect()
    gc.freeze()
    gc.disable()


def _planted(name: str) -> contextlib.AbstractContextManager[None]:
    from seeds.bugs import by_name

    if not name:
        return contextlib.nullcontext()
    if name not in by_name:
        raise SystemExit(f"no bug {name!r}; known: {', '.join(by_name)}")
    planted: contextlib.AbstractContextManager[None] = by_name[name].planted()
    return planted


def _drawn(seed: int, bug: str) -> Any:
    """Return the scenario of a seed; a planted bug may have actions of its own."""
    from seeds.bugs import by_name
    from seeds.scenario import draw

    scenario = draw(seed)
    return scenario.only(by_name[bug].actions or scenario.actions) if bug else scenario


def _simulate_some(task: tuple[int, int, str]) -> tuple[int, Any, int, float, Counter[str]]:
    """Simulate seeds up to the first that fails.

    Returns:
        how many, the failed one with the kind and text, orders, virtual seconds, documented races.
    """
    from seeds.simulation import simulate

    first, count, bug = task
    orders, seconds, races = 0, 0.0, Counter[str]()
    with _planted(bug):
        for seed in range(first, first + count):
            outcome = simulate(_drawn(seed, bug))
            orders += outcome.orders
            seconds += outcome.seconds
            races.update(outcome.races)
            if outcome.kind:
                return seed - first + 1, (seed, outcome.kind, outcome.text), orders, seconds, races
    gc.collect()
    return count, None, orders, seconds, races


def _search(
    pool: Any, first: int, count: int, bug: str, deadline: float = float("inf")
) -> tuple[int, Any, int, float, Counter[str]]:
    """Simulate seeds on all processes until one fails; the lowest that does."""
    done, orders, seconds, races = 0, 0, 0.0, Counter[str]()
    starts = iter(range(first, first + count, _CHUNK))
    waiting: deque[Any] = deque()
    while True:
        # No more than they will do: after a failure nothing else is of interest.
        while len(waiting) < _AHEAD and (start := next(starts, None)) is not None:
            task = (start, min(_CHUNK, first + count - start), bug)
            waiting.append(pool.apply_async(_simulate_some, (task,)))
        if not waiting:
            return done, None, orders, seconds, races
        some, bad, ordered, took, raced = waiting.popleft().get()
        done, orders, seconds = done + some, orders + ordered, seconds + took
        races.update(raced)
        if bad is not None or time.monotonic() > deadline:
            return done, bad, orders, seconds, races


def _run(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    deadline = began + 60 * arguments.minutes if arguments.minutes else float("inf")
    with multiprocessing.get_context("fork").Pool(arguments.workers) as pool:
        done, failed, orders, seconds, races = _search(
            pool, arguments.first, arguments.seeds, arguments.bug, deadline
        )
        pool.terminate()
    took = time.monotonic() - began
    hours = f"{seconds / 3600:,.0f} h of virtual time"
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cost = f"{took:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time"
    print(f"{done:,} seeds, {hours}, {orders:,} orders, {cost}")
    for name, count in sorted(races.items()):
        print(f"documented: {name}: {count}")
    if failed is not None:
        _tell(*failed, arguments.bug)
        return 1
    if done < arguments.seeds:
        print(f"stopped after {arguments.minutes:g} minutes")
    return 0


def _tell(seed: int, kind: str, text: str, bug: str) -> None:
    """Shrink a seed that fails, and tell its story."""
    from seeds.shrink import listed, shrink, story
    from seeds.simulation import simulate

    print(f"\nseed {seed}: {text}")
    with _planted(bug):
        scenario = _drawn(seed, bug)
        small = shrink(scenario, kind)
        outcome = simulate(small, tracing=True)
    print(f"{len(scenario.actions)} actions, {len(small.actions)} of them needed: ", end="")
    print(listed(small.actions))
    print("\n".join(story(small, outcome)))
    also = f" --bug {bug}" if bug else ""
    print(f"all of it: tests/nova/seeds/run.sh --seed {seed}{also}")


def _replay(seed: int, bug: str, digest: bool) -> int:
    from seeds.simulation import simulate

    scenario = _drawn(seed, bug)
    with _planted(bug):
        outcome = simulate(scenario, tracing=True)
    text = "\n".join([repr(scenario), *outcome.lines])
    if digest:
        print(hashlib.sha256(text.encode()).hexdigest())
    else:
        print(text)
        if outcome.kind:
            _tell(seed, outcome.kind, outcome.text, bug)
    return 1 if outcome.kind else 0


def _find_bugs(names: list[str], workers: int) -> int:
    from seeds.bugs import BUGS

    missed = 0
    chosen = [bug for bug in BUGS if not names or bug.name in names]
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for bug in chosen:
            _, failed, *_ = _search(pool, bug.first, bug.within, bug.name)
            if failed is None:
                missed += 1
                print(f"MISSED  {bug.name}: not within {bug.within} seeds", flush=True)
            elif failed[1] == "unexpected error":
                # The change no longer fits the code it stands in for, so it plants another bug.
                missed += 1
                print(f"BROKEN  {bug.name}: seed {failed[0]}: {failed[2]}", flush=True)
            else:
                print(f"found   {bug.name}: seed {failed[0]}: {failed[1]}", flush=True)
        pool.terminate()
    print(f"{len(chosen) - missed} of {len(chosen)} known bugs found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
