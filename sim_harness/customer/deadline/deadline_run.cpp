#include "sim_harness/customer/deadline/deadline_run.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/errors.hpp"

namespace cospot {
namespace {

/// The work that `choice` does in a tick, and what is left of its overhead.
struct Tick {
  SimTime work{};
  SimTime overhead_left{};
};

Tick tick_of(const DeadlineCase& run, const DeadlineView& view, Capacity choice) {
  if (choice == Capacity::kNone) return {};
  const SimTime overhead = choice == view.running ? view.overhead_left : run.job.overhead;
  return {.work = std::max(run.tick - overhead, SimTime{}),
          .overhead_left = std::max(overhead - run.tick, SimTime{})};
}

}  // namespace

std::int64_t ticks_for(SimTime work, SimTime overhead, SimTime tick) {
  return (work + overhead + tick - SimTime(1)) / tick;
}

bool leaves_time_for_on_demand(const DeadlineCase& run, const DeadlineView& view, Capacity choice) {
  if (choice == Capacity::kOnDemand) return true;
  const SimTime left = view.work_left - tick_of(run, view, choice).work;
  return left <= SimTime{} ||
         run.ticks() - view.tick - 1 >= ticks_for(left, run.job.overhead, run.tick);
}

Capacity first_choice(const DeadlineCase& run, DeadlineStrategy& strategy) {
  const DeadlineView view{.time_left = run.ticks() * run.tick,
                          .work_left = run.job.duration,
                          .spot = run.spot.front(),
                          .spot_price = run.price_at(0, Capacity::kSpot)};
  const Capacity choice = strategy.choose(view);
  return leaves_time_for_on_demand(run, view, choice) ? choice : Capacity::kOnDemand;
}

DeadlineResult run_deadline(const DeadlineCase& run, DeadlineStrategy& strategy, bool safety_net) {
  DeadlineResult result;
  std::array<std::int64_t, 3> ticks{};  // paid, of each Capacity
  std::uint64_t starts = 0;
  double spot_cost = 0;
  bool is_caught = false, lacked_spots = false;
  DeadlineView view{.work_left = run.job.duration};
  for (; view.tick < run.ticks() && view.work_left > SimTime{}; ++view.tick) {
    view.elapsed = view.tick * run.tick;
    view.time_left = (run.ticks() - view.tick) * run.tick;
    const auto tick_index = static_cast<std::size_t>(view.tick);
    view.spot = run.spot[tick_index];
    view.spot_price = run.price_at(tick_index, Capacity::kSpot);
    if (!view.spot && view.running == Capacity::kSpot) {
      view.running = Capacity::kNone;
      view.overhead_left = SimTime{};
    }
    Capacity choice = strategy.choose(view);
    if (choice == Capacity::kSpot && !view.spot) {
      throw PolicyError("a deadline strategy chose a spot where there is none");
    }
    lacked_spots = lacked_spots || !view.spot;
    const bool is_too_late = safety_net && !leaves_time_for_on_demand(run, view, choice);
    if (is_too_late) choice = Capacity::kOnDemand;
    const bool was_caught = is_caught;
    is_caught = was_caught || is_too_late || strategy.is_caught();
    if (is_caught && !was_caught) result.net_before_loss = !lacked_spots;
    if (choice != Capacity::kNone && choice != view.running) ++starts;
    const Tick tick = tick_of(run, view, choice);
    if (tick.work >= view.work_left) {
      result.finished_hours = hours_of(view.elapsed + run.tick - tick.work + view.work_left);
    }
    ++ticks[static_cast<std::size_t>(choice)];
    if (choice == Capacity::kSpot) spot_cost += view.spot_price * hours_of(run.tick);
    view.work_left -= tick.work;
    view.overhead_left = tick.overhead_left;
    view.running = choice;
  }
  result.spot_hours = hours_of(ticks[static_cast<std::size_t>(Capacity::kSpot)] * run.tick);
  result.on_demand_hours =
      hours_of(ticks[static_cast<std::size_t>(Capacity::kOnDemand)] * run.tick);
  // With one price for all ticks, the product is more exact than the sum.
  if (run.spot_prices.empty()) spot_cost = result.spot_hours * run.job.spot_price;
  result.cost = spot_cost + result.on_demand_hours * run.job.on_demand_price;
  result.restarts = starts == 0 ? 0 : starts - 1;
  result.met_deadline = result.finished_hours.has_value();
  return result;
}

}  // namespace cospot
