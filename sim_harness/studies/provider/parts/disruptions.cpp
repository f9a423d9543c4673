// Retries, returning spots, failures, maintenance and resizes: docs/life.md.

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "sim_harness/provider/disruptions/make_life_plan.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
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

std::vector<Measure<RunResult>> measures_of_run() {
  using O = RunResult;
  std::vector<Measure<O>> all =
      run_measures("never placed: gave up, or still waited at the end", "placed at least once",
                   {.name = "evictions",
                    .unit = "evictions",
                    .meaning = "of spots by VMs; one that returns may be evicted again"});
  all.insert(all.end(),
             {measure<&O::vm_too_large>({.name = "vm_too_large",
                                         .unit = "VMs",
                                         .meaning = "of the rejected: larger than an empty host"}),
              measure<&O::spot_revenue_first_hour_free>(
                  {.name = "spot_revenue_first_hour_free",
                   .unit = "vcpu-seconds",
                   .meaning = "earned by spots when one that is stopped less than an hour after a "
                              "placement earns nothing since then"})});
  return all;
}

/// The same run without disruptions.
std::string without_disruptions(std::span<const Column> axes) {
  return counterpart_view("without_disruptions", axes, {{kDisruptionsAxis.name, "'none'"}});
}

constexpr Figure kVmsLostFigure{
    .name = "vms_lost", .title = "VMs lost", .unit = FigureUnit::kNumber, .decimals = 1};
constexpr Figure kSpotsReturned{.name = "spots_returned",
                                .title = "spots returned",
                                .unit = FigureUnit::kNumber,
                                .decimals = 1};

/// Refuses what files name and is not there, as far as it can be told before the first run.
std::any check_plans(const ProviderStudySettings& settings, const Workload& workload) {
  for (const Headroom& size : settings.sizes) {
    if (size.percent) continue;
    const HostTable hosts = settings.host.table(size.hosts);
    for (const LifeSettings& life : settings.lives) (void)make_life_plan(life, workload, hosts);
  }
  return {};
}

}  // namespace

StudyPart disruptions_part() {
  // The columns that the figures need, if a study names them differently.
  std::vector<Measure<RunOutcome>> measures{
      measure<RunOutcome>({.name = "vm_requests", .unit = "VMs", .meaning = "requested"},
                          [](const RunOutcome& one) { return one.run().vm_requests; })};
  append(measures, measures_of<&RunOutcome::life>(life_counts()));
  return {
      .rows = {kDisruptionsAxis},
      .measures = std::move(measures),
      .derived = {{derived_fraction("vm_loss_by_disruptions",
                                    "VM loss minus that of the same run with disruptions `none`"),
                   "run.vm_revenue_lost / NULLIF(run.vm_revenue_requested, 0) - "
                   "without.vm_revenue_lost / NULLIF(without.vm_revenue_requested, 0)"},
                  {derived_fraction(
                       "spot_revenue_by_disruptions",
                       "spot revenue over that of the same run with disruptions `none`, minus 1"),
                   "run.spot_revenue / NULLIF(without.spot_revenue, 0) - 1"},
                  {derived_fraction("vms_lost_share",
                                    "of the VM requests: lost their host and did not come back"),
                   "CAST(run.vms_lost AS REAL) / NULLIF(run.vm_requests, 0)"}},
      .views = without_disruptions,
      .joins = " LEFT JOIN without_disruptions AS without USING (run_index)",
      .figures = {{.name = "vm_loss_by_disruptions",
                   .title = "VM loss by disruptions",
                   .decimals = 3,
                   .meaning = "minus that of the same runs without disruptions"},
                  kVmsLostFigure,
                  kSpotsReturned},
      .share = check_plans,
      .add = [](const PartRun& run) { run.parts.life = run.at.get(kDisruptionsAxis); }};
}

const ProviderPreset& life_preset() {
  static const ProviderPreset made = [] {
    ProviderPreset preset{
        .name = "life",
        .summary = "retries, returning spots, resizes, host failures and maintenance",
        .page = "docs/life.md",
        .subject = "study life",
        .rows = provider_rows(),
        .parts = {"disruptions"},
        .measures =
            measures_of<&RunOutcome::life>(measures_of<&LifeResult::run>(measures_of_run())),
        .derived = {{derived_fraction(
                         "vm_loss",
                         "part of the requested VM revenue that was not earned; below 0 where VMs "
                         "that waited earn later what they asked for before the window"),
                     "run.vm_revenue_lost / NULLIF(run.vm_revenue_requested, 0)"},
                    {derived_fraction("spot_share", "spot revenue over what spots requested"),
                     "run.spot_revenue / NULLIF(run.spot_revenue_requested, 0)"},
                    {derived_fraction(
                         "gain",
                         "spot revenue over that of the baseline with the same disruptions "
                         "(OTN 1, SAF off), minus 1; empty where that is missing"),
                     "run.spot_revenue / NULLIF(baseline.spot_revenue, 0) - 1"}},
        .views = baseline_view,
        .joins = std::string(kJoinBaseline),
        .figures =
            {.title = "Disruptions",
             .figures = {kVmLoss,
                         {.name = "vm_loss_by_disruptions",
                          .title = "VM loss by disruptions",
                          .decimals = 3,
                          .meaning = "VM loss minus that of the same runs without disruptions"},
                         kSpotShare,
                         {.name = "spot_revenue_by_disruptions",
                          .title = "spot revenue by disruptions",
                          .decimals = 3,
                          .meaning =
                              "spot revenue relative to that of the same runs without disruptions"},
                         {.name = "gain",
                          .title = "gain",
                          .decimals = 3,
                          .meaning = "over OTN 1 and SAF off with the same disruptions"},
                         {.name = "evictions",
                          .title = "evictions",
                          .unit = FigureUnit::kNumber,
                          .decimals = 1},
                         {.name = "vm_rejected",
                          .title = "VMs rejected",
                          .unit = FigureUnit::kNumber,
                          .decimals = 1},
                         kVmsLostFigure,
                         {.name = "vms_evacuated",
                          .title = "evacuated",
                          .unit = FigureUnit::kNumber,
                          .decimals = 1},
                         kSpotsReturned}},
        .money = {
            .columns = {kVmsLost,
                        kVmsRequested,
                        kVmsEarned,
                        {.name = "vm_lost_by_disruptions",
                         .title = "lost by disruptions",
                         .sql = "figures.vm_loss_by_disruptions * run.vm_revenue_requested",
                         .meaning =
                             "the points that VMs lose by disruptions, of what they requested"},
                        kSpotsEarned,
                        kSpotsRequested,
                        {.name = "spot_more_by_disruptions",
                         .title = "more by disruptions",
                         .price = PriceKind::kSpot,
                         .sql = "run.spot_revenue - without.spot_revenue",
                         .meaning = "earned by spots beyond the same run with disruptions `none`"},
                        kMoreThanBaseline},
            .joins = "LEFT JOIN baseline USING (run_index) "
                     "LEFT JOIN without_disruptions AS without USING (run_index)",
            .note = "  (by disruptions: compared with the same runs without any)\n"}};
    append(preset.measures, measures_of<&RunOutcome::life>(life_counts()));
    preset.measures.push_back(
        measure<RunOutcome>({.name = "wall_ms",
                             .role = ColumnRole::kTime,
                             .unit = "ms",
                             .meaning = "time the run took",
                             .decimals = 3},
                            [](const RunOutcome& one) { return one.run().wall_ms; }));
    return preset;
  }();
  return made;
}

}  // namespace cospot
