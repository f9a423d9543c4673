"""Runs the evictor service with plans from a file, as if they had come by RabbitMQ.

Usage: evictor_process.py CONFIGURATION PLANS.json
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

from evictor_running import make_service, send

service = make_service(Path(sys.argv[1]))
for message in json.loads(Path(sys.argv[2]).read_text()):
    send(service, message)
service.start()
signal.sigwait({signal.SIGTERM, signal.SIGINT})
