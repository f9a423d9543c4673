"""``python -m cospot``: the command line, with the same arguments as the program ``cospot``."""

from __future__ import annotations

import os
import signal
import sys

from cospot._core import run_command_line


def main() -> int:
    """Run the command line with the arguments of this process; return its exit code."""
    # Like the program: until the command handles Ctrl-C itself, it ends the process at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Python code that the program runs in a subprocess (cospot lifetime) runs in this process.
    os.environ.setdefault("COSPOT_PYTHON", sys.executable)
    return run_command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
