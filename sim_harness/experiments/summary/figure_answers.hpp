#pragma once

#include <string>
#include <vector>

#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

/// The best and worst of results, by the figures that have a better end (Figure::better).
struct FigureAnswers {
  std::string text{};  ///< lines: best and worst, and what every setting does
  Json json = Json::array();
};

/// `values` are those of the runs, by figure; `table` is of the same runs. Best are settings that
/// can be chosen, unless none can.
[[nodiscard]] FigureAnswers answers_of(const std::vector<Figure>& figures,
                                       const std::vector<RunValues>& values,
                                       const MeansTable& table);

/// A line: the best of the rows of a table that `is_of_interest`; nothing where none has the
/// figure.
[[nodiscard]] std::string best_text(const Figure& figure, const RunValues& values,
                                    const MeansTable& table,
                                    const std::vector<bool>& is_of_interest,
                                    std::string_view title);

}  // namespace cospot
