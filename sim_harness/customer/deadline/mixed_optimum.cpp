#include "sim_harness/customer/deadline/mixed_optimum.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>

namespace cospot {
namespace {

constexpr std::size_t kKinds = 3;
constexpr std::array<Capacity, kKinds> kAllKinds{Capacity::kNone, Capacity::kSpot,
                                                 Capacity::kOnDemand};

constexpr std::size_t number(Capacity kind) { return static_cast<std::size_t>(kind); }

/// A plan up to the end of a stretch.
struct MixedLabel {
  std::int64_t work = 0;   ///< us that could be done, overheads taken off
  std::int64_t spots = 0;  ///< ticks
  std::int64_t starts = 0;
  std::int32_t before = -1;
  Capacity kind = Capacity::kNone;  ///< of the stretch
};

class MixedSearch {
 public:
  explicit MixedSearch(const DeadlineCase& run)
      : stretches_(stretches_of(run.spot)),
        tick_(run.tick.count()),
        needed_(run.job.duration.count()),
        overhead_(run.job.overhead.count()),
        total_ticks_(run.ticks()),
        // For each tick: only what is said in proportion counts.
        demand_price_(run.job.on_demand_price),
        gain_(run.job.on_demand_price - run.job.spot_price),
        start_price_(demand_price_ * static_cast<double>(overhead_) / static_cast<double>(tick_)) {}

  std::vector<Capacity> plan() {
    best_cost_ = cost(1, 0) + 2 * slack();
    choose_work_prices();
    labels_.push_back({});
    Front front;
    front[number(Capacity::kNone)].push_back(0);
    for (std::size_t i = 0; i < stretches_.size(); ++i) front = cross(i, front);
    std::int32_t best = -1;
    for (const std::vector<std::int32_t>& ends : front) {
      for (const std::int32_t end : ends) {
        const MixedLabel& label = at(end);
        if (label.work < needed_ || cost(label.starts, label.spots) > best_cost_) continue;
        best_cost_ = cost(label.starts, label.spots);
        best = end;
      }
    }
    return plan_of(best);
  }

 private:
  using Front = std::array<std::vector<std::int32_t>, kKinds>;
  using Bounds = std::vector<std::array<double, kKinds>>;  ///< by stretch and what ran before it

  /// The least cost of a plan's rest, less what its work is worth, for a price on work.
  struct Relaxation {
    double work_price = 0;
    Bounds rest;
  };

  [[nodiscard]] const MixedLabel& at(std::int32_t label) const {
    return labels_[static_cast<std::size_t>(label)];
  }
  /// Costs that differ by less are equal.
  [[nodiscard]] double slack() const { return 1e-9 * demand_price_; }

  [[nodiscard]] std::int64_t ticks_needed(std::int64_t starts) const {
    return (needed_ + starts * overhead_ + tick_ - 1) / tick_;
  }
  [[nodiscard]] double cost(std::int64_t starts, std::int64_t spots) const {
    return demand_price_ * static_cast<double>(ticks_needed(starts)) -
           gain_ * static_cast<double>(spots);
  }
  [[nodiscard]] bool can_run(std::size_t stretch, Capacity kind) const {
    return kind != Capacity::kSpot || stretches_[stretch].spot;
  }
  [[nodiscard]] std::int64_t work_in(std::size_t stretch, bool starts) const {
    return stretches_[stretch].ticks * tick_ - (starts ? overhead_ : 0);
  }

  // Lagrange's relaxation: cost >= price of the needed work + what starts and spots add.

  /// Returns the work and the cost of a plan that is best for the price; sets `rest`.
  std::pair<std::int64_t, double> relax(double work_price, Bounds& rest) const {
    std::vector<std::array<Capacity, kKinds>> choice(stretches_.size());
    rest.assign(stretches_.size() + 1, {});
    for (std::size_t i = stretches_.size(); i-- > 0;) {
      for (const Capacity before : kAllKinds) {
        double least = std::numeric_limits<double>::infinity();
        for (const Capacity kind : kAllKinds) {
          if (!can_run(i, kind)) continue;
          const double value = added(i, before, kind, work_price) + rest[i + 1][number(kind)];
          if (value >= least) continue;
          least = value;
          choice[i][number(before)] = kind;
        }
        rest[i][number(before)] = least;
      }
    }
    MixedLabel plan;
    Capacity before = Capacity::kNone;
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      const Capacity kind = choice[i][number(before)];
      plan = extended(plan, i, before, kind);
      before = kind;
    }
    return {plan.work, cost(plan.starts, plan.spots)};
  }

  /// The share of a stretch in the relaxed cost.
  [[nodiscard]] double added(std::size_t stretch, Capacity before, Capacity kind,
                             double work_price) const {
    if (kind == Capacity::kNone) return 0;
    const bool starts = kind != before;
    const double gain =
        kind == Capacity::kSpot ? gain_ * static_cast<double>(stretches_[stretch].ticks) : 0;
    return (starts ? start_price_ : 0) - gain -
           work_price * static_cast<double>(work_in(stretch, starts));
  }

  [[nodiscard]] MixedLabel extended(MixedLabel label, std::size_t stretch, Capacity before,
                                    Capacity kind) const {
    label.kind = kind;
    if (kind == Capacity::kNone) return label;
    const bool starts = kind != before;
    label.work += work_in(stretch, starts);
    label.starts += starts ? 1 : 0;
    if (kind == Capacity::kSpot) label.spots += stretches_[stretch].ticks;
    return label;
  }

