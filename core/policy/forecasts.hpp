#pragma once

namespace cospot {

class HostRevocations;
class LifetimeQuantiles;
struct EconomyPromise;

/// The present forecasts: values that change with time, which the policies, const and without
/// state, find in the request (Request::forecasts). A null pointer: no such forecast was made.
///
/// Whoever runs the policies owns the values: in a simulation a ForecastOwner
/// (sim_harness/provider/run/forecast_owner.hpp), which refreshes them at its own times; in Nova
/// the mirror of the hosts. A new kind of forecast is a pointer here to a type of guarantees/,
/// which only its owner and its policies need to know.
struct Forecasts {
  /// The least lifetimes of spots, by the number that would still fit (guarantees/sla/).
  const LifetimeQuantiles* lifetimes = nullptr;
  /// The amount promised to the Economy class, and the part in use (guarantees/economy/).
  const EconomyPromise* economy = nullptr;
  /// The eviction rates of spots by host (guarantees/pricing/).
  const HostRevocations* revocations = nullptr;
};

}  // namespace cospot
