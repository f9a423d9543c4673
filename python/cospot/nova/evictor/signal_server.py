"""Answers HTTP: `POST /vendordata` to Nova, `GET /signals` to everybody who may connect.

It is there for the tenants' convenience: a client that is slow, talks nonsense or comes in crowds
costs itself its answer, and a port or a certificate that cannot be used is tried again. The rest of
the service goes on.
"""

from __future__ import annotations

import json
import os
import socket
import socketserver
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

from cospot.nova import log as logging
from cospot.nova.evictor.context import EvictorContext
from cospot.nova.evictor.signal_tls import tls_context, tls_files
from cospot.nova.evictor.vendordata import MalformedRequestError, Vendordata

LOG = logging.getLogger(__name__)
#: Nova sends user data (64 KiB) and metadata along.
_MOST_BYTES: Final = 1 << 20
#: For one packet, and for a whole request with its answer, seconds.
_PATIENCE_S: Final = 5.0
_LONGEST_S: Final = 10.0
_MOST_CONNECTIONS: Final = 64
_POLL_S: Final = 0.2


class SignalServer:
    """The endpoint: its port, its certificate, its thread.

    Args:
        vendordata: what is answered.
    """

    def __init__(self, context: EvictorContext, vendordata: Vendordata) -> None:
        self._settings = context.settings
        self._metrics = context.metrics
        self._vendordata = vendordata
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self._tls_of: tuple[float, ...] | None = None

    def ensure(self) -> None:
        """Serve, if it does not yet, and by the certificate that is there now. Raises nothing."""
        try:
            self._ensure()
        except Exception as error:
            self._metrics.errors.labels(where="signals").inc()
            LOG.error("signals_port: %s: %s", type(error).__name__, error)

    def stop(self) -> None:
        """Close the port."""
        if self._server is not None:
            if self._thread is not None and self._thread.is_alive():
                self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _ensure(self) -> None:
        settings = self._settings
        paths = list(tls_files(settings).values())
        dates = tuple(os.stat(path).st_mtime for path in paths)
        if self._thread is not None and not self._thread.is_alive():
            self.stop()
        if self._server is not None:
            if dates != self._tls_of:
                self._server.tls = tls_context(settings)
                self._tls_of = dates
            return
        tls = tls_context(settings) if paths else None
        address = settings.signals_address
        if tls is None and not address.startswith(("127.", "::1", "localhost")):
            LOG.warning("signals_port: %s is served without TLS", address)
        self._server = _Server(address, settings.signals_port, tls, self._vendordata)
        self._tls_of = dates
        self._thread = threading.Thread(target=self._server.run, name="signals", daemon=True)
        self._thread.start()


class _Server(socketserver.ThreadingTCPServer):
    """One thread a connection, so many at once, and none for long."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(
        self, address: str, port: int, tls: ssl.SSLContext | None, vendordata: Vendordata
    ) -> None:
        self.tls = tls
        self.vendordata = vendordata
        self._began: dict[socket.socket, float] = {}
        if ":" in address:
            self.address_family = socket.AF_INET6
        super().__init__((address, port), _Handler)

    def run(self) -> None:
        """Serve until `shutdown`."""
        try:
            self.serve_forever(_POLL_S)
        except (OSError, ValueError) as error:  # closed before it began
            LOG.debug("signals: %s", error)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Take a connection unless there are too many."""
        return len(self._began) < _MOST_CONNECTIONS

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin a connection."""
        request.settimeout(_PATIENCE_S)
        self._began[request] = time.monotonic()
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # there can be no more threads
            self._began.pop(request, None)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, in a thread: the handshake too, which takes a client that speaks."""
        plain = request
        try:
            if self.tls is not None:
                request = self.tls.wrap_socket(
                    plain, server_side=True, do_handshake_on_connect=False
                )
                # Before the handshake: a client that takes long for it is ended like others.
                self._began[request] = self._began.pop(plain, time.monotonic())
                request.do_handshake()
            super().process_request_thread(request, client_address)
        except OSError as error:
            LOG.debug("signals: %s: %s", client_address, error)
            self.shutdown_request(request)
        finally:
            self._began.pop(plain, None)
            self._began.pop(request, None)

    def service_actions(self) -> None:
        """End connections that take too long; called every so often."""
        now = time.monotonic()
        for request, began in list(self._began.items()):
            if now - began > _LONGEST_S:
                try:
                    request.shutdown(socket.SHUT_RDWR)
                except OSError:
                    self._began.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Note what a client has brought about."""
        LOG.debug("signals: %s", client_address, exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "cospot-evictor"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer the signals."""
        if self.path.partition("?")[0] != "/signals":
            self._refuse(404, "expected GET /signals or POST /vendordata")
            return
        text = self.server.vendordata.signals()
        if text is None:
            self._refuse(503, "the signals are not known yet")
        else:
            self._send(200, text)

    def do_POST(self) -> None:
        """Answer Nova."""
        if self.path.partition("?")[0] != "/vendordata":
            self._refuse(404, "expected GET /signals or POST /vendordata")
            return
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()):
            self._refuse(400, "expected Content-Length")
        elif len(length) > 9 or int(length) > _MOST_BYTES:
            self._refuse(413, f"expected at most {_MOST_BYTES} bytes")
        else:
            self._answer(self.rfile.read(int(length)), int(length))

    def _answer(self, body: bytes, length: int) -> None:
        if len(body) < length:
            self._refuse(400, f"expected {length} bytes, found {len(body)}")
            return
        try:
            answer = self.server.vendordata.answer(body)
        except MalformedRequestError as error:
            self._refuse(400, str(error))
        except Exception:
            LOG.exception("vendordata")
            self._refuse(500, "internal error")
        else:
            self._send(200, json.dumps(answer).encode())

    def _refuse(self, status: int, what: str) -> None:
        self._send(status, json.dumps({"error": what}).encode())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is no HTTP, or another method."""
        self._refuse(code, message or "bad request")

    def _send(self, status: int, text: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log each request, where debugging is on."""
        LOG.debug("signals: %s %s", self.client_address[0], format % arguments)
