#include "sim_harness/studies/levels/levels_settings.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>

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
      throw_bad_value(*node, "forecaster", "ses, mean, minimum, arima or ets");
    }
  }
  if (const ConfigNode* node = root.find("economy_price")) {
    settings.economy_price = read_number(*node, "economy_price", 0, 1);
  }
}

}  // namespace

std::string LevelsSettings::json() const {
  const auto number = [](double value) { return json_number(value); };
  const std::string axes =
      provider_settings_json(*this)
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
  // The first of the provider's is `study`, which is among them.
  keys.insert(keys.end(), kProviderKeys.begin() + 1, kProviderKeys.end());
  keys.insert(keys.end(),
              {"economy", "economy_percent", "promise", "seed", "forecaster", "economy_price"});
  // Those of the datacenter.
  std::erase(keys, "capacity");
  std::erase(keys, "resource");
  require_known_keys(root, "study levels", keys);
  LevelsSettings settings{read_provider_settings(root, file.folder, file.window, *file.policies)};
  settings.economy_chains =
      read_chains(require_key(root, "study levels", "economy"), "economy", *file.policies);
  refuse_forecasts(root, "vm", settings.vm, "levels");
  refuse_forecasts(root, "spot", settings.spot, "levels");
  refuse_forecasts(root, "economy", settings.economy_chains, "levels");
  read_levels(root, settings);
  settings.economy = read_economy_settings(root, file.folder);
  return settings;
}

}  // namespace cospot
