#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// A value of `target`: the promised probability of eviction, or none: every spot that fits is
/// admitted.
struct SlaTarget {
  std::string label = "none";  ///< or the number
  std::optional<double> probability{};

  friend bool operator==(const SlaTarget&, const SlaTarget&) = default;
};
[[nodiscard]] inline AxisValue axis_value(const SlaTarget& target) {
  return axis_value(target.label);
}
[[nodiscard]] inline Json setting_json(const SlaTarget& target) {
  return target.probability ? json_of(*target.probability) : Json(target.label);
}

/// The promised-lifetime settings of a study file.
struct TargetSettings {
  std::vector<SlaTarget> targets{SlaTarget{}};
  PolicyOptions promise{};  ///< of the filter LifetimeSla, except target and seed
};

extern const Axis<TargetSettings, SlaTarget> kTargetAxis;

/// The way in which the promise is made: the options of the filter.
[[nodiscard]] Setting<TargetSettings> lifetime_promise_setting();

/// Its entry of study_parts().
[[nodiscard]] struct StudyPart lifetime_target_part();

}  // namespace cospot
