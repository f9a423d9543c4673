#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim_harness/results/result_row.hpp"

namespace cospot {

/// What cooperation earned a run: its spot revenue / that of its baseline - 1, so 0.35 is +35 %.
/// The baseline is the run with the same workload, datacenter size, VM policy, spot policy and
/// evictor, with OTN 1 and SAF off.
struct Gain {
  bool has_baseline = false;    ///< the baseline is among the results
  std::optional<double> value;  ///< none without a baseline, or when the baseline earned nothing
};

/// The gain of every row, in their order.
[[nodiscard]] std::vector<Gain> compute_gains(std::span<const ResultRow> rows);

}  // namespace cospot
