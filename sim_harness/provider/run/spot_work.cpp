#include "sim_harness/provider/run/spot_work.hpp"

#include <algorithm>

namespace cospot {
namespace {

SimTime between(SimTime now, SimTime end) {
  return end == kNever ? kNever : std::max(end - now, SimTime{0});
}

}  // namespace

void SpotWork::placed(InstanceIndex spot, ResourceAmount memory_mb, SimTime now) {
  Spot& one = spots_[spot];
  one.is_back = one.was_evicted;
  one.works_from = now;
  if (one.has_state) one.works_from += rule_.restore_time(memory_mb);
}

void SpotWork::ended(const RunningSpot& spot, SimTime now) {
  Spot& one = spots_[spot.instance];
  const SimTime from = std::min(one.works_from, now);
  one.restoring += schedule_->revenue(spot.resources.vcpus, spot.placed_at, from);
  one.kept += schedule_->revenue(spot.resources.vcpus, from, now);
}

void SpotWork::stopped(const RunningSpot& spot, SimTime now, bool is_evicted) {
  ended(spot, now);
  Spot& one = spots_[spot.instance];
  one.was_evicted = one.was_evicted || is_evicted;
  const bool is_anew = rule_.what == OnEviction::kRestart || (!is_evicted && has_moves());
  if (is_anew) {
    one.wasted += one.kept;
    one.kept = 0;
    one.has_state = false;
    one.need = {.stay = between(schedule_->start[spot.instance], schedule_->end[spot.instance])};
    return;
  }
  // A spot that had not worked here has its state still where it was restored from.
  const bool has_worked = now > one.works_from;
  if (has_worked || !one.has_state) one.rest = between(now, spot.ends_at);
  one.need = {.stay = one.rest};
  if (!has_moves()) return;
  one.has_state = one.has_state || has_worked;
  const ResourceAmount memory_mb = spot.resources.memory_mb;
  if (has_worked) one.need.save = rule_.save_time(memory_mb);
  if (one.has_state && one.rest != kNever) {
    one.need.stay += rule_.restore_time(memory_mb);
  }
}

void SpotWork::add_to(SpotWorkResult& result, InstanceIndex spot, bool is_gone) const {
  const Spot& one = spots_[spot];
  (is_gone ? result.wasted : result.useful) += one.kept;
  result.wasted += one.wasted;
  result.restoring += one.restoring;
  result.evicted += one.was_evicted ? 1 : 0;
  result.back += one.is_back ? 1 : 0;
}

}  // namespace cospot
