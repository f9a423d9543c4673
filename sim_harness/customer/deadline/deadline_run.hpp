#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// What a job runs on during a tick.
enum class Capacity : std::uint8_t { kNone, kSpot, kOnDemand };

/// One job that must be done by a deadline.
struct DeadlineJob {
  SimTime duration{};          ///< work, on either kind of instance
  SimTime deadline{};          ///< after the start; only whole ticks before it count
  SimTime overhead{};          ///< no work is done for so long after each start of an instance
  double spot_price = 0;       ///< USD an hour
  double on_demand_price = 0;  ///< USD an hour
};

/// A job and the ticks of a trace in which it may run. What is there in a tick is there for all of
/// it and known when it begins: in the tick in which capacity vanishes a spot does no work and
/// costs nothing.
struct DeadlineCase {
  DeadlineJob job;
  SimTime tick{};
  std::vector<bool> spot;  ///< for each tick up to the deadline: is there a spot to be had?

  [[nodiscard]] std::int64_t ticks() const { return static_cast<std::int64_t>(spot.size()); }
};

/// How many ticks it takes to do `work` on an instance that starts with `overhead` to work off.
[[nodiscard]] std::int64_t ticks_for(SimTime work, SimTime overhead, SimTime tick);

/// What a strategy sees at the beginning of a tick.
struct DeadlineView {
  std::int64_t tick = 0;  ///< from 0
  SimTime elapsed{};      ///< since the start
  SimTime time_left{};    ///< whole ticks until the deadline
  SimTime work_left{};
  SimTime overhead_left{};             ///< of what is running
  Capacity running = Capacity::kNone;  ///< after a preemption: kNone
  bool spot = false;                   ///< there is a spot to be had in this tick
};

/// What is known of the capacity beforehand: the mean times for which there is one and none, as a
/// provider's lifetime SLA or class states them.
struct CapacityQuote {
  double up_hours = 0;
  double down_hours = 0;
};

/// Chooses what to run in each tick of one run. One object for each run: it may remember.
class DeadlineStrategy {
 public:
  DeadlineStrategy() = default;
  DeadlineStrategy(const DeadlineStrategy&) = delete;
  DeadlineStrategy& operator=(const DeadlineStrategy&) = delete;
  virtual ~DeadlineStrategy() = default;

  /// kSpot only where there is one.
  [[nodiscard]] virtual Capacity choose(const DeadlineView& view) = 0;
};

/// What a run came to.
struct DeadlineResult {
  double cost = 0;                       ///< USD
  double spot_hours = 0;                 ///< paid
  double on_demand_hours = 0;            ///< paid
  std::uint64_t restarts = 0;            ///< starts of an instance after the first
  std::optional<double> finished_hours;  ///< after the start; none: it never was
  bool met_deadline = false;
};

/// Tells whether on-demand, started in the next tick, would still do all the work if `choice` runs
/// in this one: the safety net, in ticks. (That of the paper, R < C + 2d, is not enough where 2d is
/// less than a tick.)
[[nodiscard]] bool leaves_time_for_on_demand(const DeadlineCase& run, const DeadlineView& view,
                                             Capacity choice);

/// Runs a job tick by tick. An instance-tick is paid in full; overhead is worked off inside ticks
/// (a tick does the work that is left of it), and a new start replaces what was left of the last.
/// With `safety_net`, on-demand runs in every tick in which the strategy's choice would not leave
/// time for it: nothing is late that could be done at all.
///
/// Source: Wu et al., "Can't Be Late", NSDI'24, section 4 (safety net); tick by tick as in its
/// public simulator.
[[nodiscard]] DeadlineResult run_deadline(const DeadlineCase& run, DeadlineStrategy& strategy,
                                          bool safety_net);

}  // namespace cospot
