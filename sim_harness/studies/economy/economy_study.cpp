#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <utility>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/imports/workload_list.hpp"
#include "sim_harness/experiments/grid/stored_axes.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/studies/promises/economy.hpp"
#include "sim_harness/studies/promises/economy_keys.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/studies.hpp"

namespace cospot {
namespace {

struct EconomyResult : BacktestResult {
  std::size_t fallbacks = 0;
};

/// A share, in percent.
template <double BacktestResult::*kShare>
Measure<EconomyResult> share_column(const char* name, const char* unit, const char* meaning) {
  return measure<EconomyResult>({.name = name, .unit = unit, .meaning = meaning, .decimals = 4},
                                [](const EconomyResult& one) { return 100 * (one.*kShare); });
}

const std::vector<Measure<EconomyResult>>& measures() {
  using E = EconomyResult;
  static constexpr const char* kOfCapacity = "% of capacity";
  static const std::vector<Measure<E>> all{
      measure<E>({.name = "cycles", .unit = "cycles", .meaning = "predictions made"}, &E::cycles),
      share_column<&E::quantity>("quantity_percent", kOfCapacity,
                                 "promised as Economy (f_e); mean over cycles"),
      share_column<&E::quantity_sd>("quantity_sd_percent", kOfCapacity,
                                    "its standard deviation over cycles"),
      share_column<&E::availability>("availability_percent", "%",
                                     "periods without a shortage; mean over cycles"),
      share_column<&E::availability_least>("availability_least_percent", "%",
                                           "the same in the worst cycle"),
      measure<E>(
          {.name = "short_periods", .unit = "periods", .meaning = "with a shortage, all cycles"},
          &E::short_periods),
      share_column<&E::wastage>("wastage_percent", kOfCapacity,
                                "free beyond the promise; mean over all periods"),
      share_column<&E::shortage>("shortage_percent", kOfCapacity,
                                 "missing from the promise; mean over all periods"),
      share_column<&E::slack>("slack_percent", kOfCapacity,
                              "that could be sold at all (f_slack); mean over cycles"),
      share_column<&E::penalty>("penalty_percent", "% of bills",
                                "paid back (X_e); mean over cycles"),
      measure<E>({.name = "theta",
                  .meaning = "profit with the Economy class over that without; empty where "
                             "there is no slack to sell",
                  .may_be_null = true,
                  .decimals = 4},
                 &E::theta),
      measure<&E::fallbacks>({.name = "fallbacks",
                              .unit = "cycles",
                              .meaning = "in which no model converged and the mean was used"})};
  return all;
}

/// A file of the study, read.
struct Settings {
  std::vector<WorkloadSpec> usage{};
  std::vector<std::string> forecasters{};
  std::vector<double> confidences{0.9};
  std::vector<double> prices{0.7};
  EconomySettings economy{};
};

std::vector<WorkloadSpec> read_usage(const StudyFile& file) {
  std::vector<WorkloadSpec> usage =
      read_workloads(require_key(file.root, "study economy", "usage"), file.folder, "usage");
  std::optional<SimTime> window = file.window;
  const ConfigNode* days = file.root.find("window_days");
  if (days != nullptr && !window) window = read_window_days(*days);
  for (WorkloadSpec& spec : usage) {
    if (window) spec.window = window;
  }
  return usage;
}

const Axis<Settings, WorkloadSpec> kUsageAxis{
    .name = "usage",
    .meaning = "label of the usage series or workload",
    .values = &Settings::usage,
    .read_all = [](const StudyFile& file, const Settings&) { return read_usage(file); },
    .keys = {"usage", "window_days"}};
const Axis<Settings, std::string> kForecasterAxis{.name = "forecaster",
                                                  .meaning = "what predicts the slack",
                                                  .values = &Settings::forecasters,
                                                  .read = read_label};
const Axis<Settings, double> kConfidenceAxis{
    .name = "confidence",
    .meaning = "that the slack is not lower (gamma); 0: no interval",
    .values = &Settings::confidences,
    .read = [](const auto& item, auto key) { return read_number(item, key, 0, 0.999999); }};
const Axis<Settings, double> kPriceAxis{
    .name = "price",
    .unit = "on-demand price = 1",
    .meaning = "of the Economy class",
    .values = &Settings::prices,
    .read = [](const auto& item, auto key) { return read_number(item, key, 0, 1); }};

const SettingTable<Settings>& table() {
  static const SettingTable<Settings> made(
      "study economy", {kUsageAxis, kForecasterAxis, kConfidenceAxis, kPriceAxis,
                        economy_setting(&Settings::economy)});
  return made;
}

const Schema& schema() {
  static const Schema made{.study = "economy",
                           .axes = table().columns(),
                           .measures = columns_of(std::span(measures())),
                           .views = {}};
  return made;
}

/// The data that the runs share: the cycles of each usage series, and their forecasts by
/// forecaster.
struct Shared {
  std::vector<std::vector<CycleData>> cycles;
  std::vector<std::vector<std::vector<Forecast>>> forecasts;
};

EconomyResult simulate(const Shared& shared, const GridPoint<Settings>& at) {
  const EconomySettings& economy = at.settings().economy;
  const std::vector<CycleData>& cycles = shared.cycles[at.index(kUsageAxis)];
  const std::vector<Forecast>& forecasts =
      shared.forecasts[at.index(kUsageAxis)][at.index(kForecasterAxis)];
  const PromiseSettings promise = economy.promise_at(at.get(kConfidenceAxis));
  const ClassPrices prices{.economy = at.get(kPriceAxis),
                           .opportunistic = economy.opportunistic_price};
  const auto fallbacks =
      std::ranges::count_if(forecasts, [](const Forecast& one) { return !one.note.empty(); });
  return {sum_up(judge_all(forecasts, cycles, promise), prices, promise.penalty.on_all_revenue),
          static_cast<std::size_t>(fallbacks)};
}

std::vector<std::string> fallback_warnings(const Settings& settings, const Shared& shared) {
  std::vector<std::string> warnings;
  for (std::size_t usage = 0; usage < shared.forecasts.size(); ++usage) {
    for (std::size_t i = 0; i < settings.forecasters.size(); ++i) {
      for (std::size_t cycle = 0; cycle < shared.forecasts[usage][i].size(); ++cycle) {
        const Forecast& forecast = shared.forecasts[usage][i][cycle];
        if (forecast.note.empty()) continue;
        warnings.push_back(
            fmt::format("{}: cycle {}: {}", settings.usage[usage].label, cycle + 1, forecast.note));
      }
    }
  }
  return warnings;
}

Experiment load(const Settings& settings) {
  Experiment experiment{.schema = schema(),
                        .axes = table().axes(settings),
                        .group_by = axis_names(kUsageAxis, kForecasterAxis),  // the same forecasts
                        .configuration = compact_json(table().json(settings))};
  mark_upper_bound(experiment.axes, kForecasterAxis.name, "oracle");
  const auto shared = std::make_shared<Shared>();
  for (const WorkloadSpec& spec : settings.usage) {
    const EconomyInput input = load_economy_input(spec, settings.economy);
    experiment.inputs.push_back({.label = spec.label, .sha256 = input.sha256, .name = input.name});
    shared->cycles.push_back(cycles_of(input, settings.economy));
    if (input.periods.repeated == 0) continue;
    experiment.warnings.push_back(
        fmt::format("{}: {} of {} periods are gaps; each repeats the one "
                    "before it",
                    spec.label, input.periods.repeated, input.periods.size()));
  }
  shared->forecasts = make_all_forecasts(settings.forecasters, shared->cycles, settings.economy,
                                         std::max(1U, std::thread::hardware_concurrency()));
  for (std::size_t i = 0; i < settings.usage.size(); ++i) {
    // Two machines whose statsmodels differ must not fill one database.
    experiment.inputs.push_back({.label = "forecasts of " + settings.usage[i].label,
                                 .sha256 = sha256_of(shared->forecasts[i]),
                                 .name = "forecasts of " + settings.usage[i].label});
  }
  for (std::string& warning : fallback_warnings(settings, *shared)) {
    experiment.warnings.push_back(std::move(warning));
  }
  experiment.run_group = [settings, shared, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordRun& record) {
    for (const std::size_t run : pending) {
      record(run, values_of(std::span(measures()),
                            simulate(*shared, table().at(settings, grid.coordinates(run)))));
    }
  };
  return experiment;
}

const StudyFigures& figures() {
  static const StudyFigures made{
      .title = "Economy class, promised for a whole horizon",
      .figures = {{.name = "quantity_percent",
                   .title = "promised",
                   .unit = FigureUnit::kPercent,
                   .decimals = 1,
                   .meaning = "of the capacity"},
                  {.name = "availability_percent",
                   .title = "availability",
                   .unit = FigureUnit::kPercent,
                   .decimals = 1,
                   .meaning = "periods without a shortage",
                   .better = Better::kHigh},
                  {.name = "availability_least_percent",
                   .title = "worst availability",
                   .unit = FigureUnit::kPercent,
                   .decimals = 1,
                   .meaning = "of one cycle"},
                  {.name = "wastage_percent",
                   .title = "wastage",
                   .unit = FigureUnit::kPercent,
                   .decimals = 1,
                   .meaning = "of the capacity"},
                  {.name = "shortage_percent",
                   .title = "shortage",
                   .unit = FigureUnit::kPercent,
                   .decimals = 1,
                   .meaning = "of the capacity"},
                  {.name = "theta",
                   .title = "theta",
                   .unit = FigureUnit::kNumber,
                   .decimals = 3,
                   .meaning =
                       "above the oracle's it is that of promises that were broken: availability "
                       "comes first",
                   .better = Better::kHigh,
                   .is_signed = true}},
      .is_sold_once = true};
  return made;
}

}  // namespace

Study economy_study() {
  return {.name = "economy",
          .summary = "how much unused capacity can be promised for months",
          .page = "docs/economy.md",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = table().read(file)] { return load(settings); };
          },
          .figures = [](const Schema&) { return figures(); }};
}

}  // namespace cospot
