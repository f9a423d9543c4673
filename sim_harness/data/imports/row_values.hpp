#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim_harness/data/imports/import_faults.hpp"
#include "sim_harness/data/imports/numeric_columns.hpp"

namespace cospot {

/// The value of an expression for a row; monostate: NULL, as for an empty field.
using RowValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Tells whether a text stands for no value, as exports write it: NULL, \N, None and the like.
[[nodiscard]] bool is_null_text(std::string_view text);

/// A column that an expression uses as a number, in a row where it is none.
struct NumberFault {
  std::string column;
  RowFault fault;
};

/// Expressions over the columns of a table, evaluated row by row. They are SQL, evaluated by
/// SQLite: comparisons, and/or/not, in, like, between, is null, case, arithmetic, and its functions
/// for numbers, texts and JSON. A column is NULL if its field is empty, a number where the
/// expression compares it with one or calculates with it, and its text otherwise.
/// quantity(x) reads Kubernetes quantities such as 500m and 2Gi.
///
/// Errors: ConfigError for an invalid expression, with the valid columns; WorkloadError for one
/// that names a column from which another differs in case only: nobody can tell which one is meant.
class RowExpressions {
 public:
  /// With `has_null_texts`, a field that is_null_text() is NULL, unless an expression that names
  /// the column names that text.
  explicit RowExpressions(std::span<const std::string> columns, bool has_null_texts = false);
  RowExpressions(const RowExpressions&) = delete;
  RowExpressions& operator=(const RowExpressions&) = delete;
  ~RowExpressions();

  /// Adds an expression; `option` names its place in errors. Returns its index, from 0.
  std::size_t add(std::string_view option, std::string_view expression);

  /// Throws that WorkloadError for a column that is used by itself.
  void require_single(std::string_view option, std::size_t column) const;

  /// Evaluates all expressions for a row, given one field per column. The values are valid until
  /// the next call; if an expression fails on this row, fault() has the error text.
  void evaluate(std::span<const std::string_view> fields);

  [[nodiscard]] const RowValue& value(std::size_t expression) const { return values_[expression]; }

  /// The fields of the evaluated row; empty: no value.
  [[nodiscard]] std::span<const std::string_view> row() const { return row_; }

  /// The first column of the evaluated row that the expression uses as a number and that is none.
  [[nodiscard]] std::optional<NumberFault> number_fault(std::size_t expression) const;

  /// SQLite's error for the row; empty: none.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  class Sqlite;
  struct Expression {
    std::string option;
    std::string sql;
    ColumnUses uses;
  };

  std::vector<std::string> columns_;
  std::vector<std::optional<std::size_t>> twins_;  ///< columns that differ in case only
  std::vector<std::set<std::string, std::less<>>> meant_texts_;  ///< by column
  bool has_null_texts_;
  std::vector<Expression> expressions_;
  std::unique_ptr<Sqlite> sqlite_;
  std::vector<std::string_view> row_;
  std::vector<RowValue> values_;
  std::string fault_;
};

/// Tells whether `value` is true: a number other than 0. NULL and texts are not.
[[nodiscard]] bool is_true(const RowValue& value);

}  // namespace cospot
