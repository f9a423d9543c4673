// Pickling and copying of the module's values, and the values that cannot be pickled. Equality,
// texts and tables are added in Python (cospot.values).

#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/hosts.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/python_result.hpp"
#include "bindings/workloads.hpp"
#include "core/errors.hpp"
#include "evictors/registry.hpp"
#include "filters/registry.hpp"
#include "guarantees/sla/evidence.hpp"
#include "guarantees/sla/history.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "weighers/registry.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using Restore = std::function<py::object(const py::tuple&)>;

/// By the name of the class. Filled while the module is made, and read only from then on.
std::map<std::string, Restore>& restorers() {
  static std::map<std::string, Restore> by_class;
  return by_class;
}

py::object restore(const std::string& class_name, const py::tuple& state) {
  const auto found = restorers().find(class_name);
  if (found == restorers().end()) throw InputError("pickle: no such class: " + class_name);
  return found->second(state);
}

/// `reduce` is called with the object and returns what __reduce__ does.
template <class Reduce>
void pickle_as(const py::module_& core, const char* name, const Reduce& reduce) {
  const py::object bound_class = core.attr(name);
  bound_class.attr("__reduce__") =
      py::cpp_function(reduce, py::name("__reduce__"), py::is_method(bound_class), "Pickle it.");
}

/// `state_of` gives a tuple, of which `made_of` makes the same value again.
template <class T>
void pickle_by_state(const py::module_& core, const char* name,
                     const std::function<py::tuple(const T&)>& state_of,
                     const std::function<T(const py::tuple&)>& made_of) {
  restorers()[name] = [made_of](const py::tuple& state) { return py::cast(made_of(state)); };
  pickle_as(core, name, [name = std::string(name), state_of](const py::object& self) {
    return py::make_tuple(py::module_::import("cospot._core").attr("_restore"),
                          py::make_tuple(name, state_of(self.cast<const T&>())));
  });
}

void refuse(const py::module_& core, const char* name, const std::string& instead) {
  pickle_as(
      core, name,
      [text = fmt::format("cospot.{} cannot be pickled or copied: it is live. {}", name, instead)](
          const py::object&) -> py::object { throw py::type_error(text); });
}

py::tuple state_of_result(const RunResult& result) {
  py::list state;
  for (const Measure<RunResult>& one : compared_run_measures()) {
    if (!one.write) continue;
    const Value value = one.read(result);
    if (const auto* revenue = std::get_if<Revenue>(&value)) {
      state.append(exact(*revenue));
    } else if (const auto* count = std::get_if<std::int64_t>(&value)) {
      state.append(*count);
    } else {
      state.append(std::get<double>(value));
    }
  }
  return py::tuple(state);
}

RunResult result_of_state(const py::tuple& state) {
  RunResult result;
  std::size_t next = 0;
  for (const Measure<RunResult>& one : compared_run_measures()) {
    if (!one.write) continue;
    const py::object value = state[next++];
    one.write(result, one.column.type == ColumnType::kRevenue   ? Value(revenue_of(value))
                      : one.column.type == ColumnType::kInteger ? Value(value.cast<std::int64_t>())
                                                                : Value(value.cast<double>()));
  }
  return result;
}

/// Its text as a file has it, and what such a text does not say.
py::tuple state_of_workload(const PythonWorkload& self) {
  const Workload& workload = self.workload();
  std::string text;
  {
    const py::gil_scoped_release unlocked;
    text = format_workload(workload, WorkloadSchema::kCospot);
  }
  return py::make_tuple(py::bytes(text), py::bytes(workload.name), workload.sha256,
                        workload.window.count(), workload.window_is_stated, self.unit().is_relative,
                        self.unit().vcpus);
}

PythonWorkload workload_of_state(const py::tuple& state) {
  const auto text = state[0].cast<std::string>();
  Workload workload;
  {
    const py::gil_scoped_release unlocked;
    workload = parse_workload(text, "pickle");
  }
  workload.name = state[1].cast<std::string>();
  workload.sha256 = state[2].cast<std::string>();
  workload.window = SimTime(state[3].cast<std::int64_t>());
  workload.window_is_stated = state[4].cast<bool>();
  return PythonWorkload(std::move(workload), {state[5].cast<bool>(), state[6].cast<double>()});
}

py::list specs_of(const HostView& hosts) {
  py::list specs;
  for (HostIndex host = 0; host < hosts.size(); ++host) {
    const HostRow row = hosts[host];
    specs.append(HostSpec{.name = hosts.name[host],
                          .total = row.total(),
                          .vm_used = row.vm_used(),
                          .spot_used = row.spot_used(),
                          .num_vms = row.num_vms(),
                          .num_spots = row.num_spots(),
                          .num_io_ops = row.num_io_ops()});
  }
  return specs;
}

