#pragma once

#include <cstdint>
#include <vector>

#include "core/model/host_table.hpp"

namespace cospot {

/// The revocation rates of spots by host: a policy's present knowledge of them.
class HostRevocations {
 public:
  HostRevocations() = default;  ///< nothing is known

  /// From the hours that spots ran on each host and the evictions of spots there.
  ///
  /// A host that has run few spots counts as an average one until more are seen: the rate is
  /// (evictions + r * kPriorHours) / (hours + kPriorHours), with r the rate of all hosts together.
  HostRevocations(const std::vector<double>& spot_hours, const std::vector<double>& evictions);

  /// True once a spot was evicted; before that all hosts look alike.
  [[nodiscard]] bool is_known() const { return !rates_.empty(); }

  /// Evictions in an hour of a spot. Only where is_known().
  [[nodiscard]] double rate(HostIndex host) const { return rates_[host]; }
  /// The time to revocation.
  [[nodiscard]] double mttr_hours(HostIndex host) const { return 1 / rates_[host]; }

  static constexpr double kPriorHours = 24;

 private:
  std::vector<double> rates_;
};

}  // namespace cospot
