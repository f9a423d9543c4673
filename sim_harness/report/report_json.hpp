#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim_harness/results/result_row.hpp"
#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// A text as a JSON string that can also stand inside an HTML <script>: without any `<`.
[[nodiscard]] std::string script_json_text(std::string_view text);

/// Everything a report shows, as one compact JSON text (docs/report.md describes it): the axes of
/// the sweep with what each value is in a sweep file, and one column per quantity. `rows` in grid
/// order, at least one. The same results give the same text.
///
/// Errors: DatabaseError that starts with `database`, when a row is not where the sweep has it.
[[nodiscard]] std::string report_json(const SweepRecord& sweep, std::span<const ResultRow> rows,
                                      const std::string& database);

}  // namespace cospot
