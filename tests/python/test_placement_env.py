"""PlacementEnv: the decisions of simulate, made from outside with what an observation shows."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import cospot
import numpy as np
import numpy.typing as npt
import pytest
from host_size import HOST
from sample_policies import FewSpots

pytest.importorskip("gymnasium", reason="gymnasium is not installed")

from cospot.provider.placement_env import HOST_COLUMNS, REQUEST_COLUMNS, SPOT_COLUMNS
from gymnasium.utils.env_checker import check_env

#: The figures of a step in its info.
FIGURES = (
    "vm_revenue", "spot_revenue", "vm_revenue_lost", "spot_revenue_lost", "vm_rejected",
    "spot_rejected", "evictions", "request", "is_feasible",
)  # fmt: skip
KINDS = ("vm", "offer", "victims", "spot")
Observation = dict[str, npt.NDArray[Any]]
Info = dict[str, Any]
Player = Callable[[Observation, Info], int]


def workload_of(seed: int, scale: float = 0.001) -> cospot.Workload:
    """About 4,900 requests; 34 hosts are nearly full, 28 reject VMs. FEW: a third, for 8 hosts."""
    return cospot.Workload.generate(seed=seed, scale=scale)


FEW = 0.0004


def simulated(workload: cospot.Workload, **run: Any) -> dict[str, float]:
    return counts(cospot.simulate(workload, **run))


def counts(result: cospot.RunResult) -> dict[str, float]:
    return {
        name: value
        for name, value in result.as_dict().items()
        if not name.endswith(("_ns", "_ms"))  # what they took
    }


def play(env: cospot.PlacementEnv, player: Player) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Play one episode. Return the counts of the run and the infos of the steps."""
    observation, info = env.reset(seed=1)
    steps: list[dict[str, Any]] = []
    done = False
    while not done:
        action = player(observation, info)
        observation, reward, done, truncated, info = env.step(action)
        assert not truncated
        steps.append({**info, "reward": reward})
    return counts(info["result"]), steps


def columns(rows: npt.NDArray[Any], names: tuple[str, ...]) -> dict[str, npt.NDArray[np.int64]]:
    return dict(zip(names, rows.T.astype(np.int64), strict=True))


def first_best(weights: npt.NDArray[Any], feasible: npt.NDArray[Any]) -> int:
    """The feasible host with the highest weight, the lowest index among equals."""
    rows = np.flatnonzero(feasible)
    return int(rows[np.argmax(weights[rows])])


def util(seen: Observation, info: Info) -> int:
    hosts = columns(seen["hosts"], HOST_COLUMNS)
    return first_best(-hosts["vcpus_free_ignoring_spots"], info["action_mask"])


def spot_util(seen: Observation, info: Info) -> int:
    return first_best(-columns(seen["hosts"], HOST_COLUMNS)["vcpus_free"], info["action_mask"])


def with_vms_first(hosts: dict[str, Any], mask: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The feasible hosts, without the idle ones if there are others."""
    busy = mask & (hosts["num_vms"] > 0)
    return busy if busy.any() else mask


def cos(seen: Observation, info: Info) -> int:
    """The cosine's order, dot / (dot + |cross|): one rounding (docs/semantics.md)."""
    hosts = columns(seen["hosts"], HOST_COLUMNS)
    vcpus, memory_mb, *_ = seen["request"].astype(np.int64)
    free_vcpus, free_mb = hosts["vcpus_free_ignoring_spots"], hosts["memory_mb_free_ignoring_spots"]
    dot = vcpus * free_vcpus + memory_mb * free_mb
    cross = np.abs(vcpus * free_mb - memory_mb * free_vcpus)
    weights = dot / np.maximum(dot + cross, 1)  # 0: full
    return first_best(weights, with_vms_first(hosts, info["action_mask"]))


def dpd(seen: Observation, info: Info) -> int:
    """The drop of |u_cpu - u_ram|, times both capacities, which makes it a whole number."""
    hosts = columns(seen["hosts"], HOST_COLUMNS)
    vcpus, memory_mb, *_ = seen["request"].astype(np.int64)
    used_vcpus = hosts["vcpus_total"] - hosts["vcpus_free_ignoring_spots"]
    used_mb = hosts["memory_mb_total"] - hosts["memory_mb_free_ignoring_spots"]
    now = used_vcpus * hosts["memory_mb_total"] - used_mb * hosts["vcpus_total"]
    then = now + vcpus * hosts["memory_mb_total"] - memory_mb * hosts["vcpus_total"]
    return first_best(np.abs(now) - np.abs(then), with_vms_first(hosts, info["action_mask"]))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("vm", "player"), [("UTIL", util), ("COS", cos), ("DPD", dpd)])
