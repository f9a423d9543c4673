"""The evictor's logging holds in native threads, although libraries import eventlet."""

from __future__ import annotations

import pytest
from programs import run_python

SET_UP = """
import eventlet
import logging, sys, threading, time
from oslo_config import cfg
import oslo_log.log
from cospot.nova.state.records import set_up_logging

conf = cfg.ConfigOpts()
oslo_log.log.register_options(conf)
conf([], project="cospot")
set_up_logging(conf, "cospot-evictor")
assert sys.modules["eventlet"] is eventlet
"""

# A logger's first question for its level takes the lock that all loggers share.
EIGHT_THREADS = """
def ask(thread):
    for number in range(3000):
        logging.getLogger(f"{thread}.{number}").isEnabledFor(logging.DEBUG)

sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=ask, args=[i], daemon=True) for i in range(8)]
for thread in threads:
    thread.start()
deadline = time.monotonic() + 200
for thread in threads:
    thread.join(max(0, deadline - time.monotonic()))
assert not any(thread.is_alive() for thread in threads), "threads wait for ever"
"""

LOCKS = """
native = type(threading.RLock())
handlers = logging.getLogger().handlers
assert handlers
assert {type(logging._lock), *(type(each.lock) for each in handlers)} == {native}
"""


@pytest.mark.parametrize("what", [EIGHT_THREADS, LOCKS], ids=["eight threads", "locks"])
def test_threads_that_log_wait_for_no_greenlet(what):
    done = run_python("-c", SET_UP + what)
    assert done.returncode == 0, done.stderr
