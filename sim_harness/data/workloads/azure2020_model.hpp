#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"

namespace cospot {

/// Tables of a fitted zone (azure2020.json): plain numbers, used only with comparisons and + - * /,
/// so that every machine generates the same workload. scripts/fit_azure2020.py creates and
/// documents them.
namespace zone_model {

/// The end of the cumulative weights of every choice below.
inline constexpr std::uint32_t kTotalWeight = std::uint32_t{1} << 20;

/// A point of a piecewise linear distribution: `share` of all values are at most `value`.
struct Knot {
  double share;
  double value;
};

/// A step of the distribution of batch sizes.
struct SizeStep {
  double share;  ///< of the batches that have at most this many requests
  std::uint32_t requests;
};

/// One flavor within a kind, with its lifetimes and batch sizes.
struct Cell {
  std::uint32_t cumulative;
  std::uint16_t flavor;    ///< index in flavors
  std::uint16_t lifetime;  ///< index in lifetimes
  std::uint16_t size;      ///< index in sizes
};

/// Similar batches: one class, one span of starts.
struct Kind {
  std::uint32_t cumulative;
  InstanceClass instance_class;
  std::vector<Knot> starts;  ///< seconds; negative before the window
  std::vector<Cell> cells;
};

/// Tenants with a similar number of batches.
struct TenantGroup {
  std::uint32_t cumulative;  ///< weight of all their batches
  std::uint32_t tenants;     ///< their number in the whole zone
};

/// Quantiles 0, 5, ..., 100 % of a half-width around a rank in [0, 1].
using SpreadTable = std::array<double, 21>;

/// The habits of the tenants of one class.
struct ClassHabits {
  /// Probability that a batch has its tenant's usual flavor, size and lifetimes.
  double follow;
  double early_tenants;  ///< share of the tenants whose batches all start before the window
  double burst_share;    ///< probability that a batch inside the window is part of a burst
  std::uint32_t bursts;  ///< minutes with a burst in each kind
  std::array<std::uint32_t, 60> minutes;  ///< cumulative weight of the minutes of an hour
  std::vector<TenantGroup> tenants;
  SpreadTable small_spread;  ///< of lifetimes within a batch of fewer than 10 requests
  /// Probability of the same lifetime as an earlier request of a large batch.
  double large_repeat;
  SpreadTable large_spread;   ///< of lifetimes within a larger batch
  SpreadTable tenant_spread;  ///< of lifetimes between batches of one tenant
};

}  // namespace zone_model

/// A fitted cloud zone over 14 days.
struct ZoneModel {
  std::uint32_t batches;       ///< in the whole zone
  std::uint32_t watched_days;  ///< later ends are unknown: never
  std::vector<ResourceVector> flavors;
  /// Seconds from max(start, 0); an instance whose rank is past the end never ends.
  std::vector<std::vector<zone_model::Knot>> lifetimes;
  std::vector<std::vector<zone_model::SizeStep>> sizes;
  std::vector<zone_model::Kind> kinds;
  std::array<zone_model::ClassHabits, 2> habits;  ///< by InstanceClass
};

/// The Microsoft Azure zone of the CoSpot workload samples (SoCC'22).
[[nodiscard]] const ZoneModel& azure2020_model();

}  // namespace cospot
