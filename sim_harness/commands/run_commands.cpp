#include "sim_harness/commands/run_commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/json/json_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/commands/host_totals.hpp"
#include "sim_harness/commands/life_text.hpp"
#include "sim_harness/commands/price_option.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/commands/run_result_text.hpp"
#include "sim_harness/commands/window_option.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_list.hpp"
#include "sim_harness/provider/explain/event_log.hpp"
#include "sim_harness/provider/explain/explain.hpp"
#include "sim_harness/provider/explain/explain_text.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/compare/sweep_file.hpp"
#include "sim_harness/studies/compare/sweep_grid.hpp"
#include "sim_harness/studies/life/life_keys.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

struct RunArguments {
  std::string scenario;
  std::vector<std::string> overrides;
  std::optional<std::string> events;
  std::optional<std::string> explained_id;
  bool explain_all = false;
  std::string timing = "on";
  bool json = false;
  WindowOption window;
  PriceOption price;
};

struct SizeArguments {
  std::string workload;
  std::vector<std::string> vm;
  std::string host;
  std::string added_type;
  std::vector<double> headroom{0};
  bool json = false;
  WindowOption window;
};

/// What a run reads. An event log must not take its place.
std::vector<std::filesystem::path> inputs_of(const RunArguments& arguments) {
  const ConfigNode root = with_overrides(read_yaml_file(arguments.scenario), arguments.overrides);
  const std::filesystem::path scenario = arguments.scenario;
  std::vector<std::filesystem::path> inputs = files_named_in(root, scenario.parent_path());
  inputs.push_back(scenario);
  const std::vector<std::string>& prices = arguments.price.texts();
  inputs.insert(inputs.end(), prices.begin(), prices.end());
  return inputs;
}

std::string host_text(const ResourceVector& host, const VcpusUnit& unit) {
  return size_text(size_words(unit), host.vcpus, host.memory_mb, host.disk_gb);
}

/// How many hosts of which types there are, in a line of settings: what is added to them.
std::string host_rule_text(const HostMix& host, const VcpusUnit& unit) {
  if (host.is_plain()) return "hosts of  " + host_text(host.largest_total(), unit);
  const std::string types = types_text(host, host.declared());
  if (host.added_type().empty()) return "hosts     in proportion to " + types;
  return fmt::format("hosts     {}, and only of the type {} beyond those", types,
                     host.added_type());
}

Sweep scenario_of(const RunArguments& arguments, PolicyLoader& loader, ConfigNode& life) {
  return read_scenario(arguments.scenario, arguments.overrides, loader, arguments.window.window(),
                       &life);
}

/// A line that tells the window, unless it is the default one that nobody stated.
std::string window_text(const Workload& workload) {
  if (workload.window == kDefaultWindow && !workload.window_is_stated) return {};
  return fmt::format("window    {} days\n", window_days_text(workload.window));
}

/// One run of a scenario.
class ScenarioRun {
 public:
  ScenarioRun(const RunArguments& arguments, PolicyLoader& loader)
      : arguments_(arguments),
        sweep_(scenario_of(arguments, loader, life_key_)),
        workload_(load_workload(sweep_.workloads.front())),
        words_{.unit = vcpus_unit_of(sweep_.workloads.front()),
               .prices = arguments.price.of(workload_, sweep_.workloads.front()),
               .window_days = static_cast<double>(workload_.window.count()) /
                              static_cast<double>(SimTime(kDay).count())} {
    if (arguments.events.has_value()) {
      require_not_input("--events", *arguments.events, inputs_of(arguments));
    }
    print_warnings(input_warnings(workload_, sweep_.host.largest_total(), words_.unit));
    if (life_key_.kind != ConfigNode::Kind::kNull) {
      life_ = read_life(life_key_, std::filesystem::path(arguments.scenario).parent_path());
    }
    if (arguments.explained_id.has_value()) {
      explained_ = find_request(workload_, *arguments.explained_id);
    }
  }

  void run() {
    const RunSettings settings = run_settings(sweep_, {}, hosts());
    const EventSchedule schedule =
        make_schedule(workload_, ScheduledClasses::kVmsAndSpots, settings.host.isolated_tenants());
    require_possible_placements(workload_, schedule, settings.host, settings.hosts);
    ProviderRun simulation(workload_, schedule, settings, settings.host.table(settings.hosts),
                           {.life = life_.value_or(LifeSettings{})});
    SimulationEngine& engine = simulation.engine();
    std::optional<EventLog> log;
    if (arguments_.events.has_value()) log.emplace(*arguments_.events, workload_, engine.hosts());
    engine.set_observer(log ? &*log : nullptr);
    if (explained_.has_value()) explain(engine, schedule, settings, log ? &*log : nullptr);
    simulation.run();
    if (log) log->finish();
    const LifeResult result = simulation.result();
    const Timing timing = arguments_.timing == "off" ? Timing::kOff : Timing::kOn;
    if (arguments_.json) return print(result_json(settings, result, timing) + "\n");
    std::string text = settings_text(settings);
    if (life_) text += "disruptions " + life_->label + "\n";
    text += "\n" + run_result_text(result.run, timing, words_);
    if (life_) text += "\n" + life_text(result);
    print(text);
  }

