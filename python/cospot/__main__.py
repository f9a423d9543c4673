"""``python -m cospot``: the command line, with the same arguments as the program ``cospot``."""

from __future__ import annotations

import signal
import sys

from cospot._core import run_command_line


def main() -> int:
    """Run the command line with the arguments of this process; return its exit code."""
    # As in the program: Ctrl-C ends any command but compare at once; compare catches it itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
