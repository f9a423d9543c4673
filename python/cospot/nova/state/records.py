"""The service's records for people: its log, the audit log, the metrics."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from cospot.nova import log as logging
from cospot.nova.line_file import APPENDING, append_line
from cospot.nova.state.errors import AuditError

_PREFIX: Final = "cospot_evictor"
_FREED_BUCKETS_S: Final = (0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 8, 15, 30, 60, 120)
#: The first counts those without any notice.
_NOTICE_BUCKETS_S: Final = (0, 5, 15, 30, 60, 120, 300, 600, 1800, 3600)
_RECONCILE_BUCKETS_S: Final = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


#: The action that frees the former host of a resized server, and evicts nobody.
CONFIRM: Final = "confirm-resize"


def event_of(event: str, fields: Mapping[str, Any]) -> str:
    """Return the name of an event in the audit log: those of a confirmation are no eviction's."""
    return f"confirm_{event}" if fields["action"] == CONFIRM else event


def set_up_logging(conf: Any, program: str) -> None:
    """Set logging up, and leave it its own locks.

    Older versions of oslo.log, such as that of Zed, give logging eventlet's locks as soon as
    eventlet has been imported, as libraries do (osprofiler, for one) that never use it here. Two
    native threads that meet at such a lock wait in it for ever.

    Raises:
        oslo_log.log.LogConfigError: the file that log_config_append names cannot be used.
    """
    eventlet = sys.modules.pop("eventlet", None)
    try:
        logging.setup(conf, program)
    finally:
        if eventlet is not None:
            sys.modules["eventlet"] = eventlet


class AuditLog:
    """The audit log: one JSON object a line, only ever appended to, on disk before the deed.

    Several copies of the service may share the file.
    A process that is killed, or a disk that is full, leaves at most its last line unfinished.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._who = f"cospot-evictor@{socket.gethostname()}:{os.getpid()}"
        self._lock = threading.Lock()
        self._file = -1
        self.reopen()

    def reopen(self) -> None:
        """Open the file anew, after it was rotated, or for the first time.

        Raises:
            AuditError: it cannot be opened for appending.
        """
        try:
            file = os.open(self._path, APPENDING, 0o640)
        except OSError as error:
            raise AuditError(f"audit log {self._path}: {error.strerror}") from error
        with self._lock:
            old, self._file = self._file, file
        if old >= 0:
            os.close(old)

    def write(self, event: str, **fields: Any) -> None:
        """Append a record and wait until it is on disk.

        Args:
            event: what happened; docs/nova/operating.md lists the events and their fields.
            fields: JSON values.

        Raises:
            AuditError: it could not be written.
        """
        moment = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        record = {"time": moment, "event": event, "who": self._who, **fields}
        line = json.dumps(record, separators=(",", ":"), default=str).encode() + b"\n"
        with self._lock:
            try:
                append_line(self._file, line)
                os.fsync(self._file)
            except OSError as error:
                raise AuditError(f"audit log {self._path}: {error.strerror}") from error


class Metrics:
    """The Prometheus metrics, in their own registry; docs/nova/operating.md has their units."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.plans = self._counter("plans", "Plans received", "outcome")
        self._add_evictions()
        self._add_hosts()
        self._add_promises()
        self.leader = self._gauge("leader", "1 in the copy that looks after the reserves")
        self.notices = self._counter("notices", "Eviction notices", "outcome")
        self.errors = self._counter("errors", "Errors by where they happened", "where")
        self.enabled = self._gauge("enabled", "1 when evictions are switched on")
        self.reload_failed = self._gauge(
            "reload_failed", "1 when the files had an error at the last reload"
        )

    def serve(self, address: str, port: int) -> None:
        """Answer scrapes at http://address:port/metrics from a thread of its own."""
        start_http_server(port, addr=address, registry=self.registry)

    def _add_evictions(self) -> None:
        self.evictions = self._counter("evictions", "Evictions asked of Nova", "cause")
        self.evictions_why = self._counter(
            "evictions_by_reason", "Evictions asked of Nova, by what made the shortfall", "why"
        )
        self.unexplained = self._gauge(
            "unexplained_hosts",
            "Hosts overcommitted by more than claims since they were within capacity explain",
        )
        self.refusals = self._counter("refusals", "Instances not evicted, by reason", "reason")
        self.failures = self._counter(
            "failed_evictions", "Evictions that Nova refused, or that a compute gave up"
        )
        self.notice = self._histogram(
            "notice_seconds",
            "How long before the order to evict it a spot was told; 0: it was not",
            _NOTICE_BUCKETS_S,
        )
        self.failed_claims = self._counter(
            "evictions_for_failed_claims",
            "Evictions for claims of VMs that did not come to run there",
            "cause",
        )
        self.confirmations = self._counter(
            "confirmed_resizes", "Resizes confirmed, as VMs needed what they still held"
        )
        self.late = self._counter(
            "late_evictions", "Evictions whose capacity was not free within the time for it"
        )
        self.late_now = self._gauge("late_spots", "Evicted spots that are late and still there")
        self.claim_to_freed = self._histogram(
            "claim_to_freed_seconds",
            "Time from a VM's claim in placement until a spot's capacity is free there",
            _FREED_BUCKETS_S,
        )
        self.delete_to_freed = self._histogram(
            "delete_to_freed_seconds",
            "Time from asking Nova to delete a spot until its capacity is free in placement",
            _FREED_BUCKETS_S,
        )

    def _add_hosts(self) -> None:
        self.overcommit = self._counter(
            "overcommit_seconds",
            "Time a host was seen with VMs and spots beyond its capacity",
            "host",
        )
        self.stalled = self._gauge(
            "stalled_host", "1 for a host that frees nothing of what was ordered there", "host"
        )
        self.limit_hits = self._counter(
            "limit_hits", "Evictions held back by a limit per minute", "limit"
        )
        self.reconcile = self._histogram(
            "reconcile_seconds", "Time of one reconcile of all hosts", _RECONCILE_BUCKETS_S
        )
        self.hosts = self._gauge("hosts", "Hosts with inventory for spots")
        self.reserve_missing = self._gauge(
            "reserve_missing",
            "VMs of the reserve's size for which there is no free capacity",
            "reserve",
        )

    def _add_promises(self) -> None:
        self.promises_kept = self._counter(
            "promises_kept", "Spots that lived as long as they were promised", "target"
        )
        self.promises_broken = self._counter(
            "promises_broken", "Spots evicted before the lifetime that they were promised", "target"
        )
        self.promises_open = self._gauge(
            "promises_open", "Spots whose promised lifetime is not over", "target"
        )
        self.promises_share = self._gauge(
            "promises_broken_share",
            "Bounds of the share of promises that are broken, with 95 % confidence",
            "target",
            "bound",
        )
        self.promises_alarm = self._gauge(
            "promises_alarm", "1 when more promises are broken than may be", "target"
        )

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"{_PREFIX}_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"{_PREFIX}_{name}", text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: Sequence[float]) -> Histogram:
        return Histogram(f"{_PREFIX}_{name}", text, buckets=buckets, registry=self.registry)
