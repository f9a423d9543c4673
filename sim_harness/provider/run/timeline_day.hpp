#pragma once

#include <cstdint>

#include "core/model/revenue.hpp"

namespace cospot {

/// Daily figures of a datacenter. Means are over the day; the last day may be shorter.
struct TimelineDay {
  std::uint64_t day = 0;         ///< 0 is the first day of the window
  double hosts_in_use = 0;       ///< mean number of hosts that run something
  double vms = 0;                ///< mean number of running VMs
  double economy_instances = 0;  ///< of the levels between VMs and spots
  double spots = 0;
  std::uint64_t economy_evictions = 0;
  std::uint64_t evictions = 0;  ///< of spots
  Revenue vm_revenue = 0;
  Revenue economy_revenue = 0;
  Revenue spot_revenue = 0;

  friend bool operator==(const TimelineDay&, const TimelineDay&) = default;
};

}  // namespace cospot
