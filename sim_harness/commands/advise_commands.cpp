#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
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
#include "sim_harness/advise/plan.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/text/shell_word.hpp"
#include "sim_harness/commands/cloud.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/host_totals.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/report/plan_page.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

/// The options that `tune` and `plan` share.
struct AdviceArguments {
  const CLI::App* command = nullptr;  ///< tells which options are given
  DatacenterOptions datacenter;
  std::string added_type;
  std::string with;
  std::size_t threads = threads_of_machine();
  TuneCandidates candidates;
  std::string output;
  bool json = false;
  bool quiet = false;
  WindowOption window;
  PriceOption price;
};

struct TuneArguments : AdviceArguments {
  std::vector<std::string> workloads;
  std::optional<double> max_vm_loss;
  std::optional<std::size_t> budget;
  std::optional<std::size_t> folds;
  std::uint64_t seed = 1;
  std::size_t parts = kDefaultTuneParts;
  std::string csv;
  std::string database;
  bool force = false;
};

struct PlanArguments : AdviceArguments {
  std::string workload;
  double max_vm_loss = 0;
  std::size_t parts = 0;
  std::vector<double> economy_percents;
  std::vector<double> confidences;
  std::string report;
  std::string demand;
  std::string by;
  bool all = false;
};

/// The hosts of the options, or else of a study file.
TunedDatacenter read_datacenter(const AdviceArguments& arguments,
                                const std::optional<NamedCloud>& cloud) {
  const bool is_stated = cloud && !arguments.datacenter.names_hosts();
  DatacenterOptions::Given given;
  if (!is_stated) given = arguments.datacenter.given();
  HostMix host = is_stated ? cloud->settings.host : parse_hosts_option(given.host);
  if (!arguments.added_type.empty()) host.add_only(arguments.added_type);
  const std::optional<double> percent = arguments.datacenter.headroom_percent();
  if (is_stated && !percent) given.count = cloud->hosts();
  return tuned_datacenter(std::move(host), given.count, percent, arguments.candidates.dashes);
}

/// Files among what the options say, besides `workloads`; a text that names none is none.
std::vector<fs::path> input_files(const AdviceArguments& arguments,
                                  std::span<const std::string> workloads,
                                  const std::optional<NamedCloud>& cloud) {
  std::vector<fs::path> inputs(workloads.begin(), workloads.end());
  if (cloud) {
    const std::vector<fs::path> named = files_of_study(workloads.front(), cloud->stated);
    inputs.insert(inputs.end(), named.begin(), named.end());
  }
  for (const auto& texts : {arguments.price.texts(), arguments.candidates.models}) {
    inputs.insert(inputs.end(), texts.begin(), texts.end());
  }
  inputs.emplace_back(arguments.with);
  if (arguments.datacenter.names_hosts()) inputs.emplace_back(arguments.datacenter.given().host);
  return inputs;
}

WorkloadSpec read_workload(const AdviceArguments& arguments, const std::string& text) {
  WorkloadSpec workload = parse_workload_spec(text);
  workload.window = arguments.window.window();
  return workload;
}

/// Takes the policies and offers of a study file in place of those that no option names, with the
/// offer of no cooperation to compare with.
void use_policies(const NamedCloud& cloud, const CLI::App& command, TuneSettings& settings) {
  const auto take = [&](std::string_view key, auto& choices, const auto& stated) {
    const bool is_taken = cloud.states(key) && command.count("--" + std::string(key)) == 0;
    if (is_taken) choices = stated;
    return is_taken;
  };
  take("vm", settings.vm, cloud.settings.vm);
  take("spot", settings.spot, cloud.settings.spot);
  take("evictor", settings.evictors, cloud.settings.evictors);
  if (cloud.states("saf") && std::ranges::count(cloud.settings.saf, true) == 0) {
    settings.saf = {false};
  }
  const OfferRule alone(1);
  if (take("otn", settings.otn, cloud.settings.otn) &&
      std::ranges::find(settings.otn, alone) == settings.otn.end()) {
    settings.otn.insert(settings.otn.begin(), alone);
  }
}

TuneSettings read_settings(const AdviceArguments& arguments, std::optional<double> max_vm_loss,
                           const std::optional<NamedCloud>& cloud, PolicyLoader& loader) {
  TuneSettings settings{.max_vm_loss = max_vm_loss.value_or(0) / 100, .threads = arguments.threads};
  if (!arguments.with.empty()) {
    settings.with = parse_given_parts(arguments.with);
  } else if (cloud) {
    settings.with = given_parts_of(cloud->stated);
  }
  if (settings.with != nullptr && !max_vm_loss) {
    throw ConfigError(fmt::format(
        "{}: VMs lose revenue by it whatever the settings are; expected --max-vm-loss too, the "
        "loss that is accepted with it",
        arguments.with.empty() ? "the parts of the study file" : "--with"));
  }
  add_candidates(arguments.candidates, loader, settings);
  if (cloud) use_policies(*cloud, *arguments.command, settings);
  return settings;
}

