#include "sim_harness/customer/deadline/spell_history.hpp"

#include <algorithm>
#include <chrono>

#include "core/portable_math.hpp"

namespace cospot {
std::size_t age_class(double hours) {
  // An age is a sum of ticks, whose rounding must not decide.
  constexpr double kRounding = 1e-9;
  return static_cast<std::size_t>(
      std::ranges::count_if(kAgeEnds, [hours](double end) { return hours >= end - kRounding; }));
}

SpellHistory::SpellHistory(SimTime tick)
    : tick_hours_(hours_of(tick)), kept_(portable_exp(-tick_hours_ / hours_of(kMemory))) {}

SpellHistory::SpellHistory(SimTime tick, const CapacityQuote& quote) : SpellHistory(tick) {
  SpellRates& rates = given_.emplace();
  // No spell is shorter than a tick.
  rates[0].fill(1 / std::max(quote.down_hours, tick_hours_ / 2));
  rates[1].fill(1 / std::max(quote.up_hours, tick_hours_ / 2));
}

void SpellHistory::add_price(bool up, double price) {
  for (double& value : prices_) value *= kept_;
  if (up) prices_ = {prices_[0] + 1, prices_[1] + price};
}

void SpellHistory::add(bool up, double price) {
  add_price(up, price);
  if (up_ && !given_) {
    for (SpellRates* seen : {&hours_, &ends_}) {
      for (auto& classes : *seen) {
        for (double& value : classes) value *= kept_;
      }
    }
    const std::size_t age = age_class(age_hours_);
    hours_[*up_ ? 1 : 0][age] += tick_hours_;
    if (up != *up_) ++ends_[*up_ ? 1 : 0][age];
  }
  age_hours_ = up_ == up ? age_hours_ + tick_hours_ : 0;
  up_ = up;
}

SpellRates SpellHistory::rates() const {
  if (given_) return *given_;
  SpellRates rates{};
  for (std::size_t up = 0; up < 2; ++up) {
    double seen = kEndsForScale, assumed = kEndsForScale;
    for (std::size_t age = 0; age < kAgeClasses; ++age) {
      seen += ends_[up][age];
      assumed += hours_[up][age] * kAssumedRates[age];
    }
    for (std::size_t age = 0; age < kAgeClasses; ++age) {
      const double scaled = kAssumedRates[age] * seen / assumed;
      rates[up][age] =
          (ends_[up][age] + kEndsForClass) / (hours_[up][age] + kEndsForClass / scaled);
    }
  }
  return rates;
}

SpellHistory spells_before(const AvailabilityTrace& trace, std::size_t end,
                           const std::optional<CapacityQuote>& quote) {
  SpellHistory history = quote ? SpellHistory(trace.tick, *quote) : SpellHistory(trace.tick);
  for (std::size_t i = 0; i < std::min(end, trace.capacity.size()); ++i) {
    const double price = trace.prices.empty() ? 0 : trace.prices[i];
    quote ? history.add_price(trace.capacity[i] > 0, price)
          : history.add(trace.capacity[i] > 0, price);
  }
  return history;
}

}  // namespace cospot
