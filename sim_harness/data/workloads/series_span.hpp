#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/model/sim_time.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {

/// Refuses a time of a series (availability, prices, usage, jobs) that is further from the others
/// than requests of a workload can be. Every hour in between would be simulated: a year that is
/// mistyped would cost hours and gigabytes.
class SeriesSpan {
 public:
  /// Takes a time in; false: it is too far from those before.
  [[nodiscard]] bool take(SimTime time) {
    first_ = std::min(first_, time);
    last_ = std::max(last_, time);
    return last_ - first_ <= kMaxWindow;
  }
  /// The same for a column of the current row. Errors: WorkloadError with `file:line:`.
  void take(const TableReader& table, std::size_t column, SimTime time) {
    if (!take(time)) table.refuse(column, kExpected);
  }

  static constexpr std::string_view kExpected =
      "a time within 10001 days of those of the other rows";

 private:
  SimTime first_ = kNever;
  SimTime last_ = SimTime::min();
};

/// The most that one job or outage lasts, as one request does.
inline constexpr double kMostSpanSeconds = static_cast<double>(kMaxWindow.count()) / 1e6;

}  // namespace cospot
