// LiveHosts: the hosts of a cloud that runs, for a scheduler that hosts cospot.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/hosts.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/rank_hosts.hpp"
#include "bindings/run_arguments.hpp"
#include "core/errors.hpp"
#include "core/handshake/handshake.hpp"
#include "core/provider/provider_hosts.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

/// No request fits: one vcpu that is in use.
constexpr ResourceVector kFull{.vcpus = 1, .memory_mb = 1};

HostTable full_hosts(const std::vector<std::string>& names) {
  std::vector<HostSpec> hosts;
  hosts.reserve(names.size());
  for (const std::string& name : names) {
    hosts.push_back({.name = name, .total = kFull, .vm_used = kFull});
  }
  return HostTable(hosts);
}

/// LiveHosts in Python: what its scheduler last saw of a cloud. A host is replaced as a whole, and
/// may be overcommitted. The lock, which is never waited for with the interpreter's lock held, lets
/// threads share them.
struct SharedHosts {
  explicit SharedHosts(const std::vector<std::string>& names) : live(full_hosts(names)) {}

  [[nodiscard]] std::size_t size() const { return live.table().size(); }

  /// Calls `use` with both: without the interpreter's lock, and with this one.
  template <class Use>
  auto locked(const Use& use) {
    const py::gil_scoped_release unlocked;
    const std::lock_guard lock(mutex);
    return use(live);
  }

  std::mutex mutex;
  ProviderHosts live;
};

std::shared_ptr<SharedHosts> make_shared_hosts(const py::object& names) {
  std::vector<std::string> read;
  for (const py::object& name : read_items(names, "names", "names of hosts")) {
    read.push_back(read_text(name, "name"));
  }
  return std::make_shared<SharedHosts>(read);
}

/// (vcpus, memory_mb, disk_gb, placed_at_us[, promised_until_us]) each; an instance is its
/// position.
std::vector<RunningSpot> read_spots(const py::object& spots) {
  std::vector<RunningSpot> read;
  for (const py::object& entry : read_items(spots, "spots", "tuples")) {
    const py::tuple spot =
        py::isinstance<py::tuple>(entry) ? py::reinterpret_borrow<py::tuple>(entry) : py::tuple();
    if (spot.size() != 4 && spot.size() != 5) {
      throw ArgumentError(
          fmt::format("spots[{}]: expected a tuple (vcpus, memory_mb, disk_gb, placed_at_us[, "
                      "promised_until_us])",
                      read.size()));
    }
    const py::object promised_until = spot.size() == 5 ? py::object(spot[4]) : py::none();
    read.push_back({.instance = static_cast<InstanceIndex>(read.size()),
                    .resources = {.vcpus = read_amount(spot[0], "vcpus of a spot", 0),
                                  .memory_mb = read_amount(spot[1], "memory_mb of a spot", 0),
                                  .disk_gb = read_amount(spot[2], "disk_gb of a spot", 0)},
                    .placed_at = read_time(spot[3], "placed_at_us of a spot"),
                    .ends_at = kNever,
                    .promised_until = read_promised_until(promised_until)});
  }
  return read;
}

void set_host(SharedHosts& self, const py::object& row, const py::object& total,
              const py::object& vm_used, const py::object& spots, const py::object& num_vms,
              const py::object& num_io_ops) {
  const HostIndex host = read_row(row, "row", self.size());
  const auto count = [](const py::object& value, std::string_view what) {
    return static_cast<std::int32_t>(read_integer(value, what, 0, INT32_MAX / 2));
  };
  HostSpec spec{.name = self.live.table().name(host),
                .total = read_host(total, "total"),
                .vm_used = read_resources(vm_used, "vm_used"),
                .num_vms = count(num_vms, "num_vms"),
                .num_io_ops = count(num_io_ops, "num_io_ops")};
  std::vector<RunningSpot> running = read_spots(spots);
  self.locked(
      [&](ProviderHosts& live) { live.replace(host, std::move(spec), std::move(running)); });
}

py::tuple rank_live(SharedHosts& self, const PythonChain& chain, const py::object& rows,
                    const Request& request, bool saf) {
  std::vector<HostIndex> candidates = read_candidates(rows, self.size());
  std::sort(candidates.begin(), candidates.end());
  if (std::adjacent_find(candidates.begin(), candidates.end()) != candidates.end()) {
    throw ConfigError("rows: a host is there twice");
  }
  const Chain& side = chain.side(side_of(request, saf));
  const std::vector<RankedHost> ranked = self.locked([&](const ProviderHosts& live) {
    ScanBuffers buffers;
    side.rank(live.table().view(), candidates, request, buffers.scan, buffers.ranked);
    return std::move(buffers.ranked);
  });
  const auto column = [&ranked]<class T>(T RankedHost::*member) {
    py::array_t<T> values(std::ssize(ranked));
    std::ranges::transform(ranked, values.mutable_data(), member);
    return values;
  };
  return py::make_tuple(column(&RankedHost::host), column(&RankedHost::tiers),
                        column(&RankedHost::weight));
}

