// Promises that a provider makes: quotes of lifetimes, and the Economy class.

#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/given_study.hpp"
#include "bindings/python_result.hpp"
#include "bindings/watched_work.hpp"
#include "bindings/workload_windows.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/studies/economy/backtest_report.hpp"
#include "sim_harness/studies/promises/economy_keys.hpp"
#include "sim_harness/studies/sla/sla_quote.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

constexpr const char* kSla = "cospot.provider.sla";
constexpr const char* kEconomy = "cospot.provider.economy.promises";
constexpr double kMicroseconds = 1e6;
constexpr double kMostHours = 240'000;
constexpr double kMostConfidence = 0.999999;

double seconds(SimTime time) { return static_cast<double>(time.count()) / kMicroseconds; }

/// Seconds; infinity: nobody was evicted that long; None: nothing can be promised.
py::object lifetime(SimTime time) {
  if (time == kNever) return py::float_(std::numeric_limits<double>::infinity());
  if (time < SimTime{0}) return py::none();
  return py::float_(seconds(time));
}

py::list lifetimes(const std::vector<SimTime>& times) { return list_of_results(times, lifetime); }

py::object to_result(const SlaQuotes& quotes) {
  const SlotConditions& conditions = quotes.quantiles.conditions();
  const auto size_quote = [&](const SizeQuote& quote) {
    const LifetimeQuantiles::Table& table = *quotes.quantiles.table(quote.size);
    std::vector<double> slots;
    for (std::size_t i = 0; i < table.samples.size(); ++i) {
      slots.push_back(conditions.first_slots(i));
    }
    return make_result(kSla, "SizeQuote", "vcpus"_a = quote.size.vcpus,
                       "memory_mb"_a = quote.size.memory_mb, "slots_now"_a = quote.slots,
                       "lives_at_least_s"_a = lifetimes(quote.lifetimes), "slots"_a = slots,
                       "samples"_a = table.samples,
                       "quantiles_s"_a = list_of_results(table.quantiles, lifetimes));
  };
  return make_result(kSla, "Quotes", "at_s"_a = seconds(quotes.at),
                     "spot_delay_s"_a = seconds(quotes.spot_delay), "spots"_a = quotes.spots,
                     "evictions"_a = quotes.evictions, "evicted"_a = quotes.evicted,
                     "sizes"_a = list_of_results(quotes.sizes, size_quote));
}

py::object quote(const py::object& study, const py::object& at_hours, const py::object& threads,
                 const py::kwargs& settings) {
  GivenPolicies policies;
  const GivenStudy given = read_given_study(study, "study", settings, policies);
  const SlaSettings read = read_sla_settings(given.file);
  std::optional<SimTime> at;
  if (!at_hours.is_none()) {
    constexpr double kMicrosecondsPerHour = 3600e6;
    at = SimTime(static_cast<std::int64_t>(read_number(at_hours, "at_hours", 1e-3, kMostHours) *
                                           kMicrosecondsPerHour));
  }
  const std::size_t count = read_threads(threads);
  return to_result(watched([&] { return quote_lifetimes(read, at, count); }));
}

/// What plan and backtest are asked, read.
struct GivenEconomy {
  EconomySettings settings;
  EconomyInput input;
  BacktestRequest request;
};

GivenEconomy read_economy(const py::object& usage, const std::vector<std::string>& forecasters,
                          const std::vector<double>& confidences, const std::vector<double>& prices,
                          const py::kwargs& settings) {
  GivenPolicies none;
  const ConfigNode root = sweep_tree(settings, "economy", none);
  require_known_keys(root, "economy", std::span(kEconomyKeys).first(kEconomyKeys.size() - 1));
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
  const std::string name = read_path(usage, "usage").string();
  given.input =
      watched([&] { return load_economy_input(parse_workload_spec(name), given.settings); });
  warn(given.input.warnings);
  // What forecasts in Python is this one, unless somebody said otherwise.
  py::module_::import("os").attr("environ").attr("setdefault")(
      "COSPOT_PYTHON", py::module_::import("sys").attr("executable"));
  return given;
}

py::object to_result(const EconomyInput& input) {
  return make_result(kEconomy, "Usage", "label"_a = input.label, "sha256"_a = input.sha256,
                     "periods"_a = input.periods.size(),
                     "repeated_periods"_a = input.periods.repeated,
                     "slack_mean"_a = input.slack_mean, "slack_p1"_a = input.slack_p1);
}

