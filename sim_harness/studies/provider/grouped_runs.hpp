#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "sim_harness/provider/sizing/shared_workload.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {

/// Simulates runs together that differ in evictor, SAF and OTN alone (run_group.hpp).
class GroupedRuns {
 public:
  /// The settings outlive it. `keeps_days`: SimulationParts.
  explicit GroupedRuns(const ProviderStudySettings& settings, bool keeps_days = false);

  /// Args: runs: of one workload, size, VM and spot policy. record: takes a run's position among
  /// them. Called by several threads at once, for different groups.
  void simulate(std::span<const GridPoint<ProviderStudySettings>> runs,
                const StudyRequests& requests,
                const std::function<void(std::size_t, const RunOutcome&)>& record);

 private:
  /// An evictor of the study, with what it can know of a workload.
  [[nodiscard]] const EvictorSpec& evictor(const GridPoint<ProviderStudySettings>& at,
                                           const Replay& replay);

  bool keeps_days_;
  std::vector<std::vector<MadeOnce<EvictorSpec>>> evictors_;  // by workload, then evictor
};

}  // namespace cospot
