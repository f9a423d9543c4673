#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/results/results_database.hpp"

namespace cospot {

// The summary of a study whose runs are averaged over workloads (and seeds): a row for every
// combination of settings.

/// What tells combinations apart: its name, and its value as text in SQL.
struct SummarySetting {
  std::string_view name;
  std::string_view sql;
};

/// A column of the view `run_figures`, and its title in the table.
struct SummaryFigure {
  std::string_view column;
  std::string_view title;
  bool is_percent = true;
};

/// What one run had for a figure.
struct FigureValue {
  std::string workload;
  double value = 0;
};
/// In the order of the runs; without those that have none.
using FigureValues = std::vector<FigureValue>;

/// What a study says of its combinations.
struct CombinationSummary {
  std::string_view title;
  std::vector<SummarySetting> settings;
  std::vector<SummaryFigure> figures;
  std::function<std::string(const SummaryFigure&, const FigureValues&)> cell;
  std::function<std::string(const FigureValues&)> json;
  std::string_view note;  ///< below the table
};

/// Those of the provider's axes but the workload, then a study's own.
[[nodiscard]] std::vector<SummarySetting> provider_summary_settings(
    const std::vector<SummarySetting>& own);

/// A table. Settings that all combinations share stand above it, once.
[[nodiscard]] std::string combination_text(ResultsDatabase& results,
                                           const CombinationSummary& summary);

/// Keys: study, runs, expected_runs, combinations: [{the settings, runs, the figures}].
[[nodiscard]] std::string combination_json(ResultsDatabase& results,
                                           const CombinationSummary& summary);

}  // namespace cospot
