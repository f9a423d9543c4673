"""Agents of Stable-Baselines3 train in PlacementEnv; tests/run.sh --slow installs them."""

from __future__ import annotations

from typing import Any

import cospot
import pytest
from host_size import HOST

stable_baselines3 = pytest.importorskip(
    "stable_baselines3", reason="stable-baselines3 is not installed"
)
sb3_contrib = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")

pytestmark = pytest.mark.slow
STEPS = 1024


def made(decides: Any) -> cospot.PlacementEnv:
    workloads = [cospot.Workload.generate(seed=seed, scale=0.0004) for seed in (1, 2)]
    return cospot.PlacementEnv(workloads, 8, HOST, decides=decides, otn=4, spot_value=0.1)


@pytest.mark.parametrize("decides", ["vm", "offer", "victims", "spot"])
def test_its_check(decides: Any) -> None:
    from stable_baselines3.common.env_checker import check_env

    check_env(made(decides))


@pytest.mark.parametrize("decides", ["vm", "offer", "victims"])
def test_an_agent_with_masks_is_never_infeasible(decides: Any) -> None:
    model = sb3_contrib.MaskablePPO("MultiInputPolicy", made(decides), n_steps=256, seed=1)
    before = {name: value.clone() for name, value in model.policy.state_dict().items()}
    model.learn(STEPS)
    assert model.num_timesteps == STEPS
    after = model.policy.state_dict()
    assert any(not before[name].equal(value) for name, value in after.items())
    env = made(decides)
    observation, info = env.reset(seed=3)
    done = False
    while not done:
        action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
        observation, _, done, _, info = env.step(action)
        assert info["is_feasible"]
    assert info["result"].vm_requests > 0


def test_an_agent_without_masks_learns_too() -> None:
    model = stable_baselines3.DQN(
        "MultiInputPolicy", made("spot"), buffer_size=1000, learning_starts=100, seed=1
    )
    model.learn(STEPS)
    assert model.num_timesteps == STEPS
