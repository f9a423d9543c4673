#pragma once

#include <optional>
#include <string>

#include "sim_harness/results/results_database.hpp"
#include "sim_harness/studies/study_money.hpp"

namespace cospot {

/// What the report of any study shows, as one compact JSON text (docs/report.md): every axis with
/// its labels and each run's position on it, every measure with its unit, meaning and values; with
/// `money` and prices, what the study declares there of each run.
///
/// Errors: DatabaseError when a row is not where the study has it. There must be a run.
[[nodiscard]] std::string study_json(ResultsDatabase& results, const StudyMoney* money = nullptr,
                                     const std::optional<WorkloadPrices>& prices = {});

}  // namespace cospot
