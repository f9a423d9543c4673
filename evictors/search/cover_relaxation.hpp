#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cospot {

/// The linear relaxation of the eviction problem: spots may be evicted in part.
///
///     minimise    sum objective_i x_i
///     subject to  sum share_ir x_i >= 1   for each of three resources r
///                 sum cost_i  x_i <= cost limit
///                 0 <= x_i <= 1
///
/// A share is what the item frees of a resource, as a fraction of what is missing. Solved by the
/// primal simplex method with bounded variables (any textbook on linear programming), starting from
/// x = 1. There are only four rows, so a step costs little more than a pass over the items.
///
/// What is wanted are the dual prices. Any non-negative prices give a valid bound, so rounding in
/// here can cost speed, never exactness.
class CoverRelaxation {
 public:
  static constexpr std::size_t kResources = 3;
  static constexpr std::size_t kRows = kResources + 1;
  static constexpr std::size_t kNoItem = SIZE_MAX;
  using Rows = std::array<double, kRows>;

  /// Forgets all items and keeps the memory.
  void clear();

  /// Adds an item. In a resource that is not missing its share is 0.
  void add(double cost, const std::array<double, kResources>& share);

  /// Declares that a resource is missing; without this its row asks for nothing.
  void require(std::size_t resource) { required_[resource] = 1; }

  /// Solves for the least cost without a cost limit. All items together must cover.
  /// Returns what covering all of each resource is worth; the last entry is 0.
  Rows price_costs();

  /// After price_costs(): solves for the fewest items that together cost at most `cost_limit`,
  /// which the least cost must not exceed. The last entry is what the whole cost limit is worth.
  Rows price_counts(double cost_limit);

  /// The item whose level each row of the last solution decides; kNoItem where it is a surplus.
  [[nodiscard]] std::array<std::size_t, kRows> basic_items() const;

  /// What to add to the prices of the last solution so that the reduced costs of its basic items,
  /// which should be 0, lose `error`. One round of iterative refinement.
  [[nodiscard]] Rows correction(const Rows& error) const;

 private:
  struct Column {
    double objective = 0;
    Rows entry{};  ///< in the rows, in the order of Rows; the costs as fractions of cost_scale_
    bool basic = false;
    bool at_upper = true;  ///< where it rests while it is not basic
  };
  struct Move {
    std::size_t column = 0;
    double gain = 0;  ///< what the objective loses for each unit moved; 0: nothing is left to gain
  };

  void start();
  Rows optimise();
  [[nodiscard]] Rows dual_prices() const;
  [[nodiscard]] Move best_move(const Rows& prices) const;
  void apply(std::size_t entering);
  void pivot(std::size_t row, const Rows& direction);
  [[nodiscard]] double upper_bound(std::size_t column) const;

  std::vector<Column> columns_;  ///< the items, then the surplus or slack of each row
  std::size_t items_ = 0;
  double cost_scale_ = 0;  ///< the cost of all items
  Rows required_{};
  std::array<std::size_t, kRows> basis_{};  ///< the basic column of each row
  Rows level_{};                            ///< and its x
  std::array<Rows, kRows> inverse_{};       ///< of the basis
};

}  // namespace cospot
