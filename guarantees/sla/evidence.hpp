#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"

namespace cospot {

/// The number of independent observations that support a target, if `share` of them were evicted:
/// the upper end of Clopper and Pearson's interval is then at most the target. Nothing: more than
/// anybody will have.
[[nodiscard]] std::optional<std::uint64_t> observations_needed(double target, double share = 0);

/// A lifetime that is promised from a number of free slots on, in whole seconds; kNoPromise: none.
struct LifetimeStep {
  std::int64_t slots = 0;
  SimTime lifetime = kNoPromise;
};

/// The promises that a history supports: no promise is longer, and none is surer, than what was
/// observed.
///
/// Thousands of fictitious spots in one history are no thousands of observations: they share the
/// same past. For a lifetime of L the history counts as so many independent observations as there
/// are starts, at least L apart, at times when as many slots were free as now
/// (LifetimeQuantiles::observed); and as no more than spots ran in it. All observed time would be
/// too much: three weeks of an empty cloud say nothing about the hour in which it is full.
class Evidence {
 public:
  /// Args: targets: probabilities of eviction for which lifetimes are promised.
  Evidence(std::uint64_t spots, std::span<const double> targets);

  [[nodiscard]] std::uint64_t spots() const { return spots_; }
  [[nodiscard]] const std::vector<double>& targets() const { return targets_; }
  /// The probabilities whose quantiles are looked at; LifetimeQuantiles has to have them.
  [[nodiscard]] const std::vector<double>& probabilities() const { return probabilities_; }

  /// The longest lifetime that may be promised; kNoPromise: none. Errors: ConfigError for a target
  /// that is none of its own.
  [[nodiscard]] SimTime supported(const LifetimeQuantiles& quantiles, const ResourceVector& size,
                                  std::int64_t slots, double target) const;

  /// The numbers of free slots, up to `most`, from which on another lifetime is supported; the
  /// first is 0. Errors: as supported.
  [[nodiscard]] std::vector<LifetimeStep> steps(const LifetimeQuantiles& quantiles,
                                                const ResourceVector& size, std::int64_t most,
                                                double target) const;

 private:
  /// The evidence that a share of evicted spots below a target needs.
  struct Step {
    double target = 0;
    double probability = 0;
    std::uint64_t needed = 0;
  };

  std::uint64_t spots_;
  std::vector<double> targets_;
  std::vector<double> probabilities_;
  std::vector<Step> steps_;
};

}  // namespace cospot
