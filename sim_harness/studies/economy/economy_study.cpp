#include "sim_harness/studies/economy/economy_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <utility>

#include "sim_harness/files/json_text.hpp"
#include "sim_harness/results/measure.hpp"
#include "sim_harness/studies/economy/economy.hpp"
#include "sim_harness/studies/economy/economy_keys.hpp"
#include "sim_harness/studies/economy/economy_text.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"
#include "sim_harness/workloads/workload_list.hpp"

namespace cospot {
namespace {

/// What a run came to; shares in percent of the capacity at each prediction.
struct EconomyResult {
  std::uint64_t cycles = 0;
  double quantity = 0;
  double quantity_sd = 0;
  double availability = 0;
  double availability_least = 0;
  std::uint64_t short_periods = 0;
  double wastage = 0;
  double shortage = 0;
  double slack = 0;
  double penalty = 0;
  std::optional<double> theta{};
  std::uint64_t fallbacks = 0;
};

const std::vector<Measure<EconomyResult>>& measures() {
  using E = EconomyResult;
  static const std::vector<Measure<E>> all{
      measure<&E::cycles>({.name = "cycles", .unit = "cycles", .meaning = "predictions made"}),
      measure<&E::quantity>({.name = "quantity_percent",
                             .unit = "% of capacity",
                             .meaning = "promised as Economy (f_e); mean over cycles",
                             .decimals = 4}),
      measure<&E::quantity_sd>({.name = "quantity_sd_percent",
                                .unit = "% of capacity",
                                .meaning = "its standard deviation over cycles",
                                .decimals = 4}),
      measure<&E::availability>({.name = "availability_percent",
                                 .unit = "%",
                                 .meaning = "periods without a shortage; mean over cycles",
                                 .decimals = 4}),
      measure<&E::availability_least>({.name = "availability_least_percent",
                                       .unit = "%",
                                       .meaning = "the same in the worst cycle",
                                       .decimals = 4}),
      measure<&E::short_periods>(
          {.name = "short_periods", .unit = "periods", .meaning = "with a shortage, all cycles"}),
      measure<&E::wastage>({.name = "wastage_percent",
                            .unit = "% of capacity",
                            .meaning = "free beyond the promise; mean over all periods",
                            .decimals = 4}),
      measure<&E::shortage>({.name = "shortage_percent",
                             .unit = "% of capacity",
                             .meaning = "missing from the promise; mean over all periods",
                             .decimals = 4}),
      measure<&E::slack>({.name = "slack_percent",
                          .unit = "% of capacity",
                          .meaning = "that could be sold at all (f_slack); mean over cycles",
                          .decimals = 4}),
      measure<&E::penalty>({.name = "penalty_percent",
                            .unit = "% of bills",
                            .meaning = "paid back (X_e); mean over cycles",
                            .decimals = 4}),
      measure<&E::theta>({.name = "theta",
                          .meaning = "profit with the Economy class over that without; empty where "
                                     "there is no slack to sell",
                          .may_be_null = true,
                          .decimals = 4}),
      measure<&E::fallbacks>({.name = "fallbacks",
                              .unit = "cycles",
                              .meaning = "in which no model converged and the mean was used"})};
  return all;
}

Column axis(const char* name, ColumnType type, const char* unit, const char* meaning) {
  return {.name = name, .role = ColumnRole::kAxis, .type = type, .unit = unit, .meaning = meaning};
}

const Schema& schema() {
  static const Schema made{
      .study = "economy",
      .axes = {axis("usage", ColumnType::kText, "", "label of the usage series or workload"),
               axis("forecaster", ColumnType::kText, "", "what predicts the slack"),
               axis("confidence", ColumnType::kNumber, "",
                    "that the slack is not lower (gamma); 0: no interval"),
               axis("price", ColumnType::kNumber, "on-demand price = 1", "of the Economy class")},
      .measures = columns_of(std::span(measures())),
      .views = {}};
  return made;
}

/// A file of the study, read.
struct Settings {
  std::vector<WorkloadSpec> usage;
  std::vector<std::string> forecasters;
  std::vector<double> confidences;
  std::vector<double> prices;
  EconomySettings economy;

