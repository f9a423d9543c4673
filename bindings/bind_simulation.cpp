// simulate, Simulation, size and explain.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/live_simulation.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/python_result.hpp"
#include "bindings/run_arguments.hpp"
#include "bindings/watched_work.hpp"
#include "bindings/workloads.hpp"
#include "core/errors.hpp"
#include "core/model/revenue.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/provider/explain/event_log.hpp"
#include "sim_harness/provider/explain/explain.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

constexpr const char* kRunArguments = R"doc(
    hosts: How many hosts there are, from 1; or a HostTable, which is copied; or a file of hosts
        in place of `host`. None: as many as `host` names.
    host: What each has, when `hosts` is no HostTable: a ResourceVector or a tuple (vcpus,
        memory_mb[, disk_gb]); or several types, a list of dicts as in sweep files
        ([{"type": "gen3", "count": 120, "vcpus": 64, "memory_mb": 262144}, ...]), or the path or
        the content, as bytes, of a file of hosts (docs/hosts-format.md).
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
)doc";

RunResult simulate(const PythonWorkload& workload, const py::object& hosts, const py::object& host,
                   const py::object& vm, const py::object& spot, const py::object& evictor,
                   bool saf, const py::object& otn, const py::object& events) {
  PreparedRun run = prepare_run(hosts, host, vm, spot, evictor, saf, otn);
  warn_of_inputs(workload, run.settings.host);
  LiveSimulation simulation(workload, std::move(run));
  std::optional<EventLog> log;
  if (!events.is_none()) {
    log.emplace(read_path(events, "events"), simulation.workload(), simulation.host_table());
    simulation.set_observer(&*log);
  }
  const auto start = std::chrono::steady_clock::now();
  simulation.run_until(kNever);
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  if (log) log->finish();
  RunResult result = simulation.result();
  result.wall_ms = wall.count();
  return result;
}

std::string explain(const PythonWorkload& workload, const py::object& request_id,
                    const py::object& hosts, const py::object& host, const py::object& vm,
                    const py::object& spot, const py::object& evictor, bool saf,
                    const py::object& otn, bool all_hosts) {
  const InstanceIndex instance =
      find_request(workload.workload(), read_text(request_id, "request_id"));
  PreparedRun run = prepare_run(hosts, host, vm, spot, evictor, saf, otn);
  warn_of_inputs(workload, run.settings.host);
  LiveSimulation simulation(workload, std::move(run));
  return with_argument_names(simulation.explain(instance, all_hosts));
}

DatacenterSize size(const PythonWorkload& workload, const py::object& host, const py::object& vm,
                    const py::object& headroom_percent, const py::object& added_type) {
  HostMix hosts = read_host_mix(host, "host");
  if (!added_type.is_none()) hosts.add_only(read_text(added_type, "added_type"));
  std::vector<ChainSpec> chains;
  if (vm.is_none()) {
    for (const std::string& name : TuneCandidates().vm) {
      chains.push_back(read_chain(py::str(name), "vm"));
    }
  } else {
    chains.push_back(read_chain(vm, "vm"));
  }
  const double percent = read_number(headroom_percent, "headroom_percent", 0, kMaxHeadroomPercent);
  warn_of_inputs(workload, hosts);
  constexpr std::string_view kRemedy = "use a larger host";
  DatacenterSize found = watched([&] {
    std::optional<EventSchedule> isolated;
    if (!hosts.isolated_tenants().empty()) {
      isolated =
          make_schedule(workload.workload(), ScheduledClasses::kVmsOnly, hosts.isolated_tenants());
    }
    const EventSchedule& vms = isolated ? *isolated : workload.vm_schedule();
    require_possible_placements(workload.workload(), vms, hosts, std::nullopt);
    std::vector<DatacenterSize> sizes;
    for (const ChainSpec& chain : chains) {
      sizes.push_back(
          smallest_datacenter(workload.workload(), vms, hosts, chain, workload.unit(), kRemedy));
    }
    return *std::ranges::min_element(sizes, {}, &DatacenterSize::hosts);
  });
  found.hosts = with_headroom(found.hosts, percent);
  return found;
}

/// (vcpus, memory_mb, disk_gb) of each host.
py::list host_totals(const py::object& host, const py::object& hosts) {
  const HostMix mix = read_host_mix(host, "host");
  const std::size_t count = mix.is_plain() ? read_count(hosts, "hosts", 1) : mix.declared();
  py::list totals;
  for (const ResourceVector& total : totals_of(mix.table(count))) {
    totals.append(py::make_tuple(total.vcpus, total.memory_mb, total.disk_gb));
  }
  return totals;
}

/// The measures that a result holds; the others are computed from them.
template <class Take>
void for_each_member(const Take& take) {
  for (const Measure<RunResult>& one : compared_run_measures()) {
    if (one.write) take(one);
  }
}

