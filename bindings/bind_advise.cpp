// tune and plan: what to set, and what to sell of idle capacity, judged on what did not choose it.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>
#include <functional>
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
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

Json json_of(const TuneVerdict& verdict) {
  return {
      {"advice", advice_name(verdict.advice)}, {"cooperates", verdict.cooperates()},
      {"gain", mean_json(verdict.gain)},       {"samples", verdict.validated},
      {"over_limit", verdict.over_limit},      {"over_limit_without", verdict.over_limit_without},
      {"most_lost", verdict.most_lost}};
}

/// Every setting that ran on all training samples, the most net revenue first.
std::vector<std::size_t> complete_by_net(const TuneFindings& findings) {
  std::vector<std::size_t> settings = findings.outcome.complete;
  std::ranges::stable_sort(settings, std::greater<>(), [&](std::size_t candidate) {
    return findings.runs.mean_net(candidate, findings.outcome.selection);
  });
  return settings;
}

/// The recommendation's revenue and loss on samples that did not choose it.
Json expected_json(const TuneFindings& findings) {
  const HeldOutFigures expected =
      findings.runs.figures(*judged_runs(findings.judged(), [&](const TuneOutcome& search) {
        return std::optional(advised(findings.verdict, search));
      }));
  return {{"samples", expected.shares.size()},
          {"over_limit", expected.over_limit},
          {"spot_share", mean_json(mean_interval(expected.shares))},
          {"vm_loss", mean_json(mean_interval(expected.losses))}};
}

/// The output of `cospot tune --json`, with every setting and the verdict in words.
py::object to_result(const TuneFindings& findings) {
  const auto more_hosts = [](const MoreHosts& more) {
    return Json{{"percent", more.percent},
                {"hosts", more.hosts},
                {"added", more.added},
                {"setting", more.setting},
                {"verdict", json_of(more.verdict)}};
  };
  Json json = tune_json(findings);
  if (!findings.money) json["money"] = nullptr;
  json["verdict"] = json_of(findings.verdict);
  json["expected"] = expected_json(findings);
  json["settings"] = json_list_of(complete_by_net(findings), [&](std::size_t candidate) {
    return setting_json(findings, candidate, findings.outcome);
  });
  json["more_hosts"] = json_list_of(findings.tried, more_hosts);
  json["hosts"] =
      json_list_of(findings.samples, [](const TuneSample& sample) { return sample.hosts; });
  return make_result("cospot.provider.tuning", "Tuning", json);
}

/// The arguments of both: the limit, the parts of every run, the threads, the candidates.
TuneSettings read_settings(const py::object& max_vm_loss_percent, const py::object& with_parts,
                           const py::object& threads, const TuneCandidates& candidates,
                           GivenPolicies& policies) {
  TuneSettings settings;
  if (!max_vm_loss_percent.is_none()) {
    settings.max_vm_loss = read_number(max_vm_loss_percent, "max_vm_loss_percent", 0, 100) / 100;
  }
  if (!with_parts.is_none()) {
    if (max_vm_loss_percent.is_none()) {
      throw ConfigError(
          "with_parts: VMs lose revenue by it whatever the settings are; expected "
          "max_vm_loss_percent too, the loss that is accepted with it");
    }
    GivenPolicies none;
    settings.with = std::make_shared<const GivenParts>(sweep_tree(with_parts, "with_parts", none),
                                                       std::filesystem::path());
  }
  settings.threads = read_threads(threads);
  add_candidates(candidates, policies, settings);
  return settings;
}

