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

/// The type of a results column.
enum class ColumnType : std::uint8_t {
  kText,
  kInteger,
  kNumber,
  kBoolean,        ///< an integer, 0 or 1
  kRevenue,        ///< exact: a decimal text in NAME_exact, with the nearest number for SQL
  kIntegerOrText,  ///< an integer if possible, otherwise a label
};

/// `text`, `integer`, ...: its name in the database's table `column`.
[[nodiscard]] std::string_view column_type_name(ColumnType type);

/// The origin of a column.
enum class ColumnRole : std::uint8_t {
  kAxis,      ///< a value of the study's grid
  kMeasure,   ///< a result of a run
  kTime,      ///< a measured duration: 0 without timing
  kDetail,    ///< not in the CSV: needed to repeat a run, or used by views
  kDerived,   ///< computed from the others: a column of the view run_figures
  kTimeline,  ///< of the table `timeline`: the state of a run over time
};

[[nodiscard]] std::string_view column_role_name(ColumnRole role);

/// One column of a study. Declared once, it is in the database, the CSV, Python's frames, the
/// report and docs/results-format.md.
struct Column {
  std::string name;  ///< snake_case, with its unit unless that is obvious
  ColumnRole role = ColumnRole::kMeasure;
  ColumnType type = ColumnType::kInteger;
  std::string unit{};     ///< empty: none
  std::string meaning{};  ///< a short description
  bool may_be_null = false;
  int decimals = -1;  ///< of a number in the CSV; -1: as many as necessary

  [[nodiscard]] bool is_in_csv() const { return role != ColumnRole::kDetail; }
};

/// A column of the view `run_figures`: a fraction, which may be NULL.
[[nodiscard]] Column derived_fraction(const char* name, const char* meaning);

/// A value of a column; std::monostate: missing (NULL).
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Revenue>;

/// The columns of a study and the values derived from them.
struct Schema {
  std::string study;              ///< its name
  std::vector<Column> axes;       ///< slowest first
  std::vector<Column> measures;   ///< in the order of the CSV
  std::vector<Column> derived{};  ///< columns of the view `run_figures`, which has run_index too
  std::string views{};            ///< SQL that creates the study's views
  /// Columns of the table `timeline`, the time first; empty: runs record no timeline.
  std::vector<Column> timeline{};

  [[nodiscard]] std::vector<Column> columns() const;  ///< of `run`: axes, then measures
};

/// One run as stored in the database: a value for every column of the schema, and its index in the
/// grid.
struct Row {
  std::size_t run_index = 0;
  std::vector<Value> values;                   ///< axes, then measures
  std::string configuration;                   ///< JSON: everything needed to repeat the run
  std::string version;                         ///< version of cospot that ran it
  std::vector<std::vector<Value>> timeline{};  ///< by the schema's columns, in order of time
};

/// A value as a field of a CSV file.
[[nodiscard]] std::string csv_value(const Column& column, const Value& value);

/// A number, text, true, false or null. Revenue is the nearest number of vcpu-seconds.
[[nodiscard]] Json json_of(const Column& column, const Value& value);

}  // namespace cospot
