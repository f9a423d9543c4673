"""`cospot-nova`: the operator's commands."""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, Final

from oslo_config import cfg

import cospot
from cospot.errors import CospotError
from cospot.nova.tools import (
    db_command,
    flavor_command,
    inventory_command,
    setup_command,
    signals_command,
    status_command,
)
from cospot.nova.tools.bill import bill_command
from cospot.nova.tools.doctor import command as doctor_command
from cospot.nova.tools.history import command as history_command
from cospot.nova.tools.plan import plan_command
from cospot.nova.tools.promise import promise_command, quote_command
from cospot.printable import printable_streams, without_middle

#: Keeps Python from printing keystoneauth's log: our own error line is sufficient.
_SILENT: Final = logging.NullHandler()

_EPILOG = "Exit codes: 0 done, 1 what was looked at has a fault, 2 bad usage or failure."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code.

    Args:
        arguments: Without the program's name; those of this process unless given.
    """
    logging.getLogger("keystoneauth").addHandler(_SILENT)
    _print_any_character()
    with printable_streams(), warnings.catch_warnings():
        parsed = _parser().parse_args(arguments)
        warnings.showwarning = _show_warning
        # Library warnings are for developers; operators cannot act on them.
        warnings.simplefilter("ignore", DeprecationWarning)
        return _run(parsed)


def _run(parsed: argparse.Namespace) -> int:
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
        return code
    except (CospotError, cfg.Error) as error:
        # Nova reads options on demand, so a value of the wrong type is found only then.
        print(f"cospot-nova: error: {' '.join(str(error).splitlines())}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(
            f"cospot-nova: error: {error}; expected OpenStack Nova in this Python"
            f" ({sys.executable}): install cospot where nova-scheduler runs",
            file=sys.stderr,
        )
        return 2
    except BrokenPipeError:
        # The reader closed the pipe; Python would complain again on closing the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a library's warning as one of our lines, without its place in the code."""
    text = without_middle(" ".join(str(message).splitlines()))
    print(f"cospot-nova: warning: {text}", file=sys.stderr)


def _print_any_character() -> None:
    """Escape characters, for example in a flavor's name, that the terminal cannot show."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _version() -> str:
    """Return the version from the compiled module, which may not load: doctor must still run."""
    if cospot.compiled_module_error is not None:
        return "of unknown version: its compiled module does not load; see cospot-nova doctor"
    return cospot.__version__


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cospot-nova", description="Spot instances on OpenStack Nova.", epilog=_EPILOG
    )
    parser.add_argument("--version", action="version", version=f"cospot {_version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (
        setup_command,
        db_command,
        doctor_command,
        status_command,
        signals_command,
        flavor_command,
        inventory_command,
        history_command,
        promise_command,
        quote_command,
        plan_command,
        bill_command,
    ):
        module.add_parser(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
