// Idle capacity: its periods and classes, the checkpoint model and the simulation of a job.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/policy_entries.hpp"
#include "bindings/python_result.hpp"
#include "bindings/watched_work.hpp"
#include "bindings/workloads.hpp"
#include "core/errors.hpp"
#include "guarantees/pricing/checkpoint_model.hpp"
#include "guarantees/pricing/fixed_interval.hpp"
#include "guarantees/pricing/job_simulation.hpp"
#include "sim_harness/studies/classes/class_report.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

constexpr double kMostTraceDays = 1e6;

TraceOptions read_trace_options(const py::object& servers, const py::object& from_day,
                                const py::object& to_day, const py::object& server_vcpus) {
  TraceOptions options;
  if (!servers.is_none()) options.servers = read_count(servers, "servers", 1);
  options.from_day = read_number(from_day, "from_day", 0, kMostTraceDays);
  if (!to_day.is_none()) options.to_day = read_number(to_day, "to_day", 0, kMostTraceDays);
  if (!server_vcpus.is_none()) {
    options.server_vcpus = read_integer(server_vcpus, "server_vcpus", 1, kMaxResourceAmount);
  }
  return options;
}

/// Loads on a thread of its own.
CapacityTrace load_capacity(const py::object& trace, const TraceOptions& options) {
  const WorkloadSpec source = read_workload_spec(trace, "trace");
  LoadedPolicies policies;
  CapacityTrace loaded = watched([&] {
    return load_trace({source.label, source}, options, policies);
  });
  warn(loaded.warnings);
  return loaded;
}

template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::dict idle_periods(const py::object& trace, const py::object& servers,
                      const py::object& from_day, const py::object& to_day,
                      const py::object& server_vcpus) {
  const CapacityTrace loaded =
      load_capacity(trace, read_trace_options(servers, from_day, to_day, server_vcpus));
  const SimTime zero = loaded.record.span.begin;
  std::vector<std::int64_t> rank;
  std::vector<double> begins, ends;
  std::vector<bool> revoked;
  loaded.record.periods([&](const IdlePeriod& period) {
    rank.push_back(static_cast<std::int64_t>(period.server));
    begins.push_back(hours_of(period.begin - zero));
    ends.push_back(hours_of(period.end - zero));
    revoked.push_back(period.revoked);
  });
  std::vector<double> sizes;
  for (const ServerIdle& server : loaded.record.totals()) {
    sizes.push_back(static_cast<double>(server.size));
  }
  const double mean = std::reduce(sizes.begin(), sizes.end()) / static_cast<double>(sizes.size());
  for (double& size : sizes) size /= mean;
  py::array_t<bool> is_revoked(static_cast<py::ssize_t>(revoked.size()));
  for (std::size_t i = 0; i < revoked.size(); ++i) {
    is_revoked.mutable_at(static_cast<py::ssize_t>(i)) = revoked[i];
  }
  return py::dict("servers"_a = loaded.record.servers,
                  "hours"_a = hours_of(loaded.record.span.length()), "rank"_a = array_of(rank),
                  "begin_hours"_a = array_of(begins), "end_hours"_a = array_of(ends),
                  "revoked"_a = is_revoked, "sizes"_a = array_of(sizes),
                  "spot_lives_hours"_a = array_of(loaded.spot_lives));
}

py::object price_classes(const py::object& trace, const py::object& given_classes,
                         const py::object& given_partition, const py::object& checkpoint_minutes,
                         const std::string& mttr, const std::string& value,
                         const py::object& servers, const py::object& from_day,
                         const py::object& to_day, const py::object& server_vcpus) {
  const double minutes = read_any_number(checkpoint_minutes, "checkpoint_minutes");
  if (!(minutes > 0)) {
    throw ConfigError(
        fmt::format("checkpoint_minutes: found {}, expected a number above 0", minutes));
  }
  const ClassPricing pricing{
      .checkpoint_hours = minutes / 60, .mttr = parse_mttr(mttr), .rule = parse_value(value)};
  std::vector<std::size_t> classes;
  for (const py::object& one : read_items(given_classes, "classes", "numbers of classes")) {
    classes.push_back(read_count(one, "classes", 1));
  }
  std::vector<PartitionRule> rules;
  for (const std::string& name : read_names(given_partition, "partition", "equal")) {
    rules.push_back(parse_partition(name));
  }
  CapacityTrace loaded =
      load_capacity(trace, read_trace_options(servers, from_day, to_day, server_vcpus));
  std::optional<LoadedTrace> ready;
  const ClassReport report = watched([&] {
    ready.emplace(std::move(loaded));
    return report_classes(*ready, pricing, classes, rules);
  });
  Json json = report_json(*ready, report);
  json["maximum"]["sold"] = "maximum";
  return make_result("cospot.provider.pricing", "PricedClasses", json);
}

