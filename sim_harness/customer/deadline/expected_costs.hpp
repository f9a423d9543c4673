#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sim_harness/customer/deadline/deadline_run.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"

namespace cospot {

/// The spell that a tick belongs to.
struct Spell {
  bool up = false;      ///< with capacity
  std::size_t age = 0;  ///< class of its age
};

/// What the rest of a job with a deadline costs to expect, if spells end at given rates and the
/// cheapest choice is made from there on.
///
/// It is computed backwards over (time left, slack, what runs, spell), where slack is the time left
/// beyond the work left: idling uses it up, and so does every overhead. Slack below one overhead
/// allows nothing but on-demand. A spell goes on to the next class of ages with the probability
/// that makes the mean time in a class what it is. The grid is coarse (a few hundred steps each
/// way, linear in between): it only has to rank three choices.
class ExpectedCosts {
 public:
  explicit ExpectedCosts(const DeadlineCase& run);

  /// For all times up to `hours_left` before the deadline.
  void solve(const SpellRates& rates, double hours_left);

  /// Of the rest at the beginning of a tick that belongs to `spell`, before anything is chosen in
  /// it. A time left above that of solve() counts as that.
  [[nodiscard]] double expected(double hours_left, double slack, Capacity running,
                                Spell spell) const;

  [[nodiscard]] double price(Capacity kind) const {
    return prices_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] double overhead_hours() const { return overhead_hours_; }

 private:
  static constexpr std::size_t kPoints = 193;
  using Row = std::array<float, kPoints>;  ///< over the slack
  using Rows = std::array<Row, 3>;         ///< by what runs, over the slack

  void solve_step(std::size_t step, Spell spell, const SpellRates& ends);
  /// Costs of the rest if `kind` ran in the last step, by where the spell may be now.
  [[nodiscard]] Row after_step(std::size_t step, Capacity kind, Spell spell,
                               const SpellRates& ends) const;
  [[nodiscard]] Row costs_of_choice(std::size_t step, Capacity kind, double overhead,
                                    const Row& after) const;
  [[nodiscard]] double rest(std::size_t step, double slack, Capacity kind, const Row& row) const;
  /// Of what still runs of `running` in a spell.
  [[nodiscard]] const Row& row(std::size_t step, Capacity running, Spell spell) const;
  [[nodiscard]] static std::size_t place(std::size_t step, Spell spell) {
    return (step * 2 + (spell.up ? 1 : 0)) * kAgeClasses + spell.age;
  }

  std::array<double, 3> prices_{};  ///< USD/h, by Capacity
  double overhead_hours_ = 0;
  double step_hours_ = 0;   ///< of the grid: one tick or more
  double slack_unit_ = 0;   ///< hours between two points of the grid
  std::size_t steps_ = 0;   ///< that are solved
  std::vector<Rows> rows_;  ///< by steps to go, capacity and class of age
};

}  // namespace cospot