void write_results(const TuneArguments& arguments, const TuneFindings& findings) {
  const TuneRecord record = tune_record(findings);
  if (!arguments.database.empty()) {
    const IfPresent if_present = arguments.force ? IfPresent::kReplace : IfPresent::kRefuse;
    const ResultsDatabase database(arguments.database, record.tables, record.workloads, if_present,
                                   record.rows);
  }
  if (arguments.csv.empty()) return;
  ResultsDatabase results =
      ResultsDatabase::in_memory(record.tables, record.workloads, record.rows);
  write_csv(arguments.csv, results, Timing::kOff);
}

/// The prices of the option, or else of a study file.
PriceOption prices_of(const AdviceArguments& arguments, const std::optional<NamedCloud>& cloud) {
  return cloud ? arguments.price.or_of(cloud->stated) : arguments.price;
}

/// Writes the study file of `-o`, if it is given.
template <class Findings, class Yaml>
void write_study_file(const AdviceArguments& arguments, const std::optional<NamedCloud>& cloud,
                      const Findings& findings, const Yaml& yaml) {
  if (arguments.output.empty()) return;
  const fs::path file = arguments.output;
  StudyFileWords words{.prices = prices_of(arguments, cloud).texts()};
  words.host =
      arguments.datacenter.names_hosts() ? arguments.datacenter.given().host : cloud->hosts_file();
  write_stored_file(file, yaml(findings, words, file.parent_path()));
}

