// plan: what to sell of idle capacity, chosen on the past and judged on what followed.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/given_study.hpp"
#include "bindings/noted_progress.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/python_result.hpp"
#include "bindings/run_arguments.hpp"
#include "bindings/watched_work.hpp"
#include "bindings/workloads.hpp"
#include "core/errors.hpp"
#include "sim_harness/advise/plan.hpp"
#include "sim_harness/advise/plan_text.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

py::object make_spot_plan(const py::object& history, const py::object& price,
                          const py::object& host, const py::object& hosts,
                          const py::object& headroom_percent, const py::object& added_type,
                          const py::object& max_vm_loss_percent, const py::object& parts,
                          const py::object& with_parts, const py::object& demand,
                          const py::object& given_percents, const py::object& given_confidences,
                          const py::object& threads, const py::object& progress,
                          const py::kwargs& candidates) {
  const py::object told = read_progress(progress);
  GivenPolicies policies;
  const TuneCandidates choices =
      read_candidates(candidates, plan_candidates(), false, "plan", policies);
  TunedDatacenter datacenter = read_datacenter(host, hosts, headroom_percent, added_type);
  const std::vector<double> economy_percents = read_numbers(given_percents, "economy_percents");
  const std::vector<double> confidences = read_numbers(given_confidences, "confidences");
  for (const double share : economy_percents) {
    (void)read_number(py::float_(share), "economy_percents", 0, 100);
  }
  for (const double confidence : confidences) {
    (void)read_number(py::float_(confidence), "confidences", 0, 0.999999);
  }
  // Each in a variable of its own: g++ 12 frees some twice when a later member of the braces
  // throws.
  WorkloadSpec workload = read_workload_spec(history, "history");
  PriceList prices = read_price_list(read_price_texts(price)).value();
  PlanRequest request{.workload = std::move(workload),
                      .datacenter = std::move(datacenter),
                      .settings = {},
                      .parts = 0,
                      .prices = std::move(prices),
                      .economy_percents = economy_percents,
                      .confidences = confidences};
  TuneSettings& settings = request.settings;
  settings.max_vm_loss = read_number(max_vm_loss_percent, "max_vm_loss_percent", 0, 100) / 100;
  settings.threads = read_threads(threads);
  if (!parts.is_none()) {
    request.parts = static_cast<std::size_t>(
        read_integer(parts, "parts", kPastParts + 1, INT64_C(1) * kMostTuneParts));
  }
  if (!demand.is_none()) request.demand = read_demand_curve(read_path(demand, "demand"));
  if (!with_parts.is_none()) {
    GivenPolicies none;
    settings.with = std::make_shared<const GivenParts>(sweep_tree(with_parts, "with_parts", none),
                                                       std::filesystem::path());
  }
  add_candidates(choices, policies, settings);

  NotedProgress noted;
  Reporter reporter(noted, told);
  std::optional<PlanFindings> findings;
  reporter.run([&] {
    findings = make_plan(request, noted, [&](const std::vector<std::string>& warnings) {
      reporter.note_warnings(warnings);
    });
  });
  return make_result("cospot.provider.planning", "SpotPlan",
                     plan_json(*findings, request.prices.currency));
}

}  // namespace

void bind_plan(py::module_& core) {
  core.def("plan", &make_spot_plan, "history"_a, py::kw_only(), "price"_a, "host"_a = py::none(),
           "hosts"_a = py::none(), "headroom_percent"_a = py::none(), "added_type"_a = py::none(),
           "max_vm_loss_percent"_a = 0, "parts"_a = py::none(), "with_parts"_a = py::none(),
           "demand"_a = py::none(), "economy_percents"_a = std::vector<double>{10, 25, 50},
           "confidences"_a = std::vector<double>{0.5, 0.9}, "threads"_a = py::none(),
           "progress"_a = py::none(), R"doc(
Divide idle capacity among Economy instances, promised lifetimes and spots, as `cospot plan` does.

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
)doc");
}

}  // namespace cospot::bindings
