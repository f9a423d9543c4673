#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"
#include "sim_harness/data/markets/provider_signals.hpp"

namespace cospot {

/// Ages of a spell, a time with capacity or without, are told apart in classes: up to 15 minutes,
/// 1 h, 4 h, 16 h, and more.
inline constexpr std::size_t kAgeClasses = kSignalAges;

/// Hours up to which ages belong to each class but the last.
inline constexpr std::array<double, kAgeClasses - 1> kAgeEnds = kSignalAgeEnds;

[[nodiscard]] std::size_t age_class(double hours);

/// How often spells end, an hour: by whether there is capacity, then by the class of their age.
using SpellRates = std::array<std::array<double, kAgeClasses>, 2>;

/// What was seen of the spells of a trace, and at which rates they may be expected to end.
///
/// Spells of recorded capacity are not without memory: the longer one has lasted, the less often it
/// ends. So each class of ages has a rate, which is estimated in three steps:
///
/// 1. Assumed, before anything was seen, are the rates of `kAssumedRates`.
/// 2. All classes of the spells with capacity are multiplied by one factor, as the trace's spells
///    are shorter or longer than assumed on the whole; so are those without. It is the ends seen by
///    the ends assumed for the hours seen, with `kEndsForScale` ends as assumed added to both.
/// 3. A class gets the ends by the hours seen in it, with `kEndsForClass` ends added that came at
///    its scaled rate.
///
/// What was seen `kMemory` ago counts for 1/e of what is seen now.
class SpellHistory {
 public:
  static constexpr std::array<double, kAgeClasses> kAssumedRates{1.6, 0.9, 0.35, 0.17, 0.055};
  static constexpr double kEndsForScale = 4;
  static constexpr double kEndsForClass = 15;
  static constexpr SimTime kMemory = std::chrono::hours(72);

  /// Nothing was seen yet.
  explicit SpellHistory(SimTime tick);
  /// The mean times are known, and nothing is learnt: spells end at the same rate at any age.
  SpellHistory(SimTime tick, const CapacityQuote& quote);
  /// The rates are told, and nothing is learnt.
  SpellHistory(SimTime tick, const SpellRates& told);

  /// Takes the next tick in.
  void add(bool up);
  /// The next tick begins another spell, whatever it is: the last one did not end there.
  void begin_spell() { up_.reset(); }

  [[nodiscard]] SpellRates rates() const;
  /// How long the spell of the last tick had lasted when that tick began.
  [[nodiscard]] double age_hours() const { return age_hours_; }
  /// Whether rates() may change.
  [[nodiscard]] bool learns() const { return !told_; }

 private:
  double tick_hours_ = 0;
  double kept_ = 0;  ///< the weight after a tick of what was seen before it
  std::optional<SpellRates> told_;
  std::optional<bool> up_;  ///< none: no tick was seen
  double age_hours_ = 0;
  SpellRates hours_{}, ends_{};  ///< seen in each class
};

/// What the ticks of a trace before `end` show; if rates are told, only the age of its spell.
[[nodiscard]] SpellHistory spells_before(const AvailabilityTrace& trace, std::size_t end,
                                         const std::optional<SpellRates>& told = std::nullopt);

}  // namespace cospot
