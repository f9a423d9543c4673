"""No signal is lost, whatever thread the kernel hands it to."""

from __future__ import annotations

from programs import run_python

#: A service that is reloaded all the while it runs, and is then told to stop. The main thread has
#: signals waiting most of the time, so the kernel hands others to the thread that sends them.
STORM = """
import os, signal, sys, threading, time
from cospot.nova.evictor import command

class Service:
    reloads = 0

    def start(self):
        threading.Thread(target=self.storm, daemon=True).start()

    def storm(self):
        for _ in range(20_000):
            os.kill(os.getpid(), signal.SIGHUP)
        while not self.reloads:  # on a busy machine the main thread has not run yet
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGTERM)

    def reload(self):
        self.reloads += 1

    def stop(self):
        print("stopped")

sys.exit(command._run(Service()))
"""


def test_a_service_stops_when_told_amid_a_storm_of_reloads(tmp_path):
    script = tmp_path / "storm.py"
    script.write_text(STORM)
    for _ in range(4):  # one in three hung when a lock was what woke the main thread
        done = run_python(script)
        assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr
