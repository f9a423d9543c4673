"""``cospot.sla``: quotes of lifetimes from a study file."""

from __future__ import annotations

from pathlib import Path

import pytest
from cospot import sla
from cospot.errors import InputError

# A VM of 3 vcpus on the only host (of 4), every 1,000 s for 500 s; the one spot never fits.
ON_DEMAND = "".join(
    f"START {n * 1000 + 500} v{n} a 3\nSTOP {n * 1000 + 1000} v{n}\n" for n in range(40)
)
SPOT = "START 0 s a 2\nSTOP 1 s\n"
AT = 10.05  # hours: 36,180 s
STUDY = """
study: sla
workloads: vms.txt
spot_workloads: spots.txt
host: {vcpus: 4}
hosts: 1
target: [none, 0.5]
spot_delay_hours: 0
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "vms.txt").write_text(ON_DEMAND)
    (tmp_path / "spots.txt").write_text(SPOT)
    (tmp_path / "sla.yaml").write_text(STUDY)
    return tmp_path / "sla.yaml"


def test_a_quote(study: Path) -> None:
    quoted = sla.quote(study, at_hours=AT, samples=20_000)
    assert (quoted.at_s, quoted.evicted) == (36_180, [0.5])
    (size,) = quoted.sizes
    # The VM of 35,500 to 36,000 s has ended: 2 fit. Of starts in free time half live 250 s.
    assert (size.vcpus, size.slots_now) == (2, 2)
    assert size.lives_at_least_s == [pytest.approx(250, rel=0.05)]
    assert size.slots == [0, 1, 2] and size.quantiles_s[0][0] is None


def test_settings_are_keys_of_the_study(study: Path) -> None:
    quoted = sla.quote(study, at_hours=AT, target=[0.5, 0.1], censored="so_far")
    half, tenth = quoted.sizes[0].lives_at_least_s
    assert half > tenth == pytest.approx(50, rel=0.2)


def test_bad_input(study: Path) -> None:
    with pytest.raises(InputError, match="expected none, or a probability"):
        sla.quote(study, target=2)
    with pytest.raises(InputError, match=r"missing\.yaml"):
        sla.quote(study.parent / "missing.yaml")
