"""Environments with Gymnasium's interface, to learn where VMs and spots go and who is evicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cospot._core import PlacementRuns, RunResult, Workload
from cospot.argument_errors import checked
from cospot.errors import ConfigError

#: The columns of "hosts" in an observation, of "request" (the time is that since the start of the
#: window) and of "spots" (the age is that since the placement).
HOST_COLUMNS = (
    "vcpus_total", "memory_mb_total", "disk_gb_total", "vcpus_free_ignoring_spots",
    "memory_mb_free_ignoring_spots", "disk_gb_free_ignoring_spots", "vcpus_free", "memory_mb_free",
    "disk_gb_free", "num_vms", "num_spots",
)  # fmt: skip
REQUEST_COLUMNS = ("vcpus", "memory_mb", "disk_gb", "time_s")
SPOT_COLUMNS = ("vcpus", "memory_mb", "disk_gb", "age_s")

_Arrays = dict[str, npt.NDArray[Any]]
_Kind = Literal["vm", "offer", "victims", "spot"]


def _observation_space(decides: str, actions: int) -> spaces.Dict:
    most = np.iinfo(np.int32).max

    def box(*shape: int, low: int = 0) -> spaces.Box:
        return spaces.Box(low, most, shape, np.int32)

    of_hosts = box(1 if decides == "victims" else actions, len(HOST_COLUMNS))
    found: dict[str, spaces.Space[Any]] = {"hosts": of_hosts, "request": box(4, low=-most)}
    if decides == "victims":
        found |= {"spots": box(actions, len(SPOT_COLUMNS)), "missing": box(3, low=-most)}
    elif decides == "offer":
        # Finite, so that it can be sampled.
        found["score"] = spaces.Box(-1e300, 1e300, (actions,), np.float64)
    return spaces.Dict(found)


def _checked(seed: int | None, options: Mapping[str, Any] | None, valid: str) -> int | None:
    for name in options or {}:
        if name != valid:
            raise ConfigError(f"options has no {name!r}; valid names: {valid}")
    if seed is not None and seed < 0:
        raise ConfigError(f"seed is {seed}, expected a whole number from 0")
    return None if seed is None else int(seed)


class PlacementEnv(gymnasium.Env[_Arrays, np.int64]):
    """One run of `simulate`, in which the caller makes the decisions of one kind.

    A request is asked about if there is something to choose. An action that the mask forbids
    rejects it. The reward is minus the revenue lost since the last decision, in percent of what the
    workload requests. See docs/learning.md.

    Args:
        workload: The requests of an episode, or several workloads: each reset draws one.
        hosts, host, vm, spot, evictor, saf, otn: As in simulate. They name the policies that make
            all other decisions.
        decides: "vm": the action is the host of a VM, one that passes the filters of `vm`. "offer":
            a place in the offer of the VM chain. "victims": the next spot to evict, by its place
            among those left on the host that the handshake chose. "spot": the host of a spot.
        most_spots: For "victims": how many spots, the oldest, can be chosen from.
        spot_value: Worth of a spot's vcpu-second in rewards, where a VM's is 1.

    Raises:
        ConfigError: An argument cannot be used, or a workload leaves nothing to decide.
        RuntimeError: A step before reset, or after the end of an episode.
    """

    @checked
    def __init__(
        self,
        workload: Workload | Sequence[Workload],
        hosts: Any = None,
        host: Any = None,
        *,
        decides: _Kind = "vm",
        vm: Any = "UTIL",
        spot: Any = "sUTIL",
        evictor: Any = "FIFO",
        saf: bool = False,
        otn: Any = 1,
        most_spots: int = 32,
        spot_value: float = 1.0,
    ) -> None:
        self._workloads = [workload] if isinstance(workload, Workload) else list(workload)
        self._keywords = {
            "decides": decides, "most_spots": most_spots, "spot_value": spot_value, "hosts": hosts,
            "host": host, "vm": vm, "spot": spot, "evictor": evictor, "saf": saf, "otn": otn,
        }  # fmt: skip
        self._runs = PlacementRuns(1, self._keywords)
        self._mask = np.zeros(self._runs.actions, np.int8)
        self.observation_space = _observation_space(decides, self._runs.actions)
        self.action_space = spaces.Discrete(self._runs.actions)

    @checked
    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[_Arrays, dict[str, Any]]:
        """Begin an episode; ``options={"workload": workload}`` replays that one."""
        super().reset(seed=_checked(seed, options, "workload"))
        drawn = self.np_random.integers(len(self._workloads)) if len(self._workloads) > 1 else 0
        self._runs.start(0, (options or {}).get("workload", self._workloads[drawn]))
        observation, _, _, _, info = self.step(None)
        return observation, info

    def step(
        self, action: int | np.integer[Any] | None
    ) -> tuple[_Arrays, float, bool, bool, dict[str, Any]]:
        """Take an action and go on to the next decision of the kind."""
        seen, told, figures = self._runs.step([action])
        info = {name: array[0] for name, array in told.items()}
        info.update(zip(figures.dtype.names, figures.item(), strict=True))
        reward, is_finished = info.pop("reward"), info.pop("is_finished")
        if is_finished:
            info["result"] = self.result()
        self._mask = info["action_mask"]
        return {name: array[0] for name, array in seen.items()}, reward, is_finished, False, info

    __repr__ = gymnasium.Env.__str__

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are feasible, as sb3-contrib's MaskablePPO asks for it."""
        return self._mask.astype(np.bool_)

    def result(self) -> RunResult:
        """Return what was requested, earned and lost until now; at the end that of simulate."""
        return self._runs.result(0)


