#pragma once

#include <string_view>
#include <vector>

#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

/// Throws DatabaseError unless every run has the axis values of its index.
void require_on_axes(ResultsDatabase& results, const std::vector<GridAxis>& axes);

/// Marks a value that cannot be deployed because it knows the future: an upper bound.
void mark_upper_bound(std::vector<GridAxis>& axes, std::string_view axis, std::string_view label);

}  // namespace cospot
