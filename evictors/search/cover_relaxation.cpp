#include "evictors/search/cover_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cospot {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kPivotTolerance = 1e-9;  // entries are fractions of 1
constexpr double kGainTolerance = 1e-13;  // relative to the largest objective
constexpr std::size_t kCostRow = CoverRelaxation::kResources;
constexpr double kCostLimitAtStart = 2;  // times the cost of all items: never binds

}  // namespace

void CoverRelaxation::clear() {
  columns_.clear();
  cost_scale_ = 0;
  required_ = {};
}

void CoverRelaxation::add(double cost, const std::array<double, kResources>& share) {
  columns_.push_back({.objective = cost, .entry = {share[0], share[1], share[2], cost}});
  cost_scale_ += cost;
}

void CoverRelaxation::start() {
  // Everything is taken. What the rows have to spare forms the first basis.
  items_ = columns_.size();
  level_ = {};
  for (std::size_t r = 0; r < kResources; ++r) level_[r] = -required_[r];
  for (Column& column : columns_) {
    column.entry[kCostRow] /= cost_scale_;
    for (std::size_t r = 0; r < kResources; ++r) level_[r] += column.entry[r];
  }
  level_[kCostRow] = kCostLimitAtStart - 1;
  inverse_ = {};
  for (std::size_t row = 0; row < kRows; ++row) {
    Column spare{.basic = true, .at_upper = false};
    spare.entry[row] = inverse_[row][row] = row == kCostRow ? 1 : -1;
    basis_[row] = columns_.size();
    columns_.push_back(spare);
  }
}

double CoverRelaxation::upper_bound(std::size_t column) const {
  return column < items_ ? 1 : kUnbounded;
}

CoverRelaxation::Rows CoverRelaxation::dual_prices() const {
  Rows prices{};
  for (std::size_t row = 0; row < kRows; ++row) {
    const double objective = columns_[basis_[row]].objective;
    for (std::size_t r = 0; r < kRows; ++r) prices[r] += objective * inverse_[row][r];
  }
  return prices;
}

CoverRelaxation::Move CoverRelaxation::best_move(const Rows& prices) const {
  Move best;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if (column.basic) continue;
    double reduced = column.objective;
    for (std::size_t r = 0; r < kRows; ++r) reduced -= prices[r] * column.entry[r];
    const double gain = column.at_upper ? reduced : -reduced;
    if (gain > best.gain) best = {.column = i, .gain = gain};
  }
  return best;
}

void CoverRelaxation::apply(std::size_t entering) {
  Column& column = columns_[entering];
  const double sign = column.at_upper ? -1 : 1;
  Rows direction{};  // how fast each basic level falls
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t r = 0; r < kRows; ++r) {
      direction[row] += sign * inverse_[row][r] * column.entry[r];
    }
  }
  // The column moves until it meets its other bound, or a basic level meets one.
  double length = upper_bound(entering);
  std::size_t blocking = kRows;
  for (std::size_t row = 0; row < kRows; ++row) {
    if (std::abs(direction[row]) < kPivotTolerance) continue;
    const double room = direction[row] > 0 ? level_[row] : level_[row] - upper_bound(basis_[row]);
    const double reach = std::max(0.0, room / direction[row]);
    if (reach >= length) continue;
    length = reach;
    blocking = row;
  }
  for (std::size_t row = 0; row < kRows; ++row) level_[row] -= length * direction[row];
  if (blocking == kRows) {
    column.at_upper = !column.at_upper;
    return;
  }
  Column& leaving = columns_[basis_[blocking]];
  leaving.basic = false;
  leaving.at_upper = direction[blocking] < 0;
  level_[blocking] = column.at_upper ? 1 - length : length;
  column.basic = true;
  basis_[blocking] = entering;
  for (double& entry : direction) entry *= sign;
  pivot(blocking, direction);
}

void CoverRelaxation::pivot(std::size_t row, const Rows& direction) {
  for (double& entry : inverse_[row]) entry /= direction[row];
  for (std::size_t other = 0; other < kRows; ++other) {
    if (other == row) continue;
    for (std::size_t r = 0; r < kRows; ++r) {
      inverse_[other][r] -= direction[other] * inverse_[row][r];
    }
  }
}

CoverRelaxation::Rows CoverRelaxation::optimise() {
  double largest = 0;
  for (const Column& column : columns_) largest = std::max(largest, column.objective);
  // Far more steps than are ever needed: a guard against cycling.
  const std::size_t step_limit = 8 * columns_.size();
  Rows prices = dual_prices();
  for (std::size_t i = 0; i < step_limit; ++i) {
    const Move move = best_move(prices);
    if (move.gain <= kGainTolerance * largest) break;
    apply(move.column);
    prices = dual_prices();
  }
  prices[kCostRow] = -prices[kCostRow];
  for (double& price : prices) price = std::max(0.0, price);
  return prices;
}

CoverRelaxation::Rows CoverRelaxation::price_costs() {
  start();
  Rows prices = optimise();
  prices[kCostRow] = 0;
  return prices;
}

CoverRelaxation::Rows CoverRelaxation::price_counts(double cost_limit) {
  for (std::size_t row = 0; row < kRows; ++row) {
    if (basis_[row] != items_ + kCostRow) continue;
    level_[row] = std::max(0.0, level_[row] - kCostLimitAtStart + cost_limit / cost_scale_);
  }
  for (std::size_t i = 0; i < items_; ++i) columns_[i].objective = 1;
  Rows prices = optimise();
  prices[kCostRow] *= cost_limit / cost_scale_;
  return prices;
}

std::array<std::size_t, CoverRelaxation::kRows> CoverRelaxation::basic_items() const {
  std::array<std::size_t, kRows> items = basis_;
  for (std::size_t& item : items) {
    if (item >= items_) item = kNoItem;
  }
  return items;
}

CoverRelaxation::Rows CoverRelaxation::correction(const Rows& error) const {
  Rows correction{};
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t r = 0; r < kRows; ++r) correction[r] += error[row] * inverse_[row][r];
  }
  return correction;
}

}  // namespace cospot
