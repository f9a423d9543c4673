// The work of evicted spots: lost, done anew or moved. docs/life.md.

#include <string>
#include <vector>

#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

std::vector<Measure<SpotWorkResult>> work_measures() {
  using W = SpotWorkResult;
  return {measure<&W::useful>(revenue_column(
              "spot_useful", "of spot revenue: work that no eviction and no outage undid")),
          measure<&W::wasted>(
              revenue_column("spot_wasted",
                             "of spot revenue: work that was begun anew, or not ended because its "
                             "spot did not come back")),
          measure<&W::restoring>(revenue_column(
              "spot_restoring", "of spot revenue: while the state of a moved spot was restored")),
          measure<&W::evicted>(
              {.name = "spots_evicted", .unit = "spots", .meaning = "evicted at least once"}),
          measure<&W::back>({.name = "spots_back",
                             .unit = "spots",
                             .meaning = "evicted, and placed again at least once"})};
}

/// The same run with `lose`.
std::string without_moves(std::span<const Column> axes) {
  return counterpart_view("losing_work", axes, {{kOnEvictionAxis.name, "'lose'"}});
}

}  // namespace

StudyPart on_eviction_part() {
  return {
      .rows = {kOnEvictionAxis, kStateAxis, kBandwidthAxis},
      .measures =
          measures_of<&RunOutcome::life>(measures_of<&LifeResult::spot_work>(work_measures())),
      .derived = {{derived_fraction("spot_useful_share",
                                    "useful spot work over what spots requested"),
                   "run.spot_useful / NULLIF(run.spot_revenue_requested, 0)"},
                  {derived_fraction("spots_back_share", "of the evicted spots: came back"),
                   "CAST(run.spots_back AS REAL) / NULLIF(run.spots_evicted, 0)"},
                  {derived_fraction(
                       "spot_revenue_by_on_eviction",
                       "spot revenue over that of the same run with on_eviction `lose`, minus 1"),
                   "run.spot_revenue / NULLIF(losing_work.spot_revenue, 0) - 1"}},
      .views = without_moves,
      .joins = " LEFT JOIN losing_work USING (run_index) ",
      .figures = {{.name = "spot_useful_share",
                   .title = "useful spot work",
                   .meaning = "of what spots requested",
                   .better = Better::kHigh},
                  {.name = "spots_back_share", .title = "evicted spots that came back"},
                  {.name = "spot_revenue_by_on_eviction",
                   .title = "spot revenue by on_eviction",
                   .meaning = "relative to the same runs with lose"}},
      .add = [](const PartRun& run) {
        run.parts.life.on_eviction = EvictionRule{.what = run.at.get(kOnEvictionAxis),
                                                  .state = run.at.get(kStateAxis),
                                                  .bandwidth = run.at.get(kBandwidthAxis)};
      }};
}

}  // namespace cospot
