// simulate_life.

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/given_study.hpp"
#include "bindings/live_simulation.hpp"
#include "bindings/python_result.hpp"
#include "bindings/run_arguments.hpp"
#include "bindings/watched_work.hpp"
#include "bindings/workloads.hpp"
#include "core/errors.hpp"
#include "sim_harness/provider/explain/event_log.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

LifeSettings read_given_life(const py::object& disruptions) {
  GivenPolicies none;
  return read_life(sweep_tree(disruptions, "disruptions", none), {});
}

/// The value of a study's axis; its default for None.
template <class T>
T read_given(const Axis<EvictionKeys, T>& axis, const py::object& given) {
  GivenPolicies none;
  return given.is_none() ? T{} : axis.read(sweep_tree(given, axis.name, none), axis.name);
}

std::optional<EvictionRule> read_given_rule(const py::object& on_eviction,
                                            const py::object& state_size,
                                            const py::object& bandwidth) {
  const EvictionRule rule{.what = read_given(kOnEvictionAxis, on_eviction),
                          .state = read_given(kStateAxis, state_size),
                          .bandwidth = read_given(kBandwidthAxis, bandwidth)};
  if (!on_eviction.is_none()) return rule;
  if (state_size.is_none() && bandwidth.is_none()) return std::nullopt;
  throw ConfigError("state_size and bandwidth_mb_s: expected on_eviction, too");
}

/// By the names of the columns of the study; None where there is no value.
py::dict to_dict(const LifeResult& result, bool counts_work) {
  const RunOutcome outcome{.life = result};
  std::vector<Measure<RunOutcome>> measures = life_preset().measures;
  if (counts_work) append(measures, on_eviction_part().measures);
  py::dict named;
  for (const Measure<RunOutcome>& one : measures) {
    if (one.column.is_in_csv()) named[one.column.name.c_str()] = measured(one.read(outcome));
  }
  return named;
}

py::dict simulate_life(const PythonWorkload& workload, const py::object& disruptions,
                       const py::object& hosts, const py::object& host, const py::object& vm,
                       const py::object& spot, const py::object& evictor, bool saf,
                       const py::object& otn, const py::object& events,
                       const py::object& on_eviction, const py::object& state_size,
                       const py::object& bandwidth) {
  LifeSettings settings = read_given_life(disruptions);
  settings.on_eviction = read_given_rule(on_eviction, state_size, bandwidth);
  PreparedRun run = prepare_run(hosts, host, vm, spot, evictor, saf, otn);
  warn_of_inputs(workload, run.settings.host);
  const HostTable named = run.hosts;  // for the log, which outlives the run's own
  std::optional<EventLog> log;
  if (!events.is_none()) log.emplace(read_path(events, "events"), workload.workload(), named);
  const std::shared_ptr<const EventSchedule> schedule = schedule_of(workload, run.settings);
  const LifeResult result = watched([&] {
    ProviderRun simulation(workload.workload(), *schedule, run.settings, std::move(run.hosts),
                           {.life = settings});
    simulation.engine().set_observer(log ? &*log : nullptr);
    simulation.run();
    return simulation.result();
  });
  if (log) log->finish();
  return to_dict(result, settings.on_eviction.has_value());
}

}  // namespace

void bind_life(py::module_& core) {
  core.def("simulate_life", &simulate_life, "workload"_a, "disruptions"_a, py::kw_only(),
           "hosts"_a = py::none(), "host"_a = py::none(), "vm"_a, "spot"_a, "evictor"_a,
           "saf"_a = false, "otn"_a = 1, "events"_a = py::none(), "on_eviction"_a = py::none(),
           "state_size"_a = py::none(), "bandwidth_mb_s"_a = py::none(),
           R"doc(
Replay a workload while requests ask again, spots return, hosts fail or are maintained.

Args:
    workload: What is replayed.
    disruptions: What happens in addition, a dict with the keys of docs/life.md, or "none". Paths
        in it are relative to the working directory.
    hosts, host, vm, spot, evictor, saf, otn: As for simulate.
    events: File to write every event to, CSV, gzip-compressed if it ends in .gz
        (docs/event-log-format.md).
    on_eviction: "lose", "restart" or "move": what becomes of an evicted spot's work (docs/life.md).
        None: as "lose", and the work is not counted.
    state_size: The state that a spot moves: "100%" of its memory_mb (None), or "512MB".
    bandwidth_mb_s: MB/s to save and restore it, such as 100; None: "63.67:81.27".

Returns:
    A dict of the measures of the study life by their names (docs/results-format.md), and with
    on_eviction of its part; revenue in vcpu-seconds, None where a mean has nothing to be taken of.

Raises:
    ConfigError: An argument cannot be used.
    WorkloadError: A file of `disruptions` cannot be used.
    PolicyError: A policy broke its contract.
    InputError: The event log cannot be written.
)doc");
}

}  // namespace cospot::bindings
