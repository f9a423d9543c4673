#pragma once

#include "core/model/sim_time.hpp"
#include "core/policy/plugin.hpp"
#include "guarantees/sla/lifetime_estimate.hpp"

namespace cospot {

/// The settings of promised lifetimes, for the filter and for the maker of its forecast. The
/// options of LifetimeSla in a chain and the settings of the study `sla` are these.
struct LifetimeSlaOptions {
  double target = 0.01;                 ///< the eviction probability that is promised
  bool admits_before_forecast = false;  ///< before the first refresh
  SimTime refresh{std::chrono::hours(6)};
  bool records_spots = true;            ///< else lifetimes are estimated from the VMs alone
  bool records_evictions = true;        ///< else an eviction is written down as the spot's own end
  double asked_factor = 1;              ///< a customer asks for the true duration times this
  double asking_percent = 100;          ///< of the spots; the others ask for nothing
  LifetimeEstimateSettings estimate{};  ///< without sizes; of no probabilities: of the target
};

/// Reads target, before_first_refresh, refresh_hours, samples, samples_per, least_samples, victim,
/// censored, quantile, condition_width, history, asked_factor and seed.
///
/// Errors: ConfigError.
[[nodiscard]] LifetimeSlaOptions read_lifetime_sla_options(const PluginOptions& options);

}  // namespace cospot
