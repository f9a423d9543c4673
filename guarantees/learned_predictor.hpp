#pragma once

#include <memory>

#include "guarantees/lifetime_model.hpp"
#include "guarantees/lifetime_predictor.hpp"

namespace cospot {

/// Predicts remaining lives by a LifetimeModel.
///
/// By itself it knows of a spot what RunningSpot says, not the customer's previous lifetime, and
/// evaluates the network at every question. Informed of a workload, it has evaluated it once for
/// all spots that are alike, and a question reads their curve.
class LearnedPredictor final : public LifetimePredictor {
 public:
  explicit LearnedPredictor(std::shared_ptr<const LifetimeModel> model)
      : model_(std::move(model)) {}

  void predict(std::span<const RunningSpot> spots, SimTime now, SimTime until,
               std::span<SimTime> remaining) const override;
  [[nodiscard]] std::shared_ptr<const LifetimePredictor> prepared_for(
      const ReadTraits& read_traits) const override;

 private:
  std::shared_ptr<const LifetimeModel> model_;
};

}  // namespace cospot
