#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"

namespace cospot {

/// The spell to which a tick belongs.
struct Spell {
  bool up = false;      ///< with capacity
  std::size_t age = 0;  ///< its age class
};

/// The expected cost of the rest of a job with a deadline, if spells end at given rates and every
/// later choice is optimal.
///
/// Computed backwards over (time left, slack, what runs, spell). Slack is the time left beyond the
/// remaining work; idling and overheads consume it. If it is below one overhead, only on-demand is
/// allowed. A spell moves on to the next age class with the probability that preserves the mean
/// time in a class. The grid is coarse (a few hundred steps per dimension, linear in between)
/// because it only has to rank three choices.
class ExpectedCosts {
 public:
  explicit ExpectedCosts(const DeadlineCase& run);

  /// The price to expect of a spot; that of the job unless set.
  void set_spot_price(double price) { prices_[static_cast<std::size_t>(Capacity::kSpot)] = price; }

  /// For all times up to `hours_left` before the deadline.
  void solve(const SpellRates& rates, double hours_left);

  /// The expected cost of the rest at the beginning of a tick of `spell`, before anything is chosen
  /// in it. A longer time left than in solve() counts as that of solve().
  [[nodiscard]] double expected(double hours_left, double slack, Capacity running,
                                Spell spell) const;

  [[nodiscard]] double price(Capacity kind) const {
    return prices_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] double overhead_hours() const { return overhead_hours_; }

 private:
  static constexpr std::size_t kPoints = 193;
  using Row = std::array<float, kPoints>;  ///< by slack
  using Rows = std::array<Row, 3>;         ///< by what runs, then by slack

  void solve_step(std::size_t step, Spell spell, const SpellRates& ends);
  /// Cost of the rest if `kind` ran in the last step, given the possible spells now.
  [[nodiscard]] Row after_step(std::size_t step, Capacity kind, Spell spell,
                               const SpellRates& ends) const;
  [[nodiscard]] Row costs_of_choice(std::size_t step, Capacity kind, double overhead,
                                    const Row& after) const;
  [[nodiscard]] double rest(std::size_t step, double slack, Capacity kind, const Row& row) const;
  /// The costs if `running`, or what survives of it in the spell, still runs.
  [[nodiscard]] const Row& row(std::size_t step, Capacity running, Spell spell) const;
  [[nodiscard]] static std::size_t place(std::size_t step, Spell spell) {
    return (step * 2 + (spell.up ? 1 : 0)) * kAgeClasses + spell.age;
  }

  std::array<double, 3> prices_{};  ///< USD/h, by Capacity
  double overhead_hours_ = 0;
  double step_hours_ = 0;   ///< step of the grid: one tick or more
  double slack_unit_ = 0;   ///< hours between two grid points
  std::size_t steps_ = 0;   ///< number of steps solved
  std::vector<Rows> rows_;  ///< by steps to go, capacity and class of age
};

}  // namespace cospot
