#pragma once

#include <utility>
#include <vector>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/customer/deadline/offline_optimum.hpp"

namespace cospot {

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

}  // namespace cospot
