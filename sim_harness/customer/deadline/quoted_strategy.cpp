#include "sim_harness/customer/deadline/quoted_strategy.hpp"

#include <limits>

#include "core/portable_math.hpp"

namespace cospot {
QuotedStrategy::QuotedStrategy(const DeadlineCase& run, const SpellHistory& history)
    : history_(history), costs_(run), tick_hours_(hours_of(run.tick)) {}

Capacity QuotedStrategy::choose(const DeadlineView& view) {
  history_.add(view.spot);
  if (!solved_at_ || (history_.learns() && view.elapsed - *solved_at_ >= kEvery)) {
    rates_ = history_.rates();
    costs_.solve(rates_, hours_of(view.time_left));
    solved_at_ = view.elapsed;
  }
  Capacity best = Capacity::kOnDemand;
  double least = std::numeric_limits<double>::infinity();
  // At equal costs the first.
  for (const Capacity kind : {Capacity::kSpot, Capacity::kNone, Capacity::kOnDemand}) {
    if (kind == Capacity::kSpot && !view.spot) continue;
    const double cost = expected_cost(view, kind);
    if (cost >= least) continue;
    least = cost;
    best = kind;
  }
  return best;
}

double QuotedStrategy::expected_cost(const DeadlineView& view, Capacity kind) const {
  double used = tick_hours_;
  if (kind != Capacity::kNone) {
    used = kind == view.running ? hours_of(view.overhead_left) : costs_.overhead_hours();
  }
  const double slack = hours_of(view.time_left - view.work_left) - used;
  const double left = hours_of(view.time_left) - tick_hours_;
  const double age = history_.age_hours();
  // The spell may end within the tick that is paid here, which may be shorter than a step of the
  // costs.
  const double ends = 1 - portable_exp(-tick_hours_ * rates_[view.spot ? 1 : 0][age_class(age)]);
  return tick_hours_ * costs_.price(kind) +
         (1 - ends) *
             costs_.expected(left, slack, kind, {view.spot, age_class(age + tick_hours_)}) +
         ends * costs_.expected(left, slack, kind, {!view.spot, 0});
}

}  // namespace cospot
