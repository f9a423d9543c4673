#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"
#include "sim_harness/studies/signals/signals_summary.hpp"
#include "sim_harness/studies/studies.hpp"

namespace cospot {

const ProviderPreset& signals_preset() {
  static const ProviderPreset made{
      .name = "signals",
      .summary = "what customers may be told of spots, and how good it is on held-out time",
      .page = "docs/signals.md",
      .subject = "study signals",
      .rows = provider_rows(),
      .parts = {"signal"},
      .measures = measures_of<&RunOutcome::life>(measures_of<&LifeResult::run>(run_measures(
          "rejected", "placed",
          {.name = "evictions", .unit = "spots", .meaning = "evicted of those that were placed"}))),
      .derived = {{derived_fraction("eviction_ratio", "of the spots that were placed: evicted"),
                   "CAST(run.evictions AS REAL) / NULLIF(run.spot_admitted, 0)"}},
      .figures = {.title = "Signals, scored on held-out time",
                  .figures = {{.name = "skill",
                               .title = "skill",
                               .unit = FigureUnit::kNumber,
                               .decimals = 3,
                               .meaning = "of the signal over the base rate, by Brier scores",
                               .better = Better::kHigh,
                               .is_signed = true}}}};
  return made;
}

Study signals_study() {
  Study study = provider_study(signals_preset());
  study.summarise = signals_summary;
  study.money = {};  // a row is a signal, and earns nothing
  return study;
}

}  // namespace cospot
