#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// The capacity that a job uses during a tick.
enum class Capacity : std::uint8_t { kNone, kSpot, kOnDemand };

/// A job with a deadline.
struct DeadlineJob {
  SimTime duration{};          ///< working time, the same on both kinds of instance
  SimTime deadline{};          ///< after the start; only whole ticks before it count
  SimTime overhead{};          ///< time without progress after each start of an instance
  double spot_price = 0;       ///< USD per hour, unless the ticks have prices of their own
  double on_demand_price = 0;  ///< USD per hour
};

/// A job and the ticks of a trace in which it may run. Capacity and price are constant during a
/// tick and known when it begins: in the tick in which it vanishes, a spot does no work and costs
/// nothing.
struct DeadlineCase {
  DeadlineJob job;
  SimTime tick{};
  std::vector<bool> spot;             ///< for each tick up to the deadline: is a spot available?
  std::vector<double> spot_prices{};  ///< USD per hour for each tick; empty: that of the job

  [[nodiscard]] std::int64_t ticks() const { return static_cast<std::int64_t>(spot.size()); }
  /// USD per hour.
  [[nodiscard]] double price_at(std::size_t index, Capacity kind) const {
    if (kind == Capacity::kNone) return 0;
    if (kind == Capacity::kOnDemand) return job.on_demand_price;
    return spot_prices.empty() ? job.spot_price : spot_prices[index];
  }
};

/// The ticks needed to do `work` on an instance with `overhead` still to work off.
[[nodiscard]] std::int64_t ticks_for(SimTime work, SimTime overhead, SimTime tick);

/// A strategy's view at the beginning of a tick.
struct DeadlineView {
  std::int64_t tick = 0;  ///< from 0
  SimTime elapsed{};      ///< since the start
  SimTime time_left{};    ///< whole ticks until the deadline
  SimTime work_left{};
  SimTime overhead_left{};             ///< remaining overhead of the running instance
  Capacity running = Capacity::kNone;  ///< after a preemption: kNone
  bool spot = false;                   ///< a spot is available in this tick
  double spot_price = 0;               ///< of it, USD per hour
};

/// The capacity as known in advance: the mean times with and without it, as a provider's lifetime
/// SLA or class states them.
struct CapacityQuote {
  double up_hours = 0;
  double down_hours = 0;
};

/// Chooses the capacity for each tick of one run. Each run gets its own object, which may keep
/// state.
class DeadlineStrategy {
 public:
  DeadlineStrategy() = default;
  DeadlineStrategy(const DeadlineStrategy&) = delete;
  DeadlineStrategy& operator=(const DeadlineStrategy&) = delete;
  virtual ~DeadlineStrategy() = default;

  /// Returns kSpot only if a spot is available.
  [[nodiscard]] virtual Capacity choose(const DeadlineView& view) = 0;
  /// True once a safety net of its own keeps it on on-demand.
  [[nodiscard]] virtual bool is_caught() const { return false; }
};

/// The outcome of a run.
struct DeadlineResult {
  double cost = 0;                       ///< USD
  double spot_hours = 0;                 ///< paid
  double on_demand_hours = 0;            ///< paid
  std::uint64_t restarts = 0;            ///< starts of an instance after the first
  std::optional<double> finished_hours;  ///< after the start; none: unfinished
  bool met_deadline = false;
  bool net_before_loss = false;  ///< a safety net took over while every tick had had a spot
};

/// Tells whether on-demand, started in the next tick, could still finish the work in time if
/// `choice` runs in this tick: the safety net, in ticks. (The paper's R < C + 2d is not sufficient
/// where 2d is less than a tick.)
[[nodiscard]] bool leaves_time_for_on_demand(const DeadlineCase& run, const DeadlineView& view,
                                             Capacity choice);

/// The capacity of the first tick of a job, with the safety net.
[[nodiscard]] Capacity first_choice(const DeadlineCase& run, DeadlineStrategy& strategy);

/// Runs a job tick by tick. An instance-tick is paid in full. Overhead is worked off within ticks
/// (the rest of the tick does work), and a new start replaces the remaining overhead of the last.
/// With `safety_net`, on-demand runs in every tick in which the strategy's choice would leave too
/// little time for it: a job that can be finished in time is.
///
/// Source: Wu et al., "Can't Be Late", NSDI'24, section 4 (safety net); ticks as in its public
/// simulator.
[[nodiscard]] DeadlineResult run_deadline(const DeadlineCase& run, DeadlineStrategy& strategy,
                                          bool safety_net);

}  // namespace cospot
