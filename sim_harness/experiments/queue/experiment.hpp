#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/queue/progress.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

/// The results of a run: a value for every measure of the study's schema.
using Measures = std::vector<Value>;

/// The results, and the timeline if the schema has one.
struct RunRecord {
  // NOLINTNEXTLINE(google-explicit-constructor): most runs are their measures
  RunRecord(Measures measured, std::vector<std::vector<Value>> over_time = {})
      : measures(std::move(measured)), timeline(std::move(over_time)) {}

  Measures measures;
  std::vector<std::vector<Value>> timeline;
};

/// Receives the results of one run. May throw to stop the group, whose runner must not catch it.
using RecordRun = std::function<void(std::size_t run_index, RunRecord record)>;

/// Simulates the pending runs of a group and records each exactly once, in any order. Called from
/// several threads at once, for different groups.
using RunGroupFunction = std::function<void(
    const RunGroup& group, std::span<const std::size_t> pending_runs, const RecordRun& record)>;

/// A study file, read and loaded: a grid of runs and the function that simulates them. The harness
/// knows nothing else about a study.
struct Experiment {
  Schema schema;
  std::vector<GridAxis> axes;         ///< the schema's axes with their values, slowest first
  std::vector<std::string> group_by;  ///< the first axes: runs that agree on them are a group
  std::string configuration;          ///< JSON with every default written out
  std::vector<InputRecord> inputs{};
  std::vector<std::string> warnings{};  ///< about the inputs, for the user
  RunGroupFunction run_group{};
  /// JSON with everything needed to repeat a run; default: its axes as in the study file.
  std::function<std::string(std::size_t run_index, const Measures& measures)> run_configuration{};

  [[nodiscard]] Grid grid() const;
};

struct ExperimentOptions {
  std::size_t threads = 1;
  std::filesystem::path database{};
  IfPresent if_present = IfPresent::kRefuse;
  Shard shard{};
  Timing timing = Timing::kOn;
  std::string command{};  ///< recorded in the database as its creator
};

struct ExperimentOutcome {
  bool interrupted = false;
  std::size_t total = 0;    ///< runs of the experiment, or of the shard
  std::size_t done = 0;     ///< of those, in the database now
  std::size_t skipped = 0;  ///< of those, in the database before
};

/// The database's description of an experiment, except inputs and runs.
[[nodiscard]] ExperimentTables tables_of(const Experiment& experiment, const std::string& command);

/// Simulates the runs of an experiment that are missing from its database. Groups are simulated in
/// parallel and committed one by one as they finish.
///
/// When the thread's StopToken requests it, stops soon and keeps the finished runs.
///
/// An exception in a run stops everything; finished runs are committed, then it is rethrown.
/// Errors: DatabaseError.
[[nodiscard]] ExperimentOutcome run_experiment(const Experiment& experiment,
                                               const ExperimentOptions& options,
                                               ProgressSink& progress);

/// Simulates all runs into a database in memory. Throws Interrupted when the StopToken requests it.
[[nodiscard]] ResultsDatabase run_in_memory(const Experiment& experiment, std::size_t threads,
                                            ProgressSink& progress);

}  // namespace cospot
