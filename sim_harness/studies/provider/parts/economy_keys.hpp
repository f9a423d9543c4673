#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/studies/promises/economy.hpp"

namespace cospot {

/// A value of `promise`: a confidence, or none for a promise without a limit.
struct ClassPromise {
  std::optional<double> confidence{};

  friend bool operator==(const ClassPromise&, const ClassPromise&) = default;
};
inline constexpr const char* kUnlimitedPromise = "unlimited";
[[nodiscard]] inline Json setting_json(const ClassPromise& promise) {
  return promise.confidence ? json_of(*promise.confidence) : Json(kUnlimitedPromise);
}
[[nodiscard]] inline AxisValue axis_value(const ClassPromise& promise) {
  return axis_value(promise.confidence ? fmt::format("{}", *promise.confidence)
                                       : std::string(kUnlimitedPromise));
}

/// The Economy class settings of a study file.
struct EconomyClassSettings {
  std::vector<ChainSpec> economy_chains{};
  std::vector<double> percents{};
  std::vector<ClassPromise> promises{};
  std::string forecaster = "mean";
  double economy_price = 0.7;
  EconomySettings economy{};

  /// True if predictions are needed; false if every promise is unlimited.
  [[nodiscard]] bool has_promises() const {
    return std::ranges::any_of(promises,
                               [](const auto& each) { return each.confidence.has_value(); });
  }
};

extern const Axis<EconomyClassSettings, ChainSpec> kEconomyAxis;
extern const Axis<EconomyClassSettings, double> kEconomyPercentAxis;
extern const Axis<EconomyClassSettings, ClassPromise> kPromiseAxis;
extern const Setting<EconomyClassSettings> kForecasterSetting;
extern const Setting<EconomyClassSettings> kEconomyPriceSetting;
/// The way in which promises are made, apart from the datacenter's own settings.
[[nodiscard]] Setting<EconomyClassSettings> economy_promise_setting();

/// Its entry of study_parts().
[[nodiscard]] struct StudyPart economy_part();

}  // namespace cospot
