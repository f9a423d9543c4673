"""The host that the tests' workloads fit, which the paper's have too."""

HOST = (10400, 2250)  # vCPUs, MiB
