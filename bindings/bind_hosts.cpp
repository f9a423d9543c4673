// HostSpec, HostView, HostTable and HostRow: columns as read-only arrays without copies.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/hosts.hpp"
#include "core/errors.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

constexpr const char* kFreeIgnoringSpots = "What the host could take beside its VMs";
constexpr const char* kFree =
    "What the host could take beside its VMs and spots; negative: overcommitted until spots go";

/// VMs and spots together may be more than the host has, until spots are evicted; neither alone.
ResourceVector read_used(const py::object& value, std::string_view name,
                         const ResourceVector& total) {
  const ResourceVector used = read_resources(value, name);
  if (used.fits_in(total)) return used;
  throw ConfigError(fmt::format("{} is ({}, {}, {}), expected at most the total, ({}, {}, {})",
                                name, used.vcpus, used.memory_mb, used.disk_gb, total.vcpus,
                                total.memory_mb, total.disk_gb));
}

HostSpec make_spec(const py::object& name, const py::object& total, const py::object& vm_used,
                   const py::object& spot_used, const py::object& num_vms,
                   const py::object& num_spots, const py::object& num_io_ops) {
  const auto count = [](const py::object& value, std::string_view what) {
    return static_cast<std::int32_t>(read_integer(value, what, 0, INT32_MAX / 2));
  };
  const ResourceVector has = read_host(total, "total");
  return {.name = read_text(name, "name"),
          .total = has,
          .vm_used = read_used(vm_used, "vm_used", has),
          .spot_used = read_used(spot_used, "spot_used", has),
          .num_vms = count(num_vms, "num_vms"),
          .num_spots = count(num_spots, "num_spots"),
          .num_io_ops = count(num_io_ops, "num_io_ops")};
}

OwnedHosts make_table(const py::object& hosts) {
  return OwnedHosts(std::make_shared<HostTable>(read_host_table(hosts, "HostSpec")));
}

OwnedHosts make_uniform(const py::object& count, const py::object& total) {
  const std::size_t hosts = read_count(count, "count");
  return OwnedHosts(
      std::make_shared<HostTable>(HostTable::uniform(hosts, read_host(total, "total"))));
}

HostOfColumns row_at(const HostColumns& hosts, const py::object& index) {
  return {hosts, static_cast<HostIndex>(read_position(index, hosts.view.size(), "hosts"))};
}

