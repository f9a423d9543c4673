#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/data/markets/age_rates.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"

namespace cospot {

/// The age class (`kAgeEnds`) of a spell, a time with or without capacity.
[[nodiscard]] std::size_t age_class(double hours);

/// Ends of spells per hour, by whether there is capacity, then by age class.
using SpellRates = std::array<std::array<double, kAgeClasses>, 2>;

/// The observed spells of a trace and the rates at which spells are expected to end.
///
/// Spells in recorded traces have memory: the longer one has lasted, the less often it ends. So
/// each age class has its own rate, estimated in three steps:
///
/// 1. Before any observation the rates are `kAssumedRates`.
/// 2. One factor scales all classes of the spells with capacity, and another those without: the
///    observed ends divided by the ends that the assumed rates predict for the observed hours, with
///    `kEndsForScale` assumed ends added to both.
/// 3. The rate of a class is its observed ends per observed hour, with `kEndsForClass` ends at the
///    scaled rate added.
///
/// An observation made `kMemory` ago has 1/e of the weight of a current one.
class SpellHistory {
 public:
  static constexpr std::array<double, kAgeClasses> kAssumedRates{1.6, 0.9, 0.35, 0.17, 0.055};
  static constexpr double kEndsForScale = 4;
  static constexpr double kEndsForClass = 15;
  static constexpr SimTime kMemory = std::chrono::hours(72);

  /// Starts without observations.
  explicit SpellHistory(SimTime tick);
  /// The mean times are known and nothing is learned: spells end at the same rate at any age.
  SpellHistory(SimTime tick, const CapacityQuote& quote);

  /// Adds the next tick, with the price of a spot in it if there is one.
  void add(bool up, double price = 0);
  /// Adds only its price.
  void add_price(bool up, double price);

  [[nodiscard]] SpellRates rates() const;
  /// The mean price over the ticks with capacity; none: there was none. Weighted as the rest, also
  /// where the rates are known.
  [[nodiscard]] std::optional<double> mean_price() const {
    return prices_[0] > 0 ? std::optional(prices_[1] / prices_[0]) : std::nullopt;
  }
  /// The age of the last tick's spell when that tick began.
  [[nodiscard]] double age_hours() const { return age_hours_; }
  /// True if rates() may change.
  [[nodiscard]] bool learns() const { return !given_; }

 private:
  double tick_hours_ = 0;
  double kept_ = 0;  ///< weight of earlier observations after one more tick
  std::optional<SpellRates> given_;
  std::optional<bool> up_;  ///< none: no tick yet
  double age_hours_ = 0;
  SpellRates hours_{}, ends_{};     ///< observed in each class
  std::array<double, 2> prices_{};  ///< ticks with capacity, and the sum of their prices
};

/// The history of a trace before `end`; with a quote, only that of its prices.
[[nodiscard]] SpellHistory spells_before(const AvailabilityTrace& trace, std::size_t end,
                                         const std::optional<CapacityQuote>& quote = {});

}  // namespace cospot
