#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// A column that an expression uses as a number.
struct NumericColumn {
  std::size_t column = 0;
  std::vector<std::string> texts{};  ///< of which the expression makes NULL

  /// Tells whether the expression handles a field: a number, nothing, or one of `texts`.
  [[nodiscard]] bool takes(std::string_view field) const;
  /// The values that takes() accepts, for errors.
  [[nodiscard]] std::string expected() const;

  friend bool operator==(const NumericColumn&, const NumericColumn&) = default;
};

/// The ways in which an SQL expression uses the columns of a row.
struct ColumnUses {
  /// Must be numbers: in arithmetic or in comparisons with numbers, directly or through coalesce,
  /// nullif, max and the like. There, SQL converts a text to its numeric prefix or sorts it above
  /// all numbers. Columns that the expression also uses as texts (compares with a text, passes to
  /// other functions) are left out, because it handles both; of `nullif(COLUMN, 'TEXT')` only that
  /// text is handled. In ascending order.
  std::vector<NumericColumn> numbers{};
  /// Compared as numbers: these, and what is put in order with another value. The others are texts:
  /// an id such as 007 is no number.
  std::set<std::size_t> as_numbers{};
  std::set<std::size_t> columns{};  ///< all that it names
  std::set<std::string> texts{};    ///< that it names in quotes
};

/// The result for invalid SQL is unspecified.
[[nodiscard]] ColumnUses column_uses(std::string_view expression,
                                     std::span<const std::string> columns);

/// Tells whether SQL reads the whole field, without surrounding blanks, as a number.
[[nodiscard]] bool is_sql_number(std::string_view field);

}  // namespace cospot
