#include "sim_harness/sweeps/policy_list.hpp"

#include <fmt/core.h>

#include <array>
#include <map>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "evictors/registry.hpp"
#include "sim_harness/sweeps/config_value.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

using OptionMap = std::map<std::string, PluginOptions::Value>;

/// Large enough for every weighted sum, small enough that none overflows.
constexpr double kMaxMultiplier = 1e12;

/// A policy as the file writes it, before it is known which kind it is.
struct PolicyText {
  std::string name;
  std::string label;
  double multiplier = 1.0;
  OptionMap options;
};

/// Makes the policy once and drops it: the registry and the policy's constructor say whether its
/// name and options are valid.
template <class Plugin>
void require_makable(const ConfigNode& node, std::string_view key, std::string_view kind,
                     std::span<const RegistryEntry<Plugin>> registry, const PolicyText& policy) {
  try {
    static_cast<void>(make_plugin<Plugin>(registry, kind, policy.name, policy.options));
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}: {}", node.where, key, error.what()));
  }
}

enum class AllowMultiplier : bool { kNo, kYes };

PolicyText read_policy(const ConfigNode& node, std::string_view key, AllowMultiplier multiplier) {
  PolicyText policy;
  if (node.kind == ConfigNode::Kind::kScalar) {
    policy.name = read_text(node, key);
  } else if (node.kind == ConfigNode::Kind::kMapping) {
    policy.name = read_text(require_key(node, key, "name"), "name");
    for (const ConfigEntry& entry : node.entries) {
      if (entry.key == "name") continue;
      if (entry.key == "label") {
        policy.label = read_label(entry.value, "label");
      } else if (entry.key == "multiplier" && multiplier == AllowMultiplier::kYes) {
        policy.multiplier = read_number(entry.value, "multiplier", -kMaxMultiplier, kMaxMultiplier);
      } else {
        policy.options[entry.key] = read_option(entry.value, entry.key);
      }
    }
  } else {
    throw_bad_value(node, key, "a policy's name or a mapping with its name and options");
  }
  if (policy.label.empty()) policy.label = policy.name;
  return policy;
}

WeigherSpec read_weigher(const ConfigNode& node, std::string_view key, AllowMultiplier multiplier,
                         std::string& label) {
  PolicyText policy = read_policy(node, key, multiplier);
  require_makable(node, key, "weigher", weigher_registry(), policy);
  label = std::move(policy.label);
  return {std::move(policy.name), policy.multiplier, std::move(policy.options)};
}

ChainSpec read_weighted_sum(const ConfigNode& node, const ConfigNode& weighers,
                            std::string_view key) {
  static constexpr std::array<std::string_view, 2> kKeys{"label", "weighers"};
  require_known_keys(node, key, kKeys);
  ChainSpec chain;
  std::string names;
  for (const ConfigNode* item : read_list(weighers, "weighers")) {
    if (item->find("label") != nullptr) {
      throw_bad_value(*item, "weighers", "no label: a weighted sum has one label as a whole");
    }
    std::string label;
    chain.weighers.push_back(read_weigher(*item, "weighers", AllowMultiplier::kYes, label));
    names += (names.empty() ? "" : "+") + label;
  }
  const ConfigNode* label = node.find("label");
  chain.label = label == nullptr ? names : read_label(*label, "label");
  return chain;
}

ChainSpec read_chain(const ConfigNode& node, std::string_view key) {
  if (const ConfigNode* weighers = node.find("weighers")) {
    return read_weighted_sum(node, *weighers, key);
  }
  ChainSpec chain;
  chain.weighers.push_back(read_weigher(node, key, AllowMultiplier::kNo, chain.label));
  return chain;
}

EvictorSpec read_evictor(const ConfigNode& node, std::string_view key) {
  PolicyText policy = read_policy(node, key, AllowMultiplier::kNo);
  require_makable(node, key, "evictor", evictor_registry(), policy);
  return {std::move(policy.label), std::move(policy.name), std::move(policy.options)};
}

template <class Spec>
std::vector<Spec> read_policies(const ConfigNode& node, std::string_view key,
                                Spec (*read_one)(const ConfigNode&, std::string_view)) {
  std::vector<Spec> specs;
  std::map<std::string, std::string> places;  // label -> where it was first used
  for (const ConfigNode* item : read_list(node, key)) {
    specs.push_back(read_one(*item, key));
    const auto [first, is_new] = places.emplace(specs.back().label, item->where);
    if (!is_new) {
      throw ConfigError(
          fmt::format("{}: {}: duplicate label '{}', already used at {}; give one of them another: "
                      "{{name: ..., label: ...}}",
                      item->where, key, specs.back().label, first->second));
    }
  }
  return specs;
}

}  // namespace

std::vector<ChainSpec> read_chains(const ConfigNode& node, std::string_view key) {
  return read_policies<ChainSpec>(node, key, read_chain);
}

std::vector<EvictorSpec> read_evictors(const ConfigNode& node, std::string_view key) {
  return read_policies<EvictorSpec>(node, key, read_evictor);
}

}  // namespace cospot
