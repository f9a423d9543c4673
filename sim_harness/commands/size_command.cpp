#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/commands/cloud.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/host_totals.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/commands/settings_text.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/studies/provider/given_parts.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

struct SizeArguments {
  std::string workload;
  std::vector<std::string> vm;  ///< empty: those of a study file, or of `tune`
  std::string host;
  std::string added_type;
  std::vector<double> headroom{0};
  std::string with;
  bool json = false;
  WindowOption window;
};

/// The rule by which hosts are added, in a line of settings: their number by type.
std::string host_rule_text(const HostMix& host, const VcpusUnit& unit) {
  if (host.is_plain()) return "hosts of  " + host_text(host.largest_total(), unit);
  const std::string types = types_text(host, host.declared());
  if (host.added_type().empty()) return "hosts     in proportion to " + types;
  return fmt::format("hosts     {}, and only of the type {} beyond those", types,
                     host.added_type());
}

void require_headroom(double percent) {
  if (percent >= 0 && percent <= kMaxHeadroomPercent) return;
  throw ConfigError(fmt::format("--headroom-percent {}: expected percentages from 0 to {}", percent,
                                kMaxHeadroomPercent));
}

std::size_t fewest_of(std::span<const DatacenterSize> sizes) {
  const auto fewest = std::ranges::min_element(sizes, {}, &DatacenterSize::hosts);
  return static_cast<std::size_t>(fewest - sizes.begin());
}

std::string sizes_text(const SizeArguments& arguments, const HostMix& host,
                       const Workload& workload, const EventSchedule& vms, const VcpusUnit& unit,
                       std::span<const ChainSpec> chains, std::span<const DatacenterSize> sizes) {
  TextTable table;
  table.add_column("VM policy", TextTable::Align::kLeft);
  table.add_column("lower bound");
  for (const double percent : arguments.headroom) table.add_column(fmt::format("{} %", percent));
  const auto hosts_text = [&](std::size_t hosts) {
    return host.is_plain() ? std::to_string(hosts)
                           : fmt::format("{} ({})", hosts, types_text(host, hosts));
  };
  for (std::size_t i = 0; i < chains.size(); ++i) {
    std::vector<std::string> cells{chains[i].label, std::to_string(sizes[i].lower_bound)};
    for (const double percent : arguments.headroom) {
      cells.push_back(hosts_text(with_headroom(sizes[i].hosts, percent)));
    }
    table.add_row(std::move(cells));
  }
  const std::size_t fewest = fewest_of(sizes);
  const std::string answer =
      sizes.size() < 2
          ? ""
          : fmt::format("The VMs need {} hosts, placed by {}{}.\n", sizes[fewest].hosts,
                        chains[fewest].label,
                        arguments.with.empty()
                            ? "; tune, plan and studies over these policies count a headroom from "
                              "this number"
                            : "");
  std::string adds_none;
  for (const double percent : arguments.headroom) {
    const bool adds = std::ranges::any_of(sizes, [percent](const DatacenterSize& size) {
      return with_headroom(size.hosts, percent) > size.hosts;
    });
    if (percent > 0 && !adds) {
      adds_none += fmt::format("{}% adds no host: it is rounded to whole hosts.\n", percent);
    }
  }
  return fmt::format(
      "workload  {}: {} VMs\n{}{}\n\nhosts by headroom (lower bound: the peak "
      "demand, were it packed without loss)\n{}{}{}",
      workload.name, vms.vm_requests, window_text(workload), host_rule_text(host, unit),
      table.text(), adds_none, answer);
}

Json sizes_json(const SizeArguments& arguments, const HostMix& host, const Workload& workload,
                const EventSchedule& vms, std::span<const ChainSpec> chains,
                std::span<const DatacenterSize> sizes) {
  Json policies = Json::array();
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const auto size_of = [&](double percent) {
      const std::size_t hosts = with_headroom(sizes[i].hosts, percent);
      Json size{{"headroom_percent", json_of(percent)}, {"hosts", hosts}};
      if (!host.is_plain()) size["types"] = types_json(host, hosts);
      return size;
    };
    policies.push_back({{"vm", chains[i].label},
                        {"lower_bound", sizes[i].lower_bound},
                        {"sizes", json_list_of(arguments.headroom, size_of)}});
  }
  Json json{{"workload", workload.name},
            {"vms", vms.vm_requests},
            {"window_days", Json::parse(window_days_text(workload.window))},
            {"host", full_host_json(host)}};
  if (sizes.size() > 1) json["fewest"] = policies[fewest_of(sizes)];
  json["policies"] = std::move(policies);
  return json;
}