def test_a_vm_policy_played_from_outside_gives_simulates_counts(
    seed: int, vm: str, player: Player
) -> None:
    workload = workload_of(seed)
    run = {"hosts": 30, "host": HOST, "spot": "sDPD", "evictor": "FIFO"}
    found, _ = play(cospot.PlacementEnv(workload, decides="vm", **run), player)
    assert found == simulated(workload, vm=vm, **run)
    assert found["evictions"] > 0 and found["vm_rejected"] > 0


@pytest.mark.parametrize("evictor", ["FIFO", "LPO"])
@pytest.mark.parametrize("saf", [False, True])
def test_the_least_score_of_an_offer_gives_simulates_counts(evictor: str, saf: bool) -> None:
    run = {"hosts": 29, "host": HOST, "vm": "COS", "spot": "sUTIL", "evictor": evictor}
    run |= {"saf": saf, "otn": 8}
    for seed in (1, 2):
        env = cospot.PlacementEnv(workload_of(seed), decides="offer", **run)
        # The mask has the offered hosts first, so that the first least score is the best-ranked.
        found, _ = play(
            env, lambda seen, info: int(np.argmin(seen["score"][: info["action_mask"].sum()]))
        )
        assert found == simulated(workload_of(seed), **run)
        assert found["evictions"] > 0


def oldest(workload: cospot.Workload) -> Player:
    return lambda _seen, _info: 0


def least_loss(workload: cospot.Workload) -> Player:
    """The first victim of LPO's set, found among all sets; the oldest before day 3.

    The least set of all is still the least of those that its victims so far are part of, so that
    each step may search again.
    """
    table = workload.to_columns()

    def player(seen: Observation, info: Info) -> int:
        now_us = table["start_us"][info["request"]]
        if now_us < 3 * cospot.DAY_US:
            return 0
        rows = info["rows"][info["rows"] >= 0]
        sets = np.arange(1, 2 ** len(rows))
        chosen = (sets[:, None] >> np.arange(len(rows)) & 1).astype(np.int64)
        sizes = columns(seen["spots"][: len(rows)], SPOT_COLUMNS)
        enough = np.ones(len(sets), np.bool_)
        for name, missing in zip(SPOT_COLUMNS, seen["missing"], strict=False):
            enough &= chosen @ sizes[name] >= missing
        # To day 90 at most; a spot that ends now costs a microsecond.
        ends = np.minimum(table["end_us"][rows], 90 * cospot.DAY_US)
        lost = chosen @ (sizes["vcpus"] * np.maximum(ends - now_us, 1))
        return int(np.argmax(chosen[np.where(enough, lost, lost.max() + 1).argmin()]))

    return player


@pytest.mark.parametrize(
    ("named", "played", "player_of"), [("LPO", "FIFO", oldest), ("FIFO", "LPO", least_loss)]
)
def test_victims_chosen_one_by_one_give_simulates_counts(
    named: str, played: str, player_of: Callable[[cospot.Workload], Player]
) -> None:
    run = {"hosts": 31, "host": HOST, "vm": "UTIL", "spot": "sDPD"}
    for seed in (1, 2, 3):
        workload = workload_of(seed)
        env = cospot.PlacementEnv(workload, decides="victims", evictor=named, **run)
        found, _ = play(env, player_of(workload))
        assert found == simulated(workload, evictor=played, **run)
        assert found != simulated(workload, evictor=named, **run)


