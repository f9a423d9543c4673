#pragma once

namespace cospot {

class HostRevocations;
class LifetimeQuantiles;
struct EconomyPromise;

/// What is forecast now: values that change with time, which the policies, const and without state,
/// find in the request (Request::forecasts). A null pointer: no such forecast was made.
///
/// Whoever runs the policies owns the values: in a simulation a ForecastOwner
/// (sim_harness/provider/run/forecast_owner.hpp), which refreshes them at its own times; in Nova
/// the mirror of the hosts. A new kind of forecast is a pointer here to a type of guarantees/,
/// which only its owner and its policies need to know.
struct Forecasts {
  /// How long spots live at least, by how many more would fit (guarantees/sla/).
  const LifetimeQuantiles* lifetimes = nullptr;
  /// How much is promised to the Economy class, and how much of it is taken (guarantees/economy/).
  const EconomyPromise* economy = nullptr;
  /// How often spots are evicted on each host (guarantees/pricing/).
  const HostRevocations* revocations = nullptr;
};

}  // namespace cospot
