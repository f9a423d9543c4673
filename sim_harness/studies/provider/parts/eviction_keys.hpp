#pragma once

#include <string>
#include <vector>

#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/provider/disruptions/eviction_rule.hpp"

namespace cospot {

/// The settings of a study file on the work of evicted spots. State and bandwidth require moves.
struct EvictionKeys {
  std::vector<OnEviction> on_evictions{};
  std::vector<StateSize> states{StateSize{}};
  std::vector<Bandwidth> bandwidths{Bandwidth{}};
};

[[nodiscard]] AxisValue axis_value(OnEviction what);
[[nodiscard]] AxisValue axis_value(const StateSize& state);
[[nodiscard]] AxisValue axis_value(const Bandwidth& bandwidth);
[[nodiscard]] Json setting_json(OnEviction what);
[[nodiscard]] Json setting_json(const StateSize& state);
[[nodiscard]] Json setting_json(const Bandwidth& bandwidth);

extern const Axis<EvictionKeys, OnEviction> kOnEvictionAxis;
extern const Axis<EvictionKeys, StateSize> kStateAxis;
extern const Axis<EvictionKeys, Bandwidth> kBandwidthAxis;

/// Its entry of study_parts().
[[nodiscard]] struct StudyPart on_eviction_part();

}  // namespace cospot
