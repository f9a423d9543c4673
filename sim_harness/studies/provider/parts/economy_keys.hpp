#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/studies/promises/economy.hpp"

namespace cospot {

/// A promise without a limit, among those that are confidences.
inline constexpr const char* kUnlimitedPromise = "unlimited";

/// What a file says of an Economy class.
struct EconomyClassSettings {
  std::vector<ChainSpec> economy_chains{};
  std::vector<double> percents{};
  std::vector<std::string> promises{};
  std::string forecaster = "mean";
  double economy_price = 0.7;
  EconomySettings economy{};

  /// Whether something is predicted: not when every promise is unlimited.
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
/// How promises are made: but for what is the datacenter's.
[[nodiscard]] Setting<EconomyClassSettings> economy_promise_setting();

}  // namespace cospot
