#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim_harness/data/markets/instance_type.hpp"

namespace cospot {

/// A point in time or a duration in whole seconds: what hours are billed by.
using Seconds = std::int64_t;

inline constexpr Seconds kHour = 3600;
inline constexpr Seconds kNoTime = std::numeric_limits<Seconds>::max();

/// Nobody bids as much: there is no capacity.
inline constexpr MicroUsd kNoCapacityPrice = 1'000'000 * kUsd;

struct PriceChange {
  Seconds time = 0;
  MicroUsd price = 0;

  friend bool operator==(const PriceChange&, const PriceChange&) = default;
};

/// The spot price of one market over time: each price holds until the next change, the last one for
/// ever, the first one also before it.
class PriceSeries {
 public:
  /// Expects at least one change, in ascending order of time.
  explicit PriceSeries(std::vector<PriceChange> changes);

  [[nodiscard]] Seconds begin() const { return changes_.front().time; }
  [[nodiscard]] Seconds end() const { return changes_.back().time; }
  [[nodiscard]] const std::vector<PriceChange>& changes() const { return changes_; }

  [[nodiscard]] MicroUsd at(Seconds time) const { return changes_[index(time)].price; }

  /// The first time, not before `from`, at which the price is `bid` or more; kNoTime: never.
  [[nodiscard]] Seconds first_at_or_above(MicroUsd bid, Seconds from) const;
  /// The first time, not before `from`, at which the price is below `bid`; kNoTime: never.
  [[nodiscard]] Seconds first_below(MicroUsd bid, Seconds from) const;

  // Of the prices that held at some time in [from, to].
  [[nodiscard]] MicroUsd lowest(Seconds from, Seconds to) const;
  /// Unweighted mean of the values, rounded down: a price counts once, however long it held. Times
  /// without capacity have none.
  [[nodiscard]] MicroUsd mean_of_values(Seconds from, Seconds to) const;

  /// What an instance that still runs is charged: the price, and without capacity (while it was
  /// given notice) the last one before.
  [[nodiscard]] MicroUsd charged_at(Seconds time) const { return charged_[index(time)]; }

  /// Sum over [from, to) of what is charged x seconds; divided by an hour it is money.
  [[nodiscard]] std::int64_t price_seconds(Seconds from, Seconds to) const;

  /// How often the price rises to `bid` in (from, to], and for how long it is below.
  struct InBid {
    std::int64_t revocations = 0;
    Seconds below = 0;
  };
  [[nodiscard]] InBid in_bid(MicroUsd bid, Seconds from, Seconds to) const;

 private:
  [[nodiscard]] std::size_t index(Seconds time) const;

  std::vector<PriceChange> changes_;
  std::vector<MicroUsd> charged_;                  ///< from each on
  std::vector<std::int64_t> sums_, counts_;        ///< of the prices before each
  std::vector<std::vector<MicroUsd>> low_, high_;  ///< over 2^level prices from each on
};

}  // namespace cospot
