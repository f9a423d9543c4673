# Written by hand, docstrings by scripts/write_stub_docstrings.py; tests/python/test_stubs.py
# compares both with the module.

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, SupportsIndex, TypeAlias, final

import numpy as np
import numpy.typing as npt

from cospot.customer.broker import BrokerRecommendation
from cospot.provider.economy import Backtest, Plan
from cospot.provider.planning import SpotPlan
from cospot.provider.policies import Evictor, Filter, Weigher
from cospot.provider.pricing import PricedClasses
from cospot.provider.sla import Quotes
from cospot.provider.tuning import Tuning

__version__: str
NEVER_US: int
DAY_US: int

_Path: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
_Integer: TypeAlias = SupportsIndex
_Number: TypeAlias = float | np.number[Any]
_Offer: TypeAlias = SupportsIndex | str | Mapping[str, _Number | Mapping[str, _Number]]
_Resources: TypeAlias = (
    ResourceVector | tuple[_Integer, _Integer] | tuple[_Integer, _Integer, _Integer] | list[int]
)
_Hosts: TypeAlias = _Resources | list[dict[str, Any]] | str | PathLike[str]
_Rows: TypeAlias = npt.NDArray[np.integer[Any]] | Sequence[int]
_FilterEntry: TypeAlias = str | CompiledFilter | Filter | type[Filter]
_PlainWeigher: TypeAlias = str | CompiledWeigher | Weigher | type[Weigher]
_WeigherEntry: TypeAlias = _PlainWeigher | tuple[_PlainWeigher, _Number]
_EvictorEntry: TypeAlias = str | CompiledEvictor | Evictor | type[Evictor]
_ChainEntry: TypeAlias = Chain | _WeigherEntry
_Tier: TypeAlias = Literal["none", "holds_vm", "holds_instance", "holds_no_vm"]

@final
class ResourceVector:
    """Amounts of the three resources that Nova schedules, always whole numbers.

    vcpus in vCPUs, memory_mb in MiB, disk_gb in GB; each from -2**26 to 2**26 (negative only where
    amounts were subtracted).
    """
    def __init__(self, vcpus: _Integer, memory_mb: _Integer, disk_gb: _Integer = 0) -> None:
        """Make a vector.

        Raises:
            ConfigError: An amount is out of range.
            ArgumentError: An amount is no whole number.
        """
    @property
    def vcpus(self) -> int:
        """vCPUs."""
    @property
    def memory_mb(self) -> int:
        """Memory, MiB."""
    @property
    def disk_gb(self) -> int:
        """Disk, GB."""
    def fits_in(self, room: ResourceVector) -> bool:
        """Return whether every amount is at most that of `room`."""
    def __add__(self, other: ResourceVector) -> ResourceVector: ...
    def __sub__(self, other: ResourceVector) -> ResourceVector: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Request:
    """What one instance asks for, as a scheduler sees it: not when it will end.

    vcpus in vCPUs, memory_mb in MiB, disk_gb in GB, time_us in microseconds since the window's start.
    """
    def __init__(
        self,
        vcpus: _Integer,
        memory_mb: _Integer,
        disk_gb: _Integer = 0,
        spot: bool = False,
        instance: _Integer = 0,
        time_us: _Integer = 0,
    ) -> None:
        """Make a request.

        Args:
            vcpus: vCPUs, 0 to 2**26.
            memory_mb: MiB, 0 to 2**26.
            disk_gb: GB, 0 to 2**26.
            spot: True: a spot, which may be evicted. False: a regular VM.
            instance: Number that names the instance, 0 to 2**32 - 2: its row in a workload, or the
                caller's own.
            time_us: When it is asked for, microseconds since the window's start.

        Raises:
            ConfigError: A number is out of range.
            ArgumentError: A number is no whole number.
        """
    @property
    def vcpus(self) -> int:
        """vCPUs."""
    @property
    def memory_mb(self) -> int:
        """Memory, MiB."""
    @property
    def disk_gb(self) -> int:
        """Disk, GB."""
    @property
    def is_spot(self) -> bool:
        """Whether it asks for a spot."""
    @property
    def instance(self) -> int:
        """Number that names the instance."""
    @property
    def time_us(self) -> int:
        """When it is asked for, microseconds since the window's start."""
    @property
    def resources(self) -> ResourceVector:
        """The three amounts."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class HostSpec:
    """What one host is made of and holds at first."""
    def __init__(
        self,
        name: str,
        total: _Resources,
        *,
        vm_used: _Resources = (0, 0),
        spot_used: _Resources = (0, 0),
        num_vms: _Integer = 0,
        num_spots: _Integer = 0,
        num_io_ops: _Integer = 0,
    ) -> None:
        """Describe a host.

        Args:
            name: Its name.
            total: What the scheduler may hand out, after allocation ratios and reserved amounts: a
                ResourceVector or a tuple (vcpus, memory_mb) or (vcpus, memory_mb, disk_gb).
            vm_used: What its VMs hold, at most `total`.
            spot_used: What its spots hold, at most `total`. VMs and spots together may hold more, until
                spots are evicted.
            num_vms: How many VMs it holds.
            num_spots: How many spots it holds.
            num_io_ops: Instances being built, resized or moved, as Nova counts them.

        Raises:
            ConfigError: A number is out of range, or more is used than there is.
            ArgumentError: An argument is of another type.
        """
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def total(self) -> ResourceVector:
        """What the scheduler may hand out."""
    @property
    def vm_used(self) -> ResourceVector:
        """What its VMs hold."""
    @property
    def spot_used(self) -> ResourceVector:
        """What its spots hold."""
    @property
    def num_vms(self) -> int:
        """How many VMs it holds."""
    @property
    def num_spots(self) -> int:
        """How many spots it holds."""
    @property
    def num_io_ops(self) -> int:
        """Instances being built, resized or moved."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class HostRow:
    """One host of a HostView, live: it shows the host as it is now. Keeps the columns it reads."""
    @property
    def index(self) -> int:
        """Its row in the table."""
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def total(self) -> ResourceVector:
        """What the scheduler may hand out."""
    @property
    def free_ignoring_spots(self) -> ResourceVector:
        """What it could take beside its VMs."""
    @property
    def free(self) -> ResourceVector:
        """What it could take beside its VMs and spots."""
    @property
    def vm_used(self) -> ResourceVector:
        """What its VMs hold."""
    @property
    def spot_used(self) -> ResourceVector:
        """What its spots hold."""
    @property
    def vcpus_total(self) -> int:
        """What the scheduler may hand out, vCPUs."""
    @property
    def memory_mb_total(self) -> int:
        """What the scheduler may hand out, MiB."""
    @property
    def disk_gb_total(self) -> int:
        """What the scheduler may hand out, GB."""
    @property
    def vcpus_free_ignoring_spots(self) -> int:
        """What the host could take beside its VMs, vCPUs."""
    @property
    def memory_mb_free_ignoring_spots(self) -> int:
        """What the host could take beside its VMs, MiB."""
    @property
    def disk_gb_free_ignoring_spots(self) -> int:
        """What the host could take beside its VMs, GB."""
    @property
    def vcpus_free(self) -> int:
        """What the host could take beside its VMs and spots; negative: overcommitted until spots go, vCPUs."""
    @property
    def memory_mb_free(self) -> int:
        """What the host could take beside its VMs and spots; negative: overcommitted until spots go, MiB."""
    @property
    def disk_gb_free(self) -> int:
        """What the host could take beside its VMs and spots; negative: overcommitted until spots go, GB."""
    @property
    def num_vms(self) -> int:
        """How many VMs the host holds."""
    @property
    def num_spots(self) -> int:
        """How many spots the host holds."""
    @property
    def num_io_ops(self) -> int:
        """Instances being built, resized or moved, as in Nova."""
    @property
    def generation(self) -> int:
        """How often the host was changed."""
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class HostView:
    """Hosts as columns, one entry a host, live: an array shows later changes of the table.

    Arrays are read-only views without copies; each keeps its columns, also when the table is gone (then
    as they were at its end).

    Source: nova/scheduler/host_manager.py, HostState, as a struct of arrays.
    """
    @property
    def names(self) -> list[str]:
        """The hosts' names, a new list of n."""
    @property
    def vcpus_total(self) -> npt.NDArray[np.int32]:
        """What the scheduler may hand out, vCPUs.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def memory_mb_total(self) -> npt.NDArray[np.int32]:
        """What the scheduler may hand out, MiB.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def disk_gb_total(self) -> npt.NDArray[np.int32]:
        """What the scheduler may hand out, GB.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def vcpus_free_ignoring_spots(self) -> npt.NDArray[np.int32]:
        """What the host could take beside its VMs, vCPUs.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def memory_mb_free_ignoring_spots(self) -> npt.NDArray[np.int32]:
        """What the host could take beside its VMs, MiB.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def disk_gb_free_ignoring_spots(self) -> npt.NDArray[np.int32]:
        """What the host could take beside its VMs, GB.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def vcpus_free(self) -> npt.NDArray[np.int32]:
        """What the host could take beside its VMs and spots; negative: overcommitted until spots go, vCPUs.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def memory_mb_free(self) -> npt.NDArray[np.int32]:
        """What the host could take beside its VMs and spots; negative: overcommitted until spots go, MiB.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def disk_gb_free(self) -> npt.NDArray[np.int32]:
        """What the host could take beside its VMs and spots; negative: overcommitted until spots go, GB.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def num_vms(self) -> npt.NDArray[np.int32]:
        """How many VMs the host holds.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def num_spots(self) -> npt.NDArray[np.int32]:
        """How many spots the host holds.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def num_io_ops(self) -> npt.NDArray[np.int32]:
        """Instances being built, resized or moved, as in Nova.

        int32 array, shape (n,), read-only, no copy.
        """
    @property
    def generation(self) -> npt.NDArray[np.uint64]:
        """How often the host was changed.

        uint64 array, shape (n,), read-only, no copy.
        """
    def __len__(self) -> int: ...
    def __getitem__(self, index: _Integer) -> HostRow: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class HostTable(HostView):
    """The hosts of a datacenter as they are at first. A Datacenter or a simulation works on a copy."""
    def __init__(self, hosts: Sequence[HostSpec]) -> None:
        """Make a table.

        Args:
            hosts: A list of HostSpec.

        Raises:
            ArgumentError: `hosts` is no list of HostSpec.
            ConfigError: Two hosts have the same name.
        """
    @staticmethod
    def uniform(count: _Integer, total: _Resources) -> HostTable:
        """Make empty hosts that are all alike, named host-0, host-1, ...

        Args:
            count: How many, 0 to 10,000,000.
            total: What each has: a ResourceVector or a tuple (vcpus, memory_mb[, disk_gb]).

        Raises:
            ConfigError: A number is out of range.
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class PolicyInfo:
    """What a compiled policy is."""
    @property
    def name(self) -> str:
        """The name in study files: the paper's or Nova's own."""
    @property
    def summary(self) -> str:
        """One line."""
    @property
    def source(self) -> str:
        """Paper and section, or Nova module."""
    @property
    def needs_true_lifetimes(self) -> bool:
        """Whether it knows when spots will end: an upper bound, which cannot be set."""
    @property
    def needs_lifetimes(self) -> bool:
        """Whether it goes by how long spots will live, truly or predicted."""
    @property
    def needs_lifetime_model(self) -> bool:
        """Whether it predicts how long spots will live (option `model`)."""
    @property
    def is_for_nova(self) -> bool:
        """Whether Nova tells what it needs, so that Nova can be set to it."""
    @property
    def tune_choice(self) -> Literal["vm", "spot", "evictor"] | None:
        """Which choice of `cospot tune` it is a candidate for by default: "vm", "spot", "evictor" or None."""
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def list_filters() -> list[PolicyInfo]:
    """Return the compiled filters."""

