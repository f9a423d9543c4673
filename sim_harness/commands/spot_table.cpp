#include "sim_harness/commands/spot_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "evictors/lifetime_evictor.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"

namespace cospot {
namespace {

constexpr double kMicroseconds = 1e6;

double expected_life_s(const LifetimePredictor& predictor, const SpotTraits& traits) {
  const RunningSpot spot{
      .instance = traits.instance, .resources = traits.resources, .placed_at = traits.requested_at};
  SimTime expected{0};
  // As far as LPML counts it without a stated horizon.
  constexpr SimTime kHorizon = LpmlEvictor::kDefaultHorizonDay * kDay;
  constexpr SimTime kLookahead = LpmlEvictor::kLeastLookaheadDays * kDay;
  predictor.predict({&spot, 1}, traits.requested_at,
                    std::max(kHorizon, traits.requested_at + kLookahead), {&expected, 1});
  return static_cast<double>(expected.count()) / kMicroseconds;
}

}  // namespace

std::string spot_table_csv(const Workload& workload, const LifetimePredictor* predictor) {
  const std::vector<SpotTraits> spots = read_spot_traits(workload, make_schedule(workload));
  std::shared_ptr<const LifetimePredictor> prepared;
  if (predictor != nullptr) prepared = predictor->prepared_for([&spots] { return spots; });
  if (prepared != nullptr) predictor = prepared.get();
  std::string text = "instance_id,vcpus,memory_mb,disk_gb,requested_s,ended_s,previous_lifetime_s";
  if (predictor != nullptr) text += ",expected_life_s";
  text += "\n";
  for (const SpotTraits& traits : spots) {
    const WorkloadRow& row = workload.rows[traits.instance];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}", row.id, row.resources.vcpus,
                   row.resources.memory_mb, row.resources.disk_gb, seconds_text(row.start),
                   seconds_text(row.end), seconds_text(traits.previous_lifetime));
    if (predictor != nullptr) {
      fmt::format_to(std::back_inserter(text), ",{:.6f}", expected_life_s(*predictor, traits));
    }
    text += "\n";
  }
  return text;
}

}  // namespace cospot
