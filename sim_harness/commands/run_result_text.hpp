#pragma once

#include <string>

#include "sim_harness/engine/run_result.hpp"
#include "sim_harness/results/csv_sink.hpp"

namespace cospot {

/// The counts, revenue and times of one run as a table for people. Allocation times of 0 count as
/// not measured.
[[nodiscard]] std::string run_result_text(const RunResult& result, Timing timing);

}  // namespace cospot
