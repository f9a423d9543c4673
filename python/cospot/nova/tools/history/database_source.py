"""Reads instances and hosts from Nova's databases, in read-only sessions."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any, Final

import sqlalchemy
from sqlalchemy import exc

from cospot.errors import ConfigError
from cospot.nova.promises import asked_lifetime
from cospot.nova.tools.cloud import CloudError
from cospot.nova.tools.history.hosts_file import Aggregate, PastHost
from cospot.nova.tools.history.past_instance import (
    NO_WISHES,
    Deletion,
    PastInstance,
    Request,
    Wishes,
)

#: Prefix of tables with archived rows, which have the same columns.
_ARCHIVE: Final = "shadow_"
_READ_ONLY: Final = {
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
    "postgresql": "SET TRANSACTION READ ONLY",
    "sqlite": "PRAGMA query_only = ON",
}
_TIMES: Final = (
    *("created_at", "launched_at", "terminated_at", "deleted_at", "deletion_asked", "shelved"),
)
# A cross-cell resize leaves a hidden second row of the instance.
_INSTANCES: Final = """
SELECT i.id, i.uuid, i.project_id, i.vcpus, i.memory_mb, i.root_gb, i.ephemeral_gb,
       i.created_at, i.launched_at, i.terminated_at, i.deleted_at, i.host, e.flavor, {facts}
FROM {prefix}instances i LEFT JOIN {prefix}instance_extra e ON e.instance_uuid = i.uuid
{actions}
WHERE (i.deleted_at IS NULL OR i.deleted_at >= :since) AND (i.hidden IS NULL OR NOT i.hidden)
  AND i.created_at IS NOT NULL
"""
# Shadow tables have no index on the instance, so do not look up its actions one by one.
_ACTIONS: Final = """
LEFT JOIN (
  SELECT instance_uuid, MIN(CASE WHEN action = 'create' THEN id END) AS creation,
         MIN(CASE WHEN action = 'delete' THEN id END) AS deletion,
         MAX(CASE WHEN action IN ('shelve', 'shelveOffload') THEN id END) AS shelving,
         MAX(CASE WHEN action = 'unshelve' AND message IS NULL THEN id END) AS unshelving
  FROM {prefix}instance_actions
  WHERE action IN ('create', 'delete', 'shelve', 'shelveOffload', 'unshelve')
  GROUP BY instance_uuid
) a ON a.instance_uuid = i.uuid
LEFT JOIN {prefix}instance_actions d ON d.id = a.deletion
LEFT JOIN {prefix}instance_actions s ON s.id = a.shelving
"""
_ACTION_FACTS: Final = """
       a.creation, a.deletion, d.start_time AS deletion_asked, d.user_id = i.user_id AS by_owner,
       CASE WHEN i.host IS NULL AND a.shelving > COALESCE(a.unshelving, 0) THEN s.start_time END
       AS shelved
"""
_NO_FACTS: Final = (
    "0 AS creation, 0 AS deletion, NULL AS deletion_asked, 0 AS by_owner, NULL AS shelved"
)
_HOSTS: Final = """
SELECT c.host, c.hypervisor_hostname AS node, c.uuid, c.vcpus, c.memory_mb, c.local_gb,
       c.cpu_allocation_ratio, c.ram_allocation_ratio, c.disk_allocation_ratio,
       s.disabled, s.forced_down, s.last_seen_up
