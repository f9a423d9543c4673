#include "sim_harness/studies/levels/levels_settings.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <utility>

#include "sim_harness/engine/spot_forecasts.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/policies/policy_list.hpp"
#include "sim_harness/studies/economy/economy_keys.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {
namespace {

/// A confidence, as it is written, or `unlimited`.
std::string read_promise(const ConfigNode& node) {
  constexpr double kMostConfidence = 0.999999;
  if (node.text == kUnlimitedPromise) return kUnlimitedPromise;
  (void)read_number(node, "promise", 0, kMostConfidence);
  return node.text;
}

void read_levels(const ConfigNode& root, LevelsSettings& settings) {
  settings.percents = read_distinct(
      require_key(root, "study levels", "economy_percent"), "economy_percent",
      [](const ConfigNode& item) { return read_number(item, "economy_percent", 0, 100); });
  settings.promises =
      read_distinct(require_key(root, "study levels", "promise"), "promise", read_promise);
  if (const ConfigNode* seed = root.find("seed")) {
    settings.seeds = read_distinct(*seed, "seed", [](const ConfigNode& item) {
      return read_integer(item, "seed", 0, std::numeric_limits<std::int64_t>::max());
    });
  }
  if (const ConfigNode* node = root.find("forecaster")) {
    settings.forecaster = read_label(*node, "forecaster");
    if (settings.forecaster == "oracle") {
      throw_bad_value(*node, "forecaster", "mean, minimum, arima or ets");
    }
  }
  if (const ConfigNode* node = root.find("economy_price")) {
    settings.economy_price = read_number(*node, "economy_price", 0, 1);
  }
}

/// Nothing here forecasts lifetimes or revocations: a filter that goes by them would pass everyone.
void refuse_forecasts(const ConfigNode& root, const LevelsSettings& settings) {
  for (const auto& [key, chains] :
       {std::pair("vm", &settings.vm), std::pair("spot", &settings.spot),
        std::pair("economy", &settings.economy_chains)}) {
    for (const ChainSpec& chain : *chains) {
      if (!needs_spot_forecasts(chain)) continue;
      throw ConfigError(fmt::format(
          "{}: {}: {} needs a forecast of lifetimes or revocations, which the study levels does "
          "not make; expected it in study compare",
          root.find(key)->where, key, chain.label));
    }
  }
}

}  // namespace

std::string LevelsSettings::json() const {
  const auto number = [](double value) { return json_number(value); };
  const std::string axes =
      JsonObject()
          .add("workloads", list_of(workloads, workload_json))
          .add("host", host_json(host))
          .add("sizes", list_of(sizes, size_json))
          .add("vm", list_of(vm, chain_json))
          .add("spot", list_of(spot, chain_json))
          .add("evictor", list_of(evictors, evictor_json))
          .add("saf", list_of(saf, [](bool flag) { return json_bool(flag); }))
          .add("otn", list_of(otn, otn_json))
          .add("economy", list_of(economy_chains, chain_json))
          .add("economy_percent", list_of(percents, number))
          .add("promise", list_of(promises, json_text))
          .add("seed", list_of(seeds, [](std::int64_t seed) { return std::to_string(seed); }))
          .add("forecaster", json_text(forecaster))
          .add("economy_price", json_number(economy_price))
          .text();
  return fmt::format("{},{}}}", axes.substr(0, axes.size() - 1), economy_settings_json(economy));
}

LevelsSettings read_levels_settings(const StudyFile& file) {
  const ConfigNode& root = file.root;
  std::vector<std::string_view> keys(kEconomyKeys.begin(), kEconomyKeys.end());
  keys.insert(keys.end(), {"workloads", "window_days", "host", "added_type", "headroom_percent",
                           "hosts", "vm", "spot", "evictor", "saf", "otn", "economy",
                           "economy_percent", "promise", "seed", "forecaster", "economy_price"});
  // Those of the datacenter.
  std::erase(keys, "capacity");
  std::erase(keys, "resource");
  require_known_keys(root, "study levels", keys);
  LevelsSettings settings;
  settings.workloads = read_windowed_workloads(root, file.folder, file.window);
  settings.host = read_hosts(root, file.folder);
  settings.sizes = read_sizes(root, settings.host);
  settings.vm = read_chains(require_key(root, "sweep", "vm"), "vm", *file.policies);
  settings.spot = read_chains(require_key(root, "sweep", "spot"), "spot", *file.policies);
  settings.evictors =
      read_evictors(require_key(root, "sweep", "evictor"), "evictor", file.folder, *file.policies);
  settings.saf = read_distinct(require_key(root, "sweep", "saf"), "saf",
                               [](const auto& item) { return read_bool(item, "saf"); });
  settings.otn = read_offers(root);
  settings.economy_chains =
      read_chains(require_key(root, "study levels", "economy"), "economy", *file.policies);
  refuse_forecasts(root, settings);
  read_levels(root, settings);
  settings.economy = read_economy_settings(root, file.folder);
  return settings;
}

}  // namespace cospot
