#include "sim_harness/provider/signals/obtainable_signal.hpp"

namespace cospot {
namespace {

constexpr SimTime kNeverBefore = SimTime::min();

constexpr std::array kHoursSinceFit{1. / 6, 1., 6., 24.};
/// The classes of the share of requested spots for which there is capacity.
constexpr std::array kShareThatFits{1e-9, 0.5};

}  // namespace

ObtainableSignal::Bins ObtainableSignal::bins_of(std::size_t pool, const MarketState& state) const {
  const SimTime last = pool < last_fit_.size() ? last_fit_[pool] : kNeverBefore;
  const double hours = last == kNeverBefore ? 1e9 : hours_of(state.now - last);
  const double share = static_cast<double>(state.pools.slots(pool)) / static_cast<double>(count_);
  return {bin_of(hours, kHoursSinceFit), bin_of(share, kShareThatFits),
          static_cast<FeatureBin>(pool), state.hours};
}

double ObtainableSignal::forecast(std::size_t pool, const MarketState& state) const {
  if (state.pools.slots(pool) >= count_) return 1;
  return recalibration_when_full_.recalibrated(
      mix_when_full_.mix(ways_when_full(pool, bins_of(pool, state))));
}

ObtainableSignal::WaysWhenFull ObtainableSignal::ways_when_full(std::size_t pool,
                                                                const Bins& bins) const {
  const double base_rate = base_rate_when_full_.estimate(pool);
  return {base_rate, when_full_cases_.estimate(bins, base_rate, kStrongShrinkWeight),
          when_full_cases_.estimate(bins, base_rate, kShrinkWeight)};
}

void ObtainableSignal::look(const MarketState& state) {
  open_.resize(state.pools.pools().size());
  last_fit_.resize(open_.size(), kNeverBefore);
  for (std::size_t pool = 0; pool < open_.size(); ++pool) {
    const bool fits = state.pools.slots(pool) >= count_;
    const Bins bins = bins_of(pool, state);
    const WaysWhenFull ways = ways_when_full(pool, bins);
    const double mixed = mix_when_full_.mix(ways);
    open_[pool].push_back({.due = state.now + span_,
                           .fold = state.fold,
                           .bins = bins,
                           .forecast = fits ? 1 : recalibration_when_full_.recalibrated(mixed),
                           .reference = base_rate_.estimate(pool),
                           .ways = ways,
                           .mixed = mixed,
                           .fits_now = fits,
                           .happened = fits});
  }
}

void ObtainableSignal::slots_hold(const SpotPools& pools, SimTime from, SimTime until) {
  last_fit_.resize(pools.pools().size(), kNeverBefore);
  for (std::size_t pool = 0; pool < last_fit_.size(); ++pool) {
    if (pools.slots(pool) < count_) continue;
    last_fit_[pool] = until;
    if (pool >= open_.size()) continue;
    for (Case& one : open_[pool]) one.happened = one.happened || from < one.due;
  }
}

void ObtainableSignal::settle(SimTime now) {
  for (std::size_t pool = 0; pool < open_.size(); ++pool) {
    std::deque<Case>& open = open_[pool];
    for (; !open.empty() && open.front().due <= now; open.pop_front()) score(pool, open.front());
  }
}

void ObtainableSignal::score(std::size_t pool, const Case& one) {
  if (one.fold) score_.add(*one.fold, one.forecast, one.reference, one.happened);
  base_rate_.add(pool, one.happened);
  if (one.fits_now) return;
  if (one.fold) when_full_.add(*one.fold, one.forecast, one.ways.front(), one.happened);
  mix_when_full_.learn(one.ways, one.happened);
  recalibration_when_full_.learn(one.mixed, one.happened);
  when_full_cases_.add(one.bins, one.happened);
  base_rate_when_full_.add(pool, one.happened);
}

}  // namespace cospot