void pickle_hosts(const py::module_& core) {
  pickle_by_state<HostSpec>(
      core, "HostSpec",
      [](const HostSpec& spec) {
        return py::make_tuple(py::bytes(spec.name), spec.total, spec.vm_used, spec.spot_used,
                              spec.num_vms, spec.num_spots, spec.num_io_ops);
      },
      [](const py::tuple& state) {
        return HostSpec{.name = state[0].cast<std::string>(),
                        .total = state[1].cast<ResourceVector>(),
                        .vm_used = state[2].cast<ResourceVector>(),
                        .spot_used = state[3].cast<ResourceVector>(),
                        .num_vms = state[4].cast<std::int32_t>(),
                        .num_spots = state[5].cast<std::int32_t>(),
                        .num_io_ops = state[6].cast<std::int32_t>()};
      });
  for (const char* name : {"HostView", "HostTable"}) {
    pickle_as(core, name, [table = core.attr("HostTable").ptr()](const HostColumns& hosts) {
      return py::make_tuple(py::handle(table), py::make_tuple(specs_of(hosts.view)));
    });
  }
  pickle_as(core, "HostRow", [](const HostOfColumns& host) {
    return py::make_tuple(py::module_::import("operator").attr("getitem"),
                          py::make_tuple(host.hosts, host.host));
  });
}

/// A policy is made again of its name and its options.
template <class Made>
void pickle_policy(const py::module_& core, const char* name, const char* maker) {
  restorers()[name] = [maker](const py::tuple& state) -> py::object {
    return py::module_::import("cospot._core").attr(maker)(state[0], **py::dict(state[1]));
  };
  pickle_as(core, name, [name = std::string(name)](const Made& self) {
    const py::tuple options(to_keywords(self.spec.options).attr("items")());
    return py::make_tuple(py::module_::import("cospot._core").attr("_restore"),
                          py::make_tuple(name, py::make_tuple(to_str(self.spec.name), options)));
  });
}

/// The policies of a chain, compiled where it was given a name of the registry, so that chains that
/// rank alike are equal.
template <class Spec>
py::tuple policies_of(const py::tuple& given, const std::vector<Spec>& specs, const char* maker) {
  py::list policies;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    py::object policy = given[i];
    if (py::isinstance<py::tuple>(policy)) policy = policy[py::int_(0)];
    if (py::isinstance<py::str>(policy) && !has_policy_scheme(specs[i].name)) {
      policy = py::module_::import("cospot._core").attr(maker)(policy);
    }
    if constexpr (std::is_same_v<Spec, WeigherSpec>) {
      policy = py::make_tuple(policy, specs[i].multiplier);
    }
    policies.append(policy);
  }
  return py::tuple(policies);
}

void pickle_policies(const py::module_& core) {
  pickle_policy<CompiledFilter>(core, "CompiledFilter", "make_filter");
  pickle_policy<CompiledWeigher>(core, "CompiledWeigher", "make_weigher");
  pickle_policy<CompiledEvictor>(core, "CompiledEvictor", "make_evictor");
  pickle_as(core, "Chain", [](const py::object& self) {
    const auto& chain = self.cast<const PythonChain&>();
    const ChainSpec& spec = chain.spec();
    return py::make_tuple(
        py::type::of(self),
        py::make_tuple(policies_of(chain.weighers(), spec.weighers, "make_weigher"),
                       policies_of(chain.filters(), spec.filters, "make_filter"),
                       to_str(spec.label)));
  });
  pickle_by_state<PluginInfo>(
      core, "PolicyInfo", [](const PluginInfo& info) { return py::make_tuple(to_str(info.name)); },
      [](const py::tuple& state) {
        const auto name = state[0].cast<std::string>();
        for (const PluginInfo* info :
             {find_info(filter_registry(), name), find_info(weigher_registry(), name),
              find_info(evictor_registry(), name)}) {
          if (info != nullptr) return *info;
        }
        throw InputError("pickle: there is no policy " + name);
      });
  pickle_as(core, "RunningSpot", [](const py::object& self) {
    return py::make_tuple(
        py::type::of(self),
        py::make_tuple(self.attr("instance"), self.attr("resources"), self.attr("placed_at_us"),
                       self.attr("ends_at_us"), self.attr("promised_until_us")));
  });
  pickle_by_state<EvictionPlan>(
      core, "EvictionPlan",
      [](const EvictionPlan& plan) {
        return py::make_tuple(py::tuple(py::cast(plan.victims)), plan.score);
      },
      [](const py::tuple& state) {
        EvictionPlan plan;
        plan.victims = state[0].cast<decltype(plan.victims)>();
        plan.score = state[1].cast<double>();
        return plan;
      });
}

py::tuple state_of_history(const History& history) {
  const History::State state = history.state();
  py::list events;
  for (const HistoryEvent& event : state.events) {
    events.append(py::make_tuple(event.time.count(), static_cast<int>(event.kind), event.host,
                                 event.spot, event.resources, event.promised_until.count()));
  }
  return py::make_tuple(state.host_totals, events, state.running);
}

