"""Runs a command and sends it a signal once it has added runs to its database.

usage: stop_when_started.py SIGNAL DATABASE COMMAND...
"""

import re
import signal
import sqlite3
import subprocess
import sys
import time

name, database, *command = sys.argv[1:]


def committed_runs():
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10) as connection:
            return connection.execute("SELECT count(*) FROM run").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # not created yet


before = committed_runs()
with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
    while process.poll() is None and committed_runs() == before:
        time.sleep(0.01)
    process.send_signal(signal.Signals[name])
    message = process.stderr.read()
print(f"{name}: exit {process.returncode}", re.sub(r"\d+ of", "some of", message).strip())
with sqlite3.connect(database) as connection:
    print("integrity:", connection.execute("PRAGMA integrity_check").fetchone()[0])
    total = connection.execute("SELECT run_count FROM sweep").fetchone()[0]
done = committed_runs()
print("some runs are done" if before < done < total else f"{done} of {total} runs are done")
