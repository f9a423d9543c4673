#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/placement_rules.hpp"
#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/revenue.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// The placement requirements of a workload's rows.
struct WorkloadPlacements {
  /// The maximum number of distinct ones: the range of WorkloadRow::placement.
  static constexpr std::uint32_t kMostAsked = (std::uint32_t{1} << 24) - 1;

  std::vector<RowPlacement> asked{};
  std::vector<ServerGroup> groups{};

  [[nodiscard]] bool empty() const { return asked.empty(); }
};

/// One instance's request and its end, known in advance.
struct WorkloadRow {
  std::string id{};      ///< as the file writes it; unique in a workload
  std::string tenant{};  ///< owner; batches are contiguous requests of one tenant
  ResourceVector resources{};
  InstanceClass instance_class = InstanceClass::kVm;
  /// Its placement requirement, counted from 1 in WorkloadPlacements::asked; 0: none. Uses padding
  /// bytes next to the class, because rows take most of a run's memory.
  std::uint32_t placement : 24 = 0;
  SimTime start{0};      ///< negative: before the window
  SimTime end = kNever;  ///< kNever: never ended; start <= end

  [[nodiscard]] bool is_spot() const { return instance_class == InstanceClass::kSpot; }

  friend bool operator==(const WorkloadRow&, const WorkloadRow&) = default;
};

/// The instance classes that a reader of workloads accepts.
enum class WorkloadClasses : std::uint8_t { kVmsAndSpots, kWithEconomy };

/// The window of the data used to evaluate CoSpot, and the minimum of a derived one.
inline constexpr SimTime kDefaultWindow = 14 * kDay;

/// Requests over time, in file order, and the window in which they earn.
struct Workload {
  std::string name{};    ///< as the sweep file writes it
  std::string sha256{};  ///< of the file's bytes as stored (compressed if it is), or of the spec
  SimTime window = kDefaultWindow;  ///< revenue counts inside [0, window); window.hpp
  bool window_is_stated = false;    ///< by a command, a sweep or the file; otherwise derived
  std::vector<WorkloadRow> rows{};
  WorkloadPlacements placements{};  ///< placement requirements of the rows
};

/// The revenue of `row` when it runs from `from` to `to`: its vcpus times the part of that span
/// inside [0, window]. 0 if the span is empty or reversed.
[[nodiscard]] inline Revenue revenue_between(const WorkloadRow& row, SimTime from, SimTime to,
                                             SimTime window) {
  const SimTime first = std::max(from, SimTime(0));
  const SimTime last = std::min(to, window);
  return last <= first ? Revenue{0} : Revenue{row.resources.vcpus} * (last - first).count();
}

/// Tells whether a request starts before its window ends. Others are left out of runs and sizes,
/// because they can earn nothing.
[[nodiscard]] inline bool starts_in_time(const WorkloadRow& row, SimTime window) {
  return row.start < window;
}

/// The revenue of `row` if it is admitted at once and never evicted.
[[nodiscard]] inline Revenue requested_revenue(const WorkloadRow& row, SimTime window) {
  return revenue_between(row, row.start, row.end, window);
}

/// Seconds as an exact decimal number with as few decimals as necessary, such as "-1.5"; kNever is
/// "never".
[[nodiscard]] std::string seconds_text(SimTime time);

}  // namespace cospot
