#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/studies/broker/recommendation.hpp"
#include "sim_harness/studies/broker/single_run.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

struct BrokerArguments {
  std::string file;
  std::vector<std::string> overrides;
  std::string events;
  std::optional<double> max_late_percent;
  std::size_t threads = threads_of_machine();
  double hold_out_percent = kHeldOutPercent;
  bool json = false;
  bool quiet = false;
};

void run_once(const BrokerArguments& arguments, PolicyLoader& loader) {
  const StudyFile file = read_study_file(arguments.file, arguments.overrides, std::nullopt, loader);
  require_usable_output("--events", arguments.events, files_of_study(arguments.file, file));
  const BrokerFigures result =
      run_single(require_broker_study(file.root, file.folder, arguments.file), arguments.file,
                 arguments.events);
  if (arguments.json) return print_json(result_json(result));
  print(result_text(result));
}

void run_recommend(const BrokerArguments& arguments, PolicyLoader& loader) {
  const StudyFile file = read_study_file(arguments.file, arguments.overrides, std::nullopt, loader);
  const std::unique_ptr<ProgressSink> progress = make_progress(arguments.quiet);
  const Recommendation found = recommend(
      require_broker_study(file.root, file.folder, arguments.file, recommendation_defaults()),
      {.threads = arguments.threads,
       .progress = progress.get(),
       .hold_out_percent = arguments.hold_out_percent});
  if (arguments.json) return print_json(recommendation_json(found));
  print(recommendation_text(found));
}

CLI::App* add_command(CLI::App& broker, const char* name, const char* help,
                      const std::shared_ptr<BrokerArguments>& arguments) {
  CLI::App* command = broker.add_subcommand(name, help);
  command->add_option("STUDY", arguments->file, "Study file (YAML) with study: broker")->required();
  add_set_option(*command, arguments->overrides, "Override a key: bid=mean, alpha=2, seed=1");
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
                   "Maximum mean share of late jobs in excess of on-demand, % (default: the study "
                   "file's max_late_percent, or 1)")
      ->check(CLI::Range(0.0, 100.0));
  recommend_command
      ->add_option(
          "--hold-out", recommend->hold_out_percent,
          "Share of the price history at its end that plays no part in the choice and shows "
          "what it costs there, %; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0.0, kMostHeldOutPercent));
  add_threads_option(*recommend_command, recommend->threads, "Threads");
  recommend_command->add_flag("-q,--quiet", recommend->quiet, "No progress");
  recommend_command->callback([recommend, &loader] {
    if (recommend->max_late_percent) {
      recommend->overrides.push_back(
          fmt::format("{}={}", kMaxLateKey, *recommend->max_late_percent));
    }
    run_recommend(*recommend, loader);
  });
}

}  // namespace cospot
