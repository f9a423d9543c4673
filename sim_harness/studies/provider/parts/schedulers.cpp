// Several schedulers on stale views of one datacenter: commits that collide, and what they cost;
// and a ranking that is followed loosely, by one scheduler or several.

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

using R = RunOutcome;
using MeasureList = std::vector<Measure<R>>;
using LevelOf = const LevelOutcome& (R::*)() const;

constexpr const char* kCommitsUnit = "commits";

/// Counts of a class: `prefix` is what its columns begin with, `unit` what they count.
void add_counts(MeasureList& all, LevelOf level, const std::string& prefix, const char* unit) {
  const auto add_one = [&](const char* name, const char* meaning, auto get) {
    add_count(all, prefix + name, unit, meaning, get);
  };
  add_one("_requests", "requested", [level](const R& one) { return (one.*level)().requests; });
  add_one("_placed", "placed", [level](const R& one) { return (one.*level)().placed(); });
  add_one("_rejected", "lost for lack of room",
          [level](const R& one) { return (one.*level)().lost_to(LossCause::kRoom); });
  add_one("_rejected_on_stale_view",
          "lost because their scheduler's view showed no host, though some host had room",
          [level](const R& one) { return (one.*level)().lost_to(LossCause::kStaleView); });
  add_one("_lost_to_conflicts", "lost because every commit was declined",
          [level](const R& one) { return (one.*level)().lost_to(LossCause::kConflict); });
  add_one("_withdrawn", "that ended before they were placed",
          [level](const R& one) { return (one.*level)().lost_to(LossCause::kDelay); });
  add_count(all, prefix + "_commits", kCommitsUnit, fmt::format("tried for {}", unit),
            [level](const R& one) { return (one.*level)().commits; });
  add_count(all, prefix + "_conflicts", kCommitsUnit,
            fmt::format("for {} that were declined", unit),
            [level](const R& one) { return (one.*level)().conflicts; });
}

void add_shared(MeasureList& all) {
  add_count(all, "retries", kCommitsUnit, "declined, after which another host was looked for",
            [](const R& one) { return one.schedulers.retries; });
  add_count(all, "evictions", "spots", "evicted",
            [](const R& one) { return one.schedulers.evictions; });
  add_count(all, "evictions_averted", "spots",
            "named by a decision and left alone, because its commit was declined or planned anew",
            [](const R& one) { return one.schedulers.evictions_averted; });
  add_count(all, "evictions_needless", "spots",
            "evicted for a VM that fitted beside them: 0 by the rules",
            [](const R& one) { return one.schedulers.evictions_needless; });
  all.push_back(measure<R>({.name = "placement_delay_mean_ms",
                            .unit = "ms",
                            .meaning = "from the request to its placement, mean of those placed",
                            .decimals = 3},
                           [](const R& one) { return one.schedulers.mean_delay_ms(); }));
  all.push_back(measure<R>({.name = "placement_delay_max_ms",
                            .unit = "ms",
                            .meaning = "from the request to its placement, the longest",
                            .decimals = 3},
                           [](const R& one) { return one.schedulers.longest_delay_ms(); }));
}

void add_class_revenue(MeasureList& all, LevelOf level, const std::string& prefix,
                       const std::string& of) {
  const auto add_loss = [&](const char* name, const std::string& meaning, auto get) {
    all.push_back(measure<R>(revenue_column(prefix + "_revenue_lost_to_" + name, meaning), get));
  };
  add_revenue(
      all, prefix, of, [level](const R& one) { return (one.*level)().revenue_requested; },
      [level](const R& one) { return (one.*level)().revenue(); });
  add_loss("stale_views", fmt::format("of the {} rejected on a stale view", of),
           [level](const R& one) { return (one.*level)().revenue_lost_to(LossCause::kStaleView); });
  add_loss("conflicts", fmt::format("of the {} lost to conflicts", of),
           [level](const R& one) { return (one.*level)().revenue_lost_to(LossCause::kConflict); });
  add_loss("delay", fmt::format("of {} before their placement, and of those withdrawn", of),
           [level](const R& one) { return (one.*level)().revenue_lost_to(LossCause::kDelay); });
}

MeasureList scheduler_measures() {
  MeasureList all;
  add_counts(all, &R::vms, "vm", "VMs");
  add_counts(all, &R::spots, "spot", "spots");
  add_shared(all);
  add_class_revenue(all, &R::vms, "vm", "VMs");
  add_class_revenue(all, &R::spots, "spot", "spots");
  return all;
}

