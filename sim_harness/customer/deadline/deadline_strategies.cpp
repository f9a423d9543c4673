// The strategies of the study `deadline`. A new one is its class, and its row here.

#include "sim_harness/customer/deadline/deadline_strategies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/portable_math.hpp"
#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/customer/deadline/expected_costs.hpp"
#include "sim_harness/customer/deadline/offline_optimum.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"

namespace cospot {
namespace {

/// Ours: knows how often capacity vanishes and returns, from its own observation or from the
/// provider's quote, and makes the choice with the lowest expected cost at each tick.
///
/// Learns while the job runs and updates its choices every `kEvery`. The safety net keeps the job
/// on time however wrong the rates are.
class QuotedStrategy final : public DeadlineStrategy {
 public:
  static constexpr SimTime kEvery = std::chrono::hours(6);
  /// The price to expect before any was seen, as a share of on-demand: the usual one of the paper.
  static constexpr double kUnseenPrice = 0.97 / 3.06;

  QuotedStrategy(const DeadlineCase& run, const SpellHistory& history);

  [[nodiscard]] Capacity choose(const DeadlineView& view) override;

 private:
  /// The expected cost of this tick and all later ones.
  [[nodiscard]] double expected_cost(const DeadlineView& view, Capacity kind) const;

  SpellHistory history_;
  ExpectedCosts costs_;
  double tick_hours_ = 0;
  bool has_prices_ = false;  ///< each tick has its own
  bool learns_ = false;
  SpellRates rates_{};
  std::optional<SimTime> solved_at_;
};

QuotedStrategy::QuotedStrategy(const DeadlineCase& run, const SpellHistory& history)
    : history_(history),
      costs_(run),
      tick_hours_(hours_of(run.tick)),
      has_prices_(!run.spot_prices.empty()),
      learns_(has_prices_ || history.learns()) {}

Capacity QuotedStrategy::choose(const DeadlineView& view) {
  history_.add(view.spot, view.spot_price);
  if (!solved_at_ || (learns_ && view.elapsed - *solved_at_ >= kEvery)) {
    rates_ = history_.rates();
    if (has_prices_) {
      costs_.set_spot_price(
          history_.mean_price().value_or(kUnseenPrice * costs_.price(Capacity::kOnDemand)));
    }
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
  const double price = kind == Capacity::kSpot ? view.spot_price : costs_.price(kind);
  return tick_hours_ * price +
         (1 - ends) *
             costs_.expected(left, slack, kind, {view.spot, age_class(age + tick_hours_)}) +
         ends * costs_.expected(left, slack, kind, {!view.spot, 0});
}

// The strategies of the paper. `Greedy` and `UniformProgress` have its safety net: when the time
// left exceeds the work by less than two overheads and no spot is making progress, they use
// on-demand to the end.
//
// Source: Wu et al., "Can't Be Late: Optimizing Spot Instance Savings under Deadlines", NSDI'24,
// section 4.

/// Remembers whether the paper's safety net has taken over.
class SafetyNet {
 public:
  explicit SafetyNet(SimTime overhead) : overhead_(overhead) {}

  [[nodiscard]] bool has_caught(const DeadlineView& view) {
    const bool makes_progress =
        view.running == Capacity::kSpot && view.overhead_left <= SimTime{} && view.spot;
    if (!makes_progress && view.time_left < view.work_left + 2 * overhead_) caught_ = true;
    return caught_;
  }
  [[nodiscard]] bool has_caught() const { return caught_; }

 private:
  SimTime overhead_;
  bool caught_ = false;
};

/// Runs on-demand from start to end.
class OnDemandStrategy final : public DeadlineStrategy {
 public:
  [[nodiscard]] Capacity choose(const DeadlineView& /*view*/) override {
    return Capacity::kOnDemand;
  }
};

/// Runs on spots whenever available and never on-demand: may be late.
class SpotOnlyStrategy final : public DeadlineStrategy {
 public:
  [[nodiscard]] Capacity choose(const DeadlineView& view) override {
    return view.spot ? Capacity::kSpot : Capacity::kNone;
  }
};

/// Runs on a spot whenever one is available, else waits until the safety net takes over.
class GreedyStrategy final : public DeadlineStrategy {
 public:
  explicit GreedyStrategy(const DeadlineCase& run) : net_(run.job.overhead) {}

  [[nodiscard]] Capacity choose(const DeadlineView& view) override {
    if (net_.has_caught(view)) return Capacity::kOnDemand;
    return view.spot ? Capacity::kSpot : Capacity::kNone;
  }

  [[nodiscard]] bool is_caught() const override { return net_.has_caught(); }

 private:
  SafetyNet net_;
};

/// Uniform Progress: keeps the work done in line with the time elapsed. Runs on a spot whenever one
/// is available. Otherwise runs on-demand when behind and waits when ahead; once on on-demand, it
/// stays until it has done the work that is due two overheads from now.
class UniformProgressStrategy final : public DeadlineStrategy {
 public:
  explicit UniformProgressStrategy(const DeadlineCase& run)
      : job_(run.job), deadline_(run.ticks() * run.tick), net_(run.job.overhead) {}

  [[nodiscard]] Capacity choose(const DeadlineView& view) override {
    if (net_.has_caught(view)) return Capacity::kOnDemand;
    if (view.spot) return Capacity::kSpot;
    const SimTime ahead = view.running == Capacity::kOnDemand ? 2 * job_.overhead : SimTime{};
    return is_behind(view, view.elapsed + ahead) ? Capacity::kOnDemand : Capacity::kNone;
  }
  [[nodiscard]] bool is_caught() const override { return net_.has_caught(); }

 private:
  /// Tells whether less work is done than uniform progress requires at `time`.
  [[nodiscard]] bool is_behind(const DeadlineView& view, SimTime time) const {
    const double done = static_cast<double>((job_.duration - view.work_left).count());
    return done * static_cast<double>(deadline_.count()) <
           static_cast<double>(time.count()) * static_cast<double>(job_.duration.count());
  }

  DeadlineJob job_;
  SimTime deadline_;
  SafetyNet net_;
};

/// The offline optimum, which knows the whole trace (offline_optimum.hpp).
class OptimalStrategy final : public DeadlineStrategy {
 public:
  explicit OptimalStrategy(const DeadlineCase& run) : plan_(offline_optimum(run)) {}

  [[nodiscard]] Capacity choose(const DeadlineView& view) override {
    return plan_[static_cast<std::size_t>(view.tick)];
  }

 private:
  std::vector<Capacity> plan_;
};

template <class Strategy>
std::unique_ptr<DeadlineStrategy> make(const DeadlineCase& run, const SpellHistory& history) {
  if constexpr (std::is_constructible_v<Strategy, const DeadlineCase&, const SpellHistory&>) {
    return std::make_unique<Strategy>(run, history);
  } else if constexpr (std::is_constructible_v<Strategy, const DeadlineCase&>) {
    return std::make_unique<Strategy>(run);
  } else {
    return std::make_unique<Strategy>();
  }
}

constexpr std::string_view kPaper = "Can't Be Late (NSDI'24)";

constexpr std::array kRegistry{
    DeadlineStrategyEntry{.name = "on_demand",
                          .summary = "On-demand from the start to the end.",
                          .source = kPaper,
                          .make = make<OnDemandStrategy>},
    DeadlineStrategyEntry{.name = "spot_only",
                          .summary = "A spot whenever there is one; may be late.",
                          .source = kPaper,
                          .safety_net = false,
                          .make = make<SpotOnlyStrategy>},
    DeadlineStrategyEntry{.name = "greedy",
                          .summary = "A spot whenever there is one, until it must switch.",
                          .source = kPaper,
                          .make = make<GreedyStrategy>},
    DeadlineStrategyEntry{.name = "uniform_progress",
                          .summary = "Work done keeps up with time gone.",
                          .source = kPaper,
                          .make = make<UniformProgressStrategy>},
    DeadlineStrategyEntry{.name = "quoted",
                          .summary = "Least expected cost, given how long spots last.",
                          .source = "docs/deadline.md",
                          .make = make<QuotedStrategy>},
    DeadlineStrategyEntry{.name = "optimal",
                          .summary = "The offline optimum: knows the whole trace.",
                          .source = kPaper,
                          .safety_net = false,
                          .make = make<OptimalStrategy>}};

}  // namespace

std::span<const DeadlineStrategyEntry> deadline_strategies() { return kRegistry; }

const DeadlineStrategyEntry& find_deadline_strategy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const DeadlineStrategyEntry& entry : kRegistry) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw ConfigError(fmt::format("found '{}', expected one of: {}", name, fmt::join(names, ", ")));
}

}  // namespace cospot
