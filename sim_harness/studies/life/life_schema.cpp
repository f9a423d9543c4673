#include "sim_harness/studies/life/life_schema.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>

#include "sim_harness/studies/life/life_keys.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

/// Seconds that those who were placed late waited in the mean; nothing where nobody was.
template <auto kSum, auto kCount>
Measure<LifeResult> mean_wait(const char* name, const char* meaning) {
  return measure<LifeResult>(
      {.name = name, .unit = "s", .meaning = meaning, .may_be_null = true, .decimals = 3},
      [](const LifeResult& result) -> std::optional<double> {
        if (result.*kCount == 0) return std::nullopt;
        return static_cast<double>((result.*kSum).count()) / 1e6 /
               static_cast<double>(result.*kCount);
      });
}

std::vector<Measure<RunResult>> measures_of_run() {
  using R = RunResult;
  std::vector<Measure<R>> all =
      run_measures("never placed: gave up, or still waited at the end", "placed at least once",
                   {.name = "evictions",
                    .unit = "evictions",
                    .meaning = "of spots by VMs; one that returns may be evicted again"});
  all.insert(all.end(),
             {measure<&R::vm_too_large>({.name = "vm_too_large",
                                         .unit = "VMs",
                                         .meaning = "of the rejected: larger than an empty host"}),
              measure<&R::spot_revenue_first_hour_free>(
                  {.name = "spot_revenue_first_hour_free",
                   .unit = "vcpu-seconds",
                   .meaning = "earned by spots when one that is stopped less than an hour after a "
                              "placement earns nothing since then"})});
  return all;
}

std::vector<Measure<LifeResult>> life_counts() {
  using L = LifeResult;
  return {
      measure<&L::vm_retries>({.name = "vm_retries",
                               .unit = "tries",
                               .meaning = "after the first, of VMs that had not run yet"}),
      measure<&L::vms_late>(
          {.name = "vms_late", .unit = "VMs", .meaning = "placed by such a retry"}),
      mean_wait<&L::vm_wait, &L::vms_late>("vm_mean_wait_s",
                                           "that VMs placed by a retry waited, in the mean"),
      measure<&L::spot_retries>({.name = "spot_retries",
                                 .unit = "tries",
                                 .meaning = "after the first, of spots that had not run yet"}),
      measure<&L::spots_late>(
          {.name = "spots_late", .unit = "spots", .meaning = "placed by such a retry"}),
      mean_wait<&L::spot_wait, &L::spots_late>("spot_mean_wait_s",
                                               "that spots placed by a retry waited, in the mean"),
      measure<&L::spots_returned>({.name = "spots_returned",
                                   .unit = "placements",
                                   .meaning = "of spots that had run before"}),
      measure<&L::host_failures>(
          {.name = "host_failures", .unit = "failures", .meaning = "of hosts"}),
      measure<&L::maintenances>(
          {.name = "maintenances", .unit = "windows", .meaning = "of maintenance begun"}),
      measure<&L::vms_evacuated>({.name = "vms_evacuated",
                                  .unit = "moves",
                                  .meaning = "of VMs to another host as theirs went down"}),
      measure<&L::vms_migrated>({.name = "vms_migrated",
                                 .unit = "moves",
                                 .meaning = "of VMs to another host during the notice"}),
      measure<&L::vms_restarted>({.name = "vms_restarted",
                                  .unit = "placements",
                                  .meaning = "of VMs that had lost their host and had to wait"}),
      measure<&L::vms_lost>({.name = "vms_lost",
                             .unit = "VMs",
                             .meaning = "that lost their host and did not come back"}),
      measure<&L::spots_lost>(
          {.name = "spots_lost", .unit = "spots", .meaning = "stopped by failures"}),
      measure<&L::spots_stopped>(
          {.name = "spots_stopped", .unit = "spots", .meaning = "stopped by maintenance"}),
      measure<&L::resizes_in_place>(
          {.name = "resizes_in_place", .unit = "resizes", .meaning = "granted on the same host"}),
      measure<&L::resizes_moved>(
          {.name = "resizes_moved", .unit = "resizes", .meaning = "granted on another host"}),
      measure<&L::resizes_refused>(
          {.name = "resizes_refused", .unit = "resizes", .meaning = "for which no host had room"}),
      measure<&L::resizes_missed>({.name = "resizes_missed",
                                   .unit = "resizes",
                                   .meaning = "of VMs that did not run at that moment"}),
      measure<&L::waiting>({.name = "waiting",
                            .unit = "requests",
                            .meaning = "that still waited when the window ended"})};
}

const std::vector<Measure<LifeResult>>& measures() {
  static const std::vector<Measure<LifeResult>> made = [] {
    std::vector<Measure<LifeResult>> all = measures_of<&LifeResult::run>(measures_of_run());
    append(all, life_counts());
    all.push_back(measure<LifeResult>({.name = "wall_ms",
                                       .role = ColumnRole::kTime,
                                       .unit = "ms",
                                       .meaning = "time the run took",
                                       .decimals = 3},
                                      [](const LifeResult& one) { return one.run.wall_ms; }));
    return all;
  }();
  return made;
}

/// Compared with the baseline (OTN 1, SAF off) of the same disruptions, and with the same run
/// without any.
std::string views() {
  const std::vector<Column> axes = life_table().columns();
  return baseline_view(axes) +
         counterpart_view("without_disruptions", axes, {{kDisruptionsAxis.name, "'none'"}}) +
         fmt::format(R"sql(
CREATE VIEW run_figures AS
WITH figure AS (
  SELECT run.*, run.vm_revenue_lost / NULLIF(run.vm_revenue_requested, 0) AS loss FROM run)
SELECT run.run_index, {},
  run.loss AS vm_loss,
  run.spot_revenue / NULLIF(run.spot_revenue_requested, 0) AS spot_share,
  run.spot_revenue / NULLIF(baseline.spot_revenue, 0) - 1 AS gain,
  run.loss - without.vm_revenue_lost / NULLIF(without.vm_revenue_requested, 0)
    AS vm_loss_by_disruptions,
  run.spot_revenue / NULLIF(without.spot_revenue, 0) - 1 AS spot_revenue_by_disruptions,
  CAST(run.vms_lost AS REAL) / NULLIF(run.vm_requests, 0) AS vms_lost_share
FROM figure AS run LEFT JOIN baseline USING (run_index)
LEFT JOIN without_disruptions AS without USING (run_index);
)sql",
                     axes_sql(axes));
}

std::vector<Column> derived_columns() {
  return {
      derived_fraction("vm_loss",
                       "part of the requested VM revenue that was not earned; below 0 where VMs "
                       "that waited earn later what they asked for before the window"),
      derived_fraction("spot_share", "spot revenue over what spots requested"),
      derived_fraction(
          "gain",
          "spot revenue over that of the baseline with the same disruptions (OTN 1, SAF off), "
          "minus 1; empty where that is missing"),
      derived_fraction("vm_loss_by_disruptions",
                       "VM loss minus that of the same run with disruptions `none`"),
      derived_fraction("spot_revenue_by_disruptions",
                       "spot revenue over that of the same run with disruptions `none`, minus 1"),
      derived_fraction("vms_lost_share",
                       "of the VM requests: lost their host and did not come back")};
}

}  // namespace

const Schema& life_schema() {
  static const Schema schema{.study = "life",
                             .axes = life_table().columns(),
                             .measures = columns_of(std::span(measures())),
                             .derived = derived_columns(),
                             .views = views()};
  return schema;
}

std::vector<Value> life_measures(const LifeResult& result) {
  return values_of(std::span(measures()), result);
}

}  // namespace cospot
