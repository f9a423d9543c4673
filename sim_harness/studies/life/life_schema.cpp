#include "sim_harness/studies/life/life_schema.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim_harness/studies/life/life_keys.hpp"

namespace cospot {
namespace {

template <auto kMember>
Measure<LifeResult> of_run(Column column) {
  using Type = MemberType<decltype(type_of(kMember))>;
  column.type = Type::kType;
  return {std::move(column),
          [](const LifeResult& result) { return Type::to_value(result.run.*kMember); },
          [](LifeResult& result, const Value& value) {
            result.run.*kMember = Type::from_value(value);
          }};
}

/// Seconds that those who were placed late waited in the mean; nothing where nobody was.
template <auto kSum, auto kCount>
Measure<LifeResult> mean_wait(const char* name, const char* meaning) {
  return {{.name = name,
           .type = ColumnType::kNumber,
           .unit = "s",
           .meaning = meaning,
           .may_be_null = true,
           .decimals = 3},
          [](const LifeResult& result) {
            if (result.*kCount == 0) return Value();
            return Value(static_cast<double>((result.*kSum).count()) / 1e6 /
                         static_cast<double>(result.*kCount));
          },
          [](LifeResult& /*result*/, const Value& /*value*/) {}};
}

std::vector<Measure<LifeResult>> revenue_measures() {
  using R = RunResult;
  const char* const vcpu_seconds = "vcpu-seconds";
  return {
      of_run<&R::hosts>({.name = "hosts", .unit = "hosts", .meaning = "in the datacenter"}),
      of_run<&R::vm_requests>({.name = "vm_requests", .unit = "VMs", .meaning = "requested"}),
      of_run<&R::vm_rejected>({.name = "vm_rejected",
                               .unit = "VMs",
                               .meaning = "never placed: gave up, or still waited at the end"}),
      of_run<&R::spot_requests>({.name = "spot_requests", .unit = "spots", .meaning = "requested"}),
      of_run<&R::spot_admitted>(
          {.name = "spot_admitted", .unit = "spots", .meaning = "placed at least once"}),
      of_run<&R::evictions>({.name = "evictions",
                             .unit = "evictions",
                             .meaning = "of spots by VMs; one that returns may be evicted "
                                        "again"}),
      of_run<&R::vm_revenue_requested>({.name = "vm_revenue_requested",
                                        .unit = vcpu_seconds,
                                        .meaning = "requested by VMs, with all their resizes"}),
      of_run<&R::vm_revenue>(
          {.name = "vm_revenue", .unit = vcpu_seconds, .meaning = "earned by VMs"}),
      of_run<&R::spot_revenue_requested>({.name = "spot_revenue_requested",
                                          .unit = vcpu_seconds,
                                          .meaning = "requested by spots"}),
      of_run<&R::spot_revenue>(
          {.name = "spot_revenue", .unit = vcpu_seconds, .meaning = "earned by spots"}),
      of_run<&R::vm_too_large>({.name = "vm_too_large",
                                .unit = "VMs",
                                .meaning = "of the rejected: larger than an empty host"}),
      of_run<&R::spot_revenue_first_hour_free>(
          {.name = "spot_revenue_first_hour_free",
           .unit = vcpu_seconds,
           .meaning = "earned by spots when one that is stopped less than an hour after a "
                      "placement earns nothing since then"})};
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
  static const std::vector<Measure<LifeResult>> all = [] {
    std::vector<Measure<LifeResult>> made = revenue_measures();
    for (Measure<LifeResult>& one : life_counts()) made.push_back(std::move(one));
    made.push_back(of_run<&RunResult::wall_ms>({.name = "wall_ms",
                                                .role = ColumnRole::kTime,
                                                .unit = "ms",
                                                .meaning = "time the run took",
                                                .decimals = 3}));
    return made;
  }();
  return all;
}

/// Beside the baseline (OTN 1, SAF off) with the same life, and beside the same run without one.
constexpr std::string_view kViews = R"sql(
CREATE VIEW run_figures AS
WITH figure AS (
  SELECT run.*, 1 - vm_revenue / NULLIF(vm_revenue_requested, 0) AS loss FROM run)
SELECT run.run_index, run.workload, run.headroom_percent, run.vm, run.spot, run.evictor, run.saf,
  run.otn, run.life,
  run.loss AS vm_loss,
  run.spot_revenue / NULLIF(run.spot_revenue_requested, 0) AS spot_share,
  run.spot_revenue / NULLIF(baseline.spot_revenue, 0) - 1 AS gain,
  run.loss - without.loss AS vm_loss_by_life,
  run.spot_revenue / NULLIF(without.spot_revenue, 0) - 1 AS spot_revenue_by_life,
  CAST(run.vms_lost AS REAL) / NULLIF(run.vm_requests, 0) AS vms_lost_share
FROM figure AS run
LEFT JOIN run AS baseline ON
  baseline.workload = run.workload AND baseline.headroom_percent IS run.headroom_percent AND
  baseline.hosts = run.hosts AND baseline.vm = run.vm AND baseline.spot = run.spot AND
  baseline.evictor = run.evictor AND baseline.saf = 0 AND baseline.otn = 1 AND
  baseline.life = run.life
LEFT JOIN figure AS without ON
  without.workload = run.workload AND without.headroom_percent IS run.headroom_percent AND
  without.hosts = run.hosts AND without.vm = run.vm AND without.spot = run.spot AND
  without.evictor = run.evictor AND without.saf = run.saf AND without.otn = run.otn AND
  without.life = 'none';
)sql";

std::vector<Column> derived_columns() {
  return {
      derived_fraction("vm_loss",
                       "part of the requested VM revenue that was not earned; below 0 where VMs "
                       "that waited earn later what they asked for before the window"),
      derived_fraction("spot_share", "spot revenue over what spots requested"),
      derived_fraction(
          "gain",
          "spot revenue over that of the baseline with the same life (OTN 1, SAF off), "
          "minus 1; empty where that is missing"),
      derived_fraction("vm_loss_by_life",
                       "VM loss minus that of the same run with the life `none`"),
      derived_fraction("spot_revenue_by_life",
                       "spot revenue over that of the same run with the life `none`, minus 1"),
      derived_fraction("vms_lost_share",
                       "of the VM requests: lost their host and did not come back")};
}

}  // namespace

const Schema& life_schema() {
  static const Schema schema{.study = "life",
                             .axes = life_table().columns(),
                             .measures = columns_of(std::span(measures())),
                             .derived = derived_columns(),
                             .views = std::string(kViews)};
  return schema;
}

std::vector<Value> life_measures(const LifeResult& result) {
  return values_of(std::span(measures()), result);
}

}  // namespace cospot
