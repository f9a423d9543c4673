"""Checks of files and folders that a service needs, with the rights of the service's user."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Iterator
from typing import Any, Final

from cospot.nova.tools.doctor.finding import Check, Finding, error, ok, unknown, warning

_SCHEDULER_USER: Final = "nova"
_EVICTOR_USER: Final = "cospot-evictor"


def user_may(user: str, right: str, path: str) -> bool | None:
    """Tell whether a user has a right to a path; None: this cannot be checked here.

    Args:
        user: Its name; if it does not exist, services run as this process's user.
        right: An option of `test`: -r, -w, -x, -d.
        path: Any path.
    """
    switch: dict[str, Any] = {}
    try:
        account = pwd.getpwnam(user)
    except KeyError:
        account = None
    if account is not None and account.pw_uid != os.geteuid():
        if os.geteuid() != 0:
            return None
        groups = os.getgrouplist(user, account.pw_gid)
        switch = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": groups}
    try:
        return subprocess.run(["test", right, path], check=False, **switch).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return None


def metrics_check(settings: Any) -> Iterator[Finding]:
    """Check `metrics_directory` of the scheduler."""
    folder = settings.cospot.metrics_directory
    if not folder:
        yield ok("off: nova-scheduler writes no metrics")
        return
    make = f"install -d -o {_SCHEDULER_USER} -g {_SCHEDULER_USER} -m 755 {folder}"
    rights = {right: user_may(_SCHEDULER_USER, right, folder) for right in ("-d", "-w", "-x")}
    if rights["-d"] is None:
        yield unknown(
            f"metrics_directory {folder}: whether {_SCHEDULER_USER} may write there is for root to"
            " see",
            "run the doctor as root",
        )
    elif not rights["-d"] and not os.path.isdir(folder):
        what = "is no folder" if os.path.exists(folder) else "does not exist"
        yield warning(f"metrics_directory {folder} {what}: there are no metrics", make)
    elif not all(rights.values()):  # without -d, a parent folder denies access
        yield warning(
            f"metrics_directory {folder}: {_SCHEDULER_USER} may not write there: there are no"
            " metrics",
            f"chown {_SCHEDULER_USER} {folder}, or: {make}",
        )
    else:
        yield ok(f"nova-scheduler may write them to {folder}")


def signals_check(evictor_settings: Any) -> Check:
    """Return the check of `signals_port`.

    Args:
        evictor_settings: The service's own configuration.
    """
    return Check(
        "signals port",
        "Nova asks the evictor for what spots read of themselves. Where the port is not opened"
        " guests get an empty answer, and only the evictor's log says so.",
        lambda: _check_signals(evictor_settings.cospot_evictor),
    )


def _check_signals(group: Any) -> Iterator[Finding]:
    from cospot.nova.evictor.signal_tls import tls_context, tls_files

    port, address = group.signals_port, group.signals_address
    if not port:
        yield ok("off: signals_port is 0")
        return
    files = tls_files(group)
    if not files:
        if address.startswith(("127.", "::1", "localhost")):
            yield ok(f"{address}:{port}, for this machine only")
        else:
            yield warning(
                f"{address}:{port} is served without TLS: who listens on the network reads it",
                "[cospot_evictor] signals_certificate and signals_client_ca",
            )
        return
    is_seen = True
    for name, path in files.items():
        may_read = user_may(_EVICTOR_USER, "-r", path)
        if may_read is None:
            is_seen = False
            yield unknown(
                f"{name} {path}: whether {_EVICTOR_USER} may read it is for root to see",
                "run the doctor as root",
            )
        elif not may_read:
            is_seen = False
            what = "cannot be read by" if os.path.exists(path) else "does not exist for"
            yield error(
                f"{name} {path} {what} {_EVICTOR_USER}: the port is not opened",
                f"chgrp {_EVICTOR_USER} {path}; chmod g+r {path}",
            )
    if not is_seen:
        return
    try:
        tls_context(group)
    except (OSError, ValueError) as found:
        yield error(
            f"the certificates of {', '.join(files.values())} cannot be used: {found}",
            "PEM files; signals_key is that of signals_certificate",
        )
    else:
        yield ok(f"{address}:{port} with TLS")
