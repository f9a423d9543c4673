#pragma once

#include <vector>

#include "sim_harness/data/reconstruction/size_ratios.hpp"

namespace cospot {

/// Finds the VM types to leave out so that the equations of the others need no slack: solves the
/// SlackProgram, leaves out the type of the equation with the largest slack, and again, until none
/// is needed. A type that agrees with all that is left in the end is taken back, so none is left
/// out needlessly. `tolerance` is that of MachineScales.
///
/// Errors: ConfigError when slack is needed but cospot was built without the solver.
[[nodiscard]] Dropped find_inconsistent_types(const SizeRatios& ratios, double tolerance);

}  // namespace cospot
