// The compiled policies of the registries, one by one.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/hosts.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/python_policies.hpp"
#include "core/errors.hpp"
#include "core/handshake/ranked_evictions.hpp"
#include "core/policy/plugin.hpp"
#include "evictors/registry.hpp"
#include "filters/registry.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "weighers/registry.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

template <class Plugin>
std::vector<PluginInfo> infos_of(std::span<const RegistryEntry<Plugin>> registry) {
  std::vector<PluginInfo> infos;
  for (const RegistryEntry<Plugin>& entry : registry) infos.push_back(entry.info);
  return infos;
}

py::object number_or_none(const std::optional<double>& number) {
  return number.has_value() ? py::object(py::float_(*number)) : py::object(py::none());
}

/// nullptr becomes None.
const char* tune_choice_name(TuneChoice choice) {
  switch (choice) {
    case TuneChoice::kVm:
      return "vm";
    case TuneChoice::kSpot:
      return "spot";
    case TuneChoice::kEvictor:
      return "evictor";
    case TuneChoice::kNone:
      break;
  }
  return nullptr;
}

py::array_t<bool> filter_all(const CompiledFilter& self, const HostColumns& hosts,
                             const py::object& candidates, const Request& request) {
  const std::vector<HostIndex> rows = read_candidates(candidates, hosts.view.size());
  py::array_t<std::uint8_t> passes(static_cast<py::ssize_t>(rows.size()));
  self.policy->filter_all(hosts.view, rows, request, {passes.mutable_data(), rows.size()});
  return passes.view("bool");
}

py::array_t<double> weigh_all(const CompiledWeigher& self, const HostColumns& hosts,
                              const py::object& candidates, const Request& request) {
  const std::vector<HostIndex> rows = read_candidates(candidates, hosts.view.size());
  py::array_t<double> weights(static_cast<py::ssize_t>(rows.size()));
  self.policy->weigh_all(hosts.view, rows, request, {weights.mutable_data(), rows.size()});
  return weights;
}

py::object make_plan(const CompiledEvictor& self, const py::object& given,
                     const py::object& shortfall, const py::object& now_us) {
  const std::vector<RunningSpot> spots = read_spots_of_host(given);
  const ResourceVector missing = py::isinstance<ResourceVector>(shortfall)
                                     ? shortfall.cast<ResourceVector>()  // may be negative
                                     : read_resources(shortfall, "shortfall");
  EvictionPlan plan;
  if (missing.fits_in({})) return py::cast(plan);
  const EvictionCase eviction{
      .spots = spots, .shortfall = missing, .now = read_time(now_us, "now_us")};
  RankedEvictions evictions(*self.policy);
  RankedPlan ranked = evictions.no_plan();
  if (!evictions.make_plan(eviction, nullptr, ranked)) return py::none();
  return py::cast(std::move(ranked.plan));
}

RunningSpot make_spot(const py::object& instance, const py::object& resources,
                      const py::object& placed_at_us, const py::object& ends_at_us,
                      const py::object& promised_until_us) {
  const RunningSpot spot{.instance = read_instance(instance),
                         .resources = read_resources(resources, "resources"),
                         .placed_at = read_time(placed_at_us, "placed_at_us"),
                         .ends_at = read_end(ends_at_us, "ends_at_us"),
                         .promised_until = read_promised_until(promised_until_us)};
  if (spot.ends_at >= spot.placed_at) return spot;
  throw ConfigError(fmt::format("ends_at_us is {}, expected at least placed_at_us, which is {}",
                                spot.ends_at.count(), spot.placed_at.count()));
}

/// A class of compiled policies with what all kinds have.
template <class Compiled>
py::class_<Compiled> bind_compiled(const py::module_& core, const char* name, const char* meaning) {
  return py::class_<Compiled>(core, name, meaning)
      .def_property_readonly(
          "name", [](const Compiled& self) { return to_str(self.spec.name); },
          "Its name in the registry.")
      .def_property_readonly(
          "options", [](const Compiled& self) { return to_keywords(self.spec.options); },
          "The options that it was made with, a new dict.");
}

