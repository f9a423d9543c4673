#pragma once

#include "core/policy/evictor.hpp"

namespace cospot {

/// The spot with which a walk over a host begins.
enum class WalkFrom : std::uint8_t { kOldest, kYoungest };

/// Evicts spots in the order of their placement until every resource suffices, including spots that
/// free none of the scarce resource. Score: the number of victims.
///
/// Returns false when all spots together do not cover the shortfall, or when the score would not
/// be less than `score_limit`.
bool plan_in_placement_order(const EvictionCase& eviction, WalkFrom from, double score_limit,
                             EvictionPlan& plan);

}  // namespace cospot