def test_spots_placed_from_outside_give_simulates_counts() -> None:
    run = {"hosts": 30, "host": HOST, "vm": "DPD", "evictor": "FIFO", "saf": True}
    for seed in (1, 2, 3):
        workload = workload_of(seed)
        env = cospot.PlacementEnv(workload, decides="spot", spot="vmaCOS", **run)
        found, _ = play(env, spot_util)
        assert found == simulated(workload, spot="sUTIL", **run)
        assert found["evictions"] > 0 and found["spot_admitted"] < found["spot_requests"]


def at_random(seed: int = 5) -> Player:
    random = np.random.default_rng(seed)
    return lambda _seen, info: int(random.choice(np.flatnonzero(info["action_mask"])))


@pytest.mark.parametrize("decides", KINDS)
def test_rewards_and_figures_sum_up_to_the_result(decides: Any) -> None:
    env = cospot.PlacementEnv(
        workload_of(1), 31, HOST, decides=decides, otn=4, evictor="LPO", spot_value=0.25
    )
    found, steps = play(env, at_random())
    total = {name: sum(step[name] for step in steps) for name in FIGURES[:7]}
    _, first = env.reset()  # what happened before the first decision
    total = {name: value + first[name] for name, value in total.items()}
    assert total["vm_rejected"] == found["vm_rejected"]
    assert total["evictions"] == found["evictions"]
    assert total["spot_rejected"] == found["spot_requests"] - found["spot_admitted"]
    for kind in ("vm", "spot"):
        requested, earned = found[f"{kind}_revenue_requested"], found[f"{kind}_revenue"]
        assert total[f"{kind}_revenue"] == pytest.approx(earned, rel=1e-12)
        assert total[f"{kind}_revenue_lost"] == pytest.approx(requested - earned, rel=1e-12)
    lost = total["vm_revenue_lost"] + total["spot_revenue_lost"] / 4
    lost -= first["vm_revenue_lost"] + first["spot_revenue_lost"] / 4
    requested = found["vm_revenue_requested"] + found["spot_revenue_requested"] / 4
    assert sum(step["reward"] for step in steps) == pytest.approx(-100 * lost / requested)


