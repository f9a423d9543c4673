#pragma once

#include <string>

#include "sim_harness/csv_sink.hpp"
#include "sim_harness/run_result.hpp"

namespace cospot {

/// The counts, revenue and times of one run as a table for people. Allocation times of 0 count as
/// not measured.
[[nodiscard]] std::string run_result_text(const RunResult& result, Timing timing);

}  // namespace cospot
