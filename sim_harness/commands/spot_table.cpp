#include "sim_harness/commands/spot_table.hpp"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "evictors/lifetime_evictor.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"

namespace cospot {
namespace {

/// Life is counted to this day, as LPML does.
constexpr SimTime kCountedTo = LpmlEvictor::kDefaultHorizonDay * kDay;
constexpr double kMicroseconds = 1e6;

double expected_life_s(const LifetimeModel& model, const SpotTraits& traits,
                       std::vector<LifePoint>& curve) {
  model.fill_curve(model.inputs_of(traits), curve);
  const auto limit = static_cast<double>((kCountedTo - traits.requested_at).count());
  return expected_rest(model.grid(), curve, 0, limit) / kMicroseconds;
}

}  // namespace

std::string spot_table_csv(const Workload& workload, const LifetimeModel* model) {
  std::string text = "instance_id,vcpus,memory_mb,disk_gb,requested_s,ended_s,previous_lifetime_s";
  if (model != nullptr) text += ",expected_life_s";
  text += "\n";
  std::vector<LifePoint> curve(model == nullptr ? 0 : model->grid().intervals() + 1);
  for (const SpotTraits& traits : read_spot_traits(workload, make_schedule(workload))) {
    const WorkloadRow& row = workload.rows[traits.instance];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}", row.id, row.resources.vcpus,
                   row.resources.memory_mb, row.resources.disk_gb, seconds_text(row.start),
                   seconds_text(row.end), seconds_text(traits.previous_lifetime));
    if (model != nullptr) {
      fmt::format_to(std::back_inserter(text), ",{:.6f}", expected_life_s(*model, traits, curve));
    }
    text += "\n";
  }
  return text;
}

}  // namespace cospot
