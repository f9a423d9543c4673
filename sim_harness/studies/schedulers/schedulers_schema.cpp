#include "sim_harness/studies/schedulers/schedulers_schema.hpp"

#include <string>
#include <string_view>

#include "sim_harness/studies/provider/provider_settings.hpp"
#include "sim_harness/studies/value_axes.hpp"

namespace cospot {
namespace {

using R = SchedulersRow;
using Measures = std::vector<Measure<R>>;

constexpr const char* kVms = "VMs";
constexpr const char* kSpots = "spots";
constexpr const char* kCommits = "commits";
constexpr const char* kVcpuSeconds = "vcpu-seconds";

template <auto kMember>
void add(Measures& all, const std::string& name, const char* unit, const char* meaning) {
  all.push_back(measure<kMember>({.name = name, .unit = unit, .meaning = meaning}));
}

void add_vm_counts(Measures& all) {
  add<&R::vm_requests>(all, "vm_requests", kVms, "requested");
  add<&R::vm_placed>(all, "vm_placed", kVms, "placed");
  add<&R::vm_rejected>(all, "vm_rejected", kVms, "lost for lack of room");
  add<&R::vm_rejected_on_stale_view>(
      all, "vm_rejected_on_stale_view", kVms,
      "lost because their scheduler's view showed no host, though some host had room");
  add<&R::vm_lost_to_conflicts>(all, "vm_lost_to_conflicts", kVms,
                                "lost because every commit was declined");
  add<&R::vm_withdrawn>(all, "vm_withdrawn", kVms, "that ended before they were placed");
  add<&R::vm_commits>(all, "vm_commits", kCommits, "tried for VMs");
  add<&R::vm_conflicts>(all, "vm_conflicts", kCommits, "for VMs that were declined");
}

void add_spot_counts(Measures& all) {
  add<&R::spot_requests>(all, "spot_requests", kSpots, "requested");
  add<&R::spot_placed>(all, "spot_placed", kSpots, "placed");
  add<&R::spot_rejected>(all, "spot_rejected", kSpots, "lost for lack of room");
  add<&R::spot_rejected_on_stale_view>(
      all, "spot_rejected_on_stale_view", kSpots,
      "lost because their scheduler's view showed no host, though some host had room");
  add<&R::spot_lost_to_conflicts>(all, "spot_lost_to_conflicts", kSpots,
                                  "lost because every commit was declined");
  add<&R::spot_withdrawn>(all, "spot_withdrawn", kSpots, "that ended before they were placed");
  add<&R::spot_commits>(all, "spot_commits", kCommits, "tried for spots");
  add<&R::spot_conflicts>(all, "spot_conflicts", kCommits, "for spots that were declined");
}

void add_shared(Measures& all) {
  add<&R::retries>(all, "retries", kCommits, "declined, after which another host was looked for");
  add<&R::evictions>(all, "evictions", kSpots, "evicted");
  add<&R::evictions_averted>(
      all, "evictions_averted", kSpots,
      "named by a decision and left alone, because its commit was declined or planned anew");
  add<&R::evictions_needless>(all, "evictions_needless", kSpots,
                              "evicted for a VM that fitted beside them: 0 by the rules");
  const auto delay = [](const char* name, const char* meaning) {
    return Column{.name = name, .unit = "ms", .meaning = meaning, .decimals = 3};
  };
  all.push_back(measure<&R::placement_delay_mean_ms>(
      delay("placement_delay_mean_ms", "from the request to its placement, mean of those placed")));
  all.push_back(measure<&R::placement_delay_max_ms>(
      delay("placement_delay_max_ms", "from the request to its placement, the longest")));
}

void add_revenue(Measures& all) {
  add<&R::vm_revenue_requested>(all, "vm_revenue_requested", kVcpuSeconds, "requested by VMs");
  add<&R::vm_revenue>(all, "vm_revenue", kVcpuSeconds, "earned by VMs");
  add<&R::vm_revenue_lost_to_stale_views>(all, "vm_revenue_lost_to_stale_views", kVcpuSeconds,
                                          "of the VMs rejected on a stale view");
  add<&R::vm_revenue_lost_to_conflicts>(all, "vm_revenue_lost_to_conflicts", kVcpuSeconds,
                                        "of the VMs lost to conflicts");
  add<&R::vm_revenue_lost_to_delay>(all, "vm_revenue_lost_to_delay", kVcpuSeconds,
                                    "of VMs before their placement, and of those withdrawn");
  add<&R::spot_revenue_requested>(all, "spot_revenue_requested", kVcpuSeconds,
                                  "requested by spots");
  add<&R::spot_revenue>(all, "spot_revenue", kVcpuSeconds, "earned by spots");
  add<&R::spot_revenue_lost_to_stale_views>(all, "spot_revenue_lost_to_stale_views", kVcpuSeconds,
                                            "of the spots rejected on a stale view");
  add<&R::spot_revenue_lost_to_conflicts>(all, "spot_revenue_lost_to_conflicts", kVcpuSeconds,
                                          "of the spots lost to conflicts");
  add<&R::spot_revenue_lost_to_delay>(all, "spot_revenue_lost_to_delay", kVcpuSeconds,
                                      "of spots before their placement, and of those withdrawn");
}

std::vector<Column> axes() {
  using enum ColumnType;
  return provider_columns(
      {axis_column("schedulers", kInteger, "schedulers", "that decide at the same time"),
       axis_column("dealt_by", kText, "",
                   "what is dealt to the schedulers in turn: `request` or `tenant`"),
       axis_column("refresh_interval_s", kNumber, "s",
                   "between two refreshes of a scheduler's view; 0: at every decision"),
       axis_column("decision_ms", kNumber, "ms", "that a decision takes"),
       axis_column("commit_rule", kText, "",
                   "when a commit is accepted: `generation` or `capacity`"),
       axis_column("retry_rule", kText, "",
                   "what follows a declined commit: `alternates` or `refresh`"),
       axis_column("max_retries", kInteger, "commits", "allowed after the first one was declined"),
       axis_column("host_subset_size", kInteger, "hosts",
                   "K: the host is drawn from the first K of the ranking"),
       axis_column("seed", kInteger, "", "of the draws")});
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

constexpr std::string_view kViews = R"sql(
CREATE VIEW run_figures AS
SELECT run_index, workload, headroom_percent, hosts, vm, spot, evictor, saf, otn, schedulers,
  dealt_by, refresh_interval_s, decision_ms, commit_rule, retry_rule, max_retries, host_subset_size, seed,
  CAST(vm_conflicts AS REAL) / NULLIF(vm_commits, 0) AS vm_conflict_rate,
  CAST(spot_conflicts AS REAL) / NULLIF(spot_commits, 0) AS spot_conflict_rate,
  1 - vm_revenue / NULLIF(vm_revenue_requested, 0) AS vm_loss,
  (vm_revenue_lost_to_stale_views + vm_revenue_lost_to_conflicts + vm_revenue_lost_to_delay)
    / NULLIF(vm_revenue_requested, 0) AS vm_loss_to_schedulers,
  (spot_revenue_lost_to_stale_views + spot_revenue_lost_to_conflicts + spot_revenue_lost_to_delay)
    / NULLIF(spot_revenue_requested, 0) AS spot_loss_to_schedulers,
  spot_revenue / NULLIF(spot_revenue_requested, 0) AS spot_revenue_share
FROM run;
)sql";

}  // namespace

SchedulersRow row_of(const SchedulerResult& result, std::size_t hosts) {
  const ClassOutcome& vm = result.vm;
  const ClassOutcome& spot = result.spot;
  return {.hosts = hosts,
          .vm_requests = vm.requests,
          .vm_placed = vm.placed,
          .vm_rejected = vm.rejected,
          .vm_rejected_on_stale_view = vm.rejected_on_stale,
          .vm_lost_to_conflicts = vm.lost_to_conflicts,
          .vm_withdrawn = vm.withdrawn,
          .vm_commits = vm.commits,
          .vm_conflicts = vm.conflicts,
          .spot_requests = spot.requests,
          .spot_placed = spot.placed,
          .spot_rejected = spot.rejected,
          .spot_rejected_on_stale_view = spot.rejected_on_stale,
          .spot_lost_to_conflicts = spot.lost_to_conflicts,
          .spot_withdrawn = spot.withdrawn,
          .spot_commits = spot.commits,
          .spot_conflicts = spot.conflicts,
          .retries = result.retries,
          .evictions = result.evictions,
          .evictions_averted = result.evictions_averted,
          .evictions_needless = result.evictions_needless,
          .placement_delay_mean_ms = result.mean_delay_ms,
          .placement_delay_max_ms = result.longest_delay_ms,
          .vm_revenue_requested = vm.revenue_requested,
          .vm_revenue = vm.revenue(),
          .vm_revenue_lost_to_stale_views = vm.revenue_lost_to_stale,
          .vm_revenue_lost_to_conflicts = vm.revenue_lost_to_conflicts,
          .vm_revenue_lost_to_delay = vm.revenue_lost_to_delay,
          .spot_revenue_requested = spot.revenue_requested,
          .spot_revenue = spot.revenue(),
          .spot_revenue_lost_to_stale_views = spot.revenue_lost_to_stale,
          .spot_revenue_lost_to_conflicts = spot.revenue_lost_to_conflicts,
          .spot_revenue_lost_to_delay = spot.revenue_lost_to_delay};
}

const std::vector<Measure<SchedulersRow>>& schedulers_measures() {
  static const Measures made = [] {
    Measures all;
    add<&R::hosts>(all, "hosts", "hosts", "in the datacenter");
    add_vm_counts(all);
    add_spot_counts(all);
    add_shared(all);
    add_revenue(all);
    return all;
  }();
  return made;
}

const Schema& schedulers_schema() {
  static const Schema schema{.study = "schedulers",
                             .axes = axes(),
                             .measures = columns_of(std::span(schedulers_measures())),
                             .derived = derived_columns(),
                             .views = std::string(kViews)};
  return schema;
}

}  // namespace cospot