py::object to_result(const BacktestResult& past) {
  return make_result(kEconomy, "Past", "cycles"_a = past.cycles, "quantity"_a = past.quantity,
                     "quantity_sd"_a = past.quantity_sd, "availability"_a = past.availability,
                     "availability_least"_a = past.availability_least,
                     "short_periods"_a = past.short_periods, "wastage"_a = past.wastage,
                     "shortage"_a = past.shortage, "slack"_a = past.slack,
                     "penalty"_a = past.penalty);
}

py::object plan(const py::object& usage, const std::string& forecaster,
                const std::vector<double>& confidences, double price, const py::kwargs& settings) {
  const GivenEconomy given = read_economy(usage, {forecaster}, confidences, {price}, settings);
  const EconomyPlan made =
      watched([&] { return plan_promises(given.input, given.settings, given.request); });
  const auto amount = [&](SlackAmount slack) {
    return static_cast<double>(slack) / static_cast<double>(kSlackUnit) * given.input.unit_scale;
  };
  const auto promise = [&](const PlannedPromise& one) {
    return make_result(kEconomy, "Promise", "confidence"_a = one.confidence,
                       "quantity"_a = one.quantity, "amount"_a = amount(one.amount),
                       "backtest"_a = one.backtest ? to_result(*one.backtest) : py::none(),
                       "theta"_a = one.theta);
  };
  return make_result(kEconomy, "Plan", "usage"_a = to_result(given.input),
                     "unit"_a = given.input.unit, "forecaster"_a = forecaster,
                     "model"_a = made.model, "note"_a = made.note,
                     "capacity"_a = amount(made.capacity), "price"_a = price,
                     "promises"_a = list_of_results(made.promises, promise));
}

py::object run_backtest(const py::object& usage, const std::vector<std::string>& forecasters,
                        const std::vector<double>& confidences, const std::vector<double>& prices,
                        const py::kwargs& settings) {
  const GivenEconomy given = read_economy(usage, forecasters, confidences, prices, settings);
  const BacktestReport report =
      watched([&] { return backtest(given.input, given.settings, given.request); });
  const auto prediction = [](const BacktestPrediction& one) {
    return make_result(kEconomy, "Prediction", "forecaster"_a = one.forecaster,
                       "cycle"_a = one.cycle, "first_period"_a = one.first_period,
                       "model"_a = one.model, "note"_a = one.note, "quantities"_a = one.quantities,
                       "least_slack"_a = one.least_slack, "mean_slack"_a = one.mean_slack);
  };
  const auto trade_off = [](const BacktestTradeOff& one) {
    py::dict errors;
    for (std::size_t i = 0; i < kErrorPercents.size(); ++i) {
      errors[py::int_(kErrorPercents[i])] = one.errors[i];
    }
    return make_result(kEconomy, "TradeOff", "forecaster"_a = one.forecaster,
                       "confidence"_a = one.confidence, "result"_a = to_result(one.result),
                       "error_quantiles"_a = errors, "theta"_a = one.theta);
  };
  return make_result(kEconomy, "Backtest", "usage"_a = to_result(given.input),
                     "confidences"_a = confidences, "prices"_a = prices,
                     "predictions"_a = list_of_results(report.predictions, prediction),
                     "trade_offs"_a = list_of_results(report.trade_offs, trade_off));
}

constexpr const char* kEconomyArguments = R"doc(
    usage: A CSV of usage over time, a log of batch jobs, a workload file, or a workload spec.)doc";

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
    study: Study file (YAML) with `study: sla`, or a dict of its keys.
    at_hours: When, in hours of trace time; by default its end.
    threads: How many, 1 to 4096; one a core unless given.
    **settings: Keys of the study, such as target=[0.05, 0.01] or hosts=6.

Returns:
    cospot.sla.Quotes.

Raises:
    ConfigError, WorkloadError: What is given cannot be used.

Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances", IC2E 2015.
)doc");
  core.def("economy_plan", &plan, "usage"_a, py::kw_only(), "forecaster"_a = "ses",
           "confidences"_a = std::vector<double>{0.5, 0.6, 0.7, 0.8, 0.9}, "price"_a = 0.7,
           (std::string(R"doc(
Say how much of the capacity can be promised from now on (docs/economy.md).

Args:)doc") +
            kEconomyArguments + R"doc(
    forecaster: ses, mean, minimum, arima or ets; the last two need statsmodels.
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