History history_of_state(const py::tuple& state) {
  std::vector<HistoryEvent> events;
  for (const py::handle each : state[1].cast<py::list>()) {
    const auto event = py::reinterpret_borrow<py::tuple>(each);
    events.push_back({.time = SimTime(event[0].cast<std::int64_t>()),
                      .kind = static_cast<HistoryEvent::Kind>(event[1].cast<int>()),
                      .host = event[2].cast<HostIndex>(),
                      .spot = event[3].cast<std::uint32_t>(),
                      .resources = event[4].cast<ResourceVector>(),
                      .promised_until = SimTime(event[5].cast<std::int64_t>())});
  }
  return History({.host_totals = state[0].cast<std::vector<ResourceVector>>(),
                  .events = std::move(events),
                  .running = state[2].cast<decltype(History::State::running)>()});
}

py::tuple state_of_quantiles(const LifetimeQuantiles& quantiles) {
  py::list tables;
  for (const auto& [size, table] : quantiles.tables()) {
    py::list by_probability;
    for (const std::vector<SimTime>& row : table.quantiles) {
      py::list lifetimes;
      for (const SimTime lifetime : row) lifetimes.append(lifetime.count());
      by_probability.append(lifetimes);
    }
    py::list spells;
    for (const std::vector<ConditionSpell>& of_condition : table.spells) {
      std::vector<std::pair<std::int64_t, std::int64_t>> ends;
      for (const auto& spell : of_condition)
        ends.emplace_back(spell.first.count(), spell.last.count());
      spells.append(ends);
    }
    tables.append(py::make_tuple(size, by_probability, table.samples, table.survival, spells,
                                 table.observed));
  }
  return py::make_tuple(quantiles.probabilities(), quantiles.conditions().width(),
                        quantiles.made_at().count(), tables);
}

LifetimeQuantiles quantiles_of_state(const py::tuple& state) {
  LifetimeQuantiles quantiles(state[0].cast<std::vector<double>>(),
                              SlotConditions(state[1].cast<double>()),
                              SimTime(state[2].cast<std::int64_t>()));
  for (const py::handle each : state[3].cast<py::list>()) {
    const auto of_size = py::reinterpret_borrow<py::tuple>(each);
    LifetimeQuantiles::Table table;
    for (const auto& row : of_size[1].cast<std::vector<std::vector<std::int64_t>>>()) {
      std::vector<SimTime>& lifetimes = table.quantiles.emplace_back();
      for (const std::int64_t lifetime : row) lifetimes.emplace_back(lifetime);
    }
    table.samples = of_size[2].cast<decltype(table.samples)>();
    table.survival = of_size[3].cast<decltype(table.survival)>();
    table.observed = of_size[5].cast<decltype(table.observed)>();
    using Ends = std::vector<std::pair<std::int64_t, std::int64_t>>;
    for (const Ends& ends : of_size[4].cast<std::vector<Ends>>()) {
      std::vector<ConditionSpell>& spells = table.spells.emplace_back();
      for (const auto& end : ends) {
        spells.push_back({.first = SimTime(end.first), .last = SimTime(end.second)});
      }
    }
    quantiles.set(of_size[0].cast<ResourceVector>(), std::move(table));
  }
  return quantiles;
}

}  // namespace

void bind_protocols(py::module_& core) {
  core.def("_restore", &restore, "class_name"_a, "state"_a, "Make again what was pickled.");
  pickle_by_state<Evidence>(
      core, "Evidence",
      [](const Evidence& evidence) {
        return py::make_tuple(evidence.spots(), py::tuple(py::cast(evidence.targets())));
      },
      [](const py::tuple& state) {
        return Evidence(state[0].cast<std::uint64_t>(), state[1].cast<std::vector<double>>());
      });
  pickle_by_state<RunResult>(core, "RunResult", &state_of_result, &result_of_state);
  pickle_by_state<PythonWorkload>(core, "Workload", &state_of_workload, &workload_of_state);
  pickle_by_state<DatacenterSize>(
      core, "DatacenterSize",
      [](const DatacenterSize& size) { return py::make_tuple(size.hosts, size.lower_bound); },
      [](const py::tuple& state) {
        DatacenterSize size;
        size.hosts = state[0].cast<decltype(size.hosts)>();
        size.lower_bound = state[1].cast<decltype(size.lower_bound)>();
        return size;
      });
  pickle_hosts(core);
  pickle_policies(core);
  pickle_by_state<History>(core, "History", &state_of_history, &history_of_state);
  pickle_by_state<LifetimeQuantiles>(core, "LifetimeQuantiles", &state_of_quantiles,
                                     &quantiles_of_state);
  refuse(core, "Datacenter", "Pickle its hosts, and an Offer of them.");
  refuse(core, "Simulation", "Pickle its result() or its hosts.");
  refuse(core, "PlacementRuns", "Make a PlacementEnv in each process.");
  refuse(core, "LiveHosts", "Nova's scheduler makes one in each process.");
  refuse(core, "ChangeWatch", "Nova's scheduler makes one in each process.");
  refuse(core, "ReservedHosts", "Nova's evictor makes one for each question.");
}

}  // namespace cospot::bindings
