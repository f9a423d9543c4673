#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// The columns that an SQL expression takes for numbers: it calculates with them, or compares them
/// with numbers, itself or through coalesce, nullif, max and the like. SQL counts a text there as
/// the number that it begins with, or as larger than all numbers. Columns that the expression also
/// takes for texts (compares with one, gives to other functions) are left out: it knows what to do
/// with them. Returns positions in `columns`, ascending; an expression that is no SQL gives any.
[[nodiscard]] std::vector<std::size_t> numeric_columns(std::string_view expression,
                                                       std::span<const std::string> columns);

/// Tells whether SQL reads a field as a number: the whole of it, but for blanks around.
[[nodiscard]] bool is_sql_number(std::string_view field);

}  // namespace cospot
