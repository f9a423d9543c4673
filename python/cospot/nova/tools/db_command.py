"""`cospot-nova db`: the tables of the evictor's state database."""

from __future__ import annotations

import argparse

from cospot.nova.tools import settings
from cospot.nova.tools.state_database import open_state, said


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `db`."""
    parser = commands.add_parser(
        "db",
        help="make or upgrade the tables that evictors on several machines share",
        description="Of the database that state_connection in the evictor's configuration names.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    sync = actions.add_parser(
        "sync",
        help="make the tables, or upgrade them; may be run again and again",
        epilog="Exit codes: 0 the tables fit this cospot, 2 bad usage or failure.",
    )
    sync.set_defaults(run=_sync)
    version = actions.add_parser(
        "version",
        help="show the version of the tables and of this cospot",
        epilog="Exit codes: 0 they fit, 1 they do not, 2 bad usage or failure.",
    )
    version.set_defaults(run=_version)
    for each in (sync, version):
        settings.add_evictor_argument(each)


def _sync(arguments: argparse.Namespace) -> int:
    evictor = settings.read_evictor_settings(arguments.evictor_config_file)
    database = open_state(evictor.cospot_evictor)
    passed = database.upgrade()
    problem = database.problem()
    if problem:
        print(f"{database.shown}: {problem}")
        return 2
    print(f"{database.shown}: {said(passed)}")
    return 0


def _version(arguments: argparse.Namespace) -> int:
    from cospot.nova.state import schema

    evictor = settings.read_evictor_settings(arguments.evictor_config_file)
    database = open_state(evictor.cospot_evictor)
    found, problem = database.version(), database.problem()
    print(f"tables {found or 'none'}, this cospot {schema.version()}")
    if problem:
        print(f"{database.shown}: {problem}")
    return int(bool(problem))
