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
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/text/shell_word.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/host_totals.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/workloads/eucalyptus_trace.hpp"
#include "sim_harness/data/workloads/renewal_workload.hpp"
#include "sim_harness/studies/sla/sla_quote.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

struct QuoteArguments {
  std::string study;  // or a workload
  HostsOptions hosts;
  std::vector<std::string> overrides;
  std::optional<double> at_hours;
  std::size_t threads = threads_of_machine();
  bool json = false;
};

/// A study of the VMs and spots of one workload: on the hosts of the command line, with CoSpot's
/// placement and as many samples as thousands of free slots need.
StudyFile study_of_workload(const QuoteArguments& arguments, PolicyLoader& loader) {
  if (!arguments.hosts.is_given()) {
    throw ConfigError(fmt::format(
        "{}: a workload needs --host VCPUS,MEMORY_MB with --hosts N, or --hosts HOSTS.csv; a study "
        "file ends in .yaml",
        arguments.study));
  }
  const HostsOptions::Given given = arguments.hosts.given();
  const bool says_hosts = given.count || !parse_hosts_option(given.host).named().empty() ||
                          std::ranges::any_of(arguments.overrides, [](const std::string& one) {
                            return one.starts_with("hosts=");
                          });
  if (!says_hosts) {
    throw ConfigError(fmt::format(
        "--hosts N is missing: how many hosts of {} are there? `cospot size {} --host {}` finds "
        "the fewest that hold all VMs",
        given.host, shell_word(arguments.study), given.host));
  }
  const std::string text = fmt::format(
      "study: sla\nworkloads: {}\nspot_workloads: same\nhost: {}\nvm: COS\nspot: vmaUTIL\n{}",
      yaml_text(arguments.study), yaml_of_hosts_option(given.host), kQuoteKeys);
  std::vector<std::string> overrides = arguments.overrides;
  if (given.count) overrides.push_back(fmt::format("hosts={}", *given.count));
  return {.root = with_overrides(parse_yaml(text, "sla quote"), overrides),
          .folder = {},
          .window = std::nullopt,
          .policies = &loader};
}

void quote(const QuoteArguments& arguments, PolicyLoader& loader) {
  if (is_yaml_file(arguments.study) && arguments.hosts.is_given()) {
    throw ConfigError("--host, --hosts: " + arguments.study +
                      " has its own; expected --set host=... or hosts=...");
  }
  const QuotedStudy study = read_quoted_study(
      is_yaml_file(arguments.study)
          ? read_study_file(arguments.study, arguments.overrides, std::nullopt, loader)
          : study_of_workload(arguments, loader));
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
  arguments->hosts.add_to(*command,
                          "With a workload: VCPUS,MEMORY_MB of a host, or a hosts file (CSV)");
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