CheckpointPolicy read_checkpoint_policy(const py::object& policy, double checkpoint) {
  if (py::isinstance<py::str>(policy)) {
    const std::string name = read_text(policy, "checkpoint");
    if (name == "oracle") return CheckpointPolicy::oracle();
    if (name == "hourly") return CheckpointPolicy::hourly();
    throw ConfigError(fmt::format(
        "checkpoint: found '{}', expected 'oracle', 'hourly', hours between checkpoints, or "
        "{{'assumed_mttr_hours': ...}}",
        name));
  }
  if (py::isinstance<py::dict>(policy)) {
    const py::dict mapping = policy;
    if (mapping.size() == 1 && mapping.contains("assumed_mttr_hours")) {
      return CheckpointPolicy::assuming(
          read_any_number(mapping["assumed_mttr_hours"], "assumed_mttr_hours"), checkpoint);
    }
  }
  return CheckpointPolicy::every(read_any_number(policy, "checkpoint"));
}

py::dict outcome_dict(const JobOutcome& outcome) {
  return py::dict("useful_hours"_a = outcome.useful,
                  "checkpointing_hours"_a = outcome.checkpointing,
                  "recomputing_hours"_a = outcome.recomputing,
                  "restarting_hours"_a = outcome.restarting, "waiting_hours"_a = outcome.waiting,
                  "elapsed_hours"_a = outcome.elapsed(), "revocations"_a = outcome.revocations,
                  "performance"_a = outcome.performance(), "finished"_a = outcome.finished);
}

std::unique_ptr<RevocationProcess> make_servers(const py::object& mttr_hours,
                                                const py::object& lives_hours,
                                                const py::object& available_hours,
                                                std::uint64_t seed) {
  const int given = static_cast<int>(!mttr_hours.is_none()) +
                    static_cast<int>(!lives_hours.is_none()) +
                    static_cast<int>(!available_hours.is_none());
  if (given != 1) {
    throw ConfigError("simulate_job: expected one of mttr_hours, lives_hours and available_hours");
  }
  if (!mttr_hours.is_none()) {
    return std::make_unique<PoissonRevocations>(read_any_number(mttr_hours, "mttr_hours"), seed);
  }
  if (!lives_hours.is_none()) {
    return std::make_unique<RecordedLives>(read_numbers(lives_hours, "lives_hours"), seed);
  }
  constexpr std::string_view kExpected = "pairs (begin, end) of hours";
  std::vector<RecordedAvailability::Span> spans;
  for (const py::object& span : read_items(available_hours, "available_hours", kExpected)) {
    const auto [begin, end] =
        read_as<std::pair<double, double>>(span, "an entry of available_hours", kExpected);
    spans.push_back({begin, end});
  }
  return std::make_unique<RecordedAvailability>(std::move(spans));
}

py::dict run_job(double work_hours, const py::object& checkpoint, const py::object& mttr_hours,
                 const py::object& lives_hours, const py::object& available_hours,
                 double checkpoint_minutes, double restore_minutes, double boot_minutes,
                 const py::object& seed) {
  const JobCosts costs{.checkpoint = checkpoint_minutes / 60,
                       .restore = restore_minutes / 60,
                       .boot = boot_minutes / 60};
  const auto servers =
      make_servers(mttr_hours, lives_hours, available_hours,
                   static_cast<std::uint64_t>(read_integer(seed, "seed", 0, INT64_MAX)));
  const CheckpointPolicy policy = read_checkpoint_policy(checkpoint, costs.checkpoint);
  return outcome_dict(watched([&] { return simulate_job(work_hours, *servers, policy, costs); }));
}

constexpr const char* kTraceArguments = R"doc(
    trace: A job log (SWF, or CSV with submission_s,duration_s[,nodes]), a workload (a Workload, a
        file, or a spec such as azure2020:seed=1), or a scenario (YAML), which is run and whose
        hosts count.
    servers: Servers of the cluster; by default the peak of the whole trace.
    from_day: Day of the trace from which on it counts.
    to_day: Day up to which; by default where the last job starts.
    server_vcpus: vcpus of a server, for workloads; by default the smallest usual VM's.
)doc";

