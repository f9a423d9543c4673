#pragma once

#include <optional>
#include <span>

#include "sim_harness/experiments/summary/mean_interval.hpp"

namespace cospot {

/// The money that the instances of a run, or of a part of one, request and earn in some days.
struct Income {
  double vms_requested = 0;
  double vms_lost = 0;  ///< requested and not earned
  double spots_requested = 0;
  double spots_earned = 0;
  double economy_earned = 0;
  double days = 0;

  /// The income from idle capacity minus the VMs' loss.
  [[nodiscard]] double net() const { return spots_earned + economy_earned - vms_lost; }
  /// The income from idle capacity and VMs.
  [[nodiscard]] double total() const { return vms_requested + net(); }
  /// The net income of a month.
  [[nodiscard]] double net_per_month() const;

  Income& operator+=(const Income& other);
};

/// The net income of a month over runs or parts that follow each other: the sum of their money by
/// the sum of their days, with an interval over them.
[[nodiscard]] MeanInterval net_per_month(std::span<const Income> parts);
/// The same for what they earn more than others, in pairs.
[[nodiscard]] MeanInterval gain_per_month(std::span<const Income> parts,
                                          std::span<const Income> others);

}  // namespace cospot
