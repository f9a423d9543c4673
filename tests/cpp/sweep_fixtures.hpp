#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "error_text.hpp"
#include "sim_harness/results/result_row.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/sweeps/compare.hpp"
#include "sim_harness/sweeps/sweep.hpp"

namespace cospot {

/// 2 workloads x 2 headrooms x 1 VM x 2 spots x 1 evictor x 2 SAF x 2 OTN: 8 groups of 4 runs.
[[nodiscard]] Sweep small_sweep();

/// Numbers that differ from run to run and follow from the index alone.
[[nodiscard]] RunResult made_result(std::size_t run_index);

/// The row that `compare` stores for made_result.
[[nodiscard]] ResultRow made_row(std::size_t run_index);
[[nodiscard]] std::vector<ResultRow> made_rows(std::size_t first, std::size_t count);

[[nodiscard]] SweepRecord small_sweep_record();
[[nodiscard]] std::vector<WorkloadRecord> small_sweep_workloads();

/// Records made_result for every pending run.
[[nodiscard]] SweepRunner made_runner();

}  // namespace cospot
