"""oslo.log's setup for a process of native threads."""

from __future__ import annotations

import sys
from typing import Any

from oslo_log import log as logging


def setup(conf: Any, program: str) -> None:
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
