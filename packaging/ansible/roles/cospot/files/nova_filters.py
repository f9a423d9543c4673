"""Prints the filters that Nova has without a file of nova.conf.d, as JSON."""

import glob
import json
import os
import sys

from nova.conf import CONF

drop_in = sys.argv[1]
folder = os.path.dirname(drop_in)
others = [path for path in sorted(glob.glob(f"{folder}/*.conf")) if path != drop_in]
files = [path for path in ("/etc/nova/nova.conf", *others) if os.path.exists(path)]
CONF(
    [f"--config-file={path}" for path in files],
    project="nova",
    default_config_files=[],
    default_config_dirs=[],
)
filters = CONF.filter_scheduler.enabled_filters
print(json.dumps([name for name in filters if name != "CospotFilter"]))