  /// Finds the price on work that bounds best, by bisection (too low does too little work), and
  /// takes some near it: it is the best for the whole job, not for the rest of each plan.
  void choose_work_prices() {
    double low = 0;
    double high = 1e3 * demand_price_ / static_cast<double>(tick_);
    Bounds rest;
    double best = 0;
    double best_bound = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < 48; ++i) {
      const double middle = (low + high) / 2;
      const auto [work, cost] = relax(middle, rest);
      const double bound = middle * static_cast<double>(needed_) + rest[0][0];
      if (bound > best_bound) {
        best_bound = bound;
        best = middle;
      }
      (work >= needed_ ? high : low) = middle;
      if (work >= needed_) best_cost_ = std::min(best_cost_, cost + 2 * slack());
    }
    for (const double factor : {1.0, 0.0, 0.5, 0.8, 0.9, 0.97, 1.03, 1.1, 1.25, 2.0}) {
      relaxations_.push_back({.work_price = best * factor, .rest = {}});
      (void)relax(best * factor, relaxations_.back().rest);
    }
  }

  /// Tells whether a plan that begins so cannot be better than the best one known.
  [[nodiscard]] bool is_hopeless(const MixedLabel& label, std::size_t next) const {
    const double so_far =
        demand_price_ * static_cast<double>(needed_) / static_cast<double>(tick_) +
        start_price_ * static_cast<double>(label.starts) - gain_ * static_cast<double>(label.spots);
    const auto left = static_cast<double>(needed_ - label.work);
    return std::any_of(relaxations_.begin(), relaxations_.end(), [&](const Relaxation& one) {
      return so_far + one.work_price * left + one.rest[next][number(label.kind)] > best_cost_;
    });
  }

  // Labels.

  Front cross(std::size_t stretch, const Front& front) {
    std::array<std::vector<MixedLabel>, kKinds> next;
    for (const Capacity before : kAllKinds) {
      for (const std::int32_t from : front[number(before)]) {
        for (const Capacity kind : kAllKinds) {
          if (!can_run(stretch, kind)) continue;
          MixedLabel label = extended(at(from), stretch, before, kind);
          label.before = from;
          if (!is_hopeless(label, stretch + 1)) next[number(kind)].push_back(label);
        }
      }
    }
    Front kept;
    for (const Capacity kind : kAllKinds) keep_undominated(next[number(kind)], kept[number(kind)]);
    return kept;
  }

  /// True if a plan with these starts and spots costs at most as much as another one, for every
  /// continuation of both.
  [[nodiscard]] bool is_no_dearer(std::int64_t starts, std::int64_t spots,
                                  const MixedLabel& other) const {
    const std::int64_t more = (starts - other.starts) * overhead_;
    const std::int64_t ticks = more >= 0 ? (more + tick_ - 1) / tick_ : -(-more / tick_);
    return demand_price_ * static_cast<double>(ticks) <=
           gain_ * static_cast<double>(spots - other.spots);
  }

  /// Keeps the labels with the same last stretch for which no other can do as much work at the same
  /// or a lower cost.
  void keep_undominated(std::vector<MixedLabel>& labels, std::vector<std::int32_t>& kept) {
    std::sort(labels.begin(), labels.end(), [](const MixedLabel& a, const MixedLabel& b) {
      if (a.work != b.work) return a.work > b.work;
      if (a.spots != b.spots) return a.spots > b.spots;
      return a.starts < b.starts;
    });
    std::vector<std::pair<std::int64_t, std::int64_t>> cheapest;  // starts and spots of those kept
    for (const MixedLabel& label : labels) {
      const bool is_dominated = std::any_of(
          cheapest.begin(), cheapest.end(),
          [&](const auto& other) { return is_no_dearer(other.first, other.second, label); });
      if (is_dominated) continue;
      std::erase_if(cheapest, [&](const auto& other) {
        return other.first >= label.starts && other.second <= label.spots;
      });
      cheapest.emplace_back(label.starts, label.spots);
      labels_.push_back(label);
      kept.push_back(static_cast<std::int32_t>(labels_.size()) - 1);
    }
  }

  [[nodiscard]] std::vector<Capacity> plan_of(std::int32_t end) const {
    std::vector<Capacity> plan(static_cast<std::size_t>(total_ticks_), Capacity::kNone);
    if (end < 0) {  // one start on-demand is best
      std::fill_n(plan.begin(), ticks_needed(1), Capacity::kOnDemand);
      return plan;
    }
    std::int64_t too_many = -ticks_needed(at(end).starts);
    for (std::size_t i = stretches_.size(); i-- > 0; end = at(end).before) {
      if (at(end).kind != Capacity::kNone) too_many += stretches_[i].ticks;
      std::fill_n(plan.begin() + stretches_[i].begin, stretches_[i].ticks, at(end).kind);
    }
    for (std::size_t i = plan.size(); i-- > 0 && too_many > 0;) {  // the last ones on-demand
      if (plan[i] != Capacity::kOnDemand) continue;
      plan[i] = Capacity::kNone;
      --too_many;
    }
    return plan;
  }

  std::vector<Stretch> stretches_;
  std::int64_t tick_, needed_, overhead_, total_ticks_;
  double demand_price_, gain_, start_price_;
  std::vector<Relaxation> relaxations_;
  std::vector<MixedLabel> labels_;
  double best_cost_ = 0;  ///< of the best plan known
};

}  // namespace

bool needs_on_demand(const DeadlineCase& run) {
  std::int64_t useful = 0;  // ticks of stretches that are longer than an overhead
  for (const Stretch& stretch : stretches_of(run.spot)) {
    if (stretch.spot && stretch.ticks * run.tick > run.job.overhead) useful += stretch.ticks;
  }
  return useful < ticks_for(run.job.duration, run.job.overhead, run.tick);
}

std::vector<Capacity> mixed_optimum(const DeadlineCase& run) { return MixedSearch(run).plan(); }

}  // namespace cospot
