#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/studies/promises/economy.hpp"

namespace cospot {

/// The value of `promise` for a promise without a limit; other values are confidences.
inline constexpr const char* kUnlimitedPromise = "unlimited";

/// The Economy class settings of a study file.
struct EconomyClassSettings {
  std::vector<ChainSpec> economy_chains{};
  std::vector<double> percents{};
  std::vector<std::string> promises{};
  std::string forecaster = "mean";
  double economy_price = 0.7;
  EconomySettings economy{};

  /// True if predictions are needed; false if every promise is unlimited.
  [[nodiscard]] bool has_promises() const {
    return std::ranges::any_of(promises,
                               [](const auto& each) { return each != kUnlimitedPromise; });
  }
};

extern const Axis<EconomyClassSettings, ChainSpec> kEconomyAxis;
extern const Axis<EconomyClassSettings, double> kEconomyPercentAxis;
extern const Axis<EconomyClassSettings, std::string> kPromiseAxis;
extern const Setting<EconomyClassSettings> kForecasterSetting;
extern const Setting<EconomyClassSettings> kEconomyPriceSetting;
/// The way in which promises are made, apart from the datacenter's own settings.
[[nodiscard]] Setting<EconomyClassSettings> economy_promise_setting();

}  // namespace cospot
