"""Measures how many steps a second PlacementEnv takes, called from Python.

    PYTHONPATH=build/release/python build/venv/bin/python tests/bench/bench_placement_env.py

prints one row for each kind of decision. Every action is the first feasible one. A first episode
notes the actions, so that the clock sees steps alone. A step of "spot" or "victims" includes the
VMs that the policies place in between.
"""

from __future__ import annotations

import argparse
import time

import cospot


def noted_actions(env: cospot.PlacementEnv, most: int) -> list[int]:
    _, info = env.reset(seed=1)
    actions: list[int] = []
    done = False
    while not done and len(actions) < most:
        actions.append(int(info["action_mask"].argmax()))
        _, _, done, _, info = env.step(actions[-1])
    return actions


def steps_a_second(env: cospot.PlacementEnv, actions: list[int]) -> float:
    """The most over repeats, of CPU time: a busy machine only takes some away."""
    best = 0.0
    for _ in range(7):
        env.reset(seed=1)
        start = time.thread_time()
        for action in actions:
            env.step(action)
        best = max(best, len(actions) / (time.thread_time() - start))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hosts", type=int, default=530)
    parser.add_argument("--scale", type=float, default=0.0108, help="of the synthetic workload")
    parser.add_argument("--steps", type=int, default=20_000, help="at most")
    arguments = parser.parse_args()
    workload = cospot.Workload.generate(seed=1, scale=arguments.scale)
    print("decides    steps   steps/s")
    for decides in ("vm", "offer", "victims", "spot"):
        env = cospot.PlacementEnv(workload, arguments.hosts, (10400, 2250), decides=decides, otn=16)
        actions = noted_actions(env, arguments.steps)
        print(f"{decides:8} {len(actions):7,}  {steps_a_second(env, actions):8,.0f}")


if __name__ == "__main__":
    main()
