#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/policy/plugin.hpp"
#include "evictors/registry.hpp"
#include "sim_harness/advise/tune.hpp"
#include "sim_harness/advise/tune_around.hpp"
#include "sim_harness/advise/tune_figures.hpp"
#include "sim_harness/advise/tune_json.hpp"
#include "sim_harness/advise/tune_money.hpp"
#include "sim_harness/advise/tune_rows.hpp"
#include "sim_harness/advise/tune_text.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/text/shell_word.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/host_totals.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"

namespace cospot {
namespace {

/// The evictors of which an info `is_wanted`: "A", "A and B".
template <class IsWanted>
std::string evictors_where(const IsWanted& is_wanted) {
  return fmt::format("{}", fmt::join(names_where(evictor_registry(), is_wanted), " and "));
}

struct TuneArguments {
  std::vector<std::string> workloads;
  DatacenterOptions datacenter;
  std::string added_type;
  std::optional<double> max_vm_loss;
  std::string with;
  std::optional<std::size_t> budget;
  std::optional<std::size_t> folds;
  std::uint64_t seed = 1;
  std::size_t parts = kDefaultTuneParts;
  std::size_t threads = threads_of_machine();
  TuneCandidates candidates;
  std::string around;
  std::string csv;
  std::string database;
  bool force = false;
  bool json = false;
  bool quiet = false;
  WindowOption window;
  PriceOption price;
};

TuneSettings read_settings(const TuneArguments& arguments, PolicyLoader& loader) {
  require_distinct(arguments.workloads, "WORKLOAD");
  TuneSettings settings{.max_vm_loss = arguments.max_vm_loss.value_or(0) / 100,
                        .budget = arguments.budget,
                        .seed = arguments.seed,
                        .threads = arguments.threads};
  if (!arguments.with.empty()) {
    settings.with = parse_given_parts(arguments.with);
    if (!arguments.max_vm_loss) {
      throw ConfigError(
          "--with: VMs lose revenue by it whatever the settings are; expected --max-vm-loss too, "
          "the loss that is accepted with it");
    }
  }
  add_candidates(arguments.candidates, loader, settings);
  return settings;
}

TunedDatacenter read_datacenter(const TuneArguments& arguments) {
  const HostsOptions::Given given = arguments.datacenter.given();
  HostMix host = parse_hosts_option(given.host);
  if (!arguments.added_type.empty()) host.add_only(arguments.added_type);
  return tuned_datacenter(std::move(host), given.count, arguments.datacenter.headroom_percent(),
                          arguments.candidates.dashes);
}

void write_results(const TuneArguments& arguments, const TuneRecord& record) {
  if (!arguments.database.empty()) {
    const IfPresent if_present = arguments.force ? IfPresent::kReplace : IfPresent::kRefuse;
    const ResultsDatabase database(arguments.database, tune_tables(record), record.workloads,
                                   if_present, record.rows);
  }
  if (arguments.csv.empty()) return;
  ResultsDatabase results =
      ResultsDatabase::in_memory(tune_tables(record), record.workloads, record.rows);
  write_csv(arguments.csv, results, Timing::kOff);
}

/// Files among what the options say; a text that names none is none.
std::vector<std::filesystem::path> tune_inputs(const TuneArguments& arguments) {
  std::vector<std::filesystem::path> inputs(arguments.workloads.begin(), arguments.workloads.end());
  const std::vector<std::string>& prices = arguments.price.texts();
  inputs.insert(inputs.end(), prices.begin(), prices.end());
  inputs.emplace_back(arguments.datacenter.given().host);
  const std::vector<std::string>& models = arguments.candidates.models;
  inputs.insert(inputs.end(), models.begin(), models.end());
  inputs.emplace_back(arguments.with);
  return inputs;
}

void require_outputs_usable(const TuneArguments& arguments) {
  require_usable_output("--csv", arguments.csv, tune_inputs(arguments));
  require_usable_output("--db", arguments.database, tune_inputs(arguments));
  require_usable_output("-o", arguments.around, tune_inputs(arguments));
  std::error_code error;
  if (!arguments.csv.empty()) require_writable(arguments.csv);
  if (arguments.database.empty()) return;
  if (is_same_file(arguments.csv, arguments.database)) {
    throw InputError("--csv " + arguments.csv + ": is the results database; choose another file");
  }
  if (!arguments.force && std::filesystem::exists(arguments.database, error)) {
    throw InputError(arguments.database + ": already exists; --force replaces it");
  }
}

void write_around(const TuneArguments& arguments, const TuneFindings& findings,
                  std::span<const WorkloadSpec> workloads, const TunedDatacenter& datacenter) {
  if (arguments.around.empty()) return;
  const TunedInputs inputs{.workloads = workloads,
                           .datacenter = datacenter,
                           .host = arguments.datacenter.given().host,
                           .prices = arguments.price.as_arguments()};
  const std::filesystem::path file = arguments.around;
  write_stored_file(file, around_yaml(findings, inputs, file.parent_path()));
}

void run_tune(const TuneArguments& arguments, PolicyLoader& loader) {
  TuneRequest request{.workloads = {},
                      .datacenter = read_datacenter(arguments),
                      .settings = read_settings(arguments, loader),
                      .parts = arguments.parts,
                      .folds = arguments.folds};
  require_outputs_usable(arguments);
  for (const std::string& text : arguments.workloads) {
    request.workloads.push_back(parse_workload_spec(text));
    request.workloads.back().window = arguments.window.window();
  }
  // Before the work, not after it: a flavor may have no price.
  std::optional<TunePrices> prices;
  if (const std::optional<PriceList> list = arguments.price.prices()) {
    prices = tune_prices(*list, request.workloads);
    request.vm_worth = prices->vm_worth();
  }
  const std::unique_ptr<ProgressSink> progress = make_progress(arguments.quiet);
  const Tuning tuning(std::move(request), *progress, print_warnings);
  const TuneFindings findings = tuning.findings();
  const TunedDatacenter& datacenter = tuning.request().datacenter;
  std::optional<TuneMoney> money;
  if (prices) money = tune_money(*prices, findings);
  // Before the files: minutes of work are not to be lost to a full disk.
  if (arguments.json) {
    print_json(tune_json(findings, money));
  } else {
    print(tune_text(findings, money ? money_gain_text(*money) : ""));
    if (money) print(tune_money_text(*money));
  }
  write_results(arguments,
                tune_record(findings.settings, findings.samples, findings.runs, datacenter.host));
  write_around(arguments, findings, tuning.request().workloads, datacenter);
  if (arguments.json || arguments.around.empty()) return;
  print(fmt::format("Next, the settings near it: cospot compare {}{}\n",
                    shell_word(arguments.around), arguments.price.as_arguments()));
}

void add_search_options(CLI::App& command, TuneArguments& arguments) {
  command
      .add_option("--max-vm-loss", arguments.max_vm_loss,
                  "VM revenue that a sample may lose, % (default: 0)")
      ->check(number_between(0, 100));
  command.add_option("--with", arguments.with,
                     "Study keys added to every run: a YAML file, or "
                     "'disruptions: {...}', '{schedulers: 4, refresh_interval_s: 0}'");
  CLI::Option* budget =
      command
          .add_option("--budget", arguments.budget, "Maximum number of runs (default: no limit)")
          ->check(
              CLI::Range(std::size_t{1}, std::size_t{std::numeric_limits<std::int32_t>::max()}));
  command
      .add_option("--folds", arguments.folds,
                  "Cross-validation folds (default: 10, or the number of samples if fewer); 1: "
                  "train on one half of the samples and validate on the other, as with --budget")
      ->check(CLI::Range(std::size_t{1}, kMostTuneParts))
      ->excludes(budget);
  command
      .add_option("--parts", arguments.parts,
                  "Number of samples into which a single workload is split, of equal time")
      ->check(CLI::Range(std::size_t{2}, kMostTuneParts))
      ->capture_default_str();
  add_seed_option(command, arguments.seed, "Random seed for folds, halves and candidates");
  add_threads_option(command, arguments.threads, "Threads");
}

void add_space_options(CLI::App& command, TuneArguments& arguments) {
  const auto add = [&command](const char* name, std::vector<std::string>& values,
                              const std::string& help) {
    command.add_option(name, values, help)->delimiter(',')->capture_default_str();
  };
  add("--vm", arguments.candidates.vm, "VM policies to choose from");
  add("--spot", arguments.candidates.spot, "Spot policies to choose from");
  add("--evictor", arguments.candidates.evictor,
      "Evictors to choose from; " + evictors_where(std::mem_fn(&PluginInfo::needs_true_lifetimes)) +
          " shows what knowing lifetimes would earn");
  add("--otn", arguments.candidates.otn, "OTN values to try");
  add("--promise", arguments.candidates.promises,
      "Also try every spot policy with promised lifetimes at these eviction probabilities: "
      "0.01,0.05");
  command
      .add_option("--model", arguments.candidates.models,
                  fmt::format("Lifetime model, once for each of {} (default: the built-in ones)",
                              evictors_where(std::mem_fn(&PluginInfo::needs_lifetime_model))))
      ->allow_extra_args(false);  // one file each time, so that workloads may follow
}

}  // namespace

void add_tune_command(CLI::App& app, PolicyLoader& loader) {
  const auto arguments = std::make_shared<TuneArguments>();
  CLI::App* command = app.add_subcommand(
      "tune", "Find the policies, OTN and SAF that earn most from spots without losing VMs");
  command
      ->add_option(
          "WORKLOAD", arguments->workloads,
          "Workload files or specs, one per sample; a single workload is split into --parts")
      ->required();
  arguments->datacenter.add_to(*command);
  command->add_option("--added-type", arguments->added_type,
                      "With several host types, add only hosts of this type");
  add_search_options(*command, *arguments);
  add_space_options(*command, *arguments);
  arguments->window.add_to(*command);
  command->add_option(
      "-o,--output", arguments->around,
      "Write a study file (YAML) of settings near the recommendation, for cospot compare");
  command->add_option("--csv", arguments->csv, "Write the runs as CSV");
  CLI::Option* database =
      command->add_option("--db", arguments->database, "Write the runs to a results database");
  command->add_flag("--force", arguments->force, "Replace the database")->needs(database);
  add_json_flag(*command, arguments->json);
  command->add_flag("-q,--quiet", arguments->quiet, "No progress");
  arguments->price.add_to(*command);
  command->callback([arguments, &loader] { run_tune(*arguments, loader); });
}

}  // namespace cospot
