#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// `levels`: a datacenter with three priority levels. A share of the spots is sold as economy
/// instances, up to what is promised to the class; what becomes of VMs, economy instances and
/// spots? Axes: those of `compare`, economy (the policy that places them), economy_percent,
/// promise, seed.
[[nodiscard]] Study levels_study();

}  // namespace cospot