std::vector<DerivedMeasure> scheduler_derived() {
  const auto lost_to_schedulers = [](const char* prefix) {
    return fmt::format(
        "(run.{0}_revenue_lost_to_stale_views + run.{0}_revenue_lost_to_conflicts + "
        "run.{0}_revenue_lost_to_delay) / NULLIF(run.{0}_revenue_requested, 0)",
        prefix);
  };
  return {{derived_fraction("vm_conflict_rate", "of the commits for VMs: declined"),
           "CAST(run.vm_conflicts AS REAL) / NULLIF(run.vm_commits, 0)"},
          {derived_fraction("spot_conflict_rate", "of the commits for spots: declined"),
           "CAST(run.spot_conflicts AS REAL) / NULLIF(run.spot_commits, 0)"},
          {derived_fraction("vm_loss", "of the revenue requested by VMs: lost"),
           "run.vm_revenue_lost / NULLIF(run.vm_revenue_requested, 0)"},
          {derived_fraction(
               "vm_loss_to_schedulers",
               "of the revenue requested by VMs: lost to conflicts, stale views and delay"),
           lost_to_schedulers("vm")},
          {derived_fraction(
               "spot_loss_to_schedulers",
               "of the revenue requested by spots: lost to conflicts, stale views and delay"),
           lost_to_schedulers("spot")}};
}

constexpr Figure kVmConflicts{.name = "vm_conflict_rate",
                              .title = "VM conflicts",
                              .meaning = "of the commits",
                              .better = Better::kLow};
constexpr Figure kMeanDelay{.name = "placement_delay_mean_s",
                            .title = "mean delay",
                            .unit = FigureUnit::kSeconds,
                            .decimals = 3,
                            .sql = "placement_delay_mean_ms / 1000"};

void add_schedulers(const PartRun& run) {
  constexpr double kMicrosecondsPerSecond = 1e6, kMicrosecondsPerMs = 1e3;
  const auto microseconds = [](double count) { return SimTime{std::llround(count)}; };
  const GridPoint<ProviderStudySettings>& at = run.at;
  run.parts.schedulers = SchedulerSettings{
      .schedulers = static_cast<std::size_t>(at.get(kSchedulersAxis)),
      .deal = at.get(kAssignedByAxis),
      .refresh_interval = microseconds(at.get(kRefreshIntervalAxis) * kMicrosecondsPerSecond),
      .decision_time = microseconds(at.get(kDecisionAxis) * kMicrosecondsPerMs),
      .commit = at.get(kCommitRuleAxis),
      .retry = at.get(kRetryRuleAxis),
      .retries = static_cast<std::size_t>(at.get(kMaxRetriesAxis)),
      .seed = static_cast<std::uint64_t>(at.get(kSeedAxis))};
}

/// The schedulers draw, or the only one that there is; its row is behind theirs.
void add_host_subset(const PartRun& run) {
  const auto size = static_cast<std::size_t>(run.at.get(kHostSubsetSizeAxis));
  if (run.parts.schedulers) {
    run.parts.schedulers->host_subset_size = size;
  } else {
    run.parts.loose =
        LooseRanking{.top = size, .seed = static_cast<std::uint64_t>(run.at.get(kSeedAxis))};
  }
}

}  // namespace

StudyPart schedulers_part() {
  return {.rows = {kSchedulersAxis, kAssignedByAxis, kRefreshIntervalAxis, kDecisionAxis,
                   kCommitRuleAxis, kRetryRuleAxis, kMaxRetriesAxis},
          .measures = scheduler_measures(),
          .derived = scheduler_derived(),
          .figures = {kVmConflicts,
                      {.name = "vm_loss_to_schedulers",
                       .title = "VM revenue lost to schedulers",
                       .decimals = 4,
                       .meaning = "to conflicts, stale views and delay, of what was requested"},
                      kMeanDelay},
          .add = add_schedulers};
}

StudyPart host_subset_part() {
  return {.rows = {kHostSubsetSizeAxis}, .draws = true, .add = add_host_subset};
}