std::size_t num_offered_live(SharedHosts& self, const py::object& otn,
                             const py::array_t<std::uint32_t>& tiers,
                             const py::array_t<double>& weights) {
  const OfferRule rule = read_offer_rule(otn);
  std::vector<Standing> ranked;
  for (py::ssize_t i = 0; i < weights.size(); ++i) ranked.push_back({tiers.at(i), weights.at(i)});
  return self.locked(
      [&](const ProviderHosts& live) { return num_offered(ranked, rule, live.table()); });
}

py::object choose_live(SharedHosts& self, const CompiledEvictor& evictor, const py::object& rows,
                       const Request& request) {
  Offer offer{.request = request, .hosts = {}};
  for (const HostIndex row : read_candidates(rows, self.size())) {
    offer.hosts.push_back({.host = row});
  }
  const Choice choice = self.locked([&](const ProviderHosts& live) {
    return Handshake(*evictor.policy).choose(live.table(), offer, [&live](HostIndex host) {
      return live.spots_on(host);
    });
  });
  if (!choice.has_host()) return py::none();
  // A spot's number is its position (read_spots).
  return py::make_tuple(choice.host.host, py::tuple(py::cast(choice.victims)), choice.score);
}

py::array_t<bool> has_room(SharedHosts& self, const py::object& rows, const Request& request,
                           bool beside_spots) {
  const std::vector<HostIndex> read = read_candidates(rows, self.size());
  const Sees sees = beside_spots ? Sees::kVmsAndSpots : Sees::kVms;
  py::array_t<bool> fits(std::ssize(read));
  self.locked([&, fit = fits.mutable_data()](const ProviderHosts& live) {
    std::ranges::transform(read, fit, [&](HostIndex row) {
      return request.resources().fits_in(live.table().free(row, sees));
    });
  });
  return fits;
}

using HostsClass = py::class_<SharedHosts, std::shared_ptr<SharedHosts>>;

void add_decisions(HostsClass& hosts) {
  hosts
      .def("rank", &rank_live, "chain"_a, "rows"_a, "request"_a, py::kw_only(), "saf"_a = false,
           R"doc(
Rank some of the hosts for a request. Releases the interpreter's lock.

Args:
    chain: What ranks them.
    rows: Whole numbers, shape (m,): the candidates, in any order.
    request: What is to be placed.
    saf: Spot-avoiding filter: hosts with room for a VM beside all their spots rank first. Only for
        VMs.

Returns:
    Three arrays as of Chain.weigh: those of `rows` that have room, their tiers and weights.

Raises:
    ConfigError: A row is there twice.
    IndexError: There is no such row.
    PolicyError: A policy written in Python broke its contract.
)doc")
      .def("num_offered", &num_offered_live, "otn"_a, "tiers"_a, "weights"_a, R"doc(
Tell how many ranked hosts, the first ones, an offer has, whose load is that of all hosts here.

Args:
    otn: As make_offer takes it.
    tiers, weights: Of each ranked host, the best first, as `rank` returns them.
)doc")
      .def("choose", &choose_live, "evictor"_a, "rows"_a, "request"_a, R"doc(
Answer an offer: choose the host whose evictions score least. Releases the interpreter's lock.

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
)doc")
      .def("has_room", &has_room, "rows"_a, "request"_a, "beside_spots"_a, R"doc(
Tell which hosts have room for a request.

Args:
    rows: Whole numbers, shape (m,).
    request: What is to be placed.
    beside_spots: True: beside all VMs and spots; False: beside the VMs.

Returns:
    bool array, shape (m,).

Raises:
    IndexError: There is no such row.
)doc");
}

}  // namespace

void bind_live_hosts(py::module_& core) {
  HostsClass hosts(core, "LiveHosts", R"doc(
The hosts of a cloud that runs, as its scheduler last saw them.

A host is replaced as a whole by what was seen of it, and may be overcommitted. Some of the hosts
are ranked for a request, with the order and the ties of Chain and choose. Threads may share it.
)doc");
  hosts
      .def(py::init(&make_shared_hosts), "names"_a, R"doc(
Make hosts that have no room until set_host says what they have.

Args:
    names: One a host; a host's row is its place here, and ties go to the lowest row.
)doc")
      .def(
          "__len__", [](const SharedHosts& self) { return self.size(); },
          "Return the number of hosts.")
      .def_property_readonly(
          "hosts",
          [](const std::shared_ptr<SharedHosts>& self) {
            return HostColumns(self->live.table().view(), self);
          },
          "Its hosts, live: HostView. Read it while no other thread calls set_host.")
      .def("set_host", &set_host, "row"_a, "total"_a, "vm_used"_a, "spots"_a = py::tuple(),
           py::kw_only(), "num_vms"_a = 0, "num_io_ops"_a = 0, R"doc(
Say what a host has and holds.

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
)doc");
  add_decisions(hosts);
}

}  // namespace cospot::bindings
