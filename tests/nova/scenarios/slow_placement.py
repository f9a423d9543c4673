"""Placement behind a proxy that lets the questions about one consumer and its host hang."""

import http.client
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from waiting import PATIENCE_S


class SlowPlacement:
    """The proxy.

    Attributes:
        url: where it is.
        unlucky: the consumer whose questions hang: the first that is asked about, but for those in
            `spared`; "" until then.
        provider: UUID of the host whose questions hang; None: no host's.
        go_on: set it to let them go on.
    """

    def __init__(self, port, spared):
        self.unlucky = ""
        self.provider = None
        self._spared = frozenset(spared)
        self.go_on = threading.Event()
        self._lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                proxy.wait_for(self.path)
                upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
                upstream.request("GET", self.path, headers=dict(self.headers))
                answer = upstream.getresponse()
                body = answer.read()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.getheader("Content-Type", ""))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        ThreadingHTTPServer.daemon_threads = True
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def wait_for(self, path):
        if self.provider and path.startswith(f"/resource_providers/{self.provider}/"):
            self.go_on.wait(PATIENCE_S)
        found = re.fullmatch(r"/allocations/([^/?]+)", path)
        if not found or found[1] in self._spared:
            return
        with self._lock:
            self.unlucky = self.unlucky or found[1]
        if found[1] == self.unlucky:
            self.go_on.wait(PATIENCE_S)


@contextmanager
def slow_placement(port, spared):
    proxy = SlowPlacement(port, spared)
    thread = threading.Thread(target=proxy.server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.go_on.set()
        proxy.server.shutdown()
        proxy.server.server_close()