HostMix read_host(const SizeArguments& arguments, const std::optional<NamedCloud>& cloud) {
  if (arguments.host.empty() && !cloud) throw CLI::RequiredError("--host");
  if (parse_number(arguments.host)) {
    throw ConfigError("--host " + arguments.host +
                      ": expected VCPUS,MEMORY_MB of a host, or a hosts file (CSV); size finds the "
                      "number of hosts");
  }
  HostMix host = arguments.host.empty() ? cloud->settings.host : parse_hosts_option(arguments.host);
  if (!arguments.added_type.empty()) host.add_only(arguments.added_type);
  return host;
}

std::vector<ChainSpec> read_policies(const SizeArguments& arguments,
                                     const std::optional<NamedCloud>& cloud, PolicyLoader& loader) {
  if (arguments.vm.empty() && cloud && cloud->states("vm")) return cloud->settings.vm;
  std::vector<ChainSpec> chains;
  for (const std::string& name : arguments.vm.empty() ? TuneCandidates().vm : arguments.vm) {
    try {
      chains.push_back(load_chain(name, loader));  // an unknown name, before the work
    } catch (const ConfigError& error) {
      throw ConfigError(std::string("--vm: ") + error.what());
    }
  }
  return chains;
}

void size_datacenter(const SizeArguments& arguments, PolicyLoader& loader) {
  const std::optional<NamedCloud> cloud =
      named_cloud(arguments.workload, arguments.window.window(), loader);
  const HostMix host = read_host(arguments, cloud);
  for (const double percent : arguments.headroom) require_headroom(percent);
  std::shared_ptr<const GivenParts> with;
  if (!arguments.with.empty()) {
    with = parse_given_parts(arguments.with);
  } else if (cloud) {
    with = given_parts_of(cloud->stated);
  }
  const std::vector<ChainSpec> chains = read_policies(arguments, cloud, loader);
  WorkloadSpec spec =
      cloud ? cloud->settings.workloads.front() : parse_workload_spec(arguments.workload);
  if (!cloud) spec.window = arguments.window.window();
  const Workload workload = load_workload(spec);
  print_warnings(input_warnings(workload, host.largest_total(), vcpus_unit_of(spec)));
  const EventSchedule vms =
      make_schedule(workload, ScheduledClasses::kVmsOnly, host.isolated_tenants());
  require_possible_placements(workload, vms, host, std::nullopt);
  std::vector<DatacenterSize> sizes;
  const VcpusUnit unit = vcpus_unit_of(spec);
  for (const ChainSpec& chain : chains) {
    DatacenterSize& size = sizes.emplace_back(
        smallest_datacenter(workload, vms, host, chain, unit, "use a larger --host"));
    if (with) size.hosts = fewest_hosts_with(*with, workload, vms, host, chain, size.hosts);
  }
  const bool has_count = cloud && !cloud->settings.sizes.front().percent;
  if (arguments.json) {
    Json json = sizes_json(arguments, host, workload, vms, chains, sizes);
    if (with) json["with"] = with->json();
    if (has_count) json["hosts"] = cloud->hosts();
    return print_json(json);
  }
  std::string text = sizes_text(arguments, host, workload, vms, unit, chains, sizes);
  if (with) text += "Every VM has a host at every moment, with\n" + with->yaml({});
  if (has_count) {
    text += fmt::format("The cloud of {} has {} hosts.\n", arguments.workload, cloud->hosts());
  }
  print(text);
}

}  // namespace

void add_size_command(CLI::App& app, PolicyLoader& loader) {
  const auto arguments = std::make_shared<SizeArguments>();
  CLI::App* command = app.add_subcommand("size", "Find the fewest hosts that reject no VM");
  command
      ->add_option(
          "WORKLOAD", arguments->workload,
          "Workload file, or a workload spec: azure2020:seed=1:scale=0.01; or the study file "
          "(YAML) of a cloud")
      ->required();
  command
      ->add_option("--vm", arguments->vm,
                   fmt::format("VM policies to try; the one that needs the fewest hosts counts "
                               "(default: those of the study file, or {})",
                               fmt::join(TuneCandidates().vm, ",")))
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--host,--hosts", arguments->host,
                      "VCPUS,MEMORY_MB[,DISK_GB] of a host, or a hosts file (CSV)");
  command->add_option("--added-type", arguments->added_type,
                      "With several host types, add only hosts of this type");
  arguments->window.add_to(*command);
  command
      ->add_option("--headroom-percent,--headroom", arguments->headroom,
                   "Hosts beyond the fewest that hold all VMs, %: 0,1,2")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--with", arguments->with,
                      "Study keys for disruptions: a YAML file, or 'disruptions: {...}'; the "
                      "result still gives every VM a host at all times");
  add_json_flag(*command, arguments->json);
  command->callback([arguments, &loader] { size_datacenter(*arguments, loader); });
}

}  // namespace cospot
