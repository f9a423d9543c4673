"""cospot-evictor, killed at a step: `python -m deployment.killed_evictor STEP ARGUMENT...`.

The process kills itself as `kill -9` would, the first time it comes to the step.
"""

import functools
import os
import signal
import sys

from cospot.nova.evictor.cloud import Servers
from cospot.nova.evictor.command import main
from cospot.nova.evictor.executor import EvictionExecutor
from cospot.nova.evictor.plans import PlanEndpoint
from cospot.nova.state.records import AuditLog


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def die_before(owner, name, when=lambda *arguments: True):
    whole = getattr(owner, name)

    @functools.wraps(whole)
    def step(self, *arguments, **options):
        if when(*arguments):
            die()
        return whole(self, *arguments, **options)

    setattr(owner, name, step)


def die_after(owner, name, when=lambda *arguments: True):
    whole = getattr(owner, name)

    @functools.wraps(whole)
    def step(self, *arguments, **options):
        result = whole(self, *arguments, **options)
        if when(*arguments):
            die()
        return result

    setattr(owner, name, step)


STEPS = {
    "plan-received": lambda: die_before(PlanEndpoint, "info"),
    "plan-taken": lambda: die_after(PlanEndpoint, "info"),
    "victim-checked": lambda: die_before(EvictionExecutor, "prepare"),
    "intent-written": lambda: die_after(AuditLog, "write", lambda event: event == "intent"),
    "deletion-ordered": lambda: die_after(Servers, "force_delete"),
    "first-victim-done": lambda: die_after(EvictionExecutor, "order"),
    "freed-seen": lambda: die_before(AuditLog, "write", lambda event: event == "freed"),
}

if __name__ == "__main__":
    STEPS[sys.argv[1]]()
    sys.exit(main(sys.argv[2:]))
