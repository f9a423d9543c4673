#pragma once

#include <memory>
#include <span>

#include "core/model/sim_time.hpp"
#include "core/model/spot_traits.hpp"
#include "core/policy/evictor.hpp"

namespace cospot {

/// Says how much longer spots will live. Const, without state between calls; any thread may ask.
class LifetimePredictor {
 public:
  virtual ~LifetimePredictor() = default;

  /// Writes the expected remaining life of every spot, given that it runs `now` and counting no
  /// life after `until`: from 0 to `until - now`, 0 when that is past. `remaining` has one element
  /// for each spot.
  virtual void predict(std::span<const RunningSpot> spots, SimTime now, SimTime until,
                       std::span<SimTime> remaining) const = 0;

  /// This predictor, knowing the traits of a workload's spots beforehand. nullptr, without a call
  /// of `read_traits`, when it has no use for them.
  [[nodiscard]] virtual std::shared_ptr<const LifetimePredictor> prepared_for(
      const ReadTraits& /*read_traits*/) const {
    return nullptr;
  }
};

/// Knows the true ends, as no real predictor can: LPO goes by it.
class LifetimeOracle final : public LifetimePredictor {
 public:
  void predict(std::span<const RunningSpot> spots, SimTime now, SimTime until,
               std::span<SimTime> remaining) const override {
    for (std::size_t i = 0; i < spots.size(); ++i) {
      const SimTime end = spots[i].ends_at < until ? spots[i].ends_at : until;
      remaining[i] = end > now ? end - now : SimTime(0);
    }
  }
};

}  // namespace cospot
