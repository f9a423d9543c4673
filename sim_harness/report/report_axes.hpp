#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/results/result_row.hpp"
#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// One value of an axis of a sweep.
struct AxisValue {
  std::string label;      ///< as result rows have it: `COS`, `2.5`, `true`
  std::string yaml;       ///< as a sweep file has it
  bool is_bound = false;  ///< a policy that needs true lifetimes: none to set
};

struct ReportAxis {
  std::string key;  ///< of the sweep file: `headroom_percent`, `otn`, ...
  std::vector<AxisValue> values;
};

/// The axes of a sweep, read back from the configuration in its database. A run's index is its
/// position in their cross product, the last axis fastest.
struct ReportAxes {
  enum Position : std::size_t { kWorkload, kSize, kVm, kSpot, kEvictor, kSaf, kOtn, kCount };

  std::string host_yaml;
  std::array<ReportAxis, kCount> axes;
};

/// Errors: DatabaseError that starts with `database`, when the configuration is not one.
[[nodiscard]] ReportAxes read_report_axes(const SweepRecord& sweep, const std::string& database);

/// Throws DatabaseError unless the row has the values that its index stands for.
void require_on_axes(const ResultRow& row, const ReportAxes& axes, const std::string& database);

/// The axes as a JSON list; workloads with what they request, as far as a row of `rows` says it.
[[nodiscard]] std::string axes_json(const ReportAxes& axes, std::span<const ResultRow> rows);

}  // namespace cospot