  [[nodiscard]] std::string json() const {
    const auto number = [](double value) { return json_number(value); };
    const std::string axes = JsonObject()
                                 .add("usage", list_of(usage, workload_json))
                                 .add("forecaster", list_of(forecasters, json_text))
                                 .add("confidence", list_of(confidences, number))
                                 .add("price", list_of(prices, number))
                                 .text();
    return fmt::format("{},{}}}", axes.substr(0, axes.size() - 1), economy_settings_json(economy));
  }
};

std::vector<double> read_numbers(const ConfigNode& root, std::string_view key, double most,
                                 std::vector<double> otherwise) {
  const ConfigNode* node = root.find(key);
  if (node == nullptr) return otherwise;
  return read_distinct(
      *node, key, [key, most](const ConfigNode& item) { return read_number(item, key, 0, most); });
}

Settings read_settings(const StudyFile& file) {
  constexpr double kMostConfidence = 0.999999;
  const ConfigNode& root = file.root;
  std::vector<std::string_view> keys(kEconomyKeys.begin(), kEconomyKeys.end());
  keys.insert(keys.end(), {"usage", "forecaster", "confidence", "price", "window_days"});
  require_known_keys(root, "study economy", keys);
  Settings settings;
  settings.usage =
      read_workloads(require_key(root, "study economy", "usage"), file.folder, "usage");
  std::optional<SimTime> window = file.window;
  if (const ConfigNode* days = root.find("window_days"))
    window = window.value_or(read_window_days(*days));
  for (WorkloadSpec& spec : settings.usage) {
    if (window) spec.window = window;
  }
  settings.forecasters =
      read_distinct(require_key(root, "study economy", "forecaster"), "forecaster",
                    [](const ConfigNode& item) { return read_label(item, "forecaster"); });
  settings.confidences = read_numbers(root, "confidence", kMostConfidence, {0.9});
  settings.prices = read_numbers(root, "price", 1, {0.7});
  settings.economy = read_economy_settings(root, file.folder);
  return settings;
}

Axis text_axis(const ConfigNode& root, const std::string& name) {
  Axis axis{name, name, {}};
  for (const ConfigNode& item : require_key(root, "study economy", name).items) {
    const std::string& text =
        item.kind == ConfigNode::Kind::kMapping ? require_key(item, name, "label").text : item.text;
    axis.values.push_back({text, text, text});
  }
  return axis;
}

Axis number_axis(const ConfigNode& root, const std::string& name) {
  Axis axis{name, name, {}};
  for (const ConfigNode& item : require_key(root, "study economy", name).items) {
    axis.values.push_back({read_number(item, name, 0, 1), item.text, item.text});
  }
  return axis;
}

std::vector<Axis> axes_of(const std::string& configuration) {
  const ConfigNode root = parse_yaml(configuration, "configuration");  // JSON is YAML
  return {text_axis(root, "usage"), text_axis(root, "forecaster"), number_axis(root, "confidence"),
          number_axis(root, "price")};
}

/// What the runs share: the cycles of each usage series, and their forecasts by forecaster.
struct Shared {
  std::vector<std::vector<CycleData>> cycles;
  std::vector<std::vector<std::vector<Forecast>>> forecasts;
};

EconomyResult simulate(const Shared& shared, const Settings& settings, const Coordinates& at) {
  constexpr double kPercent = 100;
  const std::vector<CycleData>& cycles = shared.cycles[at[0]];
  const std::vector<Forecast>& forecasts = shared.forecasts[at[0]][at[1]];
  const PromiseSettings promise = settings.economy.promise_at(settings.confidences[at[2]]);
  EconomyResult result;
  std::vector<CycleOutcome> outcomes;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    outcomes.push_back(judge_cycle(forecasts[i], cycles[i], promise));
    result.fallbacks += forecasts[i].note.empty() ? 0 : 1;
  }
  const ClassPrices prices{.economy = settings.prices[at[3]],
                           .opportunistic = settings.economy.opportunistic_price};
  const BacktestResult sum = sum_up(outcomes, prices, promise.penalty.on_all_revenue);
  result.cycles = sum.cycles;
  result.quantity = sum.quantity * kPercent;
  result.quantity_sd = sum.quantity_sd * kPercent;
  result.availability = sum.availability * kPercent;
  result.availability_least = sum.availability_least * kPercent;
  result.short_periods = sum.short_periods;
  result.wastage = sum.wastage * kPercent;
  result.shortage = sum.shortage * kPercent;
  result.slack = sum.slack * kPercent;
  result.penalty = sum.penalty * kPercent;
  result.theta = sum.theta;
  return result;
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
                        .axes = axes_of(settings.json()),
                        .group_axes = 2,  // usage and forecaster: the same forecasts
                        .configuration = settings.json()};
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
                             const RecordMeasures& record) {
    for (const std::size_t run : pending) {
      record(run,
             values_of(std::span(measures()), simulate(*shared, settings, grid.coordinates(run))));
    }
  };
  return experiment;
}

}  // namespace

Study economy_study() {
  return {.name = "economy",
          .summary = "how much unused capacity can be promised for months",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = read_settings(file)] { return load(settings); };
          },
          .summary_text = economy_text};
}

}  // namespace cospot
