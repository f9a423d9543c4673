"""The processes of a deployment: started in sessions of their own, found again by a mark.

Every process carries the deployment's folder in its environment, as do its children. So they are
found whoever started them, also when that one was killed before it could note their numbers.
"""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from waiting import wait_until

MARK = "COSPOT_NOVA_DEPLOYMENT"


class DeploymentError(Exception):
    """Something of the deployment did not come up; says what, and shows the end of its log."""


def wait_for_next_second():
    """Return the next whole second of the clock as soon as it begins, seconds since the epoch.

    Nova keeps whole seconds: only spots of different seconds have an older one.
    """
    begins = int(time.time()) + 1
    wait_until(lambda: time.time() >= begins, "the second begins")
    return begins


def marked_processes(folder):
    """Return the ids of all living processes of the deployment in this folder."""
    mark = f"{MARK}={folder}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:  # gone meanwhile, or another user's
            continue
    return [process for process in found if is_alive(process)]


def is_alive(process):
    """Tell whether a process still has memory or files: a dying one keeps its ports a while."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in "ZX"


def kill_marked(folder):
    """Kill every process of the deployment; return how many there were."""
    killed = set()
    quiet = 0
    deadline = time.monotonic() + 30
    while quiet < 2:  # twice, for a child that was being started while its parent died
        living = {*marked_processes(folder), *filter(is_alive, killed)}
        quiet = 0 if living else quiet + 1
        for process in living:
            try:
                os.kill(process, signal.SIGKILL)
                killed.add(process)
            except ProcessLookupError:
                continue
        if time.monotonic() > deadline:
            raise DeploymentError(f"processes do not die: {living}")
        time.sleep(0.1)
    return len(killed)


class Processes:
    """Starts, stops and watches a deployment's processes by name."""

    def __init__(self, folder):
        self.folder = folder
        self.logs = folder / "logs"
        self.run = folder / "run"

    def environment(self, extra=None):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("OS_", "RABBITMQ_"))}
        # A service that writes its title over its environment would lose the mark.
        return {**kept, **(extra or {}), MARK: str(self.folder), "SPT_NOENV": "1"}

    def start(self, name, command, environment=None):
        """Start a process in the background; its output goes to logs/NAME.log."""
        with (self.logs / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self.environment(environment),
                start_new_session=True,
            )
        (self.run / f"{name}.pid").write_text(str(process.pid))
        return process

    def call(self, name, command, environment=None, seconds=180):
        """Run a command to its end; its output goes to logs/NAME.log.

        Raises:
            DeploymentError: it failed or took too long.
        """
        process = self.start(name, command, environment)
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            code = f"no end within {seconds} s"
        (self.run / f"{name}.pid").unlink(missing_ok=True)
        if code != 0:
            raise DeploymentError(f"{name}: exit {code}\n{self.log_tail(name)}")

    def main_process(self, name):
        """Return the living process of this name; None when there is none."""
        try:
            process = int((self.run / f"{name}.pid").read_text())
        except (OSError, ValueError):
            return None
        return process if process in marked_processes(self.folder) else None

    def names(self):
        return sorted(path.stem for path in self.run.glob("*.pid"))

    def send(self, name, number):
        process = self.main_process(name)
        if process is None:
            raise DeploymentError(f"{name} does not run")
        os.kill(process, number)

    def stop(self, name, number=signal.SIGTERM, seconds=20.0):
        """Stop a process and everything in its session; by force when the time is over."""
        process = self.main_process(name)
        if process is None:
            return
        members = {process, *self.session(process)}
        os.kill(process, number)
        deadline = time.monotonic() + seconds
        while members := {*filter(is_alive, members), *self.session(process)}:
            if number == signal.SIGKILL or time.monotonic() > deadline:
                for member in members:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(member, signal.SIGKILL)
            time.sleep(0.02)
        (self.run / f"{name}.pid").unlink(missing_ok=True)

    def session(self, leader):
        """Return the living processes of a session."""
        members = []
        for process in marked_processes(self.folder):
            try:
                if os.getsid(process) == leader:
                    members.append(process)
            except ProcessLookupError:
                continue
        return members

    def log_tail(self, name, lines=30):
        path = self.logs / f"{name}.log"
        if not path.exists():
            return f"--- {path}: none"
        text = path.read_text(errors="replace").splitlines()[-lines:]
        return "\n".join([f"--- end of {path}", *text])