py::object run_tune(const py::object& workloads, const py::object& host, const py::object& hosts,
                    const py::object& headroom_percent, const py::object& added_type,
                    const py::object& max_vm_loss_percent, const py::object& price,
                    const py::object& vm_worth, const py::object& budget, const py::object& folds,
                    const py::object& parts, const py::object& seed, const py::object& with_parts,
                    const py::object& threads, const py::object& db, const py::object& progress,
                    const py::kwargs& candidates) {
  constexpr double kMostPercent = 10'000;
  const py::object told = read_progress(progress);
  GivenPolicies policies;
  const TuneCandidates choices = read_candidates(candidates, {}, true, "tune", policies);
  TunedDatacenter datacenter = read_datacenter(host, hosts, headroom_percent, added_type);
  TuneSettings settings =
      read_settings(max_vm_loss_percent, with_parts, threads, choices, policies);
  settings.seed = static_cast<std::uint64_t>(read_integer(seed, "seed", 0, INT64_MAX));
  if (!budget.is_none()) settings.budget = read_count(budget, "budget", 1);
  TuneRequest request{
      .workloads = {}, .datacenter = std::move(datacenter), .settings = std::move(settings)};
  if (!folds.is_none()) request.folds = read_count(folds, "folds", 1);
  if (request.settings.budget && request.folds) {
    throw ConfigError("budget excludes folds; expected one of them");
  }
  request.parts =
      static_cast<std::size_t>(read_integer(parts, "parts", 2, INT64_C(1) * kMostTuneParts));
  request.workloads = read_workload_specs(workloads, "workloads");
  std::vector<std::string> names;
  for (const WorkloadSpec& spec : request.workloads) names.push_back(spec.label);
  require_distinct(names, "workloads");
  if (!price.is_none()) request.prices = read_price_list(read_price_texts(price));
  if (request.prices && !vm_worth.is_none()) {
    throw ConfigError("vm_worth: price says what a VM's vCPU-hour is worth; expected one of them");
  }
  if (!vm_worth.is_none()) request.vm_worth = read_number(vm_worth, "vm_worth", 0, kMostPercent);
  std::filesystem::path database;
  if (!db.is_none()) {
    database = read_path(db, "db");
    if (std::filesystem::exists(database)) {
      throw InputError(database.string() + ": already exists; expected the name of a new file");
    }
  }

  NotedProgress noted;
  Reporter reporter(noted, told);
  std::optional<Tuning> tuning;
  reporter.run([&] {
    tuning.emplace(std::move(request), noted, [&](const std::vector<std::string>& warnings) {
      reporter.note_warnings(warnings);
    });
    if (database.empty()) return;
    const TuneRecord record = tune_record(tuning->findings());
    const ResultsDatabase written(database, record.tables, record.workloads, IfPresent::kRefuse,
                                  record.rows);
  });
  return to_result(tuning->findings());
}

py::object make_spot_plan(const py::object& history, const py::object& price,
                          const py::object& host, const py::object& hosts,
                          const py::object& headroom_percent, const py::object& added_type,
                          const py::object& max_vm_loss_percent, const py::object& parts,
                          const py::object& with_parts, const py::object& demand,
                          const py::object& by, const py::object& given_percents,
                          const py::object& given_confidences, const py::object& threads,
                          const py::object& progress, const py::kwargs& candidates) {
  const py::object told = read_progress(progress);
  GivenPolicies policies;
  const TuneCandidates choices =
      read_candidates(candidates, TuneCandidates(), false, "plan", policies);
  TunedDatacenter datacenter = read_datacenter(host, hosts, headroom_percent, added_type);
  const std::vector<double> economy_percents = read_numbers(given_percents, "economy_percents");
  const std::vector<double> confidences = read_numbers(given_confidences, "confidences");
  (void)read_number(max_vm_loss_percent, "max_vm_loss_percent", 0, 100);
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
  if (!parts.is_none()) {
    request.parts = static_cast<std::size_t>(
        read_integer(parts, "parts", kLeastPast + 1, INT64_C(1) * kMostTuneParts));
  }
  if (!demand.is_none()) request.demand = read_demand_curve(read_path(demand, "demand"));
  if (!by.is_none()) request.by = read_text(by, "by");
  request.settings = read_settings(max_vm_loss_percent, with_parts, threads, choices, policies);

  NotedProgress noted;
  Reporter reporter(noted, told);
  std::optional<PlanFindings> findings;
  reporter.run([&] {
    findings = make_plan(request, noted, [&](const std::vector<std::string>& warnings) {
      reporter.note_warnings(warnings);
    });
  });
  return make_result("cospot.provider.planning", "SpotPlan", plan_json(*findings));
}

}  // namespace

