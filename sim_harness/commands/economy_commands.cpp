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
#include "core/parse_number.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/commands/cloud.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/usage/forecast_file.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/studies/economy/backtest_report.hpp"
#include "sim_harness/studies/promises/economy_keys.hpp"

namespace cospot {
namespace {

constexpr double kMostConfidence = 0.999999;
/// The price of an Economy instance as a share of the one on demand, as in the paper.
constexpr double kUsualPrice = 0.7;

struct EconomyArguments {
  std::string usage;
  std::vector<std::string> forecasters;
  std::vector<double> confidences{0.5, 0.6, 0.7, 0.8, 0.9};
  std::vector<std::string> prices{};  ///< empty: those of a study file, or 0.7
  DatacenterOptions hosts;
  std::vector<std::pair<std::string, std::string>> keys;  // and their values, as a study file's
  std::vector<std::string> overrides;
  std::string output;
  bool json = false;
  WindowOption window;
};

/// The cloud whose idle capacity is promised; nothing for usage alone.
std::optional<NamedCloud> promised_cloud(const EconomyArguments& arguments, PolicyLoader& loader) {
  return named_cloud(arguments.usage, arguments.window.window(), loader, arguments.hosts);
}

/// The sum of a resource over the hosts of a cloud.
std::int64_t capacity_of(const NamedCloud& cloud, const ConfigNode& root) {
  const HostMix::Sum sum = cloud.settings.host.sum(cloud.hosts());
  const ConfigNode* resource = root.find("resource");
  return resource != nullptr && resource->text == "memory_mb" ? sum.memory_mb : sum.vcpus;
}

ConfigNode keys_of(const EconomyArguments& arguments) {
  ConfigNode root;
  root.kind = ConfigNode::Kind::kMapping;
  root.where = "economy";
  for (const std::string& assignment : arguments.overrides) apply_override(root, assignment);
  for (const auto& [key, value] : arguments.keys) {
    if (!value.empty()) apply_override(root, key + "=" + value);
  }
  return root;
}

EconomySettings settings_of(const EconomyArguments& arguments,
                            const std::optional<NamedCloud>& cloud) {
  ConfigNode root = keys_of(arguments);
  require_known_keys(root, "economy", economy_keys());
  if (!cloud) return read_economy_settings(root, {});
  if (root.find("capacity") != nullptr) {
    throw ConfigError("--capacity: the hosts state it; expected hosts or a capacity");
  }
  apply_override(root, fmt::format("capacity={}", capacity_of(*cloud, root)));
  for (const std::string_view key : economy_keys()) {
    const ConfigNode* value = cloud->stated.root.find(key);
    if (value != nullptr && root.find(key) == nullptr) {
      root.entries.push_back({std::string(key), value->where, *value});
    }
  }
  return read_economy_settings(root, cloud->stated.folder);
}

WorkloadSpec usage_spec(const EconomyArguments& arguments, const std::optional<NamedCloud>& cloud) {
  if (cloud) return cloud->settings.workloads.front();
  WorkloadSpec spec = parse_workload_spec(arguments.usage);
  spec.window = arguments.window.window();
  return spec;
}

EconomyInput load_input(const EconomyArguments& arguments, const std::optional<NamedCloud>& cloud,
                        const EconomySettings& settings) {
  EconomyInput input = load_economy_input(usage_spec(arguments, cloud), settings);
  print_warnings(input.warnings);
  return input;
}

/// Spots cost what --price says they do: theta compares with selling them.
void set_spot_price(const VcpuHourPrices& prices, const EconomyArguments& arguments,
                    EconomySettings& settings) {
  if (keys_of(arguments).find("opportunistic_price") != nullptr) {
    throw ConfigError(
        "--price says what spots cost, and so does --set opportunistic_price; expected one of the "
        "two");
  }
  settings.opportunistic_price = prices.spot / prices.on_demand;
}

BacktestRequest request_of(const EconomyArguments& arguments,
                           const std::optional<NamedCloud>& cloud, EconomySettings& settings) {
  BacktestRequest request{.forecasters = arguments.forecasters,
                          .confidences = arguments.confidences,
                          .prices = {},
                          .processes = threads_of_machine()};
  std::vector<std::string> given = arguments.prices;
  if (given.empty() && cloud) given = read_price_key(cloud->stated.root, cloud->stated.folder);
  if (given.empty()) given = {fmt::format("{}", kUsualPrice)};
  const bool is_money = std::ranges::any_of(given, [](const std::string& text) {
    return text.find('=') != std::string::npos || text.ends_with(".csv") || is_yaml_file(text);
  });
  if (!is_money) {
    for (const std::string& text : given) {
      std::string value = text;
      if (const std::string wrong = number_between(0, 1)(value); !wrong.empty()) {
        throw ConfigError("--price: " + wrong + ", or prices such as on-demand=0.04");
      }
      request.prices.push_back(parse_number(value).value());
    }
    return request;
  }
  const PriceList list = *read_price_list(given);
  VcpuHourPrices prices = vcpu_hour_prices(list, usage_spec(arguments, cloud));
  // A study file need not say what nothing of it sells.
  if (arguments.prices.empty() && !prices.economy) prices.economy = kUsualPrice * prices.on_demand;
  if (!prices.economy || prices.on_demand <= 0) {
    throw ConfigError(
        "--price: expected economy=PRICE beside on-demand=PRICE and spot=PRICE of a vCPU-hour");
  }
  if (settings.resource == UsageResource::kMemoryMb) {
    throw ConfigError(
        "--price: vCPU-hours have prices, and the resource is memory_mb; expected a price as a "
        "share of the on-demand price, such as 0.7");
  }
  set_spot_price(prices, arguments, settings);
  request.prices = {*prices.economy / prices.on_demand};
  request.economy_price = prices.economy;
  request.currency = list.currency;
  return request;
}

void run_backtest(const EconomyArguments& arguments, PolicyLoader& loader) {
  const std::optional<NamedCloud> cloud = promised_cloud(arguments, loader);
  EconomySettings settings = settings_of(arguments, cloud);
  const EconomyInput input = load_input(arguments, cloud, settings);
  const BacktestRequest request = request_of(arguments, cloud, settings);
  const BacktestReport report = backtest(input, settings, request);
  if (arguments.json) return print_json(backtest_json(input, settings, request, report));
  print(backtest_text(input, settings, request, report));
}

void run_plan(const EconomyArguments& arguments, PolicyLoader& loader) {
  const std::optional<NamedCloud> cloud = promised_cloud(arguments, loader);
  EconomySettings settings = settings_of(arguments, cloud);
  const EconomyInput input = load_input(arguments, cloud, settings);
  const BacktestRequest request = request_of(arguments, cloud, settings);
  const EconomyPlan plan = plan_promises(input, settings, request);
  if (arguments.json) return print_json(plan_json(input, settings, request.prices.front(), plan));
  print(plan_text(input, settings, plan, request.currency));
}

void write_tasks(const EconomyArguments& arguments, PolicyLoader& loader) {
  require_usable_output("-o", arguments.output, {arguments.usage});
  const std::optional<NamedCloud> cloud = promised_cloud(arguments, loader);
  const EconomySettings settings = settings_of(arguments, cloud);
  const EconomyInput input = load_input(arguments, cloud, settings);
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
  static constexpr std::array<std::array<const char*, 3>, 8> kOptions{
      {{"--period-hours", "period_hours",
        "Hours of a period; a period counts with its lowest idle capacity (default: 24)"},
       {"--training-days", "training_days", "Days of data before the first promise (default: 274)"},
       {"--horizon-days", "horizon_days", "Days that a promise covers (default: 182)"},
       {"--step-days", "step_days", "Days from one promise to the next (default: the horizon)"},
       {"--gaps", "gaps",
        "Periods without a sample: refuse, or repeat the one before (default: refuse)"},
       {"--capacity", "capacity",
        "vCPUs of the datacenter of a workload (default: the peak use of its VMs)"},
       {"--forecasts", "forecasts", "Forecasts made by another program (CSV)"},
       {"--time-zone", "time_zone",
        "Time zone of dates without an offset, such as Europe/Berlin (default: UTC)"}}};
  arguments.keys.reserve(kOptions.size());  // the options keep references
  for (const auto& [option, key, help] : kOptions) {
    command.add_option(option, arguments.keys.emplace_back(key, "").second, help);
  }
  add_set_option(command, arguments.overrides,
                 "Set any key of the study `economy`: penalty_percent=10");
}

std::shared_ptr<EconomyArguments> add_input(CLI::App& command,
                                            std::vector<std::string> forecasters) {
  auto arguments = std::make_shared<EconomyArguments>();
  arguments->forecasters = std::move(forecasters);
  arguments->hosts.add_to(command);
  command
      .add_option(
          "USAGE", arguments->usage,
          "Usage over time (CSV: time_s,capacity,used), log of batch jobs, workload file or "
          "spec, or the study file (YAML) of a cloud")
      ->required();
  command
      .add_option("--forecaster", arguments->forecasters,
                  "ses, mean, minimum, arima, ets (these two need statsmodels), oracle")
      ->delimiter(',')
      ->capture_default_str();
  add_key_options(command, *arguments);
  arguments->window.add_to(command);
  return arguments;
}

void add_judging(CLI::App& command, EconomyArguments& arguments) {
  command
      .add_option("--confidence", arguments.confidences,
                  "Probability that the idle capacity is at least what is promised; 0: promise the "
                  "forecast itself")
      ->delimiter(',')
      ->check(number_between(0, kMostConfidence))
      ->capture_default_str();
  command
      .add_option("--price", arguments.prices,
                  "Prices of a vCPU-hour: on-demand=P,spot=P,economy=P[,currency=NAME], or a CSV "
                  "file of prices by flavor; or prices of the Economy class as shares of the "
                  "on-demand price (default: those of the study file, or 0.7)")
      ->delimiter(',');
  add_json_flag(command, arguments.json);
}

}  // namespace

void add_economy_commands(CLI::App& app, PolicyLoader& loader) {
  CLI::App* economy =
      app.add_subcommand("economy", "Promise unused capacity for months (the Economy class)");
  economy->require_subcommand(1);
  CLI::App* plan = economy->add_subcommand("plan", "Compute how much capacity can be promised now");
  const auto planning = add_input(*plan, {});
  plan->get_option("--forecaster")
      ->expected(1)
      ->description(
          "ses, mean, minimum, arima or ets (these two need statsmodels) (default: of the first "
          "three, the one that promises most among those that kept their past promises)");
  add_judging(*plan, *planning);
  plan->callback([planning, &loader] { run_plan(*planning, loader); });

  CLI::App* backtest = economy->add_subcommand(
      "backtest", "Make the same promises on past data and check whether they were kept");
  const auto testing = add_input(*backtest, {"ses", "mean", "minimum", "oracle"});
  add_judging(*backtest, *testing);
  backtest->callback([testing, &loader] { run_backtest(*testing, loader); });

  CLI::App* tasks =
      economy->add_subcommand("tasks", "Write the time series for another program to forecast");
  const auto writing = add_input(*tasks, {"ets"});
  tasks->add_option("-o,--output", writing->output, "CSV file to write")->required();
  tasks->callback([writing, &loader] { write_tasks(*writing, loader); });
}

}  // namespace cospot
