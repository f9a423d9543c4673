"""Record which hosts the real Nova's filters pass, for tests/cpp/test_placement_filters.cpp.

Needs Nova's Python package (Debian: python3-nova). Prints the file to commit:

    /usr/bin/python3 tests/parity/record_nova_filters.py > tests/parity/nova_filters.txt
"""

import dataclasses
import importlib.metadata
import logging
import random
import types

from nova.scheduler.filters import (
    affinity_filter,
    aggregate_instance_extra_specs,
    aggregate_multitenancy_isolation,
    availability_zone_filter,
)
from nova.scheduler.weights import affinity

FILTERS = {
    "AvailabilityZoneFilter": availability_zone_filter.AvailabilityZoneFilter,
    "AggregateInstanceExtraSpecsFilter": (
        aggregate_instance_extra_specs.AggregateInstanceExtraSpecsFilter
    ),
    "AggregateMultiTenancyIsolation": (
        aggregate_multitenancy_isolation.AggregateMultiTenancyIsolation
    ),
    "ServerGroupAntiAffinityFilter": affinity_filter.ServerGroupAntiAffinityFilter,
    "ServerGroupAffinityFilter": affinity_filter.ServerGroupAffinityFilter,
}
WEIGHERS = {
    "ServerGroupSoftAffinityWeigher": affinity.ServerGroupSoftAffinityWeigher,
    "ServerGroupSoftAntiAffinityWeigher": affinity.ServerGroupSoftAntiAffinityWeigher,
}
POLICIES = ["affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"]

HEADER = """\
# What the filters and weighers of the real Nova {version} say; written by record_nova_filters.py.
# Fields are separated by tabs.
# case
# host ZONE KEY=VALUE;...              (metadata, split at commas; a key once for each value)
# request ZONE KEY=EXPRESSION;... TENANT POLICY MAX_PER_HOST HOST,...
#                                      (hosts of the group's members, a host once for each)
# NAME RESULT...                       (of each host: passes, or weight)
"""

VALUES = ["ssd", "hdd", "4", "4.0", "16", "blue", "a b", "true", ""]
EXPRESSIONS = [
    *VALUES,
    "= 4",
    "== 4",
    "!= 4",
    ">= 4",
    "<= 4.5",
    "s== ssd",
    "s!= ssd",
    "s< hdd",
    "s<= hdd",
    "s> hdd",
    "s>= hdd",
    "<in> s",
    "<all-in> s d",
    "<or> ssd <or> hdd",
    "<or> 4 <or> 16",
    "<or> blue",
    "s==",
    "ssd hdd",
]
NUMBERS = {"= 4", "== 4", "!= 4", ">= 4", "<= 4.5"}
KEYS = ["disk", "cores", "kind"]


@dataclasses.dataclass
class Aggregate:
    metadata: dict


class Group(types.SimpleNamespace):
    """The attributes of an InstanceGroup that the filters read; without a UUID."""

    def __contains__(self, name):
        return hasattr(self, name)


@dataclasses.dataclass
class HostState:
    """The attributes of a HostState that these filters read."""

    host: str
    aggregates: list
    instances: dict


def metadata_of(rng, zone):
    metadata = {}
    for key in KEYS:
        if rng.random() < 0.7:
            metadata[key] = ",".join(rng.sample(VALUES[:-1], rng.randint(1, 2)))
    if rng.random() < 0.3:
        metadata["filter_tenant_id"] = ",".join(rng.sample(["red", "green", "blue"], 2))
    if zone:
        metadata["availability_zone"] = zone
    return metadata


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def extra_specs_of(rng, hosts):
    """Extra specs for which Nova does not raise: numbers are compared with numbers only."""
    specs = {}
    for key in KEYS:
        if rng.random() < 0.5:
            continue
        expression = rng.choice(EXPRESSIONS)
        values = [
            value.strip()
            for host in hosts
            for aggregate in host.aggregates
            for value in aggregate.metadata.get(key, "0").split(",")
        ]
        if expression in NUMBERS and not all(map(is_number, values)):
            continue
        scope = rng.choice(["", "aggregate_instance_extra_specs:", "hw:"])
        specs[scope + key] = expression
    return specs


def recorded_case(rng):
    hosts, members, where = [], [], []
    zones = ["az1", "az2", ""]
    for index in range(6):
        zone = rng.choice(zones)
        host = HostState(f"host-{index}", [Aggregate(metadata_of(rng, zone))], {})
        for one in range(rng.choice([0, 0, 1, 2])):
            uuid = f"{index}-{one}"
            host.instances[uuid] = None
            members.append(uuid)
            where.append(index)
        host.instances[f"other-{index}"] = None
        hosts.append(host)
    if rng.random() < 0.3:
        members, where = [], []
    policy = rng.choice([*POLICIES, ""])
    most = rng.choice([1, 2]) if policy == "anti-affinity" else 1
    group = None
    if policy:
        group = Group(
            policy=policy,
            policies=[policy],
            members=members,
            hosts=sorted({hosts[index].host for index in where}),
            rules={"max_server_per_host": most} if most > 1 else {},
        )
    flavor = type("Flavor", (), {"__contains__": lambda self, name: True})()
    flavor.extra_specs = extra_specs_of(rng, hosts)
    spec = types.SimpleNamespace(
        availability_zone=rng.choice(["az1", "az2", "nova", None]),
        flavor=flavor,
        project_id=rng.choice(["red", "green", "grey"]),
        instance_group=group,
        instance_uuid="new",
    )
    lines = ["case"]
    for host in hosts:
        metadata = host.aggregates[0].metadata
        pairs = [
            f"{key}={value.strip()}"
            for key, text in sorted(metadata.items())
            for value in text.split(",")
        ]
        # Without one Nova takes the zone that nova.conf names: nova.
        lines.append(
            "\t".join(["host", metadata.get("availability_zone", "nova"), ";".join(pairs)])
        )
    specs = ";".join(f"{key}={value}" for key, value in sorted(flavor.extra_specs.items()))
    lines.append(
        "\t".join(
            [
                "request",
                spec.availability_zone or "",
                specs,
                spec.project_id,
                policy,
                str(most),
                ",".join(map(str, where)) if policy else "",
            ]
        )
    )
    for name, kind in FILTERS.items():
        results = [str(int(bool(kind().host_passes(host, spec)))) for host in hosts]
        lines.append("\t".join([name, *results]))
    for name, kind in WEIGHERS.items():
        results = [str(kind()._weigh_object(host, spec)) for host in hosts]
        lines.append("\t".join([name, *results]))
    return lines


def main():
    logging.disable(logging.CRITICAL)
    rng = random.Random(14)
    print(HEADER.format(version=importlib.metadata.version("nova")), end="")
    for _ in range(150):
        print("\n".join(recorded_case(rng)))


if __name__ == "__main__":
    main()
