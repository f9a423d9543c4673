#pragma once

#include <cstdint>

#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"
#include "core/policy/forecasts.hpp"
#include "sim_harness/provider/run/run_observer.hpp"

namespace cospot {

/// How often values were estimated anew, and how long that took.
struct ForecastRefreshes {
  std::uint64_t count = 0;
  double longest_ms = 0;
};

/// Owns the forecasts of one run (core/policy/forecasts.hpp): sees what has happened so far, and
/// refreshes the values at its own times. One owner an engine; it outlives the engine's runs.
class ForecastOwner : public InstanceObserver {
 public:
  /// When the values are to be refreshed next: kNever, or later than the last time.
  [[nodiscard]] virtual SimTime next_refresh() const = 0;

  /// Refreshes the values at next_refresh(), from what was seen before it. Events of that very time
  /// come later. Called when an event at or after that time is due.
  virtual void refresh() = 0;

  /// The values in force, for every request until the next refresh. Stays where it is.
  [[nodiscard]] virtual const Forecasts& forecasts() const = 0;

  /// The lifetime that a spot asks for, which will in truth end at `end` (kNever: unknown);
  /// 0: it asks for nothing.
  [[nodiscard]] virtual SimTime asked_lifetime(const Request& /*spot*/, SimTime /*end*/) const {
    return SimTime{0};
  }

  /// Until when a spot is promised to live that asks for request.asked_lifetime and gets a host.
  [[nodiscard]] virtual SimTime promised_until(const Request& /*spot*/) const {
    return kNoPromisedEnd;
  }

  [[nodiscard]] virtual ForecastRefreshes refreshes() const { return {}; }
};

}  // namespace cospot
