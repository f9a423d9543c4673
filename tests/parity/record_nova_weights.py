"""Record what the real Nova weighs, for tests/cpp/test_nova_weighers.cpp.

Needs Nova's Python package (Debian: python3-nova). Prints the file to commit:

    /usr/bin/python3 tests/parity/record_nova_weights.py > tests/parity/nova_weights.txt
"""

import dataclasses
import importlib.metadata
import itertools
import random

import nova.conf
from nova.scheduler import weights
from nova.scheduler.weights import cpu, disk, io_ops, ram

CONF = nova.conf.CONF
WEIGHERS = {
    "RAMWeigher": (ram.RAMWeigher, "ram_weight_multiplier"),
    "CPUWeigher": (cpu.CPUWeigher, "cpu_weight_multiplier"),
    "DiskWeigher": (disk.DiskWeigher, "disk_weight_multiplier"),
    "IoOpsWeigher": (io_ops.IoOpsWeigher, "io_ops_weight_multiplier"),
}
MULTIPLIERS = [1.0, -1.0, 0.0, 0.1, 1 / 3, 2.5, -0.7, 1000.0]

HEADER = """\
# Weights of the real Nova {version}; written by record_nova_weights.py.
# case NAME
# weigher NAME MULTIPLIER              (in the order they are summed)
# host TOTAL VM_USED SPOT_USED IO_OPS WEIGHT
#                                      (three amounts each: vcpus memory_mb disk_gb)
# order HOST...                        (best first)
"""


@dataclasses.dataclass
class FakeHostState:
    """The attributes of a HostState that the four weighers read."""

    index: int
    total: tuple
    vm_used: tuple
    spot_used: tuple
    num_io_ops: int
    cpu_allocation_ratio: float = 1.0
    nodename: str = "node"
    aggregates: tuple = ()

    @property
    def host(self):
        return f"host-{self.index}"

    def _free(self, resource):
        return self.total[resource] - self.vm_used[resource] - self.spot_used[resource]

    @property
    def vcpus_total(self):
        return self.total[0]

    @property
    def vcpus_used(self):
        return self.vm_used[0] + self.spot_used[0]

    @property
    def free_ram_mb(self):
        return self._free(1)

    @property
    def free_disk_mb(self):
        return self._free(2) * 1024


def random_host(rng, index, overcommit):
    total = tuple(rng.choice(c) for c in ([8, 64, 10400], [4096, 2250, 393216], [0, 100, 3577]))
    most = 0.7 if overcommit else 0.5
    vm_used = tuple(int(amount * rng.uniform(0, most)) for amount in total)
    spot_used = tuple(int(amount * rng.uniform(0, most)) for amount in total)
    return FakeHostState(index, total, vm_used, spot_used, rng.randrange(9))


def equal_hosts(count):
    return [FakeHostState(i, (8, 4096, 100), (3, 1000, 30), (1, 96, 9), 2) for i in range(count)]


def full_hosts(count):
    return [FakeHostState(i, (8, 4096, 100), (8, 4096, 100), (0, 0, 0), 0) for i in range(count)]


def print_case(name, multipliers, hosts):
    """Weigh `hosts` with Nova's handler and print inputs, weights and order."""
    weighers = []
    print("case", name)
    for weigher, multiplier in multipliers:
        weigher_class, option = WEIGHERS[weigher]
        CONF.set_override(option, multiplier, "filter_scheduler")
        weighers.append(weigher_class())
        print("weigher", weigher, repr(multiplier))
    weighed = weights.HostWeightHandler().get_weighed_objects(weighers, hosts, {})
    weight_of = {item.obj.index: item.weight for item in weighed}
    for host in hosts:
        amounts = (*host.total, *host.vm_used, *host.spot_used, host.num_io_ops)
        print("host", *amounts, repr(float(weight_of[host.index])))
    print("order", *(item.obj.index for item in weighed))


def print_fixed_cases():
    for weigher in WEIGHERS:
        for multiplier in (1.0, -1.0):
            only = [(weigher, multiplier)]
            print_case(f"{weigher}-{multiplier}-equal", only, equal_hosts(4))
            print_case(f"{weigher}-{multiplier}-full", only, full_hosts(3))
            print_case(f"{weigher}-{multiplier}-single", only, equal_hosts(1))
    defaults = [(name, -1.0 if name == "IoOpsWeigher" else 1.0) for name in WEIGHERS]
    print_case("defaults-equal", defaults, equal_hosts(4))
    print_case("defaults-single", defaults, equal_hosts(1))


def print_random_cases(rng):
    names = list(WEIGHERS)
    subsets = [s for size in range(1, 5) for s in itertools.combinations(names, size)]
    for number, subset in enumerate(subsets * 4):
        order = rng.sample(subset, len(subset))
        multipliers = [(name, rng.choice(MULTIPLIERS)) for name in order]
        hosts = [random_host(rng, i, number % 3 == 0) for i in range(rng.randrange(2, 13))]
        print_case(f"random-{number}", multipliers, hosts)


def main():
    print(HEADER.format(version=importlib.metadata.version("nova")), end="")
    print_fixed_cases()
    print_random_cases(random.Random(20220511))


if __name__ == "__main__":
    main()
