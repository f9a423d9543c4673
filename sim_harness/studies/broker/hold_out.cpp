#include "sim_harness/studies/broker/hold_out.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim_harness/studies/broker/broker_run_at.hpp"

namespace cospot {
namespace {

double days_of(Seconds time) { return static_cast<double>(time) / 86'400; }

/// The longest time that one of the jobs takes on the type that it prefers, over all seeds.
Seconds longest_run(const BrokerStudySettings& settings, const BrokerInputs& inputs) {
  const std::vector<InstanceType>& types = inputs.markets.front().types;
  std::vector<Seconds> takes(types.size());
  Seconds longest = 0;
  for (const std::int64_t seed : settings.seeds) {
    for (const BrokerJob& job : *jobs_at(settings, inputs, 0, seed)) {
      std::ranges::transform(types, takes.begin(), [&job](const InstanceType& type) {
        return time_on(type, job.work, job);
      });
      longest = std::max(longest, takes[preferred_type(types, job, takes)]);
    }
  }
  return longest;
}

/// The prices until `end`, then those since `begin` again.
PriceSeries part_of(const PriceSeries& prices, Seconds begin, Seconds end) {
  std::vector<PriceChange> changes = prices.changes();
  std::erase_if(changes, [end](const PriceChange& one) { return one.time >= end; });
  const std::size_t known = changes.size();
  changes.push_back({end, prices.at(begin)});
  for (std::size_t i = 0; i < known; ++i) {
    if (changes[i].time <= begin) continue;
    changes.push_back({changes[i].time - begin + end, changes[i].price});
  }
  return PriceSeries(std::move(changes));
}

/// The inputs whose runs lie between `begin` and `end`.
BrokerInputs part_of(const BrokerInputs& inputs, Seconds begin, Seconds end, StartRange starts) {
  BrokerInputs part = inputs;
  for (Market& market : part.markets.front().markets) {
    market.prices = part_of(market.prices, begin, end);
  }
  part.starts = starts;
  return part;
}

}  // namespace

HistoryParts split_history(const BrokerStudySettings& settings, const BrokerInputs& inputs,
                           double percent) {
  HistoryParts parts{.choosing = inputs, .held_out = std::nullopt};
  if (percent <= 0) return parts;
  const MarketSet& markets = inputs.markets.front();
  const Seconds begin = markets.begin(), end = markets.end();
  const Seconds split =
      end - static_cast<Seconds>(static_cast<double>(end - begin) * percent / 100);
  const Seconds runs = seconds_of_days(inputs.jobs.front().days) + longest_run(settings, inputs);
  const Seconds needed = std::max(kBidWindow, runs);
  if (split - begin < kBidWindow + needed || end - split < needed) {
    parts.too_short = fmt::format(
        "nothing is held out, so the expectation is that of the days that chose the setting: of "
        "{:.1f} days of price history, --hold-out {:g} leaves {:.1f} to choose and {:.1f} to hold "
        "out, expected at least {:.1f} and {:.1f} for these jobs and their run times",
        days_of(end - begin), percent, days_of(split - begin), days_of(end - split),
        days_of(kBidWindow + needed), days_of(needed));
    return parts;
  }
  const Seconds first = begin + kBidWindow;
  parts.choosing = part_of(inputs, begin, split, {first, split - runs - first});
  parts.held_out = part_of(inputs, split, end, {split, end - runs - split});
  parts.choosing_days = days_of(split - begin);
  parts.held_out_days = days_of(end - split);
  return parts;
}

}  // namespace cospot
