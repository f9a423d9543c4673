#include "sim_harness/studies/sla/sla_settings.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"
#include "sim_harness/studies/sla/sla_run.hpp"
#include "sim_harness/studies/sla/sla_summary.hpp"

namespace cospot {
namespace {

void read_host(const ConfigNode& root, const std::filesystem::path& folder, SlaSettings& settings) {
  static constexpr std::array<std::string_view, 2> kHostKeys{"vcpus", "memory_mb"};
  const ConfigNode& node = require_key(root, "study", "host");
  if (node.kind == ConfigNode::Kind::kList || node.text.ends_with(".csv") ||
      node.text.ends_with(".csv.gz")) {
    settings.host = read_hosts(root, folder);
    settings.has_memory = true;
    return;
  }
  require_known_keys(node, "host", kHostKeys);
  const auto read_amount = [](const ConfigNode& amount, std::string_view key) {
    return static_cast<ResourceAmount>(read_integer(amount, key, 1, kMaxResourceAmount));
  };
  ResourceVector total;
  total.vcpus = read_amount(require_key(node, "host", "vcpus"), "host.vcpus");
  total.memory_mb = 1;  // a host has some; requests without memory need none of it
  if (const ConfigNode* memory = node.find("memory_mb")) {
    total.memory_mb = read_amount(*memory, "host.memory_mb");
    settings.has_memory = true;
  }
  settings.host = total;
}

/// If `host` states the number of hosts, `hosts` may be left out.
std::vector<std::size_t> read_host_counts(const ConfigNode& root, const HostMix& host) {
  if (root.find("hosts") == nullptr && !host.is_plain()) return {host.declared()};
  return read_distinct(require_key(root, "study", "hosts"), "hosts", [](const auto& item) {
    return static_cast<std::size_t>(read_integer(item, "hosts", 1, 1'000'000));
  });
}

/// The policies under a key, by default first fit.
std::vector<ChainSpec> read_policies(const ConfigNode& root, std::string_view key,
                                     PolicyLoader& loader) {
  const ConfigNode* node = root.find(key);
  if (node == nullptr) return {load_chain("FirstFit", loader)};
  return read_chains(*node, key, loader);
}

std::vector<EvictorSpec> read_evictors_of(const StudyFile& file, std::string_view victim) {
  if (const ConfigNode* node = file.root.find("evictor")) {
    return read_evictors(*node, "evictor", file.folder, *file.policies);
  }
  EvictorSpec spec{.label = "YJF", .name = "YJF"};
  spec.options["score"] = std::string(victim == "youngest" ? "age" : "victims");
  return {spec};
}

void read_simulation(const StudyFile& file, SlaSettings& settings) {
  const ConfigNode& root = file.root;
  if (const ConfigNode* delay = root.find("spot_delay_hours")) {
    settings.spot_delay = time_of_hours(read_number(*delay, "spot_delay_hours", 0, 24 * 366));
  }
  if (const ConfigNode* end = root.find("spot_end")) {
    const std::string text = read_text(*end, "spot_end");
    if (text != "shift" && text != "cut") throw_bad_value(*end, "spot_end", "shift or cut");
    settings.spots_end_with_vms = text == "cut";
  }
  settings.vm = read_policies(root, "vm", *file.policies);
  settings.spot = read_policies(root, "spot", *file.policies);
  const ConfigNode* of = root.find("victim");
  const std::string victim = of == nullptr ? "youngest" : of->text;
  settings.evictors = read_evictors_of(file, victim);
  settings.saf = read_safs(root, true);
  if (root.find("otn") != nullptr) {
    settings.otn = read_offers(root);
  } else if (victim == "first_host") {
    settings.otn = {OfferRule(1)};
  }
}

/// Refuses VMs and spots whose sizes nobody can add.
void require_one_unit(const ConfigNode& root, const SlaSettings& settings) {
  for (const RequestSource& vms : settings.vm_sources) {
    for (const RequestSource& spots : settings.spot_sources) {
      if (spots.is_same_file || spots.unit == vms.unit) continue;
      throw ConfigError(
          fmt::format("{}: one vcpu of '{}' is {} and of '{}' {}; expected files that count alike "
                      "(cospot workload convert --vcpus-unit)",
                      key_place(*root.find("spot_workloads"), "spot_workloads"), vms.label,
                      vcpus_unit_text(vms.unit), spots.label, vcpus_unit_text(spots.unit)));
    }
  }
}

using S = SlaSettings;

const Setting<S> kHost{
    .keys = {"host"},
    .read = [](const StudyFile& file, S& settings) { read_host(file.root, file.folder, settings); },
    .write =
        [](const S& settings, Json& configuration) {
          Json& host = configuration["host"] = host_json(settings.host);
          if (!settings.has_memory) host.erase("memory_mb");
          const std::string& added = settings.host.added_type();
          if (!added.empty()) configuration["added_type"] = added;
        }};

/// Policies, and the ways in which spots come and go, are axes only if they have several values.
const Setting<S> kSimulation{
    .keys = {"spot_delay_hours", "spot_end", "vm", "spot", "evictor", "saf", "otn"},
    .read = read_simulation,
    .write =
        [](const S& settings, Json& configuration) {
          configuration["spot_delay_hours"] = json_of(hours_of(settings.spot_delay));
          configuration["spot_end"] = settings.spots_end_with_vms ? "cut" : "shift";
          configuration["vm"] = setting_json(settings.vm.front());
          configuration["spot"] = setting_json(settings.spot.front());
          configuration["evictor"] = setting_json(settings.evictors.front());
          configuration["saf"] = bool{settings.saf.front()};
          if (!settings.otn.empty()) configuration["otn"] = setting_json(settings.otn.front());
        },
    .renamed = {{"vm_policy", "vm"}, {"spot_policy", "spot"}}};

std::vector<RequestSource> read_sources_of(const StudyFile& file, std::string_view key) {
  return read_sources(require_key(file.root, "study", key), key, file.folder);
}

}  // namespace

const Axis<TraceSettings, RequestSource> kSlaWorkloadAxis{
    .name = "workload",
    .meaning = "label of the requests for VMs",
    .values = &TraceSettings::vm_sources,
    .read_all = [](const StudyFile& file,
                   const TraceSettings&) { return read_sources_of(file, "workloads"); },
    .keys = {"workloads"},
    .renamed = {{"on_demand", "workloads"}}};

const Axis<TraceSettings, RequestSource> kSpotWorkloadAxis{
    .name = "spot_workload",
    .meaning = "label of the requests for spots",
    .values = &TraceSettings::spot_sources,
    .read_all = [](const StudyFile& file,
                   const TraceSettings&) { return read_sources_of(file, "spot_workloads"); },
    .keys = {"spot_workloads"}};

const Axis<S, std::size_t> kHostsAxis{.name = "hosts",
                                      .unit = "hosts",
                                      .meaning = "in the datacenter",
                                      .values = &S::host_counts,
                                      .read_all = [](const StudyFile& file, const S& settings) {
                                        return read_host_counts(file.root, settings.host);
                                      }};

namespace {

/// Each VM is offered all hosts, unless the file says how many.
void complete_run(const PartRun& run) {
  if (run.at.settings().otn.empty()) run.settings.otn = OfferRule(run.settings.hosts);
}

double held_vcpus(Revenue revenue, SimTime window) {
  return static_cast<double>(revenue) / static_cast<double>(window.count());
}

std::vector<Measure<RunOutcome>> measures() {
  using R = RunOutcome;
  std::vector<Measure<R>> all{
      measure<R>({.name = "on_demand_requests", .unit = "VMs", .meaning = "requested"},
                 [](const R& one) { return one.run().vm_requests; }),
      measure<R>({.name = "on_demand_admitted", .unit = "VMs", .meaning = "placed"},
                 [](const R& one) { return one.run().vm_requests - one.run().vm_rejected; }),
      measure<R>({.name = "spot_requests", .unit = "spots", .meaning = "requested"},
                 [](const R& one) { return one.run().spot_requests; })};
  append(all, promised_spot_measures());
  append(all,
         std::vector<Measure<R>>{
             measure<&R::vm_vcpus_mean>({.name = "on_demand_vcpus_mean",
                                         .unit = "vcpus",
                                         .meaning = "that the on-demand trace asks for on average",
                                         .decimals = 3}),
             measure<&R::spot_vcpus_mean>({.name = "spot_vcpus_mean",
                                           .unit = "vcpus",
                                           .meaning = "that the spot trace asks for on average",
                                           .decimals = 3})});
  append(all, refresh_measures());
  append(
      all,
      std::vector<Measure<R>>{
          measure<R>({.name = "on_demand_vcpus_held",
                      .unit = "vcpus",
                      .meaning = "that VMs held on average",
                      .decimals = 3},
                     [](const R& one) { return held_vcpus(one.run().vm_revenue, one.window); }),
          measure<R>({.name = "spot_vcpus_held",
                      .unit = "vcpus",
                      .meaning = "that spots held on average",
                      .decimals = 3},
                     [](const R& one) { return held_vcpus(one.run().spot_revenue, one.window); }),
          measure<R>({.name = "spot_revenue_share",
                      .unit = "fraction",
                      .meaning = "of the spot revenue that was requested: what spots earned",
                      .decimals = 6},
                     [](const R& one) {
                       const RunResult& run = one.run();
                       return run.spot_revenue_requested > 0
                                  ? static_cast<double>(run.spot_revenue) /
                                        static_cast<double>(run.spot_revenue_requested)
                                  : 0.0;
                     })});
  append(all, measures_of<&R::life>(measures_of<&LifeResult::run>(run_revenue())));
  all.push_back(measure<R>(
      {.name = "window_days", .unit = "days", .meaning = "of the run", .decimals = 6},
      [](const R& one) {
        return static_cast<double>(one.window.count()) / static_cast<double>(SimTime(kDay).count());
      }));
  return all;
}

}  // namespace

const ProviderPreset& sla_preset() {
  static const ProviderPreset made{
      .name = "sla",
      .summary = "promised lifetimes of spots: admissions and evictions by target",
      .page = "docs/lifetime-sla.md",
      .rows = {kSlaWorkloadAxis, kSpotWorkloadAxis, kHost, kHostsAxis, kSimulation},
      .rows_of_several = {kVmAxis, kSpotAxis, kEvictorAxis, kSafAxis, kOtnAxis},
      .parts = {"target"},
      .measures = measures(),
      .derived = {{derived_fraction("on_demand_admission", "of the on-demand requests: placed"),
                   "CAST(run.on_demand_admitted AS REAL) / NULLIF(run.on_demand_requests, 0)"},
                  {derived_fraction("spot_admission", "of the spot requests: placed"),
                   "CAST(run.spot_admitted AS REAL) / NULLIF(run.spot_requests, 0)"}},
      .figures = {.title = "Further parts", .figures = {}},
      .money = sla_money(),
      .load = load_traces,
      .complete = complete_run};
  return made;
}

SlaSettings read_sla_settings(const StudyFile& file) {
  SlaSettings settings = ProviderStudy(sla_preset(), file.root).table().read(file);
  require_one_unit(file.root, settings);
  return settings;
}

}  // namespace cospot
