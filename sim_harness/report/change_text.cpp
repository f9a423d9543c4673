#include "sim_harness/report/change_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"

namespace cospot {
namespace {

/// The labels of a run's values, by which runs differ.
using RunLabels = std::vector<std::string>;

std::map<RunLabels, std::size_t> runs_by_labels(ResultsDatabase& results) {
  const std::vector<GridAxis> axes = results.axes();
  const Grid grid = grid_of(axes);
  std::map<RunLabels, std::size_t> runs;
  const std::vector<std::size_t> finished = results.finished_runs();
  for (std::size_t run = 0; run < finished.size(); ++run) {
    const Coordinates at = grid.coordinates(finished[run]);
    RunLabels labels;
    for (std::size_t i = 0; i < axes.size(); ++i) labels.push_back(axes[i].values[at[i]].label);
    runs[std::move(labels)] = run;
  }
  return runs;
}

/// Positions of a run before and after.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs pairs_of(ResultsDatabase& before, ResultsDatabase& after) {
  const std::map<RunLabels, std::size_t> there = runs_by_labels(after);
  Pairs pairs;
  for (const auto& [labels, run] : runs_by_labels(before)) {
    const auto same = there.find(labels);
    if (same != there.end()) pairs.emplace_back(run, same->second);
  }
  return pairs;
}

/// A difference: of shares in points.
std::string signed_text(const Figure& figure, double value) {
  std::string text = figure_text(figure, value);
  if (text.ends_with('%')) text.replace(text.size() - 1, 1, " points");
  return (value > 0 ? "+" : "") + text;
}

/// Its means and the greatest changes; nothing where no pair has it.
std::vector<SummaryCell> row_of(const Figure& figure, const RunValues& before,
                                const RunValues& after, const Pairs& pairs) {
  double sum_before = 0, sum_after = 0, least = 0, most = 0;
  std::size_t count = 0;
  for (const auto& [one, other] : pairs) {
    if (!before[one] || !after[other]) continue;
    const double change = *after[other] - *before[one];
    least = count == 0 ? change : std::min(least, change);
    most = count == 0 ? change : std::max(most, change);
    sum_before += *before[one];
    sum_after += *after[other];
    ++count;
  }
  if (count == 0) return {};
  const auto runs = static_cast<double>(count);
  const auto cell = [](std::string text) { return SummaryCell{std::move(text), {}}; };
  return {cell(std::string(figure.title)),
          cell(figure_text(figure, sum_before / runs)),
          cell(figure_text(figure, sum_after / runs)),
          cell(signed_text(figure, (sum_after - sum_before) / runs)),
          cell(signed_text(figure, least)),
          cell(signed_text(figure, most)),
          cell(fmt::format("{}", count))};
}

}  // namespace

SummaryText change_text(ResultsDatabase& before, ResultsDatabase& after, const ReportShows& shows) {
  const Pairs pairs = pairs_of(before, after);
  const std::size_t runs = before.finished_runs().size() + after.finished_runs().size();
  SummaryText text;
  if (pairs.empty()) {
    text.add_answer("No run is in both databases: they share no combination of settings\n");
    return text;
  }
  SummaryTable table{.columns = {{"", "mean of the runs in both", TextTable::Align::kLeft},
                                 {"", "before"},
                                 {"", "after"},
                                 {"", "difference"},
                                 {"", "least"},
                                 {"", "most"},
                                 {"", "runs"}}};
  const std::vector<Figure> figures = shows.figures ? shows.figures->all() : std::vector<Figure>{};
  const RunFigures first = read_figures(before, figures);
  const RunFigures second = read_figures(after, figures);
  std::string answer;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].title.empty()) continue;
    const std::vector<SummaryCell> row =
        row_of(figures[i], first.values[i], second.values[i], pairs);
    if (row.empty()) continue;
    if (figures[i].better != Better::kUnsaid) {
      answer += fmt::format("Mean {}: {} before, {} after ({})\n", row[0].text, row[1].text,
                            row[2].text, row[3].text);
    }
    table.rows.push_back(row);
  }
  text.add_answer(answer);
  if (!table.rows.empty()) text.add(table);
  text += fmt::format("{} configurations are in both; {} runs are in one alone\n", pairs.size(),
                      runs - 2 * pairs.size());
  return text;
}

}  // namespace cospot
