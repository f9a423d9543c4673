#pragma once

#include <string>

#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// What the report of any study shows, as one compact JSON text (docs/report.md): every axis with
/// its labels and each run's position on it, every measure with its unit, meaning and values.
///
/// Errors: DatabaseError when a row is not where the study has it. There must be a run.
[[nodiscard]] std::string study_json(ResultsDatabase& results);

}  // namespace cospot
