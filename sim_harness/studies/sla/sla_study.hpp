#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// Promised lifetimes of spots: how many spots are admitted, and how many of those are evicted too
/// early.
///
/// Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances".
[[nodiscard]] Study sla_study();

}  // namespace cospot
