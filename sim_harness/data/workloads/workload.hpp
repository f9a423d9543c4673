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

/// Of the rows of a workload.
struct WorkloadPlacements {
  /// So many different ones at most: what WorkloadRow::placement can count.
  static constexpr std::uint32_t kMostAsked = (std::uint32_t{1} << 24) - 1;

  std::vector<RowPlacement> asked{};
  std::vector<ServerGroup> groups{};

  [[nodiscard]] bool empty() const { return asked.empty(); }
};

/// One instance's request and its (fore-known) end.
struct WorkloadRow {
  std::string id{};      ///< as the file writes it; unique in a workload
  std::string tenant{};  ///< who asked; batches are contiguous requests of one tenant
  ResourceVector resources{};
  InstanceClass instance_class = InstanceClass::kVm;
  /// What it asks beside room, from 1 on in WorkloadPlacements::asked; 0: nothing. In the bytes
  /// that alignment leaves beside the class: most of the memory of a run is rows.
  std::uint32_t placement : 24 = 0;
  SimTime start{0};      ///< negative: before the window
  SimTime end = kNever;  ///< kNever: never ended; start <= end

  [[nodiscard]] bool is_spot() const { return instance_class == InstanceClass::kSpot; }

  friend bool operator==(const WorkloadRow&, const WorkloadRow&) = default;
};

/// Which classes of instances a reader of workloads takes.
enum class WorkloadClasses : std::uint8_t { kVmsAndSpots, kWithEconomy };

/// The window of the data that CoSpot was evaluated with, and the least that is derived.
inline constexpr SimTime kDefaultWindow = 14 * kDay;

/// Requests over time, in file order, and the window in which they earn.
struct Workload {
  std::string name{};    ///< as the sweep file writes it
  std::string sha256{};  ///< of the file's bytes as stored (compressed if it is), or of the recipe
  SimTime window = kDefaultWindow;  ///< revenue counts inside [0, window); window.hpp
  bool window_is_stated = false;  ///< by a command, a sweep or the file; not derived from the rows
  std::vector<WorkloadRow> rows{};
  WorkloadPlacements placements{};  ///< what rows ask beside room
};

/// What `row` earns when it runs from `from` to `to`: its vcpus times the part of that span which
/// lies inside [0, window]. 0 when the span is empty or reversed.
[[nodiscard]] inline Revenue revenue_between(const WorkloadRow& row, SimTime from, SimTime to,
                                             SimTime window) {
  const SimTime first = std::max(from, SimTime(0));
  const SimTime last = std::min(to, window);
  return last <= first ? Revenue{0} : Revenue{row.resources.vcpus} * (last - first).count();
}

/// Tells whether a request starts before its window ends. One that does not is left out of runs and
/// sizes: it can earn nothing.
[[nodiscard]] inline bool starts_in_time(const WorkloadRow& row, SimTime window) {
  return row.start < window;
}

/// What `row` earns when it is admitted at once and never evicted.
[[nodiscard]] inline Revenue requested_revenue(const WorkloadRow& row, SimTime window) {
  return revenue_between(row, row.start, row.end, window);
}

/// Seconds as an exact decimal number with as few decimals as it needs, such as "-1.5"; kNever is
/// "never".
[[nodiscard]] std::string seconds_text(SimTime time);

}  // namespace cospot
