#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cospot {

/// What an expression gives for a row; monostate: NULL, as of an empty field.
using RowValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Expressions over the columns of a table, evaluated row by row. They are SQL's, evaluated by
/// SQLite: comparisons, and/or/not, in, like, between, is null, case, arithmetic, and its functions
/// of numbers, texts and JSON. A column holds a number where its field reads as one, a text
/// otherwise, NULL where the field is empty. quantity(x) reads Kubernetes quantities such as 500m
/// and 2Gi.
///
/// Errors: ConfigError for an expression that cannot be used, with the valid columns.
class RowExpressions {
 public:
  explicit RowExpressions(std::span<const std::string> columns);
  RowExpressions(const RowExpressions&) = delete;
  RowExpressions& operator=(const RowExpressions&) = delete;
  ~RowExpressions();

  /// Takes in an expression; `option` says in errors where it stands. Returns its number, from 0.
  std::size_t add(std::string_view option, std::string_view expression);

  /// Evaluates all for a row that has as many fields as there are columns. The values stay valid
  /// until the next call; an expression that fails on this row gives an error text in fault().
  void evaluate(std::span<const std::string_view> fields);

  [[nodiscard]] const RowValue& value(std::size_t expression) const { return values_[expression]; }

  /// What SQLite says of the row; empty: nothing is wrong.
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

/// Tells whether `value` counts as true: a number other than 0. NULL and texts do not.
[[nodiscard]] bool is_true(const RowValue& value);

}  // namespace cospot
