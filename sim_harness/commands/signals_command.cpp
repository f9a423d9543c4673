#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/text/shell_word.hpp"
#include "sim_harness/commands/cloud.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/rounded_days.hpp"
#include "sim_harness/experiments/queue/experiment.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/provider/study_yaml.hpp"
#include "sim_harness/studies/signals/signals_report.hpp"
#include "sim_harness/studies/signals/signals_summary.hpp"

namespace cospot {
namespace {

struct SignalsArguments {
  std::string history;
  DatacenterOptions datacenter;
  std::vector<std::string> overrides;
  std::string database;
  bool force = false;
  std::string csv;
  bool all = false;
  bool json = false;
  bool quiet = false;
  WindowOption window;
};

void require_signal_outputs_usable(const SignalsArguments& arguments, const StudyFile& file) {
  std::vector<std::filesystem::path> inputs = files_of_study(arguments.history, file);
  require_usable_output("--csv", arguments.csv, inputs);
  require_usable_output("--db", arguments.database, inputs);
  if (!arguments.csv.empty()) require_writable(arguments.csv);
}

/// The command that makes the same database again.
std::string signals_command_text(const SignalsArguments& arguments) {
  return "cospot signals " + shell_word(arguments.history) + arguments.datacenter.as_arguments() +
         set_arguments(arguments.overrides) + arguments.window.text();
}

/// Runs into the database that is asked for, or into memory.
ResultsDatabase results_of(const Experiment& experiment, const SignalsArguments& arguments) {
  const std::unique_ptr<ProgressSink> progress = make_progress(arguments.quiet);
  if (arguments.database.empty()) return run_in_memory(experiment, 1, *progress);
  const ExperimentOptions options{
      .database = arguments.database,
      .if_present = arguments.force ? IfPresent::kReplace : IfPresent::kRefuse,
      .command = signals_command_text(arguments)};
  if (run_experiment(experiment, options, *progress).interrupted) throw Interrupted();
  return ResultsDatabase(arguments.database);
}

/// Says what a history lacks of which nothing can be told.
void require_enough(const SignalsReport& report) {
  if (report.watch->last_signals().empty()) {
    throw ConfigError(report.history +
                      ": no spot is requested in it; expected a history with spots, as cospot "
                      "workload import --spot-if marks them");
  }
  if (report.watch->moments() == 0) {
    throw ConfigError(
        fmt::format("{}: no signal can be scored within {} days; expected a longer window, or "
                    "moments nearer to each other (--set signal_every_minutes=N)",
                    report.history, rounded_days_text(report.watch->window())));
  }
}

void run_signals(const SignalsArguments& arguments, PolicyLoader& loader) {
  const StudyFile file =
      with_usual(cloud_file(arguments.history, arguments.datacenter, arguments.overrides,
                            arguments.window.window(), loader));
  require_signal_outputs_usable(arguments, file);
  const ProviderStudy study(signals_preset(), file.root);
  const ProviderStudySettings settings = study.table().read(file);
  SignalsReport report{.history = arguments.history,
                       .unit = vcpus_unit_of(settings.workloads.front()),
                       .shows_all = arguments.all};
  std::vector<std::string> warnings;
  const auto note = [&](const RunOutcome& outcome) {
    report.watch = outcome.signals;
    warnings = host_warnings(report.watch->workload(), settings.host, report.unit, outcome.run(),
                             "signals differ");
  };
  const Experiment experiment = load_provider_experiment(study, settings, note);
  if (experiment.grid().run_count() != settings.signals.size()) {
    throw ConfigError(
        "--set: found several values of a key; expected one of each but 'signal' (several are a "
        "study file with study: signals, for cospot compare)");
  }
  print_warnings(experiment.warnings);
  ResultsDatabase results = results_of(experiment, arguments);
  print_warnings(warnings);
  require_enough(report);
  if (!arguments.csv.empty()) write_csv(arguments.csv, results, Timing::kOff);
  report.summary = signals_summary_of_one_run(results);
  const Figure hosts{.name = "hosts"};
  const double count = read_figures(results, {&hosts, 1}).values.front().front().value_or(0);
  report.simulated =
      simulated_text(run_settings_at(study.first_run(settings), static_cast<std::size_t>(count)));
  if (arguments.json) return print_json(signals_json(report));
  print(signals_text(report));
}

}  // namespace

void add_signals_command(CLI::App& app, PolicyLoader& loader) {
  const auto arguments = std::make_shared<SignalsArguments>();
  CLI::App* command =
      app.add_subcommand("signals", "Score signals about spots for customers on held-out time");
  command
      ->add_option(
          "HISTORY", arguments->history,
          "Workload (CSV, or a spec such as azure2020:seed=1) with VMs and spots; or the study "
          "file (YAML) of a cloud")
      ->required();
  arguments->datacenter.add_to(*command);
  add_set_option(*command, arguments->overrides,
                 "Set any key of the study `signals`: evictor=FIFO, signal=[survives:hours=12]");
  arguments->window.add_to(*command);
  CLI::Option* database = command->add_option("--db", arguments->database,
                                              "Write a row for each signal to a results database, "
                                              "for summary and report");
  command->add_flag("--force", arguments->force, "Replace the database")->needs(database);
  command->add_option("--csv", arguments->csv, "Write these rows as CSV");
  command->add_flag("--all", arguments->all, "Print signals without skill too");
  add_json_flag(*command, arguments->json);
  command->add_flag("-q,--quiet", arguments->quiet, "No progress");
  command->callback([arguments, &loader] { run_signals(*arguments, loader); });
}

}  // namespace cospot
