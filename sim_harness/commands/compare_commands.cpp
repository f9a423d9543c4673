#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/printable_text.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/interrupt/interrupt_signals.hpp"
#include "sim_harness/base/text/shell_word.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"
#include "sim_harness/commands/cloud.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/experiments/grid/stored_axes.hpp"
#include "sim_harness/experiments/queue/merge_databases.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"
#include "sim_harness/studies/stored_prices.hpp"

namespace cospot {
namespace {

constexpr const char* kTimingHelp =
    "on, or off: print 0 for every time, so that output is reproducible";

struct CompareArguments {
  std::string sweep;
  std::vector<std::string> overrides;
  std::size_t threads = threads_of_machine();
  std::string database = "results.db";
  std::string csv;
  std::string shard = "1/1";
  bool resume = false;
  bool force = false;
  TimingOption timing;
  bool quiet = false;
  WindowOption window;
  PriceOption price;
  std::optional<bool> timeline;
  std::string timeline_csv;
};

struct MergeArguments {
  std::string output;
  std::vector<std::string> inputs;
  bool force = false;
};

struct SummaryArguments {
  std::string database;
  std::string csv;
  TimingOption timing;
  bool json = false;
  PriceOption price;
  std::string timeline_csv;
};

/// The CSV outputs of a database: the option, and its file or nothing.
using CsvOutputs = std::array<std::pair<const char*, std::string>, 2>;

template <class Arguments>
CsvOutputs csv_outputs(const Arguments& arguments) {
  return {{{"--csv", arguments.csv}, {"--timeline-csv", arguments.timeline_csv}}};
}

void require_other_files(const CsvOutputs& outputs, const std::string& database) {
  for (const auto& [option, file] : outputs) {
    if (file.empty() || !is_same_file(file, database)) continue;
    throw InputError(
        fmt::format("{} {}: is the results database; choose another file", option, file));
  }
  const std::string& timeline = outputs.back().second;
  if (timeline.empty() || !is_same_file(timeline, outputs.front().second)) return;
  throw InputError("--timeline-csv " + timeline + ": is the file of --csv; choose another file");
}

/// An output of a comparison must not take the place of what it reads.
void require_outputs_apart(const CompareArguments& arguments, const StudyFile& file) {
  std::vector<std::filesystem::path> inputs = files_of_study(arguments.sweep, file);
  const std::vector<std::string>& prices = arguments.price.texts();
  inputs.insert(inputs.end(), prices.begin(), prices.end());
  for (const auto& [option, csv] : csv_outputs(arguments))
    require_usable_output(option, csv, inputs);
  require_usable_output("--db", arguments.database, inputs);
}

std::string command_text(const CompareArguments& arguments) {
  std::string text =
      "cospot compare " + shell_word(arguments.sweep) + set_arguments(arguments.overrides);
  if (arguments.timeline) text += *arguments.timeline ? " --timeline" : " --no-timeline";
  return text + arguments.window.text();
}

ExperimentOptions experiment_options(const CompareArguments& arguments) {
  ExperimentOptions options;
  options.threads = arguments.threads;
  options.database = arguments.database;
  options.if_present = arguments.resume  ? IfPresent::kResume
                       : arguments.force ? IfPresent::kReplace
                                         : IfPresent::kRefuse;
  options.shard = parse_shard(arguments.shard);
  options.timing = arguments.timing.timing();
  options.command = command_text(arguments);
  return options;
}

/// Writes what is asked for as CSV.
template <class Arguments>
void write_csvs(const Arguments& arguments, ResultsDatabase& results) {
  if (!arguments.csv.empty()) write_csv(arguments.csv, results, arguments.timing.timing());
  if (!arguments.timeline_csv.empty()) write_timeline_csv(arguments.timeline_csv, results);
}

/// A timeline takes less than a tenth of a run's time. A database continues as it was started.
bool keeps_timeline(const CompareArguments& arguments, const Study& study) {
  if (arguments.timeline) return *arguments.timeline;
  if (!arguments.timeline_csv.empty()) return true;
  if (study.provider == nullptr) return false;
  std::error_code error;
  if (!arguments.resume || !std::filesystem::exists(arguments.database, error)) return true;
  return !ResultsDatabase(arguments.database).schema().timeline.empty();
}

void run_compare(const CompareArguments& arguments, const CompareCommandContext& context) {
  const ExperimentOptions options = experiment_options(arguments);
  const ShowMeters meters(!arguments.quiet);
  StudyFile file = read_study_file(arguments.sweep, arguments.overrides, arguments.window.window(),
                                   *context.policies);
  file.keeps_timeline = keeps_timeline(arguments, context.studies->chosen_by(file.root));
  require_outputs_apart(arguments, file);
  const LoadExperiment load = read_experiment(*context.studies, file);
  const std::optional<WorkloadPrices> prices =
      prices_of_study(*context.studies, arguments.price.or_of(file).prices(), file);
  require_other_files(csv_outputs(arguments), arguments.database);
  for (const auto& [option, csv] : csv_outputs(arguments)) {
    if (!csv.empty()) require_writable(csv);
  }
  const Experiment experiment = load();
  print_warnings(experiment.warnings);
  const std::unique_ptr<ProgressSink> progress = make_progress(arguments.quiet);
  const ExperimentOutcome outcome = run_experiment(experiment, options, *progress);
  if (outcome.interrupted) {
    fmt::print(stderr,
               "interrupted: {} of {} runs are in {}; the same command with --resume{} continues\n",
               outcome.done, outcome.total, printable_line(arguments.database),
               arguments.force ? " instead of --force" : "");
    *context.exit_code = kInterruptedExitCode;
    return;
  }
  ResultsDatabase results(arguments.database);
  write_csvs(arguments, results);
  if (prices) keep_prices(results, *prices);
  if (arguments.quiet) return;
  print(summary_text(*context.studies, results, options.timing, prices).plain());
}

void run_merge(const MergeArguments& arguments) {
  const std::vector<std::filesystem::path> inputs(arguments.inputs.begin(), arguments.inputs.end());
  const IfPresent if_present = arguments.force ? IfPresent::kReplace : IfPresent::kRefuse;
  const MergeReport report =
      merge_databases(inputs, arguments.output, if_present, "cospot merge " + arguments.output);
  print(merge_text(report, arguments.output));
}

void run_summary(const SummaryArguments& arguments, const StudyRegistry& studies) {
  const std::vector<std::string>& tables = arguments.price.texts();
  for (const auto& [option, csv] : csv_outputs(arguments)) {
    require_usable_output(option, csv, {tables.begin(), tables.end()});
  }
  require_other_files(csv_outputs(arguments), arguments.database);
  const std::optional<PriceList> list = arguments.price.prices();
  const Timing timing = arguments.timing.timing();
  ResultsDatabase results = open_results(studies, arguments.database);
  require_on_axes(results, results.axes());
  write_csvs(arguments, results);
  const std::optional<WorkloadPrices> prices =
      list ? prices_of_results(studies, *list, results) : kept_prices(results);
  print(arguments.json ? summary_json(studies, results, timing, prices) + "\n"
                       : summary_text(studies, results, timing, prices).plain());
}

void add_compare(CLI::App& app, const CompareCommandContext& context) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand("compare", "Run every combination of a study file");
  command->add_option("STUDY", arguments->sweep, "Study file (YAML)")->required();
  add_set_option(*command, arguments->overrides, "Override a key: otn=[1,4], host.vcpus=64");
  arguments->window.add_to(*command);
  add_threads_option(*command, arguments->threads, "Threads")->capture_default_str();
  command->add_option("--db", arguments->database, "Results database (SQLite)")
      ->capture_default_str();
  command->add_option("--csv", arguments->csv, "Write the results as CSV too");
  CLI::Option* timeline = command->add_flag_callback(
      "--timeline", [arguments] { arguments->timeline = true; },
      "Record daily totals of each run (default): hosts in use, VMs, spots, evictions, revenue");
  CLI::Option* no_timeline = command->add_flag_callback(
      "--no-timeline", [arguments] { arguments->timeline = false; }, "Record no daily totals");
  command->add_option("--timeline-csv", arguments->timeline_csv, "Write these totals as CSV too")
      ->excludes(no_timeline->excludes(timeline));
  command->add_option("--shard", arguments->shard, "Run shard I of N")->capture_default_str();
  CLI::Option* resume =
      command->add_flag("--resume", arguments->resume, "Continue the database, or start it");
  command->add_flag("--force", arguments->force, "Replace the database")->excludes(resume);
  arguments->timing.add_to(*command, kTimingHelp);
  command->add_flag("-q,--quiet", arguments->quiet, "No progress and no summary");
  arguments->price.add_to(*command);
  command->callback([arguments, context] { run_compare(*arguments, context); });
}

void add_merge(CLI::App& app) {
  const auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command = app.add_subcommand("merge", "Merge the shards of a study");
  command->add_option("OUTPUT", arguments->output, "Results database to write")->required();
  command->add_option("INPUTS", arguments->inputs, "Results databases to merge")->required();
  command->add_flag("--force", arguments->force, "Replace the output");
  command->callback([arguments] { run_merge(*arguments); });
}

void add_summary(CLI::App& app, const StudyRegistry& studies) {
  const auto arguments = std::make_shared<SummaryArguments>();
  CLI::App* command = app.add_subcommand("summary", "Print the summary of a results database");
  command->add_option("DATABASE", arguments->database, "Results database")->required();
  command->add_option("--csv", arguments->csv, "Write the results as CSV too");
  command->add_option("--timeline-csv", arguments->timeline_csv, "Write daily totals as CSV too");
  add_json_flag(*command, arguments->json);
  arguments->price.add_to(*command);
  arguments->timing.add_to(*command, kTimingHelp);
  command->callback([arguments, &studies] { run_summary(*arguments, studies); });
}

}  // namespace

void add_compare_commands(CLI::App& app, const CompareCommandContext& context) {
  add_compare(app, context);
  add_merge(app);
  add_summary(app, *context.studies);
}

}  // namespace cospot
