#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// Promised lifetimes of spots: how many are admitted, and how many are evicted all the same.
///
/// Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances".
[[nodiscard]] Study sla_study();

}  // namespace cospot
