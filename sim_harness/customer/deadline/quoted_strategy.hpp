#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sim_harness/customer/deadline/deadline_run.hpp"

namespace cospot {

/// Ours: knows how long capacity lasts and how long it stays away on the mean, as the provider
/// quotes it, and at each tick does what costs least to expect from there on.
///
/// The capacity is taken for a process without memory with the quoted means. What is expected is
/// computed backwards over (time left, slack, what runs, spot there or not), where slack is the
/// time left beyond the work left: idling uses it up, and so does every overhead. Slack below one
/// overhead allows nothing but on-demand. The grid is coarse (a few hundred steps each way, linear
/// in between): it only has to rank three choices, and the safety net makes no job late however
/// wrong the quote is.
class QuotedStrategy final : public DeadlineStrategy {
 public:
  QuotedStrategy(const DeadlineCase& run, const CapacityQuote& quote);

  [[nodiscard]] Capacity choose(const DeadlineView& view) override;

 private:
  using Values = std::array<std::vector<float>, 6>;  ///< by 2 * Capacity + spot: over the slack

  void solve_step(std::size_t step);
  /// Expected cost of the rest after a choice that leaves this slack with `step` steps to go.
  [[nodiscard]] double expected(std::size_t step, double slack, Capacity kind, bool spot) const;
  [[nodiscard]] double after(std::size_t step, double slack, Capacity kind, bool spot) const;
  [[nodiscard]] double best_from(std::size_t step, double slack, Capacity running, bool spot) const;

  DeadlineJob job_;
  double tick_hours_ = 0;
  double step_hours_ = 0;  ///< of the grid: one tick or more
  double overhead_hours_ = 0;
  double slack_unit_ = 0;  ///< hours between two points of the grid
  std::size_t points_ = 0;
  double lost_ = 0;             ///< probability that capacity vanishes in a step
  double returned_ = 0;         ///< and that it comes back
  std::vector<Values> values_;  ///< by steps to go
};

}  // namespace cospot
