#include "sim_harness/studies/levels/levels_summary.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/mean_interval.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

/// What tells combinations apart: all axes but the workload and the seed.
constexpr std::array<std::string_view, 9> kSettings{
    "size", "vm", "spot", "evictor", "saf", "otn", "economy", "economy_percent", "promise"};

/// The figures of the view run_figures that are averaged, and their titles.
struct Figure {
  std::string_view column;
  std::string_view title;
  bool is_percent = true;
};
constexpr std::array<Figure, 6> kFigures{{{"vm_rejection", "VMs rejected"},
                                          {"economy_eviction_ratio", "economy evicted"},
                                          {"economy_revenue_share", "economy revenue"},
                                          {"spot_eviction_ratio", "spots evicted"},
                                          {"spot_revenue_share", "spot revenue"},
                                          {"income_ratio", "income ratio", false}}};

/// The values of one figure by workload, one a seed.
using ByWorkload = std::map<std::string, std::vector<double>>;

/// Of the workloads, each the mean of its seeds, or of the seeds of a single one; nothing without a
/// value.
std::optional<MeanInterval> over_workloads(const ByWorkload& values) {
  if (values.empty()) return std::nullopt;
  if (values.size() == 1) return mean_interval(values.begin()->second);
  std::vector<double> means;
  for (const auto& [workload, seeds] : values) means.push_back(mean_interval(seeds).mean);
  return mean_interval(means);
}

/// All workloads and seeds of one combination.
struct Combination {
  std::array<std::string, kSettings.size()> settings;
  std::array<ByWorkload, kFigures.size()> figures;
  std::int64_t runs = 0;
};

std::vector<Combination> combinations_of(ResultsDatabase& results) {
  std::string figures;
  for (const Figure& figure : kFigures) figures += fmt::format(", {}", figure.column);
  SqliteStatement select(
      results.connection(),
      "SELECT CASE WHEN run.headroom_percent IS NULL THEN run.hosts || ' hosts' "
      "  ELSE printf('%g%%', run.headroom_percent) END, run.vm, run.spot, run.evictor, run.saf, "
      "  run.otn, run.economy, printf('%g', run.economy_percent), run.promise, run.workload" +
          figures + " FROM run JOIN run_figures USING (run_index) ORDER BY run_index");
  std::vector<Combination> all;
  std::map<std::array<std::string, kSettings.size()>, std::size_t> known;
  while (select.step()) {
    std::array<std::string, kSettings.size()> settings;
    for (std::string& setting : settings) setting = select.read_text();
    const auto [found, is_new] = known.emplace(settings, all.size());
    if (is_new) all.push_back({.settings = settings, .figures = {}});
    Combination& one = all[found->second];
    ++one.runs;
    const std::string workload = select.read_text();
    for (ByWorkload& values : one.figures) {
      const bool is_known = !select.next_is_null();
      const double value = select.read_number();
      if (is_known) values[workload].push_back(value);
    }
  }
  return all;
}

/// Which settings differ between combinations.
std::array<bool, kSettings.size()> varying(const std::vector<Combination>& all) {
  std::array<bool, kSettings.size()> varies{};
  for (std::size_t i = 0; i < kSettings.size(); ++i) {
    std::set<std::string> values;
    for (const Combination& one : all) values.insert(one.settings[i]);
    varies[i] = values.size() > 1;
  }
  return varies;
}

std::string figure_text(const Figure& figure, const std::optional<MeanInterval>& mean) {
  if (!mean) return "-";
  const double scale = figure.is_percent ? 100 : 1;
  const auto number = [&](double value) {
    return figure.is_percent ? fmt::format("{:.2f}", scale * value) : fmt::format("{:.3f}", value);
  };
  std::string text = number(mean->mean);
  if (mean->half_width) text += " +- " + number(*mean->half_width);
  return figure.is_percent ? text + "%" : text;
}

std::string shared_settings(const std::vector<Combination>& all,
                            const std::array<bool, kSettings.size()>& varies) {
  std::string text;
  for (std::size_t i = 0; i < kSettings.size(); ++i) {
    if (varies[i] || all.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kSettings[i], all[0].settings[i]);
  }
  return text.empty() ? text : "All: " + text + "\n";
}

}  // namespace

std::string levels_summary_text(ResultsDatabase& results, Timing /*timing*/) {
  const std::vector<Combination> all = combinations_of(results);
  const auto varies = varying(all);
  TextTable table;
  for (std::size_t i = 0; i < kSettings.size(); ++i) {
    if (varies[i]) table.add_column(std::string(kSettings[i]), TextTable::Align::kLeft);
  }
  table.add_column("runs");
  for (const Figure& figure : kFigures) table.add_column(std::string(figure.title));
  for (const Combination& one : all) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i < kSettings.size(); ++i) {
      if (varies[i]) row.push_back(one.settings[i]);
    }
    row.push_back(fmt::format("{}", one.runs));
    for (std::size_t i = 0; i < kFigures.size(); ++i) {
      row.push_back(figure_text(kFigures[i], over_workloads(one.figures[i])));
    }
    table.add_row(std::move(row));
  }
  return fmt::format("Three priority levels: {}",
                     runs_line(results.finished_runs().size(), results.record().run_count)) +
         shared_settings(all, varies) + table.text() +
         "(evicted: of those admitted; revenue: of what was requested; income ratio: of economy\n"
         "instances and spots, over that of the same datacenter with economy_percent 0; +-: 95 %\n"
         "interval over the workloads, each the mean of its seeds, or over the seeds of a single "
         "one)\n";
}

std::string levels_summary_json(ResultsDatabase& results, Timing /*timing*/) {
  std::vector<std::string> combinations;
  for (const Combination& one : combinations_of(results)) {
    JsonObject json;
    for (std::size_t i = 0; i < kSettings.size(); ++i) {
      json.add(std::string(kSettings[i]), json_text(one.settings[i]));
    }
    json.add("runs", std::to_string(one.runs));
    for (std::size_t i = 0; i < kFigures.size(); ++i) {
      json.add(std::string(kFigures[i].column),
               mean_json(over_workloads(one.figures[i]), "half_width"));
    }
    combinations.push_back(json.text());
  }
  return JsonObject()
      .add("study", json_text(results.record().study))
      .add("runs", fmt::format("{}", results.finished_runs().size()))
      .add("expected_runs", fmt::format("{}", results.record().run_count))
      .add("combinations", json_list(combinations))
      .text();
}

}  // namespace cospot
