#pragma once

#include <vector>

#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

/// Throws DatabaseError unless every run has the values that its index stands for.
void require_on_axes(ResultsDatabase& results, const std::vector<GridAxis>& axes);

}  // namespace cospot
