#include "sim_harness/studies/provider/parts/lifetime_target_keys.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "guarantees/sla/lifetime_sla_options.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

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
      {"asked_factor", 1.0},
      {"asking_percent", 100.0}};
  return keys;
}

PolicyOptions read_lifetime_promise(const ConfigNode& root) {
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

}  // namespace

const Axis<TargetSettings, SlaTarget> kTargetAxis{
    .name = "target",
    .meaning = "promised probability of eviction; `none`: no promise",
    .values = &TargetSettings::targets,
    .read_all = [](const StudyFile& file, const TargetSettings&) {
      return read_distinct(require_key(file.root, "study", "target"), "target",
                           [](const ConfigNode& item) { return read_target(item, "target"); });
    }};

Setting<TargetSettings> lifetime_promise_setting() {
  Setting<TargetSettings> setting{
      .keys = {},
      .read = [](const StudyFile& file,
                 TargetSettings& settings) { settings.promise = read_lifetime_promise(file.root); },
      .write =
          [](const TargetSettings& settings, Json& configuration) {
            for (const auto& [key, value] : settings.promise) {
              configuration[key] = setting_json(value);
            }
          }};
  for (const auto& [key, fallback] : promise_keys()) setting.keys.emplace_back(key);
  return setting;
}

}  // namespace cospot
