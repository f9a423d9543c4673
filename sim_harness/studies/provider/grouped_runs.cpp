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
  std::vector<RunVariation> variations;
  for (const GridPoint<ProviderStudySettings>& at : runs) {
    variations.push_back(
        {.evictor = &evictor(at, replay), .saf = at.get(kSafAxis), .otn = at.get(kOtnAxis)});
  }
  simulate_group(*replay.schedule,
                 {.host = first.settings().host,
                  .hosts = replay.hosts,
                  .vm = &first.get(kVmAxis),
                  .spot = &first.get(kSpotAxis),
                  .keeps_days = keeps_days_},
                 variations, [&](std::size_t variation, const RunResult& result) {
                   outcome.life.run = result;
                   record(variation, outcome);
                 });
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
