// The bids of the study `broker`. A new one is its class, and its row here.
#include "sim_harness/customer/broker/bid_strategy.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cospot {
namespace {

const MinimumBid kMinimum;
const MeanBid kMean;
const OnDemandBid kOnDemand;
const HighBid kHigh;
const CurrentBid kCurrent;

const std::array kBidStrategies{
    BidStrategyEntry{"minimum", "The lowest price of the last week, and 0.001 more.", &kMinimum},
    BidStrategyEntry{"mean", "The mean of the prices of the last week.", &kMean},
    BidStrategyEntry{"on_demand", "The list price of an on-demand instance.", &kOnDemand},
    BidStrategyEntry{"high", "100 USD: more than any price.", &kHigh},
    BidStrategyEntry{"current", "The price of now, and 0.001 more.", &kCurrent}};

}  // namespace

std::span<const BidStrategyEntry> bid_strategies() { return kBidStrategies; }

BidCheck check_bid(MicroUsd bid, MicroUsd price, Seconds urgency, Seconds now) {
  if (urgency > 0) {
    return {.bid = bid, .starts_now = bid > price, .check_again = now + urgency};
  }
  return {.bid = bid > price ? bid : price + kBidStep, .starts_now = true, .check_again = kNoTime};
}

Seconds urgency(Seconds deadline, Seconds now, double alpha, Seconds expected, Seconds boot) {
  const double needs = alpha * static_cast<double>(expected) + static_cast<double>(boot);
  return std::max<Seconds>(
      0, static_cast<Seconds>(std::floor(static_cast<double>(deadline - now) - needs)));
}

}  // namespace cospot
