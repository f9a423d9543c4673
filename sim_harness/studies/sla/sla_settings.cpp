#include "sim_harness/studies/sla/sla_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/configuration/config_value.hpp"
#include "sim_harness/policies/policy_list.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {
namespace {

constexpr std::array<std::string_view, 26> kKeys{"study",
                                                 "on_demand",
                                                 "spot",
                                                 "host",
                                                 "hosts",
                                                 "target",
                                                 "seed",
                                                 "spot_delay_hours",
                                                 "spot_end",
                                                 "vm_policy",
                                                 "spot_policy",
                                                 "evictor",
                                                 "saf",
                                                 "otn",
                                                 "refresh_hours",
                                                 "samples",
                                                 "samples_per",
                                                 "samples_kept",
                                                 "least_samples",
                                                 "victim",
                                                 "censored",
                                                 "quantile",
                                                 "condition_width",
                                                 "history",
                                                 "before_first_refresh",
                                                 "asked_factor"};

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

SlaTarget read_target(const ConfigNode& node) {
  if (node.text == "none") return {.label = "none", .probability = std::nullopt};
  constexpr std::string_view kExpected = "none, or a probability of eviction between 0 and 1";
  SlaTarget target;
  try {
    target.probability = read_number(node, "target", 0, 1);
  } catch (const ConfigError&) {
    throw_bad_value(node, "target", kExpected);
  }
  if (*target.probability <= 0 || *target.probability >= 1) {
    throw_bad_value(node, "target", kExpected);
  }
  target.label = fmt::format("{}", *target.probability);
  return target;
}

std::vector<SlaTarget> read_targets(const ConfigNode& root) {
  std::vector<SlaTarget> targets;
  for (const ConfigNode* item : read_list(require_key(root, "study", "target"), "target")) {
    SlaTarget target = read_target(*item);
    const auto is_it = [&](const SlaTarget& other) { return other.label == target.label; };
    if (std::ranges::any_of(targets, is_it)) {
      throw ConfigError(
          fmt::format("{}: duplicate value '{}'", key_place(*item, "target"), item->text));
    }
    targets.push_back(std::move(target));
  }
  return targets;
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
  settings.vm = read_policy(root, "vm_policy", *file.policies);
  settings.spot_chain = read_policy(root, "spot_policy", *file.policies);
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

std::string option_json(const PluginOptions::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json_text(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* flag = std::get_if<bool>(&value)) return json_bool(*flag);
  return json_number(std::get<double>(value));
}

/// Refuses VMs and spots whose sizes nobody can add.
void require_one_unit(const ConfigNode& root, const SlaSettings& settings) {
  for (const RequestSource& vms : settings.on_demand) {
    for (const RequestSource& spots : settings.spot) {
      if (spots.is_same_file || spots.unit == vms.unit) continue;
      throw ConfigError(
          fmt::format("{}: one vcpu of '{}' is {} and of '{}' {}; expected files that count alike "
                      "(cospot workload convert --vcpus-unit)",
                      key_place(*root.find("spot"), "spot"), vms.label, vcpus_unit_text(vms.unit),
                      spots.label, vcpus_unit_text(spots.unit)));
    }
  }
}

}  // namespace

std::string SlaSettings::json() const {
  const auto source = [](const RequestSource& one) { return one.json(); };
  const auto number = [](auto one) { return std::to_string(one); };
  JsonObject promised;
  for (const auto& [key, value] : promise) promised.add(key, option_json(value));
  return JsonObject()
      .add("on_demand", list_of(on_demand, source))
      .add("spot", list_of(spot, source))
      .add("host", host_json(host))
      .add("counts_memory", json_bool(has_memory))
      .add("hosts", list_of(hosts, number))
      .add("target", list_of(targets, [](const SlaTarget& one) { return json_text(one.label); }))
      .add("seed", list_of(seeds, number))
      .add("promise", promised.text())
      .add("spot_delay_us", std::to_string(spot_delay.count()))
      .add("spot_end", json_text(spots_end_with_on_demand ? "cut" : "shift"))
      .add("vm_policy", chain_json(vm))
      .add("spot_policy", chain_json(spot_chain))
      .add("evictor", evictor_json(evictor))
      .add("saf", json_bool(saf))
      .add("otn", otn ? otn_json(*otn) : json_text("all"))
      .text();
}

SlaSettings read_sla_settings(const StudyFile& file) {
  const ConfigNode& root = file.root;
  require_known_keys(root, "study", kKeys);
  SlaSettings settings;
  settings.on_demand =
      read_sources(require_key(root, "study", "on_demand"), "on_demand", file.folder);
  settings.spot = read_sources(require_key(root, "study", "spot"), "spot", file.folder);
  require_one_unit(root, settings);
  read_host(root, file.folder, settings);
  settings.hosts = read_host_counts(root, settings.host);
  settings.targets = read_targets(root);
  if (const ConfigNode* seed = root.find("seed")) {
    settings.seeds = read_distinct(*seed, "seed", [](const ConfigNode& item) {
      return read_integer(item, "seed", 0, std::numeric_limits<std::int64_t>::max());
    });
  }
  settings.promise = read_promise(root);
  read_simulation(file, settings);
  return settings;
}

}  // namespace cospot
