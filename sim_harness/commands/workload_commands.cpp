#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "core/model/revenue.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/host_totals.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"
#include "sim_harness/data/workloads/rounded_days.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_info.hpp"
#include "sim_harness/data/workloads/workload_info_text.hpp"
#include "sim_harness/data/workloads/workload_sample.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"

namespace cospot {
namespace {

// The parsed options of a command. The callback owns them, for as long as the app lives.
struct InfoOptions {
  std::string file;
  std::string host;
  bool json = false;
  WindowOption window;
  PriceOption price;
};

struct WriteOptions {
  std::string input;
  std::string output;
  std::string schema{kWorkloadSchemas[0].name};
  std::optional<std::string> vcpus_unit;
  double probability = 0;
  std::uint64_t seed = 1;
  bool batched = false;
  WindowOption window;
};

Workload read_input(const std::string& file, const WindowOption& option) {
  const std::optional<SimTime> window = option.window();  // before the work, not after it
  Workload workload = read_workload(file);
  state_window(workload, window);
  return workload;
}

/// The money that the requests would bring at these prices, and the mean price of a vCPU-hour.
std::string money_of_info(const VcpuHourPrices& prices, const WorkloadInfo& info,
                          const VcpusUnit& unit, const PriceList& list, SimTime window) {
  const std::string currency = list.currency.empty() ? "" : " " + list.currency;
  return fmt::format(
      "\nmoney requested in the window of {} d: VMs {}{currency}, spots {}{currency}\n"
      "a {}: --price on-demand={:.6g} --price spot={:.6g}{}{}\n",
      rounded_days_text(window), money_text(prices.of_vms(vcpu_seconds(info.revenue[0]))),
      money_text(prices.of_spots(vcpu_seconds(info.revenue[1]))),
      unit.is_relative ? "unit-hour" : "vCPU-hour", prices.on_demand / unit.vcpus,
      prices.spot / unit.vcpus,
      prices.economy ? fmt::format(" --price economy={:.6g}", *prices.economy / unit.vcpus) : "",
      currency.empty() ? "" : " --price currency=" + list.currency, fmt::arg("currency", currency));
}

void print_info(const InfoOptions& options) {
  std::optional<HostMix> host;
  if (!options.host.empty()) host = parse_hosts_option(options.host);
  WorkloadSpec spec = parse_workload_spec(options.file);
  spec.window = options.window.window();
  const Workload workload =
      spec.synthetic ? load_workload(spec) : read_input(options.file, options.window);
  const VcpusUnit unit = vcpus_unit_of(spec);
  print_warnings(input_warnings(workload, host ? host->largest_total() : ResourceVector{}, unit));
  const WorkloadInfo info = describe_workload(workload, host);
  const std::optional<PriceList> list = options.price.prices();
  std::string money;
  if (list) money = money_of_info(list->of(workload, unit), info, unit, *list, workload.window);
  print(fmt::format("{}", options.json ? workload_info_json(workload, info)
                                       : workload_info_text(workload, info, unit) + money));
}

void write_and_report(const Workload& workload, const WriteOptions& options) {
  write_workload(workload, options.output, find_workload_schema(options.schema),
                 options.vcpus_unit ? stated_vcpus_unit("--vcpus-unit", *options.vcpus_unit)
                                    : read_vcpus_unit(options.input));
  print(fmt::format("{}: {} requests\n", options.output, workload.rows.size()));
}

void convert(const WriteOptions& options) {
  require_usable_output("-o", options.output, {options.input});
  (void)find_workload_schema(options.schema);  // before the work, not after it
  write_and_report(read_input(options.input, options.window), options);
}

void sample(const WriteOptions& options) {
  require_usable_output("-o", options.output, {options.input});
  (void)find_workload_schema(options.schema);
  const Sampling sampling = options.batched ? Sampling::kBatched : Sampling::kBernoulli;
  const Workload drawn = sample_workload(read_input(options.input, options.window), sampling,
                                         options.probability, options.seed);
  if (drawn.rows.empty()) {
    throw ConfigError(fmt::format(
        "{}: nothing written: a draw with probability {} and seed {} keeps no request, expected a "
        "larger probability or another seed",
        options.output, options.probability, options.seed));
  }
  write_and_report(drawn, options);
}

void add_info(CLI::App& workload) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* info = workload.add_subcommand(
      "info", "Describe a workload: counts, peaks, lifetimes, revenue, flavors, arrivals");
  info->add_option("WORKLOAD", options->file, "Workload file (CSV, plain or gzip) or spec")
      ->required();
  info->add_option("--host,--hosts", options->host,
                   "VCPUS,MEMORY_MB[,DISK_GB] of a host, or a hosts file (CSV): print how many "
                   "hosts the peaks need");
  CLI::Option* json = info->add_flag("--json", options->json, "Print one JSON object");
  options->price.add_to(*info)->excludes(json);
  options->window.add_to(*info);
  info->callback([options] { print_info(*options); });
}

std::shared_ptr<WriteOptions> add_files(CLI::App& command) {
  auto options = std::make_shared<WriteOptions>();
  command.add_option("IN", options->input, "Workload file, CSV, plain or gzip")->required();
  add_output_option(command, options->output)->required();
  add_schema_option(command, options->schema);
  options->window.add_to(command);
  return options;
}

void add_sample(CLI::App& workload) {
  CLI::App* command = workload.add_subcommand(
      "sample", "Draw a smaller workload: each request, or each batch, with one probability");
  const auto options = add_files(*command);
  command
      ->add_option("--probability", options->probability,
                   "Probability of keeping a request or batch, more than 0, at most 1")
      ->required();
  command->add_flag("--batched", options->batched,
                    "Keep neighbouring requests of one tenant and class together");
  command->add_option("--seed", options->seed, "Random seed")->capture_default_str();
  command->callback([options] { sample(*options); });
}

void add_convert(CLI::App& workload) {
  CLI::App* command =
      workload.add_subcommand("convert", "Write a workload in another schema, or compressed");
  const auto options = add_files(*command);
  command->add_option("--vcpus-unit", options->vcpus_unit,
                      "vCPUs that one unit of the column vcpus stands for; relative: the column "
                      "holds shares of a machine");
  command->callback([options] { convert(*options); });
}

}  // namespace

CLI::App* add_workload_commands(CLI::App& app) {
  CLI::App* workload = app.add_subcommand("workload", "Inspect and create workloads");
  workload->require_subcommand(1);
  add_info(*workload);
  add_sample(*workload);
  add_convert(*workload);
  return workload;
}

}  // namespace cospot
