#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

/// A value of a table, for people and for programs.
struct SummaryCell {
  std::string text;
  Json json;
};

struct SummaryColumn {
  std::string name;     ///< its key in JSON; empty: only people get it
  std::string title{};  ///< above it; empty: only programs get it
  TextTable::Align align = TextTable::Align::kRight;
};

/// A table for people, and a list of objects for programs.
struct SummaryTable {
  std::vector<SummaryColumn> columns{};
  std::vector<std::vector<SummaryCell>> rows{};  ///< a cell of every column

  [[nodiscard]] std::string text(std::string_view indent = {}) const;
  [[nodiscard]] Json json() const;
};

/// A summary for people: the answer, lines and tables, in their order. `cospot summary` has it as a
/// text and the head of the report as HTML, so that both say the same.
class SummaryText {
 public:
  SummaryText() = default;
  SummaryText(std::string lines) { *this += lines; }  // NOLINT: a text is its lines

  SummaryText& operator+=(std::string_view lines);
  void append(const SummaryText& more);

  /// Lines that say what the results come to.
  void add_answer(std::string_view lines);
  void add(const SummaryTable& table, std::string_view indent = {});
  /// A drawing (SVG) for the page; a text has nothing of it.
  void add_drawing(std::string svg);

  [[nodiscard]] std::string plain() const;
  /// Without the tables' rows after the first `kMostRows`, which the report has among its points.
  /// `names`, such as `fault_tolerance`, read as words in answers and above tables.
  [[nodiscard]] std::string html(std::span<const std::string> names = {}) const;

  static constexpr std::size_t kMostRows = 60;

 private:
  enum class Kind : std::uint8_t { kLines, kAnswer, kTable, kDrawing };
  struct Piece {
    Kind kind = Kind::kLines;
    std::string text{};  ///< of a table its indent, of a drawing the SVG
    SummaryTable table{};
  };
  std::vector<Piece> pieces_{};
};

/// A summary of a study, for people and as JSON for programs. Code that adds a text adds the
/// members that say the same.
struct StudySummary {
  SummaryText text{};
  Json json = Json::object();
};

/// How a number of a summary is shown.
enum class FigureUnit : std::uint8_t {
  kNumber,
  kShare,    ///< a fraction, shown in percent
  kPercent,  ///< in percent already
  kSeconds,
  kMilliseconds,
  kMoney,
};

/// Which end of a figure is good; a figure that has one is an answer of the study.
enum class Better : std::uint8_t { kUnsaid, kHigh, kLow };

/// A number of a study's runs that its summary and its report show: declared once.
struct Figure {
  std::string_view name{};   ///< its key in JSON; without `sql` a column of `run` or `run_figures`
  std::string_view title{};  ///< in the table; empty: only in JSON
  FigureUnit unit = FigureUnit::kShare;
  int decimals = 2;
  std::string_view meaning{};  ///< below the table
  std::string_view sql{};      ///< of these columns
  /// The first figure that has one decides: its best and worst, and what each setting does to it,
  /// stand above the table. A later one is compared where the earlier ones are at their best.
  Better better = Better::kUnsaid;
  bool is_part = false;  ///< of a whole: an interval ends at 0 and at 1
};

/// The summary that a study declares: a row for every combination of its axes, with the means of
/// the figures over the runs that differ in workload and seed alone.
struct StudyFigures {
  std::string_view title{};
  std::vector<Figure> figures{};
  std::string_view note{};    ///< below the table
  bool is_sold_once = false;  ///< the figures have an income
};

[[nodiscard]] StudySummary summary_of_figures(ResultsDatabase& results, const StudyFigures& study);

/// The mean and the extremes of every measure, as a text: for a study that declares nothing.
[[nodiscard]] SummaryText measures_text(ResultsDatabase& results, Timing timing);

/// `{NAME: {unit, runs, mean, min, max}}`; text values and details are left aside.
[[nodiscard]] Json measures_json(ResultsDatabase& results, Timing timing);

/// `8 runs`, and how many are missing, as a line.
[[nodiscard]] std::string runs_line(ResultsDatabase& results);

/// The same, only where some are missing.
[[nodiscard]] std::string missing_runs_line(ResultsDatabase& results);

}  // namespace cospot
