"""Stand-ins for Glance and Neutron: as much as instances without a network need.

`python -m deployment.stand_ins GLANCE_PORT NEUTRON_PORT [IMAGE_FILE]`
"""

import hashlib
import json
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

IMAGE_ID = "11111111-1111-4111-8111-111111111111"
IMAGE = {
    "id": IMAGE_ID,
    "name": "image",
    "status": "active",
    "visibility": "public",
    "container_format": "bare",
    "disk_format": "raw",
    "min_ram": 0,
    "min_disk": 0,
    "size": 1,
    "protected": False,
    "owner": "admin",
    "checksum": "x",
    "tags": [],
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z",
}


class JsonHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Or an answer's second packet waits 40 ms for the client to acknowledge the first.
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def body(self):
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return json.loads(data) if data else {}

    def answer(self, value, code=200):
        data = b"" if value is None else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Glance(JsonHandler):
    """One image, and those that shelving an instance makes."""

    images: ClassVar = {IMAGE_ID: IMAGE}
    data = b""  # of every image

    def do_GET(self):
        path = self.path.split("?")[0].rstrip("/")
        if path.endswith("/file"):
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(len(self.data)))
            self.end_headers()
            self.wfile.write(self.data)
            return
        if path.endswith("/schemas/image"):
            self.answer({"name": "image", "properties": {key: {} for key in IMAGE}})
        elif path.endswith("/schemas/member"):
            self.answer({"name": "member", "properties": {"member_id": {}, "image_id": {}}})
        elif path.endswith("/images"):
            self.answer({"images": list(self.images.values())})
        elif "/images/" in path:
            image = self.images.get(path.rpartition("/")[2])
            self.answer(image or {}, 200 if image else 404)
        else:
            self.answer({"versions": []}, 300)

    def do_POST(self):
        if self.path.endswith("/members"):  # an administrator shelves a customer's instance
            self.answer({"member_id": self.body().get("member"), "image_id": IMAGE_ID})
            return
        image = {**IMAGE, "id": str(uuid.uuid4()), **self.body()}
        self.images[image["id"]] = image
        self.answer(image, 201)

    def do_PATCH(self):
        self.body()
        self.answer(self.images.get(self.path.rpartition("/")[2], IMAGE))

    def do_DELETE(self):
        self.images.pop(self.path.rpartition("/")[2], None)
        self.answer(None, 204)


class Neutron(JsonHandler):
    """Every collection is there and empty."""

    def do_GET(self):
        name = self.path.split("?")[0].rpartition("/")[2].replace(".json", "")
        self.answer({name.replace("-", "_"): []})


def main():
    ports = [int(port) for port in sys.argv[1:3]]
    for image in sys.argv[3:]:
        Glance.data = Path(image).read_bytes()
        IMAGE.update(size=len(Glance.data), checksum=hashlib.md5(Glance.data).hexdigest())
    for port, handler in zip(ports, (Glance, Neutron), strict=True):
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        threading.Thread(target=server.serve_forever).start()


if __name__ == "__main__":
    main()
