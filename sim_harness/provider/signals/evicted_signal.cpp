#include "sim_harness/provider/signals/evicted_signal.hpp"

namespace cospot {
namespace {

constexpr std::array kAgeHours{1. / 6, 1., 6., 24., 96.};

}  // namespace

EvictedSignal::Bins EvictedSignal::bins_of(const SpotLife& life, const MarketState& state) {
  return {state.pressure, bin_of(hours_of(state.now - life.placed_at), kAgeHours), state.fullness,
          static_cast<FeatureBin>(life.pool)};
}

double EvictedSignal::forecast(const SpotLife& life, const MarketState& state) const {
  return mix_.mix(ways_of(life, bins_of(life, state)));
}

EvictedSignal::Ways EvictedSignal::ways_of(const SpotLife& life, const Bins& bins) const {
  const double base_rate = base_rate_.estimate(life.pool);
  return {base_rate, cases_.estimate(bins, base_rate, kStrongShrinkWeight),
          cases_.estimate(bins, base_rate, kShrinkWeight)};
}

void EvictedSignal::look(const MarketState& state, const SpotLives& lives) {
  const std::size_t stride = (lives.running() + kMostSpotsOfMoment - 1) / kMostSpotsOfMoment;
  std::size_t position = moments_++;  // so that not always the same hosts' spots are looked at
  for (HostIndex host = 0; host < state.hosts.table().size(); ++host) {
    for (const RunningSpot& spot : state.hosts.spots_on(host)) {
      if (stride == 0 || position++ % stride != 0) continue;
      const SpotLife* life = lives.find_running(spot.instance);
      if (life == nullptr) continue;
      const Bins bins = bins_of(*life, state);
      const Ways ways = ways_of(*life, bins);
      open_.push_back({.life = lives.number_of(*life),
                       .due = state.now + span_,
                       .fold = state.fold,
                       .bins = bins,
                       .forecast = mix_.mix(ways),
                       .ways = ways});
    }
  }
}

void EvictedSignal::settle(SimTime now, const SpotLives& lives) {
  for (; !open_.empty() && open_.front().due <= now; open_.pop_front()) {
    const Case& one = open_.front();
    const SpotLife& life = lives.all()[one.life];
    const bool happened = life.is_evicted_before(one.due);
    if (one.fold) score_.add(*one.fold, one.forecast, one.ways.front(), happened);
    mix_.learn(one.ways, happened);
    cases_.add(one.bins, happened);
    base_rate_.add(life.pool, happened);
  }
}

}  // namespace cospot