void require_outputs_usable(const TuneArguments& arguments,
                            const std::optional<NamedCloud>& cloud) {
  const std::vector<fs::path> inputs = input_files(arguments, arguments.workloads, cloud);
  require_usable_output("--csv", arguments.csv, inputs);
  require_usable_output("--db", arguments.database, inputs);
  require_usable_output("-o", arguments.output, inputs);
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

/// The study file that stands in place of workloads, if any.
std::optional<NamedCloud> cloud_of(const TuneArguments& arguments, PolicyLoader& loader) {
  for (const std::string& named : arguments.workloads) {
    if (arguments.workloads.size() == 1 || !is_yaml_file(named)) continue;
    throw ConfigError(named + ": found beside other workloads; expected the study file alone");
  }
  return named_cloud(arguments.workloads.front(), arguments.window.window(), loader);
}

void run_tune(const TuneArguments& arguments, PolicyLoader& loader) {
  const std::optional<NamedCloud> cloud = cloud_of(arguments, loader);
  TunedDatacenter datacenter = read_datacenter(arguments, cloud);
  require_distinct(arguments.workloads, "WORKLOAD");
  TuneRequest request{.workloads = {},
                      .datacenter = std::move(datacenter),
                      .settings = read_settings(arguments, arguments.max_vm_loss, cloud, loader),
                      .parts = arguments.parts,
                      .folds = arguments.folds};
  request.settings.budget = arguments.budget;
  request.settings.seed = arguments.seed;
  require_outputs_usable(arguments, cloud);
  if (cloud) request.workloads = cloud->settings.workloads;
  for (const std::string& text : arguments.workloads) {
    if (!cloud) request.workloads.push_back(read_workload(arguments, text));
  }
  request.prices = prices_of(arguments, cloud).prices();
  const std::unique_ptr<ProgressSink> progress = make_progress(arguments.quiet);
  const Tuning tuning(std::move(request), *progress, print_warnings);
  const TuneFindings findings = tuning.findings();
  // Before the files: minutes of work are not to be lost to a full disk.
  if (arguments.json) {
    print_json(tune_json(findings));
  } else {
    print(tune_text(findings));
  }
  write_results(arguments, findings);
  write_study_file(arguments, cloud, findings, around_yaml);
  if (arguments.json || arguments.output.empty()) return;
  print(
      fmt::format("Next, the settings near it: cospot compare {}\n", shell_word(arguments.output)));
}

/// Tries the division that a study file states.
void use_economy(const EconomyClassSettings& stated, PlanRequest& request) {
  if (!stated.percents.empty()) request.economy_percents = stated.percents;
  std::vector<double> confidences;
  for (const ClassPromise& promise : stated.promises) {
    if (promise.confidence) confidences.push_back(*promise.confidence);
  }
  if (!confidences.empty()) request.confidences = std::move(confidences);
}

PlanRequest read_request(const PlanArguments& arguments, const std::optional<NamedCloud>& cloud,
                         PolicyLoader& loader) {
  TunedDatacenter datacenter = read_datacenter(arguments, cloud);
  const std::optional<PriceList> prices = prices_of(arguments, cloud).prices();
  if (!prices) {
    throw ConfigError(
        "--price is missing: a plan weighs VMs, Economy instances and spots by money; expected "
        "--price on-demand=0.04,spot=0.012,economy=0.02, or a file of prices");
  }
  PlanRequest request{.workload = cloud ? cloud->settings.workloads.front()
                                        : read_workload(arguments, arguments.workload),
                      .datacenter = std::move(datacenter),
                      .settings = {},
                      .parts = arguments.parts,
                      .prices = *prices};
  if (cloud) use_economy(cloud->settings, request);
  if (!arguments.economy_percents.empty()) request.economy_percents = arguments.economy_percents;
  if (!arguments.confidences.empty()) request.confidences = arguments.confidences;
  if (!arguments.demand.empty()) request.demand = read_demand_curve(arguments.demand);
  request.by = arguments.by;
  request.settings = read_settings(arguments, arguments.max_vm_loss, cloud, loader);
  return request;
}

/// The command that makes the same plan again, for the page.
std::string command_of(const PlanArguments& arguments) {
  std::string text =
      "cospot plan " + shell_word(arguments.workload) + arguments.datacenter.as_arguments();
  const auto add = [&text](std::string_view option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_word(value));
  };
  add("--added-type", arguments.added_type);
  text += arguments.price.as_arguments();
  add("--demand", arguments.demand);
  add("--by", arguments.by);
  add("--with", arguments.with);
  if (arguments.max_vm_loss > 0) add("--max-vm-loss", fmt::format("{}", arguments.max_vm_loss));
  if (arguments.parts > 0) add("--parts", std::to_string(arguments.parts));
  add("--economy-percent", fmt::format("{}", fmt::join(arguments.economy_percents, ",")));
  add("--confidence", fmt::format("{}", fmt::join(arguments.confidences, ",")));
  const TuneCandidates usual;
  const auto add_unusual = [&](std::string_view option, const std::vector<std::string>& given,
                               const std::vector<std::string>& by_default) {
    if (given != by_default) add(option, fmt::format("{}", fmt::join(given, ",")));
  };
  add_unusual("--vm", arguments.candidates.vm, usual.vm);
  add_unusual("--spot", arguments.candidates.spot, usual.spot);
  add_unusual("--evictor", arguments.candidates.evictor, usual.evictor);
  add_unusual("--otn", arguments.candidates.otn, usual.otn);
  return text + arguments.window.text();
}

void run_plan_command(const PlanArguments& arguments, PolicyLoader& loader) {
  const std::optional<NamedCloud> cloud =
      named_cloud(arguments.workload, arguments.window.window(), loader);
  std::vector<fs::path> inputs = input_files(arguments, std::span(&arguments.workload, 1), cloud);
  inputs.emplace_back(arguments.demand);
  require_usable_output("-o", arguments.output, inputs);
  require_usable_output("--report", arguments.report, inputs);
  if (is_same_file(arguments.output, arguments.report)) {
    throw InputError("--report " + arguments.report + ": is the file of -o; choose another one");
  }
  const PlanRequest request = read_request(arguments, cloud, loader);
  const std::unique_ptr<ProgressSink> progress = make_progress(arguments.quiet);
  const PlanFindings findings = make_plan(request, *progress, print_warnings);
  write_study_file(arguments, cloud, findings, plan_yaml);
  if (!arguments.report.empty()) {
    write_stored_file(arguments.report, plan_page(findings, command_of(arguments)));
  }
  if (arguments.json) return print_json(plan_json(findings));
  print(plan_text(findings, arguments.all ? PlanDetail::kAll : PlanDetail::kBrief).plain());
}

/// The evictors of which an info `is_wanted`: "A", "A and B".
template <class IsWanted>
std::string evictors_where(const IsWanted& is_wanted) {
  return fmt::format("{}", fmt::join(names_where(evictor_registry(), is_wanted), " and "));
}

void add_datacenter_options(CLI::App& command, AdviceArguments& arguments) {
  arguments.command = &command;
  arguments.datacenter.add_to(command);
  command.add_option("--added-type", arguments.added_type,
                     "With several host types, add only hosts of this type");
}

