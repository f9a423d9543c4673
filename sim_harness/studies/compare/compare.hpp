#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/experiments/queue/experiment.hpp"
#include "sim_harness/provider/run/run_result.hpp"
#include "sim_harness/studies/compare/sweep.hpp"
#include "sim_harness/studies/compare/sweep_grid.hpp"

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
  std::vector<InputRecord> workloads;  ///< in the order of the sweep
  GroupRunner run_group;
  std::vector<SimTime> windows{};       ///< in force, in the same order; empty: as the sweep states
  std::vector<std::string> warnings{};  ///< of the workloads, for whoever starts the sweep
  std::vector<VcpusUnit> units{};       ///< of the workloads' vcpus; empty: vCPUs
};

/// The experiment that a sweep is; the study `compare`.
[[nodiscard]] Experiment make_comparison(const Sweep& sweep, const SweepRunner& runner);

}  // namespace cospot
