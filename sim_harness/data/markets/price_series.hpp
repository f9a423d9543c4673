#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim_harness/data/markets/instance_type.hpp"

namespace cospot {

/// A point in time or a duration in whole seconds, the resolution of hourly billing.
using Seconds = std::int64_t;

inline constexpr Seconds kHour = 3600;
inline constexpr Seconds kNoTime = std::numeric_limits<Seconds>::max();

/// A price above every bid: there is no capacity.
inline constexpr MicroUsd kNoCapacityPrice = 1'000'000 * kUsd;

struct PriceChange {
  Seconds time = 0;
  MicroUsd price = 0;

  friend bool operator==(const PriceChange&, const PriceChange&) = default;
};

/// The spot price of one market over time. Each price holds until the next change, the last one for
/// ever; the first one also holds before it.
class PriceSeries {
 public:
  /// Expects at least one change, in ascending order of time. The prices are known until `end`, if
  /// that is after the last change.
  explicit PriceSeries(std::vector<PriceChange> changes,
                       Seconds end = std::numeric_limits<Seconds>::min());

  [[nodiscard]] Seconds begin() const { return changes_.front().time; }
  [[nodiscard]] Seconds end() const { return end_; }
  [[nodiscard]] const std::vector<PriceChange>& changes() const { return changes_; }

  [[nodiscard]] MicroUsd at(Seconds time) const { return changes_[index(time)].price; }

  /// The first time, not before `from`, at which the price is `bid` or more; kNoTime: never.
  [[nodiscard]] Seconds first_at_or_above(MicroUsd bid, Seconds from) const;
  /// The first time, not before `from`, at which the price is below `bid`; kNoTime: never.
  [[nodiscard]] Seconds first_below(MicroUsd bid, Seconds from) const;

  // Over the prices that hold at some time in [from, to].
  [[nodiscard]] MicroUsd lowest(Seconds from, Seconds to) const;
  /// Unweighted mean of the values, rounded down: a price counts once, however long it holds. Times
  /// without capacity do not count.
  [[nodiscard]] MicroUsd mean_of_values(Seconds from, Seconds to) const;

  /// The price charged to a running instance: the current price, or without capacity (during its
  /// notice) the last one before.
  [[nodiscard]] MicroUsd charged_at(Seconds time) const { return charged_[index(time)]; }

  /// Integral of the charged price over [from, to) in price x seconds; divided by an hour it is
  /// money.
  [[nodiscard]] std::int64_t price_seconds(Seconds from, Seconds to) const;

  /// The number of times the price rises to `bid` in (from, to], and how long it is below.
  struct InBid {
    std::int64_t revocations = 0;
    Seconds below = 0;
  };
  [[nodiscard]] InBid in_bid(MicroUsd bid, Seconds from, Seconds to) const;

 private:
  [[nodiscard]] std::size_t index(Seconds time) const;

  std::vector<PriceChange> changes_;
  Seconds end_;
  std::vector<MicroUsd> charged_;                  ///< for each change
  std::vector<std::int64_t> sums_, counts_;        ///< over the prices before each change
  std::vector<std::vector<MicroUsd>> low_, high_;  ///< over 2^level prices, starting at each change
};

}  // namespace cospot