void bind_advise(py::module_& core) {
  core.def("tune", &run_tune, "workloads"_a, py::kw_only(), "host"_a = py::none(),
           "hosts"_a = py::none(), "headroom_percent"_a = py::none(), "added_type"_a = py::none(),
           "max_vm_loss_percent"_a = py::none(), "price"_a = py::none(), "vm_worth"_a = py::none(),
           "budget"_a = py::none(), "folds"_a = py::none(), "parts"_a = kDefaultTuneParts,
           "seed"_a = 1, "with_parts"_a = py::none(), "threads"_a = py::none(), "db"_a = py::none(),
           "progress"_a = py::none(), R"doc(
Find the policies, OTN and SAF that earn most from spots without losing VMs, as `cospot tune` does.

Releases the GIL; Ctrl-C ends it.

Args:
    workloads: A workload file or spec, a Workload, or a list of them: each is a sample.
    host: What each host has, several types of hosts, or a file of hosts, as for simulate.
    hosts: How many hosts, or a file of hosts in place of `host`. Or:
    headroom_percent: Hosts beyond the fewest that hold all VMs; by default all that `host` names,
        else 2.
    added_type: Of several types, the only one to add to the hosts that are there.
    max_vm_loss_percent: VM revenue that may be lost on a sample; 0 unless given.
    price: Of a vCPU-hour, a dict with on_demand and spot, and if wanted currency; or a file of
        prices by flavor (docs/cookbook-import.md). Adds `money` to the result.
    vm_worth: What a VM's vCPU-hour is worth in vCPU-hours of spots, without prices; 1 unless given.
    budget: Runs at most; as many as it takes if left out.
    folds: Of the cross-validation; 1: one half of the samples chooses, the other validates.
    parts: Equal parts of its window into which a single workload is split: the samples.
    seed: Of folds, halves and candidates.
    with_parts: What else every run has, a dict with the keys of study files: ``{"disruptions":
        {"failures": {"mtbf_days": 180, "repair_h": 24}}}``, ``{"schedulers": 4, ...}``. VMs lose
        revenue by it without any spot, so that max_vm_loss_percent has to be given too.
    threads: How many, 1 to 4096; one a core unless given.
    db: Results database to write the runs to, for load_results.
    progress: A function, called with (done, total) runs as the work goes on, by the calling thread. None: a bar of tqdm, if
        that is installed, on terminals and in notebooks; True: a bar anywhere; False: nothing.
    **candidates: vm, spot, evictor, otn: names to choose from, in place of the usual ones (a policy
        may also be a Python class or object);
        promise: eviction probabilities for which every spot policy is tried too with promised
        lifetimes; model: lifetime models of evictors that need one.

Returns:
    cospot.Tuning.

Raises:
    ConfigError, WorkloadError: An argument cannot be used.
    InputError: `db` exists, or cannot be written.
    PolicyError: A policy broke its contract.
)doc");
  core.def("plan", &make_spot_plan, "history"_a, py::kw_only(), "price"_a, "host"_a = py::none(),
           "hosts"_a = py::none(), "headroom_percent"_a = py::none(), "added_type"_a = py::none(),
           "max_vm_loss_percent"_a = 0, "parts"_a = py::none(), "with_parts"_a = py::none(),
           "demand"_a = py::none(), "by"_a = py::none(),
           "economy_percents"_a = std::vector<double>{10, 25, 50},
           "confidences"_a = std::vector<double>{0.5, 0.9}, "threads"_a = py::none(),
           "progress"_a = py::none(), R"doc(
Divide idle capacity among Economy instances, promised lifetimes and spots, as `cospot plan` does.

Policies and division are chosen on the past of each part of the history and judged on that part.
Releases the GIL; Ctrl-C ends it.

Args:
    history: A workload file or spec, or a Workload: what was asked for.
    price: Prices of a vCPU-hour, a dict with on_demand and spot, if wanted economy, currency, host
        (the cost of a host's hour); or a file of prices (docs/plan.md).
    host: What each host has, several types of hosts, or a file of hosts, as for simulate.
    hosts: How many hosts, or a file of hosts in place of `host`. Or:
    headroom_percent: Hosts beyond the fewest that hold all VMs; by default all that `host` names,
        else 2.
    added_type: Of several types, the only one to add to the hosts that are there.
    max_vm_loss_percent: VM revenue that may be lost in a part.
    parts: Equal parts of the history, 3 or more; by default 7, or as many as it has days.
    with_parts: What else every run has, a dict with the keys of study files, as for tune.
    demand: How much is bought at other spot prices, a CSV with the columns spot_price and share.
    by: "tenant", "flavor" or "zone": break requests, evictions and income down by it.
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