 private:
  /// The datacenter's size: as given, or what the VMs need and the headroom on top.
  [[nodiscard]] std::size_t hosts() {
    const Headroom& size = sweep_.sizes.front();
    if (!size.percent.has_value()) return size.hosts;
    const EventSchedule vms =
        make_schedule(workload_, ScheduledClasses::kVmsOnly, sweep_.host.isolated_tenants());
    // No number of hosts helps here, nor with `hosts` given.
    require_possible_placements(workload_, vms, sweep_.host, std::nullopt);
    least_hosts_ =
        fewest_hosts(workload_, vms, sweep_.host, sweep_.headroom_policies(), words_.unit);
    return with_headroom(*least_hosts_, *size.percent);
  }

  void explain(SimulationEngine& engine, const EventSchedule& schedule, const RunSettings& settings,
               RunObserver* observer) const {
    engine.run({.arrival = *explained_});
    const Explanation explanation = explain_next(engine, settings);
    decide_as_explained(engine, schedule, explanation, observer);
    const ExplainDetail detail =
        arguments_.explain_all ? ExplainDetail::kAllHosts : ExplainDetail::kBest;
    print(explanation_text(explanation, workload_, detail, words_.unit) + "\n");
  }

  /// The measures are the columns of `cospot compare`, by their names.
  [[nodiscard]] std::string result_json(const RunSettings& settings, const LifeResult& life,
                                        Timing timing) const {
    const RunResult& result = life.run;
    const std::vector<Column>& columns = compare_schema().measures;
    const Measures values = compare_measures(result, workload_.sha256, 0);
    JsonObject measures;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].is_in_csv()) continue;
      measures.add(columns[i].name,
                   json_value(columns[i], with_timing(columns[i], values[i], timing)));
    }
    JsonObject json;
    json.add("workload", json_text(workload_.name))
        .add("workload_sha256", json_text(workload_.sha256))
        .add("window_days", window_days_text(workload_.window))
        .add("host", host_json(settings.host).dump())
        .add("headroom_percent", json_number(sweep_.sizes.front().percent))
        .add("least_hosts", least_hosts_ ? std::to_string(*least_hosts_) : "null")
        .add("vm", json_text(settings.vm.label))
        .add("spot", json_text(settings.spot.label))
        .add("evictor", json_text(settings.evictor.label))
        .add("saf", json_bool(settings.saf))
        .add("otn", setting_json(settings.otn).dump())
        .add("measures", measures.text());
    if (life_) json.add("disruptions", life_result_json(*life_, life));
    if (words_.prices)
      json.add("money", run_money_json(result, *words_.prices, words_.window_days));
    return json.text();
  }

  [[nodiscard]] std::string settings_text(const RunSettings& settings) const {
    std::string hosts =
        settings.host.is_plain()
            ? fmt::format("{} of {}", settings.hosts,
                          host_text(settings.host.largest_total(), words_.unit))
            : fmt::format("{}: {}", settings.hosts, types_text(settings.host, settings.hosts));
    if (least_hosts_.has_value()) {
      hosts += fmt::format("; {} fit the VMs, {} % headroom", *least_hosts_,
                           *sweep_.sizes.front().percent);
    }
    return fmt::format(
        "workload  {}\n{}hosts     {}\npolicies  VM {}, spot {}, evictor {}, SAF {}, "
        "OTN {}\n",
        workload_.name, window_text(workload_), hosts, settings.vm.label, settings.spot.label,
        settings.evictor.label, settings.saf ? "on" : "off", settings.otn.label());
  }

  const RunArguments& arguments_;
  ConfigNode life_key_{};  // before sweep_, which is read with it
  Sweep sweep_;
  Workload workload_;
  RevenueWords words_;
  std::optional<InstanceIndex> explained_;
  std::optional<std::size_t> least_hosts_;
  std::optional<LifeSettings> life_;
};

void require_headroom(double percent) {
  if (percent >= 0 && percent <= kMaxHeadroomPercent) return;
  throw ConfigError(fmt::format("--headroom-percent {}: expected percentages from 0 to {}", percent,
                                kMaxHeadroomPercent));
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
  const auto fewest = std::ranges::min_element(sizes, {}, &DatacenterSize::hosts);
  const std::string of_study =
      sizes.size() < 2
          ? ""
          : fmt::format(
                "Studies over these policies count a headroom from the "
                "fewest: {} hosts, of {}.\n",
                fewest->hosts, chains[static_cast<std::size_t>(fewest - sizes.begin())].label);
  return fmt::format(
      "workload  {}: {} VMs\n{}{}\n\nhosts by headroom (lower bound: the peak "
      "demand, were it packed without loss)\n{}{}",
      workload.name, vms.vm_requests, window_text(workload), host_rule_text(host, unit),
      table.text(), of_study);
}

