#include "sim_harness/commands/degradation_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/commands/threads_option.hpp"
#include "sim_harness/commands/window_option.hpp"
#include "sim_harness/files/output_file.hpp"
#include "sim_harness/files/stored_stream.hpp"
#include "sim_harness/studies/degradation/degradation_study.hpp"

namespace cospot {
namespace {

struct DegradationArguments {
  std::string sweep;
  std::vector<std::string> overrides;
  std::uint64_t seed = 1;
  std::size_t threads = threads_of_machine();
  std::string csv;
  WindowOption window;
};

/// The study file that a sweep file is when only its VMs count.
ConfigNode study_of(ConfigNode root, std::uint64_t seed) {
  std::erase_if(root.entries, [](const ConfigEntry& entry) {
    return entry.key == "spot" || entry.key == "evictor" || entry.key == "saf";
  });
  apply_override(root, "study=degradation");
  apply_override(root, fmt::format("seed={}", seed));
  return root;
}

void run_degradation(const DegradationArguments& arguments, PolicyLoader& loader) {
  StudyFile file =
      read_study_file(arguments.sweep, arguments.overrides, arguments.window.window(), loader);
  require_not_input("--csv", arguments.csv, files_of_study(arguments.sweep, file));
  file.root = study_of(std::move(file.root), arguments.seed);
  const Study study = degradation_study();
  const LoadExperiment load = study.read(file);
  if (!arguments.csv.empty()) require_csv_writable(arguments.csv);
  const Experiment experiment = load();
  print_warnings(experiment.warnings);
  NoProgress progress;
  ResultsDatabase results = run_in_memory(experiment, arguments.threads, progress);
  if (!arguments.csv.empty()) {
    StoredStream csv(arguments.csv);
    csv.write(csv_text(results, Timing::kOn));
    csv.commit();
  }
  print(study.summary_text(results, Timing::kOff));
}

}  // namespace

void add_degradation_command(CLI::App& app, PolicyLoader& loader) {
  const auto arguments = std::make_shared<DegradationArguments>();
  CLI::App* command = app.add_subcommand(
      "degradation", "Measure how sensitive VM placement is to a loosely followed ranking");
  command
      ->add_option("SWEEP", arguments->sweep,
                   "Sweep file (YAML); its otn is N, spots and evictors play no part")
      ->required();
  command->add_option("--set", arguments->overrides, "Override a key: otn=[1,4], host.vcpus=64")
      ->allow_extra_args(false);
  arguments->window.add_to(*command);
  command->add_option("--seed", arguments->seed, "Random seed")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{std::numeric_limits<std::int64_t>::max()}))
      ->capture_default_str();
  add_threads_option(*command, arguments->threads, "Workloads simulated at once");
  command->add_option("--csv", arguments->csv,
                      "Write a line for every run; gzip-compressed if it ends in .gz");
  command->callback([arguments, &loader] { run_degradation(*arguments, loader); });
}

}  // namespace cospot
