#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/running_spot.hpp"
#include "core/model/sim_time.hpp"
#include "core/model/spot_traits.hpp"

namespace cospot {

/// The question to an evictor: the victims among `spots` that free `shortfall`.
struct EvictionCase {
  std::span<const RunningSpot> spots;  ///< of one host, oldest placement first
  ResourceVector shortfall;            ///< amounts still missing; an amount <= 0 is not scarce
  SimTime now{0};
};

/// The victims an evictor chose on one host, and what they cost.
struct EvictionPlan {
  std::vector<std::uint32_t> victims;  ///< positions in EvictionCase::spots, ascending
  double score = 0;                    ///< the least is best; its unit is the evictor's own
};

inline constexpr double kNoScoreLimit = std::numeric_limits<double>::infinity();

/// Chooses the spots a VM displaces. Const, without state between calls; never mutates a host.
class Evictor {
 public:
  virtual ~Evictor() = default;

  /// Writes the victims and their score to `plan`, whose old content is dropped.
  ///
  /// The victims' resources cover every positive amount of the shortfall; a case without shortfall
  /// gets no victims and score 0. Returns false, leaving `plan` unspecified, when no set of spots
  /// covers the shortfall, or when the evictor can tell that its score would not be less than
  /// `score_limit` (an evictor may ignore the limit; it exists so that a search can stop early).
  virtual bool make_plan(const EvictionCase& eviction, double score_limit,
                         EvictionPlan& plan) const = 0;

  /// Tells that no plan with a victim scores 0 or less, so that a host which needs no eviction
  /// always beats one that does. The handshake may then skip hosts that cannot win.
  [[nodiscard]] virtual bool victims_have_positive_cost() const { return false; }

  /// Until this time the evictor plans exactly as FIFO does; runs that differ only in the evictor
  /// may be simulated once until then. The start of time (SimTime::min()) promises nothing.
  [[nodiscard]] virtual SimTime follows_fifo_until() const { return SimTime::min(); }

  /// This evictor, knowing the traits of a workload's spots, by which it plans evictions among
  /// them (RunningSpot::instance). nullptr, without a call of `read_traits`, when it has no use for
  /// them.
  [[nodiscard]] virtual std::unique_ptr<const Evictor> prepared_for(
      const ReadTraits& /*read_traits*/) const {
    return nullptr;
  }
};

}  // namespace cospot
