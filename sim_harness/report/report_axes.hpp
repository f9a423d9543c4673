#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// The axes as a JSON list. `extra` gives further members of a value (`,"key":value`) or nothing.
[[nodiscard]] std::string axes_json(
    const std::vector<GridAxis>& axes,
    const std::function<std::string(const GridAxis&, const AxisValue&)>& extra);

/// The versions of cospot that made the runs, as a JSON list.
[[nodiscard]] std::string versions_json(ResultsDatabase& results);

}  // namespace cospot
