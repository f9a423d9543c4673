#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/prices/workload_prices.hpp"
#include "sim_harness/experiments/money/study_money.hpp"
#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

/// What a study declares of its report, and prices.
struct ReportShows {
  std::optional<StudyFigures> figures{};
  std::vector<std::string_view> samples{};  ///< Study::samples
  std::optional<StudyMoney> money{};
  std::optional<WorkloadPrices> prices{};
};

/// Everything that the report of a study shows, as JSON (docs/report.md) that no text in it can end
/// early: its configuration, its axes, and a column of every run for each measure, for what is
/// derived of them, for the figures that the study declares and, with prices, for its money. The
/// same results give the same text.
///
/// Errors: DatabaseError when a row is not where the study has it. There must be a run.
[[nodiscard]] std::string report_json(ResultsDatabase& results, const ReportShows& shows = {});

/// The same of two databases of one study: the first axis, `database`, says which.
/// Errors: DatabaseError when their axes are not the same.
[[nodiscard]] std::string report_json(ResultsDatabase& before, const ReportShows& shows_before,
                                      ResultsDatabase& after, const ReportShows& shows_after);

}  // namespace cospot
