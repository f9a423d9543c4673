// ResourceVector and Request.

#include <fmt/format.h>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

/// Amounts that are the difference of others may be negative.
ResourceVector make_vector(const py::object& vcpus, const py::object& memory_mb,
                           const py::object& disk_gb) {
  return {.vcpus = read_amount(vcpus, "vcpus", -kMaxResourceAmount),
          .memory_mb = read_amount(memory_mb, "memory_mb", -kMaxResourceAmount),
          .disk_gb = read_amount(disk_gb, "disk_gb", -kMaxResourceAmount)};
}

/// Refuses a sum that no ResourceVector holds.
ResourceVector checked(const ResourceVector& sum) {
  const ResourceVector most{kMaxResourceAmount, kMaxResourceAmount, kMaxResourceAmount};
  if (sum.fits_in(most) && (ResourceVector{} - most).fits_in(sum)) return sum;
  throw ConfigError(fmt::format("({}, {}, {}) is out of range, expected amounts from {} to {}",
                                sum.vcpus, sum.memory_mb, sum.disk_gb, -kMaxResourceAmount,
                                kMaxResourceAmount));
}

std::string repr_of(const ResourceVector& amounts) {
  return fmt::format("ResourceVector(vcpus={}, memory_mb={}, disk_gb={})", amounts.vcpus,
                     amounts.memory_mb, amounts.disk_gb);
}

py::tuple parts_of(const ResourceVector& amounts) {
  return py::make_tuple(amounts.vcpus, amounts.memory_mb, amounts.disk_gb);
}

Request make_request(const py::object& vcpus, const py::object& memory_mb,
                     const py::object& disk_gb, bool spot, const py::object& instance,
                     const py::object& time_us) {
  return {.vcpus = read_amount(vcpus, "vcpus", 0),
          .memory_mb = read_amount(memory_mb, "memory_mb", 0),
          .disk_gb = read_amount(disk_gb, "disk_gb", 0),
          .instance_class = spot ? InstanceClass::kSpot : InstanceClass::kVm,
          .instance = read_instance(instance),
          .time = read_time(time_us, "time_us")};
}

std::string repr_of(const Request& request) {
  return fmt::format(
      "Request(vcpus={}, memory_mb={}, disk_gb={}, spot={}, instance={}, time_us={})",
      request.vcpus, request.memory_mb, request.disk_gb, request.is_spot() ? "True" : "False",
      request.instance, request.time.count());
}

py::tuple parts_of(const Request& request) {
  return py::make_tuple(request.vcpus, request.memory_mb, request.disk_gb, request.is_spot(),
                        request.instance, request.time.count());
}

bool equals(const Request& one, const Request& other) {
  return parts_of(one).equal(parts_of(other));
}

void bind_resource_vector(py::module_& core) {
  py::class_<ResourceVector>(core, "ResourceVector", R"doc(
Amounts of the three resources that Nova schedules, always whole numbers.

vcpus in vCPUs, memory_mb in MiB, disk_gb in GB; each from -2**26 to 2**26 (negative only where
amounts were subtracted).
)doc")
      .def(py::init(&make_vector), "vcpus"_a, "memory_mb"_a, "disk_gb"_a = 0, R"doc(
Make a vector.

Raises:
    ConfigError: An amount is out of range.
    ArgumentError: An amount is no whole number.
)doc")
      .def_readonly("vcpus", &ResourceVector::vcpus, "vCPUs.")
      .def_readonly("memory_mb", &ResourceVector::memory_mb, "Memory, MiB.")
      .def_readonly("disk_gb", &ResourceVector::disk_gb, "Disk, GB.")
      .def("fits_in", &ResourceVector::fits_in, "room"_a,
           "Return whether every amount is at most that of `room`.")
      .def(
          "__add__",
          [](const ResourceVector& a, const ResourceVector& b) { return checked(a + b); },
          "other"_a, "Return the sums. Raises ConfigError when one is out of range.")
      .def(
          "__sub__",
          [](const ResourceVector& a, const ResourceVector& b) { return checked(a - b); },
          "other"_a, "Return the differences. Raises ConfigError when one is out of range.")
      .def(
          "__eq__", [](const ResourceVector& a, const ResourceVector& b) { return a == b; },
          py::is_operator(), "other"_a, "Return whether all amounts are equal.")
      .def(
          "__hash__", [](const ResourceVector& a) { return py::hash(parts_of(a)); },
          "Return a hash of the amounts.")
      .def(
          "__repr__", [](const ResourceVector& a) { return repr_of(a); },
          "Return the call that makes it.")
      .def(
          "__reduce__",
          [](const py::object& self) {
            return py::make_tuple(py::type::of(self), parts_of(self.cast<const ResourceVector&>()));
          },
          "Pickle it.");
}

}  // namespace

void bind_resources(py::module_& core) {
  core.attr("NEVER_US") = kNever.count();
  core.attr("DAY_US") = SimTime(kDay).count();
  bind_resource_vector(core);
  py::class_<Request>(core, "Request", R"doc(
What one instance asks for, as a scheduler sees it: not when it will end.

vcpus in vCPUs, memory_mb in MiB, disk_gb in GB, time_us in microseconds since the window's start.
)doc")
      .def(py::init(&make_request), "vcpus"_a, "memory_mb"_a, "disk_gb"_a = 0, "spot"_a = false,
           "instance"_a = 0, "time_us"_a = 0, R"doc(
Make a request.

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
)doc")
      .def_readonly("vcpus", &Request::vcpus, "vCPUs.")
      .def_readonly("memory_mb", &Request::memory_mb, "Memory, MiB.")
      .def_readonly("disk_gb", &Request::disk_gb, "Disk, GB.")
      .def_property_readonly("is_spot", &Request::is_spot, "Whether it asks for a spot.")
      .def_readonly("instance", &Request::instance, "Number that names the instance.")
      .def_property_readonly(
          "time_us", [](const Request& request) { return request.time.count(); },
          "When it is asked for, microseconds since the window's start.")
      .def_property_readonly("resources", &Request::resources, "The three amounts.")
      .def(
          "__eq__", [](const Request& a, const Request& b) { return equals(a, b); },
          py::is_operator(), "other"_a, "Return whether both ask the same.")
      .def(
          "__hash__", [](const Request& a) { return py::hash(parts_of(a)); },
          "Return a hash of what is asked.")
      .def(
          "__repr__", [](const Request& a) { return repr_of(a); }, "Return the call that makes it.")
      .def(
          "__reduce__",
          [](const py::object& self) {
            return py::make_tuple(py::type::of(self), parts_of(self.cast<const Request&>()));
          },
          "Pickle it.");
}

}  // namespace cospot::bindings
