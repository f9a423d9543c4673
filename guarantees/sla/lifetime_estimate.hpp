#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/sla/eviction_sweep.hpp"
#include "guarantees/sla/history.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"

namespace cospot {

/// The lifetime assumed for a fictitious spot that lives when the history ends.
enum class CensoredLifetime : std::uint8_t {
  kForever,   ///< longer than any
  kSoFar,     ///< as long as it was seen
  kDropped,   ///< it is no sample
  kSurvival,  ///< as a survival curve counts it: until then it shows that others may live so long
};

/// The settings by which lifetimes are estimated. The paper leaves several of these open;
/// docs/lifetime-sla.md says what each changes.
struct LifetimeEstimateSettings {
  std::vector<ResourceVector> sizes;  ///< of the spots that are promised something
  std::vector<double> probabilities;  ///< of evictions: one quantile each, in (0, 1)
  std::size_t samples = 10'000;       ///< starting points
  bool samples_are_total = false;     ///< shared out among the sizes; else each size gets them all
  bool samples_accumulate = false;    ///< those of earlier refreshes are used again
  std::size_t least_samples = 1;      ///< a condition with fewer counts as not observed
  VictimRule victim = VictimRule::kYoungest;
  CensoredLifetime censored = CensoredLifetime::kForever;
  QuantileKind quantile = QuantileKind::kLinear;
  double condition_width = 0;  ///< SlotConditions
  std::uint64_t seed = 1;
  /// At which the survival curve is wanted too; only with CensoredLifetime::kSurvival.
  std::vector<SimTime> ages{};
  bool keeps_spells = false;  ///< LifetimeQuantiles::observed is to know them
};

/// Errors: ConfigError when a setting is out of range.
void check_settings(const LifetimeEstimateSettings& settings);

/// One estimate from a history: draws starting points and sends a fictitious spot of every size on
/// its way from each. Made of pieces, one a size, which the caller may give to threads of its own;
/// the result is the same whoever does them in whatever order.
class LifetimeEstimate {
 public:
  /// Starting points are drawn from [from, now), and what `history` has after `now` is left out.
  /// `refresh` numbers the estimates of one run, so
  /// that each draws other points; `earlier` says when those before it were made, for samples that
  /// accumulate. `history` and `settings` outlive it.
  ///
  /// Errors: ConfigError (check_settings); InputError if `from` is not before `now`.
  LifetimeEstimate(const History& history, const LifetimeEstimateSettings& settings, SimTime from,
                   SimTime now, std::uint64_t refresh, std::span<const SimTime> earlier = {});

  [[nodiscard]] std::size_t pieces() const { return settings_->sizes.size(); }

  /// Does one piece; different pieces may be done at the same time.
  void run_piece(std::size_t piece);
  /// The same by a sweep of its size, whose starts include those of this estimate: it replays only
  /// what came since the estimate before.
  void run_piece(std::size_t piece, EvictionSweep& sweep);
  /// Needed before a piece is done by a sweep. Args: starts: of the sweep.
  void find_places(std::span<const SimTime> starts);

  [[nodiscard]] std::span<const SimTime> starts() const { return starts_; }

  /// The result once all pieces are done.
  [[nodiscard]] LifetimeQuantiles result() const;
  /// The same, the last that is asked of it.
  [[nodiscard]] LifetimeQuantiles take_result();

 private:
  void draw_starts(SimTime from, SimTime until, std::uint64_t refresh);
  [[nodiscard]] std::vector<ConditionSpell> spells_of(std::span<const std::uint32_t> drawn) const;
  [[nodiscard]] LifetimeQuantiles::Table table_of(const std::vector<FictitiousSpot>& spots) const;

  const History* history_;
  const LifetimeEstimateSettings* settings_;
  SimTime now_;
  SlotConditions conditions_;
  std::vector<SimTime> starts_;        // ascending, once all are drawn
  std::vector<std::uint32_t> places_;  // of each among those of a sweep
  std::vector<LifetimeQuantiles::Table> tables_;
};

/// All pieces, one after the other.
[[nodiscard]] LifetimeQuantiles estimate_lifetimes(const History& history,
                                                   const LifetimeEstimateSettings& settings,
                                                   SimTime from, SimTime now,
                                                   std::uint64_t refresh = 0);

}  // namespace cospot
