#include "sim_harness/studies/compare/compare_summary.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/policy/plugin.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

/// The best of each size, and of those that can be set and do not cooperate.
constexpr std::string_view kBest =
    "SELECT first_run, 0 FROM best_without_vm_loss UNION ALL "
    "SELECT first_run, 1 FROM (SELECT first_run, row_number() OVER (PARTITION BY headroom_percent,"
    " size_hosts ORDER BY spot_share DESC, first_run) AS place FROM combination"
    " WHERE without_vm_loss AND NOT needs_true_lifetimes AND otn = '1' AND NOT saf"
    " AND workloads = (SELECT count(DISTINCT workload) FROM run)) WHERE place = 1";

constexpr Figure number(std::string_view name, std::string_view title, int decimals) {
  return {.name = name, .title = title, .unit = FigureUnit::kNumber, .decimals = decimals};
}
constexpr Figure lost(std::string_view name, std::string_view title) {
  return {.name = name, .title = title, .decimals = 4, .better = Better::kLow};
}
constexpr Figure count(std::string_view name, std::string_view title, std::string_view sql,
                       Better better = Better::kUnsaid) {
  return {.name = name, .title = title, .unit = FigureUnit::kCount, .sql = sql, .better = better};
}
constexpr Figure kGain{.name = "gain",
                       .title = "gain",
                       .meaning = "over OTN 1 and SAF off, all else the same",
                       .better = Better::kHigh,
                       .is_change = true};

constexpr std::array<Figure, 8> kLossesAndGains{
    {lost("vm_loss", "VM revenue lost"),
     count("runs_without_vm_loss", "runs that reject no VM", "sum(without_vm_loss)", Better::kHigh),
     count("too_large_vms", "VMs larger than a host: revenue lost, but not of \"reject no VM\"",
           "(SELECT sum(most) FROM (SELECT max(vm_too_large) AS most FROM run GROUP BY workload))"),
     count("too_large_workloads", "workloads with such VMs",
           "(SELECT count(DISTINCT workload) FROM run WHERE vm_too_large > 0)"),
     kGain,
     {.name = "gain_without_vm_loss",
      .title = "gain of runs that reject no VM",
      .sql = "CASE WHEN without_vm_loss THEN gain END",
      .is_change = true},
     count("runs_without_baseline",
           "runs without a gain: OTN 1 with SAF off is not among the results",
           "sum(NOT has_baseline)"),
     count("runs_with_empty_baseline", "runs without a gain: OTN 1 with SAF off earned nothing",
           "sum(has_baseline AND gain IS NULL)")}};

constexpr std::array<Figure, 2> kFirstHours{
    {lost("first_hour_free_loss",
          "spot revenue lost if spots evicted in their first hour are free"),
     lost("first_hour_free_loss_of_requested", "the same, of what spots requested")}};

constexpr std::array<Figure, 7> kTimes{
    {{.name = "wall_ms", .title = "time of a run", .unit = FigureUnit::kMilliseconds},
     number("alloc_p50_ns", "time of a VM allocation (ns): median", 0),
     number("alloc_p99_ns", "the same, 99th percentile", 0),
     number("alloc_max_ns", "the same, longest", 0),
     number("spot_alloc_p50_ns", "time of a spot allocation (ns): median", 0),
     number("spot_alloc_p99_ns", "the same, 99th percentile", 0),
     number("spot_alloc_max_ns", "the same, longest", 0)}};

/// Null if the runs were not timed.
Json add_times(ResultsDatabase& results, Timing timing, SummaryTable& table) {
  SummaryTable rows;
  Json json;
  add_over_runs(results, kTimes, rows, json);
  if (timing == Timing::kOff || json["wall_ms"]["max"].is_null() || json["wall_ms"]["max"] == 0) {
    return nullptr;
  }
  table.rows.insert(table.rows.end(), rows.rows.begin(), rows.rows.end());
  return {{"wall_ms_mean", json["wall_ms"]["mean"]},
          {"alloc_p50_ns_mean", json["alloc_p50_ns"]["mean"]},
          {"alloc_p99_ns_mean", json["alloc_p99_ns"]["mean"]},
          {"alloc_max_ns", json["alloc_max_ns"]["max"]},
          {"spot_alloc_p50_ns_mean", json["spot_alloc_p50_ns"]["mean"]},
          {"spot_alloc_p99_ns_mean", json["spot_alloc_p99_ns"]["mean"]},
          {"spot_alloc_max_ns", json["spot_alloc_max_ns"]["max"]}};
}

