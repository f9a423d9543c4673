#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/prices/workload_prices.hpp"
#include "sim_harness/experiments/money/study_money.hpp"
#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

/// A study's declarations for its report, and prices.
struct ReportShows {
  std::optional<StudyFigures> figures{};
  std::vector<std::string_view> samples{};  ///< Study::samples
  std::optional<StudyMoney> money{};
  std::optional<WorkloadPrices> prices{};
};

/// The contents of a study's report as JSON (docs/report.md), escaped so that no text in it can end
/// the script element: its configuration, its axes, and per-run columns for each measure, each
/// derived measure, the figures that the study declares and, with prices, its money. The same
/// results give the same text.
///
/// Errors: DatabaseError if a row is out of place. Expects at least one run.
[[nodiscard]] std::string report_json(ResultsDatabase& results, const ReportShows& shows = {});

/// The same for two databases of one study, distinguished by the first axis, `database`. Errors:
/// DatabaseError if their axes differ.
[[nodiscard]] std::string report_json(ResultsDatabase& before, const ReportShows& shows_before,
                                      ResultsDatabase& after, const ReportShows& shows_after);

}  // namespace cospot
