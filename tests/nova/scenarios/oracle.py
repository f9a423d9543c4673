"""What cospot ought to decide: the compiled chains on the state that Nova and placement show."""

from dataclasses import dataclass

import cospot


@dataclass(frozen=True)
class Expected:
    """The host of a VM and the spots that are evicted for it."""

    host: str
    victims: frozenset[str]


@dataclass(frozen=True)
class Policy:
    """Options of [cospot], by their names there."""

    vm_policy: str = "COS"
    spot_policy: str = "sCOS"
    evictor: str = "FIFO"
    otn: int = 1
    saf: bool = False

    def options(self):
        # A scenario deletes its VMs at once, which a scheduler that has not been asked since takes
        # for VMs still to come; it must not do so for longer than a scenario takes to set up.
        return {**self.__dict__, "claim_seconds": 3}

    def exact_options(self):
        """Return options, and arguments of `set_policy`, that make every decision this one's.

        A scheduler hears of a new instance after Nova shows it as ACTIVE, on a busy machine after
        the next request; until then only the process that placed a spot takes it for one. So a
        single one decides, counts what it decided until it has heard of it, and waits for answers.
        """
        waits = {"inventory_wait": 30, "database_wait": 30, "spot_check_wait": 10}
        return {**self.__dict__, "workers": 1, "claim_seconds": 60, **waits}


class State:
    """Hosts and instances as a Datacenter.

    Args:
        hosts: HostUse by name, from placement: capacities after ratios and reserved amounts.
        instances: from Nova. Spots were placed in the order of (launch, id), as launches are given
            to the second only.
    """

    def __init__(self, hosts, instances):
        # Equally good hosts go by their names, so rows are in that order.
        self.names = sorted(hosts)
        self.datacenter = cospot.Datacenter(
            cospot.HostTable([cospot.HostSpec(name, hosts[name].capacity) for name in self.names])
        )
        self.ids = []
        placed = [instance for instance in instances if instance.host is not None]
        for number, instance in enumerate(placed):
            request = cospot.Request(
                instance.vcpus,
                instance.memory_mb,
                spot=instance.is_spot,
                instance=number,
                time_us=number,
            )
            row = self.names.index(instance.host)
            add = self.datacenter.add_spot if instance.is_spot else self.datacenter.add_vm
            add(row, request)
            self.ids.append(instance.id)

    def place_vm(self, policy, vcpus, memory_mb):
        """Return where a VM goes and the spots evicted for it; None when nothing fits."""
        request = cospot.Request(vcpus, memory_mb, instance=len(self.ids), time_us=len(self.ids))
        chain = cospot.Chain([policy.vm_policy])
        offer = cospot.make_offer(chain, self.datacenter.hosts, request, policy.otn, saf=policy.saf)
        choice = cospot.choose(offer, policy.evictor, self.datacenter)
        if choice is None:
            return None
        victims = frozenset(self.ids[victim] for victim in choice.victims)
        return Expected(self.names[choice.host], victims)

    def place_spot(self, policy, vcpus, memory_mb):
        """Return the host of a spot; None when nothing fits."""
        request = cospot.Request(vcpus, memory_mb, spot=True, instance=len(self.ids))
        ranked = cospot.Chain([policy.spot_policy]).rank(self.datacenter.hosts, request, top=1)
        return self.names[ranked[0]] if len(ranked) else None


def state_of(cloud):
    return State(cloud.hosts(), cloud.instances())
