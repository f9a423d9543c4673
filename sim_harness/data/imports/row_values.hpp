#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cospot {

/// The value of an expression for a row; monostate: NULL, as for an empty field.
using RowValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Expressions over the columns of a table, evaluated row by row. They are SQL, evaluated by
/// SQLite: comparisons, and/or/not, in, like, between, is null, case, arithmetic, and its functions
/// for numbers, texts and JSON. A column is a number if its field reads as one, NULL if the field
/// is empty, and a text otherwise. quantity(x) reads Kubernetes quantities such as 500m and 2Gi.
///
/// Errors: ConfigError for an invalid expression, with the valid columns.
class RowExpressions {
 public:
  explicit RowExpressions(std::span<const std::string> columns);
  RowExpressions(const RowExpressions&) = delete;
  RowExpressions& operator=(const RowExpressions&) = delete;
  ~RowExpressions();

  /// Adds an expression; `option` names its place in errors. Returns its index, from 0.
  std::size_t add(std::string_view option, std::string_view expression);

  /// Evaluates all expressions for a row, given one field per column. The values are valid until
  /// the next call; if an expression fails on this row, fault() has the error text.
  void evaluate(std::span<const std::string_view> fields);

  [[nodiscard]] const RowValue& value(std::size_t expression) const { return values_[expression]; }

  /// SQLite's error for the row; empty: none.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  class Sqlite;
  void prepare();

  std::vector<std::string> columns_;
  std::vector<std::string> expressions_;
  std::unique_ptr<Sqlite> sqlite_;
  std::vector<RowValue> values_;
  std::string fault_;
};

/// Tells whether `value` is true: a number other than 0. NULL and texts are not.
[[nodiscard]] bool is_true(const RowValue& value);

}  // namespace cospot
