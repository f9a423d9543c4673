"""`cospot-nova bill`: what to bill for the spots of a month, and what is unknown."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from oslo_config import cfg

from cospot.errors import ConfigError
from cospot.nova.moment import seconds_of, text_of
from cospot.nova.tools import argument_types, credentials, settings
from cospot.nova.tools.bill.audit_history import AuditHistory, read_history
from cospot.nova.tools.bill.month_bill import COLUMNS, FREE_S, Bill, Month
from cospot.nova.tools.bill.server_time import ServerTime, is_spot, server_time
from cospot.nova.tools.cloud import Cloud, CloudError
from cospot.nova.tools.history import api_source
from cospot.nova.tools.history.past_instance import FirstEnd
from cospot.nova.tools.text_table import text_table
from cospot.whole_file import write_file

_DAY_S: Final = 86400.0
_FIRST: Final = datetime(2010, 1, 1, tzinfo=timezone.utc)
_LAST: Final = datetime(9000, 1, 1, tzinfo=timezone.utc)
#: The columns of the table: their keys in a row, their titles, and what tells whether all of it is
#: known.
_SHOWN: Final = (
    ("project_id", "project", ""),
    ("flavor", "flavor", ""),
    ("servers", "servers", ""),
    ("spot_seconds", "spot seconds", ""),
    ("spot_vcpu_seconds", "vCPU-seconds", ""),
    ("promised_seconds", "promised seconds", "promised_known"),
    ("evictions", "evictions", "evictions_known"),
    ("evicted_first_hour_seconds", "evicted first hours, s", "evictions_known"),
    ("broken_promises", "broken promises", "promises_known"),
    ("review_seconds", "review, s", ""),
    ("review", "review", ""),
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `bill`."""
    parser = commands.add_parser(
        "bill",
        help="sum up the spots of a month by project and flavor, for billing",
        description="Joins what Nova's API knows of servers (deleted ones too, unless they are"
        " archived) with the evictor's audit log and its journal of promises.",
        epilog="Exit codes: 0 done; 1 something of the month is not known, and the output says"
        " what; 2 bad usage or failure.",
    )
    parser.add_argument(
        "--month", required=True, type=_month, metavar="YYYY-MM", help="such as 2026-10, in UTC"
    )
    parser.add_argument("--csv", metavar="FILE", help="also write the rows to a CSV file")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    argument_types.add_list(
        parser,
        "--audit-log",
        "PATH",
        "of an evictor, with what it was rotated to; again for each machine that runs one"
        " (default: as the evictor's configuration says)",
    )
    parser.add_argument(
        "--logged-since",
        metavar="TIME",
        type=argument_types.moment(_FIRST, _LAST),
        default=math.inf,
        help="the audit logs are complete since then (default: since their first record)",
    )
    settings.add_evictor_argument(parser)
    credentials.add_arguments(parser)
    parser.set_defaults(run=_run)


def _month(text: str) -> datetime:
    try:
        if len(text) != len("2026-10"):
            raise ValueError
        return datetime.strptime(text, "%Y-%m").replace(tzinfo=timezone.utc)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text:.60}', expected such as 2026-10") from None


def _run(arguments: argparse.Namespace) -> int:
    month = month_of(arguments.month, time.time())
    cloud = credentials.connect(arguments)
    history, promises = _read_evictor(arguments, month)
    bill = _make(cloud, month, history, promises, arguments.logged_since)
    rows = bill.table()
    if arguments.json:
        print(json.dumps(_as_json(bill, rows, history), indent=2))
    else:
        print(_as_text(bill, rows, history))
    if arguments.csv is not None:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_file(Path(arguments.csv), text.getvalue().encode())
    return int(bool(bill.not_known))


def month_of(first: datetime, now: float) -> Month:
    """Return a month that has at least begun to pass.

    Raises:
        ConfigError: It has not.
    """
    following = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
    name = first.strftime("%Y-%m")
    if first.timestamp() >= now or first < _FIRST:
        raise ConfigError(f"--month {name}: expected a month from 2010-01 to this one")
    return Month(name, first.timestamp(), following.timestamp(), now)


@dataclass
class _Promises:
    """The promises in the journal.

    Attributes:
        broken: When, by the spot's UUID.
        terms: Of all promises, from when to when, by the spot's UUID.
        since: From when on the journal is complete, seconds since the epoch.
        problem: Why they are unknown; empty if they are known.
    """

    broken: dict[str, float] = field(default_factory=dict)
    terms: dict[str, tuple[float, float]] = field(default_factory=dict)
    since: float = math.inf
    problem: str = ""


def _read_evictor(arguments: argparse.Namespace, month: Month) -> tuple[AuditHistory, _Promises]:
    logs = list(map(Path, arguments.audit_log))
    try:
        evictor = settings.read_evictor_settings(arguments.evictor_config_file).cospot_evictor
        logs = logs or [Path(str(evictor.audit_log))]
        promises = _read_promises(evictor, month.now)
    except (ConfigError, cfg.Error) as error:
        if arguments.evictor_config_file:
            raise
        promises = _Promises(problem=str(error))
        if not logs:
            return AuditHistory(problems=[str(error)]), promises
    return read_history(logs), promises


