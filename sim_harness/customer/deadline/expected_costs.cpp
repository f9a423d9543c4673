#include "sim_harness/customer/deadline/expected_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/portable_math.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kMaxSteps = 500;

double hours(SimTime time) { return std::chrono::duration<double, std::ratio<3600>>(time).count(); }

/// The probability that a spell, which goes on for a step, is in the next class of ages after it.
double ages_in(double step_hours, std::size_t age) {
  if (age + 1 == kAgeClasses) return 0;
  const double width = kAgeEnds[age] - (age == 0 ? 0 : kAgeEnds[age - 1]);
  return std::min(1.0, step_hours / width);
}

}  // namespace

ExpectedCosts::ExpectedCosts(const DeadlineCase& run)
    : prices_{0, run.job.spot_price, run.job.on_demand_price},
      overhead_hours_(hours(run.job.overhead)) {
  const double tick_hours = hours(run.tick);
  const auto ticks_of_a_step = (run.ticks() + kMaxSteps - 1) / kMaxSteps;
  step_hours_ = tick_hours * static_cast<double>(ticks_of_a_step);
  const double slack = hours(run.ticks() * run.tick - run.job.duration) + overhead_hours_;
  slack_unit_ = std::max(slack, tick_hours) / static_cast<double>(kPoints - 1);
}

ExpectedCosts::Rows& ExpectedCosts::rows(std::size_t step, Spell spell) {
  return rows_[(step * 2 + (spell.up ? 1 : 0)) * kAgeClasses + spell.age];
}

const ExpectedCosts::Rows& ExpectedCosts::rows(std::size_t step, Spell spell) const {
  return rows_[(step * 2 + (spell.up ? 1 : 0)) * kAgeClasses + spell.age];
}

void ExpectedCosts::solve(const SpellRates& rates, double hours_left) {
  steps_ = std::max(std::size_t{1}, static_cast<std::size_t>(hours_left / step_hours_ + 1e-9));
  // Without steps to go nothing is left that could cost anything.
  rows_.resize((steps_ + 1) * 2 * kAgeClasses, Rows{});
  for (std::size_t step = 1; step <= steps_; ++step) {
    for (const bool up : {false, true}) {
      for (std::size_t age = 0; age < kAgeClasses; ++age) solve_step(step, {up, age}, rates);
    }
  }
}

void ExpectedCosts::solve_step(std::size_t step, Spell spell, const SpellRates& rates) {
  Rows& best = rows(step, spell);
  const Row idle = costs_of_choice(step, Capacity::kNone, 0,
                                   after_step(step - 1, Capacity::kNone, spell, rates));
  best.fill(idle);
  for (const Capacity kind : {Capacity::kSpot, Capacity::kOnDemand}) {
    if (kind == Capacity::kSpot && !spell.up) continue;
    const Row after = after_step(step - 1, kind, spell, rates);
    const Row going_on = costs_of_choice(step, kind, 0, after);
    const Row starting = costs_of_choice(step, kind, overhead_hours_, after);
    for (std::size_t running = 0; running < best.size(); ++running) {
      const Row& costs = running == static_cast<std::size_t>(kind) ? going_on : starting;
      for (std::size_t i = 0; i < kPoints; ++i) {
        best[running][i] = std::min(best[running][i], costs[i]);
      }
    }
  }
}

ExpectedCosts::Row ExpectedCosts::after_step(std::size_t step, Capacity kind, Spell spell,
                                             const SpellRates& rates) const {
  const auto ends =
      static_cast<float>(1 - portable_exp(-step_hours_ * rates[spell.up ? 1 : 0][spell.age]));
  const auto older = static_cast<float>(ages_in(step_hours_, spell.age));
  const std::size_t next_age = std::min(spell.age + 1, kAgeClasses - 1);
  const auto row = [&](Spell now) -> const Row& {
    // A spot that has no capacity any more is gone.
    const Capacity runs = kind == Capacity::kSpot && !now.up ? Capacity::kNone : kind;
    return rows(step, now)[static_cast<std::size_t>(runs)];
  };
  const Row& same_age = row(spell);
  const Row& next = row({spell.up, next_age});
  const Row& other = row({!spell.up, 0});
  Row mean{};
  for (std::size_t i = 0; i < kPoints; ++i) {
    mean[i] = (1 - ends) * ((1 - older) * same_age[i] + older * next[i]) + ends * other[i];
  }
  return mean;
}

ExpectedCosts::Row ExpectedCosts::costs_of_choice(std::size_t step, Capacity kind, double overhead,
                                                  const Row& after) const {
  Row costs{};
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double slack = static_cast<double>(i) * slack_unit_;
    const double work = static_cast<double>(step) * step_hours_ - slack;
    if (work <= 0) break;  // nothing is left to do, with more slack neither
    const double used = kind == Capacity::kNone ? step_hours_ : overhead;
    const double paid = price(kind) * std::min(step_hours_, work + overhead);
    costs[i] = static_cast<float>(paid + rest(step - 1, slack - used, kind, after));
  }
  return costs;
}

double ExpectedCosts::rest(std::size_t step, double slack, Capacity kind, const Row& row) const {
  const double work = static_cast<double>(step) * step_hours_ - slack;
  if (work <= 0) return 0;
  const double overhead = kind == Capacity::kOnDemand ? 0 : overhead_hours_;
  // Too late for anything but on-demand, from now to the end.
  if (slack < overhead) return price(Capacity::kOnDemand) * (work + overhead);
  const double at = std::min(slack / slack_unit_, static_cast<double>(kPoints - 1));
  const auto low = std::min(static_cast<std::size_t>(at), kPoints - 2);
  const double part = at - static_cast<double>(low);
  return (1 - part) * static_cast<double>(row[low]) + part * static_cast<double>(row[low + 1]);
}

double ExpectedCosts::expected(double hours_left, double slack, Capacity running,
                               Spell spell) const {
  const double steps = std::max(0.0, hours_left / step_hours_ + 1e-9);
  const std::size_t step = std::min(static_cast<std::size_t>(steps), steps_);
  // A spot that has no capacity any more is gone.
  const Capacity runs = running == Capacity::kSpot && !spell.up ? Capacity::kNone : running;
  return rest(step, slack, running, rows(step, spell)[static_cast<std::size_t>(runs)]);
}

}  // namespace cospot