/// A column as an array over the memory of the table, which `self` keeps.
template <class T>
py::array_t<T> column_array(const py::object& self, std::span<const T> column) {
  py::array_t<T> array(static_cast<py::ssize_t>(column.size()), column.data(), self);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

template <class T>
void add_column(py::class_<HostColumns>& view, py::class_<HostOfColumns>& row, const char* name,
                std::span<const T> HostView::*column, const std::string& meaning) {
  const std::string dtype = sizeof(T) == 8 ? "uint64" : "int32";
  view.def_property_readonly(
      name,
      [column](const py::object& self) {
        return column_array(self, self.cast<const HostColumns&>().view.*column);
      },
      (meaning + ".\n\n" + dtype + " array, shape (n,), read-only, no copy.").c_str());
  row.def_property_readonly(
      name, [column](const HostOfColumns& host) { return (host.hosts.view.*column)[host.host]; },
      (meaning + ".").c_str());
}

void add_columns(py::class_<HostColumns>& view, py::class_<HostOfColumns>& row) {
  const std::string total = "What the scheduler may hand out";
  const auto add = [&](const char* name, auto column, const std::string& meaning) {
    add_column(view, row, name, column, meaning);
  };
  add("vcpus_total", &HostView::vcpus_total, total + ", vCPUs");
  add("memory_mb_total", &HostView::memory_mb_total, total + ", MiB");
  add("disk_gb_total", &HostView::disk_gb_total, total + ", GB");
  add("vcpus_free_ignoring_spots", &HostView::vcpus_free_ignoring_spots,
      std::string(kFreeIgnoringSpots) + ", vCPUs");
  add("memory_mb_free_ignoring_spots", &HostView::memory_mb_free_ignoring_spots,
      std::string(kFreeIgnoringSpots) + ", MiB");
  add("disk_gb_free_ignoring_spots", &HostView::disk_gb_free_ignoring_spots,
      std::string(kFreeIgnoringSpots) + ", GB");
  add("vcpus_free", &HostView::vcpus_free, std::string(kFree) + ", vCPUs");
  add("memory_mb_free", &HostView::memory_mb_free, std::string(kFree) + ", MiB");
  add("disk_gb_free", &HostView::disk_gb_free, std::string(kFree) + ", GB");
  add("num_vms", &HostView::num_vms, "How many VMs the host holds");
  add("num_spots", &HostView::num_spots, "How many spots the host holds");
  add("num_io_ops", &HostView::num_io_ops, "Instances being built, resized or moved, as in Nova");
  add("generation", &HostView::generation, "How often the host was changed");
}

void bind_spec(py::module_& core) {
  py::class_<HostSpec>(core, "HostSpec", "What one host is made of and holds at first.")
      .def(py::init(&make_spec), "name"_a, "total"_a, py::kw_only(),
           "vm_used"_a = py::make_tuple(0, 0), "spot_used"_a = py::make_tuple(0, 0),
           "num_vms"_a = 0, "num_spots"_a = 0, "num_io_ops"_a = 0, R"doc(
Describe a host.

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
)doc")
      .def_readonly("name", &HostSpec::name, "Its name.")
      .def_readonly("total", &HostSpec::total, "What the scheduler may hand out.")
      .def_readonly("vm_used", &HostSpec::vm_used, "What its VMs hold.")
      .def_readonly("spot_used", &HostSpec::spot_used, "What its spots hold.")
      .def_readonly("num_vms", &HostSpec::num_vms, "How many VMs it holds.")
      .def_readonly("num_spots", &HostSpec::num_spots, "How many spots it holds.")
      .def_readonly("num_io_ops", &HostSpec::num_io_ops,
                    "Instances being built, resized or moved.");
}

void bind_row(py::class_<HostOfColumns>& row) {
  row.def_property_readonly(
         "index", [](const HostOfColumns& host) { return host.host; }, "Its row in the table.")
      .def_property_readonly(
          "name", [](const HostOfColumns& host) { return to_str(host.hosts.view.name[host.host]); },
          "Its name.")
      .def_property_readonly(
          "total", [](const HostOfColumns& host) { return host.row().total(); },
          "What the scheduler may hand out.")
      .def_property_readonly(
          "free_ignoring_spots",
          [](const HostOfColumns& host) { return host.row().free(Sees::kVms); },
          "What it could take beside its VMs.")
      .def_property_readonly(
          "free", [](const HostOfColumns& host) { return host.row().free(Sees::kVmsAndSpots); },
          "What it could take beside its VMs and spots.")
      .def_property_readonly(
          "vm_used", [](const HostOfColumns& host) { return host.row().vm_used(); },
          "What its VMs hold.")
      .def_property_readonly(
          "spot_used", [](const HostOfColumns& host) { return host.row().spot_used(); },
          "What its spots hold.")
      .def(
          "__repr__",
          [](const HostOfColumns& host) {
            return to_str(fmt::format("<HostRow {} '{}': {} VMs, {} spots>", host.host,
                                      host.hosts.view.name[host.host], host.row().num_vms(),
                                      host.row().num_spots()));
          },
          "Return what it is.");
}

void bind_view(py::class_<HostColumns>& view) {
  view.def_property_readonly(
          "names",
          [](const HostColumns& hosts) {
            py::list names;
            for (const std::string& name : hosts.view.name) names.append(to_str(name));
            return names;
          },
          "The hosts' names, a new list of n.")
      .def(
          "__len__", [](const HostColumns& hosts) { return hosts.view.size(); },
          "Return the number of hosts, n.")
      .def("__getitem__", &row_at, "index"_a, R"doc(
Return one host.

Args:
    index: Its row; from the end when negative.

Raises:
    IndexError: There is no such row.
)doc");
}

}  // namespace

HostTable read_host_table(py::handle hosts, std::string_view expected) {
  std::vector<HostSpec> specs;
  std::unordered_map<std::string, std::size_t> rows;  // looked up only, so its order is no matter
  for (const py::object& host : read_items(hosts, "hosts", expected)) {
    const std::size_t row = specs.size();
    specs.push_back(read_as<HostSpec>(host, fmt::format("hosts[{}]", row), "a HostSpec"));
    const auto [named, is_new] = rows.emplace(specs.back().name, row);
    if (is_new) continue;
    throw ConfigError(
        fmt::format("hosts[{}]: the name '{}' is that of hosts[{}], expected a name "
                    "for each host",
                    row, named->first, named->second));
  }
  return HostTable(specs);
}

void bind_hosts(py::module_& core) {
  bind_spec(core);
  py::class_<HostOfColumns> row(core, "HostRow", R"doc(
One host of a HostView, live: it shows the host as it is now. Keeps the columns it reads.
)doc");
  py::class_<HostColumns> view(core, "HostView", R"doc(
Hosts as columns, one entry a host, live: an array shows later changes of the table.

Arrays are read-only views without copies; each keeps its columns, also when the table is gone (then
as they were at its end). Views and tables are equal if their hosts are, apart from their generations.

Source: nova/scheduler/host_manager.py, HostState, as a struct of arrays.
)doc");
  add_columns(view, row);
  bind_row(row);
  bind_view(view);
  py::class_<OwnedHosts, HostColumns>(core, "HostTable", R"doc(
The hosts of a datacenter as they are at first. A Datacenter or a simulation works on a copy.
)doc")
      .def(py::init(&make_table), "hosts"_a, R"doc(
Make a table.

Args:
    hosts: A list of HostSpec.

Raises:
    ArgumentError: `hosts` is no list of HostSpec.
    ConfigError: Two hosts have the same name.
)doc")
      .def_static("uniform", &make_uniform, "count"_a, "total"_a, R"doc(
Make empty hosts that are all alike, named host-0, host-1, ...

Args:
    count: How many, 0 to 10,000,000.
    total: What each has: a ResourceVector or a tuple (vcpus, memory_mb[, disk_gb]).

Raises:
    ConfigError: A number is out of range.
)doc");
}

}  // namespace cospot::bindings