std::string sizes_json(const SizeArguments& arguments, const HostMix& host,
                       const Workload& workload, const EventSchedule& vms,
                       std::span<const ChainSpec> chains, std::span<const DatacenterSize> sizes) {
  std::vector<std::string> policies;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const auto size_of = [&](double percent) {
      const std::size_t hosts = with_headroom(sizes[i].hosts, percent);
      JsonObject size;
      size.add("headroom_percent", json_number(percent)).add("hosts", std::to_string(hosts));
      if (!host.is_plain()) size.add("types", types_json(host, hosts).dump());
      return size.text();
    };
    policies.push_back(JsonObject()
                           .add("vm", json_text(chains[i].label))
                           .add("lower_bound", std::to_string(sizes[i].lower_bound))
                           .add("sizes", list_of(arguments.headroom, size_of))
                           .text());
  }
  return JsonObject()
      .add("workload", json_text(workload.name))
      .add("vms", std::to_string(vms.vm_requests))
      .add("window_days", window_days_text(workload.window))
      .add("host", host_json(host).dump())
      .add("policies", json_list(policies))
      .text();
}

void size_datacenter(const SizeArguments& arguments, PolicyLoader& loader) {
  HostMix host = parse_hosts_option(arguments.host);
  if (!arguments.added_type.empty()) host.add_only(arguments.added_type);
  for (const double percent : arguments.headroom) require_headroom(percent);
  std::vector<ChainSpec> chains;
  for (const std::string& name : arguments.vm) {
    chains.push_back(load_chain(name, loader));  // an unknown name, before the work
  }
  WorkloadSpec spec = parse_workload_spec(arguments.workload);
  spec.window = arguments.window.window();
  const Workload workload = load_workload(spec);
  print_warnings(input_warnings(workload, host.largest_total(), vcpus_unit_of(spec)));
  const EventSchedule vms =
      make_schedule(workload, ScheduledClasses::kVmsOnly, host.isolated_tenants());
  require_possible_placements(workload, vms, host, std::nullopt);
  std::vector<DatacenterSize> sizes;
  const VcpusUnit unit = vcpus_unit_of(spec);
  for (const ChainSpec& chain : chains) {
    sizes.push_back(smallest_datacenter(workload, vms, host, chain, unit));
  }
  print(arguments.json ? sizes_json(arguments, host, workload, vms, chains, sizes) + "\n"
                       : sizes_text(arguments, host, workload, vms, unit, chains, sizes));
}

void add_run(CLI::App& app, PolicyLoader& loader) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Simulate one scenario");
  command->add_option("SCENARIO", arguments->scenario, "Scenario file (YAML)")->required();
  command->add_option("--set", arguments->overrides, "Override a key: otn=4, host.vcpus=64")
      ->allow_extra_args(false);
  arguments->window.add_to(*command);
  command->add_option("--events", arguments->events,
                      "Write every event as CSV; gzip-compressed if it ends in .gz");
  CLI::Option* explain = command->add_option("--explain", arguments->explained_id,
                                             "Print why this request gets the host it gets");
  command->add_flag("--explain-all", arguments->explain_all, "Explain with all hosts")
      ->needs(explain);
  command->add_option("--timing", arguments->timing, "on, or off: no times, so that output repeats")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print JSON (docs/json.md)")->excludes(explain);
  arguments->price.add_to(*command);
  command->callback([arguments, &loader] { ScenarioRun(*arguments, loader).run(); });
}

void add_size(CLI::App& app, PolicyLoader& loader) {
  const auto arguments = std::make_shared<SizeArguments>();
  CLI::App* command =
      app.add_subcommand("size", "Find the least hosts with which no VM is rejected");
  command
      ->add_option("WORKLOAD", arguments->workload,
                   "Workload file, or a workload spec: azure2020:seed=1:scale=0.01")
      ->required();
  command->add_option("--vm", arguments->vm, "VM policy; may be repeated")
      ->required()
      ->allow_extra_args(false);
  command
      ->add_option("--host", arguments->host,
                   "VCPUS,MEMORY_MB[,DISK_GB] of a host, or of several types a file of hosts (CSV)")
      ->required();
  command->add_option("--added-type", arguments->added_type,
                      "Of several types, the only one to add to the hosts that are there");
  arguments->window.add_to(*command);
  command
      ->add_option("--headroom-percent,--headroom", arguments->headroom,
                   "Hosts beyond the fewest that hold all VMs, %: 0,1,2")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print JSON (docs/json.md)");
  command->callback([arguments, &loader] { size_datacenter(*arguments, loader); });
}

}  // namespace

void add_run_commands(CLI::App& app, PolicyLoader& loader) {
  add_run(app, loader);
  add_size(app, loader);
}

}  // namespace cospot
