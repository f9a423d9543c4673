#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/life_curve.hpp"
#include "guarantees/lifetime_predictor.hpp"

namespace cospot {

/// The parameters of a SurvivalModel; docs/lifetime-model.md describes the file it comes from.
struct SurvivalTable {
  std::vector<ResourceVector> flavors;  ///< spot types with hazards of their own
  std::vector<SimTime> interval_ends;   ///< of ages, ascending
  /// For each flavor, then for any other: the chance to end in each interval, once it is reached.
  std::vector<std::vector<double>> hazards;
};

/// Life curves by spot type, estimated from how long spots were seen to live (Kaplan-Meier). It
/// asks of a spot what any cloud tells: its size, and how long it has run.
///
/// Source: Kaplan and Meier, Nonparametric Estimation from Incomplete Observations, JASA 1958.
class SurvivalModel {
 public:
  /// `table` has matching sizes (parse_survival_model checks them).
  explicit SurvivalModel(SurvivalTable table);

  [[nodiscard]] const SurvivalTable& table() const { return table_; }
  [[nodiscard]] const AgeGrid& grid() const { return grid_; }

  /// The life curve of spots of this size.
  [[nodiscard]] std::span<const LifePoint> curve_of(const ResourceVector& resources) const;

 private:
  SurvivalTable table_;
  AgeGrid grid_;
  std::vector<LifePoint> points_;  // curve after curve, in the order of the hazards
};

/// Predicts remaining lives by a SurvivalModel.
class SurvivalPredictor final : public LifetimePredictor {
 public:
  explicit SurvivalPredictor(std::shared_ptr<const SurvivalModel> model)
      : model_(std::move(model)) {}

  void predict(std::span<const RunningSpot> spots, SimTime now, SimTime until,
               std::span<SimTime> remaining) const override;

 private:
  std::shared_ptr<const SurvivalModel> model_;
};

}  // namespace cospot
