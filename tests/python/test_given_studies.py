"""What a study as a dict takes: hosts, workloads and values as people write them in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cospot
import numpy as np
import pytest

STUDY: dict[str, Any] = {
    "workloads": {"synthetic": "azure2020", "seed": 1, "scale": 0.0005},
    "host": {"vcpus": 10400, "memory_mb": 2250},
    "hosts": [12],
    "vm": "COS",
    "spot": "sCOS",
    "evictor": "FIFO",
    "saf": [False, True],
    "otn": [1, 2],
}


def revenue(tmp_path: Path, **changes: Any) -> list[float]:
    database = tmp_path / "runs.db"
    cospot.compare({**STUDY, **changes}, db=database, force=True, timing=False)
    return [float(each) for each in cospot.load_results(database).runs["spot_revenue"]]


def test_other_spellings_are_the_same_study(tmp_path: Path) -> None:
    expected = revenue(tmp_path)
    assert len(set(expected)) > 1
    assert revenue(tmp_path, host=(10400, 2250)) == expected
    assert revenue(tmp_path, workloads=["azure2020:seed=1:scale=0.0005"]) == expected
    assert revenue(tmp_path, otn=np.array([1, 2]), saf=np.array([False, True])) == expected
    one = {"vm": "COS", "spot": "sCOS", "evictor": "FIFO", "saf": True, "otn": 2}
    workload = cospot.Workload.generate(scale=0.0005, seed=1)
    by_dict = cospot.simulate(workload, hosts=12, host=STUDY["host"], **one)
    by_tuple = cospot.simulate(workload, hosts=12, host=(10400, 2250), **one)
    assert by_dict.spot_revenue == by_tuple.spot_revenue == expected[3]


def test_what_is_no_value_is_named(tmp_path: Path) -> None:
    with pytest.raises(cospot.ArgumentError, match=r"otn is of type object, expected a name"):
        revenue(tmp_path, otn=object())
