#include "guarantees/survival_model.hpp"

#include <algorithm>
#include <utility>

namespace cospot {

SurvivalModel::SurvivalModel(SurvivalTable table)
    : table_(std::move(table)), grid_(table_.interval_ends) {
  const std::size_t points = grid_.intervals() + 1;
  points_.resize(table_.hazards.size() * points);
  for (std::size_t i = 0; i < table_.hazards.size(); ++i) {
    fill_life_curve(grid_, table_.hazards[i], std::span(points_).subspan(i * points, points));
  }
}

std::span<const LifePoint> SurvivalModel::curve_of(const ResourceVector& resources) const {
  const auto flavor = std::ranges::find(table_.flavors, resources);
  const std::size_t points = grid_.intervals() + 1;
  const auto number = static_cast<std::size_t>(flavor - table_.flavors.begin());
  return std::span(points_).subspan(number * points, points);
}

void SurvivalPredictor::predict(std::span<const RunningSpot> spots, SimTime now, SimTime until,
                                std::span<SimTime> remaining) const {
  for (std::size_t i = 0; i < spots.size(); ++i) {
    remaining[i] = remaining_life(model_->grid(), model_->curve_of(spots[i].resources),
                                  spots[i].placed_at, now, until);
  }
}

}  // namespace cospot