/// The mean gain of all runs with one setting of SAF and OTN: by SAF, then OTN, ascending.
SummaryTable gain_table(ResultsDatabase& results) {
  SqliteStatement select(results.connection(),
                         "SELECT figures.saf, figures.otn, count(gain), avg(gain)"
                         " FROM run_figures AS figures JOIN run USING (run_index) GROUP BY 1, 2");
  std::map<std::pair<bool, OfferRule>, std::vector<SummaryCell>> cells;
  while (select.step()) {
    const bool saf = select.read_integer() != 0;
    const OfferRule otn = OfferRule::parse(select.read_text());
    const bool any = select.read_integer() > 0;
    const double gain = select.read_number();
    cells[{saf, otn}] = {
        {axis_value(saf).label, saf},
        {otn.label(), setting_json(otn)},
        {any ? figure_text(kGain, gain) : "-", json_of(any ? std::optional(gain) : std::nullopt)}};
  }
  SummaryTable table{.columns = {{"saf", "saf", TextTable::Align::kLeft},
                                 {"otn", "otn"},
                                 {"mean_gain", "mean gain"}}};
  for (auto& [at, row] : cells) table.rows.push_back(std::move(row));
  return table;
}

/// The facts that hold for all runs of the study file.
struct StudyFacts {
  std::int64_t workloads = 0;
  bool has_own_sizes = false;  ///< headroom_of: each_policy: hosts differ between VM policies
  bool is_relative = false;    ///< some workload's vcpus are relative units
};

StudyFacts facts_of(ResultsDatabase& results) {
  SqliteStatement select(results.connection(),
                         "SELECT (SELECT count(DISTINCT workload) FROM run),"
                         " json_extract(configuration, '$.headroom_of') IS 'each_policy',"
                         " EXISTS (SELECT 1 FROM input WHERE vcpus_unit = 'relative') FROM sweep");
  StudyFacts facts;
  if (!select.step()) return facts;
  facts.workloads = select.read_integer();
  facts.has_own_sizes = select.read_integer() != 0;
  facts.is_relative = select.read_integer() != 0;
  return facts;
}

}  // namespace

const StudyFigures& compare_figures() {
  static const StudyFigures made{
      .title = "Policies compared",
      .figures = {{.name = "hosts", .title = "hosts", .unit = FigureUnit::kCount, .decimals = 1},
                  {.name = "spot_share",
                   .title = "spot revenue earned",
                   .meaning = "of what spots requested",
                   .better = Better::kHigh,
                   .is_part = true},
                  {.name = "spot_vcpu_hours_per_host",
                   .title = "spot revenue per host",
                   .unit = FigureUnit::kAmount,
                   .decimals = 1,
                   .meaning = "vCPU-hours that spots earn; of relative units, unit-hours",
                   .better = Better::kHigh},
                  kGain,
                  {.name = "evictions",
                   .title = "evictions",
                   .unit = FigureUnit::kNumber,
                   .decimals = 1,
                   .sql = "run.evictions"}},
      .best = BestOfEach{.axis = "headroom_percent",
                         .json = "best_without_vm_loss",
                         .sql = kBest,
                         .condition = "without_vm_loss",
                         .met = "without VM loss",
                         .failed = "rejects VMs",
                         .best = {"to_set", {}},
                         .compared = {"without_cooperation", "not cooperating"},
                         .bound = {"upper_bound", kKnowsLifetimes}},
      .more = {kLossesAndGains[0],
               {.name = "spot_share_first_hour_free",
                .title = "spot revenue earned with a free first hour"},
               number("vm_rejected", "VMs rejected", 1),
               number("spot_admitted", "spots placed", 1),
               number("alloc_p99_ns", "allocation of a VM, 99th percentile", 0)},
      .report_axis = "otn",
      .report_color = "saf"};
  return made;
}

StudySummary compare_summary(ResultsDatabase& results, Timing timing) {
  const StudyFacts facts = facts_of(results);
  StudySummary summary = summary_of_figures(results, compare_figures());
  Json json{{"workloads", facts.workloads},
            {"unit", facts.is_relative ? "unit" : "vCPU"},
            {"headroom_of", facts.has_own_sizes ? "each_policy" : "study"}};
  json.update(summary.json);
  SummaryTable over = over_runs_table();
  add_over_runs(results, kLossesAndGains, over, json);
  const SummaryTable gains = gain_table(results);
  json["gain_by_saf_and_otn"] = gains.json();
  add_over_runs(results, kFirstHours, over, json);
  json["times"] = add_times(results, timing, over);
  summary.json = std::move(json);
  if (facts.workloads == 0) return summary;
  if (facts.workloads == 1) {
    summary.text +=
        "(one workload: no interval; `cospot tune` validates settings on parts of it that did not "
        "choose them)\n";
  }
  if (facts.has_own_sizes) {
    summary.text +=
        "(headroom_of: each_policy: a size is more hosts for a VM policy that packs worse, so its\n"
        "rows do not compare policies on equal hosts)\n";
  }
  summary.text += "\n";
  summary.text.add(over);
  summary.text += "\n";
  summary.text.add(gains);
  return summary;
}

}  // namespace cospot
