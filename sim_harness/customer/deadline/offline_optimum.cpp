#include "sim_harness/customer/deadline/offline_optimum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sim_harness/customer/deadline/mixed_optimum.hpp"

namespace cospot {
namespace {

/// The capacity in use at the end of a stretch, and whether the interval that is not full (see the
/// header) has begun.
enum Mode : std::uint8_t {
  kIdle,
  kSpot,
  kFull,     ///< on-demand that began after a spot interval and must end before one
  kPartial,  ///< on-demand that may end anywhere
  kIdleDone,
  kSpotDone,
  kFullDone,
  kModes
};

constexpr Capacity capacity_of(Mode mode) {
  switch (mode) {
    case kSpot:
    case kSpotDone:
      return Capacity::kSpot;
    case kFull:
    case kFullDone:
    case kPartial:
      return Capacity::kOnDemand;
    default:
      return Capacity::kNone;
  }
}

constexpr std::int32_t kNoLabel = -1;

/// A plan up to the end of a stretch. `action` ran in the stretch's first `ticks` ticks.
struct Label {
  std::int64_t work = 0;  ///< us, overheads taken off
  double cost = 0;
  std::int32_t before = kNoLabel;
  std::int32_t stretch = 0;
  std::int64_t ticks = 0;
  Capacity action = Capacity::kNone;
};

class Search {
 public:
  explicit Search(const DeadlineCase& run)
      : stretches_(stretches_of(run.spot)),
        tick_(run.tick.count()),
        needed_(run.job.duration.count()),
        overhead_(run.job.overhead.count()),
        total_ticks_(run.ticks()) {
    const double hours = hours_of(run.tick);
    price_[static_cast<std::size_t>(Capacity::kSpot)] = run.job.spot_price * hours;
    price_[static_cast<std::size_t>(Capacity::kOnDemand)] = run.job.on_demand_price * hours;
    bounds_.resize(stretches_.size() + 1);
    full_bounds_.resize(stretches_.size() + 1);
  }

  std::vector<Capacity> plan() {
    if (price(Capacity::kSpot) >= price(Capacity::kOnDemand)) return on_demand_only();
    best_cost_ = static_cast<double>(ticks_needed(0, true)) * price(Capacity::kOnDemand) + slack();
    std::vector<Capacity> spots = spots_only();
    choose_work_price();
    labels_.push_back({});
    std::array<std::vector<std::int32_t>, kModes> at{};
    at[kIdle].push_back(0);
    for (std::size_t i = 0; i < stretches_.size(); ++i) at = cross(i, at);
    if (best_ != kNoLabel) return plan_of(best_);
    return spots.empty() ? on_demand_only() : spots;
  }

 private:
  using Front = std::array<std::vector<std::int32_t>, kModes>;

  [[nodiscard]] double price(Capacity kind) const { return price_[static_cast<std::size_t>(kind)]; }
  /// Costs that differ by less are equal.
  [[nodiscard]] double slack() const { return 1e-9 * price(Capacity::kOnDemand); }

  /// Ticks until all work is done, with one more overhead if an instance has to start.
  [[nodiscard]] std::int64_t ticks_needed(std::int64_t work, bool starts) const {
    return (needed_ - work + (starts ? overhead_ : 0) + tick_ - 1) / tick_;
  }

  [[nodiscard]] std::vector<Capacity> on_demand_only() const {
    std::vector<Capacity> plan(static_cast<std::size_t>(total_ticks_), Capacity::kNone);
    std::fill_n(plan.begin(), ticks_needed(0, true), Capacity::kOnDemand);
    return plan;
  }

  /// The cheapest plan of spots alone, which sets best_cost_ if it is cheaper: as few starts as can
  /// be, so the longest stretches. Empty: there is none, or on-demand is cheaper.
  std::vector<Capacity> spots_only() {
    std::vector<std::size_t> longest;
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      if (stretches_[i].spot) longest.push_back(i);
    }
    std::stable_sort(longest.begin(), longest.end(), [this](std::size_t a, std::size_t b) {
      return stretches_[a].ticks > stretches_[b].ticks;
    });
    std::vector<Capacity> plan(static_cast<std::size_t>(total_ticks_), Capacity::kNone);
    std::int64_t work = 0, ticks = 0;
    for (const std::size_t i : longest) {
      const std::int64_t used = std::min(stretches_[i].ticks, ticks_needed(work, true));
      std::fill_n(plan.begin() + stretches_[i].begin, used, Capacity::kSpot);
      ticks += used;
      work += used * tick_ - overhead_;
      if (work < needed_) continue;
      const double cost = static_cast<double>(ticks) * price(Capacity::kSpot);
      if (cost > best_cost_ - slack()) return {};
      best_cost_ = cost;
      return plan;
    }
    return {};
  }

