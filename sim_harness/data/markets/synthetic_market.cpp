#include "sim_harness/data/markets/synthetic_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.hpp"

namespace cospot {
namespace {

constexpr double kDaySeconds = 86'400;

/// Something that happens at times drawn with a mean interval and lasts a while.
struct Rise {
  double begin = 0, end = 0, level = 0;  ///< of on-demand
};

/// Rises to [low, high] of on-demand that last up to `longest` seconds.
std::vector<Rise> draw_rises(Random& random, double mean_interval, double longest, double low,
                             double high, double end) {
  std::vector<Rise> rises;
  if (!(mean_interval < end)) return rises;
  for (double at = random.exponential(1 / mean_interval); at < end;) {
    const double lasts = 300 + random.uniform() * (longest - 300);
    rises.push_back({at, at + lasts, low + random.uniform() * (high - low)});
    at += lasts + random.exponential(1 / mean_interval);
  }
  return rises;
}

/// A mean-reverting process with variance 1, a value every change interval.
std::vector<double> draw_wave(Random& random, std::size_t count) {
  constexpr double kKeeps = 0.8;
  std::vector<double> wave(count);
  double value = random.normal();
  for (double& each : wave) {
    value = kKeeps * value + std::sqrt(1 - kKeeps * kKeeps) * random.normal();
    each = value;
  }
  return wave;
}

class Prices {
 public:
  Prices(const SyntheticMarket& market, MicroUsd on_demand, std::uint64_t seed)
      : market_(market), on_demand_(static_cast<double>(on_demand)), random_(seed) {}

  /// `together`: the wave that all zones of the type share.
  PriceSeries draw(const std::vector<double>& together) {
    const double end = market_.days * kDaySeconds;
    const std::vector<double> own = draw_wave(random_, together.size());
    const std::vector<Rise> spikes =
        draw_rises(random_, 100 * kDaySeconds / std::max(market_.spikes_per_100_days, 1e-9), 8400,
                   1.0, 1.17, end);
    const std::vector<Rise> rises =
        draw_rises(random_, kDaySeconds / std::max(market_.rises_per_day, 1e-9), 7200,
                   market_.floor + market_.band, 0.8, end);
    std::vector<std::pair<double, double>> levels;  // time, share of on-demand
    double regime = 1, regime_end = 0, at = 0;
    std::size_t i = 0;
    while (at < end) {
      if (at >= regime_end) {
        regime = 1 + market_.regime_swing * (2 * random_.uniform() - 1);
        regime_end = at + kDaySeconds * random_.exponential(1 / market_.regime_days);
      }
      const double share = std::sqrt(market_.correlation) * together[i % together.size()] +
                           std::sqrt(1 - market_.correlation) * own[i % own.size()];
      const double in_band = std::clamp(0.5 + 0.25 * share, 0.0, 1.0);
      levels.emplace_back(at, market_.floor * regime + market_.band * in_band);
      at += 60 * market_.change_minutes * (0.5 + random_.uniform());
      ++i;
    }
    return series_of(levels, rises, spikes);
  }

 private:
  /// The prices at every time at which something begins or ends.
  PriceSeries series_of(const std::vector<std::pair<double, double>>& levels,
                        const std::vector<Rise>& rises, const std::vector<Rise>& spikes) const {
    std::vector<double> times;
    for (const auto& [time, level] : levels) times.push_back(time);
    for (const std::vector<Rise>* all : {&rises, &spikes}) {
      for (const Rise& rise : *all) times.insert(times.end(), {rise.begin, rise.end});
    }
    std::sort(times.begin(), times.end());
    std::vector<PriceChange> changes;
    std::size_t level = 0, rise = 0, spike = 0;
    for (const double time : times) {
      while (level + 1 < levels.size() && levels[level + 1].first <= time) ++level;
      while (rise < rises.size() && rises[rise].end <= time) ++rise;
      while (spike < spikes.size() && spikes[spike].end <= time) ++spike;
      double share = levels[level].second;
      if (rise < rises.size() && rises[rise].begin <= time)
        share = std::max(share, rises[rise].level);
      if (spike < spikes.size() && spikes[spike].begin <= time) share = spikes[spike].level;
      const auto second = static_cast<Seconds>(time);
      const MicroUsd price =
          std::max<MicroUsd>(1, std::llround(share * on_demand_ / 1000.0)) * kBidStep;
      if (!changes.empty() && changes.back().time == second) changes.pop_back();
      if (changes.empty() || changes.back().price != price) changes.push_back({second, price});
    }
    return PriceSeries(std::move(changes));
  }

  SyntheticMarket market_;
  double on_demand_;
  Random random_;
};

}  // namespace

MarketSet make_markets(const SyntheticMarket& market, const std::vector<InstanceType>& types) {
  MarketSet set;
  for (std::size_t type = 0; type < types.size(); ++type) {
    // Every type and market has draws of its own, so that another zone changes no other.
    const std::uint64_t seed = market.seed * 1'000'003 + type * 1009;
    Random random(seed);
    const auto changes = static_cast<std::size_t>(market.days * 1440 / market.change_minutes) + 1;
    const std::vector<double> together = draw_wave(random, changes);
    for (std::int32_t zone = 0; zone < market.zones; ++zone) {
      Prices prices(market, types[type].on_demand_price,
                    seed + 1 + static_cast<std::uint64_t>(zone));
      set.add(types[type], "Linux/UNIX", fmt::format("us-east-1{}", static_cast<char>('a' + zone)),
              prices.draw(together));
    }
  }
  return set;
}

PriceSeries prices_of(const AvailabilityTrace& trace, MicroUsd price) {
  std::vector<PriceChange> changes;
  for (std::size_t i = 0; i < trace.capacity.size(); ++i) {
    const MicroUsd now = trace.capacity[i] > 0 ? price : kNoCapacityPrice;
    const Seconds time =
        std::chrono::duration_cast<std::chrono::seconds>(trace.tick * static_cast<std::int64_t>(i))
            .count();
    if (changes.empty() || changes.back().price != now) changes.push_back({time, now});
  }
  return PriceSeries(std::move(changes),
                     std::chrono::duration_cast<std::chrono::seconds>(trace.length()).count());
}

}  // namespace cospot
