"""The group `[cospot]` as the scheduler's threads read it: whole, while SIGHUP changes it."""

from __future__ import annotations

from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova.configuration_faults import OptionError
from cospot.nova.live_options import READING_ERRORS, LiveOptions
from cospot.nova.scheduler import options
from cospot.nova.scheduler.metrics import metrics_of

LOG = logging.getLogger(__name__)

#: With each configuration itself, so that no other one gets its id.
_LIVE: Final[dict[int, tuple[Any, LiveOptions]]] = {}


def live_options_of(conf: Any) -> LiveOptions:
    """Return the options of a configuration of Nova, always the same object for it.

    Nova calls `mutate_config_files` upon SIGHUP, and that calls what is registered here.
    """
    found = _LIVE.get(id(conf))
    if found is None:
        live = LiveOptions(conf, options.GROUP, options.OPTIONS, options.register, options.faults)
        conf.register_mutate_hook(lambda _conf, _fresh: _reload(live))
        found = _LIVE[id(conf)] = (conf, live)
    return found[1]


def _reload(live: LiveOptions) -> None:
    """Take what the files say; nothing may be raised into Nova's own reload."""
    failed = True
    try:
        live.reload()
        failed = False
    except OptionError as error:
        LOG.critical("cospot: configuration: %s; going on with the old one; reload again", error)
    except READING_ERRORS as error:  # though Nova has just read them
        live.distrust(f"cannot be read again: {error}")
    except Exception as error:
        LOG.exception("cospot: unexpected error while nova.conf was read again")
        live.distrust(f"cannot be read again: {error!r}")
    if (metrics := metrics_of(live.now.metrics_directory)) is not None:
        metrics.note_reload(failed=failed or bool(live.now.fault))
    if live.now.fault:
        LOG.critical("cospot: configuration: %s; reload again", live.now.fault)
