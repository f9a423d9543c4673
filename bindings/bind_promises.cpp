// Promises that a provider makes: quotes of lifetimes, and the Economy class.

#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/given_study.hpp"
#include "bindings/live_simulation.hpp"
#include "bindings/python_result.hpp"
#include "bindings/run_arguments.hpp"
#include "bindings/watched_work.hpp"
#include "bindings/workloads.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/studies/economy/backtest_report.hpp"
#include "sim_harness/studies/promises/economy_keys.hpp"
#include "sim_harness/studies/sla/sla_quote.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

constexpr const char* kEconomy = "cospot.provider.economy.promises";
constexpr double kMostHours = 240'000;
constexpr double kMostConfidence = 0.999999;

py::object quote(const py::object& study, const py::object& at_hours, const py::object& threads,
                 const py::kwargs& settings) {
  GivenPolicies policies;
  const GivenStudy given = read_given_study(study, "study", settings, policies);
  const QuotedStudy read = read_quoted_study(given.file);
  std::optional<SimTime> at;
  if (!at_hours.is_none()) {
    constexpr double kMicrosecondsPerHour = 3600e6;
    at = SimTime(static_cast<std::int64_t>(read_number(at_hours, "at_hours", 1e-3, kMostHours) *
                                           kMicrosecondsPerHour));
  }
  const std::size_t count = read_threads(threads);
  const SlaQuotes quotes = watched([&] { return quote_lifetimes(read, at, count); });
  warn(quotes.warnings);
  return make_result("cospot.provider.sla", "Quotes", quotes_json(quotes));
}

/// The lifetimes that spots asked for, by row.
std::vector<std::optional<SimTime>> read_asked(const py::dict& asked_s, const Workload& workload) {
  constexpr double kMost = static_cast<double>(kMaxWorkloadTime.count()) / 1e6;
  std::vector<std::optional<SimTime>> asked(asked_s.empty() ? 0 : workload.rows.size());
  for (std::size_t row = 0; row < asked.size(); ++row) {
    const py::str id(workload.rows[row].id);
    if (!asked_s.contains(id)) continue;
    // Whatever is longer than a workload may be is as good as for ever.
    const double seconds = std::min(read_any_number(asked_s[id], "asked_s"), kMost);
    asked[row] = SimTime(std::llrint(seconds * 1e6));
  }
  return asked;
}

py::tuple replay(const PythonWorkload& workload, const py::object& hosts, const py::object& host,
                 const py::object& vm, const py::object& spot, const py::object& evictor, bool saf,
                 const py::object& otn, const py::object& rows, const py::dict& asked_s) {
  PreparedRun run = prepare_run(hosts, host, vm, spot, evictor, saf, otn);
  warn_of_inputs(workload, run.settings.host);
  const std::shared_ptr<const EventSchedule> schedule = schedule_of(workload, run.settings);
  std::vector<ResourceVector> totals = totals_of(run.hosts);
  RecordedPart part{.asked = read_asked(asked_s, workload.workload())};
  if (!rows.is_none()) {
    part.row_of.resize(totals.size(), kNoHost);
    std::vector<ResourceVector> recorded;
    for (const HostIndex row : read_candidates(rows, totals.size())) {
      part.row_of[row] = static_cast<HostIndex>(recorded.size());
      recorded.push_back(totals[row]);
    }
    totals = std::move(recorded);
  }
  LifetimeSlaOptions options;
  options.refresh = kNever;  // the policies need no promises
  auto recorder = std::make_unique<HistoryRecorder>(schedule->start.size(), std::move(totals),
                                                    options, std::move(part));
  const History& history = recorder->history();
  ProviderParts parts;
  parts.forecasts.push_back(std::move(recorder));
  const auto [recorded, rejected_vms] = watched([&] {
    ProviderRun simulation(workload.workload(), *schedule, run.settings, std::move(run.hosts),
                           std::move(parts));
    simulation.engine().run({.time = schedule->window});
    return std::pair(history, simulation.engine().result().vm_rejected);
  });
  const SimTime first =
      schedule->events.empty() ? SimTime{0} : schedule->start[schedule->events.front().instance];
  const SimTime from = std::max(first, SimTime{0});
  const History::Counts counts = recorded.counts_between(from, schedule->window);
  return py::make_tuple(recorded, from.count(), counts.vms, counts.spots, counts.evictions,
                        rejected_vms);
}

/// The arguments of plan() and backtest(), read.
struct GivenEconomy {
  EconomySettings settings;
  EconomyInput input;
  BacktestRequest request;
};

GivenEconomy read_economy(const py::object& usage, const std::vector<std::string>& forecasters,
                          const py::object& given_confidences, const std::vector<double>& prices,
                          const py::kwargs& settings) {
  const std::vector<double> confidences = read_numbers(given_confidences, "confidences");
  GivenPolicies none;
  const ConfigNode root = sweep_tree(settings, "economy", none);
  require_known_keys(root, "economy", economy_keys());
  for (const double confidence : confidences) {
    (void)read_number(py::float_(confidence), "confidences", 0, kMostConfidence);
  }
  for (const double price : prices) (void)read_number(py::float_(price), "price", 0, 1);
  GivenEconomy given{.settings = read_economy_settings(root, {}),
                     .input = {},
                     .request = {.forecasters = forecasters,
                                 .confidences = confidences,
                                 .prices = prices,
                                 .processes = std::max(1U, std::thread::hardware_concurrency())}};
  const WorkloadSpec spec = read_workload_spec(usage, "usage");
  given.input = watched([&] { return load_economy_input(spec, given.settings); });
  warn(given.input.warnings);
  // Forecasters in Python run in this interpreter, unless the environment names another.
  py::module_::import("os").attr("environ").attr("setdefault")(
      "COSPOT_PYTHON", py::module_::import("sys").attr("executable"));
  return given;
}