  // Lagrange's relaxation.

  /// A plan that costs least once its work is paid for.
  struct Relaxed {
    std::int64_t work = 0;
    std::array<std::int64_t, 3> ticks{};  ///< by Capacity
  };

  /// Sets bounds_ for a price on work: the least of cost - work_price * work from each stretch and
  /// Capacity on. Returns a plan that reaches it.
  Relaxed relax(double work_price) {
    std::vector<std::array<Capacity, 3>> choice(stretches_.size());
    bounds_.back() = {};
    for (std::size_t i = stretches_.size(); i-- > 0;) {
      for (std::size_t from = 0; from < 3; ++from) {
        double least = bounds_[i + 1][0];
        choice[i][from] = Capacity::kNone;
        for (const Capacity kind : {Capacity::kSpot, Capacity::kOnDemand}) {
          if (kind == Capacity::kSpot && !stretches_[i].spot) continue;
          const auto to = static_cast<std::size_t>(kind);
          const double value = static_cast<double>(stretches_[i].ticks) * price(kind) -
                               work_price * static_cast<double>(work_in(i, from != to)) +
                               bounds_[i + 1][to];
          if (value < least) {
            least = value;
            choice[i][from] = kind;
          }
        }
        bounds_[i][from] = least;
      }
    }
    Relaxed plan;
    std::size_t from = 0;
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      const Capacity kind = choice[i][from];
      const auto to = static_cast<std::size_t>(kind);
      if (kind != Capacity::kNone) plan.work += work_in(i, from != to);
      plan.ticks[to] += stretches_[i].ticks;
      from = to;
    }
    return plan;
  }

  /// The cost of a plan without the ticks that it has too many, the dear ones first.
  [[nodiscard]] double cost_of(const Relaxed& plan) const {
    const std::int64_t surplus = (plan.work - needed_) / tick_;
    const auto dear = static_cast<std::size_t>(Capacity::kOnDemand);
    const auto cheap = static_cast<std::size_t>(Capacity::kSpot);
    const std::int64_t on_demand = std::max<std::int64_t>(plan.ticks[dear] - surplus, 0);
    const std::int64_t left = surplus - (plan.ticks[dear] - on_demand);
    return static_cast<double>(on_demand) * price_[dear] +
           static_cast<double>(plan.ticks[cheap] - left) * price_[cheap];
  }

  [[nodiscard]] std::int64_t work_in(std::size_t stretch, bool starts) const {
    return stretches_[stretch].ticks * tick_ - (starts ? overhead_ : 0);
  }

  /// Finds the price on work that bounds best, by bisection: too low does too little work.
  void choose_work_price() {
    double low = 0;
    double high = 1e3 * price(Capacity::kOnDemand) / static_cast<double>(tick_);
    double best_bound = -1;
    for (int i = 0; i < 48; ++i) {
      const double middle = (low + high) / 2;
      const Relaxed plan = relax(middle);
      const double bound = middle * static_cast<double>(needed_) + bounds_[0][0];
      if (bound > best_bound) {
        best_bound = bound;
        work_price_ = middle;
      }
      (plan.work >= needed_ ? high : low) = middle;
      if (plan.work >= needed_) best_cost_ = std::min(best_cost_, cost_of(plan) + 2 * slack());
    }
    add_other_prices();
  }

  /// Bounds for one price on work.
  struct Bounds {
    double work_price = 0;
    std::vector<std::array<double, 3>> any, full;  ///< by stretch and Capacity
  };

  /// Bounds at prices near the best one: it is the best for the whole job, not for what is left of
  /// each plan.
  void add_other_prices() {
    const double best = work_price_;
    for (const double factor : {0.9, 0.97, 0.99, 0.997, 1.003, 1.01, 1.03, 1.1}) {
      work_price_ = best * factor;
      (void)relax(work_price_);
      bound_full_intervals();
      others_.push_back({work_price_, bounds_, full_bounds_});
    }
    work_price_ = best;
    (void)relax(work_price_);
    bound_full_intervals();
  }

