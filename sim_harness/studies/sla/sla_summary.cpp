#include "sim_harness/studies/sla/sla_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "guarantees/sla/kept_promises.hpp"
#include "sim_harness/data/prices/sold_once_json.hpp"
#include "sim_harness/experiments/summary/figure_answers.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/studies/provider/provider_money.hpp"

namespace cospot {
namespace {

/// The columns read of every run.
enum Read : std::uint8_t {
  kVms,
  kSpots,
  kRevenue,
  kAdmitted,
  kEvicted,
  kPromised,
  kBroken,
  kMet,
  kRefresh,
  kTarget
};
constexpr std::array<Figure, 10> kRead{
    {{.name = "on_demand_admission", .title = "VMs admitted"},
     {.name = "spot_admission", .title = "spots admitted"},
     {.name = "spot_revenue_share", .title = "spot revenue"},
     {.name = "spot_admitted"},
     {.name = "evictions"},
     {.name = "promises"},
     {.name = "promises_broken"},
     {.name = "is_met"},
     {.name = "refresh_ms_max", .unit = FigureUnit::kMilliseconds, .decimals = 1},
     {.name = "target", .sql = "CAST(NULLIF(run.target, 'none') AS REAL)"}}};
constexpr Figure kEvictions{.name = "eviction_ratio", .title = "evicted"};

using Runs = std::span<const std::size_t>;

const char* verdict_text(PromiseVerdict verdict) {
  switch (verdict) {
    case PromiseVerdict::kKept:
      return "kept";
    case PromiseVerdict::kUnclear:
      return "unclear";
    case PromiseVerdict::kBroken:
      break;
  }
  return "broken";
}

class SlaTable {
 public:
  SlaTable(ResultsDatabase& results, Timing timing)
      : read_(read_figures(results, kRead)), table_(results, read_.runs) {
    write_targets();
    add("runs", "runs", [](Runs runs) { return count(runs.size()); });
    table_.add(kRead[kVms], read_.values[kVms]);
    table_.add(kRead[kSpots], read_.values[kSpots]);
    add("spot_admitted", "", [this](Runs runs) { return count(sum(kAdmitted, runs)); });
    add("evictions", "", [this](Runs runs) { return count(sum(kEvicted, runs)); });
    add("eviction_ratio", "evicted", [this](Runs runs) {
      const PromiseCount of = count_of(runs);
      const double ratio =
          of.promised == 0 ? 0 : static_cast<double>(of.broken) / static_cast<double>(of.promised);
      return SummaryCell{figure_text(kEvictions, ratio), json_of(ratio)};
    });
    add("eviction_interval", "95% interval", [this](Runs runs) {
      const ProbabilityInterval of = eviction_interval(count_of(runs));
      return SummaryCell{
          figure_text(kEvictions, of.lower) + " to " + figure_text(kEvictions, of.upper),
          {json_of(of.lower), json_of(of.upper)}};
    });
    add("runs_met", "runs within",
        [this](Runs runs) { return target(runs) ? count(sum(kMet, runs)) : SummaryCell{}; });
    table_.add(kRead[kRevenue], read_.values[kRevenue]);
    if (timing == Timing::kOn) {
      add("refresh_ms_max", "longest refresh", [this](Runs runs) {
        double longest = 0;
        for (const std::size_t run : runs) {
          longest = std::max(longest, read_.values[kRefresh][run].value_or(0));
        }
        return SummaryCell{figure_text(kRead[kRefresh], longest), json_of(longest)};
      });
    }
    table_.add({"promise", "promise", TextTable::Align::kLeft}, [this](Runs runs) {
      const std::optional<double> of = target(runs);
      if (!of) return SummaryCell{};
      const char* verdict = verdict_text(verdict_of(count_of(runs), *of));
      return SummaryCell{verdict, verdict};
    });
  }

  [[nodiscard]] const MeansTable& table() const { return table_; }

