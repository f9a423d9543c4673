#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim_harness/studies/economy/economy.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

/// A promise without a limit, among those that are confidences.
inline constexpr const char* kUnlimitedPromise = "unlimited";

/// A file of the study `levels`, read.
struct LevelsSettings : ProviderSettings {
  std::vector<ChainSpec> economy_chains{};
  std::vector<double> percents{};
  std::vector<std::string> promises{};
  std::vector<std::int64_t> seeds{1};
  std::string forecaster = "mean";
  double economy_price = 0.7;
  EconomySettings economy{};

  /// Whether something is predicted: not when every promise is unlimited.
  [[nodiscard]] bool has_promises() const {
    return std::ranges::any_of(promises,
                               [](const auto& each) { return each != kUnlimitedPromise; });
  }
};

extern const Axis<LevelsSettings, ChainSpec> kEconomyAxis;
extern const Axis<LevelsSettings, double> kEconomyPercentAxis;
extern const Axis<LevelsSettings, std::string> kPromiseAxis;
extern const Axis<LevelsSettings, std::int64_t> kLevelsSeedAxis;

[[nodiscard]] const SettingTable<LevelsSettings>& levels_table();

/// Errors: ConfigError.
[[nodiscard]] LevelsSettings read_levels_settings(const StudyFile& file);

}  // namespace cospot