void bind_idle_periods(py::module_& core) {
  core.def("idle_periods", &idle_periods, "trace"_a, py::kw_only(), "servers"_a = py::none(),
           "from_day"_a = 0, "to_day"_a = py::none(), "server_vcpus"_a = py::none(),
           (std::string(R"doc(
Find when servers were idle for 10 minutes and more, under rank occupancy or on a run's hosts.

Args:)doc") +
            kTraceArguments + R"doc(
Returns:
    A dict: servers, hours (of the part that counts), and one entry for each period in the arrays
    rank (int64, from 0, the most volatile first), begin_hours, end_hours (float64) and revoked
    (bool; false: the record ended). sizes: what each server holds, of which the mean is 1; hosts
    of several types differ in it. spot_lives_hours: of a scenario, how long its spots lived
    until an eviction each.

Raises:
    WorkloadError, ConfigError: The trace or an argument cannot be used.

Source: Shastri et al., "Transient guarantees", SC 2016, section IV.
)doc")
               .c_str());
}

void bind_price_classes(py::module_& core) {
  core.def("price_classes", &price_classes, "trace"_a, py::kw_only(),
           "classes"_a = std::vector<std::size_t>{1, 2, 4, 8},
           "partition"_a = std::vector<std::string>{"equal", "greedy", "optimal"},
           "checkpoint_minutes"_a = 10, "mttr"_a = "pooled", "value"_a = "utility",
           "servers"_a = py::none(), "from_day"_a = 0, "to_day"_a = py::none(),
           "server_vcpus"_a = py::none(),
           (std::string(R"doc(
Cut idle capacity into classes and price them, as the command `cospot classes` does.

Args:
    classes: How many classes, several numbers.
    partition: Any of equal, greedy, marginal, lookahead, optimal.
    checkpoint_minutes: To save a server's memory; above 0.
    mttr: Of a class: pooled or mean.
    value: Prices: equilibrium or utility.)doc") +
            kTraceArguments + R"doc(
Returns:
    cospot.PricedClasses.

Raises:
    WorkloadError, ConfigError: The trace or an argument cannot be used.
)doc")
               .c_str());
}

void bind_simulate_job(py::module_& core) {
  core.def("simulate_job", &run_job, "work_hours"_a, "checkpoint"_a, py::kw_only(),
           "mttr_hours"_a = py::none(), "lives_hours"_a = py::none(),
           "available_hours"_a = py::none(), "checkpoint_minutes"_a = 10.0,
           "restore_minutes"_a = 0.0, "boot_minutes"_a = 0.0, "seed"_a = 1, R"doc(
Simulate a batch job that saves checkpoints on servers that are revoked.

Args:
    work_hours: What it would take without revocations.
    checkpoint: When it saves: "oracle" (right before each revocation), "hourly", hours of work
        between two, or {"assumed_mttr_hours": 24} for the best interval under that assumption.
    mttr_hours: Revocations are a Poisson process. Or:
    lives_hours: Servers live as long as one of these, drawn at random. Or:
    available_hours: Pairs (begin, end) in which a server was to be had, in order.
    checkpoint_minutes: To save; above 0.
    restore_minutes: To restore after a revocation.
    boot_minutes: To get and boot the next server.
    seed: Of the random draws.

Returns:
    A dict of where the time went: useful_hours, checkpointing_hours, recomputing_hours,
    restarting_hours, waiting_hours, elapsed_hours; revocations; performance, the speed relative to
    a server without revocations; finished: False when the record ended before.

Raises:
    ConfigError: An argument cannot be used, or the job makes no progress.
)doc");
}

}  // namespace

void bind_pricing(py::module_& core) {
  bind_idle_periods(core);
  bind_price_classes(core);
  bind_simulate_job(core);
  core.def("transient_performance", &performance, "checkpoint_hours"_a, "mttr_hours"_a,
           "interval_hours"_a, R"doc(
Return the speed of a server with that time to revocation, relative to one without revocations.

All times are above 0; equation 2 of Shastri et al. Raises ConfigError.
)doc");
  core.def("renewal_performance", &renewal_performance, "checkpoint_hours"_a, "mttr_hours"_a,
           "interval_hours"_a, "restart_hours"_a = 0.0, R"doc(
Return that speed exactly when revocations are a Poisson process, what `simulate_job` tends to.

Equation 2 is about the same where the interval is short against the MTTR, and the checkpoint
against the interval.

Args:
    restart_hours: To boot and restore after each revocation; 0 or more. The others are above 0.

Raises:
    ConfigError: A time cannot be.
)doc");
  core.def("optimal_interval", &optimal_interval, "checkpoint_hours"_a, "mttr_hours"_a, R"doc(
Return the best time between checkpoints in hours, sqrt(2 * checkpoint * MTTR). Raises ConfigError.
)doc");
  core.def(
      "transient_price",
      [](double performance, const std::string& value) {
        return price(parse_value(value), performance);
      },
      "performance"_a, "value"_a = "utility", R"doc(
Return what a server of that performance sells for, as a fraction of the on-demand price.

Args:
    value: "utility", what users offer, or "equilibrium".
)doc");
}

}  // namespace cospot::bindings