FROM compute_nodes c
LEFT JOIN services s ON s.host = c.host AND s.{binary} = 'nova-compute' AND s.deleted = 0
WHERE c.deleted = 0
"""
_AGGREGATES: Final = """
SELECT a.id, a.name, h.host FROM aggregates a
LEFT JOIN aggregate_hosts h ON h.aggregate_id = a.id ORDER BY a.name, a.id, h.host
"""
_REQUESTS: Final = "SELECT instance_uuid, created_at, spec FROM request_specs"
_GROUPS: Final = """
SELECT m.instance_uuid, g.uuid, p.policy, p.rules FROM instance_group_member m
JOIN instance_groups g ON g.id = m.group_id
JOIN instance_group_policy p ON p.group_id = g.id
"""
_METADATA: Final = "SELECT aggregate_id, {key} AS name, value FROM aggregate_metadata"
#: A compute is down if it has been silent for this long before the latest report of any (they
#: report every ten seconds). Not compared with now, because the database may be a copy.
_SILENT: Final = timedelta(minutes=10)


def cell_databases(settings: Any) -> list[str]:
    """Return the database URLs of all cells, from nova.conf and the API database.

    Raises:
        ConfigError: nova.conf names no database.
        CloudError: The API database does not answer.
    """
    api, own = settings.api_database.connection, settings.database.connection
    if not api and not own:
        raise ConfigError(
            "nova.conf names no database: expected [api_database] connection or [database]"
            " connection, or give --database URL"
        )
    if not api:
        return [own]
    from nova.objects.cell_mapping import CellMapping

    with connected(api) as connection:
        rows = connection.execute(
            sqlalchemy.text("SELECT database_connection FROM cell_mappings ORDER BY id")
        ).fetchall()
    urls = [row[0] for row in rows if row[0] and row[0] != "none"]
    try:
        # A mapping may be a template to fill from [database] connection.
        return [CellMapping._format_url(url, own) if "{" in url else url for url in urls]
    except (KeyError, ValueError, AttributeError, TypeError) as error:
        raise ConfigError(
            "cell_mappings: database_connection is a template, and [database] connection of"
            f" nova.conf does not fill it: {error!r}"
        ) from error


def read_instances(url: str, since: float) -> Iterator[PastInstance]:
    """Yield the instances of one cell, including archived ones.

    Args:
        url: Of the cell's database, in SQLAlchemy's format.
        since: Skip instances deleted before this time, seconds since the epoch.

    Raises:
        ConfigError: The URL cannot be used.
        CloudError: The database does not answer, or is not Nova's.
    """
    moment = datetime.fromtimestamp(since, timezone.utc).replace(tzinfo=None)
    with connected(url) as connection:
        tables = set(sqlalchemy.inspect(connection).get_table_names())
        for prefix in ("", _ARCHIVE):
            if prefix and f"{prefix}instances" not in tables:
                continue
            question = (
                sqlalchemy.text(_instances_question(prefix, tables))
                .bindparams(sqlalchemy.bindparam("since", type_=sqlalchemy.DateTime))
                .columns(**dict.fromkeys(_TIMES, sqlalchemy.DateTime))
            )
            rows = connection.execution_options(stream_results=True).execute(
                question, {"since": moment}
            )
            for row in rows.mappings():
                yield _instance(row, hash(url))


def _instances_question(prefix: str, tables: Container[str]) -> str:
    """Return the query for instances, with their actions if the table exists."""
    if f"{prefix}instance_actions" in tables:
        actions, facts = _ACTIONS.format(prefix=prefix), _ACTION_FACTS
    else:
        actions, facts = "", _NO_FACTS
    return _INSTANCES.format(prefix=prefix, actions=actions, facts=facts)


def read_hosts(url: str) -> list[PastHost]:
    """Return the compute nodes of one cell.

    Only placement knows what is reserved on a host, so that is not subtracted: see
    `placement_capacity`.

    Raises:
        ConfigError: The URL cannot be used.
        CloudError: The database does not answer, or is not Nova's.
    """
    with connected(url) as connection:
        # "binary" is a keyword of MySQL.
        quote = connection.dialect.identifier_preparer.quote_identifier
        question = sqlalchemy.text(_HOSTS.format(binary=quote("binary")))
        question = question.columns(last_seen_up=sqlalchemy.DateTime)
        rows = connection.execute(question).mappings().all()
    heard = [row["last_seen_up"] for row in rows if row["last_seen_up"] is not None]
    latest = max(heard, default=None)
    return [_host(row, latest) for row in rows]


def read_aggregates(url: str) -> list[Aggregate]:
    """Return the host aggregates from the API database.

    Raises:
        ConfigError: The URL cannot be used.
        CloudError: The database does not answer, or is not Nova's.
    """
    with connected(url) as connection:
        if "aggregates" not in sqlalchemy.inspect(connection).get_table_names():
            return []
        quote = connection.dialect.identifier_preparer.quote_identifier
        members = connection.execute(sqlalchemy.text(_AGGREGATES)).fetchall()
        entries = connection.execute(sqlalchemy.text(_METADATA.format(key=quote("key")))).fetchall()
    hosts: dict[tuple[int, str], set[str]] = {}
    for number, name, host in members:
        hosts.setdefault((number, name), set()).update([host] if host else [])
    metadata: dict[int, dict[str, str]] = {}
    for number, key, value in entries:
        metadata.setdefault(number, {})[key] = value
    return [
        Aggregate(name, frozenset(names), metadata.get(number, {}))
        for (number, name), names in hosts.items()
    ]


def read_requests(url: str) -> dict[str, Request]:
    """Return request times and placement requirements by UUID, from the API database.

    Nova deletes the request of an instance when it archives it.

    Raises:
        ConfigError: The URL cannot be used.
        CloudError: The database does not answer, or is not Nova's.
    """
    requests: dict[str, Request] = {}
    with connected(url) as connection:
        tables = set(sqlalchemy.inspect(connection).get_table_names())
        if "request_specs" in tables:
            question = sqlalchemy.text(_REQUESTS).columns(created_at=sqlalchemy.DateTime)
            rows = connection.execution_options(stream_results=True).execute(question)
            for uuid, created, spec in rows:
                asked = None if created is None else _seconds(created)
                requests[uuid] = _request(asked, spec)
        if "instance_group_member" in tables:
            for uuid, group, policy, rules in connection.execute(sqlalchemy.text(_GROUPS)):
                most = int(json.loads(rules or "{}").get("max_server_per_host", 1))
                one = requests.get(uuid, Request())
                wishes = Wishes(one.wishes.zone, group, policy, most)
                requests[uuid] = replace(one, wishes=wishes)
    return requests


def _request(asked: float | None, spec: str) -> Request:
    """Parse a row of request_specs, as far as possible."""
    try:
        data = json.loads(spec)["nova_object.data"]
        zone = data.get("availability_zone") or ""
        hints = data.get("scheduler_hints") or {}
    except (ValueError, KeyError, TypeError, AttributeError):
        return Request(asked)
    wishes = Wishes(zone=zone) if zone else NO_WISHES
    return Request(asked, wishes, _lifetime_hint(hints))


def _lifetime_hint(hints: Any) -> str | None:
    hint = hints.get(asked_lifetime.NAME, "") if isinstance(hints, dict) else ""
    if isinstance(hint, list):
        hint = hint[0] if len(hint) == 1 else ""
    return hint if isinstance(hint, str) else ""


def _host(row: Mapping[str, Any], latest: datetime | None) -> PastHost:
    # Computes that leave the ratio at its default report 0.
    vcpus, memory_mb, disk_gb = (
        int(row[amount] * (row[ratio] or 1.0))
        for amount, ratio in (
            ("vcpus", "cpu_allocation_ratio"),
            ("memory_mb", "ram_allocation_ratio"),
            ("local_gb", "disk_allocation_ratio"),
        )
    )
    seen = row["last_seen_up"]
    is_silent = latest is not None and (seen is None or latest - seen > _SILENT)
    status = "down" if row["forced_down"] or is_silent else "up"
    if row["disabled"]:
        status = "disabled"
    name, provider = row["node"] or row["host"], row["uuid"] or ""
    return PastHost(name, row["host"], vcpus, memory_mb, disk_gb, status, provider)


@contextmanager
def connected(url: str) -> Iterator[Any]:
    """Yield a read-only connection to a database of Nova.

    Raises:
        ConfigError: The URL cannot be used.
        CloudError: The database does not answer, or a question fails.
    """
    try:
        parsed = sqlalchemy.engine.make_url(url)
        shown = parsed.render_as_string(hide_password=True)
    except (exc.ArgumentError, ValueError):
        # SQLAlchemy's own message would show the password.
        raise ConfigError(
            "the URL of the database cannot be read; expected such as"
            " mysql+pymysql://USER:PASSWORD@HOST/nova"
        ) from None
    dialect = parsed.get_backend_name()
    if dialect == "sqlite" and not os.path.isfile(parsed.database or ""):
        raise ConfigError(f"{shown}: there is no such file")  # SQLite would create one
    try:
        with _engine(parsed) as engine, _open(engine) as connection:
            if dialect in _READ_ONLY:
                connection.execute(sqlalchemy.text(_READ_ONLY[dialect]))
            yield connection
    except (exc.SQLAlchemyError, ImportError, _UnusableUrlError) as error:
        raise CloudError(f"{shown}: {(str(error) or repr(error)).splitlines()[0]}") from error


class _UnusableUrlError(Exception):
    """A database client rejects a host name or an option of the URL."""


@contextmanager
def _engine(url: sqlalchemy.engine.URL) -> Iterator[Any]:
    engine = sqlalchemy.create_engine(url)
    try:
        yield engine
    finally:
        engine.dispose()


def _open(engine: Any) -> Any:
    try:
        return engine.connect()
    except (TypeError, ValueError) as error:
        raise _UnusableUrlError(str(error)) from error


def _instance(row: Mapping[str, Any], cell: int) -> PastInstance:
    name, extra_specs, swap_mb = _flavor(row["flavor"])
    # Offloaded, it is on no host.
    ended = row["shelved"] or row["terminated_at"] or row["deleted_at"]
    return PastInstance(
        uuid=row["uuid"],
        project=row["project_id"] or "",
        vcpus=row["vcpus"] or 0,
        memory_mb=row["memory_mb"] or 0,
        disk_gb=(row["root_gb"] or 0) + (row["ephemeral_gb"] or 0) + -(-swap_mb // 1024),
        created=_seconds(row["created_at"]),
        launched=row["launched_at"] is not None,
        # During a deletion, terminated_at is set before the row counts as deleted.
        ended=None if ended is None else _seconds(ended),
        flavor=name,
        extra_specs=extra_specs,
        number=row["id"],
        cell=cell,
        creation=row["creation"] or 0,
        deletion=_deletion(row),
        host=row["host"] or "",
    )


def _deletion(row: Mapping[str, Any]) -> Deletion | None:
    asked = row["deletion_asked"]
    if not row["deletion"] or asked is None or row["shelved"] is not None:
        return None
    return Deletion(row["deletion"], _seconds(asked), by_owner=bool(row["by_owner"]))


def _flavor(text: str | None) -> tuple[str, Mapping[str, str], int]:
    """Return name, extra specs and swap (MiB) of the flavor stored with an instance."""
    try:
        flavor = json.loads(text or "")["cur"]["nova_object.data"]
        return flavor["name"], flavor.get("extra_specs") or {}, int(flavor.get("swap") or 0)
    except (ValueError, KeyError, TypeError):
        return "", {}, 0


def _seconds(moment: datetime) -> float:
    return moment.replace(tzinfo=timezone.utc).timestamp()
