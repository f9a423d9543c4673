#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "sim_harness/experiments/results/column.hpp"

namespace cospot {

// SQL derived from the axes of a study.

/// `run.workload, run.headroom_percent, ...`; without the prefix if `table` is empty.
[[nodiscard]] std::string axes_sql(std::span<const Column> axes, std::string_view table = "run");

/// `one.workload IS other.workload AND ...`.
[[nodiscard]] std::string same_axes_sql(std::span<const Column> axes, std::string_view one,
                                        std::string_view other);

/// Creates the view `name`: for each `run_index`, the revenue of the run that has the given values
/// on these axes and is otherwise the same.
[[nodiscard]] std::string counterpart_view(
    std::string_view name, std::span<const Column> axes,
    const std::map<std::string_view, std::string_view>& values);

/// Creates the view `baseline`: the same run without cooperation (OTN 1, SAF off), the reference of
/// a gain.
[[nodiscard]] std::string baseline_view(std::span<const Column> axes);
inline constexpr std::string_view kJoinBaseline = " LEFT JOIN baseline USING (run_index) ";

}  // namespace cospot
