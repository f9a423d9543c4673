"""The locks of hosts exclude the threads of one process too, whatever tooz's driver does."""

from __future__ import annotations

import time
from typing import Any

import pytest
from cospot.nova.state.safeguards import BusyLockError, HostLocks
from programs import at_once
from tooz.drivers import file as tooz_file
from waiting import PATIENCE_S


class _ForgetfulBarriers(dict[str, Any]):
    """What tooz's weak dictionary does when two threads ask at the same moment: two barriers."""

    def setdefault(self, key: str, default: Any = None) -> Any:
        return default


@pytest.fixture
def locks(tmp_path, monkeypatch):
    monkeypatch.setattr(tooz_file.FileDriver, "_barriers", _ForgetfulBarriers())
    made = HostLocks(f"file://{tmp_path}", timeout=PATIENCE_S)
    yield made
    made.close()


def test_two_threads_never_hold_one_lock(locks):
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(5):
            with locks.hold("host"):
                inside += 1
                most = max(most, inside)
                time.sleep(0.005)  # long enough for the other to come in, if it could
                inside -= 1

    at_once(work, 3)
    assert most == 1


def test_a_second_one_of_the_same_process_waits_no_longer_than_told(locks, tmp_path):
    impatient = HostLocks(f"file://{tmp_path}", timeout=0.05)  # another copy, same process
    with locks.hold("host"):
        for waits in (True, False):
            with (
                pytest.raises(BusyLockError, match="lock host: not free"),
                impatient.hold("host", waits=waits),
            ):
                raise AssertionError("two hold it")
        with impatient.hold("another host"):
            pass
    with impatient.hold("host"):
        pass
    impatient.close()
