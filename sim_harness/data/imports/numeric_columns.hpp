#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// The columns that an SQL expression uses as numbers: in arithmetic or in comparisons with
/// numbers, directly or through coalesce, nullif, max and the like. There, SQL converts a text to
/// its numeric prefix or sorts it above all numbers. Columns that the expression also uses as texts
/// (compares with a text, passes to other functions) are left out, because it handles both. Returns
/// ascending positions in `columns`; the result for invalid SQL is unspecified.
[[nodiscard]] std::vector<std::size_t> numeric_columns(std::string_view expression,
                                                       std::span<const std::string> columns);

/// Tells whether SQL reads the whole field, without surrounding blanks, as a number.
[[nodiscard]] bool is_sql_number(std::string_view field);

}  // namespace cospot