py::object member_value(const Measure<RunResult>& member, const RunResult& result) {
  const Value value = member.read(result);
  if (const auto* revenue = std::get_if<Revenue>(&value)) return py::float_(vcpu_seconds(*revenue));
  if (const auto* count = std::get_if<std::int64_t>(&value)) return py::int_(*count);
  return py::float_(std::get<double>(value));
}

void bind_result_members(py::class_<RunResult>& result) {
  for_each_member([&result](const Measure<RunResult>& member) {
    const Column& column = member.column;
    std::string meaning = fmt::format("{}, {}", column.meaning, column.unit);
    meaning.front() = static_cast<char>(std::toupper(meaning.front()));
    result.def_property_readonly(
        column.name.c_str(), [member](const RunResult& self) { return member_value(member, self); },
        (meaning + ".").c_str());
    if (column.type != ColumnType::kRevenue) return;
    result.def_property_readonly(
        (column.name + "_vcpu_us").c_str(),
        [member](const RunResult& self) { return exact(std::get<Revenue>(member.read(self))); },
        (column.meaning + ", exact, vcpu-microseconds.").c_str());
  });
}

py::dict result_dict(const RunResult& result) {
  py::dict dict;
  for_each_member([&](const Measure<RunResult>& member) {
    dict[member.column.name.c_str()] = member_value(member, result);
  });
  return dict;
}

void bind_result(py::module_& core) {
  py::class_<RunResult> result(core, "RunResult", R"doc(
What one run earned and cost. Counts are over all requests until the window ends, those before time
0 included; revenue counts inside the window. Results with the same counts and revenue are equal,
whatever time they took.
)doc");
  bind_result_members(result);
  result
      .def(
          "save",
          [](const py::object& self, const py::object& path, bool force) {
            (void)read_path(path, "path");
            py::module_::import("cospot.saved_runs").attr("save_run")(self, path, force);
          },
          "path"_a, py::kw_only(), "force"_a = false, R"doc(
Write it as JSON, all or nothing (docs/python.md).

Args:
    path: File to write.
    force: Replace the file if it already exists.

Raises:
    ConfigError: The file already exists or cannot be written.
)doc")
      .def_static(
          "load",
          [](const py::object& path) {
            (void)read_path(path, "path");
            return py::module_::import("cospot.saved_runs").attr("load_run")(path);
          },
          "path"_a, R"doc(
Read what save() wrote: an equal result.

Raises:
    ConfigError: There is no such file, or it is not a saved result.
)doc")
      .def("as_dict", &result_dict,
           "Return counts, revenue (vcpu-seconds) and times under the names of the CSV columns.")
      .def(
          "__repr__",
          [](const RunResult& self) {
            return fmt::format(
                "<RunResult: {} of {} VMs rejected, {} of {} spots admitted, {} evicted>",
                self.vm_rejected, self.vm_requests, self.spot_admitted, self.spot_requests,
                self.evictions);
          },
          "Return what it is.");
  py::class_<DatacenterSize>(core, "DatacenterSize", "How many hosts a workload's VMs need.")
      .def_readonly("hosts", &DatacenterSize::hosts,
                    "With so many hosts, headroom included, no VM is rejected.")
      .def_readonly("lower_bound", &DatacenterSize::lower_bound,
                    "What the peak demand needs if nothing were lost to packing.")
      .def(
          "__repr__",
          [](const DatacenterSize& self) {
            return fmt::format("<DatacenterSize: {} hosts, at least {}>", self.hosts,
                               self.lower_bound);
          },
          "Return what it is.");
}

