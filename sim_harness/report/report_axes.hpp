#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/results/results_database.hpp"

namespace cospot {

/// Throws DatabaseError unless every run has the values that its index stands for.
void require_on_axes(ResultsDatabase& results, const std::vector<Axis>& axes);

/// The axes as a JSON list. `extra` gives further members of a value (`,"key":value`) or nothing.
[[nodiscard]] std::string axes_json(
    const std::vector<Axis>& axes,
    const std::function<std::string(const Axis&, const AxisValue&)>& extra);

/// A text as a JSON string that can also stand inside an HTML <script>: without any `<`.
[[nodiscard]] std::string script_json_text(std::string_view text);

}  // namespace cospot
