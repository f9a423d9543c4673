#pragma once

#include <span>
#include <vector>

#include "sim_harness/results/result_row.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/sweeps/sweep.hpp"
#include "sim_harness/tune/tune.hpp"

namespace cospot {

/// A tuning as an unfinished sweep: samples x their host counts x candidates. It holds the runs
/// that were done, so that everything that reads results reads them.
struct TuneRecord {
  Sweep sweep;
  std::vector<WorkloadRecord> workloads;
  std::vector<ResultRow> rows;  ///< in grid order, without times
};

[[nodiscard]] TuneRecord tune_record(const TuneSettings& settings,
                                     std::span<const TuneSample> samples, const TuneRuns& runs,
                                     const ResourceVector& host);

}  // namespace cospot