  /// The least that a plan will cost which goes on from here.
  [[nodiscard]] double bound(std::int64_t work, double cost, std::size_t next, Mode mode) const {
    return cost + work_price_ * static_cast<double>(needed_ - work) +
           (mode >= kIdleDone ? full_bounds_
                              : bounds_)[next][static_cast<std::size_t>(capacity_of(mode))];
  }

  /// Tells whether it cannot be better than the best plan known.
  [[nodiscard]] bool is_hopeless(const Label& label, std::size_t next, Mode mode) const {
    const double most = best_cost_ - slack();
    if (bound(label.work, label.cost, next, mode) > most) return true;
    const auto kind = static_cast<std::size_t>(capacity_of(mode));
    const double left = static_cast<double>(needed_ - label.work);
    return std::any_of(others_.begin(), others_.end(), [&](const Bounds& other) {
      const double rest = (mode >= kIdleDone ? other.full : other.any)[next][kind];
      return label.cost + other.work_price * left + rest > most;
    });
  }

  /// Sets full_bounds_, as bounds_, for plans whose intervals are all full from there on.
  void bound_full_intervals() {
    constexpr auto kNone = static_cast<std::size_t>(Capacity::kNone);
    constexpr auto kSpotNow = static_cast<std::size_t>(Capacity::kSpot);
    constexpr auto kDemand = static_cast<std::size_t>(Capacity::kOnDemand);
    full_bounds_.back() = {};
    for (std::size_t i = stretches_.size(); i-- > 0;) {
      const auto value = [&](Capacity kind, bool starts) {
        return static_cast<double>(stretches_[i].ticks) * price(kind) -
               work_price_ * static_cast<double>(work_in(i, starts)) +
               full_bounds_[i + 1][static_cast<std::size_t>(kind)];
      };
      const double spot = stretches_[i].spot ? value(Capacity::kSpot, true)
                                             : std::numeric_limits<double>::infinity();
      const double none = full_bounds_[i + 1][kNone];
      full_bounds_[i][kNone] = std::min(none, spot);
      full_bounds_[i][kSpotNow] = std::min({none, spot, value(Capacity::kOnDemand, true)});
      full_bounds_[i][kDemand] = std::min(spot, value(Capacity::kOnDemand, false));
    }
  }

  // Labels.

  Front cross(std::size_t stretch, const Front& front) {
    Front next;
    for (std::size_t mode = 0; mode < kModes; ++mode) {
      for (const std::int32_t label : front[mode]) {
        extend(stretch, static_cast<Mode>(mode), label, next);
      }
    }
    for (std::vector<std::int32_t>& labels : next) keep_undominated(labels);
    return next;
  }

  void extend(std::size_t stretch, Mode mode, std::int32_t label, Front& next) {
    const bool done = mode >= kIdleDone;
    const bool is_full = mode == kFull || mode == kFullDone;
    const bool after_spot = mode == kSpot || mode == kSpotDone || (label == 0 && stretch == 0);
    if (!is_full) {
      const bool now_done = done || mode == kPartial;
      add(stretch, label, Capacity::kNone, true, now_done ? kIdleDone : kIdle, next);
    }
    if (stretches_[stretch].spot) {
      const bool now_done = done || mode == kPartial;
      add(stretch, label, Capacity::kSpot, true, now_done ? kSpotDone : kSpot, next);
    }
    if (after_spot || is_full) {
      add(stretch, label, Capacity::kOnDemand, !is_full, done ? kFullDone : kFull, next);
    }
    if (!done && (after_spot || mode == kPartial)) {
      const bool starts = mode != kPartial;
      add(stretch, label, Capacity::kOnDemand, starts, kPartial, next);
      add_partial(stretch, label, starts, next);
    }
  }

  /// Runs `kind` through the whole stretch, or until the work is done.
  void add(std::size_t stretch, std::int32_t before, Capacity kind, bool starts, Mode mode,
           Front& next) {
    const Label from = labels_[static_cast<std::size_t>(before)];
    const std::int64_t ticks = stretches_[stretch].ticks;
    if (kind == Capacity::kNone) {
      keep({from.work, from.cost, before, static_cast<std::int32_t>(stretch), 0, kind}, mode, next);
      return;
    }
    const std::int64_t needed = ticks_needed(from.work, starts);
    Label to{from.work + work_in(stretch, starts),
             from.cost + static_cast<double>(ticks) * price(kind),
             before,
             static_cast<std::int32_t>(stretch),
             ticks,
             kind};
    if (needed > ticks) {
      keep(to, mode, next);
      return;
    }
    to.ticks = needed;
    to.cost = from.cost + static_cast<double>(needed) * price(kind);
    if (to.cost > best_cost_ - slack()) return;
    best_cost_ = to.cost;
    labels_.push_back(to);
    best_ = static_cast<std::int32_t>(labels_.size()) - 1;
  }

