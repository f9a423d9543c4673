#pragma once

#include <string>
#include <vector>

#include "guarantees/pricing/capacity_class.hpp"

namespace cospot {

// Idle capacity sold without guarantees: one class, whose customers do not know its MTTR
// and save checkpoints at an interval of their own.

struct FixedInterval {
  double interval_hours = 1;
  double extra_volatility = 0;  ///< 0.25: a quarter more revocations than demand causes
};

/// As with GCE's preemptible instances: the interval is the best for an MTTR that is assumed.
[[nodiscard]] FixedInterval assuming_mttr(double mttr_hours, double checkpoint_hours);

/// Useful server-hours, by the pooled rate of revocations, as of one class.
[[nodiscard]] double useful_hours(const IdleCapacity& capacity, const FixedInterval& sold,
                                  double checkpoint_hours);

/// One way to sell without guarantees.
struct FixedSale {
  std::string name;
  FixedInterval sold;
};

/// The offers with which the paper compares classes: GCE (30 minutes, 12 hours and 24 hours
/// assumed), EC2 (hourly checkpoints, no, a quarter, half and as many more revocations again).
[[nodiscard]] std::vector<FixedSale> sales_without_guarantees(double checkpoint_hours);

/// The revenue of one class of that performance, in server-hours at the on-demand price.
[[nodiscard]] double revenue(const IdleCapacity& capacity, const FixedInterval& sold,
                             const ClassPricing& pricing);

}  // namespace cospot
