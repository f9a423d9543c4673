#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cospot {

/// The linear relaxation of the eviction problem: it may evict fractions of spots.
///
///     minimise    sum objective_i x_i
///     subject to  sum share_ir x_i >= 1   for each of three resources r
///                 sum cost_i  x_i <= cost limit
///                 0 <= x_i <= 1
///
/// A share is the amount of a resource that the item frees, as a fraction of what is missing. The
/// primal simplex method with bounded variables (any textbook on linear programming) starts from x
/// = 1. There are only four rows, so a step costs little more than a pass over the items.
///
/// Callers need only the dual prices. Any non-negative prices give a valid bound, so rounding here
/// can cost speed but never exactness.
class CoverRelaxation {
 public:
  static constexpr std::size_t kResources = 3;
  static constexpr std::size_t kRows = kResources + 1;
  static constexpr std::size_t kNoItem = SIZE_MAX;
  using Rows = std::array<double, kRows>;

  /// Removes all items but keeps the allocated memory.
  void clear();

  /// Adds an item. Its share of a resource that is not missing is 0.
  void add(double cost, const std::array<double, kResources>& share);

  /// Declares that a resource is missing; other rows require nothing.
  void require(std::size_t resource) { required_[resource] = 1; }

  /// Solves for the least cost without a cost limit. All items together must cover the shortfall.
  /// Returns the dual price of each resource's row; the last entry is 0.
  Rows price_costs();

  /// After price_costs(): solves for the fewest items that together cost at most `cost_limit`,
  /// which must be at least the least cost. The last entry is the dual price of the whole cost
  /// limit.
  Rows price_counts(double cost_limit);

  /// The item that is basic in each row of the last solution; kNoItem for a surplus or slack.
  [[nodiscard]] std::array<std::size_t, kRows> basic_items() const;

  /// The change of the last solution's prices that lowers the reduced costs of its basic items,
  /// which should be 0, by `error`: one round of iterative refinement.
  [[nodiscard]] Rows correction(const Rows& error) const;

 private:
  struct Column {
    double objective = 0;
    Rows entry{};  ///< coefficients, in the order of Rows; costs as fractions of cost_scale_
    bool basic = false;
    bool at_upper = true;  ///< its bound while it is not basic
  };
  struct Move {
    std::size_t column = 0;
    double gain = 0;  ///< decrease of the objective per unit moved; 0: optimal
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
  Rows level_{};                            ///< its x
  std::array<Rows, kRows> inverse_{};       ///< of the basis
};

}  // namespace cospot
