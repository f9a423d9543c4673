"""A local HTTP server with byte ranges, ETags and faults to order, for the tests of downloads."""

import hashlib
import http.server
import threading


class RangeServer:
    """Serves `files` (path to bytes), with an ssl.SSLContext by HTTPS; use as a context manager.

    Attributes:
        files: What is served; may be changed at any time.
        break_after: When set, every response breaks off after so many bytes of body.
        sends_ranges: Whether Range is honoured; else the whole file comes.
        sends_validator: Whether responses have an ETag.
        redirects: Paths and where they redirect to.
        requests: The path and the Range header (or None) of each request, in order.
    """

    def __init__(self, files, *, tls=None):
        self.files = dict(files)
        self.break_after = None
        self.sends_ranges = True
        self.sends_validator = True
        self.redirects = {}
        self.requests = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """One request."""

            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                """Says nothing."""

            def do_GET(self):
                """Answers with a file, a part of it, a redirection or 404."""
                server.answer(self)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        scheme = "http" if tls is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, request):
        """Writes one response."""
        wanted = request.headers.get("Range")
        self.requests.append((request.path, wanted))
        request.close_connection = True
        if request.path in self.redirects:
            request.send_response(302)
            request.send_header("Location", self.redirects[request.path])
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        if request.path not in self.files:
            request.send_error(404)
            return
        content = self.files[request.path]
        tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        first = 0
        if wanted and self.sends_ranges and request.headers.get("If-Range") in (None, tag):
            first = int(wanted.removeprefix("bytes=").removesuffix("-"))
        if first >= len(content) > 0:
            request.send_response(416)
            request.send_header("Content-Range", f"bytes */{len(content)}")
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        request.send_response(206 if first else 200)
        if first:
            request.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        if self.sends_validator:
            request.send_header("ETag", tag)
        request.send_header("Content-Length", str(len(content) - first))
        request.end_headers()
        body = content[first:]
        request.wfile.write(body if self.break_after is None else body[: self.break_after])
