#include <fmt/core.h>

#include <string>

#include "sim_harness/files/json_text.hpp"
#include "sim_harness/studies/compare/summary.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

std::string count_json(std::uint64_t count) { return fmt::format("{}", count); }

std::string spread_json(const MeanAndMax& spread) {
  const bool any = spread.count > 0;
  return JsonObject()
      .add("runs", count_json(spread.count))
      .add("mean", json_number(any ? std::optional(spread.mean) : std::nullopt))
      .add("max", json_number(any ? std::optional(spread.max) : std::nullopt))
      .text();
}

std::string combination_json(const std::optional<BestCombination>& best) {
  if (!best) return "null";
  return JsonObject()
      .add("vm", json_text(best->vm))
      .add("spot", json_text(best->spot))
      .add("evictor", json_text(best->evictor))
      .add("saf", json_bool(best->saf))
      .add("otn", setting_json(best->otn).dump())
      .add("hosts", json_number(best->hosts))
      .add("spot_share", json_number(best->spot_revenue_share))
      .add("spot_vcpu_hours_per_host", json_number(best->spot_vcpu_hours_per_host))
      .add("gain", json_number(best->gain))
      .add("evictions", json_number(best->evictions))
      .text();
}

std::string best_json(const BestOfSize& best) {
  return JsonObject()
      .add("headroom_percent", json_number(best.headroom_percent))
      .add("hosts", best.headroom_percent ? "null" : count_json(best.hosts))
      .add("to_set", combination_json(best.to_set))
      .add("upper_bound", combination_json(best.bound))
      .text();
}

std::string cell_json(const GainCell& cell) {
  return JsonObject()
      .add("saf", json_bool(cell.saf))
      .add("otn", setting_json(cell.otn).dump())
      .add("mean_gain", json_number(cell.mean))
      .text();
}

std::string times_json(const RunTimes& times) {
  if (times.wall_ms_mean == 0) return "null";
  return JsonObject()
      .add("wall_ms_mean", json_number(times.wall_ms_mean))
      .add("alloc_p50_ns_mean", json_number(times.alloc_p50_ns_mean))
      .add("alloc_p99_ns_mean", json_number(times.alloc_p99_ns_mean))
      .add("alloc_max_ns", count_json(times.alloc_max_ns))
      .text();
}

}  // namespace

std::string summary_json(const Summary& summary) {
  return JsonObject()
      .add("study", json_text("compare"))
      .add("runs", count_json(summary.runs))
      .add("expected_runs", count_json(summary.expected_runs))
      .add("workloads", count_json(summary.workloads))
      .add("headroom_of", json_text(summary.has_own_sizes ? "each_policy" : "study"))
      .add("best_without_vm_loss", list_of(summary.best, best_json))
      .add("vm_loss", spread_json(summary.vm_loss))
      .add("runs_without_vm_loss", count_json(summary.runs_without_loss))
      .add("too_large_vms", count_json(summary.too_large_vms))
      .add("gain", spread_json(summary.gain))
      .add("gain_without_vm_loss", spread_json(summary.gain_without_loss))
      .add("runs_without_baseline", count_json(summary.without_baseline))
      .add("runs_with_empty_baseline", count_json(summary.with_empty_baseline))
      .add("gain_by_saf_and_otn", list_of(summary.gain_by_saf_otn, cell_json))
      .add("first_hour_free_loss", spread_json(summary.first_hour_free_loss))
      .add("first_hour_free_loss_of_requested",
           spread_json(summary.first_hour_free_loss_of_requested))
      .add("times", times_json(summary.times))
      .text();
}

}  // namespace cospot
