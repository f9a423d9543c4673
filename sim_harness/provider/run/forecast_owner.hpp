#pragma once

#include <cstdint>

#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"
#include "core/policy/forecasts.hpp"
#include "sim_harness/provider/run/run_observer.hpp"

namespace cospot {

/// The number of refreshes and the time they took.
struct ForecastRefreshes {
  std::uint64_t count = 0;
  double longest_ms = 0;
};

/// Owns the forecasts of one run (core/policy/forecasts.hpp): observes events and refreshes the
/// values at its own times. Each engine has its own owner, which outlives the engine's runs.
class ForecastOwner : public InstanceObserver {
 public:
  /// The time of the next refresh: kNever, or later than the last one.
  [[nodiscard]] virtual SimTime next_refresh() const = 0;

  /// Refreshes the values at next_refresh() from earlier observations; events at that exact time
  /// come later. Called when an event at or after that time is due.
  virtual void refresh() = 0;

  /// The current values, for every request until the next refresh. The reference stays valid.
  [[nodiscard]] virtual const Forecasts& forecasts() const = 0;

  /// The lifetime that a spot asks for if its true end is `end` (kNever: unknown); 0: it does not
  /// ask.
  [[nodiscard]] virtual SimTime asked_lifetime(const Request& /*spot*/, SimTime /*end*/) const {
    return SimTime{0};
  }

  /// The time until which a spot that asks for request.asked_lifetime and gets a host is promised
  /// to live.
  [[nodiscard]] virtual SimTime promised_until(const Request& /*spot*/) const {
    return kNoPromisedEnd;
  }

  [[nodiscard]] virtual ForecastRefreshes refreshes() const { return {}; }
};

}  // namespace cospot
