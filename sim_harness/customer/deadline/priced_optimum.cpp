// The offline optimum where each tick has its own price.
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "sim_harness/customer/deadline/offline_optimum.hpp"

namespace cospot {
namespace {

constexpr std::array kEveryKind{Capacity::kNone, Capacity::kSpot, Capacity::kOnDemand};

/// From a tick on, until the next interval of the plan.
struct PlanInterval {
  std::int64_t before = -1;  ///< the interval before it
  std::size_t begin = 0;
  Capacity kind = Capacity::kNone;
};

/// A plan up to the end of a tick, in which `kind` ran.
struct PricedLabel {
  std::int64_t work = 0;  ///< us, overheads taken off
  double cost = 0;
  std::int64_t interval = 0;  ///< the last one, or the one before it if `is_new`
  Capacity kind = Capacity::kNone;
  bool is_new = false;
};

class PricedSearch {
 public:
  explicit PricedSearch(const DeadlineCase& run)
      : run_(run),
        tick_(run.tick.count()),
        needed_(run.job.duration.count()),
        overhead_(run.job.overhead.count()),
        ticks_(run.spot.size()) {}

  /// The best of few labels bounds what the others may cost.
  std::vector<Capacity> plan() {
    constexpr std::size_t kFew = 64;
    choose_work_prices();
    search(kFew);
    search(std::numeric_limits<std::size_t>::max());
    return best_plan_;
  }

 private:
  using Labels = std::vector<PricedLabel>;                          ///< most work first
  using Front = std::array<Labels, kEveryKind.size()>;              ///< by kind
  using Rest = std::vector<std::array<double, kEveryKind.size()>>;  ///< by tick and what ran before

  /// The least cost of a plan's rest, less what its work is worth, for a price on work.
  struct Relaxation {
    double work_price = 0;
    Rest rest;
  };

  /// Costs that differ by less are equal.
  [[nodiscard]] double slack() const {
    return 1e-9 * run_.job.on_demand_price * hours_of(run_.tick);
  }

  [[nodiscard]] bool can_run(std::size_t tick, Capacity kind) const {
    return kind != Capacity::kSpot || run_.spot[tick];
  }
  [[nodiscard]] double price(std::size_t tick, Capacity kind) const {
    return run_.price_at(tick, kind) * hours_of(run_.tick);
  }
  [[nodiscard]] std::int64_t work_in(Capacity before, Capacity kind) const {
    return kind == Capacity::kNone ? 0 : tick_ - (kind == before ? 0 : overhead_);
  }

  /// The plan that goes on with a tick of `kind`.
  [[nodiscard]] PricedLabel extended(const PricedLabel& label, std::size_t tick,
                                     Capacity kind) const {
    return {.work = label.work + work_in(label.kind, kind),
            .cost = label.cost + price(tick, kind),
            .interval = label.interval,
            .kind = kind,
            .is_new = kind != label.kind};
  }

  // Lagrange's relaxation: cost >= price of the needed work + cost and worth of each tick.

  /// Sets `rest`, and returns the work of a plan that is best for the price. Keeps that plan, up to
  /// the end of the work, if it is the cheapest so far.
  std::int64_t relax(double work_price, Rest& rest) {
    std::vector<std::array<Capacity, kEveryKind.size()>> choice(ticks_);
    rest.assign(ticks_ + 1, {});
    for (std::size_t i = ticks_; i-- > 0;) {
      for (const Capacity before : kEveryKind) {
        double& least = rest[i][number(before)] = std::numeric_limits<double>::infinity();
        for (const Capacity kind : kEveryKind) {
          if (!can_run(i, kind)) continue;
          const double value = price(i, kind) + rest[i + 1][number(kind)] -
                               work_price * static_cast<double>(work_in(before, kind));
          if (value >= least) continue;
          least = value;
          choice[i][number(before)] = kind;
        }
      }
    }
    PricedLabel end;
    std::vector<Capacity> plan(ticks_, Capacity::kNone);
    for (std::size_t i = 0; i < ticks_ && end.work < needed_; ++i) {
      plan[i] = choice[i][number(end.kind)];
      end = extended(end, i, plan[i]);
    }
    if (end.work >= needed_ && end.cost < best_cost_) {
      best_cost_ = end.cost;
      best_plan_ = std::move(plan);
    }
    return end.work;
  }

