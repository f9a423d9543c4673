#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

#include "sim_harness/data/markets/market.hpp"

namespace cospot {

/// The length of price history that a bid considers: one week.
inline constexpr Seconds kBidWindow = Seconds{7} * 24 * kHour;

/// The maximum bid per hour for an instance in a market. A const object without state.
///
/// Source: Voorsluys and Buyya, "Reliable Provisioning of Spot Instances", 2012, Table I.
class BidStrategy {
 public:
  BidStrategy() = default;
  BidStrategy(const BidStrategy&) = delete;
  BidStrategy& operator=(const BidStrategy&) = delete;
  virtual ~BidStrategy() = default;

  [[nodiscard]] virtual MicroUsd bid(const PriceSeries& prices, const InstanceType& type,
                                     Seconds now) const = 0;
};

/// One step above the lowest price of the last week.
class MinimumBid final : public BidStrategy {
 public:
  [[nodiscard]] MicroUsd bid(const PriceSeries& prices, const InstanceType& /*type*/,
                             Seconds now) const override {
    return std::min(prices.lowest(now - kBidWindow, now) + kBidStep, kNoCapacityPrice);
  }
};

/// The unweighted mean of the prices of the last week.
class MeanBid final : public BidStrategy {
 public:
  [[nodiscard]] MicroUsd bid(const PriceSeries& prices, const InstanceType& /*type*/,
                             Seconds now) const override {
    return prices.mean_of_values(now - kBidWindow, now);
  }
};

/// The list price of an on-demand instance.
class OnDemandBid final : public BidStrategy {
 public:
  [[nodiscard]] MicroUsd bid(const PriceSeries& /*prices*/, const InstanceType& type,
                             Seconds /*now*/) const override {
    return type.on_demand_price;
  }
};

/// 100 USD: more than any price.
class HighBid final : public BidStrategy {
 public:
  [[nodiscard]] MicroUsd bid(const PriceSeries& /*prices*/, const InstanceType& /*type*/,
                             Seconds /*now*/) const override {
    return 100 * kUsd;
  }
};

/// One step above the current price; without capacity, above the last price.
class CurrentBid final : public BidStrategy {
 public:
  [[nodiscard]] MicroUsd bid(const PriceSeries& prices, const InstanceType& /*type*/,
                             Seconds now) const override {
    return prices.charged_at(now) + kBidStep;
  }
};

/// The broker's bid in a market. Where only capacity ends instances, all strategies are the same:
/// above every price.
[[nodiscard]] inline MicroUsd bid_in(const Market& market, const BidStrategy& strategy,
                                     const InstanceType& type, Seconds now) {
  return market.takes_bids ? strategy.bid(market.prices, type, now) : kNoCapacityPrice;
}

struct BidStrategyEntry {
  std::string_view name;
  std::string_view summary;
  const BidStrategy* strategy;
};

[[nodiscard]] std::span<const BidStrategyEntry> bid_strategies();

/// Algorithm 1 of the paper: how to proceed with a bid when the job can wait `urgency` seconds
/// more.
struct BidCheck {
  MicroUsd bid = 0;
  bool starts_now = false;  ///< the bid is above the price
  Seconds check_again = 0;  ///< when to check again; kNoTime: never
};

[[nodiscard]] BidCheck check_bid(MicroUsd bid, MicroUsd price, Seconds urgency, Seconds now);

/// U = max(0, D - T - (alpha e + B)): the time for which a job can still wait for an instance.
[[nodiscard]] Seconds urgency(Seconds deadline, Seconds now, double alpha, Seconds expected,
                              Seconds boot);

}  // namespace cospot
