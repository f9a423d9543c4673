// Chain: filters and weighers that rank hosts.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string_view>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/hosts.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/rank_hosts.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

PythonChain make_python_chain(const py::object& given_weighers, const py::object& given_filters,
                              const py::object& label) {
  constexpr std::string_view kExpected = "policies, as [\"UTIL\"]";
  const py::tuple weighers = py::cast(read_items(given_weighers, "weighers", kExpected));
  const py::tuple filters = py::cast(read_items(given_filters, "filters", kExpected));
  ChainSpec spec;
  std::string names;
  const auto add_name = [&names](const std::string& name) {
    names += (names.empty() ? "" : "+") + name;
  };
  for (const py::handle entry : filters) {
    spec.filters.push_back(read_filter(entry));
    add_name(spec.filters.back().name);
  }
  for (const py::handle entry : weighers) {
    spec.weighers.push_back(read_weigher(entry));
    add_name(spec.weighers.back().name);
  }
  if (spec.weighers.empty()) {
    throw ConfigError("weighers: found an empty list, expected at least one value");
  }
  spec.label = label.is_none() ? names : read_text(label, "label");
  if (!is_label(spec.label)) {
    throw ConfigError(
        fmt::format("label: found '{}', expected a label without commas, quotes and control "
                    "characters",
                    spec.label));
  }
  return {std::move(spec), weighers, filters};
}

py::array_t<HostIndex> rank(const PythonChain& chain, const HostColumns& hosts,
                            const Request& request, const py::object& top, bool saf) {
  const std::size_t most = top.is_none() ? hosts.view.size() : read_count(top, "top");
  std::vector<HostIndex> best;
  take_best(chain, hosts, request, saf, most, [&best](HostIndex host) { best.push_back(host); });
  return py::array_t<HostIndex>(static_cast<py::ssize_t>(best.size()), best.data());
}

py::tuple weigh(const PythonChain& chain, const HostColumns& hosts, const Request& request,
                bool saf) {
  ScanBuffers buffers = chain.borrow_buffers();
  chain.side(side_of(request, saf))
      .rank(hosts.view, request, hosts.view.size(), buffers.scan, buffers.ranked);
  const std::size_t count = buffers.ranked.size();
  py::array_t<HostIndex> rows(static_cast<py::ssize_t>(count));
  py::array_t<std::uint32_t> tiers(static_cast<py::ssize_t>(count));
  py::array_t<double> weights(static_cast<py::ssize_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    rows.mutable_data()[i] = buffers.ranked[i].host;
    tiers.mutable_data()[i] = buffers.ranked[i].tiers;
    weights.mutable_data()[i] = buffers.ranked[i].weight;
  }
  chain.return_buffers(std::move(buffers));
  return py::make_tuple(rows, tiers, weights);
}

template <class Spec>
py::tuple names_of(const std::vector<Spec>& specs) {
  py::list names;
  for (const Spec& spec : specs) names.append(to_str(spec.name));
  return py::tuple(names);
}

py::tuple weighers_of(const PythonChain& chain) {
  py::list weighers;
  for (const WeigherSpec& spec : chain.spec().weighers) {
    weighers.append(py::make_tuple(to_str(spec.name), spec.multiplier));
  }
  return py::tuple(weighers);
}

}  // namespace

void bind_chain(py::module_& core) {
  py::class_<PythonChain>(core, "Chain", R"doc(
Filters and weighers that rank hosts for one kind of request.

Hosts without room are left out first: beside VMs when a VM is placed, beside VMs and spots when a
spot is. Then filters, then the tiers of the weighers, then the weights. One weigher ranks by its raw
weights; several are normalised, multiplied and summed as in Nova. Ties go to the lowest host index.

Source: nova/scheduler, nova/weights.py; CoSpot, section 3.
)doc")
      .def(py::init(&make_python_chain), "weighers"_a, "filters"_a = py::tuple(),
           "label"_a = py::none(), R"doc(
Compose a chain.

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
)doc")
      .def_property_readonly(
          "label", [](const PythonChain& chain) { return to_str(chain.spec().label); },
          "What result rows call it.")
      .def_property_readonly(
          "filters", [](const PythonChain& chain) { return names_of(chain.spec().filters); },
          "The names of its filters beside feasibility.")
      .def_property_readonly("weighers", &weighers_of, "Its weighers: (name, multiplier) each.")
      .def("rank", &rank, "hosts"_a, "request"_a, "top"_a = py::none(), py::kw_only(),
           "saf"_a = false, R"doc(
Rank the hosts that may take a request.

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
)doc")
      .def("weigh", &weigh, "hosts"_a, "request"_a, py::kw_only(), "saf"_a = false, R"doc(
Rank the hosts that may take a request, and tell why they rank so.

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
)doc")
      .def(
          "__repr__",
          [](const PythonChain& chain) {
            return to_str(fmt::format("<Chain {}>", chain.spec().label));
          },
          "Return what it is.");
}

}  // namespace cospot::bindings