  /// Finds the price on work that bounds best, by bisection (too low does too little work), and
  /// takes some near it: it is the best for the whole job, not for the rest of each plan.
  void choose_work_prices() {
    double low = 0, high = 1e3 * price(0, Capacity::kOnDemand) / static_cast<double>(tick_);
    double best = 0, best_bound = -std::numeric_limits<double>::infinity();
    Rest rest;
    for (int i = 0; i < 48; ++i) {
      const double middle = (low + high) / 2;
      const std::int64_t work = relax(middle, rest);
      const double bound = middle * static_cast<double>(needed_) + rest[0][0];
      if (bound > best_bound) {
        best_bound = bound;
        best = middle;
      }
      (work >= needed_ ? high : low) = middle;
    }
    for (const double factor : {1.0, 0.9, 0.97, 0.99, 0.997, 1.003, 1.01, 1.03, 1.1}) {
      relaxations_.push_back({.work_price = best * factor, .rest = {}});
      (void)relax(best * factor, relaxations_.back().rest);
    }
  }

  /// The least that a plan which begins so can cost.
  [[nodiscard]] double bound(const PricedLabel& label, std::size_t next,
                             const Relaxation& one) const {
    return label.cost + one.work_price * static_cast<double>(needed_ - label.work) +
           one.rest[next][number(label.kind)];
  }

  [[nodiscard]] bool is_hopeless(const PricedLabel& label, std::size_t next) const {
    return std::ranges::any_of(relaxations_, [&](const Relaxation& one) {
      return bound(label, next, one) > best_cost_ - slack();
    });
  }

  /// Goes on with at most `most` labels of each kind.
  void search(std::size_t most) {
    intervals_.assign(1, {});
    Front front;
    front[0].push_back({});
    for (std::size_t i = 0; i < ticks_; ++i) {
      front = cross(i, front);
      for (Labels& kept : front) keep_few(kept, i + 1, most);
    }
  }

  Front cross(std::size_t tick, const Front& front) {
    Front next;
    for (const Capacity kind : kEveryKind) {
      if (!can_run(tick, kind)) continue;
      Labels labels;
      for (const Labels& from : front) {
        const auto first = static_cast<std::ptrdiff_t>(labels.size());
        for (const PricedLabel& one : from) labels.push_back(extended(one, tick, kind));
        std::inplace_merge(labels.begin(), labels.begin() + first, labels.end(), does_more);
      }
      keep_undominated(labels, tick, next[number(kind)]);
    }
    return next;
  }

  static bool does_more(const PricedLabel& a, const PricedLabel& b) {
    return a.work != b.work ? a.work > b.work : a.cost < b.cost;
  }

  /// Keeps the labels that are cheaper than all which have done as much work.
  void keep_undominated(const Labels& labels, std::size_t tick, Labels& kept) {
    double least = std::numeric_limits<double>::infinity();
    for (const PricedLabel& label : labels) {
      if (label.cost >= least || is_hopeless(label, tick + 1)) continue;
      least = label.cost;
      const bool is_done = label.work >= needed_;
      if (is_done && label.cost > best_cost_ - slack()) continue;
      PricedLabel one = label;
      if (one.is_new) {
        intervals_.push_back({one.interval, tick, one.kind});
        one.interval = static_cast<std::int64_t>(intervals_.size()) - 1;
      }
      if (is_done) {
        best_cost_ = one.cost;
        keep_plan(one.interval, tick + 1);
      } else {
        kept.push_back(one);
      }
    }
  }

  /// Makes the plan that ends with an interval the best.
  void keep_plan(std::int64_t last, std::size_t end) {
    best_plan_.assign(ticks_, Capacity::kNone);
    while (last > 0) {
      const PlanInterval& one = intervals_[static_cast<std::size_t>(last)];
      std::fill(best_plan_.begin() + static_cast<std::ptrdiff_t>(one.begin),
                best_plan_.begin() + static_cast<std::ptrdiff_t>(end), one.kind);
      end = one.begin;
      last = one.before;
    }
  }

  /// Keeps the labels with the lowest bounds.
  void keep_few(Labels& kept, std::size_t next, std::size_t most) const {
    if (kept.size() <= most) return;
    const auto last = kept.begin() + static_cast<std::ptrdiff_t>(most);
    std::ranges::nth_element(kept, last, {}, [&](const PricedLabel& label) {
      return bound(label, next, relaxations_.front());
    });
    kept.erase(last, kept.end());
    std::ranges::sort(kept, does_more);
  }

  static constexpr std::size_t number(Capacity kind) { return static_cast<std::size_t>(kind); }

  const DeadlineCase& run_;
  std::int64_t tick_, needed_, overhead_;
  std::size_t ticks_;
  std::vector<Relaxation> relaxations_;
  std::vector<PlanInterval> intervals_;                         ///< the first: nothing runs
  std::vector<Capacity> best_plan_;                             ///< of those known
  double best_cost_ = std::numeric_limits<double>::infinity();  ///< of that plan
};

}  // namespace

std::vector<Capacity> priced_optimum(const DeadlineCase& run) { return PricedSearch(run).plan(); }

}  // namespace cospot
