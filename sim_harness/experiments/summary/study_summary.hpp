#pragma once

#include <optional>
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

/// A table value, as text and as JSON.
struct SummaryCell {
  std::string text;
  Json json;
};

struct SummaryColumn {
  std::string name;     ///< key in JSON; empty: text only
  std::string title{};  ///< heading; empty: JSON only
  TextTable::Align align = TextTable::Align::kRight;
};

/// A table in texts, a list of objects in JSON.
struct SummaryTable {
  std::vector<SummaryColumn> columns{};
  std::vector<std::vector<SummaryCell>> rows{};  ///< one cell per column

  [[nodiscard]] std::string text(std::string_view indent = {}) const;
  [[nodiscard]] Json json() const;
};

/// A summary for people: answer, lines and tables, in order. `cospot summary` prints it as text and
/// the head of the report shows it as HTML, so that both agree.
class SummaryText {
 public:
  SummaryText() = default;
  SummaryText(std::string lines) { *this += lines; }  // NOLINT: a text is its lines

  SummaryText& operator+=(std::string_view lines);
  void append(const SummaryText& more);

  /// Adds lines that state the conclusion of the results.
  void add_answer(std::string_view lines);
  void add(const SummaryTable& table, std::string_view indent = {});

  [[nodiscard]] std::string plain() const;
  /// Omits table rows after the first `kMostRows`, which the report has among its points. `names`,
  /// such as `fault_tolerance`, are written as words in answers and headings.
  [[nodiscard]] std::string html(std::span<const std::string> names = {}) const;

  static constexpr std::size_t kMostRows = 60;

 private:
  enum class Kind : std::uint8_t { kLines, kAnswer, kTable };
  struct Piece {
    Kind kind = Kind::kLines;
    std::string text{};  ///< indent of a table
    SummaryTable table{};
  };
  std::vector<Piece> pieces_{};
};

/// A summary of a study, as text and as JSON. Code that adds text also adds the JSON members that
/// say the same.
struct StudySummary {
  SummaryText text{};
  Json json = Json::object();
};

/// The format of a number in a summary.
enum class FigureUnit : std::uint8_t {
  kNumber,
  kShare,    ///< a fraction, shown as percent
  kPercent,  ///< already in percent
  kSeconds,
  kMilliseconds,
  kMoney,
  kAmount,  ///< shortened where it is large
  kCount,   ///< without an interval, whole where it is: a mean of hosts
};

/// The preferred direction of a figure; figures with one are answers of the study.
enum class Better : std::uint8_t { kUnsaid, kHigh, kLow };

/// A number of a study's runs shown in its summary and report: declared once.
struct Figure {
  std::string_view name{};   ///< key in JSON; without `sql` a column of `run` or `run_figures`
  std::string_view title{};  ///< in the table; empty: JSON only
  FigureUnit unit = FigureUnit::kShare;
  int decimals = 2;
  std::string_view meaning{};  ///< below the table
  std::string_view sql{};      ///< computed from these columns
  /// The first figure with a direction decides: its best and worst, and the effect of each setting
  /// on it, are shown above the table. A later one is compared where the earlier ones are at their
  /// best.
  Better better = Better::kUnsaid;
  bool is_part = false;    ///< a fraction of a whole: an interval ends at 0 and at 1
  bool is_signed = false;  ///< a number that may be below 0, as money may; others end at 0
  bool is_change = false;  ///< shown with its sign
};

/// A kind of best combination: its key in JSON and its name in texts.
struct BestKind {
  std::string_view json;
  std::string_view title;
};

/// The best combinations of each value of an axis, which a summary tells in place of all: those
/// with the most of the first figure that is better high.
struct BestOfEach {
  std::string_view axis;  ///< its column
  std::string_view json;  ///< key of the list
  /// SQL: a run of each best combination, and 1 if it is the best of those to compare with, else 0.
  std::string_view sql;
  std::string_view condition;  ///< column of `run_figures` that holds for all runs of a best one
  std::string_view met;        ///< the same in words: `without VM loss`
  std::string_view failed;     ///< what the others do: `rejects VMs`
  BestKind best, compared, bound;  ///< bound: that cannot be deployed
};

/// A study's declared summary: a row for every combination of its axes, with the means of the
/// figures over runs that differ only in workload and seed.
struct StudyFigures {
  std::string_view title{};
  std::vector<Figure> figures{};
  std::string_view note{};    ///< below the table
  bool is_sold_once = false;  ///< the figures include an income
  std::optional<BestOfEach> best{};
  std::vector<Figure> more{};  ///< only in the report
  /// The axes along which and by whose colours the report begins, unless it chooses.
  std::string_view report_axis{}, report_color{};

  /// The figures of the report.
  [[nodiscard]] std::vector<Figure> all() const;
};

[[nodiscard]] StudySummary summary_of_figures(ResultsDatabase& results, const StudyFigures& study);

/// A table of figures over all runs, which are no means of combinations.
[[nodiscard]] SummaryTable over_runs_table();
/// Adds the mean and the maximum over the runs that have a figure; of a kCount, whose `sql` is an
/// aggregate, one number. One of 0 is no row of the table unless an end is better.
void add_over_runs(ResultsDatabase& results, std::span<const Figure> figures, SummaryTable& table,
                   Json& json);

/// The mean and the extremes of every measure, as text: for a study without declared figures.
[[nodiscard]] SummaryText measures_text(ResultsDatabase& results, Timing timing);

/// `{NAME: {unit, runs, mean, min, max}}`; omits texts and details.
[[nodiscard]] Json measures_json(ResultsDatabase& results, Timing timing);

/// `8 runs`, and how many are missing, as a line.
[[nodiscard]] std::string runs_line(ResultsDatabase& results);

/// The same, or empty if none are missing.
[[nodiscard]] std::string missing_runs_line(ResultsDatabase& results);

}  // namespace cospot
