#pragma once

#include <string>
#include <vector>

#include "core/model/reserved_capacity.hpp"
#include "sim_harness/experiments/grid/axis.hpp"

namespace cospot {

/// A value of `reserve`: the capacity to keep free, or none.
struct ReserveSpec {
  std::string label = "none";  ///< or as `default_reserve` says it: vcpus:memory_mb:count
  ReservedCapacity reserved{};

  friend bool operator==(const ReserveSpec&, const ReserveSpec&) = default;
};
[[nodiscard]] inline AxisValue axis_value(const ReserveSpec& reserve) {
  return axis_value(reserve.label);
}
[[nodiscard]] inline Json setting_json(const ReserveSpec& reserve) { return reserve.label; }

/// The reserve and notice settings of a study file. Notices require a reserve.
struct ReserveKeys {
  std::vector<ReserveSpec> reserves{};
  std::vector<double> notices_s{120};  ///< as `notice_seconds` of cospot-evictor
};

extern const Axis<ReserveKeys, ReserveSpec> kReserveAxis;
extern const Axis<ReserveKeys, double> kNoticeAxis;

/// Its entry of study_parts().
[[nodiscard]] struct StudyPart reserve_part();

}  // namespace cospot
