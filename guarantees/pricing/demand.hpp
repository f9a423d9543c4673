#pragma once

#include <cstdint>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// From `time` on, `busy` servers are in use.
struct DemandStep {
  SimTime time{0};
  std::int64_t busy = 0;

  friend bool operator==(const DemandStep&, const DemandStep&) = default;
};

/// The number of servers of the smallest type in use over time: a step function, 0 before its first
/// step. An end and a start at the same time cancel each other.
struct Demand {
  std::vector<DemandStep> steps{};  ///< by time, no two of the same

  [[nodiscard]] std::int64_t peak() const;
  [[nodiscard]] SimTime begin() const { return steps.front().time; }
  [[nodiscard]] SimTime end() const { return steps.back().time; }
};

/// Sums the demand of jobs or VMs.
class DemandSum {
 public:
  /// `width` servers from `start` to `end`; kNever: without end. Nothing when it is empty.
  /// Errors: ConfigError when the end is before the start or the width is negative.
  void add(SimTime start, SimTime end, std::int64_t width);

  /// The sum; nothing can be added after it.
  [[nodiscard]] Demand finish();

 private:
  struct Change {
    SimTime time;
    std::int64_t by;
  };
  std::vector<Change> starts_;
  std::vector<Change> ends_;
};

}  // namespace cospot
