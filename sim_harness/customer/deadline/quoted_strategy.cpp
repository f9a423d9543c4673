#include "sim_harness/customer/deadline/quoted_strategy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/portable_math.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kMaxSteps = 500;
constexpr std::size_t kPoints = 257;
constexpr std::array<Capacity, 3> kChoices{Capacity::kSpot, Capacity::kNone, Capacity::kOnDemand};

double hours(SimTime time) { return std::chrono::duration<double, std::ratio<3600>>(time).count(); }

std::size_t state(Capacity running, bool spot) {
  // A spot that has no capacity any more is gone.
  if (running == Capacity::kSpot && !spot) running = Capacity::kNone;
  return 2 * static_cast<std::size_t>(running) + (spot ? 1 : 0);
}

}  // namespace

QuotedStrategy::QuotedStrategy(const DeadlineCase& run, const CapacityQuote& quote)
    : job_(run.job), overhead_hours_(hours(run.job.overhead)), points_(kPoints) {
  tick_hours_ = hours(run.tick);
  const std::int64_t ticks_a_step = (run.ticks() + kMaxSteps - 1) / kMaxSteps;
  step_hours_ = tick_hours_ * static_cast<double>(ticks_a_step);
  const auto steps = static_cast<std::size_t>(run.ticks() / ticks_a_step);
  const double slack = hours(run.ticks() * run.tick - run.job.duration) + hours(run.job.overhead);
  slack_unit_ = std::max(slack, tick_hours_) / static_cast<double>(points_ - 1);
  lost_ = 1 - portable_exp(-step_hours_ / std::max(quote.up_hours, tick_hours_ / 2));
  returned_ = 1 - portable_exp(-step_hours_ / std::max(quote.down_hours, tick_hours_ / 2));
  values_.resize(steps + 1);
  for (std::vector<float>& values : values_[0]) values.assign(points_, 0);
  for (std::size_t step = 1; step <= steps; ++step) solve_step(step);
}

void QuotedStrategy::solve_step(std::size_t step) {
  for (const Capacity running : kChoices) {
    for (const bool spot : {false, true}) {
      if (running == Capacity::kSpot && !spot) continue;
      std::vector<float>& values = values_[step][state(running, spot)];
      values.resize(points_);
      for (std::size_t i = 0; i < points_; ++i) {
        values[i] = static_cast<float>(
            best_from(step, static_cast<double>(i) * slack_unit_, running, spot));
      }
    }
  }
}

double QuotedStrategy::best_from(std::size_t step, double slack, Capacity running,
                                 bool spot) const {
  const double work = static_cast<double>(step) * step_hours_ - slack;
  if (work <= 0) return 0;
  double best = std::numeric_limits<double>::infinity();
  for (const Capacity kind : kChoices) {
    if (kind == Capacity::kSpot && !spot) continue;
    double cost = 0, left = slack - step_hours_;
    if (kind != Capacity::kNone) {
      const double overhead = kind == running ? 0 : overhead_hours_;
      const double price = kind == Capacity::kSpot ? job_.spot_price : job_.on_demand_price;
      cost = price * std::min(step_hours_, work + overhead);
      left = slack - overhead;
    }
    best = std::min(best, cost + after(step - 1, left, kind, spot));
  }
  return best;
}

double QuotedStrategy::after(std::size_t step, double slack, Capacity kind, bool spot) const {
  const double back = spot ? 1 - lost_ : returned_;
  return back * expected(step, slack, kind, true) + (1 - back) * expected(step, slack, kind, false);
}

double QuotedStrategy::expected(std::size_t step, double slack, Capacity kind, bool spot) const {
  const double work = static_cast<double>(step) * step_hours_ - slack;
  if (work <= 0) return 0;
  if (kind == Capacity::kOnDemand ? slack < 0 : slack < overhead_hours_) {
    // Too late for anything but on-demand, from now to the end.
    return job_.on_demand_price * (work + (kind == Capacity::kOnDemand ? 0 : overhead_hours_));
  }
  const std::vector<float>& values = values_[step][state(kind, spot)];
  const double at = std::min(slack / slack_unit_, static_cast<double>(points_ - 1));
  const auto low = std::min(static_cast<std::size_t>(at), points_ - 2);
  const double part = at - static_cast<double>(low);
  return (1 - part) * static_cast<double>(values[low]) +
         part * static_cast<double>(values[low + 1]);
}

Capacity QuotedStrategy::choose(const DeadlineView& view) {
  const double slack = hours(view.time_left - view.work_left);
  const double to_go = (hours(view.time_left) - tick_hours_) / step_hours_;
  const auto step = static_cast<std::size_t>(std::max(to_go + 1e-9, 0.0));
  Capacity best = Capacity::kOnDemand;
  double least = std::numeric_limits<double>::infinity();
  for (const Capacity kind : kChoices) {
    if (kind == Capacity::kSpot && !view.spot) continue;
    double cost = 0, left = slack - tick_hours_;
    if (kind != Capacity::kNone) {
      cost = tick_hours_ * (kind == Capacity::kSpot ? job_.spot_price : job_.on_demand_price);
      left = slack - (kind == view.running ? hours(view.overhead_left) : overhead_hours_);
    }
    cost += after(step, left, kind, view.spot);
    if (cost >= least) continue;
    least = cost;
    best = kind;
  }
  return best;
}

}  // namespace cospot
