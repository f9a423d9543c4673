#include "sim_harness/studies/sla/sla_settings.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {
namespace {

/// The keys that are options of the filter LifetimeSla, with what they are when nobody says.
const std::vector<std::pair<std::string, PluginOptions::Value>>& promise_keys() {
  static const std::vector<std::pair<std::string, PluginOptions::Value>> keys{
      {"refresh_hours", 6.0},
      {"samples", std::int64_t{10'000}},
      {"samples_per", "size"},
      {"samples_kept", "refresh"},
      {"least_samples", std::int64_t{1}},
      {"victim", "youngest"},
      {"censored", "forever"},
      {"quantile", "linear"},
      {"condition_width", 0.0},
      {"history", "all"},
      {"before_first_refresh", "reject"},
      {"asked_factor", 1.0}};
  return keys;
}

PolicyOptions read_promise(const ConfigNode& root) {
  PolicyOptions promise;
  for (const auto& [key, fallback] : promise_keys()) {
    const ConfigNode* node = root.find(key);
    promise[key] = node == nullptr ? fallback : read_option(*node, key);
    if (node == nullptr) continue;
    try {
      (void)read_lifetime_sla_options(PluginOptions("sla", {{key, promise[key]}}));
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}", node->where, error.what()));
    }
  }
  return promise;
}

SlaTarget read_target(const ConfigNode& node, std::string_view key) {
  if (node.text == "none") return {.label = "none", .probability = std::nullopt};
  constexpr std::string_view kExpected = "none, or a probability of eviction between 0 and 1";
  SlaTarget target;
  try {
    target.probability = read_number(node, key, 0, 1);
  } catch (const ConfigError&) {
    throw_bad_value(node, key, kExpected);
  }
  if (*target.probability <= 0 || *target.probability >= 1) {
    throw_bad_value(node, key, kExpected);
  }
  target.label = fmt::format("{}", *target.probability);
  return target;
}

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

/// Where `host` says how many there are, `hosts` may be left out.
std::vector<std::size_t> read_host_counts(const ConfigNode& root, const HostMix& host) {
  if (root.find("hosts") == nullptr && !host.is_plain()) return {host.declared()};
  return read_distinct(require_key(root, "study", "hosts"), "hosts", [](const auto& item) {
    return static_cast<std::size_t>(read_integer(item, "hosts", 1, 1'000'000));
  });
}

/// A key with one policy, by default first fit.
ChainSpec read_policy(const ConfigNode& root, std::string_view key, PolicyLoader& loader) {
  const ConfigNode* node = root.find(key);
  if (node == nullptr) return load_chain("FirstFit", loader);
  std::vector<ChainSpec> chains = read_chains(*node, key, loader);
  if (chains.size() != 1) throw_bad_value(*node, key, "one policy: it is no axis");
  return std::move(chains.front());
}

EvictorSpec read_evictor(const ConfigNode& root, const StudyFile& file, std::string_view victim) {
  if (const ConfigNode* node = root.find("evictor")) {
    std::vector<EvictorSpec> evictors =
        read_evictors(*node, "evictor", file.folder, *file.policies);
    if (evictors.size() != 1) throw_bad_value(*node, "evictor", "one evictor: it is no axis");
    return std::move(evictors.front());
  }
  EvictorSpec spec{.label = "YJF", .name = "YJF"};
  spec.options["score"] = std::string(victim == "youngest" ? "age" : "victims");
  return spec;
}

void read_simulation(const StudyFile& file, SlaSettings& settings) {
  const ConfigNode& root = file.root;
  constexpr double kMicrosecondsPerHour = 3600e6;
  if (const ConfigNode* delay = root.find("spot_delay_hours")) {
    const double hours = read_number(*delay, "spot_delay_hours", 0, 24 * 366);
    settings.spot_delay = SimTime(static_cast<std::int64_t>(hours * kMicrosecondsPerHour));
  }
  if (const ConfigNode* end = root.find("spot_end")) {
    const std::string text = read_text(*end, "spot_end");
    if (text != "shift" && text != "cut") throw_bad_value(*end, "spot_end", "shift or cut");
    settings.spots_end_with_on_demand = text == "cut";
  }
  settings.vm = read_policy(root, "vm", *file.policies);
  settings.spot_chain = read_policy(root, "spot", *file.policies);
  const std::string victim = std::get<std::string>(settings.promise.at("victim"));
  settings.evictor = read_evictor(root, file, victim);
  if (const ConfigNode* saf = root.find("saf")) settings.saf = read_bool(*saf, "saf");
  if (root.find("otn") != nullptr) {
    const std::vector<OfferRule> offers = read_offers(root);
    if (offers.size() != 1) throw_bad_value(*root.find("otn"), "otn", "one value: it is no axis");
    settings.otn = offers.front();
  } else if (victim == "first_host") {
    settings.otn = OfferRule(1);
  }
}

/// Refuses VMs and spots whose sizes nobody can add.
void require_one_unit(const ConfigNode& root, const SlaSettings& settings) {
  for (const RequestSource& vms : settings.on_demand) {
    for (const RequestSource& spots : settings.spot) {
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
          configuration["host"] = host_json(settings.host);
          configuration["counts_memory"] = settings.has_memory;
        }};

/// How the promise is made: the options of the filter.
Setting<S> promise_setting() {
  Setting<S> setting{.keys = {},
                     .read = [](const StudyFile& file,
                                S& settings) { settings.promise = read_promise(file.root); },
                     .write =
                         [](const S& settings, Json& configuration) {
                           Json& promise = configuration["promise"] = Json::object();
                           for (const auto& [key, value] : settings.promise)
                             promise[key] = setting_json(value);
                         }};
  for (const auto& [key, fallback] : promise_keys()) setting.keys.emplace_back(key);
  return setting;
}

/// What is no axis of the simulation: the policies, and how spots come and go.
const Setting<S> kSimulation{
    .keys = {"spot_delay_hours", "spot_end", "vm", "spot", "evictor", "saf", "otn"},
    .read = read_simulation,
    .write =
        [](const S& settings, Json& configuration) {
          configuration["spot_delay_us"] = settings.spot_delay.count();
          configuration["spot_end"] = settings.spots_end_with_on_demand ? "cut" : "shift";
          configuration["vm"] = setting_json(settings.vm);
          configuration["spot"] = setting_json(settings.spot_chain);
          configuration["evictor"] = setting_json(settings.evictor);
          configuration["saf"] = settings.saf;
          configuration["otn"] = settings.otn ? setting_json(*settings.otn) : Json("all");
        },
    .renamed = {{"vm_policy", "vm"}, {"spot_policy", "spot"}}};

std::vector<RequestSource> read_sources_of(const StudyFile& file, std::string_view key) {
  return read_sources(require_key(file.root, "study", key), key, file.folder);
}

}  // namespace

const Axis<S, RequestSource> kSlaWorkloadAxis{
    .name = "workload",
    .meaning = "label of the requests for VMs",
    .values = &S::on_demand,
    .read_all = [](const StudyFile& file, const S&) { return read_sources_of(file, "workloads"); },
    .keys = {"workloads"},
    .renamed = {{"on_demand", "workloads"}}};

const Axis<S, RequestSource> kSpotWorkloadAxis{
    .name = "spot_workload",
    .meaning = "label of the requests for spots",
    .values = &S::spot,
    .read_all = [](const StudyFile& file,
                   const S&) { return read_sources_of(file, "spot_workloads"); },
    .keys = {"spot_workloads"}};

const Axis<S, std::size_t> kHostsAxis{.name = "hosts",
                                      .unit = "hosts",
                                      .meaning = "in the datacenter",
                                      .values = &S::hosts,
                                      .read_all = [](const StudyFile& file, const S& settings) {
                                        return read_host_counts(file.root, settings.host);
                                      }};

const Axis<S, SlaTarget> kTargetAxis{
    .name = "target",
    .meaning = "promised probability of eviction; `none`: no promise",
    .values = &S::targets,
    .read = read_target};

const Axis<S, std::int64_t> kSlaSeedAxis{.name = "seed",
                                         .meaning = "of generated requests and of samples",
                                         .values = &S::seeds,
                                         .read = read_seed};

const SettingTable<S>& sla_table() {
  static const SettingTable<S> table(
      "study", {kSlaWorkloadAxis, kSpotWorkloadAxis, kHost, kHostsAxis, kTargetAxis, kSlaSeedAxis,
                promise_setting(), kSimulation});
  return table;
}

SlaSettings read_sla_settings(const StudyFile& file) {
  SlaSettings settings = sla_table().read(file);
  require_one_unit(file.root, settings);
  return settings;
}

}  // namespace cospot