/// Adds make_filter, make_weigher or make_evictor; `make` makes the policy of a spec.
template <class Compiled, class Make>
void bind_make(py::module_& core, const std::string& kind, const Make& make) {
  const std::string text = fmt::format(R"doc(
Make a compiled {0}.

Args:
    name: As in list_{0}s().
    **options: Options of the {0}.

Raises:
    ConfigError: There is no such {0} or option, or an option has a bad value.
)doc",
                                       kind);
  const auto make_named = [make](const py::object& name, const py::kwargs& options) {
    Compiled made;
    made.spec.name = read_text(name, "name");
    made.spec.options = read_options(options);
    made.policy = make(made.spec);
    return made;
  };
  core.def(("make_" + kind).c_str(), make_named, "name"_a, py::pos_only(), text.c_str());
}

void bind_info(py::module_& core) {
  py::class_<PluginInfo>(core, "PolicyInfo", "What a compiled policy is.")
      .def_property_readonly(
          "name", [](const PluginInfo& info) { return to_str(info.name); },
          "The name in study files: the paper's or Nova's own.")
      .def_property_readonly(
          "summary", [](const PluginInfo& info) { return to_str(info.summary); }, "One line.")
      .def_property_readonly(
          "needs_true_lifetimes", &PluginInfo::needs_true_lifetimes,
          "Whether it knows when spots will end: an upper bound, which cannot be set.")
      .def_property_readonly("needs_lifetimes", &PluginInfo::needs_lifetimes,
                             "Whether it goes by how long spots will live, truly or predicted.")
      .def_property_readonly("needs_lifetime_model", &PluginInfo::needs_lifetime_model,
                             "Whether it predicts how long spots will live (option `model`).")
      .def_property_readonly("is_for_nova", &PluginInfo::is_for_nova,
                             "Whether Nova tells what it needs, so that Nova can be set to it.")
      .def_property_readonly(
          "tune_choice", [](const PluginInfo& info) { return tune_choice_name(info.tune_choice); },
          R"doc(
Which choice of `cospot tune` it is a candidate for by default: "vm", "spot", "evictor" or None.
)doc")
      .def_property_readonly(
          "source", [](const PluginInfo& info) { return to_str(info.source); },
          "Paper and section, or Nova module.")
      .def(
          "__repr__",
          [](const PluginInfo& info) {
            return to_str(fmt::format("<PolicyInfo {}: {}>", info.name, info.summary));
          },
          "Return what it is.");
  core.def(
      "list_filters", [] { return infos_of(filter_registry()); }, "Return the compiled filters.");
  core.def(
      "list_weighers", [] { return infos_of(weigher_registry()); },
      "Return the compiled weighers: the paper's policies and Nova's weighers.");
  core.def(
      "list_evictors", [] { return infos_of(evictor_registry()); },
      "Return the compiled evictors.");
}

void bind_filter(py::module_& core) {
  bind_compiled<CompiledFilter>(core, "CompiledFilter", "A filter of cospot with its options.")
      .def_property_readonly(
          "mode",
          [](const CompiledFilter& self) {
            return self.policy->mode() == FilterMode::kDrop ? "drop" : "prefer";
          },
          "What becomes of hosts that do not pass: drop, or prefer those that do.")
      .def("filter_all", &filter_all, "hosts"_a, "candidates"_a, "request"_a, R"doc(
Return which candidate hosts pass, in one call.

Args:
    hosts: n hosts.
    candidates: uint32 array, shape (m,): rows of `hosts`, each < n.
    request: What is to be placed. vcpus in vCPUs, memory_mb in MiB, disk_gb in GB.

Returns:
    bool array, shape (m,), in candidate order.

Raises:
    IndexError: A candidate is >= n.

Source: nova/filters.py, BaseFilter.filter_all.
)doc");
  bind_make<CompiledFilter>(core, "filter", [](FilterSpec& spec) { return make_filter(spec); });
}

void bind_weigher(py::module_& core) {
  bind_compiled<CompiledWeigher>(core, "CompiledWeigher", "A weigher of cospot with its options.")
      .def_property_readonly(
          "tier",
          [](const CompiledWeigher& self) { return to_str(tier_name(self.policy->tier())); },
          "Which hosts rank before all others: none, holds_vm, holds_instance or holds_no_vm.")
      .def_property_readonly(
          "minval",
          [](const CompiledWeigher& self) { return number_or_none(self.policy->minval()); },
          "Lower bound for Nova's normalisation, or None.")
      .def_property_readonly(
          "maxval",
          [](const CompiledWeigher& self) { return number_or_none(self.policy->maxval()); },
          "Upper bound for Nova's normalisation, or None.")
      .def("weigh_all", &weigh_all, "hosts"_a, "candidates"_a, "request"_a, R"doc(
Weigh candidate hosts in one call.

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
)doc");
  bind_make<CompiledWeigher>(core, "weigher", [](WeigherSpec& spec) {
    std::unique_ptr<const Weigher> weigher = make_weigher(spec);
    spec.multiplier = weigher->default_multiplier();
    return weigher;
  });
}

