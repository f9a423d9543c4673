#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "sim_harness/provider/sizing/shared_workload.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {

/// Simulates runs together that differ only in evictor, SAF and OTN (run_group.hpp).
class GroupedRuns {
 public:
  /// The settings outlive the object. `keeps_days`: see SimulationParts.
  explicit GroupedRuns(const ProviderStudySettings& settings, bool keeps_days = false);

  /// Args: runs: of one workload, size, VM and spot policy. record: gets a run's position in
  /// `runs`. Thread-safe for different groups.
  void simulate(std::span<const GridPoint<ProviderStudySettings>> runs,
                const StudyRequests& requests,
                const std::function<void(std::size_t, const RunOutcome&)>& record);

 private:
  /// An evictor of the study, prepared for a workload.
  [[nodiscard]] const EvictorSpec& evictor(const GridPoint<ProviderStudySettings>& at,
                                           const Replay& replay);

  bool keeps_days_;
  std::vector<std::vector<MadeOnce<EvictorSpec>>> evictors_;  // by workload, then evictor
};

}  // namespace cospot
