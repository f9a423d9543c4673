#include "sim_harness/studies/provider/grouped_runs.hpp"

#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {

GroupedRuns::GroupedRuns(const ProviderStudySettings& settings, bool keeps_days)
    : keeps_days_(keeps_days) {
  for (std::size_t i = 0; i < settings.workloads.size(); ++i) {
    evictors_.emplace_back(settings.evictors.size());
  }
}

void GroupedRuns::simulate(std::span<const GridPoint<ProviderStudySettings>> runs,
                           const StudyRequests& requests,
                           const std::function<void(std::size_t, const RunOutcome&)>& record) {
  const GridPoint<ProviderStudySettings>& first = runs.front();
  RunOutcome outcome;
  const Replay replay = requests.replay(first, outcome);
  std::vector<AllocatorSpec> allocators;
  for (const GridPoint<ProviderStudySettings>& at : runs) {
    allocators.push_back(allocator_at(at));
    allocators.back().evictor = evictor(at, replay);
  }
  simulate_group(
      *replay.schedule, first.settings().host, replay.hosts, allocators,
      [&](std::size_t index, const RunResult& result) {
        outcome.life.run = result;
        record(index, outcome);
      },
      keeps_days_);
}

const EvictorSpec& GroupedRuns::evictor(const GridPoint<ProviderStudySettings>& at,
                                        const Replay& replay) {
  return evictors_[replay.workload_index][at.index(kEvictorAxis)].get([&] {
    EvictorSpec spec = at.get(kEvictorAxis);
    if (spec.made != nullptr) {
      spec.made = prepared_evictor(spec.made, *replay.workload, *replay.schedule);
    }
    return spec;
  });
}

}  // namespace cospot
