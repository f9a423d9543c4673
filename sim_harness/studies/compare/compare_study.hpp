#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// `compare`: every combination of workloads, datacenter sizes, VM policies, spot policies,
/// evictors, SAF and OTN. Source: CoSpot, section 4.
[[nodiscard]] Study compare_study();

}  // namespace cospot
