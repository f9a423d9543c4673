#include "sim_harness/commands/broker_commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/broker/broker_log.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/broker/broker_figures.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"
#include "sim_harness/studies/broker/recommendation.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

struct BrokerArguments {
  std::string file;
  std::vector<std::string> overrides;
  std::string events;
  double max_late_percent = 1;
  bool json = false;
};

BrokerStudySettings settings_of(const BrokerArguments& arguments, PolicyLoader& loader) {
  StudyFile file = read_study_file(arguments.file, arguments.overrides, std::nullopt, loader);
  const ConfigNode* study = file.root.find("study");
  if (study == nullptr || study->text != "broker") {
    throw ConfigError(arguments.file + ": expected a study file with study: broker");
  }
  return read_broker_settings(file.root, file.folder);
}

/// The keys of the axes of which a file gives more than one value.
std::string wide_axes(const BrokerStudySettings& settings) {
  constexpr std::array kNames{"market",          "jobs",    "bid",           "alpha",
                              "fault_tolerance", "billing", "market_choice", "seed"};
  const std::vector<std::size_t> lengths = axis_lengths(settings);
  std::string wide;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > 1) wide += (wide.empty() ? "" : ", ") + std::string(kNames[i]);
  }
  return wide;
}

std::string result_text(const BrokerResult& result) {
  TextTable table;
  table.add_column("measure", TextTable::Align::kLeft);
  table.add_column("value");
  table.add_column("unit", TextTable::Align::kLeft);
  const BrokerFigures figures = figures_of(result);
  for (const Measure<BrokerFigures>& one : broker_measures()) {
    const Value value = one.read(figures);
    const auto* number = std::get_if<double>(&value);
    table.add_row(
        {one.column.name,
         number != nullptr ? fmt::format("{:.5g}", *number) : csv_value(one.column, value),
         one.column.unit});
  }
  return table.text();
}

std::string result_json(const BrokerResult& result) {
  JsonObject object;
  const BrokerFigures figures = figures_of(result);
  for (const Measure<BrokerFigures>& one : broker_measures()) {
    object.add(one.column.name, json_value(one.column, one.read(figures)));
  }
  return object.text() + "\n";
}

void run_once(const BrokerArguments& arguments, PolicyLoader& loader) {
  const BrokerStudySettings settings = settings_of(arguments, loader);
  if (const std::string wide = wide_axes(settings); !wide.empty()) {
    throw ConfigError(arguments.file + ": more than one value of: " + wide +
                      "; expected one run: choose with --set, or use cospot compare for all");
  }
  const BrokerInputs inputs = load_broker_inputs(settings);
  std::optional<BrokerLog> log;
  if (!arguments.events.empty()) log.emplace(arguments.events, inputs.markets.front());
  const BrokerResult result =
      run_broker_at(settings, inputs, Coordinates(kSeedAxis + 1, 0), false, log ? &*log : nullptr);
  if (log) log->finish();
  print(arguments.json ? result_json(result) : result_text(result));
}

void run_recommend(const BrokerArguments& arguments, PolicyLoader& loader) {
  const Recommendation found =
      recommend(settings_of(arguments, loader), arguments.max_late_percent / 100);
  print(arguments.json ? recommendation_json(found) : recommendation_text(found));
}

CLI::App* add_command(CLI::App& broker, const char* name, const char* help,
                      const std::shared_ptr<BrokerArguments>& arguments) {
  CLI::App* command = broker.add_subcommand(name, help);
  command->add_option("FILE", arguments->file, "Study file (YAML) with study: broker")->required();
  command->add_option("--set", arguments->overrides, "Override a key: bid=mean, alpha=2, seed=1")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "Print JSON");
  return command;
}

}  // namespace

void add_broker_commands(CLI::App& app, PolicyLoader& loader) {
  CLI::App* broker =
      app.add_subcommand("broker", "Run a customer's jobs on spot markets")->require_subcommand(1);
  const auto run = std::make_shared<BrokerArguments>();
  CLI::App* run_command = add_command(*broker, "run", "Simulate one run", run);
  run_command->add_option(
      "--events", run->events,
      "Write everything that happens as CSV; gzip-compressed if it ends in .gz");
  run_command->callback([run, &loader] { run_once(*run, loader); });
  const auto recommend = std::make_shared<BrokerArguments>();
  CLI::App* recommend_command =
      add_command(*broker, "recommend", "Find the cheapest way to run the jobs", recommend);
  recommend_command
      ->add_option("--max-late-percent", recommend->max_late_percent,
                   "Jobs that may be late beyond those that are late on-demand too, on the mean")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  recommend_command->callback([recommend, &loader] { run_recommend(*recommend, loader); });
}

}  // namespace cospot