const ProviderPreset& schedulers_preset() {
  static const ProviderPreset made = [] {
    ProviderPreset preset{
        .name = "schedulers",
        .summary = "several schedulers on stale views: commits that conflict, and what they cost",
        .page = "docs/schedulers.md",
        .subject = "study schedulers",
        .rows = provider_rows(),
        .parts = {"schedulers", "host_subset_size"},
        .measures = {hosts_measure()},
        .derived = scheduler_derived(),
        .figures =
            {.title = "Several schedulers on stale views",
             .figures = {kVmConflicts,
                         {.name = "spot_conflict_rate",
                          .title = "spot conflicts",
                          .meaning = "of the commits"},
                         {.name = "vms_lost_to_schedulers",
                          .title = "VMs lost",
                          .unit = FigureUnit::kNumber,
                          .decimals = 1,
                          .meaning = "to conflicts and stale views",
                          .sql = "vm_lost_to_conflicts + vm_rejected_on_stale_view"},
                         {.name = "vm_loss_to_schedulers",
                          .title = "VM revenue lost",
                          .decimals = 4,
                          .meaning = "to conflicts, stale views and delay, of what was requested",
                          .better = Better::kLow},
                         {.name = "vm_loss",
                          .title = "VM revenue lost for any reason",
                          .decimals = 4,
                          .meaning = "to lack of capacity, too"},
                         {.name = "spot_loss_to_schedulers",
                          .title = "spot revenue lost",
                          .decimals = 4,
                          .meaning = "to conflicts, stale views and delay, of what was requested"},
                         {.name = "spot_revenue_share",
                          .title = "spot revenue earned",
                          .decimals = 3,
                          .meaning = "of what was requested"},
                         kMeanDelay}},
        .money = {
            .columns = {
                {.name = "vm_lost_to_schedulers",
                 .title = "VM revenue lost",
                 .sql = "run.vm_revenue_lost_to_stale_views + run.vm_revenue_lost_to_conflicts + "
                        "run.vm_revenue_lost_to_delay",
                 .meaning = "lost of VMs to conflicts, stale views and delay"},
                {.name = kVmsLost.name,
                 .title = "for any reason",
                 .sql = kVmsLost.sql,
                 .meaning = kVmsLost.meaning,
                 .part = kVmsLost.part},
                kVmsRequested,
                kVmsEarned,
                {.name = "spot_lost_to_schedulers",
                 .title = "spot revenue lost",
                 .price = PriceKind::kSpot,
                 .sql = "run.spot_revenue_lost_to_stale_views + "
                        "run.spot_revenue_lost_to_conflicts + run.spot_revenue_lost_to_delay",
                 .meaning = "lost of spots to conflicts, stale views and delay"},
                kSpotsEarned,
                kSpotsRequested}}};
    append(preset.measures, scheduler_measures());
    preset.derived.push_back(
        {derived_fraction("spot_revenue_share", "of the revenue requested by spots: earned"),
         "run.spot_revenue / NULLIF(run.spot_revenue_requested, 0)"});
    return preset;
  }();
  return made;
}

const ProviderPreset& degradation_preset() {
  static const ProviderPreset made = [] {
    ProviderPreset preset{
        .name = "degradation",
        .summary = "sensitivity of VM placement to a loosely followed ranking",
        .page = "docs/sweep-file.md#degradation",
        .subject = "study degradation",
        .rows = {kWorkloadAxis, host_setting(), kSizeAxis, headroom_of_setting(), kVmAxis,
                 Setting<ProviderStudySettings>{
                     .keys = {},
                     .read = [](const StudyFile&, ProviderStudySettings&) {},
                     .write = [](const ProviderStudySettings&, Json&) {},
                     .renamed = {{"otn", "host_subset_size"}}}},
        .parts = {"host_subset_size"},
        .measures = {hosts_measure(),
                     measure<R>({.name = "vm_requests", .unit = "VMs", .meaning = "requested"},
                                [](const R& one) { return one.run().vm_requests; }),
                     measure<R>({.name = "vm_rejected", .unit = "VMs", .meaning = "rejected"},
                                [](const R& one) { return one.run().vm_rejected; })},
        .figures = {.title = "VMs placed on a random one of their first hosts",
                    .figures = {{.name = "vm_rejected",
                                 .title = "VMs rejected",
                                 .unit = FigureUnit::kNumber,
                                 .better = Better::kLow}}},
        .money = {.columns = {kVmsLost, kVmsRequested, kVmsEarned}},
        .alone_because =
            "it places VMs alone; expected 'study: compare', which knows 'host_subset_size' too"};
    add_revenue(
        preset.measures, "vm", "VMs", [](const R& one) { return one.run().vm_revenue_requested; },
        [](const R& one) { return one.run().vm_revenue; });
    return preset;
  }();
  return made;
}

}  // namespace cospot
