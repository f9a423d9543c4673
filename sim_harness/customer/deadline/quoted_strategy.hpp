#pragma once

#include <cstdint>
#include <optional>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/customer/deadline/expected_costs.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"

namespace cospot {

/// Ours: knows how often capacity vanishes and returns, from its own observation or from the
/// provider's quote, and makes the choice with the lowest expected cost at each tick.
///
/// Learns while the job runs and updates its choices every `kEvery`. The safety net keeps the job
/// on time however wrong the rates are.
class QuotedStrategy final : public DeadlineStrategy {
 public:
  static constexpr SimTime kEvery = std::chrono::hours(6);

  QuotedStrategy(const DeadlineCase& run, const SpellHistory& history);

  [[nodiscard]] Capacity choose(const DeadlineView& view) override;

 private:
  /// The expected cost of this tick and all later ones.
  [[nodiscard]] double expected_cost(const DeadlineView& view, Capacity kind) const;

  SpellHistory history_;
  ExpectedCosts costs_;
  double tick_hours_ = 0;
  SpellRates rates_{};
  std::optional<SimTime> solved_at_;
};

}  // namespace cospot
