#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

/// The best combinations of a value of the axis (BestOfEach), as rows of a table of means.
struct BestRows {
  std::string value;                  ///< `2%` or `500 hosts`
  Json json;                          ///< the value, by the keys of its axis
  std::optional<std::size_t> best{};  ///< none: no combination meets the condition
  std::optional<std::size_t> compared{}, bound{};
};

/// By value, ascending. `table` covers all runs.
[[nodiscard]] std::vector<BestRows> best_rows(ResultsDatabase& results, const StudyFigures& study,
                                              const MeansTable& table);

/// Adds the best of all values as the answer, and those of each as a table. `table` has a column of
/// every figure.
void add_best(ResultsDatabase& results, const StudyFigures& study, const MeansTable& table,
              StudySummary& summary);

}  // namespace cospot
