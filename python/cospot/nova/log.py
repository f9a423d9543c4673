"""The loggers of services: oslo.log's, of which each record is one line that acts on no terminal.

Names of instances and hosts, and answers of services, may hold anything: a line feed would forge a
line of the log. Import it as `logging`, in place of `oslo_log.log`.
"""

from __future__ import annotations

import logging
from logging import DEBUG, INFO, WARNING
from typing import Any

from oslo_log import log
from oslo_log.log import LogConfigError, register_options, setup

from cospot.printable import in_one_line

__all__ = ["DEBUG", "INFO", "WARNING", "LogConfigError", "getLogger", "register_options", "setup"]


def _quote(record: logging.LogRecord) -> bool:
    text = record.getMessage()
    if (quoted := in_one_line(text)) != text:
        record.msg, record.args = quoted, ()
    return True


def getLogger(name: str) -> Any:  # as in oslo.log
    """Return the logger of a module."""
    found = log.getLogger(name)
    found.logger.addFilter(_quote)  # once: the same filter again is none more
    return found
