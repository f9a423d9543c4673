#include "sim_harness/customer/deadline/expected_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/portable_math.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kMaxSteps = 500;

/// The probability that a spell, which goes on for a step, is in the next class of ages after it.
double ages_in(double step_hours, std::size_t age) {
  if (age + 1 == kAgeClasses) return 0;
  const double width = kAgeEnds[age] - (age == 0 ? 0 : kAgeEnds[age - 1]);
  return std::min(1.0, step_hours / width);
}

}  // namespace

ExpectedCosts::ExpectedCosts(const DeadlineCase& run)
    : prices_{0, run.job.spot_price, run.job.on_demand_price},
      overhead_hours_(hours_of(run.job.overhead)) {
  const double tick_hours = hours_of(run.tick);
  const auto ticks_of_a_step = (run.ticks() + kMaxSteps - 1) / kMaxSteps;
  step_hours_ = tick_hours * static_cast<double>(ticks_of_a_step);
  const double slack = hours_of(run.ticks() * run.tick - run.job.duration) + overhead_hours_;
  slack_unit_ = std::max(slack, tick_hours) / static_cast<double>(kPoints - 1);
}

const ExpectedCosts::Row& ExpectedCosts::row(std::size_t step, Capacity running,
                                             Spell spell) const {
  // A spot that has no capacity any more is gone.
  const Capacity runs = running == Capacity::kSpot && !spell.up ? Capacity::kNone : running;
  return rows_[place(step, spell)][static_cast<std::size_t>(runs)];
}

void ExpectedCosts::solve(const SpellRates& rates, double hours_left) {
  steps_ = std::max(std::size_t{1}, static_cast<std::size_t>(hours_left / step_hours_ + 1e-9));
  SpellRates ends{};  // the probability that a spell ends in a step
  for (std::size_t up = 0; up < ends.size(); ++up) {
    for (std::size_t age = 0; age < kAgeClasses; ++age) {
      ends[up][age] = 1 - portable_exp(-step_hours_ * rates[up][age]);
    }
  }
  // Without steps to go nothing is left that could cost anything.
  rows_.resize((steps_ + 1) * 2 * kAgeClasses, Rows{});
  for (std::size_t step = 1; step <= steps_; ++step) {
    for (const bool up : {false, true}) {
      for (std::size_t age = 0; age < kAgeClasses; ++age) solve_step(step, {up, age}, ends);
    }
  }
}

void ExpectedCosts::solve_step(std::size_t step, Spell spell, const SpellRates& ends) {
  Rows& best = rows_[place(step, spell)];
  const Row idle =
      costs_of_choice(step, Capacity::kNone, 0, after_step(step - 1, Capacity::kNone, spell, ends));
  best.fill(idle);
  for (const Capacity kind : {Capacity::kSpot, Capacity::kOnDemand}) {
    if (kind == Capacity::kSpot && !spell.up) continue;
    const Row after = after_step(step - 1, kind, spell, ends);
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
                                             const SpellRates& ends) const {
  const auto end = static_cast<float>(ends[spell.up ? 1 : 0][spell.age]);
  const auto older = static_cast<float>(ages_in(step_hours_, spell.age));
  const std::size_t next_age = std::min(spell.age + 1, kAgeClasses - 1);
  const Row& same_age = row(step, kind, spell);
  const Row& next = row(step, kind, {spell.up, next_age});
  const Row& other = row(step, kind, {!spell.up, 0});
  Row mean{};
  for (std::size_t i = 0; i < kPoints; ++i) {
    mean[i] = (1 - end) * ((1 - older) * same_age[i] + older * next[i]) + end * other[i];
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
  return rest(step, slack, running, row(step, running, spell));
}

}  // namespace cospot
