#pragma once

#include <vector>

#include "sim_harness/data/reconstruction/size_ratios.hpp"

namespace cospot {

/// Finds VM types to leave out so that the other equations need no slack. Repeatedly solves the
/// SlackProgram and leaves out the type of the equation with the largest slack, until no slack is
/// needed. Types that are consistent with the final result are then restored, so that none is left
/// out unnecessarily. `tolerance` is that of MachineScales.
///
/// Errors: ConfigError if slack is needed but cospot was built without the solver.
[[nodiscard]] Dropped find_inconsistent_types(const SizeRatios& ratios, double tolerance);

}  // namespace cospot