  /// Says if promises were kept, and the most that spots earn if they were.
  [[nodiscard]] std::string answer() const {
    std::size_t promises = 0, kept = 0, unclear = 0;
    std::vector<bool> is_kept;
    for (const std::vector<std::size_t>& runs : table_.combinations()) {
      const std::optional<double> of = target(runs);
      is_kept.push_back(of && verdict_of(count_of(runs), *of) == PromiseVerdict::kKept);
      if (!of) continue;
      ++promises;
      if (is_kept.back()) ++kept;
      if (verdict_of(count_of(runs), *of) == PromiseVerdict::kUnclear) ++unclear;
    }
    if (promises == 0) return "";
    Figure revenue = kRead[kRevenue];
    revenue.better = Better::kHigh;
    return fmt::format("Promises: {} of {} kept, {} unclear, {} broken\n", kept, promises, unclear,
                       promises - kept - unclear) +
           best_text(revenue, read_.values[kRevenue], table_, is_kept, "Spot revenue where kept");
  }

 private:
  template <class Cell>
  void add(const char* name, const char* title, const Cell& cell) {
    table_.add({name, title}, cell);
  }

  static SummaryCell count(std::uint64_t number) { return {fmt::format("{}", number), number}; }

  [[nodiscard]] std::uint64_t sum(Read figure, Runs runs) const {
    double sum = 0;
    for (const std::size_t run : runs) sum += read_.values[figure][run].value_or(0);
    return static_cast<std::uint64_t>(sum);
  }

  /// The promised probability of an eviction; none: no promise.
  [[nodiscard]] std::optional<double> target(Runs runs) const {
    return read_.values[kTarget][runs.front()];
  }

  /// Counts the spots with a promised lifetime; without a target, all.
  [[nodiscard]] PromiseCount count_of(Runs runs) const {
    if (target(runs)) return {.promised = sum(kPromised, runs), .broken = sum(kBroken, runs)};
    return {.promised = sum(kAdmitted, runs), .broken = sum(kEvicted, runs)};
  }

  /// A target in percent for people, and as a number for programs.
  void write_targets() {
    table_.rewrite("target", [this](SummaryCell& cell, Runs runs) {
      const std::optional<double> of = target(runs);
      if (of) cell.text = fmt::format("{:g}%", 100 * *of);
      cell.json = json_of(of);
    });
  }

  RunFigures read_;
  MeansTable table_;
};

}  // namespace

StudyFigures sla_figures() {
  Figure revenue = kRead[kRevenue];
  revenue.better = Better::kHigh;
  return {.title = {},
          .figures = {revenue,
                      kRead[kSpots],
                      kRead[kVms],
                      {.name = "eviction_ratio", .title = "spots evicted"}}};
}

StudySummary sla_summary(ResultsDatabase& results, Timing timing) {
  const SlaTable made(results, timing);
  const MeansTable& table = made.table();
  SqliteStatement select(results.connection(),
                         "SELECT json_extract(configuration, '$.spot_delay_hours') FROM sweep");
  const double delay_h = select.step() ? select.read_number() : 0;
  StudySummary summary;
  summary.text = "Promised lifetimes: " + runs_line(results);
  summary.text.add_answer(made.answer());
  summary.text += table.heading();
  if (delay_h > 0) {
    summary.text +=
        fmt::format("Spots are asked for {:g} h later than their file says.\n", delay_h);
  }
  summary.text.add(table.table());
  summary.text +=
      "(evicted: of those that were promised a lifetime, before it was over, or of all that were\n"
      "admitted without a target; interval: Clopper-Pearson, as if evictions were independent;\n"
      "runs within: runs that broke no more promises than the target)\n";
  summary.json = {{"spot_delay_h", json_of(delay_h)},
                  {"combinations", table.table().json()},
                  {"note", sold_once_note()}};
  return summary;
}

StudyMoney sla_money() {
  return {.columns = {kVmsLost, kVmsRequested, kVmsEarned, kSpotsEarned, kSpotsRequested},
          .months = "run.window_days / (365.25 / 12)",
          .takes_flavors = false};
}

}  // namespace cospot
