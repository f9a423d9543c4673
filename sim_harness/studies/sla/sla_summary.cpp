#include "sim_harness/studies/sla/sla_summary.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse_number.hpp"
#include "guarantees/sla/kept_promises.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/prices/sold_once_json.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

/// All seeds of one combination together.
struct Combination {
  std::string workload, spot_workload, target;
  std::int64_t hosts = 0, runs = 0;
  double on_demand_admission = 0, spot_admission = 0, revenue_share = 0, refresh_ms = 0;
  PromiseCount count;
  std::int64_t runs_met = 0;

  [[nodiscard]] bool is_promise() const { return target != "none"; }
  [[nodiscard]] double eviction_ratio() const {
    if (count.promised == 0) return 0;
    return static_cast<double>(count.broken) / static_cast<double>(count.promised);
  }
  [[nodiscard]] std::string_view verdict() const {
    if (!is_promise()) return "";
    switch (verdict_of(count, parse_number(target).value())) {
      case PromiseVerdict::kKept:
        return "kept";
      case PromiseVerdict::kUnclear:
        return "unclear";
      case PromiseVerdict::kBroken:
        return "broken";
    }
    return "";
  }
};

std::vector<Combination> combinations_of(ResultsDatabase& results) {
  SqliteStatement select(
      results.connection(),
      "SELECT run.workload, run.spot_workload, run.hosts, run.target, count(*), "
      "  avg(on_demand_admission), avg(spot_admission), avg(spot_revenue_share), "
      "  max(refresh_ms_max), sum(spot_admitted), sum(evictions), COALESCE(sum(is_met), 0) "
      "FROM run JOIN run_figures USING (run_index) "
      "GROUP BY run.workload, run.spot_workload, run.hosts, run.target ORDER BY min(run_index)");
  std::vector<Combination> all;
  while (select.step()) {
    Combination one;
    one.workload = select.read_text();
    one.spot_workload = select.read_text();
    one.hosts = select.read_integer();
    one.target = select.read_text();
    one.runs = select.read_integer();
    for (double* number :
         {&one.on_demand_admission, &one.spot_admission, &one.revenue_share, &one.refresh_ms}) {
      *number = select.read_number();
    }
    one.count.promised = static_cast<std::uint64_t>(select.read_integer());
    one.count.broken = static_cast<std::uint64_t>(select.read_integer());
    one.runs_met = select.read_integer();
    all.push_back(std::move(one));
  }
  return all;
}

std::string percent(double fraction) { return fmt::format("{:.2f}%", 100 * fraction); }

}  // namespace

std::string sla_summary_text(ResultsDatabase& results, Timing timing) {
  const ExperimentRecord record = results.record();
  TextTable table;
  for (const char* name : {"workload", "spot workload"})
    table.add_column(name, TextTable::Align::kLeft);
  for (const char* name : {"hosts", "target", "runs", "VMs admitted", "spots admitted", "evicted",
                           "95% interval", "runs within", "spot revenue"}) {
    table.add_column(name);
  }
  if (timing == Timing::kOn) table.add_column("longest refresh");
  table.add_column("promise", TextTable::Align::kLeft);
  for (const Combination& one : combinations_of(results)) {
    const ProbabilityInterval interval = eviction_interval(one.count);
    std::vector<std::string> row{one.workload,
                                 one.spot_workload,
                                 fmt::format("{}", one.hosts),
                                 one.is_promise()
                                     ? fmt::format("{:g}%", 100 * parse_number(one.target).value())
                                     : one.target,
                                 fmt::format("{}", one.runs),
                                 percent(one.on_demand_admission),
                                 percent(one.spot_admission),
                                 percent(one.eviction_ratio()),
                                 percent(interval.lower) + " to " + percent(interval.upper),
                                 one.is_promise() ? fmt::format("{}", one.runs_met) : "",
                                 percent(one.revenue_share)};
    if (timing == Timing::kOn) row.push_back(fmt::format("{:.1f} ms", one.refresh_ms));
    row.emplace_back(one.verdict());
    table.add_row(std::move(row));
  }
  SqliteStatement delay(results.connection(),
                        "SELECT json_extract(configuration, '$.spot_delay_us') FROM sweep");
  const double hours = delay.step() ? static_cast<double>(delay.read_integer()) / 3600e6 : 0;
  return fmt::format("Promised lifetimes: {}",
                     runs_line(results.finished_runs().size(), record.run_count)) +
         (hours > 0 ? fmt::format("Spots are asked for {:g} h later than their file says.\n", hours)
                    : "") +
         table.text() +
         "(evicted: of all that were admitted in these runs; interval: Clopper-Pearson, as if\n"
         "evictions were independent; runs within: runs that evicted no more than the target)\n";
}

const StudyMoney& sla_money() {
  static const StudyMoney made{
      .columns = {kVmsLost, kVmsRequested, kVmsEarned, kSpotsEarned, kSpotsRequested},
      .months = "run.window_days / (365.25 / 12)",
      .takes_flavors = false};
  return made;
}

std::string sla_summary_json(ResultsDatabase& results, Timing timing) {
  const ExperimentRecord record = results.record();
  const auto number = [](double value) { return json_number(value); };
  const auto combination = [&](const Combination& one) {
    const ProbabilityInterval interval = eviction_interval(one.count);
    JsonObject json;
    json.add("workload", json_text(one.workload))
        .add("spot_workload", json_text(one.spot_workload))
        .add("hosts", std::to_string(one.hosts))
        .add("target", one.is_promise() ? one.target : "null")
        .add("runs", std::to_string(one.runs))
        .add("on_demand_admission", number(one.on_demand_admission))
        .add("spot_admission", number(one.spot_admission))
        .add("spot_admitted", std::to_string(one.count.promised))
        .add("evictions", std::to_string(one.count.broken))
        .add("eviction_ratio", number(one.eviction_ratio()))
        .add("eviction_interval", json_list({number(interval.lower), number(interval.upper)}))
        .add("runs_met", one.is_promise() ? std::to_string(one.runs_met) : "null")
        .add("spot_revenue_share", number(one.revenue_share));
    if (timing == Timing::kOn) json.add("refresh_ms_max", number(one.refresh_ms));
    return json.add("promise", one.is_promise() ? json_text(one.verdict()) : "null").text();
  };
  return JsonObject()
      .add("study", json_text(record.study))
      .add("runs", fmt::format("{}", results.finished_runs().size()))
      .add("expected_runs", fmt::format("{}", record.run_count))
      .add("combinations", list_of(combinations_of(results), combination))
      .add("note", sold_once_json())
      .text();
}

}  // namespace cospot
