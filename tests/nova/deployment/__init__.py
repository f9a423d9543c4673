"""A whole OpenStack compute cloud on this machine, for tests.

Private MariaDB, RabbitMQ, Keystone, Placement and Nova from Debian's packages, in one folder and on
ports of their own on 127.0.0.1. Computes run Nova's fake driver; Glance and Neutron are stand-ins.
Nothing of the system's own services is touched: not their data, not their ports, not their
configuration. (Debian's packages of MariaDB and RabbitMQ start a service of their own where systemd
runs; in a container they do not.)
"""
