#pragma once

#include <cstdint>
#include <optional>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/customer/deadline/expected_costs.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"

namespace cospot {

/// Ours: knows how often capacity vanishes and comes back, of what it saw or as the provider quotes
/// it, and at each tick does what costs least to expect from there on.
///
/// It learns while the job runs, and makes use of that every `kEvery`. The safety net makes no job
/// late however wrong the rates are.
class QuotedStrategy final : public DeadlineStrategy {
 public:
  static constexpr SimTime kEvery = std::chrono::hours(6);

  QuotedStrategy(const DeadlineCase& run, const SpellHistory& history);

  [[nodiscard]] Capacity choose(const DeadlineView& view) override;

 private:
  /// Of this tick and all that follow.
  [[nodiscard]] double expected_cost(const DeadlineView& view, Capacity kind) const;

  SpellHistory history_;
  ExpectedCosts costs_;
  double tick_hours_ = 0;
  SpellRates rates_{};
  std::optional<SimTime> solved_at_;
};

}  // namespace cospot