void bind_live(py::module_& core) {
  py::class_<LiveSimulation>(core, "Simulation", R"doc(
A run that can be stopped and looked at as it goes.

One thread at a time runs it. The columns of `hosts` are live. A simulation is equal to itself alone;
compare its `result()` or its `hosts`.
)doc")
      .def(py::init([](const PythonWorkload& workload, const py::object& hosts,
                       const py::object& host, const py::object& vm, const py::object& spot,
                       const py::object& evictor, bool saf, const py::object& otn) {
             PreparedRun run = prepare_run(hosts, host, vm, spot, evictor, saf, otn);
             warn_of_inputs(workload, run.settings.host);
             return std::make_unique<LiveSimulation>(workload, std::move(run));
           }),
           "workload"_a, py::kw_only(), "hosts"_a = py::none(), "host"_a = py::none(), "vm"_a,
           "spot"_a, "evictor"_a, "saf"_a = false, "otn"_a = 1,
           (std::string("Prepare a run; nothing happens yet.\n\nArgs:\n    workload: What is "
                        "replayed.") +
            kRunArguments)
               .c_str())
      .def(
          "run_until",
          [](LiveSimulation& self, const py::object& time_us) {
            self.run_until(read_time(time_us, "time_us"));
          },
          "time_us"_a, R"doc(
Process the events before a time. Releases the GIL for compiled policies.

Args:
    time_us: Microseconds since the window's start.

Raises:
    PolicyError: A policy broke its contract.
    RuntimeError: It is running already.
)doc")
      .def(
          "run", [](LiveSimulation& self) { self.run_until(kNever); },
          "Process all events that are left. Raises as run_until.")
      .def(
          "events",
          [](const py::object& self) {
            return py::module_::import("cospot.records").attr("events_of")(self);
          },
          R"doc(
Return an iterator of the events to come: EventRecord, in the order of the event log.

The simulation runs as the records are read, some events ahead of them, to its end. Events before
the first is read, or that another call runs, are not among them. Raises as run_until.
)doc")
      .def(
          "_next_events", [](LiveSimulation& self) { return to_str(self.next_events()); },
          "Run on, and return rows of the event log; without rows it is finished.")
      .def("result", &LiveSimulation::result,
           "Return what was requested, earned and lost until now: after run() the whole.")
      .def_property_readonly(
          "window_us", [](const LiveSimulation& self) { return self.workload().window.count(); },
          "Length of the workload's window, microseconds.")
      .def_property_readonly("hosts", &LiveSimulation::hosts, "The hosts, live: HostView.")
      .def_property_readonly("is_finished", &LiveSimulation::is_finished,
                             "Whether all events were processed.")
      .def_property_readonly(
          "now_us", [](const LiveSimulation& self) { return self.now().count(); },
          "The time before which all events were processed, microseconds since the window's start.")
      .def(
          "spots_on",
          [](const LiveSimulation& self, const py::object& host) {
            return self.spots_on(read_row(host, "host", self.host_table().size()));
          },
          "host"_a, "Return the spots on a host, oldest placement first: a list of RunningSpot.")
      .def(
          "host_of",
          [](const LiveSimulation& self, const py::object& instance) -> py::object {
            const HostIndex host = self.host_of(
                read_row(instance, "instance", self.workload().rows.size(), "requests"));
            return host == kNoHost ? py::object(py::none()) : py::object(py::int_(host));
          },
          "instance"_a, "Return the row of the host that a request's instance runs on, or None.");
}

}  // namespace

void bind_simulation(py::module_& core) {
  bind_result(core);
  bind_live(core);
  core.def("simulate", &simulate, "workload"_a, py::kw_only(), "hosts"_a = py::none(),
           "host"_a = py::none(), "vm"_a, "spot"_a, "evictor"_a, "saf"_a = false, "otn"_a = 1,
           "events"_a = py::none(),
           (std::string("Replay a workload under one combination of policies.\n\n"
                        "Releases the GIL for compiled policies, so threads simulate at once.\n\n"
                        "Args:\n    workload: What is replayed.") +
            kRunArguments +
            R"doc(    events: File to write every event to, CSV, gzip-compressed if it ends in .gz
        (docs/event-log-format.md).

Returns:
    A RunResult, the same as `cospot run` prints.

Raises:
    ConfigError: An argument cannot be used.
    PolicyError: A policy broke its contract.
    InputError: The event log cannot be written.
)doc")
               .c_str());
  core.def("size", &size, "workload"_a, py::kw_only(), "host"_a, "vm"_a = py::none(),
           "headroom_percent"_a = 0.0, "added_type"_a = py::none(),
           R"doc(
Find the least hosts with which no VM is rejected.

Args:
    workload: Its VMs count.
    host: What each host has: a ResourceVector or a tuple (vcpus, memory_mb[, disk_gb]); or several
        types, a list of dicts as in sweep files, or the path of a file of hosts, as in simulate.
        Sizes have the types in proportion to their counts.
    vm: What ranks hosts for VMs, as in simulate. None: the one of the VM policies that tune and
        plan try which needs the fewest hosts.
    headroom_percent: More hosts than that, in percent, 0 to 10,000.
    added_type: Of several types, the only one to add to the hosts that are there. None: all, in
        proportion.

Returns:
    A DatacenterSize.

Raises:
    ConfigError: An argument cannot be used, or a VM is larger than a host.
    PolicyError: A policy broke its contract.

Source: CoSpot, section 4.3.
)doc");
  core.def("_host_totals", &host_totals, "host"_a, "hosts"_a, R"doc(
Return (vcpus, memory_mb, disk_gb) of each host that `host` names, as for simulate.

Args:
    hosts: How many hosts there are, where `host` does not say it.
)doc");
  core.def("explain", &explain, "workload"_a, "request_id"_a, py::kw_only(), "hosts"_a = py::none(),
           "host"_a = py::none(), "vm"_a, "spot"_a, "evictor"_a, "saf"_a = false, "otn"_a = 1,
           "all_hosts"_a = false,
           (std::string("Tell why a request gets the host it gets.\n\nArgs:\n    workload: What is "
                        "replayed.\n    request_id: Its id in the workload.") +
            kRunArguments +
            R"doc(    all_hosts: Show all hosts, not only the best-ranked.

Returns:
    The text that `cospot run --explain` prints, with all_hosts=True for --explain-all.

Raises:
    InputError: There is no such request.
    ConfigError: An argument cannot be used.
    PolicyError: A policy broke its contract.
)doc")
               .c_str());
}

}  // namespace cospot::bindings
