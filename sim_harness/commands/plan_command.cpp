#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/advise/plan.hpp"
#include "sim_harness/advise/plan_text.hpp"
#include "sim_harness/advise/plan_yaml.hpp"
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
#include "sim_harness/report/plan_page.hpp"

namespace cospot {
namespace {

struct PlanArguments {
  std::string workload;
  DatacenterOptions datacenter;
  std::string added_type;
  double max_vm_loss = 0;
  std::string with;
  std::size_t parts = 0;
  std::vector<double> economy_percents;
  std::vector<double> confidences;
  std::size_t threads = threads_of_machine();
  TuneCandidates candidates = plan_candidates();
  std::string output;
  std::string report;
  bool json = false;
  bool quiet = false;
  WindowOption window;
  PriceOption price;
  std::string demand;
};

PlanRequest read_request(const PlanArguments& arguments, const HostsOptions::Given& hosts,
                         PolicyLoader& loader) {
  HostMix mix = parse_hosts_option(hosts.host);
  if (!arguments.added_type.empty()) mix.add_only(arguments.added_type);
  const std::optional<PriceList> prices = arguments.price.prices();
  if (!prices) {
    throw ConfigError(
        "--price is missing: a plan weighs VMs, Economy instances and spots by money; expected "
        "--price on-demand=0.04,spot=0.012,economy=0.02, or a file of prices");
  }
  PlanRequest request{.workload = parse_workload_spec(arguments.workload),
                      .datacenter = tuned_datacenter(std::move(mix), hosts.count,
                                                     arguments.datacenter.headroom_percent(), "--"),
                      .settings = {},
                      .parts = arguments.parts,
                      .prices = *prices};
  request.settings.max_vm_loss = arguments.max_vm_loss / 100;
  request.settings.threads = arguments.threads;
  request.workload.window = arguments.window.window();
  if (!arguments.economy_percents.empty()) request.economy_percents = arguments.economy_percents;
  if (!arguments.confidences.empty()) request.confidences = arguments.confidences;
  if (!arguments.with.empty()) request.settings.with = parse_given_parts(arguments.with);
  if (!arguments.demand.empty()) request.demand = read_demand_curve(arguments.demand);
  add_candidates(arguments.candidates, loader, request.settings);
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
  add("--with", arguments.with);
  if (arguments.max_vm_loss > 0) add("--max-vm-loss", fmt::format("{}", arguments.max_vm_loss));
  if (arguments.parts > 0) add("--parts", std::to_string(arguments.parts));
  add("--economy-percent", fmt::format("{}", fmt::join(arguments.economy_percents, ",")));
  add("--confidence", fmt::format("{}", fmt::join(arguments.confidences, ",")));
  const TuneCandidates usual = plan_candidates();
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
  const HostsOptions::Given hosts = arguments.datacenter.given();
  std::vector<std::filesystem::path> inputs{arguments.workload, hosts.host, arguments.with,
                                            arguments.demand};
  const std::vector<std::string>& prices = arguments.price.texts();
  inputs.insert(inputs.end(), prices.begin(), prices.end());
  require_usable_output("-o", arguments.output, inputs);
  require_usable_output("--report", arguments.report, inputs);
  if (is_same_file(arguments.output, arguments.report)) {
    throw InputError("--report " + arguments.report + ": is the file of -o; choose another one");
  }
  const PlanRequest request = read_request(arguments, hosts, loader);
  const std::unique_ptr<ProgressSink> progress = make_progress(arguments.quiet);
  const PlanFindings findings = make_plan(request, *progress, print_warnings);
  const std::string& currency = request.prices.currency;
  if (!arguments.output.empty()) {
    const std::filesystem::path file = arguments.output;
    write_stored_file(file, plan_yaml(findings,
                                      {.host = hosts.host,
                                       .currency = currency,
                                       .prices = arguments.price.as_arguments()},
                                      file.parent_path()));
  }
  if (!arguments.report.empty()) {
    write_stored_file(arguments.report,
                      plan_page({.title = "What to sell of idle capacity",
                                 .answer = plan_text(findings, currency).html(),
                                 .data_json = text_of(plan_json(findings, currency)),
                                 .command = command_of(arguments)}));
  }
  if (arguments.json) return print_json(plan_json(findings, currency));
  print(plan_text(findings, currency).plain());
}

void add_candidate_options(CLI::App& command, PlanArguments& arguments) {
  const auto add = [&command](const char* name, std::vector<std::string>& values,
                              const std::string& help) {
    command.add_option(name, values, help)->delimiter(',')->capture_default_str();
  };
  add("--vm", arguments.candidates.vm, "VM policies to choose from");
  add("--spot", arguments.candidates.spot, "Spot policies to choose from");
  add("--evictor", arguments.candidates.evictor, "Evictors to choose from");
  add("--otn", arguments.candidates.otn, "OTN values to try");
}

}  // namespace

void add_plan_command(CLI::App& app, PolicyLoader& loader) {
  const auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command = app.add_subcommand(
      "plan", "Divide idle capacity among Economy instances, promised lifetimes and spots");
  command
      ->add_option("HISTORY", arguments->workload,
                   "Workload file or spec: past requests for VMs and spots")
      ->required();
  arguments->datacenter.add_to(*command);
  command->add_option("--added-type", arguments->added_type,
                      "With several host types, add only hosts of this type");
  arguments->price.add_to(*command);
  command->add_option("--demand", arguments->demand,
                      "Demand at other spot prices: a CSV file with the columns spot_price and "
                      "share (0 to 1 of the spots requested in the history)");
  command->add_option("--max-vm-loss", arguments->max_vm_loss, "VM revenue that a part may lose, %")
      ->check(number_between(0, 100))
      ->capture_default_str();
  command->add_option("--with", arguments->with,
                      "Study keys added to every run: a YAML file, or "
                      "'disruptions: {...}', '{schedulers: 4, refresh_interval_s: 0}'");
  command
      ->add_option(
          "--parts", arguments->parts,
          "Number of equal parts in time; each part from the third on validates the settings "
          "chosen on the parts before it (default: 7, or the number of days if fewer)")
      ->check(CLI::Range(kPastParts + 1, kMostTuneParts));
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
  add_candidate_options(*command, *arguments);
  arguments->window.add_to(*command);
  add_threads_option(*command, arguments->threads, "Threads");
  command->add_option("-o,--output", arguments->output,
                      "Write the plan as a study file (YAML), for cospot compare and cospot-nova");
  command->add_option("--report", arguments->report, "Write one HTML page to read and hand on");
  add_json_flag(*command, arguments->json);
  command->add_flag("-q,--quiet", arguments->quiet, "No progress");
  command->callback([arguments, &loader] { run_plan_command(*arguments, loader); });
}

}  // namespace cospot
