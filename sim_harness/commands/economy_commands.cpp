#include "sim_harness/commands/economy_commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/commands/number_range.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/commands/window_option.hpp"
#include "sim_harness/configuration/config_value.hpp"
#include "sim_harness/files/output_file.hpp"
#include "sim_harness/files/stored_file.hpp"
#include "sim_harness/studies/economy/backtest_report.hpp"
#include "sim_harness/studies/economy/backtest_text.hpp"
#include "sim_harness/studies/economy/economy_keys.hpp"
#include "sim_harness/usage/forecast_file.hpp"
#include "sim_harness/workloads/load_workload.hpp"

namespace cospot {
namespace {

constexpr double kMostConfidence = 0.999999;

struct EconomyArguments {
  std::string usage;
  std::vector<std::string> forecasters;
  std::vector<double> confidences{0.5, 0.6, 0.7, 0.8, 0.9};
  std::vector<double> prices{0.7};
  std::vector<std::pair<std::string, std::string>> keys;  // and their values, as a study file's
  std::vector<std::string> overrides;
  std::string output;
  bool json = false;
  WindowOption window;
};

EconomySettings settings_of(const EconomyArguments& arguments) {
  ConfigNode root;
  root.kind = ConfigNode::Kind::kMapping;
  root.where = "economy";
  for (const std::string& assignment : arguments.overrides) apply_override(root, assignment);
  for (const auto& [key, value] : arguments.keys) {
    if (!value.empty()) apply_override(root, key + "=" + value);
  }
  require_known_keys(root, "economy", std::span(kEconomyKeys).first(kEconomyKeys.size() - 1));
  return read_economy_settings(root, {});
}

EconomyInput load_input(const EconomyArguments& arguments, const EconomySettings& settings) {
  WorkloadSpec spec = parse_workload_spec(arguments.usage);
  spec.window = arguments.window.window();
  return load_economy_input(spec, settings);
}

BacktestRequest request_of(const EconomyArguments& arguments) {
  return {.forecasters = arguments.forecasters,
          .confidences = arguments.confidences,
          .prices = arguments.prices,
          .processes = std::max(1U, std::thread::hardware_concurrency())};
}

void run_backtest(const EconomyArguments& arguments) {
  const EconomySettings settings = settings_of(arguments);
  const EconomyInput input = load_input(arguments, settings);
  const BacktestRequest request = request_of(arguments);
  const BacktestReport report = backtest(input, settings, request);
  print(arguments.json ? backtest_json(input, settings, request, report)
                       : backtest_text(input, settings, request, report));
}

void run_plan(const EconomyArguments& arguments) {
  const EconomySettings settings = settings_of(arguments);
  const EconomyInput input = load_input(arguments, settings);
  const BacktestRequest request = request_of(arguments);
  const EconomyPlan plan = plan_promises(input, settings, request);
  print(arguments.json ? plan_json(input, settings, request, plan)
                       : plan_text(input, settings, plan));
}

void write_tasks(const EconomyArguments& arguments) {
  require_not_input("-o", arguments.output, {arguments.usage});
  const EconomySettings settings = settings_of(arguments);
  const EconomyInput input = load_input(arguments, settings);
  std::vector<CycleData> cycles = backtest_cycles(input.periods, settings.cycles());
  cycles.push_back(next_cycle(input.periods, settings.cycles()));
  std::vector<ForecastTask> tasks;
  for (const std::string& forecaster : arguments.forecasters) {
    for (const CycleData& data : cycles) tasks.push_back(task_for(forecaster, data, settings));
  }
  write_stored_file(arguments.output, forecast_tasks_text(tasks));
  print(fmt::format("{}: {} series to forecast\n", arguments.output, tasks.size()));
}

/// Options whose values are those of keys of a study file.
void add_key_options(CLI::App& command, EconomyArguments& arguments) {
  static constexpr std::array<std::array<const char*, 3>, 7> kOptions{
      {{"--period-hours", "period_hours", "Hours of a period, whose least slack counts (24)"},
       {"--training-days", "training_days", "Days known before the first promise (274)"},
       {"--horizon-days", "horizon_days", "Days that are promised (182)"},
       {"--step-days", "step_days", "Days from one promise to the next (the horizon)"},
       {"--gaps", "gaps", "Periods without a sample: refuse, or repeat the one before (refuse)"},
       {"--capacity", "capacity", "Of a workload's datacenter (what its VMs use at most)"},
       {"--forecasts", "forecasts", "ForecastTable that another program made (CSV)"}}};
  arguments.keys.reserve(kOptions.size());  // the options keep references
  for (const auto& [option, key, help] : kOptions) {
    command.add_option(option, arguments.keys.emplace_back(key, "").second, help);
  }
  command
      .add_option("--set", arguments.overrides,
                  "Set any key of the study `economy`: penalty_percent=10")
      ->allow_extra_args(false);
}

std::shared_ptr<EconomyArguments> add_input(CLI::App& command,
                                            std::vector<std::string> forecasters) {
  auto arguments = std::make_shared<EconomyArguments>();
  arguments->forecasters = std::move(forecasters);
  command
      .add_option(
          "USAGE", arguments->usage,
          "Usage over time (CSV: time_s,capacity,used), log of batch jobs, workload file or "
          "spec")
      ->required();
  command
      .add_option("--forecaster", arguments->forecasters,
                  "mean, minimum, arima, ets (these two need statsmodels), oracle")
      ->delimiter(',')
      ->capture_default_str();
  add_key_options(command, *arguments);
  arguments->window.add_to(command);
  return arguments;
}

void add_judging(CLI::App& command, EconomyArguments& arguments) {
  command
      .add_option("--confidence", arguments.confidences,
                  "That the slack is not lower than promised; 0: no interval")
      ->delimiter(',')
      ->check(number_between(0, kMostConfidence))
      ->capture_default_str();
  command.add_option("--price", arguments.prices, "Price of the Economy class; on-demand is 1")
      ->delimiter(',')
      ->check(number_between(0, 1))
      ->capture_default_str();
  command.add_flag("--json", arguments.json, "Print JSON (docs/json.md)");
}

}  // namespace

void add_economy_commands(CLI::App& app) {
  CLI::App* economy =
      app.add_subcommand("economy", "Promise unused capacity for months (the Economy class)");
  economy->require_subcommand(1);
  CLI::App* plan = economy->add_subcommand("plan", "Say how much can be promised from now on");
  const auto planning = add_input(*plan, {"ets"});
  plan->get_option("--forecaster")->expected(1);
  add_judging(*plan, *planning);
  plan->callback([planning] { run_plan(*planning); });

  CLI::App* backtest = economy->add_subcommand(
      "backtest", "Make the same promises in the past and judge them by what came");
  const auto testing = add_input(*backtest, {"mean", "minimum", "ets", "oracle"});
  add_judging(*backtest, *testing);
  backtest->callback([testing] { run_backtest(*testing); });

  CLI::App* tasks =
      economy->add_subcommand("tasks", "Write the series that another program is to forecast");
  const auto writing = add_input(*tasks, {"ets"});
  tasks->add_option("-o,--output", writing->output, "CSV file to write")->required();
  tasks->callback([writing] { write_tasks(*writing); });
}

}  // namespace cospot