def _read_promises(evictor: Any, now: float) -> _Promises:
    from cospot.nova.promises.journal import FOLDER
    from cospot.nova.state.errors import EvictorError
    from cospot.nova.state.opening import open_journal

    folder = Path(str(evictor.state_path)) / FOLDER
    if not evictor.state_connection and not folder.is_dir():
        return _Promises(problem=f"there is no journal of promises at {folder} here")
    try:
        journal = open_journal(evictor)
        journal.refresh()
    except EvictorError as error:  # from the database
        return _Promises(problem=str(error))
    except OSError as error:
        return _Promises(problem=f"{error.filename}: cannot be read: {error.strerror}")
    all_known = journal.all()
    broken = {
        known.promise.instance: known.broken_at
        for known in all_known
        if known.broken_at is not None
    }
    terms = {
        known.promise.instance: (known.promise.made_at, known.promise.due_at) for known in all_known
    }
    return _Promises(broken, terms, now - evictor.promise_days * _DAY_S)


def _make(
    cloud: Cloud, month: Month, history: AuditHistory, promises: _Promises, logged_since: float
) -> Bill:
    bill = Bill(month)
    logged = min(history.since, logged_since) if history.files else math.inf
    bill.evictions_known = month.known(logged)
    if history.problems and bill.evictions_known == "yes":
        bill.evictions_known = "partly"
    journal = month.known(promises.since)
    bill.terms_known = journal
    both = {journal, bill.evictions_known}
    bill.promises_known = "yes" if "yes" in both else "partly" if "partly" in both else "no"
    first_end = FirstEnd()
    servers = _servers(cloud, month, first_end)
    broken = {**history.broken, **promises.broken}
    for server in servers:
        bill.add(server, history, broken, promises.terms.get(server.uuid))
    _say_what_is_not_known(bill, history, promises, logged)
    bill.add_unseen((server.uuid for server in servers), history, broken)
    quiet_s = first_end.quiet_s(month.since, month.until)
    if quiet_s:
        bill.not_known.append(
            f"Nova shows no server that ended in the first {quiet_s / _DAY_S:.3g} days: if deleted"
            " ones were archived or purged since, they are missing"
        )
    return bill


def _servers(cloud: Cloud, month: Month, first_end: FirstEnd) -> list[ServerTime]:
    """Read the spots that may have run in a month."""
    rows: dict[str, Mapping[str, Any]] = {}
    for row in api_source.read_rows(cloud, month.since):
        ended = api_source.ended_at(row)
        if ended is not None and ended >= month.since:
            first_end.note(ended)
        is_in_time = ended is None or ended >= month.since
        if is_spot(row) and is_in_time and seconds_of(row["created"]) < month.until:
            rows[row["id"]] = row
    found = []
    for uuid, actions in cloud.actions(rows):
        known = None if isinstance(actions, CloudError) else actions
        found.append(server_time(rows[uuid], known, month.since, month.until))
    return found


def _say_what_is_not_known(
    bill: Bill, history: AuditHistory, promises: _Promises, logged: float
) -> None:
    month = bill.month
    if bill.evictions_known == "no":
        bill.not_known.append("evictions are not known: no audit log tells of this month")
    elif logged > month.since:
        bill.not_known.append(
            f"evictions before {text_of(logged)} are not known: the audit logs begin then"
            " (--logged-since TIME if nothing was evicted before)"
        )
    bill.not_known += history.problems
    if bill.promises_known == "no":
        why = promises.problem or "the journal has dropped them (promise_days)"
        bill.not_known.append(f"broken promises are not known: {why}")
    elif bill.promises_known == "partly":
        why = promises.problem or f"of those due before {text_of(promises.since)} (promise_days)"
        bill.not_known.append(f"broken promises may be missing: {why}")
    if month.end <= month.now < month.end + FREE_S:
        bill.not_known.append(
            "spots of the last hour may still be evicted in their first hour: make the bill again"
            f" after {text_of(month.end + FREE_S)}"
        )


def _as_json(
    bill: Bill, rows: Sequence[Mapping[str, Any]], history: AuditHistory
) -> dict[str, Any]:
    month = bill.month
    return {
        "month": month.name,
        "since": text_of(month.since),
        "until": text_of(month.until),
        "is_over": month.now >= month.end,
        "rows": rows,
        "review": [
            {
                "server": server.uuid,
                "project_id": server.project,
                "flavor": server.flavor,
                "spot_seconds": round(server.seconds(month.since, month.until)),
                "review": sorted(server.review),
            }
            for server in bill.review
        ],
        "not_known": bill.not_known,
        "audit_logs": [str(file) for file in history.files],
    }


def _as_text(bill: Bill, rows: Sequence[Mapping[str, Any]], history: AuditHistory) -> str:
    month = bill.month
    open_text = "" if month.now >= month.end else ", the month is not over"
    lines = [
        f"spots of {month.name}: {text_of(month.since)} to {text_of(month.until)}{open_text};"
        f" audit logs read: {len(history.files)}"
    ]
    header = [title for _, title, _ in _SHOWN]
    cells = [[_cell(row, key, known) for key, _, known in _SHOWN] for row in rows]
    lines.append(text_table(header, cells) if rows else "no spots")
    lines += [
        f"review: {each.uuid} ({each.flavor}, project {each.project}):"
        f" {'; '.join(sorted(each.review))}"
        for each in bill.review
    ]
    lines += [f"NOT KNOWN: {sentence}" for sentence in bill.not_known]
    return "\n".join(lines)


def _cell(row: Mapping[str, Any], key: str, known: str) -> object:
    value = row[key]
    if value is None or (value == "" and key != "review"):
        return "?"
    return f">= {value}" if known and row[known] == "partly" else value