def test_masks_are_the_hosts_on_which_a_request_fits() -> None:
    workload = workload_of(1)
    table = workload.to_columns()
    run = {"workload": workload, "hosts": 31, "host": HOST}

    def check(env: cospot.PlacementEnv, free: int, most_spots: int | None = None) -> None:
        choose = at_random()

        def player(seen: Observation, info: Info) -> int:
            fits = (seen["hosts"][:, free : free + 3] >= seen["request"][:3]).all(axis=1)
            if most_spots is not None:
                fits &= seen["hosts"][:, HOST_COLUMNS.index("num_spots")] < most_spots
            assert info["action_mask"].tolist() == fits.tolist() == env.action_masks().tolist()
            assert fits.any() and env.observation_space.contains(seen)
            asked = [
                int(table[name][info["request"]]) for name in ("vcpus", "memory_mb", "start_us")
            ]
            assert seen["request"].tolist() == [*asked[:2], 0, asked[2] // 10**6]
            return choose(seen, info)

        play(env, player)

    ignoring = HOST_COLUMNS.index("vcpus_free_ignoring_spots")
    check(cospot.PlacementEnv(decides="vm", **run), ignoring)
    check(cospot.PlacementEnv(decides="spot", **run), HOST_COLUMNS.index("vcpus_free"))
    few = cospot.Chain(["UTIL"], filters=[FewSpots])  # fewer than three
    check(cospot.PlacementEnv(decides="vm", vm=few, **run), ignoring, 3)


def of_rows(rows: list[tuple[bool, int, int, int]]) -> cospot.Workload:
    """Requests that never end: is_spot, vcpus, memory_mb and the start in microseconds."""
    names = ("is_spot", "vcpus", "memory_mb", "start_us")
    table = dict(zip(names, zip(*rows, strict=True), strict=True))
    ends = [cospot.NEVER_US] * len(rows)
    workload = cospot.Workload.from_columns({**table, "end_us": ends}, window_days=1)
    with pytest.warns(cospot.WorkloadWarning, match="cold start"):  # at its first use
        cospot.size(workload, host=HOST, vm="UTIL")
    return workload


def test_observations_show_the_hosts_and_spots_as_they_are() -> None:
    """On two hosts of (10, 10): a VM of (4, 3), and on the same host spots of (3, 2) and (2, 2)."""
    second = 10**6
    workload = of_rows(
        [(False, 4, 3, 0), (True, 3, 2, second), (True, 2, 2, 2 * second), (False, 6, 1, 4500000)]
    )
    env = cospot.PlacementEnv(workload, 2, (10, 10), decides="victims", most_spots=4)
    seen, info = env.reset()
    # The VM of (6, 1) lacks 5 vcpus of the host that UTIL prefers.
    assert seen["hosts"].tolist() == [[10, 10, 0, 6, 7, 0, 1, 3, 0, 1, 2]]
    assert dict(zip(REQUEST_COLUMNS, seen["request"].tolist(), strict=True)) == {
        "vcpus": 6, "memory_mb": 1, "disk_gb": 0, "time_s": 4,
    }  # fmt: skip
    assert seen["spots"].tolist() == [[3, 2, 0, 3], [2, 2, 0, 2], [0] * 4, [0] * 4]
    assert seen["missing"].tolist() == [5, -2, 0]  # 6 - 1 vcpus, 1 - 3 MiB
    assert info["action_mask"].tolist() == [1, 1, 0, 0]
    assert info["request"] == 3 and info["rows"].tolist() == [1, 2, -1, -1]
    seen, reward, done, _, info = env.step(1)
    assert (reward, done) == (0.0, False)  # nothing is evicted before enough is found
    assert seen["spots"][:2].tolist() == [[3, 2, 0, 3], [0] * 4]
    assert seen["missing"].tolist() == [3, -4, 0]
    seen, reward, done, _, info = env.step(0)
    assert done and info["evictions"] == 2 and not info["action_mask"].any()
    assert info["request"] == -1 and (info["rows"] == -1).all()
    assert not any(array.any() for array in seen.values())
    # 5 vcpus are lost from second 4.5 to the day's end, of 4 from 0, 3 from 1, 2 from 2, 6 from 4.5
    assert info["spot_revenue_lost"] == 5 * (86400 - 4.5)
    requested = 15 * 86400 - 3 * 1 - 2 * 2 - 6 * 4.5
    assert reward == pytest.approx(-100 * 5 * (86400 - 4.5) / requested)


def test_an_offer_shows_what_the_evictor_would_do() -> None:
    """The first host of (10, 10) has a VM of (4, 4) and a spot of (6, 6); the others are idle."""
    workload = of_rows([(False, 4, 4, 0), (True, 6, 6, 1), (False, 3, 3, 2)])
    env = cospot.PlacementEnv(workload, 3, (10, 10), decides="offer", otn=2)
    env.reset()
    seen, *_, info = env.step(0)
    assert info["rows"].tolist() == [0, 1]
    assert seen["hosts"][:, 3:].tolist() == [[6, 6, 0, 0, 0, 0, 1, 1], [10, 10, 0, 10, 10, 0, 0, 0]]
    assert seen["score"].tolist() == [1.0, 0.0]  # FIFO's: the number of victims
    *_, info = env.step(1)
    assert info["evictions"] == 0 and info["result"].evictions == 0


@pytest.mark.parametrize("decides", KINDS)
def test_gymnasiums_check(decides: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = cospot.PlacementEnv(workload_of(1), 31, HOST, decides=decides, otn=4)
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("decides", KINDS)
def test_an_action_that_the_mask_forbids_rejects_the_request(decides: Any) -> None:
    env = cospot.PlacementEnv(workload_of(1), 31, HOST, decides=decides, otn=3)
    _, info = env.reset()
    while info["action_mask"].all():
        *_, done, _, info = env.step(0)
        assert not done
    asked = info["request"]
    *_, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert info["is_feasible"] is False
    assert info["spot_rejected" if decides == "spot" else "vm_rejected"] >= 1
    assert info["request"] != asked
    env.step(int(np.flatnonzero(info["action_mask"])[0]))


def test_no_vm_is_evicted() -> None:
    """Whatever the actions: the hosts hold all VMs that were placed and have not ended."""
    workload = workload_of(2, FEW)
    table = workload.to_columns()
    for decides in ("vm", "offer"):
        env = cospot.PlacementEnv(workload, 8, HOST, decides=decides, otn=8)
        random = np.random.default_rng(1)
        seen, info = env.reset()
        placed: list[int] = []
        done = False
        while not done:
            request = info["request"]
            if decides == "vm":
                # Departures come before arrivals at the same time, but for one that lives no time.
                running = table["end_us"][placed] > table["start_us"][request]
                used = (seen["hosts"][:, 0] - seen["hosts"][:, 3]).sum()
                assert used == table["vcpus"][placed][running].sum()
            action = int(random.integers(len(info["action_mask"])))
            seen, _, done, _, info = env.step(action)
            if info["is_feasible"]:
                placed.append(request)
        result = info["result"]
        assert result.vm_rejected == result.vm_requests - len(placed)
        assert result.evictions > 0


@pytest.mark.parametrize("decides", KINDS)
def test_a_vector_of_environments_equals_single_ones(decides: Any) -> None:
    workloads = [workload_of(seed, FEW) for seed in (1, 2, 3)]
    run = {"hosts": 8, "host": HOST, "decides": decides, "otn": 2, "evictor": "LPO"}
    singles = [cospot.PlacementEnv(workload, **run) for workload in workloads]
    vector = cospot.PlacementVectorEnv(workloads, **run)
    assert vector.single_observation_space == singles[0].observation_space
    assert vector.single_action_space == singles[0].action_space
    random = np.random.default_rng(2)
    told = [env.reset() for env in singles]
    seen, info = vector.reset(seed=1)
    rewards, finished = np.zeros(3), [False] * 3
    episodes = 0
    while episodes < 4:
        assert vector.observation_space.contains(seen)
        for i, (one, own) in enumerate(told):
            assert all(np.array_equal(seen[name][i], one[name]) for name in seen)
            assert all(info[name][i] == own[name] and info[f"_{name}"][i] for name in FIGURES)
            assert info["action_mask"][i].tolist() == own["action_mask"].tolist()
            assert ("result" in own) == ("result" in info and info["_result"][i])
            if "result" in own:
                assert counts(info["result"][i]) == counts(own["result"])
        masks = [own["action_mask"] for _, own in told]
        actions = [
            0 if done else int(random.choice(np.flatnonzero(mask)))
            for mask, done in zip(masks, finished, strict=True)
        ]
        seen, rewards, ended, truncated, info = vector.step(np.array(actions))
        assert not truncated.any()
        for i, env in enumerate(singles):
            if finished[i]:
                told[i], reward, finished[i] = env.reset(), 0.0, False
            else:
                observation, reward, finished[i], _, own = env.step(actions[i])
                told[i] = observation, own
                episodes += finished[i]
            assert rewards[i] == reward
            assert ended[i] == finished[i]


def test_an_episode_is_the_same_again_and_its_workload_is_drawn_by_the_seed() -> None:
    workloads = [workload_of(seed) for seed in (1, 2, 3)]
    env = cospot.PlacementEnv(workloads, 31, HOST)

    def drawn_by(seed: int) -> list[int]:
        seen, _ = env.reset(seed=seed)
        return [int(value) for value in seen["request"]]

    drawn = [drawn_by(seed) for seed in range(12)]
    assert [drawn_by(seed) for seed in range(12)] == drawn
    assert len({tuple(request) for request in drawn}) == 3
    one = cospot.PlacementEnv(workloads[0], 31, HOST)
    one.reset(options={"workload": workloads[2]})
    found, _ = play(cospot.PlacementEnv(workloads[2], 31, HOST), util)
    seen, info = one.reset(options={"workload": workloads[2]})
    done = False
    while not done:
        seen, _, done, _, info = one.step(util(seen, info))
    assert counts(info["result"]) == found


def test_arrays_of_an_observation_are_its_own() -> None:
    env = cospot.PlacementEnv(workload_of(1), 31, HOST)
    seen, info = env.reset()
    before = {name: array.copy() for name, array in seen.items()}
    for _ in range(50):
        *_, info = env.step(int(np.argmax(info["action_mask"])))
    assert all(np.array_equal(seen[name], before[name]) for name in seen)


def test_errors() -> None:
    workload = workload_of(1)
    run = {"hosts": 31, "host": HOST}
    with pytest.raises(cospot.ConfigError, match="decides is 'hosts', expected one of: vm"):
        cospot.PlacementEnv(workload, decides="hosts", **run)  # type: ignore[arg-type]
    with pytest.raises(cospot.ConfigError, match="spot_value"):
        cospot.PlacementEnv(workload, spot_value=-1, **run)
    with pytest.raises(cospot.ArgumentError, match="workload is of type str, expected Work"):
        cospot.PlacementEnv("w.csv", **run)  # type: ignore[arg-type]
    with pytest.raises(cospot.ConfigError, match="'NONE'"):
        cospot.PlacementEnv(workload, vm="NONE", **run)
    env = cospot.PlacementEnv(workload, **run)
    with pytest.raises(RuntimeError, match=r"no episode has begun: call reset\(\)"):
        env.step(0)
    with pytest.raises(cospot.ConfigError, match="options has no 'workloads'; valid name"):
        env.reset(options={"workloads": [workload]})
    env.reset()
    with pytest.raises(cospot.ConfigError, match="action is 31, expected .*30"):
        env.step(31)
    with pytest.raises(cospot.ArgumentError, match="action is of type float"):
        env.step(1.5)  # type: ignore[arg-type]
    env.step(np.int64(3))
    play(env, util)
    with pytest.raises(RuntimeError, match=r"the episode has ended: call reset\(\)"):
        env.step(0)
    no_spots = cospot.PlacementEnv(of_rows([(False, 4, 4, 0)]), decides="spot", **run)
    with pytest.raises(cospot.ConfigError, match=r"leaves nothing to decide \(decides='spot'\)"):
        no_spots.reset()
    vector = cospot.PlacementVectorEnv([workload, workload], **run)
    with pytest.raises(RuntimeError, match="no episode has begun"):
        vector.step([0, 0])
    with pytest.raises(cospot.ConfigError, match="workloads are 1, expected 2"):
        vector.reset(options={"workloads": [workload]})
    vector.reset()
    with pytest.raises(cospot.ConfigError, match="1 actions, expected 2"):
        vector.step([0])


class Broken(cospot.Weigher):
    """Breaks at the twentieth spot."""

    def __init__(self) -> None:
        self.asked = 0

    def weigh_all(self, hosts: Any, candidates: Any, request: Any) -> npt.NDArray[np.float64]:
        self.asked += 1
        return np.full(len(candidates), np.nan if self.asked == 20 else 1.0)


def test_a_policy_that_breaks_ends_the_episode() -> None:
    env = cospot.PlacementEnv(workload_of(1), 31, HOST, spot=Broken())
    with pytest.raises(cospot.PolicyError, match="Broken"):
        play(env, util)
    with pytest.raises(RuntimeError, match=r"the episode has ended: call reset\(\)"):
        env.step(0)


def test_only_the_environments_need_gymnasium() -> None:
    code = (
        "import sys\n"
        "sys.modules['gymnasium'] = None\n"
        "import cospot\n"
        "try:\n"
        "    cospot.PlacementEnv\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("this needs gymnasium: pip install 'cospot[learning]'")
