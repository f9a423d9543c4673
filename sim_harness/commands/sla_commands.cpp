#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/commands/cloud.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/workloads/eucalyptus_trace.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/renewal_workload.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/sla/sla_quote.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

using Overrides = std::vector<std::string>;

struct QuoteArguments {
  std::string study;  // or a workload
  DatacenterOptions hosts;
  Overrides overrides;
  std::optional<double> at_hours;
  std::size_t threads = threads_of_machine();
  bool json = false;
};

/// The study of a cloud; with a workload, a study of its VMs and spots, with as many samples as
/// thousands of free slots need. A workload that sizes the cloud is read once.
QuotedStudy quoted_study(const QuoteArguments& arguments, PolicyLoader& loader) {
  StudyFile file = with_usual(
      cloud_file(arguments.study, arguments.hosts,
                 is_yaml_file(arguments.study) ? arguments.overrides : Overrides{}, {}, loader));
  if (is_yaml_file(arguments.study)) return read_quoted_study(std::move(file));
  Overrides keys{"study=sla", "spot_workloads=same", "workloads=" + yaml_text(arguments.study)};
  const bool has_count = std::ranges::any_of(
      arguments.overrides, [](const std::string& one) { return one.starts_with("hosts="); });
  std::optional<WorkloadSpec> loaded;
  if (!has_count) {
    const ProviderStudySettings cloud = read_cloud(file).settings;
    std::size_t hosts = cloud.sizes.front().hosts;
    if (cloud.sizes.front().percent) {
      loaded = cloud.workloads.front();
      loaded->made = std::make_shared<const Workload>(load_workload(*loaded));
      hosts = host_count(cloud, *loaded->made);
    }
    keys.push_back(fmt::format("hosts={}", hosts));
  }
  keys.insert(keys.end(), arguments.overrides.begin(), arguments.overrides.end());
  std::erase_if(file.root.entries, [](const ConfigEntry& entry) {
    return entry.key == "headroom_percent" || entry.key == "headroom_of";
  });
  file.workload.reset();
  add_missing_keys(file.root, kQuoteKeys);
  file.root = with_overrides(std::move(file.root), keys);
  QuotedStudy study = read_quoted_study(std::move(file));
  // Unless an override names other requests.
  std::vector<RequestSource>& sources = study.settings.vm_sources;
  if (loaded && sources.size() == 1 && sources.front().label == loaded->label) {
    sources.front().spec = std::move(loaded);
  }
  return study;
}

void quote(const QuoteArguments& arguments, PolicyLoader& loader) {
  const QuotedStudy study = quoted_study(arguments, loader);
  std::optional<SimTime> at;
  if (arguments.at_hours) at = time_of_hours(*arguments.at_hours);
  const SlaQuotes quotes = quote_lifetimes(study, at, arguments.threads);
  print_warnings(quotes.warnings);
  if (arguments.json) return print_json(quotes_json(quotes));
  print(quotes_text(quotes));
}

struct StandInArguments {
  std::string trace;
  std::uint64_t seed = 1;
  std::string output;
};

void write_stand_in(const StandInArguments& arguments) {
  const Workload workload = generate_stand_in(find_stand_in(arguments.trace), arguments.seed);
  write_stored_file(arguments.output, eucalyptus_trace_text(workload));
}

void add_stand_in_command(CLI::App& sla) {
  const auto arguments = std::make_shared<StandInArguments>();
  CLI::App* command = sla.add_subcommand(
      "stand-in", "Generate a stand-in for one of the paper's production traces");
  command->add_option("TRACE", arguments->trace, "ds2, ds3, ds5 or ds6")->required();
  add_seed_option(*command, arguments->seed);
  command->add_option("-o,--output", arguments->output, "The Eucalyptus trace to write")
      ->required();
  command->callback([arguments] { write_stand_in(*arguments); });
}

}  // namespace

void add_sla_commands(CLI::App& app, PolicyLoader& loader) {
  constexpr double kMostHours = 10'000 * 24;
  CLI::App* sla = app.add_subcommand("sla", "Promise how long spots will live");
  sla->require_subcommand(1);
  add_stand_in_command(*sla);
  const auto arguments = std::make_shared<QuoteArguments>();
  CLI::App* command =
      sla->add_subcommand("quote", "Quote lifetimes for every size of spot at one time");
  command
      ->add_option("STUDY_OR_WORKLOAD", arguments->study,
                   "Study file (YAML): with study: sla, or of one setting, as cospot plan -o "
                   "writes; or a workload file or spec with --host")
      ->required();
  arguments->hosts.add_to(*command);
  add_set_option(*command, arguments->overrides, "Override a key: hosts=6, target=[0.05]");
  command
      ->add_option("--at-hours", arguments->at_hours,
                   "Time of the quote: hours since the start of the data (default: its end)")
      ->check(CLI::Range(1e-3, kMostHours));
  add_threads_option(*command, arguments->threads, "Threads");
  command->add_flag("--json", arguments->json, "Print JSON, with the quantiles for all free slots");
  command->callback([arguments, &loader] { quote(*arguments, loader); });
}

}  // namespace cospot