void bind_spot_and_plan(py::module_& core) {
  py::class_<RunningSpot>(core, "RunningSpot", "A spot on a host, as an evictor sees it.")
      .def(py::init(&make_spot), "instance"_a, "resources"_a, "placed_at_us"_a = 0,
           "ends_at_us"_a = kNever.count(), "promised_until_us"_a = py::none(), R"doc(
Describe a spot.

Args:
    instance: Number that names it.
    resources: What it holds: a ResourceVector or a tuple (vcpus, memory_mb[, disk_gb]).
    placed_at_us: When it was placed, microseconds since the window's start.
    ends_at_us: When it will end by itself; NEVER_US: unknown.
    promised_until_us: Until when it is promised to live, so that others go first; None: not at all.

Raises:
    ConfigError: A number is out of range.
)doc")
      .def_readonly("instance", &RunningSpot::instance, "Number that names it.")
      .def_readonly("resources", &RunningSpot::resources, "What it holds.")
      .def_property_readonly(
          "placed_at_us", [](const RunningSpot& spot) { return spot.placed_at.count(); },
          "When it was placed, microseconds since the window's start.")
      .def_property_readonly(
          "ends_at_us", [](const RunningSpot& spot) { return spot.ends_at.count(); },
          "Its true end, for oracles; NEVER_US: unknown.")
      .def_property_readonly(
          "promised_until_us",
          [](const RunningSpot& spot) -> py::object {
            if (spot.promised_until == kNoPromisedEnd) return py::none();
            return py::int_(spot.promised_until.count());
          },
          "Until when it is promised to live; None: nothing is promised.");
  py::class_<EvictionPlan>(core, "EvictionPlan", "The victims an evictor chose on one host.")
      .def_property_readonly(
          "victims", [](const EvictionPlan& plan) { return py::tuple(py::cast(plan.victims)); },
          "Their positions among the spots of the host, ascending.")
      .def_readonly("score", &EvictionPlan::score, "The least is best; in the evictor's own unit.")
      .def(
          "__repr__",
          [](const EvictionPlan& plan) {
            return fmt::format("<EvictionPlan: {} victims, score {}>", plan.victims.size(),
                               plan.score);
          },
          "Return what it is.");
}

void bind_evictor(py::module_& core) {
  bind_compiled<CompiledEvictor>(core, "CompiledEvictor", "An evictor of cospot with its options.")
      .def_property_readonly(
          "victims_have_positive_cost",
          [](const CompiledEvictor& self) { return self.policy->victims_have_positive_cost(); },
          "Whether every plan with a victim has a score above 0.")
      .def("make_plan", &make_plan, "spots"_a, "shortfall"_a, "now_us"_a = 0, R"doc(
Choose the spots of one host that must go. Those that are promised to live on go only where the
others do not suffice.

Args:
    spots: A list of RunningSpot, oldest placement first.
    shortfall: What is missing; an amount <= 0 is not scarce.
    now_us: When the VM is asked for, microseconds since the window's start.

Returns:
    An EvictionPlan, without victims when nothing is missing; None when no set of spots covers the
    shortfall.

Source: CoSpot, section 3.
)doc");
  bind_make<CompiledEvictor>(core, "evictor", [](EvictorSpec& spec) {
    spec.label = spec.name;
    make_shared_evictor(spec, {});
    return spec.made;
  });
}

}  // namespace

std::vector<RunningSpot> read_spots_of_host(const py::object& given) {
  std::vector<RunningSpot> spots;
  for (const py::object& spot : read_items(given, "spots", "RunningSpot")) {
    spots.push_back(read_as<RunningSpot>(spot, "an entry of spots", "a RunningSpot"));
  }
  const std::int64_t most = sum_of(spots).most();
  if (most <= kMaxResourceAmount) return spots;
  throw ConfigError(fmt::format("the spots hold {} of a resource, expected at most {} on one host",
                                most, kMaxResourceAmount));
}

void bind_policies(py::module_& core) {
  bind_info(core);
  bind_filter(core);
  bind_weigher(core);
  bind_spot_and_plan(core);
  bind_evictor(core);
}

}  // namespace cospot::bindings
