#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/revenue.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// What a column of a study's results holds.
enum class ColumnType : std::uint8_t {
  kText,
  kInteger,
  kNumber,
  kBoolean,        ///< an integer, 0 or 1
  kRevenue,        ///< exact: a decimal text in NAME_exact, beside the nearest number for SQL
  kIntegerOrText,  ///< an integer where it is one, else a label
};

/// `text`, `integer`, ...: as the table `column` of a database has it.
[[nodiscard]] std::string_view column_type_name(ColumnType type);

/// Where a column comes from.
enum class ColumnRole : std::uint8_t {
  kAxis,      ///< a value of the study's grid
  kMeasure,   ///< what a run came to
  kTime,      ///< a measure of how long something took: 0 without timing
  kDetail,    ///< not in the CSV: what it takes to repeat a run, and what views go by
  kDerived,   ///< follows from the others: a column of the view run_figures
  kTimeline,  ///< of the table `timeline`: what a run did over time
};

[[nodiscard]] std::string_view column_role_name(ColumnRole role);

/// One column of a study: declared once, it is in the database, the CSV, Python's frames, the
/// report and docs/results-format.md.
struct Column {
  std::string name;  ///< snake_case, with its unit where that is not obvious
  ColumnRole role = ColumnRole::kMeasure;
  ColumnType type = ColumnType::kInteger;
  std::string unit{};     ///< empty: none
  std::string meaning{};  ///< half a sentence
  bool may_be_null = false;
  int decimals = -1;  ///< of a number in the CSV; -1: as many as it needs

  [[nodiscard]] bool is_in_csv() const { return role != ColumnRole::kDetail; }
};

/// A column of the view `run_figures`: a part of something, which may be empty.
[[nodiscard]] Column derived_fraction(const char* name, const char* meaning);

/// A value of a column; std::monostate: there is none (NULL).
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Revenue>;

/// The columns of a study and what is derived from them.
struct Schema {
  std::string study;              ///< its name
  std::vector<Column> axes;       ///< slowest first
  std::vector<Column> measures;   ///< in the order of the CSV
  std::vector<Column> derived{};  ///< columns of the view `run_figures`, which has run_index too
  std::string views{};            ///< SQL that creates the study's views
  /// Columns of the table `timeline`, the time first; empty: runs do not keep what they did over
  /// time.
  std::vector<Column> timeline{};

  [[nodiscard]] std::vector<Column> columns() const;  ///< of `run`: axes, then measures
};

/// One run as the database keeps it: a value for every column of the schema, and where it is in
/// the grid.
struct Row {
  std::size_t run_index = 0;
  std::vector<Value> values;                   ///< axes, then measures
  std::string configuration;                   ///< JSON: all that is needed to repeat the run
  std::string version;                         ///< of the cospot that ran it
  std::vector<std::vector<Value>> timeline{};  ///< by the schema's columns, in the order of time
};

/// A value as it stands in a CSV; nothing is quoted, because labels hold no commas.
[[nodiscard]] std::string csv_value(const Column& column, const Value& value);

/// A number, a text, true, false or null. Revenue is the nearest number of vcpu-seconds.
[[nodiscard]] Json json_of(const Column& column, const Value& value);

}  // namespace cospot
