#pragma once

#include <span>
#include <vector>

#include "sim_harness/advise/tune.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"

namespace cospot {

/// A tuning as an unfinished sweep: samples x their host counts x candidates. It contains the
/// completed runs, so that all tools that read results can read them.
struct TuneRecord {
  ProviderSettings sweep;
  std::vector<InputRecord> workloads;
  std::vector<Row> rows;  ///< in grid order, without times
};

/// The database tables that describe it.
[[nodiscard]] ExperimentTables tune_tables(const TuneRecord& record);

[[nodiscard]] TuneRecord tune_record(const TuneSettings& settings,
                                     std::span<const TuneSample> samples, const TuneRuns& runs,
                                     const HostMix& host);

}  // namespace cospot
