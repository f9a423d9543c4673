"""Run one OpenStack program: `python -m deployment.launch NAME ARGUMENT...`.

Debian's python3-nova has Nova's code but not its programs; and WSGI applications want a server, as
Nova's API does in releases without a program for it: its only argument is a port then.
"""

import importlib
import os
import sys
import uuid
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

MODULES = {
    "cinder-api": "cinder.cmd.api",
    "cinder-manage": "cinder.cmd.manage",
    "cinder-scheduler": "cinder.cmd.scheduler",
    "cinder-volume": "cinder.cmd.volume",
    "nova-api-os-compute": "nova.cmd.api_os_compute",
    "nova-compute": "nova.cmd.compute",
    "nova-conductor": "nova.cmd.conductor",
    "nova-manage": "nova.cmd.manage",
    "nova-scheduler": "nova.cmd.scheduler",
}

#: Processes of a WSGI application.
WEB_WORKERS = {"keystone": 2, "placement": 2, "nova-api-os-compute": 1}


class ThreadedServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class NodeIds:
    """UUIDs of nodes that are the same in every process.

    Nova's fake driver has random ones, with which a compute of later releases does not start again.
    """

    def __getattr__(self, name):
        return str(uuid.uuid5(uuid.NAMESPACE_DNS, name.removeprefix("node_")))


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass

    def address_string(self):
        return self.client_address[0]


def size_fake_driver():
    """Give Nova's fake driver the size that the environment says.

    Nova takes only drivers below nova.virt, so a subclass of our own would not be found.
    """
    from nova.virt import fake

    vcpus, memory_mb, dedicated = map(int, os.environ["COSPOT_HOST_SIZE"].split(","))
    fake.uuids = NodeIds()
    fake.MediumFakeDriver.vcpus = vcpus
    fake.MediumFakeDriver.memory_mb = memory_mb
    if dedicated:
        dedicate_cpus(fake.MediumFakeDriver, dedicated)


def dedicate_cpus(driver, dedicated):
    """Have a driver tell of dedicated CPUs as libvirt's does of those of `cpu_dedicated_set`."""
    tell_all = driver.update_provider_tree

    def update_provider_tree(self, provider_tree, nodename, allocations=None):
        tell_all(self, provider_tree, nodename, allocations)
        inventory = dict(provider_tree.data(nodename).inventory)
        shared = self.vcpus - dedicated
        inventory["VCPU"] = {**inventory["VCPU"], "total": shared, "max_unit": shared}
        inventory["PCPU"] = {
            **inventory["VCPU"],
            "total": dedicated,
            "max_unit": dedicated,
            "reserved": 0,
            "allocation_ratio": 1.0,
        }
        provider_tree.update_inventory(nodename, inventory)

    driver.update_provider_tree = update_provider_tree


def wsgi_application(name):
    if name == "keystone":
        from keystone.server.wsgi import initialize_public_application

        return initialize_public_application()
    if name == "nova-api-os-compute":
        from nova.wsgi.osapi_compute import application

        return application
    from placement.wsgi import init_application

    return init_application()


def serve(name, port, workers):
    """Serve a WSGI application on 127.0.0.1 from several processes with one socket."""
    sys.argv = [f"{name}-api"]
    server = ThreadedServer(("127.0.0.1", port), QuietHandler, bind_and_activate=True)
    for _ in range(workers - 1):
        if os.fork() == 0:
            break
    server.set_app(wsgi_application(name))
    server.serve_forever()


def main():
    name, *arguments = sys.argv[1:]
    if name in WEB_WORKERS and len(arguments) == 1:
        serve(name, int(arguments[0]), WEB_WORKERS[name])
        return 0
    sys.argv = [name, *arguments]
    module = importlib.import_module(MODULES[name])  # before all else: it patches for eventlet
    if "COSPOT_HOST_SIZE" in os.environ:
        size_fake_driver()
    return module.main()


if __name__ == "__main__":
    sys.exit(main())
