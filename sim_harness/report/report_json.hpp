#pragma once

#include <optional>
#include <span>
#include <string>

#include "sim_harness/data/prices/workload_prices.hpp"
#include "sim_harness/experiments/money/study_money.hpp"
#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

/// Everything that the report of a study shows, as JSON (docs/report.md) that no text in it can end
/// early: its configuration, its axes, and a column of every run for each measure, for what is
/// derived of them, for the figures that the study declares and, with prices, for its money. The
/// same results give the same text.
///
/// Errors: DatabaseError when a row is not where the study has it. There must be a run.
[[nodiscard]] std::string report_json(ResultsDatabase& results,
                                      const StudyFigures* figures = nullptr,
                                      const StudyMoney* money = nullptr,
                                      const std::optional<WorkloadPrices>& prices = {});

}  // namespace cospot
