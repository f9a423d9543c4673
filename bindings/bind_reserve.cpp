// ReservedHosts: the rule by which the service in Nova and the simulation keep a reserve.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <tuple>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/policy_entries.hpp"
#include "core/handshake/reserved_hosts.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

HostIndex read_reserve_row(const ReservedHosts& self, const py::handle& row) {
  const std::int64_t most = static_cast<std::int64_t>(self.size()) - 1;
  return static_cast<HostIndex>(read_integer(row, "row", 0, most));
}

std::vector<HostIndex> nearest(const ReservedHosts& self, const py::object& given) {
  std::vector<ResourceVector> held;
  for (const py::object& each : read_items(given, "held", "amounts")) {
    held.push_back(read_resources(each, "held"));
  }
  if (held.size() == self.size()) return self.nearest(held);
  throw ConfigError(fmt::format("held is of {} hosts, expected {}", held.size(), self.size()));
}

/// A tuple, as the order of Python's tuples is that of candidates.
using Candidate = std::tuple<std::size_t, double, HostIndex, std::vector<InstanceIndex>>;

std::optional<Candidate> candidate(const ReservedHosts& self, const py::object& row,
                                   const CompiledEvictor& evictor, const py::object& spots,
                                   const py::object& now_us) {
  RankedEvictions evictions(*evictor.policy);
  const std::optional<ReserveCandidate> found =
      self.candidate(read_reserve_row(self, row), read_spots_of_host(spots),
                     read_time(now_us, "now_us"), evictions);
  if (!found) return std::nullopt;
  std::vector<InstanceIndex> instances;
  for (const RunningSpot& spot : found->spots) instances.push_back(spot.instance);
  return Candidate{found->promised, found->score, found->host, std::move(instances)};
}

std::vector<std::size_t> withdraw_needless(ReservedHosts& self, const py::object& given) {
  std::vector<NoticedSpot> noticed;
  for (const py::object& each : read_items(given, "noticed", "tuples (row, size)")) {
    const auto [row, size] = read_as<std::pair<py::object, py::object>>(each, "an entry of noticed",
                                                                        "a tuple (row, size)");
    noticed.push_back({.host = row.is_none() ? kNoHost : read_reserve_row(self, row),
                       .size = read_resources(size, "size")});
  }
  return self.withdraw_needless(noticed);
}

}  // namespace

void bind_reserve(py::module_& core) {
  py::class_<ReservedHosts>(core, "ReservedHosts", R"doc(
The hosts of a reserve, and the rule by which it is kept free of spots.
)doc")
      .def(py::init([](const py::object& size, const py::object& count, const py::object& hosts) {
             const ReservedCapacity reserved{.size = read_resources(size, "size"),
                                             .count = read_integer(count, "count", 0, INT64_MAX)};
             return ReservedHosts(reserved, read_count(hosts, "hosts"));
           }),
           "size"_a, "count"_a, "hosts"_a,
           "Make so many hosts, which take no VM, of a reserve for `count` VMs of a size.")
      .def(
          "set_free",
          [](ReservedHosts& self, const py::object& row, const ResourceVector& free) {
            self.set(read_reserve_row(self, row), free);
          },
          "row"_a, "free"_a,
          "Set the capacity of a host that is free once all spots that must leave it have left.")
      .def_property_readonly("missing", &ReservedHosts::missing,
                             "The number of VMs for which there is no free capacity.")
      .def(
          "vms_on",
          [](const ReservedHosts& self, const py::object& row) {
            return self.vms_on(read_reserve_row(self, row));
          },
          "row"_a, "Return how many VMs of the reserve fit on a host.")
      .def(
          "need",
          [](const ReservedHosts& self, const py::object& row) {
            return self.need(read_reserve_row(self, row));
          },
          "row"_a, "Return the amounts that must still become free on a host for one more VM.")
      .def("nearest", &nearest, "held"_a, R"doc(
Return the rows of the hosts on which to look for spots, given what the spots of each host hold.
)doc")
      .def("candidate", &candidate, "row"_a, "evictor"_a, "spots"_a, "now_us"_a, R"doc(
Return the spots of a host to evict for one more VM; None: all of them do not suffice.

Returns:
    How many of them are promised to live on, the evictor's score, the row, and their instances in
    the order of their eviction. The least such tuple is the best candidate.
)doc")
      .def("withdraw_needless", &withdraw_needless, "noticed"_a, R"doc(
Take back the notices without which the reserve is complete, the last one first.

Args:
    noticed: The row of each spot with notice (None: of another host), and what it holds.

Returns:
    Their positions, in that order.
)doc");
}

}  // namespace cospot::bindings