def list_weighers() -> list[PolicyInfo]:
    """Return the compiled weighers: the paper's policies and Nova's weighers."""

def list_evictors() -> list[PolicyInfo]:
    """Return the compiled evictors."""

@final
class CompiledFilter:
    """A filter of cospot with its options."""
    @property
    def name(self) -> str:
        """Its name in the registry."""
    @property
    def mode(self) -> Literal["drop", "prefer"]:
        """What becomes of hosts that do not pass: drop, or prefer those that do."""
    def filter_all(
        self, hosts: HostView, candidates: _Rows, request: Request
    ) -> npt.NDArray[np.bool_]:
        """Return which candidate hosts pass, in one call.

        Args:
            hosts: n hosts.
            candidates: uint32 array, shape (m,): rows of `hosts`, each < n.
            request: What is to be placed. vcpus in vCPUs, memory_mb in MiB, disk_gb in GB.

        Returns:
            bool array, shape (m,), in candidate order.

        Raises:
            IndexError: A candidate is >= n.

        Source: nova/filters.py, BaseFilter.filter_all.
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class CompiledWeigher:
    """A weigher of cospot with its options."""
    @property
    def name(self) -> str:
        """Its name in the registry."""
    @property
    def tier(self) -> _Tier:
        """Which hosts rank before all others: none, holds_vm, holds_instance or holds_no_vm."""
    @property
    def minval(self) -> float | None:
        """Lower bound for Nova's normalisation, or None."""
    @property
    def maxval(self) -> float | None:
        """Upper bound for Nova's normalisation, or None."""
    def weigh_all(
        self, hosts: HostView, candidates: _Rows, request: Request
    ) -> npt.NDArray[np.float64]:
        """Weigh candidate hosts in one call.

        Args:
            hosts: n hosts.
            candidates: uint32 array, shape (m,): rows of `hosts`, each < n.
            request: What is to be placed. vcpus in vCPUs, memory_mb in MiB, disk_gb in GB.

        Returns:
            float64 array, shape (m,), in candidate order. Higher wins. Raw: neither normalised nor
            multiplied (Chain does both).

        Raises:
            IndexError: A candidate is >= n.

        Source: nova/weights.py, BaseWeigher.weigh_objects.
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class RunningSpot:
    """A spot on a host, as an evictor sees it."""
    def __init__(
        self,
        instance: _Integer,
        resources: _Resources,
        placed_at_us: _Integer = 0,
        ends_at_us: _Integer = ...,
        promised_until_us: _Integer | None = None,
    ) -> None:
        """Describe a spot.

        Args:
            instance: Number that names it.
            resources: What it holds: a ResourceVector or a tuple (vcpus, memory_mb[, disk_gb]).
            placed_at_us: When it was placed, microseconds since the window's start.
            ends_at_us: When it will end by itself; NEVER_US: unknown.
            promised_until_us: Until when it is promised to live, so that others go first; None: not at all.

        Raises:
            ConfigError: A number is out of range.
        """
    @property
    def instance(self) -> int:
        """Number that names it."""
    @property
    def resources(self) -> ResourceVector:
        """What it holds."""
    @property
    def placed_at_us(self) -> int:
        """When it was placed, microseconds since the window's start."""
    @property
    def ends_at_us(self) -> int:
        """Its true end, for oracles; NEVER_US: unknown."""
    @property
    def promised_until_us(self) -> int | None:
        """Until when it is promised to live; None: nothing is promised."""
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class EvictionPlan:
    """The victims an evictor chose on one host."""
    @property
    def victims(self) -> tuple[int, ...]:
        """Their positions among the spots of the host, ascending."""
    @property
    def score(self) -> float:
        """The least is best; in the evictor's own unit."""
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class CompiledEvictor:
    """An evictor of cospot with its options."""
    @property
    def name(self) -> str:
        """Its name in the registry."""
    @property
    def victims_have_positive_cost(self) -> bool:
        """Whether every plan with a victim has a score above 0."""
    def make_plan(
        self,
        spots: Sequence[RunningSpot],
        shortfall: _Resources,
        now_us: _Integer = 0,
    ) -> EvictionPlan | None:
        """Choose the spots of one host that must go. Those that are promised to live on go only where the
        others do not suffice.

        Args:
            spots: A list of RunningSpot, oldest placement first.
            shortfall: What is missing; an amount <= 0 is not scarce.
            now_us: When the VM is asked for, microseconds since the window's start.

        Returns:
            An EvictionPlan, without victims when nothing is missing; None when no set of spots covers the
            shortfall.

        Source: CoSpot, section 3.
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

def make_filter(name: str, /, **options: bool | int | float | str) -> CompiledFilter:
    """Make a compiled filter.

    Args:
        name: As in list_filters().
        **options: Options of the filter.

    Raises:
        ConfigError: There is no such filter or option, or an option has a bad value.
    """

def make_weigher(name: str, /, **options: bool | int | float | str) -> CompiledWeigher:
    """Make a compiled weigher.

    Args:
        name: As in list_weighers().
        **options: Options of the weigher.

    Raises:
        ConfigError: There is no such weigher or option, or an option has a bad value.
    """

def make_evictor(name: str, /, **options: bool | int | float | str) -> CompiledEvictor:
    """Make a compiled evictor.

    Args:
        name: As in list_evictors().
        **options: Options of the evictor.

    Raises:
        ConfigError: There is no such evictor or option, or an option has a bad value.
    """

@final
class Chain:
    """Filters and weighers that rank hosts for one kind of request.

    Hosts without room are left out first: beside VMs when a VM is placed, beside VMs and spots when a
    spot is. Then filters, then the tiers of the weighers, then the weights. One weigher ranks by its raw
    weights; several are normalised, multiplied and summed as in Nova. Ties go to the lowest host index.

    Source: nova/scheduler, nova/weights.py; CoSpot, section 3.
    """
    def __init__(
        self,
        weighers: Iterable[_WeigherEntry],
        filters: Iterable[_FilterEntry] = (),
        label: str | None = None,
    ) -> None:
        """Compose a chain.

        Args:
            weighers: At least one. Each a name as in list_weighers() or python:module.Class, a compiled
                weigher (make_weigher), a class or object below cospot.Weigher, or a tuple of one of these
                and its multiplier.
            filters: Beside feasibility; each a name, a compiled filter, or a class or object below
                cospot.Filter.
            label: What result rows call the chain; the names joined with + unless given.

        Raises:
            ConfigError: A name or multiplier cannot be used, or there is no weigher.
            ArgumentError: An entry is none of these.
        """
    @property
    def label(self) -> str:
        """What result rows call it."""
    @property
    def filters(self) -> tuple[str, ...]:
        """The names of its filters beside feasibility."""
    @property
    def weighers(self) -> tuple[tuple[str, float], ...]:
        """Its weighers: (name, multiplier) each."""
    def rank(
        self,
        hosts: HostView,
        request: Request,
        top: _Integer | None = None,
        *,
        saf: bool = False,
    ) -> npt.NDArray[np.uint32]:
        """Rank the hosts that may take a request.

        Args:
            hosts: HostTable or HostView with n hosts.
            request: What is to be placed.
            top: How many hosts at most; all unless given.
            saf: Spot-avoiding filter: hosts with room for a VM beside all their spots rank first. Only for
                VMs.

        Returns:
            uint32 array, shape (m,): rows of `hosts`, the best first; m <= top.

        Raises:
            ConfigError: `top` is no number from 0.
            PolicyError: A policy written in Python raised or returned what cannot be used.
        """
    def weigh(
        self, hosts: HostView, request: Request, *, saf: bool = False
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]]:
        """Rank the hosts that may take a request, and tell why they rank so.

        Args:
            hosts: HostTable or HostView with n hosts.
            request: What is to be placed.
            saf: As for rank.

        Returns:
            Three arrays, shape (m,), the best host first: rows of `hosts` (uint32); tiers (uint32: one bit
            for each preferring filter and each weigher with a tier, the first the most significant; the
            larger is better); weights (float64: raw with one weigher, else Nova's weighted sum).

        Raises:
            PolicyError: A policy written in Python raised or returned what cannot be used.
        """
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def _repr_html_(self) -> str:
        """Return it as a table for notebooks."""

@final
class Offer:
    """What the VM side tells the spot side: the request and its top N hosts, the best first.

    A plain value, which may be pickled: the two sides may live in different processes.
    """
    def __init__(self, request: Request, hosts: Sequence[tuple[_Integer, _Integer]]) -> None:
        """Make an offer.

        Args:
            request: What is to be placed.
            hosts: (host, generation) pairs, the best host first.

        Raises:
            ConfigError: A number is out of range, or a host comes twice.
            ArgumentError: An argument is of another type.
        """
    @property
    def request(self) -> Request:
        """What is to be placed."""
    @property
    def hosts(self) -> tuple[tuple[int, int], ...]:
        """(host, generation) of each offered host, the best first."""
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def _repr_html_(self) -> str:
        """Return it as a table for notebooks."""

@final
class Choice:
    """What the spot side answers: the offered host it prefers and the spots that must go."""
    def __init__(
        self,
        host: _Integer,
        generation: _Integer,
        victims: Sequence[_Integer],
        score: float,
    ) -> None:
        """Make a choice; see the properties.

        Raises:
            ConfigError: A number is out of range, or a victim comes twice.
            ArgumentError: An argument is of another type.
        """
    @property
    def host(self) -> int:
        """Row of the host."""
    @property
    def generation(self) -> int:
        """The host's generation when it was offered."""
    @property
    def victims(self) -> tuple[int, ...]:
        """The instances that must go, oldest placement first."""
    @property
    def score(self) -> float:
        """The evictor's; 0 when nothing is evicted."""
    def __reduce__(self) -> tuple[Any, ...]: ...
    def _repr_html_(self) -> str:
        """Return it as a table for notebooks."""

@final
class Datacenter:
    """Hosts and the instances on them, changed step by step by one writer.

    Use it from one thread at a time.
    """
    def __init__(self, hosts: HostTable | Sequence[HostSpec]) -> None:
        """Make a datacenter without instances.

        Args:
            hosts: A HostTable, which is copied, or a list of HostSpec.

        Raises:
            ConfigError: Two hosts have the same name.
            ArgumentError: `hosts` is neither.
        """
    @property
    def hosts(self) -> HostTable:
        """Its hosts, live: HostTable."""
    def host_of(self, instance: _Integer) -> int | None:
        """Return the row of the host an instance runs on; None: it does not run."""
    def spots_on(self, host: _Integer) -> list[RunningSpot]:
        """Return the spots on a host, oldest placement first: a list of RunningSpot.

        Raises:
            IndexError: There is no such host.
        """
    def add_vm(self, host: _Integer, request: Request) -> None:
        """Place a VM. It may take the room of spots, which must then be evicted.

        Raises:
            ConfigError: The instance runs already, it is a spot, or it does not fit beside the VMs.
            IndexError: There is no such host.
        """
    def add_spot(self, host: _Integer, request: Request, ends_at_us: _Integer = ...) -> None:
        """Place a spot.

        Args:
            host: Row of the host.
            request: What is placed; its time is when.
            ends_at_us: When it will end by itself, for LPO; NEVER_US: unknown.

        Raises:
            ConfigError: The instance runs already, it is a VM, or it does not fit beside VMs and spots.
            IndexError: There is no such host.
        """
    def remove(self, instance: _Integer) -> None:
        """Remove an instance. Raises ConfigError when it does not run."""
    def evict(self, spot: _Integer) -> None:
        """Remove a spot. Raises ConfigError when it does not run or is a VM."""
    def commit(self, choice: Choice, request: Request) -> bool:
        """Evict the victims of a choice and place the VM.

        Returns:
            False, with nothing done, when the host has changed since it was offered.

        Raises:
            ConfigError: The instance runs already or is a spot.
            PolicyError: The victims are not on the host or do not free enough.
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

def make_offer(
    chain: Chain, hosts: HostView, request: Request, otn: _Integer, *, saf: bool = False
) -> Offer:
    """The VM side of the handshake: offer the top N hosts.

    Args:
        chain: The VM chain.
        hosts: HostTable or HostView with n hosts.
        request: For a VM.
        otn: N, how many hosts to offer at most, from 1.
        saf: Spot-avoiding filter: hosts with room beside all their spots rank first.

    Returns:
        An Offer; without hosts when none has room beside its VMs.

    Raises:
        ConfigError: The request is for a spot, or `otn` is out of range.
        PolicyError: A policy written in Python broke its contract.

    Source: CoSpot, section 3 ("Offer Top N").
    """

def choose(offer: Offer, evictor: _EvictorEntry, datacenter: Datacenter) -> Choice | None:
    """The spot side of the handshake: choose the offered host whose evictions score least.

    Args:
        offer: From make_offer; ties go to the better rank.
        evictor: A name, a compiled evictor, or a class or object below cospot.Evictor.
        datacenter: Where the spots are.

    Returns:
        A Choice; None when no offered host can be freed enough.

    Raises:
        PolicyError: The evictor broke its contract.
        IndexError: The offer has a host that the datacenter has not.

    Source: CoSpot, section 3.
    """

@final
class LiveHosts:
    """The hosts of a cloud that runs, as its scheduler last saw them.

    A host is replaced as a whole by what was seen of it, and may be overcommitted. Some of the hosts
    are ranked for a request, with the order and the ties of Chain and choose. Threads may share it.
    """
    def __init__(self, names: Iterable[str]) -> None:
        """Make hosts that have no room until set_host says what they have.

        Args:
            names: One a host; a host's row is its place here, and ties go to the lowest row.
        """
    @property
    def hosts(self) -> HostView:
        """Its hosts, live: HostView. Read it while no other thread calls set_host."""
    def set_host(
        self,
        row: _Integer,
        total: _Resources,
        vm_used: _Resources,
        spots: Iterable[
            tuple[_Integer, _Integer, _Integer, _Integer]
            | tuple[_Integer, _Integer, _Integer, _Integer, _Integer | None]
        ] = (),
        *,
        num_vms: _Integer = 0,
        num_io_ops: _Integer = 0,
    ) -> None:
        """Say what a host has and holds.

        Args:
            row: Which host.
            total: What the scheduler may hand out, after allocation ratios and reserved amounts: a
                ResourceVector or a tuple (vcpus, memory_mb[, disk_gb]), in vCPUs, MiB and GB.
            vm_used: What its VMs hold; may exceed the total.
            spots: (vcpus, memory_mb, disk_gb, placed_at_us[, promised_until_us]) of each spot, the oldest
                placement first; promised_until_us as of a RunningSpot.
            num_vms: How many VMs it holds.
            num_io_ops: Instances being built, resized or moved, as Nova counts them.

        Raises:
            ConfigError: A number is out of range; the host stays as it was.
            IndexError: There is no such row.
            ArgumentError: An argument is of another type.
        """
    def rank(
        self, chain: Chain, rows: _Rows, request: Request, *, saf: bool = False
    ) -> npt.NDArray[np.uint32]:
        """Rank some of the hosts for a request. Releases the interpreter's lock.

        Args:
            chain: What ranks them.
            rows: Whole numbers, shape (m,): the candidates, in any order.
            request: What is to be placed.
            saf: Spot-avoiding filter: hosts with room for a VM beside all their spots rank first. Only for
                VMs.

        Returns:
            uint32 array: those of `rows` that have room, the best first; ties go to the lowest row.

        Raises:
            ConfigError: A row is there twice.
            IndexError: There is no such row.
            PolicyError: A policy written in Python broke its contract.
        """
    def choose(
        self, evictor: CompiledEvictor, rows: _Rows, request: Request
    ) -> tuple[int, tuple[int, ...], float] | None:
        """Answer an offer: choose the host whose evictions score least. Releases the interpreter's lock.

        Args:
            evictor: A compiled evictor (make_evictor).
            rows: The offered hosts, the best first; ties go to the better one.
            request: For a VM; its time is now.

        Returns:
            (row, victims, score): the host, the positions of its victims in the spots given to set_host,
            and the evictor's score, 0 without victims. None when no host can be freed enough.

        Raises:
            IndexError: There is no such row.
            PolicyError: The evictor broke its contract.

        Source: CoSpot, section 3.
        """
    def has_room(self, rows: _Rows, request: Request, beside_spots: bool) -> npt.NDArray[np.bool_]:
        """Tell which hosts have room for a request.

        Args:
            rows: Whole numbers, shape (m,).
            request: What is to be placed.
            beside_spots: True: beside all VMs and spots; False: beside the VMs.

        Returns:
            bool array, shape (m,).

        Raises:
            IndexError: There is no such row.
        """
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ReservedHosts:
    """The hosts of a reserve, and the rule by which it is kept free of spots."""
    def __init__(self, size: _Resources, count: _Integer, hosts: _Integer) -> None:
        """Make so many hosts, which take no VM, of a reserve for `count` VMs of a size."""
    def set_free(self, row: _Integer, free: ResourceVector) -> None:
        """Set the capacity of a host that is free once all spots that must leave it have left."""
    @property
    def missing(self) -> int:
        """The number of VMs for which there is no free capacity."""
    def vms_on(self, row: _Integer) -> int:
        """Return how many VMs of the reserve fit on a host."""
    def need(self, row: _Integer) -> ResourceVector:
        """Return the amounts that must still become free on a host for one more VM."""
    def nearest(self, held: Iterable[_Resources]) -> list[int]:
        """Return the rows of the hosts on which to look for spots, given what the spots of each host hold."""
    def candidate(
        self,
        row: _Integer,
        evictor: CompiledEvictor,
        spots: Sequence[RunningSpot],
        now_us: _Integer,
    ) -> tuple[int, float, int, list[int]] | None:
        """Return the spots of a host to evict for one more VM; None: all of them do not suffice.

        Returns:
            How many of them are promised to live on, the evictor's score, the row, and their instances in
            the order of their eviction. The least such tuple is the best candidate.
        """
    def withdraw_needless(self, noticed: Iterable[tuple[_Integer | None, _Resources]]) -> list[int]:
        """Take back the notices without which the reserve is complete, the last one first.

        Args:
            noticed: The row of each spot with notice (None: of another host), and what it holds.

        Returns:
            Their positions, in that order.
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ChangeWatch:
    """Finds, among many Python objects, those that show something new.

    For a reader of objects that are made anew for every request and show mostly what they showed
    before. Use it from one thread at a time.
    """
    def __init__(self, key: str, attributes: Iterable[str], contents: str) -> None:
        """Say what to look at.

        Args:
            key: Name of the attribute that says which thing an object shows; hashable, or None for one
                that shows nothing yet.
            attributes: Names of the attributes that are compared by value.
            contents: Name of an attribute that is a dict. Its values are compared by identity, and in
                order.
        """
    def look(self, objects: list[Any]) -> tuple[npt.NDArray[np.int64], list[int]]:
        """Look at objects.

        Args:
            objects: A list; no two with one key.

        Returns:
            (numbers, changed): int64 array with the number of each object's thing, counted from 0 in the
            order in which they were first seen, -1 without a key; and the positions in `objects` of those
            that are new or show something else than the last time.

        Raises:
            AttributeError: An object lacks an attribute.
            ArgumentError: The contents are no dict.
        """
    def forget(self, number: _Integer) -> None:
        """Have the next look that sees a thing report it, whatever it shows.

        Args:
            number: From look.

        Raises:
            ConfigError: There is no such thing.
        """
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Workload:
    """Requests over time, in file order, and the window in which they earn. Never changes."""
    @staticmethod
    def load(path: _Path, *, window_days: _Number | None = None) -> Workload:
        """Read a workload file: CSV, plain or gzip, recognised by its header (docs/workload-format.md).

        Args:
            path: The file.
            window_days: Length of the window in which instances earn, days; None: as the file states it, or
                derived from its requests.

        Raises:
            WorkloadError: The file cannot be used; the text starts with file:line:.
        """
    @staticmethod
    def generate(
        model: str = "azure2020",
        *,
        seed: _Integer = 1,
        scale: _Number = 0.01,
        sampling: str = "batched",
        window_days: _Number | None = None,
    ) -> Workload:
        """Generate a synthetic workload like a real zone's (docs/synthetic-workload.md).

        Args:
            model: azure2020.
            seed: Of the draws, 0 to 2**63 - 1; the same seed gives the same workload on every machine.
            scale: Part of the zone, 0.0001 to 1 (about 5.2 million requests).
            sampling: batched: whole batches, with their bursts; bernoulli: single requests.
            window_days: Length of the window in which instances earn, days; 14 when None.

        Raises:
            ConfigError: An argument cannot be used.
        """
    @staticmethod
    def from_columns(
        columns: dict[str, Any],
        *,
        name: str = "columns",
        window_us: _Integer | None = None,
        window_days: _Number | None = None,
    ) -> Workload:
        """Make a workload from arrays, one entry a request.

        Args:
            columns: dict of arrays or sequences, shape (n,), n >= 1. Required: is_spot (bool), vcpus (from
                1), memory_mb (MiB), start_us, end_us (microseconds since the window's start; NEVER_US:
                never ended). Optional: instance_id (names or numbers, unique), tenant_id, disk_gb (GB), and
                what a request asks beside room, as in workload files, empty or None for nothing: zone,
                extra_specs, group, group_policy, max_server_per_host.
            name: What results call it.
            window_us: Length of the window in which instances earn, microseconds; derived from the requests
                when neither it nor window_days is given (docs/semantics.md).
            window_days: The same in days.

        Raises:
            WorkloadError: A column is missing, unknown or of another length, or a value cannot be used.
        """
    @staticmethod
    def from_pandas(
        frame: Any,
        *,
        name: str = "frame",
        window_us: _Integer | None = None,
        window_days: _Number | None = None,
        window_start: Any = None,
    ) -> Workload:
        """Make a workload from a pandas DataFrame, whose columns are called as in from_columns or as in a
        workload file.

        Args:
            frame: instance_id, tenant_id, disk_gb, and zone, extra_specs, group, group_policy and
                max_server_per_host if need be; vcpus; memory_mb; is_spot, or class ("vm" or
                "spot"); the start as start_us, start_s or start; the end as end_us, end_s, end, duration_s
                or duration. start, end and duration hold datetimes or timedeltas (start_s and end_s may as
                well): a start that is a timedelta counts from the window's start, a datetime without a zone
                is UTC. An end that is empty, NaT, NaN, infinite or "never" was never seen.
            name: What results call it.
            window_us: As in from_columns.
            window_days: The same in days.
            window_start: Where times are datetimes: when the window starts; the first start when None.

        Raises:
            WorkloadError: As from_columns; a time comes in two forms, or in none.
            ImportError: pandas is not installed.
        """
    @staticmethod
    def from_frame(
        frame: Any,
        *,
        name: str = "frame",
        window_us: _Integer | None = None,
        window_days: _Number | None = None,
        window_start: Any = None,
    ) -> Workload:
        """Make a workload from any data frame: of pandas, polars, pyarrow (a Table or RecordBatch), or another
        that has `to_pandas`, the Arrow C stream or the interchange protocol.

        Args:
            frame: Columns as in from_pandas.
            name: What results call it.
            window_us: As in from_columns.
            window_days: The same in days.
            window_start: As in from_pandas.

        Raises:
            ArgumentError: It is no data frame.
            WorkloadError: As from_pandas.
            ImportError: pandas is not installed.
        """
    def sample(
        self, probability: _Number, *, batched: bool = False, seed: _Integer = 1
    ) -> Workload:
        """Draw a smaller workload.

        Args:
            probability: Of keeping a request, or a batch, more than 0 and at most 1.
            batched: Keep neighbouring requests of one tenant and class together.
            seed: Of the draw.

        Raises:
            ConfigError: An argument cannot be used, or the draw keeps no request.

        Source: CoSpot, section 4.2.
        """
    def info(self, host: _Resources | None = None) -> dict[str, Any]:
        """Describe it: counts, peaks, lifetimes, revenue, flavors, arrivals.

        Args:
            host: Totals of a host, to tell how many hosts the peaks need: a ResourceVector or a tuple
                (vcpus, memory_mb[, disk_gb]).

        Returns:
            What `cospot workload info --json` prints, as dicts and lists. Times in seconds where the name
            ends in _s.
        """
    def save(self, path: _Path, schema: str = "cospot") -> None:
        """Write it as CSV, gzip-compressed if the path ends in .gz, all or nothing.

        Args:
            path: File to write.
            schema: cospot (its own) or socc22 (the CoSpot release's).

        Raises:
            WorkloadError: The file cannot be written or the schema cannot hold a row.
        """
    def to_columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return it as a dict of arrays, shape (n,): instance_id and tenant_id (str objects), is_spot (bool),
        vcpus, memory_mb, disk_gb (int32), start_us, end_us (int64; NEVER_US: never ended).
        """
    def to_pandas(self) -> Any:
        """Return it as a pandas DataFrame with the columns of to_columns()."""
    def to_polars(self) -> Any:
        """Return it as a polars DataFrame with the columns of to_columns()."""
    def to_arrow(self) -> Any:
        """Return it as a pyarrow Table with the columns of to_columns()."""
    @property
    def name(self) -> str:
        """What results call it."""
    @property
    def sha256(self) -> str:
        """SHA-256 of its file's bytes, or of its recipe."""
    @property
    def window_us(self) -> int:
        """Length of the window in which instances earn, microseconds."""
    @property
    def window_days(self) -> float:
        """Length of the window in which instances earn, days."""
    def with_window_days(self, window_days: _Number) -> Workload:
        """Return the same requests with another window.

        Args:
            window_days: Length of the window in which instances earn, more than 0 and at most 10,001.

        Raises:
            ConfigError: It is no such number.
        """
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def _repr_html_(self) -> str:
        """Return it as a table for notebooks."""

@final
class RunResult:
    """What one run earned and cost. Counts are over all requests until the window ends, those before time
    0 included; revenue counts inside the window.
    """
    @property
    def hosts(self) -> int:
        """How many hosts there were."""
    @property
    def vm_requests(self) -> int:
        """VMs asked for."""
    @property
    def vm_rejected(self) -> int:
        """VMs that found no host."""
    @property
    def vm_too_large(self) -> int:
        """Of the rejected: larger than an empty host."""
    @property
    def spot_requests(self) -> int:
        """Spots asked for."""
    @property
    def spot_admitted(self) -> int:
        """Spots that found a host."""
    @property
    def evictions(self) -> int:
        """Spots that were evicted."""
    @property
    def vm_revenue_requested(self) -> float:
        """What the VMs asked for, vcpu-seconds inside the window."""
    @property
    def vm_revenue_requested_vcpu_us(self) -> int:
        """What the VMs asked for, exact, vcpu-microseconds inside the window."""
    @property
    def vm_revenue(self) -> float:
        """What the VMs earned, vcpu-seconds inside the window."""
    @property
    def vm_revenue_vcpu_us(self) -> int:
        """What the VMs earned, exact, vcpu-microseconds inside the window."""
    @property
    def spot_revenue_requested(self) -> float:
        """What the spots asked for, vcpu-seconds inside the window."""
    @property
    def spot_revenue_requested_vcpu_us(self) -> int:
        """What the spots asked for, exact, vcpu-microseconds inside the window."""
    @property
    def spot_revenue(self) -> float:
        """What the spots earned, vcpu-seconds inside the window."""
    @property
    def spot_revenue_vcpu_us(self) -> int:
        """What the spots earned, exact, vcpu-microseconds inside the window."""
    @property
    def spot_revenue_first_hour_free(self) -> float:
        """What they earned when one that is evicted within an hour of its placement is free, vcpu-seconds inside the window."""
    @property
    def spot_revenue_first_hour_free_vcpu_us(self) -> int:
        """What they earned when one that is evicted within an hour of its placement is free, exact, vcpu-microseconds inside the window."""
    @property
    def alloc_p50_ns(self) -> int:
        """Median time of a VM's allocation, nanoseconds."""
    @property
    def alloc_p99_ns(self) -> int:
        """99 % of VMs were allocated within this time, nanoseconds."""
    @property
    def alloc_max_ns(self) -> int:
        """Longest time of a VM's allocation, nanoseconds."""
    @property
    def wall_ms(self) -> float:
        """Time of the whole run, milliseconds."""
    def as_dict(self) -> dict[str, int | float]:
        """Return counts, revenue (vcpu-seconds) and times under the names of the CSV columns."""
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def _repr_html_(self) -> str:
        """Return it as a table for notebooks."""

@final
class DatacenterSize:
    """How many hosts a workload's VMs need."""
    @property
    def hosts(self) -> int:
        """With so many hosts, headroom included, no VM is rejected."""
    @property
    def lower_bound(self) -> int:
        """What the peak demand needs if nothing were lost to packing."""
    def __eq__(self, other: object) -> bool: ...
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Simulation:
    """A run that can be stopped and looked at as it goes.

    One thread at a time runs it. The columns of `hosts` are live.
    """
    def __init__(
        self,
        workload: Workload,
        *,
        hosts: _Integer | HostTable | _Path | None = None,
        host: _Hosts | None = None,
        vm: _ChainEntry,
        spot: _ChainEntry,
        evictor: _EvictorEntry,
        saf: bool = False,
        otn: _Offer = 1,
    ) -> None:
        """Prepare a run; nothing happens yet.

        Args:
            workload: What is replayed.
            hosts: How many hosts there are, from 1; or a HostTable, which is copied; or a file of hosts
                in place of `host`. None: as many as `host` names.
            host: What each has, when `hosts` is no HostTable: a ResourceVector or a tuple (vcpus,
                memory_mb[, disk_gb]); or several types, a list of dicts as in sweep files
                ([{"type": "gen3", "count": 120, "vcpus": 64, "memory_mb": 262144}, ...]), or the path of a
                file of hosts (docs/hosts-format.md).
            vm: What ranks hosts for VMs: a Chain, or one weigher (a name as in list_weighers() or
                python:module.Class, a compiled weigher, a class or object below cospot.Weigher).
            spot: What ranks hosts for spots, likewise.
            evictor: A name as in list_evictors(), a compiled evictor, or a class or object below
                cospot.Evictor.
            saf: Spot-avoiding filter: VMs prefer hosts with room beside all spots.
            otn: Offer-top-N: how many hosts the VM side offers, from 1; or another offer as in sweep files:
                {"epsilon": 0.05}, {"adaptive": {"at_low_load": 32, "at_high_load": 1, "from": 0.8,
                "to": 1}}, or its label, "epsilon-0.05",
                "adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1".
        """
    def run_until(self, time_us: _Integer) -> None:
        """Process the events before a time. Releases the GIL for compiled policies.

        Args:
            time_us: Microseconds since the window's start.

        Raises:
            PolicyError: A policy broke its contract.
            RuntimeError: It is running already.
        """
    def run(self) -> None:
        """Process all events that are left. Raises as run_until."""
    def result(self) -> RunResult:
        """Return what was requested, earned and lost until now: after run() the whole."""
    @property
    def window_us(self) -> int:
        """Length of the workload's window, microseconds."""
    @property
    def hosts(self) -> HostView:
        """The hosts, live: HostView."""
    @property
    def is_finished(self) -> bool:
        """Whether all events were processed."""
    @property
    def now_us(self) -> int:
        """The time before which all events were processed, microseconds since the window's start."""
    def spots_on(self, host: _Integer) -> list[RunningSpot]:
        """Return the spots on a host, oldest placement first: a list of RunningSpot."""
    def host_of(self, instance: _Integer) -> int | None:
        """Return the row of the host that a request's instance runs on, or None."""
    def __reduce__(self) -> tuple[Any, ...]: ...

def simulate(
    workload: Workload,
    *,
    hosts: _Integer | HostTable | _Path | None = None,
    host: _Hosts | None = None,
    vm: _ChainEntry,
    spot: _ChainEntry,
    evictor: _EvictorEntry,
    saf: bool = False,
    otn: _Offer = 1,
    events: _Path | None = None,
) -> RunResult:
    """Replay a workload under one combination of policies.

    Releases the GIL for compiled policies, so threads simulate at once.

    Args:
        workload: What is replayed.
        hosts: How many hosts there are, from 1; or a HostTable, which is copied; or a file of hosts
            in place of `host`. None: as many as `host` names.
        host: What each has, when `hosts` is no HostTable: a ResourceVector or a tuple (vcpus,
            memory_mb[, disk_gb]); or several types, a list of dicts as in sweep files
            ([{"type": "gen3", "count": 120, "vcpus": 64, "memory_mb": 262144}, ...]), or the path of a
            file of hosts (docs/hosts-format.md).
        vm: What ranks hosts for VMs: a Chain, or one weigher (a name as in list_weighers() or
            python:module.Class, a compiled weigher, a class or object below cospot.Weigher).
        spot: What ranks hosts for spots, likewise.
        evictor: A name as in list_evictors(), a compiled evictor, or a class or object below
            cospot.Evictor.
        saf: Spot-avoiding filter: VMs prefer hosts with room beside all spots.
        otn: Offer-top-N: how many hosts the VM side offers, from 1; or another offer as in sweep files:
            {"epsilon": 0.05}, {"adaptive": {"at_low_load": 32, "at_high_load": 1, "from": 0.8,
            "to": 1}}, or its label, "epsilon-0.05",
            "adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1".
        events: File to write every event to, CSV, gzip-compressed if it ends in .gz
            (docs/event-log-format.md).

    Returns:
        A RunResult, the same as `cospot run` prints.

    Raises:
        ConfigError: An argument cannot be used.
        PolicyError: A policy broke its contract.
        InputError: The event log cannot be written.
    """

def simulate_life(
    workload: Workload,
    disruptions: Mapping[str, Any] | str,
    *,
    hosts: _Integer | HostTable | _Path | None = None,
    host: _Hosts | None = None,
    vm: _ChainEntry,
    spot: _ChainEntry,
    evictor: _EvictorEntry,
    saf: bool = False,
    otn: _Offer = 1,
    events: _Path | None = None,
) -> dict[str, Any]:
    """Replay a workload while requests ask again, spots return, hosts fail or are maintained.

    Args:
        workload: What is replayed.
        disruptions: What happens in addition, a dict with the keys of docs/life.md, or "none". Paths
            in it are relative to the working directory.
        hosts, host, vm, spot, evictor, saf, otn: As for simulate.
        events: File to write every event to, CSV, gzip-compressed if it ends in .gz
            (docs/event-log-format.md).

    Returns:
        A dict of the measures of the study life by their names (docs/results-format.md); revenue in
        vcpu-seconds, None where a mean has nothing to be taken of.

    Raises:
        ConfigError: An argument cannot be used.
        WorkloadError: A file of `disruptions` cannot be used.
        PolicyError: A policy broke its contract.
        InputError: The event log cannot be written.
    """

def size(
    workload: Workload,
    *,
    host: _Hosts,
    vm: _ChainEntry,
    headroom_percent: _Number = 0.0,
    added_type: str | None = None,
) -> DatacenterSize:
    """Find the least hosts with which no VM is rejected.

    Args:
        workload: Its VMs count.
        host: What each host has: a ResourceVector or a tuple (vcpus, memory_mb[, disk_gb]); or several
            types, a list of dicts as in sweep files, or the path of a file of hosts, as in simulate.
            Sizes have the types in proportion to their counts.
        vm: What ranks hosts for VMs, as in simulate.
        headroom_percent: More hosts than that, in percent, 0 to 10,000.
        added_type: Of several types, the only one to add to the hosts that are there. None: all, in
            proportion.

    Returns:
        A DatacenterSize.

    Raises:
        ConfigError: An argument cannot be used, or a VM is larger than a host.
        PolicyError: A policy broke its contract.

    Source: CoSpot, section 4.3.
    """

def explain(
    workload: Workload,
    request_id: str,
    *,
    hosts: _Integer | HostTable | _Path | None = None,
    host: _Hosts | None = None,
    vm: _ChainEntry,
    spot: _ChainEntry,
    evictor: _EvictorEntry,
    saf: bool = False,
    otn: _Offer = 1,
    all_hosts: bool = False,
) -> str:
    """Tell why a request gets the host it gets.

    Args:
        workload: What is replayed.
        request_id: Its id in the workload.
        hosts: How many hosts there are, from 1; or a HostTable, which is copied; or a file of hosts
            in place of `host`. None: as many as `host` names.
        host: What each has, when `hosts` is no HostTable: a ResourceVector or a tuple (vcpus,
            memory_mb[, disk_gb]); or several types, a list of dicts as in sweep files
            ([{"type": "gen3", "count": 120, "vcpus": 64, "memory_mb": 262144}, ...]), or the path of a
            file of hosts (docs/hosts-format.md).
        vm: What ranks hosts for VMs: a Chain, or one weigher (a name as in list_weighers() or
            python:module.Class, a compiled weigher, a class or object below cospot.Weigher).
        spot: What ranks hosts for spots, likewise.
        evictor: A name as in list_evictors(), a compiled evictor, or a class or object below
            cospot.Evictor.
        saf: Spot-avoiding filter: VMs prefer hosts with room beside all spots.
        otn: Offer-top-N: how many hosts the VM side offers, from 1; or another offer as in sweep files:
            {"epsilon": 0.05}, {"adaptive": {"at_low_load": 32, "at_high_load": 1, "from": 0.8,
            "to": 1}}, or its label, "epsilon-0.05",
            "adaptive:at_low_load=32:at_high_load=1:from=0.8:to=1".
        all_hosts: Show all hosts, not only the best-ranked.

    Returns:
        The text that `cospot run --explain` prints, with all_hosts=True for --explain-all.

    Raises:
        InputError: There is no such request.
        ConfigError: An argument cannot be used.
        PolicyError: A policy broke its contract.
    """

def idle_periods(
    trace: _Path,
    *,
    servers: _Integer | None = None,
    from_day: _Number = 0,
    to_day: _Number | None = None,
    server_vcpus: _Integer | None = None,
) -> dict[str, Any]:
    """Find when servers were idle for 10 minutes and more, under rank occupancy or on a run's hosts.

    Args:
        trace: A job log (SWF, or CSV with submission_s,duration_s[,nodes]), a workload (a file, or a
            spec such as azure2020:seed=1), or a scenario (YAML), which is run and whose hosts count.
        servers: Servers of the cluster; by default the peak of the whole trace.
        from_day: Day of the trace from which on it counts.
        to_day: Day up to which; by default where the last job starts.
        server_vcpus: vcpus of a server, for workloads; by default the smallest usual VM's.

    Returns:
        A dict: servers, hours (of the part that counts), and one entry for each period in the arrays
        rank (int64, from 0, the most volatile first), begin_hours, end_hours (float64) and revoked
        (bool; false: the record ended). sizes: what each server holds, of which the mean is 1; hosts
        of several types differ in it. spot_lives_hours: of a scenario, how long its spots lived
        until an eviction each.

    Raises:
        WorkloadError, ConfigError: The trace or an argument cannot be used.

    Source: Shastri et al., "Transient guarantees", SC 2016, section IV.
    """

def price_classes(
    trace: _Path,
    *,
    classes: Sequence[int] = [1, 2, 4, 8],
    partition: Sequence[str] = ["equal", "greedy", "optimal"],
    checkpoint_minutes: _Number = 10,
    mttr: str = "pooled",
    value: str = "utility",
    servers: _Integer | None = None,
    from_day: _Number = 0,
    to_day: _Number | None = None,
    server_vcpus: _Integer | None = None,
) -> PricedClasses:
    """Cut idle capacity into classes and price them, as the command `cospot classes` does.

    Args:
        classes: How many classes, several numbers.
        partition: Any of equal, greedy, marginal, lookahead, optimal.
        checkpoint_minutes: To save a server's memory; above 0.
        mttr: Of a class: pooled or mean.
        value: Prices: equilibrium or utility.
        trace: A job log (SWF, or CSV with submission_s,duration_s[,nodes]), a workload (a file, or a
            spec such as azure2020:seed=1), or a scenario (YAML), which is run and whose hosts count.
        servers: Servers of the cluster; by default the peak of the whole trace.
        from_day: Day of the trace from which on it counts.
        to_day: Day up to which; by default where the last job starts.
        server_vcpus: vcpus of a server, for workloads; by default the smallest usual VM's.

    Returns:
        cospot.PricedClasses.

    Raises:
        WorkloadError, ConfigError: The trace or an argument cannot be used.
    """

def simulate_job(
    work_hours: float,
    checkpoint: str | _Number | Mapping[str, _Number],
    *,
    mttr_hours: _Number | None = None,
    lives_hours: Sequence[float] | None = None,
    available_hours: Sequence[tuple[float, float]] | None = None,
    checkpoint_minutes: float = 10.0,
    restore_minutes: float = 0.0,
    boot_minutes: float = 0.0,
    seed: _Integer = 1,
) -> dict[str, Any]:
    """Simulate a batch job that saves checkpoints on servers that are revoked.

    Args:
        work_hours: What it would take without revocations.
        checkpoint: When it saves: "oracle" (right before each revocation), "hourly", hours of work
            between two, or {"assumed_mttr_hours": 24} for the best interval under that assumption.
        mttr_hours: Revocations are a Poisson process. Or:
        lives_hours: Servers live as long as one of these, drawn at random. Or:
        available_hours: Pairs (begin, end) in which a server was to be had, in order.
        checkpoint_minutes: To save; above 0.
        restore_minutes: To restore after a revocation.
        boot_minutes: To get and boot the next server.
        seed: Of the random draws.

    Returns:
        A dict of where the time went: useful_hours, checkpointing_hours, recomputing_hours,
        restarting_hours, waiting_hours, elapsed_hours; revocations; performance, the speed relative to
        a server without revocations; finished: False when the record ended before.

    Raises:
        ConfigError: An argument cannot be used, or the job makes no progress.
    """

def transient_performance(
    checkpoint_hours: float, mttr_hours: float, interval_hours: float
) -> float:
    """Return the speed of a server with that time to revocation, relative to one without revocations.

    All times are above 0; equation 2 of Shastri et al. Raises ConfigError.
    """

def renewal_performance(
    checkpoint_hours: float,
    mttr_hours: float,
    interval_hours: float,
    restart_hours: float = 0.0,
) -> float:
    """Return that speed exactly when revocations are a Poisson process, what `simulate_job` tends to.

    Equation 2 is about the same where the interval is short against the MTTR, and the checkpoint
    against the interval.

    Args:
        restart_hours: To boot and restore after each revocation; 0 or more. The others are above 0.

    Raises:
        ConfigError: A time cannot be.
    """

def optimal_interval(checkpoint_hours: float, mttr_hours: float) -> float:
    """Return the best time between checkpoints in hours, sqrt(2 * checkpoint * MTTR). Raises ConfigError."""

def transient_price(performance: float, value: str = "utility") -> float:
    """Return what a server of that performance sells for, as a fraction of the on-demand price.

    Args:
        value: "utility", what users offer, or "equilibrium".
    """

def broker_run(
    study: _Path | Mapping[str, Any],
    *,
    overrides: Iterable[str] = (),
    events: _Path | None = None,
) -> dict[str, Any]:
    """Run a customer's jobs on spot markets once, as the command `cospot broker run` does.

    Args:
        study: Study file (YAML) with `study: broker`, or a dict of its keys; one value for each axis.
        overrides: Assignments as those of --set, as ["bid=mean", "seed=2"].
        events: CSV to write everything that happens to; gzip-compressed if it ends in .gz.

    Returns:
        A dict of all measures: jobs, completed, deadline_violations, cost (USD), hours_paid and so on;
        cost_per_useful_job is None when no job met its deadline.

    Raises:
        ConfigError: The study cannot be used, or has more than one value of an axis.
        WorkloadError, InputError: A file cannot be read or written.

    Source: Voorsluys and Buyya, "Reliable Provisioning of Spot Instances", AINA 2012.
    """

def broker_recommend(
    study: _Path | Mapping[str, Any],
    *,
    overrides: Iterable[str] = (),
    max_late_percent: _Number | None = None,
    threads: _Integer | None = None,
) -> BrokerRecommendation:
    """Find the cheapest way to run a customer's jobs, as `cospot broker recommend` does.

    Tries every bid, alpha, mechanism and choice of a market of the study over all its seeds: 20, and
    the strategies that docs/broker.md finds best among others, where the study does not say.

    Args:
        study: Study file (YAML) with `study: broker`, or a dict of its keys.
        overrides: Assignments as those of --set.
        max_late_percent: Jobs that may be late beyond those that are late on-demand too, on the mean;
            that of the study, or 1, unless given.
        threads: How many, 1 to 4096; one a core unless given.

    Returns:
        cospot.BrokerRecommendation.

    Raises:
        ConfigError, WorkloadError: The study or one of its files cannot be used.
    """

def quote_lifetimes(
    study: _Path | Mapping[str, Any],
    *,
    at_hours: _Number | None = None,
    threads: _Integer | None = None,
    **settings: Any,
) -> Quotes:
    """Say how long spots of every size live at least, at one time of a study's first run.

    Args:
        study: Study file (YAML) with `study: sla`, one of one setting, as `cospot plan -o` writes, or
            a dict of its keys.
        at_hours: When, in hours of trace time; by default its end.
        threads: How many, 1 to 4096; one a core unless given.
        **settings: Keys of the study, such as target=[0.05, 0.01] or hosts=6.

    Returns:
        cospot.sla.Quotes.

    Raises:
        ConfigError, WorkloadError: What is given cannot be used.

    Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances", IC2E 2015.
    """

def plan(
    history: _Path | Workload,
    *,
    price: Mapping[str, float | str] | _Path,
    host: _Hosts | None = None,
    hosts: _Integer | _Path | None = None,
    headroom_percent: _Number | None = None,
    added_type: str | None = None,
    max_vm_loss_percent: _Number = 0,
    parts: _Integer | None = None,
    with_parts: Mapping[str, Any] | None = None,
    demand: _Path | None = None,
    economy_percents: Sequence[float] = [10.0, 25.0, 50.0],
    confidences: Sequence[float] = [0.5, 0.9],
    threads: _Integer | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
    **candidates: Sequence[str | int],
) -> SpotPlan:
    """Divide idle capacity among Economy instances, promised lifetimes and spots, as `cospot plan` does.

    Policies and division are chosen on the past of each part of the history and judged on that part.
    Releases the GIL; Ctrl-C ends it.

    Args:
        history: A workload file or spec, or a Workload: what was asked for.
        price: Of a vCPU-hour, a dict with on_demand and spot, and if wanted economy and currency; or a
            file of prices (docs/plan.md).
        host: What each host has, several types of hosts, or a file of hosts, as for simulate.
        hosts: How many hosts, or a file of hosts in place of `host`. Or:
        headroom_percent: Hosts beyond the fewest that hold all VMs; by default all that `host` names,
            else 2.
        added_type: Of several types, the only one to add to the hosts that are there.
        max_vm_loss_percent: VM revenue that may be lost in a part.
        parts: Equal parts of the history, 3 or more; by default 7, or as many as it has days.
        with_parts: What else every run has, a dict with the keys of study files, as for tune.
        demand: How much is bought at other spot prices, a CSV with the columns spot_price and share.
        economy_percents: Shares of what is asked for to try as Economy instances.
        confidences: Of what is promised to them, each 0 to less than 1.
        threads: How many, 1 to 4096; one a core unless given.
        progress: A function, called with (done, total) runs as the work goes on, by the calling thread. None: a bar of tqdm, if
            that is installed, on terminals and in notebooks; True: a bar anywhere; False: nothing.
        **candidates: vm, spot, evictor, otn: lists of names to choose from, in place of the usual ones. A
            policy may also be a Python class or object.

    Returns:
        cospot.SpotPlan.

    Raises:
        ConfigError, WorkloadError: An argument cannot be used, or the history is too short.
        PolicyError: A policy broke its contract.
    """

def tune(
    workloads: _Path | Workload | Sequence[_Path | Workload],
    *,
    host: _Hosts | None = None,
    hosts: _Integer | _Path | None = None,
    headroom_percent: _Number | None = None,
    added_type: str | None = None,
    max_vm_loss_percent: _Number | None = None,
    price: Mapping[str, float | str] | _Path | None = None,
    vm_worth: _Number | None = None,
    budget: _Integer | None = None,
    folds: _Integer | None = None,
    parts: _Integer = 7,
    seed: _Integer = 1,
    with_parts: Mapping[str, Any] | None = None,
    threads: _Integer | None = None,
    db: _Path | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
    **candidates: _Path | Sequence[_Path | int],
) -> Tuning:
    """Find the policies, OTN and SAF that earn most from spots without losing VMs, as `cospot tune` does.

    Releases the GIL; Ctrl-C ends it.

    Args:
        workloads: A workload file or spec, a Workload, or a list of them: each is a sample.
        host: What each host has, several types of hosts, or a file of hosts, as for simulate.
        hosts: How many hosts, or a file of hosts in place of `host`. Or:
        headroom_percent: Hosts beyond the fewest that hold all VMs; by default all that `host` names,
            else 2.
        added_type: Of several types, the only one to add to the hosts that are there.
        max_vm_loss_percent: VM revenue that may be lost on a sample; 0 unless given.
        price: Of a vCPU-hour, a dict with on_demand and spot, and if wanted currency; or a file of
            prices by flavor (docs/cookbook-import.md). Adds `money` to the result.
        vm_worth: What a VM's vCPU-hour is worth in vCPU-hours of spots, without prices; 1 unless given.
        budget: Runs at most; as many as it takes if left out.
        folds: Of the cross-validation; 1: one half of the samples chooses, the other validates.
        parts: Equal parts of its window into which a single workload is split: the samples.
        seed: Of folds, halves and candidates.
        with_parts: What else every run has, a dict with the keys of study files: ``{"disruptions":
            {"failures": {"mtbf_days": 180, "repair_h": 24}}}``, ``{"schedulers": 4, ...}``. VMs lose
            revenue by it without any spot, so that max_vm_loss_percent has to be given too.
        threads: How many, 1 to 4096; one a core unless given.
        db: Results database to write the runs to, for load_results.
        progress: A function, called with (done, total) runs as the work goes on, by the calling thread. None: a bar of tqdm, if
            that is installed, on terminals and in notebooks; True: a bar anywhere; False: nothing.
        **candidates: vm, spot, evictor, otn: names to choose from, in place of the usual ones (a policy
            may also be a Python class or object);
            promise: eviction probabilities for which every spot policy is tried too with promised
            lifetimes; model: lifetime models of evictors that need one.

    Returns:
        cospot.Tuning.

    Raises:
        ConfigError, WorkloadError: An argument cannot be used.
        InputError: `db` exists, or cannot be written.
        PolicyError: A policy broke its contract.
    """

def economy_plan(
    usage: _Path,
    *,
    forecaster: str = "ses",
    confidences: Sequence[float] = [0.5, 0.6, 0.7, 0.8, 0.9],
    price: float = 0.7,
    **settings: Any,
) -> Plan:
    """Say how much of the capacity can be promised from now on (docs/economy.md).

    Args:
        usage: A CSV of usage over time, a log of batch jobs, a workload file, or a workload spec.
        forecaster: ses, mean, minimum, arima or ets; the last two need statsmodels.
        confidences: That the slack is not lower; 0: no interval.
        price: Of the Economy class; on-demand is 1.
        **settings: Keys of the study `economy`, such as horizon_days=30.

    Raises:
        ConfigError, WorkloadError: What is given cannot be used.

    Source: Carvalho et al., "Long-term SLOs for reclaimed cloud computing resources", SoCC 2014.
    """

def economy_backtest(
    usage: _Path,
    *,
    forecasters: Sequence[str] = ["ses", "mean", "minimum", "oracle"],
    confidences: Sequence[float] = [0.5, 0.6, 0.7, 0.8, 0.9],
    prices: Sequence[float] = [0.7],
    **settings: Any,
) -> Backtest:
    """Make the same promises in the past and judge them by what came.

    Args:
        usage: A CSV of usage over time, a log of batch jobs, a workload file, or a workload spec.
        forecasters: Of ses, mean, minimum, arima, ets and oracle, which knows what comes.
        confidences: That the slack is not lower; 0: no interval.
        prices: Of the Economy class; on-demand is 1.
        **settings: Keys of the study `economy`, such as horizon_days=30.

    Raises:
        ConfigError, WorkloadError: What is given cannot be used.

    Source: Carvalho et al., "Long-term SLOs for reclaimed cloud computing resources", SoCC 2014.
    """

@final
class CompareOutcome:
    """What compare did."""
    def __init__(self, total: _Integer, done: _Integer, skipped: _Integer, database: _Path) -> None:
        """Make an outcome; see the properties."""
    @property
    def total(self) -> int:
        """Runs of the study, or of the shard."""
    @property
    def done(self) -> int:
        """Of those, how many are in the database now."""
    @property
    def skipped(self) -> int:
        """Of those, how many were in it before."""
    @property
    def database(self) -> str:
        """The results database."""
    def __repr__(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class History:
    """What happened on some hosts so far, in order of time: for estimate_lifetimes."""
    def __init__(self, hosts: Iterable[_Resources]) -> None:
        """Start the history of hosts on which nothing runs.

        Args:
            hosts: The totals of each: ResourceVector or (vcpus, memory_mb[, disk_gb]).

        Raises:
            InputError: There is no host, or one without vcpus.
        """
    def place(
        self, request: Request, host: _Integer, promised_until_us: _Integer | None = ...
    ) -> None:
        """Write down that an instance was placed, at the request's time.

        Args:
            request: Of the instance.
            host: Which one.
            promised_until_us: Of a spot: until when it is evicted after those without a promise; None: it
                has none. By default it counts as promised for as long as it runs.

        Raises:
            InputError: Time goes backwards, there is no such host, or the instance runs already.
        """
    def end(self, instance: _Integer, time_us: _Integer) -> None:
        """Write down that an instance ended by itself.

        Raises:
            InputError: Time goes backwards, or the instance does not run.
        """
    def evict(self, spot: _Integer, time_us: _Integer) -> None:
        """Write down that a spot was evicted; the VM it went for is placed after it.

        Raises:
            InputError: Time goes backwards, or no such spot runs.
        """
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class LifetimeQuantiles:
    """How long spots live at least, by size, free slots and probability: made by estimate_lifetimes."""
    def promised(self, size: _Resources, slots: _Integer, probability: _Number) -> int | None:
        """Return the lifetime that all but so many spots live at least.

        Args:
            size: The spot's size, one that was estimated.
            slots: How many spots of that size fit now, over all hosts.
            probability: Of an eviction before; one that was estimated.

        Returns:
            Microseconds; NEVER_US when nobody was evicted that long; None when nothing can be promised.

        Raises:
            ConfigError: That probability was not estimated.
        """
    def samples(self, size: _Resources) -> list[int]:
        """Return how many samples each number of slots has, from none on; empty for another size."""
    def observed(self, size: _Resources, slots: _Integer, times: _Integer) -> int:
        """Return the longest lifetime that the history has so many times, one after the other.

        Only starts with that many free slots count: the evidence for a promise is what happened then.

        Args:
            size: The spot's size, one that was estimated.
            slots: How many spots of that size fit now, over all hosts.
            times: How many starts lie at least that lifetime apart.

        Returns:
            Microseconds; 0: no lifetime was observed so many times.
        """
    @property
    def probabilities(self) -> list[float]:
        """Of evictions: those that were estimated."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Evidence:
    """What a history supports: no promise longer, and none surer, than what was observed.

    For a lifetime L it counts as so many observations as there are starts at least L apart at times
    with as many free slots as now, and at most as the spots that ran (docs/lifetime-sla.md).
    """
    def __init__(
        self,
        history: History,
        now_us: _Integer,
        targets: Iterable[_Number],
        from_us: _Integer = 0,
    ) -> None:
        """Count the evidence that a history holds at a time; what it has later is none.

        Args:
            history: History with all spots of that time.
            now_us: The present, microseconds.
            targets: Shares of promises that may be broken.
            from_us: Where the observed time begins.

        Raises:
            ConfigError: A target is no number from 0 to 1.
        """
    def supported(
        self, quantiles: LifetimeQuantiles, size: _Resources, slots: _Integer, target: _Number
    ) -> int | None:
        """Return the longest lifetime that may be promised.

        Args:
            quantiles: Estimated at the same time, for `probabilities`.
            size: Of the spot.
            slots: How many spots of that size fit now, over all hosts.
            target: One of the targets.

        Returns:
            Microseconds; None: nothing is supported.

        Raises:
            ConfigError: It is none of the targets, or a probability was not estimated.
        """
    @property
    def probabilities(self) -> list[float]:
        """Of evictions: those that have to be estimated."""
    def __reduce__(self) -> tuple[Any, ...]: ...

def estimate_lifetimes(
    history: History,
    sizes: Iterable[_Resources],
    probabilities: Iterable[_Number],
    now_us: _Integer,
    from_us: _Integer = 0,
    **options: _Number | str,
) -> LifetimeQuantiles:
    """Estimate how long spots live from what happened so far.

    Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances"; docs/lifetime-sla.md.

    Args:
        history: What it has after now_us is left out.
        sizes: Sizes of spots: ResourceVector or (vcpus, memory_mb[, disk_gb]).
        probabilities: Of evictions, each between 0 and 1.
        now_us: The present, microseconds.
        from_us: Starting points are drawn from there on.
        **options: samples, samples_per, least_samples, victim, censored, quantile, condition_width,
            seed, as the filter LifetimeSla has them.

    Returns:
        LifetimeQuantiles.

    Raises:
        ConfigError: A setting is out of range.
        InputError: No time lies between from_us and now_us.
    """

def eviction_interval(
    promised: _Integer, broken: _Integer, confidence: _Number = 0.95
) -> tuple[float, float]:
    """Return the range (lower, upper) of an eviction probability, by Clopper and Pearson.

    Args:
        promised: How many spots were promised a lifetime.
        broken: How many of them were evicted before.
        confidence: Of the interval.

    Raises:
        ConfigError: More were broken than promised, or the confidence is out of range.
    """

def observations_needed(target: _Number, share: _Number = 0.0) -> int | None:
    """Return how many independent observations support a promise; None: more than anybody will have.

    Args:
        target: The share of promises that may be broken.
        share: Of the spots that were evicted before.

    Raises:
        ConfigError: One of them is no number from 0 to 1.
    """

def _forecast_skill(
    losses: Sequence[float], reference_losses: Sequence[float]
) -> tuple[float, float | None] | None:
    """Return the skill of forecasts over a reference and half its 95 % interval over stretches of time.

    Args:
        losses: The sum of squared errors of each stretch.
        reference_losses: Those of the reference.

    Returns:
        (skill, half_width), the latter None of one stretch; None: the reference made no mistake.
    """

def _money_of_results(
    database: _Path,
    on_demand: float | None = None,
    spot: float | None = None,
    economy: float | None = None,
    flavors: _Path | None = None,
) -> dict[str, list[Any]]:
    """Return what the revenue of every run is worth.

    Args:
        database: Results database of a study that money is put on.
        on_demand: What a VM's vCPU-hour costs; without it, the prices that are kept with the results.
        spot: What a spot's vCPU-hour costs.
        economy: What that of an Economy instance costs; on_demand if left out.
        flavors: Instead of both, a CSV file with the columns vcpus, memory_mb, on_demand, spot.

    Returns:
        A dict: run_index, and by the columns that the study declares a list with a number of every
        run, or None.

    Raises:
        WorkloadError: The table cannot be read.
        ConfigError: No money is put on the study, no prices are given or kept, a workload is not there or another one, or a flavor
            has no price.
    """

def compare(
    sweep: _Path | Mapping[str, Any],
    *,
    db: _Path = "results.db",
    csv: _Path | None = None,
    threads: _Integer | None = None,
    resume: bool = False,
    force: bool = False,
    shard: str = "1/1",
    overrides: Iterable[str] = (),
    progress: Callable[[int, int], object] | bool | None = None,
    timing: bool = True,
    timeline: bool = False,
) -> CompareOutcome:
    """Run every combination of a study on all cores, as `cospot compare` does.

    Releases the GIL. Ctrl-C stops it cleanly: KeyboardInterrupt is raised, what is done is in the
    database, and the same call with resume=True goes on.

    Args:
        sweep: A study file, or a dict with its keys (docs/sweep-file.md); `study` names the study. In a dict, a policy may also
            be a Chain, a compiled policy, or a class or object below cospot.Weigher, cospot.Filter or
            cospot.Evictor; paths are relative to the current folder.
        db: Results database to write.
        csv: Write the results as CSV too.
        threads: How many, 1 to 4096; one a core unless given.
        resume: Continue the database, or start it.
        force: Replace the database.
        shard: Do part I of N: "I/N".
        overrides: As --set on the command line: ["otn=[1,4]", "host.vcpus=64"].
        progress: A function, called with (done, total) runs as the work goes on, by the calling thread. None: a bar of tqdm, if
            that is installed, on terminals and in notebooks; True: a bar anywhere; False: nothing.
        timing: False: 0 for every time, so that output repeats.
        timeline: Keep what each run does every day (`Results.timeline`); of studies of a provider's
            datacenter.

    Returns:
        A CompareOutcome.

    Raises:
        ConfigError: The sweep or an argument cannot be used.
        WorkloadError: A workload cannot be used.
        DatabaseError: The database already exists, is of another sweep, or cannot be written.
        PolicyError: A policy broke its contract; what was done is kept.
    """

def mean_interval(
    values: Sequence[float] | npt.NDArray[np.float64],
) -> tuple[float, float | None]:
    """Mean of values, and half the width of its 95 % confidence interval by Student's t.

    Args:
        values: One number or more.

    Returns:
        (mean, half width); the second is None for a single value.
    """

def run_command_line(arguments: Iterable[_Path]) -> int:
    """Run the command line `cospot`. Prints to the process's standard output and standard error.

    Args:
        arguments: Its arguments, without the program's name: ["list", "weighers"].

    Returns:
        The exit code: 0 done, 1 internal error, 2 bad input or usage, 130 interrupted.
    """

def _valid_names_text(name: str, names: Sequence[str]) -> str:
    """Return the end of an error about an unknown name: the nearest of the names, or all."""

def _write_report(
    databases: Iterable[_Path],
    output: _Path,
    title: str | None = None,
    price: Mapping[str, float | str] | _Path | None = None,
) -> tuple[int, int]:
    """Write the page of cospot.report. Returns the number of its runs and of its bytes."""

def _make_policy_loader() -> object:
    """Return what finds policies for the program that hosts Python, in a capsule."""

def _restore(class_name: str, state: tuple[Any, ...]) -> Any:
    """Make again what was pickled."""
