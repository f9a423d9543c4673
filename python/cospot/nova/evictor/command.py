"""The command `cospot-evictor`: reads the configuration, runs the service, obeys signals."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Sequence
from typing import Any, Final

from oslo_config import cfg

import cospot
from cospot.nova import configuration_faults
from cospot.nova import log as logging
from cospot.nova.evictor import options
from cospot.nova.evictor.service import EvictorService
from cospot.nova.state.errors import EvictorError, SettingError
from cospot.nova.state.records import set_up_logging
from cospot.printable import printable

LOG = logging.getLogger(__name__)
_PROGRAM = "cospot-evictor"
_PROJECT = "cospot"
#: Taken at once; more wait in the socket.
_MOST_SIGNALS: Final = 4096


def read_configuration(arguments: Sequence[str]) -> Any:
    """Read the command line and the configuration files.

    Raises:
        oslo_config.cfg.Error: they cannot be used.
        SettingError: a file is no text.
        SystemExit: --help or --version was asked for, or the command line is wrong.
    """
    conf = cfg.ConfigOpts()
    logging.register_options(conf)
    options.register(conf)
    try:
        conf(list(arguments), project=_PROJECT, prog=_PROGRAM, version=cospot.__version__)
    except UnicodeDecodeError as error:
        text = configuration_faults.explain(error, arguments, project=_PROJECT, program=_PROGRAM)
        raise SettingError(text) from error
    # A bad value is an error only when it is read.
    configuration_faults.read_values(conf, options.GROUP, options.OPTIONS)
    return conf


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until SIGTERM or SIGINT; SIGHUP reads the mutable options again.

    Args:
        arguments: the command line without the program's name; the process's own by default.

    Returns:
        the exit code: 0 stopped by a signal, 1 internal error, 2 bad configuration.
    """
    try:
        conf = read_configuration(sys.argv[1:] if arguments is None else arguments)
        set_up_logging(conf, _PROGRAM)
        service = EvictorService(conf)
    except (cfg.Error, EvictorError, logging.LogConfigError, OSError, ImportError) as error:
        print(f"{_PROGRAM}: {printable(configuration_faults.plain(error))}", file=sys.stderr)
        return 2
    for text in configuration_faults.readable_secrets(conf):
        LOG.warning("%s", text)
    return _run(service)


def _run(service: EvictorService) -> int:
    # The kernel may hand a signal to any thread. That does not wake the main thread from a lock, so
    # the handler, which runs in the main thread, would run at the next signal only. A byte in a
    # socket wakes it; where so many wait that there is no room for another, one of them does.
    waiting, wake = socket.socketpair()
    wake.setblocking(False)
    received: set[int] = set()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _frame: received.add(number))
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    try:
        service.start()
    except OSError as error:
        print(f"{_PROGRAM}: cannot serve the metrics: {error}", file=sys.stderr)
        return 2
    LOG.info("cospot-evictor %s started", cospot.__version__)
    while True:
        waiting.recv(_MOST_SIGNALS)
        if not received.isdisjoint((signal.SIGTERM, signal.SIGINT)):
            LOG.info("stopping")
            service.stop()
            return 0
        if signal.SIGHUP in received:
            received.discard(signal.SIGHUP)  # first: one that comes meanwhile counts
            service.reload()


if __name__ == "__main__":
    sys.exit(main())