py::object plan(const py::object& usage, const std::optional<std::string>& forecaster,
                const py::object& confidences, double price, const py::kwargs& settings) {
  std::vector<std::string> forecasters;
  if (forecaster) forecasters.push_back(*forecaster);
  const GivenEconomy given = read_economy(usage, forecasters, confidences, {price}, settings);
  if (given.request.confidences.empty()) {
    throw ConfigError("confidences: found an empty list, expected one or more, as [0.9]");
  }
  const EconomyPlan made =
      watched([&] { return plan_promises(given.input, given.settings, given.request); });
  return make_result(kEconomy, "Plan", plan_json(given.input, given.settings, price, made));
}

py::object run_backtest(const py::object& usage, const py::object& forecasters,
                        const py::object& confidences, const py::object& prices,
                        const py::kwargs& settings) {
  const GivenEconomy given = read_economy(usage, read_names(forecasters, "forecasters", "ses"),
                                          confidences, read_numbers(prices, "prices"), settings);
  const BacktestReport report =
      watched([&] { return backtest(given.input, given.settings, given.request); });
  Json json = backtest_json(given.input, given.settings, given.request, report);
  for (Json& one : json["trade_offs"]) {
    Json by_percent = Json::object();
    for (std::size_t i = 0; i < kErrorPercents.size(); ++i) {
      by_percent[std::to_string(kErrorPercents[i])] = std::move(one["error_quantiles"][i]);
    }
    one["error_quantiles"] = std::move(by_percent);
  }
  return make_result(kEconomy, "Backtest", json);
}

constexpr const char* kEconomyArguments = R"doc(
    usage: A CSV of usage over time, a log of batch jobs, a workload file, a workload spec or a
        Workload.)doc";

constexpr const char* kEconomySettings = R"doc(
    **settings: Keys of the study `economy`, such as horizon_days=30.

Raises:
    ConfigError, WorkloadError: What is given cannot be used.

Source: Carvalho et al., "Long-term SLOs for reclaimed cloud computing resources", SoCC 2014.
)doc";

}  // namespace

void bind_promises(py::module_& core) {
  core.def("quote_lifetimes", &quote, "study"_a, py::kw_only(), "at_hours"_a = py::none(),
           "threads"_a = py::none(), R"doc(
Say how long spots of every size live at least, at one time of a study's first run.

Args:
    study: Study file (YAML) with `study: sla`, one of one setting, as `cospot plan -o` writes, or
        a dict of its keys.
    at_hours: When, in hours of trace time; by default its end.
    threads: How many, 1 to 4096; one a core unless given.
    **settings: Keys of the study, such as target=[0.05, 0.01] or hosts=6.

Returns:
    cospot.sla.Quotes.

Raises:
    ConfigError, WorkloadError: What is given cannot be used.

Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances", IC2E 2015.
)doc");
  core.def("_replay_history", &replay, "workload"_a, py::kw_only(), "hosts"_a = py::none(),
           "host"_a = py::none(), "vm"_a, "spot"_a, "evictor"_a, "saf"_a = false, "otn"_a = 1,
           "rows"_a = py::none(), "asked_s"_a = py::dict(), R"doc(
Place a workload's requests, up to the end of its window, and write down what happens.

Args:
    workload, hosts, host, vm, spot, evictor, saf, otn: As for simulate.
    rows: The hosts that the history is of; None: all.
    asked_s: The lifetimes that spots asked for, seconds, by instance_id; 0: none, so that the
        spot is evicted before spots with a promise. A spot that is missing, or came before any
        spot had asked, counts as promised for as long as it runs.

Returns:
    The History; when its observed time begins, with the first request or at 0, microseconds; the
    VMs, the spots and the evictions in it; all VMs that found no host.

Raises:
    ConfigError, PolicyError: As simulate.
)doc");
  core.def("economy_plan", &plan, "usage"_a, py::kw_only(), "forecaster"_a = py::none(),
           "confidences"_a = std::vector<double>{0.5, 0.6, 0.7, 0.8, 0.9}, "price"_a = 0.7,
           (std::string(R"doc(
Say how much of the capacity can be promised from now on (docs/economy.md).

Args:)doc") +
            kEconomyArguments + R"doc(
    forecaster: ses, mean, minimum, arima or ets; the last two need statsmodels. None: at each
        confidence the one of ses, mean and minimum that promises most, among those that kept that
        share of their past promises.
    confidences: That the slack is not lower; 0: no interval.
    price: Of the Economy class; on-demand is 1.)doc" +
            kEconomySettings)
               .c_str());
  core.def("economy_backtest", &run_backtest, "usage"_a, py::kw_only(),
           "forecasters"_a = std::vector<std::string>{"ses", "mean", "minimum", "oracle"},
           "confidences"_a = std::vector<double>{0.5, 0.6, 0.7, 0.8, 0.9},
           "prices"_a = std::vector<double>{0.7},
           (std::string(R"doc(
Make the same promises in the past and judge them by what came.

Args:)doc") +
            kEconomyArguments + R"doc(
    forecasters: Of ses, mean, minimum, arima, ets and oracle, which knows what comes.
    confidences: That the slack is not lower; 0: no interval.
    prices: Of the Economy class; on-demand is 1.)doc" +
            kEconomySettings)
               .c_str());
}

}  // namespace cospot::bindings
