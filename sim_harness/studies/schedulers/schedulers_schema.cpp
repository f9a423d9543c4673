#include "sim_harness/studies/schedulers/schedulers_schema.hpp"

#include <fmt/format.h>

#include <string>

#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"
#include "sim_harness/studies/schedulers/schedulers_settings.hpp"

namespace cospot {
namespace {

using R = SchedulersRun;
using MeasureList = std::vector<Measure<R>>;

constexpr const char* kCommits = "commits";

template <class Get>
void add(MeasureList& all, const std::string& name, const char* unit, const std::string& meaning,
         Get get) {
  all.push_back(measure<R>({.name = name, .unit = unit, .meaning = meaning}, get));
}

/// Counts of a class: `prefix` is what its columns begin with, `unit` what they count.
template <std::size_t kLevel>
void add_counts(MeasureList& all, const std::string& prefix, const char* unit) {
  const auto add_count = [&](const char* name, const char* meaning, auto get) {
    add(all, prefix + name, unit, meaning, get);
  };
  add_count("_requests", "requested", [](const R& run) { return run.levels[kLevel].requests; });
  add_count("_placed", "placed", [](const R& run) { return run.levels[kLevel].placed(); });
  add_count("_rejected", "lost for lack of room",
            [](const R& run) { return run.levels[kLevel].lost_to(LossCause::kRoom); });
  add_count("_rejected_on_stale_view",
            "lost because their scheduler's view showed no host, though some host had room",
            [](const R& run) { return run.levels[kLevel].lost_to(LossCause::kStaleView); });
  add_count("_lost_to_conflicts", "lost because every commit was declined",
            [](const R& run) { return run.levels[kLevel].lost_to(LossCause::kConflict); });
  add_count("_withdrawn", "that ended before they were placed",
            [](const R& run) { return run.levels[kLevel].lost_to(LossCause::kDelay); });
  add(all, prefix + "_commits", kCommits, fmt::format("tried for {}", unit),
      [](const R& run) { return run.levels[kLevel].commits; });
  add(all, prefix + "_conflicts", kCommits, fmt::format("for {} that were declined", unit),
      [](const R& run) { return run.levels[kLevel].conflicts; });
}

void add_shared(MeasureList& all) {
  add(all, "retries", kCommits, "declined, after which another host was looked for",
      [](const R& run) { return run.result.retries; });
  add(all, "evictions", "spots", "evicted", [](const R& run) { return run.result.evictions; });
  add(all, "evictions_averted", "spots",
      "named by a decision and left alone, because its commit was declined or planned anew",
      [](const R& run) { return run.result.evictions_averted; });
  add(all, "evictions_needless", "spots",
      "evicted for a VM that fitted beside them: 0 by the rules",
      [](const R& run) { return run.result.evictions_needless; });
  all.push_back(measure<R>({.name = "placement_delay_mean_ms",
                            .unit = "ms",
                            .meaning = "from the request to its placement, mean of those placed",
                            .decimals = 3},
                           [](const R& run) { return run.result.mean_delay_ms(); }));
  all.push_back(measure<R>({.name = "placement_delay_max_ms",
                            .unit = "ms",
                            .meaning = "from the request to its placement, the longest",
                            .decimals = 3},
                           [](const R& run) { return run.result.longest_delay_ms(); }));
}

template <std::size_t kLevel>
void add_class_revenue(MeasureList& all, const std::string& prefix, const std::string& of) {
  const auto add_loss = [&](const char* name, const std::string& meaning, auto get) {
    all.push_back(measure<R>(revenue_column(prefix + "_revenue_lost_to_" + name, meaning), get));
  };
  add_revenue(
      all, prefix, of, [](const R& run) { return run.levels[kLevel].revenue_requested; },
      [](const R& run) { return run.levels[kLevel].revenue(); });
  add_loss("stale_views", fmt::format("of the {} rejected on a stale view", of),
           [](const R& run) { return run.levels[kLevel].revenue_lost_to(LossCause::kStaleView); });
  add_loss("conflicts", fmt::format("of the {} lost to conflicts", of),
           [](const R& run) { return run.levels[kLevel].revenue_lost_to(LossCause::kConflict); });
  add_loss("delay", fmt::format("of {} before their placement, and of those withdrawn", of),
           [](const R& run) { return run.levels[kLevel].revenue_lost_to(LossCause::kDelay); });
}

std::vector<Column> derived_columns() {
  return {
      derived_fraction("vm_conflict_rate", "of the commits for VMs: declined"),
      derived_fraction("spot_conflict_rate", "of the commits for spots: declined"),
      derived_fraction("vm_loss", "of the revenue requested by VMs: lost"),
      derived_fraction("vm_loss_to_schedulers",
                       "of the revenue requested by VMs: lost to conflicts, stale views and delay"),
      derived_fraction(
          "spot_loss_to_schedulers",
          "of the revenue requested by spots: lost to conflicts, stale views and delay"),
      derived_fraction("spot_revenue_share", "of the revenue requested by spots: earned")};
}

std::string views() {
  return fmt::format(R"sql(
CREATE VIEW run_figures AS
SELECT run_index, {}, hosts,
  CAST(vm_conflicts AS REAL) / NULLIF(vm_commits, 0) AS vm_conflict_rate,
  CAST(spot_conflicts AS REAL) / NULLIF(spot_commits, 0) AS spot_conflict_rate,
  vm_revenue_lost / NULLIF(vm_revenue_requested, 0) AS vm_loss,
  (vm_revenue_lost_to_stale_views + vm_revenue_lost_to_conflicts + vm_revenue_lost_to_delay)
    / NULLIF(vm_revenue_requested, 0) AS vm_loss_to_schedulers,
  (spot_revenue_lost_to_stale_views + spot_revenue_lost_to_conflicts + spot_revenue_lost_to_delay)
    / NULLIF(spot_revenue_requested, 0) AS spot_loss_to_schedulers,
  spot_revenue / NULLIF(spot_revenue_requested, 0) AS spot_revenue_share
FROM run;
)sql",
                     axes_sql(schedulers_table().columns()));
}

}  // namespace

const std::vector<Measure<SchedulersRun>>& schedulers_measures() {
  static const MeasureList made = [] {
    MeasureList all;
    add(all, "hosts", "hosts", "in the datacenter", [](const R& run) { return run.hosts; });
    add_counts<0>(all, "vm", "VMs");
    add_counts<1>(all, "spot", "spots");
    add_shared(all);
    add_class_revenue<0>(all, "vm", "VMs");
    add_class_revenue<1>(all, "spot", "spots");
    return all;
  }();
  return made;
}

const Schema& schedulers_schema() {
  static const Schema schema{.study = "schedulers",
                             .axes = schedulers_table().columns(),
                             .measures = columns_of(std::span(schedulers_measures())),
                             .derived = derived_columns(),
                             .views = views()};
  return schema;
}

}  // namespace cospot