void add_with_option(CLI::App& command, AdviceArguments& arguments) {
  command.add_option("--with", arguments.with,
                     "Study keys added to every run: a YAML file, or "
                     "'disruptions: {...}', '{schedulers: 4, refresh_interval_s: 0}'");
}

void add_list(CLI::App& command, const char* name, std::vector<std::string>& values,
              const std::string& help) {
  command.add_option(name, values, help)->delimiter(',')->capture_default_str();
}

void add_candidate_options(CLI::App& command, TuneCandidates& candidates,
                           const std::string& about_evictors) {
  add_list(command, "--vm", candidates.vm, "VM policies to choose from");
  add_list(command, "--spot", candidates.spot, "Spot policies to choose from");
  add_list(command, "--evictor", candidates.evictor, "Evictors to choose from" + about_evictors);
  add_list(command, "--otn", candidates.otn, "OTN values to try");
}

void add_search_options(CLI::App& command, TuneArguments& arguments) {
  command
      .add_option("--max-vm-loss", arguments.max_vm_loss,
                  "VM revenue that a sample may lose, % (default: 0)")
      ->check(number_between(0, 100));
  add_with_option(command, arguments);
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

void add_space_options(CLI::App& command, TuneCandidates& candidates) {
  add_candidate_options(command, candidates,
                        "; " + evictors_where(std::mem_fn(&PluginInfo::needs_true_lifetimes)) +
                            " shows what knowing lifetimes would earn");
  add_list(command, "--promise", candidates.promises,
           "Also try every spot policy with promised lifetimes at these eviction probabilities: "
           "0.01,0.05");
  command
      .add_option("--model", candidates.models,
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
          "Workload files or specs, one per sample, or the study file (YAML) of a cloud; a single "
          "workload is split into --parts")
      ->required();
  add_datacenter_options(*command, *arguments);
  add_search_options(*command, *arguments);
  add_space_options(*command, arguments->candidates);
  arguments->window.add_to(*command);
  command->add_option(
      "-o,--output", arguments->output,
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

void add_plan_command(CLI::App& app, PolicyLoader& loader) {
  const auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command = app.add_subcommand(
      "plan", "Divide idle capacity among Economy instances, promised lifetimes and spots");
  command
      ->add_option(
          "HISTORY", arguments->workload,
          "Workload file or spec: past requests for VMs and spots; or the study file (YAML) of a "
          "cloud, as -o writes it")
      ->required();
  add_datacenter_options(*command, *arguments);
  arguments->price.add_to(*command);
  command->add_option("--demand", arguments->demand,
                      "Demand at other spot prices: a CSV file with the columns spot_price and "
                      "share (0 to 1 of the spots requested in the history)");
  command->add_option("--by", arguments->by,
                      "Break requests, evictions and income down by tenant, flavor or zone");
  command->add_option("--max-vm-loss", arguments->max_vm_loss, "VM revenue that a part may lose, %")
      ->check(number_between(0, 100))
      ->capture_default_str();
  add_with_option(*command, *arguments);
  command
      ->add_option(
          "--parts", arguments->parts,
          "Number of equal parts in time; each part from the third on validates the settings "
          "chosen on the parts before it (default: 7, or the number of days if fewer)")
      ->check(CLI::Range(kLeastPast + 1, kMostTuneParts));
  command
      ->add_option("--economy-percent", arguments->economy_percents,
                   "Shares of requests to sell as Economy instances, % (default: 10,25,50)")
      ->delimiter(',')
      ->check(number_between(0, 100));
  command
      ->add_option("--confidence", arguments->confidences,
                   "Confidence levels of promises to Economy instances (default: 0.5,0.9)")
      ->delimiter(',')
      ->check(number_between(0, 0.999999));
  add_candidate_options(*command, arguments->candidates, "");
  arguments->window.add_to(*command);
  add_threads_option(*command, arguments->threads, "Threads");
  command->add_option("-o,--output", arguments->output,
                      "Write the plan as a study file (YAML), for cospot compare and cospot-nova");
  command->add_option("--report", arguments->report, "Write one HTML page to read and hand on");
  command->add_flag("--all", arguments->all,
                    "Print the alternatives, every promised lifetime, divisions and what would "
                    "change the decision too");
  add_json_flag(*command, arguments->json);
  command->add_flag("-q,--quiet", arguments->quiet, "No progress");
  command->callback([arguments, &loader] { run_plan_command(*arguments, loader); });
}

}  // namespace cospot