  /// Runs on-demand in the first ticks of a stretch, fewer than all, and idles in the others.
  void add_partial(std::size_t stretch, std::int32_t before, bool starts, Front& next) {
    const Capacity kind = Capacity::kOnDemand;
    const Label from = labels_[static_cast<std::size_t>(before)];
    const std::int64_t most =
        std::min(stretches_[stretch].ticks, ticks_needed(from.work, starts)) - 1;
    // The bound is linear in the number of ticks: only those on one side of where it is too high.
    const double slope = price(kind) - work_price_ * static_cast<double>(tick_);
    const std::int64_t overhead = starts ? overhead_ : 0;
    const double at_zero = bound(from.work - overhead, from.cost, stretch + 1, kIdleDone);
    const double room = best_cost_ - slack() - at_zero;
    std::int64_t first = 1, last = most;
    if (slope >= 0) {
      if (room < 0) return;
      if (slope * static_cast<double>(most) > room) {
        last = std::min(last, static_cast<std::int64_t>(room / slope));
      }
    } else if (slope * static_cast<double>(most) > room) {
      return;
    } else if (room < 0) {
      first = std::max(first, static_cast<std::int64_t>(room / slope));
    }
    for (std::int64_t ticks = first; ticks <= last; ++ticks) {
      keep({from.work + ticks * tick_ - overhead,
            from.cost + static_cast<double>(ticks) * price(kind), before,
            static_cast<std::int32_t>(stretch), ticks, kind},
           kIdleDone, next);
    }
  }

  void keep(const Label& label, Mode mode, Front& next) {
    const auto after = static_cast<std::size_t>(label.stretch) + 1;
    if (is_hopeless(label, after, mode)) return;
    labels_.push_back(label);
    next[mode].push_back(static_cast<std::int32_t>(labels_.size()) - 1);
  }

  /// Keeps the labels that are cheaper than all which have done as much work.
  void keep_undominated(std::vector<std::int32_t>& labels) const {
    const auto at = [this](std::int32_t label) -> const Label& {
      return labels_[static_cast<std::size_t>(label)];
    };
    std::sort(labels.begin(), labels.end(), [&](std::int32_t a, std::int32_t b) {
      if (at(a).work != at(b).work) return at(a).work > at(b).work;
      return at(a).cost < at(b).cost;
    });
    double least = std::numeric_limits<double>::infinity();
    std::erase_if(labels, [&](std::int32_t label) {
      if (at(label).cost >= least) return true;
      least = at(label).cost;
      return false;
    });
  }

  [[nodiscard]] std::vector<Capacity> plan_of(std::int32_t last) const {
    std::vector<Capacity> plan(static_cast<std::size_t>(total_ticks_), Capacity::kNone);
    for (std::int32_t i = last; i != kNoLabel; i = labels_[static_cast<std::size_t>(i)].before) {
      const Label& label = labels_[static_cast<std::size_t>(i)];
      if (label.before == kNoLabel) break;
      const std::int64_t begin = stretches_[static_cast<std::size_t>(label.stretch)].begin;
      std::fill_n(plan.begin() + begin, label.ticks, label.action);
    }
    return plan;
  }

  std::vector<Stretch> stretches_;
  std::int64_t tick_, needed_, overhead_, total_ticks_;
  std::array<double, 3> price_{};  ///< of a tick, by Capacity
  double work_price_ = 0;
  std::vector<std::array<double, 3>> bounds_;       ///< by stretch and Capacity
  std::vector<std::array<double, 3>> full_bounds_;  ///< the same; all intervals are full
  std::vector<Bounds> others_;                      ///< for other prices on work
  std::vector<Label> labels_;
  double best_cost_ = 0;  ///< of the best plan known
  std::int32_t best_ = kNoLabel;
};

}  // namespace

std::vector<Capacity> offline_optimum(const DeadlineCase& run) {
  if (!run.spot_prices.empty()) return priced_optimum(run);
  const bool is_cheaper = run.job.spot_price < run.job.on_demand_price;
  return is_cheaper && needs_on_demand(run) ? mixed_optimum(run) : Search(run).plan();
}

}  // namespace cospot
