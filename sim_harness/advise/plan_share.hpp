#pragma once

#include "sim_harness/advise/plan.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// The use of a part's capacity, as fractions of its vcpu-time.
struct CapacityShares {
  double vms = 0, economy = 0, spots = 0, idle = 0;
};

[[nodiscard]] CapacityShares capacity_shares(const PlanFindings& findings, const PlanRun& run,
                                             std::size_t part);
[[nodiscard]] Json shares_json(const PlanFindings& findings, const PlanRun& run, std::size_t part);

}  // namespace cospot
