"""cospot.Study has the keys that the compiled module accepts, and a type checker knows them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import cospot
import pytest
import typed_study
from programs import printed_by
from small_studies import SMALL_STUDIES

#: What the module says of a key that no study has.
UNKNOWN = re.compile(r"unknown key 'no_such_key'; valid names: (.*)")


def keys_of(study: dict[str, Any], database: Path) -> set[str]:
    """Return the keys that the module accepts beside those of a study."""
    with pytest.raises(cospot.ConfigError, match=UNKNOWN) as told:
        cospot.compare({**study, "no_such_key": 1}, db=database)
    found = UNKNOWN.search(str(told.value))
    assert found is not None
    return set(found[1].split(", "))


def test_the_keys_are_those_of_the_module(tmp_path: Path) -> None:
    accepted: set[str] = set()
    for study in SMALL_STUDIES:
        keys = keys_of({"study": study}, tmp_path / "r.db")
        # A part has keys of its own, accepted where its first one is.
        for key in sorted(keys - {"study"}):
            accepted |= keys_of({"study": study, key: 1}, tmp_path / "r.db")
    assert set(cospot.Study.__annotations__) == accepted


def test_the_studies_are_those_of_the_module() -> None:
    listed = printed_by(sys.executable, "-m", "cospot", "list", "studies")
    names = {line.split()[0] for line in listed.splitlines() if line.strip()}
    typed = re.findall(r"'(\w+)'|\"(\w+)\"", str(cospot.Study.__annotations__["study"]))
    assert {one or other for one, other in typed} == names == set(SMALL_STUDIES)


def test_a_type_checker_knows_the_keys() -> None:
    # mypy reads that file too (pyproject.toml): it refuses an ignored error that is none.
    keys = set(cospot.Study.__annotations__)
    assert set(typed_study.RIGHT) < keys
    assert not set(typed_study.UNKNOWN_KEY) & keys
    assert set(typed_study.WRONG_VALUE) < keys
