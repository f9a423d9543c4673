#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/engine/run_result.hpp"
#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/results/results_database.hpp"
#include "sim_harness/sweeps/progress.hpp"
#include "sim_harness/sweeps/sweep.hpp"
#include "sim_harness/sweeps/sweep_grid.hpp"

namespace cospot {

/// Takes the result of one run. May throw to stop the group: the runner lets that pass.
using RecordRun = std::function<void(std::size_t run_index, const RunResult& result)>;

/// Simulates those runs of a group that are pending and records each exactly once, in any order.
/// Called by several threads at once, for different groups.
using GroupRunner = std::function<void(
    const RunGroup& group, std::span<const std::size_t> pending_runs, const RecordRun& record)>;

/// What simulates a sweep, and which bytes its workloads are: the digests stand in every result
/// row, and a database is only resumed with the same ones.
struct SweepRunner {
  std::vector<WorkloadRecord> workloads;  ///< in the order of the sweep
  GroupRunner run_group;
  std::vector<SimTime> windows{};       ///< in force, in the same order; empty: as the sweep states
  std::vector<std::string> warnings{};  ///< of the workloads, for whoever starts the sweep
};

struct CompareOptions {
  std::size_t threads = 1;
  std::filesystem::path database{};
  IfPresent if_present = IfPresent::kRefuse;
  Shard shard{};
  Timing timing = Timing::kOn;
  std::string command{};  ///< what the database says created it
};

struct CompareOutcome {
  bool interrupted = false;
  std::size_t total = 0;    ///< runs of the sweep, or of the shard
  std::size_t done = 0;     ///< of those in the database now
  std::size_t skipped = 0;  ///< of those in the database before
};

/// Simulates the runs of a sweep that its database does not have yet. Groups are simulated in
/// parallel and committed one by one as they finish.
///
/// When the thread's StopToken asks, it stops soon and keeps what is done.
///
/// An exception of a runner stops everything; what is done is committed, then it is rethrown.
/// Errors: DatabaseError.
[[nodiscard]] CompareOutcome compare(const Sweep& sweep, const CompareOptions& options,
                                     const SweepRunner& runner, ProgressSink& progress);

}  // namespace cospot
