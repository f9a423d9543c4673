#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "guarantees/pricing/checkpoint_model.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/commands/cloud.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/studies/classes/class_report.hpp"
#include "sim_harness/studies/classes/class_settings.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {
namespace {

struct ClassesArguments {
  std::string trace;
  TraceOptions options;
  DatacenterOptions hosts;  // of a workload, whose hosts are looked at then
  std::string vm;
  std::vector<std::int64_t> classes;
  std::vector<std::string> partitions{"equal", "greedy", "optimal"};
  std::optional<double> checkpoint_minutes;
  std::optional<double> memory_gb;
  std::string mttr = "pooled";
  std::string value = "utility";
  bool json = false;
  PriceOption price;
};

double checkpoint_of(const ClassesArguments& arguments) {
  constexpr double kMinutes = 10;
  const double minutes = arguments.memory_gb ? 60 * checkpoint_hours(*arguments.memory_gb)
                                             : arguments.checkpoint_minutes.value_or(kMinutes);
  if (minutes > 0 && minutes <= kMostCheckpointMinutes) {
    return arguments.memory_gb ? checkpoint_hours(*arguments.memory_gb) : minutes / 60;
  }
  throw ConfigError(
      fmt::format("{}: a checkpoint of {} minutes, expected more than 0, up to {:.0f}",
                  arguments.memory_gb ? "--memory-gb" : "--checkpoint-minutes", minutes,
                  kMostCheckpointMinutes));
}

/// The cloud whose hosts are classified, if any.
std::optional<NamedCloud> classified_cloud(const ClassesArguments& arguments,
                                           PolicyLoader& loader) {
  const std::vector<std::string> vm(arguments.vm.empty() ? 0 : 1, "vm=" + yaml_text(arguments.vm));
  std::optional<NamedCloud> cloud =
      named_cloud(arguments.trace, std::nullopt, loader, arguments.hosts, vm);
  if (!cloud && !arguments.vm.empty()) {
    throw ConfigError("--vm: found without hosts; expected --host or --hosts too");
  }
  if (cloud && arguments.options.server_vcpus) {
    throw ConfigError("--host and --server-vcpus exclude each other; expected one of the two");
  }
  return cloud;
}

/// The trace as it stands, or the hosts of a run of the cloud.
CapacityTrace load_capacity_trace(const ClassesArguments& arguments,
                                  const std::optional<NamedCloud>& cloud, PolicyLoader& loader) {
  const CapacityTraceSpec spec = parse_trace_spec(arguments.trace);
  if (!cloud) return load_trace(spec, arguments.options, loader);
  const ConfigNode& root = cloud->stated.root;
  const ProviderStudy study(built_in_studies().preset_of(root), root);
  require_one_run(root, study.table().axes(cloud->settings));
  return run_trace(cloud->settings, spec.label, arguments.options);
}

/// As given; by default, those of 1, 2, 4 and 8 for which there are enough servers.
std::vector<std::size_t> numbers_of_classes(const ClassesArguments& arguments,
                                            const LoadedTrace& trace) {
  if (!arguments.classes.empty()) return {arguments.classes.begin(), arguments.classes.end()};
  std::vector<std::size_t> classes;
  for (const std::size_t count : std::array<std::size_t, 4>{1, 2, 4, 8}) {
    if (count <= trace.capacity.size()) classes.push_back(count);
  }
  return classes;
}

void run_classes(const ClassesArguments& arguments, PolicyLoader& loader) {
  const ClassPricing pricing{.checkpoint_hours = checkpoint_of(arguments),
                             .mttr = parse_mttr(arguments.mttr),
                             .rule = parse_value(arguments.value)};
  std::vector<PartitionRule> partitions;
  for (const std::string& name : arguments.partitions) partitions.push_back(parse_partition(name));
  for (const std::int64_t count : arguments.classes) {
    if (count < 1) {
      throw ConfigError(fmt::format("--classes: found {}, expected whole numbers from 1", count));
    }
  }
  const std::optional<NamedCloud> cloud = classified_cloud(arguments, loader);
  const std::optional<PriceList> list =
      cloud ? arguments.price.or_of(cloud->stated).prices() : arguments.price.prices();
  std::optional<VcpuHourPrices> prices;
  if (list) {
    prices = vcpu_hour_prices(*list, cloud ? cloud->settings.workloads.front()
                                           : parse_trace_spec(arguments.trace).source);
  }
  const LoadedTrace trace(load_capacity_trace(arguments, cloud, loader));
  print_warnings(trace.trace.warnings);
  ClassReport report =
      report_classes(trace, pricing, numbers_of_classes(arguments, trace), partitions);
  if (prices) {
    if (trace.trace.server_vcpus <= 0) {
      throw ConfigError(
          arguments.trace +
          ": --price: nobody knows how many vCPUs a server has; expected a workload in "
          "vCPUs, or a scenario of one");
    }
    report.on_demand = prices->on_demand;
    report.currency = list->currency;
  }
  if (arguments.json) return print_json(report_json(trace, report));
  print(report_text(trace, report));
}

void add_trace_options(CLI::App& command, TraceOptions& options) {
  constexpr std::size_t kMostServers = 100'000'000;
  command
      .add_option("--servers", options.servers, "Servers of the cluster (default: the peak in use)")
      ->check(CLI::Range(std::size_t{1}, kMostServers));
  command.add_option("--from-day", options.from_day, "First day of the trace to use")
      ->capture_default_str();
  command.add_option(
      "--to-day", options.to_day,
      "Last day of the trace to use (default: the day on which the last job starts)");
  command
      .add_option("--server-vcpus", options.server_vcpus,
                  "vCPUs of a server, for workloads (default: those of the smallest common VM)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
}

void add_host_options(CLI::App& command, ClassesArguments& arguments) {
  arguments.hosts.add_to(command);
  command.add_option("--vm", arguments.vm,
                     "With --host, the policy that places VMs (default: DPD)");
}

}  // namespace

void add_classes_command(CLI::App& app, PolicyLoader& loader) {
  const auto arguments = std::make_shared<ClassesArguments>();
  CLI::App* command = app.add_subcommand(
      "classes", "Price idle capacity: classes of servers with guaranteed times to revocation");
  command
      ->add_option("TRACE", arguments->trace,
                   "Workload (CSV, or a spec such as azure2020:seed=1), job log (SWF or CSV), or "
                   "scenario (YAML) that defines the hosts")
      ->required();
  add_trace_options(*command, arguments->options);
  add_host_options(*command, *arguments);
  command
      ->add_option("--classes", arguments->classes,
                   "Numbers of classes to compare (default: 1,2,4,8, up to the number of servers)")
      ->delimiter(',');
  command
      ->add_option("--partition", arguments->partitions,
                   "Partitions to compare: equal, greedy, marginal, lookahead, optimal (default: "
                   "equal,greedy,optimal)")
      ->delimiter(',');
  CLI::Option* minutes = command->add_option("--checkpoint-minutes", arguments->checkpoint_minutes,
                                             "Time to save a server's memory (default: 10)");
  command
      ->add_option("--memory-gb", arguments->memory_gb,
                   "Derive that time from the server's memory: 10 minutes per 16 GB")
      ->excludes(minutes);
  command
      ->add_option("--mttr", arguments->mttr,
                   "How to compute a class's time to revocation: pooled or mean")
      ->capture_default_str();
  command->add_option("--value", arguments->value, "Price rule: equilibrium or utility")
      ->capture_default_str();
  add_json_flag(*command, arguments->json);
  arguments->price.add_to(*command);
  command->callback([arguments, &loader] { run_classes(*arguments, loader); });
}

}  // namespace cospot
