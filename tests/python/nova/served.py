"""Serves over HTTP what a function answers, for all stand-ins of services."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Served:
    """A port of 127.0.0.1 where each request has a thread of its own.

    Args:
        answer: says by method, path, headers and body the status, and what is sent as JSON; text
            and bytes are sent as they are.
        clock: of the date that answers have, seconds since the epoch.
    """

    def __init__(self, answer: Callable[..., Any], clock: Callable[[], float] = time.time) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Or an answer's second packet waits 40 ms for the client to acknowledge the first.
            disable_nagle_algorithm = True

            def handle_one(self) -> None:
                text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                body = json.loads(text) if text else None
                status, said = answer(self.command, self.path, self.headers, body)
                if status == 204:
                    said = b""
                elif not isinstance(said, bytes):
                    said = (said if isinstance(said, str) else json.dumps(said)).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(said)))
                if self.path.endswith("/auth/tokens"):
                    self.send_header("X-Subject-Token", "token")
                self.end_headers()
                self.wfile.write(said)

            do_GET = do_POST = do_PUT = do_DELETE = handle_one

            def date_time_string(self, timestamp: float | None = None) -> str:
                return super().date_time_string(clock() if timestamp is None else timestamp)

            def log_message(self, *_: Any) -> None:
                pass

        ThreadingHTTPServer.daemon_threads = True
        ThreadingHTTPServer.request_queue_size = 128  # or connections made at once are reset
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
