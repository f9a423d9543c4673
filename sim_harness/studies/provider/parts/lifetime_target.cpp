// Lifetimes that are promised to spots: a spot is admitted where it will be evicted with no more
// than the target's probability. Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot
// Instances".

#include <utility>

#include "sim_harness/studies/provider/provider_study.hpp"

namespace cospot {
namespace {

void add_promise(const PartRun& run) {
  const SlaTarget& target = run.at.get(kTargetAxis);
  if (!target.probability) return;
  FilterSpec promise{.name = "LifetimeSla", .options = run.at.settings().promise};
  promise.options["target"] = *target.probability;
  // Options are numbers; 53 bits of the seed survive.
  promise.options["seed"] = static_cast<double>(RunSeeds(run.at.get(kSeedAxis)).samples >> 11);
  run.settings.spot.filters.push_back(std::move(promise));
}

}  // namespace

StudyPart lifetime_target_part() {
  std::vector<Measure<RunOutcome>> measures = promised_spot_measures();
  append(measures, refresh_measures());
  Column is_met =
      derived_fraction("is_met", "broken_ratio is at most the target; empty without one");
  is_met.type = ColumnType::kBoolean;
  is_met.unit = "0 or 1";
  return {
      .rows = {kTargetAxis, lifetime_promise_setting()},
      .draws = true,
      .measures = std::move(measures),
      .derived = {{derived_fraction("eviction_ratio", "of the spots that were placed: evicted"),
                   "CAST(run.evictions AS REAL) / NULLIF(run.spot_admitted, 0)"},
                  {derived_fraction("broken_ratio",
                                    "of the spots that were promised a lifetime: evicted before"),
                   "CAST(run.promises_broken AS REAL) / NULLIF(run.promises, 0)"},
                  {is_met,
                   "CASE WHEN run.target <> 'none' THEN COALESCE(CAST(run.promises_broken AS "
                   "REAL) / NULLIF(run.promises, 0), 0) <= CAST(run.target AS REAL) END"}},
      .figures = {{.name = "eviction_ratio",
                   .title = "spots evicted",
                   .meaning = "of those that were placed"}},
      .add = add_promise};
}

}  // namespace cospot
