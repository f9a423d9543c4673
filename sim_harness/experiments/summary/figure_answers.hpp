#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

/// The best and worst results, by the figures with a preferred direction (Figure::better).
struct FigureAnswers {
  std::string text{};  ///< lines: best and worst, and the effect of each setting
  Json json = Json::array();
};

/// `values` are those of the runs, by figure; `table` covers the same runs. The best setting is a
/// deployable one, unless there is none.
[[nodiscard]] FigureAnswers answers_of(const std::vector<Figure>& figures,
                                       const std::vector<RunValues>& values,
                                       const MeansTable& table);

/// A line with the best of the rows of a table for which `is_of_interest`; empty if none has the
/// figure.
[[nodiscard]] std::string best_text(const Figure& figure, const RunValues& values,
                                    const MeansTable& table,
                                    const std::vector<bool>& is_of_interest,
                                    std::string_view title);

/// ` with saf on, otn 4`: the settings that differ between the rows of a table and are the same in
/// these.
[[nodiscard]] std::string settings_of_rows(const MeansTable& table,
                                           std::span<const std::size_t> rows);

[[nodiscard]] std::string capitalised(std::string_view text);

}  // namespace cospot