class PlacementVectorEnv(VectorEnv[_Arrays, npt.NDArray[Any], npt.NDArray[Any]]):
    """A PlacementEnv for each of several workloads, stepped in one call.

    The step after the end of an episode begins the next one of that environment: it ignores the
    action, and its reward is 0 (AutoresetMode.NEXT_STEP).

    Args:
        workloads: Environment i replays the i-th of them in each episode.
        hosts, host, keywords: As in PlacementEnv.

    Raises: As PlacementEnv.
    """

    def __init__(
        self, workloads: Sequence[Workload], hosts: Any = None, host: Any = None, **keywords: Any
    ) -> None:
        one = PlacementEnv(workloads, hosts, host, **keywords)
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self._workloads, self.num_envs = one._workloads, len(one._workloads)
        self._runs = PlacementRuns(self.num_envs, one._keywords)
        self._finished = np.zeros(self.num_envs, np.bool_)
        self.single_observation_space, self.single_action_space = (
            one.observation_space, one.action_space
        )  # fmt: skip
        self.observation_space = batch_space(one.observation_space, self.num_envs)
        self.action_space = batch_space(one.action_space, self.num_envs)

    @checked
    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[_Arrays, dict[str, Any]]:
        """Begin all episodes; ``options={"workloads": [...]}`` replays those from now on."""
        super().reset(seed=_checked(seed, options, "workloads"))
        workloads = list((options or {}).get("workloads", self._workloads))
        if len(workloads) != self.num_envs:
            raise ConfigError(f"workloads are {len(workloads)}, expected {self.num_envs}")
        self._workloads, self._finished = workloads, np.ones(self.num_envs, np.bool_)
        observation, _, _, _, info = self.step([None] * self.num_envs)
        return observation, info

    @checked
    def step(
        self, actions: npt.NDArray[Any] | Sequence[Any]
    ) -> tuple[_Arrays, Any, Any, Any, dict[str, Any]]:
        """Take an action in each environment and go on to its next decision."""
        given, begins = list(actions), self._finished
        for number in np.flatnonzero(begins).tolist():
            self._runs.start(number, self._workloads[number])
            given[number] = None
        observation, told, figures = self._runs.step(given)
        info: dict[str, Any] = {**told, **{name: figures[name] for name in figures.dtype.names}}
        rewards, ended = np.where(begins, 0.0, info.pop("reward")), info.pop("is_finished")
        info |= {f"_{name}": np.ones(self.num_envs, np.bool_) for name in info}
        if ended.any():
            results = [self._runs.result(i) if end else None for i, end in enumerate(ended)]
            info |= {"result": np.array(results, object), "_result": ended}
        self._finished = ended.copy()
        return observation, rewards, ended, np.zeros_like(begins), info
