// The choices of a market of the study `broker`. A new one is its class, and its row here.
#include "sim_harness/customer/broker/market_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/portable_math.hpp"
#include "sim_harness/customer/broker/broker_job.hpp"
#include "sim_harness/customer/broker/fault_tolerance.hpp"

namespace cospot {
namespace {

const Market& market_at(const MarketQuestion& question, std::uint32_t market) {
  return question.markets->markets[market];
}

/// The cost of the hours at the present price, or on-demand.
double cost_of(const MarketQuestion& question, std::uint32_t market, double seconds) {
  const double hours = std::ceil((seconds + static_cast<double>(question.boot)) / 3600.0);
  const Market& one = market_at(question, market);
  return hours * static_cast<double>(question.on_demand
                                         ? question.markets->types[one.type].on_demand_price
                                         : one.prices.at(question.now));
}

double expected_time(const MarketQuestion& question, std::uint32_t market) {
  return static_cast<double>(question.expected[market_at(question, market).type]);
}

bool fits(const MarketQuestion& question, std::uint32_t market) {
  return question.expected[market_at(question, market).type] < kDoesNotFit;
}

const PreferredType kPreferred;
const CheapestHours kCheapest;
const QuotedLifetime kLifetime;
const Diversified kDiversified;

/// The lifetime that the last week shows for the bid.
Seconds lifetime_seen(const MarketQuestion& question, const Market& one) {
  const MicroUsd bid = bid_in(one, *question.bid, question.markets->types[one.type], question.now);
  return observed_lifetime(one.prices, std::max(bid, one.prices.at(question.now) + kBidStep),
                           question.now);
}

/// The cost of a job that starts again from the beginning after every failure.
double cost_with_failures(const MarketQuestion& question, std::uint32_t market, Seconds lifetime) {
  const auto mean = static_cast<double>(lifetime);
  const double time = expected_time(question, market);
  return cost_of(question, market, mean * (portable_exp(std::min(time / mean, 50.0)) - 1));
}

const std::array kMarketChoices{
    MarketChoiceEntry{"preferred", "The preferred type, in the cheapest datacenter.", &kPreferred},
    MarketChoiceEntry{"cheapest", "Where the expected hours cost least.", &kCheapest},
    MarketChoiceEntry{"lifetime", "The same, with the work that will be lost.", &kLifetime},
    MarketChoiceEntry{"diversified", "Nearly the cheapest, where we have fewest leases.",
                      &kDiversified}};

}  // namespace

std::uint32_t MarketChoice::choose(const MarketQuestion& question) const {
  std::uint32_t best = kNoMarket;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < question.markets->markets.size(); ++i) {
    if (i == question.avoid || !fits(question, i)) continue;
    const double now = value(question, i);
    if (best != kNoMarket && now >= least) continue;
    best = i;
    least = now;
  }
  return best;
}

double PreferredType::value(const MarketQuestion& question, std::uint32_t market) const {
  constexpr double kOtherType = 1e18;  // beyond every price
  const Market& one = market_at(question, market);
  const auto price = static_cast<double>(one.prices.at(question.now));
  return one.type == question.preferred_type ? price : kOtherType + price;
}

double CheapestHours::value(const MarketQuestion& question, std::uint32_t market) const {
  return cost_of(question, market, expected_time(question, market));
}

double QuotedLifetime::value(const MarketQuestion& question, std::uint32_t market) const {
  return cost_with_failures(question, market, lifetime_seen(question, market_at(question, market)));
}

double Diversified::value(const MarketQuestion& question, std::uint32_t market) const {
  double cheapest = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < question.markets->markets.size(); ++i) {
    if (i != question.avoid && fits(question, i)) {
      cheapest = std::min(cheapest, cost_of(question, i, expected_time(question, i)));
    }
  }
  const double cost = cost_of(question, market, expected_time(question, market));
  if (cost > 1.1 * cheapest) return 1e18 + cost;
  return question.leases[market];
}

std::span<const MarketChoiceEntry> market_choices() { return kMarketChoices; }

}  // namespace cospot
