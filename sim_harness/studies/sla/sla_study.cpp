#include "sim_harness/studies/sla/sla_study.hpp"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"
#include "sim_harness/studies/sla/sla_run.hpp"
#include "sim_harness/studies/sla/sla_settings.hpp"
#include "sim_harness/studies/sla/sla_summary.hpp"

namespace cospot {
namespace {

const std::vector<Measure<SlaResult>>& measures() {
  using R = SlaResult;
  static const std::vector<Measure<R>> made = [] {
    std::vector<Measure<R>> all{
        measure<R>({.name = "on_demand_requests", .unit = "VMs", .meaning = "requested"},
                   [](const R& one) { return one.run.vm_requests; }),
        measure<R>({.name = "on_demand_admitted", .unit = "VMs", .meaning = "placed"},
                   [](const R& one) { return one.run.vm_requests - one.run.vm_rejected; }),
        measure<R>({.name = "spot_requests", .unit = "spots", .meaning = "requested"},
                   [](const R& one) { return one.run.spot_requests; }),
        measure<R>({.name = "spot_admitted", .unit = "spots", .meaning = "placed"},
                   [](const R& one) { return one.run.spot_admitted; }),
        measure<R>(
            {.name = "evictions", .unit = "spots", .meaning = "evicted of those that were placed"},
            [](const R& one) { return one.run.evictions; }),
        measure<&R::on_demand_vcpus_mean>(
            {.name = "on_demand_vcpus_mean",
             .unit = "vcpus",
             .meaning = "that the on-demand trace asks for on average",
             .decimals = 3}),
        measure<&R::spot_vcpus_mean>({.name = "spot_vcpus_mean",
                                      .unit = "vcpus",
                                      .meaning = "that the spot trace asks for on average",
                                      .decimals = 3}),
        measure<&R::refreshes>({.name = "refreshes",
                                .unit = "refreshes",
                                .meaning = "of the lifetime quantiles; 0 without a target"}),
        measure<&R::refresh_ms_max>({.name = "refresh_ms_max",
                                     .role = ColumnRole::kTime,
                                     .unit = "ms",
                                     .meaning = "the longest refresh",
                                     .decimals = 3}),
        measure<&R::on_demand_vcpus_held>({.name = "on_demand_vcpus_held",
                                           .unit = "vcpus",
                                           .meaning = "that VMs held on average",
                                           .decimals = 3}),
        measure<&R::spot_vcpus_held>({.name = "spot_vcpus_held",
                                      .unit = "vcpus",
                                      .meaning = "that spots held on average",
                                      .decimals = 3}),
        measure<&R::spot_revenue_share>(
            {.name = "spot_revenue_share",
             .unit = "fraction",
             .meaning = "of the spot revenue that was requested: what spots earned",
             .decimals = 6})};
    append(all, measures_of<&R::run>(run_revenue()));
    all.push_back(measure<&R::window_days>(
        {.name = "window_days", .unit = "days", .meaning = "of the run", .decimals = 6}));
    return all;
  }();
  return made;
}

/// Shares of what was requested or placed. Where a promise was made, whether it was kept.
std::string views() {
  return fmt::format(R"sql(
CREATE VIEW run_figures AS
SELECT run_index, {},
  CAST(on_demand_admitted AS REAL) / NULLIF(on_demand_requests, 0) AS on_demand_admission,
  CAST(spot_admitted AS REAL) / NULLIF(spot_requests, 0) AS spot_admission,
  CAST(evictions AS REAL) / NULLIF(spot_admitted, 0) AS eviction_ratio,
  CASE WHEN target <> 'none' THEN
    COALESCE(CAST(evictions AS REAL) / NULLIF(spot_admitted, 0), 0) <= CAST(target AS REAL)
  END AS is_met
FROM run;
)sql",
                     axes_sql(sla_table().columns()));
}

std::vector<Column> derived_columns() {
  Column is_met =
      derived_fraction("is_met", "eviction_ratio is at most the target; empty without one");
  is_met.type = ColumnType::kBoolean;
  is_met.unit = "0 or 1";
  return {derived_fraction("on_demand_admission", "of the on-demand requests: placed"),
          derived_fraction("spot_admission", "of the spot requests: placed"),
          derived_fraction("eviction_ratio", "of the spots that were placed: evicted"), is_met};
}

const Schema& schema() {
  static const Schema made{.study = "sla",
                           .axes = sla_table().columns(),
                           .measures = columns_of(std::span(measures())),
                           .derived = derived_columns(),
                           .views = views()};
  return made;
}

Experiment load(SlaSettings settings) {
  const auto store = std::make_shared<const RequestStore>(
      std::vector<std::vector<RequestSource>>{settings.on_demand, settings.spot});
  require_possible_requests(settings, *store);
  Experiment experiment{.schema = schema(),
                        .axes = sla_table().axes(settings),
                        // Runs share nothing but their requests.
                        .group_by = axis_names(kSlaWorkloadAxis, kSpotWorkloadAxis, kHostsAxis,
                                               kTargetAxis, kSlaSeedAxis),
                        .configuration = sla_table().json(settings).dump(),
                        .inputs = store->records()};
  experiment.run_group = [settings = std::move(settings), store, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordMeasures& record) {
    for (const std::size_t run : pending) {
      const auto at = sla_table().at(settings, grid.coordinates(run));
      const SlaRun one{at.index(kSlaWorkloadAxis), at.index(kSpotWorkloadAxis),
                       at.index(kHostsAxis), at.index(kTargetAxis), at.index(kSlaSeedAxis)};
      record(run, values_of(std::span(measures()), run_sla(settings, *store, one)));
    }
  };
  return experiment;
}

}  // namespace

Study sla_study() {
  return {.name = "sla",
          .summary = "promised lifetimes of spots: admissions and evictions by target",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = read_sla_settings(file)] { return load(settings); };
          },
          .summarise = sla_summary,
          .money = sla_money};
}

}  // namespace cospot
