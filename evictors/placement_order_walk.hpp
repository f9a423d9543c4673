#pragma once

#include "core/policy/evictor.hpp"

namespace cospot {

/// Which spot a walk over a host meets first.
enum class WalkFrom : std::uint8_t { kOldest, kYoungest };

/// Plans the eviction of spots in the order of their placement until every resource suffices, even
/// when one of them frees nothing that is scarce. Score: the number of victims.
///
/// Returns false when all spots together do not cover the shortfall, or when the score would not
/// be less than `score_limit`.
bool plan_in_placement_order(const EvictionCase& eviction, WalkFrom from, double score_limit,
                             EvictionPlan& plan);

}  // namespace cospot
