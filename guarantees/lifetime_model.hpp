#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "core/model/spot_traits.hpp"
#include "guarantees/life_curve.hpp"

namespace cospot {

/// The parameters of a LifetimeModel: a network with one hidden layer of rectified linear units.
/// All its inputs are 0 or 1, one of each kind is 1, so that they need no scaling and the hidden
/// layer is a sum of rows. docs/lifetime-model.md describes the file it comes from.
struct LifetimeNetwork {
  std::vector<ResourceVector> flavors;  ///< spot types; any other one is the input after them
  std::vector<SimTime> interval_ends;   ///< of ages, ascending
  std::vector<std::uint32_t> interval_inputs;  ///< the age input of each interval
  std::vector<SimTime> previous_ends;  ///< classes of the previous lifetime: below each of these,
                                       ///< then longer, then unknown

  std::vector<double> hidden_bias;     ///< one for each hidden unit
  std::vector<double> output_weights;  ///< likewise
  double output_bias = 0;

  // Rows of hidden units' weights, one row for each input of the kind.
  std::vector<double> flavor_rows;    ///< flavors, then any other
  std::vector<double> hour_rows;      ///< 24 hours of the day, counted from the window's start
  std::vector<double> weekday_rows;   ///< 7 days of the week, day 0 that of the window's start
  std::vector<double> previous_rows;  ///< classes of the previous lifetime
  std::vector<double> age_rows;       ///< age inputs

  [[nodiscard]] std::size_t hidden() const { return hidden_bias.size(); }
  [[nodiscard]] std::size_t age_inputs() const { return age_rows.size() / hidden(); }
};

/// The inputs of a spot. Spots with the same inputs have the same life curve.
struct LifetimeInputs {
  std::uint32_t flavor = 0;
  std::uint32_t hour = 0;
  std::uint32_t weekday = 0;
  std::uint32_t previous = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr) of a comparison that is defaulted
  friend auto operator<=>(const LifetimeInputs&, const LifetimeInputs&) = default;
};

/// Predicts how long a spot lives from what is known when it is requested: a discrete-time hazard
/// (the chance to end in an interval of age, once it is reached) from a small neural network.
///
/// Source: CoSpot, section 4.6 (LPML).
class LifetimeModel {
 public:
  /// `network` has matching sizes (parse_lifetime_model checks them).
  explicit LifetimeModel(LifetimeNetwork network);

  [[nodiscard]] const AgeGrid& grid() const { return grid_; }
  [[nodiscard]] const LifetimeNetwork& network() const { return network_; }

  [[nodiscard]] LifetimeInputs inputs_of(const SpotTraits& traits) const;

  /// The chance to end in each interval, for those that reach it.
  [[nodiscard]] std::vector<double> hazards_of(const LifetimeInputs& inputs) const;

  /// Writes the life curve; `points` has grid().intervals() + 1 elements.
  void fill_curve(const LifetimeInputs& inputs, std::span<LifePoint> points) const;

 private:
  LifetimeNetwork network_;
  AgeGrid grid_;
};

}  // namespace cospot
