"""A pytest plugin under which Nova's own test code runs from an installed package.

Nova's tests read `etc/nova/api-paste.ini` beside the package, where no package puts it; here the
state path is a private folder that has one. With COSPOT_PASS_THROUGH=1 cospot's filter and weigher
are in the scheduler of every test, switched off.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

_FILTER = "cospot.nova.scheduler.filter.CospotFilter"
_WEIGHER = "cospot.nova.scheduler.weigher.CospotWeigher"


def _use_private_state_path() -> None:
    from nova.conf import paths

    folder = Path(tempfile.mkdtemp(prefix="cospot-nova-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "etc" / "nova").mkdir(parents=True)
    shutil.copy(Path(__file__).parent / "api-paste.ini", folder / "etc" / "nova")
    (option,) = (option for option in paths.ALL_OPTS if option.name == "state_path")
    option.default = str(folder)


def _switch_on_in_pass_through() -> None:
    """Change the defaults of Nova's options: tests that set their own keep them."""
    from cospot.nova.scheduler import options as cospot_options
    from nova.conf import scheduler

    (enabled,) = (option for option in cospot_options.OPTIONS if option.name == "enabled")
    enabled.default = False
    by_name = {option.name: option for option in scheduler.filter_scheduler_opts}
    by_name["available_filters"].default = [*by_name["available_filters"].default, _FILTER]
    by_name["enabled_filters"].default = [*by_name["enabled_filters"].default, "CospotFilter"]
    by_name["weight_classes"].default = [_WEIGHER]


def pytest_runtest_setup(item: Any) -> None:
    """Let a test keep its attributes: Nova deletes them at the end, pytest's own among them."""
    if hasattr(item.cls, "_clear_attrs"):
        item.cls._clear_attrs = lambda self: None


os.environ.setdefault("OS_LOG_CAPTURE", "1")
os.environ.setdefault("OS_STDOUT_CAPTURE", "1")
os.environ.setdefault("OS_STDERR_CAPTURE", "1")
_use_private_state_path()
if os.environ.get("COSPOT_PASS_THROUGH") == "1":
    _switch_on_in_pass_through()
