#include "guarantees/learned_predictor.hpp"

#include <map>
#include <utility>
#include <vector>

namespace cospot {
namespace {

/// Knows the curve of every spot of a workload.
class InformedPredictor final : public LifetimePredictor {
 public:
  InformedPredictor(std::shared_ptr<const LifetimeModel> model, std::span<const SpotTraits> spots)
      : model_(std::move(model)), points_(model_->grid().intervals() + 1) {
    std::map<LifetimeInputs, std::uint32_t> known;
    for (const SpotTraits& traits : spots) {
      const LifetimeInputs inputs = model_->inputs_of(traits);
      const auto [found, is_new] =
          known.try_emplace(inputs, static_cast<std::uint32_t>(known.size()));
      if (is_new) {
        curves_.resize(known.size() * points_);
        model_->fill_curve(inputs, curve(found->second));
      }
      if (curve_of_.size() <= traits.instance) curve_of_.resize(traits.instance + 1);
      curve_of_[traits.instance] = found->second;
    }
  }

  void predict(std::span<const RunningSpot> spots, SimTime now, SimTime until,
               std::span<SimTime> remaining) const override {
    for (std::size_t i = 0; i < spots.size(); ++i) {
      const std::size_t first = curve_of_[spots[i].instance] * points_;
      remaining[i] = remaining_life(model_->grid(), std::span(curves_).subspan(first, points_),
                                    spots[i].placed_at, now, until);
    }
  }

 private:
  [[nodiscard]] std::span<LifePoint> curve(std::size_t number) {
    return std::span(curves_).subspan(number * points_, points_);
  }

  std::shared_ptr<const LifetimeModel> model_;
  std::size_t points_;
  std::vector<LifePoint> curves_;        // one after the other
  std::vector<std::uint32_t> curve_of_;  // of each instance; that of a VM is of no interest
};

}  // namespace

void LearnedPredictor::predict(std::span<const RunningSpot> spots, SimTime now, SimTime until,
                               std::span<SimTime> remaining) const {
  std::vector<LifePoint> curve(model_->grid().intervals() + 1);
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const SpotTraits traits{.instance = spots[i].instance,
                            .resources = spots[i].resources,
                            .requested_at = spots[i].placed_at};
    model_->fill_curve(model_->inputs_of(traits), curve);
    remaining[i] = remaining_life(model_->grid(), curve, spots[i].placed_at, now, until);
  }
}

std::shared_ptr<const LifetimePredictor> LearnedPredictor::prepared_for(
    const ReadTraits& read_traits) const {
  return std::make_shared<InformedPredictor>(model_, read_traits());
}

}  // namespace cospot
