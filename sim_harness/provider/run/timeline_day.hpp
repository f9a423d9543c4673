#pragma once

#include <cstdint>

#include "core/model/revenue.hpp"

namespace cospot {

/// What a datacenter did on one day of the window. Means are over that day; the last one may be
/// shorter.
struct TimelineDay {
  std::uint64_t day = 0;         ///< 0 is the first of the window
  double hosts_in_use = 0;       ///< mean of those on which something runs
  double vms = 0;                ///< that run, mean
  double economy_instances = 0;  ///< of the levels between VMs and spots
  double spots = 0;
  std::uint64_t evictions = 0;
  Revenue vm_revenue = 0;
  Revenue economy_revenue = 0;
  Revenue spot_revenue = 0;

  friend bool operator==(const TimelineDay&, const TimelineDay&) = default;
};

}  // namespace cospot
