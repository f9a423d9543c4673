#include "sim_harness/studies/life/life_summary.hpp"

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
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

/// What tells combinations apart: all axes but the workload.
constexpr std::array<std::string_view, 7> kSettings{"size", "vm",  "spot", "evictor",
                                                    "saf",  "otn", "life"};

/// What is averaged over the workloads, its title, and how it is written.
struct Figure {
  std::string_view column;
  std::string_view title;
  bool is_percent = true;
};
constexpr std::array<Figure, 10> kFigures{{{"vm_loss", "VM loss"},
                                           {"vm_loss_by_life", "points by life"},
                                           {"spot_share", "spot revenue"},
                                           {"spot_revenue_by_life", "change by life"},
                                           {"gain", "gain"},
                                           {"evictions", "evictions", false},
                                           {"vm_rejected", "VMs rejected", false},
                                           {"vms_lost", "VMs lost", false},
                                           {"vms_evacuated", "evacuated", false},
                                           {"spots_returned", "spots returned", false}}};

/// The mean of the values that are there.
struct Mean {
  double sum = 0;
  std::int64_t count = 0;

  [[nodiscard]] std::optional<double> value() const {
    return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
  }
};

struct Combination {
  std::array<std::string, kSettings.size()> settings;
  std::array<Mean, kFigures.size()> figures{};
  std::int64_t runs = 0;
};

std::vector<Combination> combinations_of(ResultsDatabase& results) {
  std::string figures;
  for (const Figure& figure : kFigures) figures += fmt::format(", {}", figure.column);
  SqliteStatement select(
      results.connection(),
      "SELECT CASE WHEN run.headroom_percent IS NULL THEN run.hosts || ' hosts' "
      "  ELSE printf('%g%%', run.headroom_percent) END, run.vm, run.spot, run.evictor, run.saf, "
      "  run.otn, run.life" +
          figures + " FROM run JOIN run_figures USING (run_index) ORDER BY run_index");
  std::vector<Combination> all;
  std::map<std::array<std::string, kSettings.size()>, std::size_t> known;
  while (select.step()) {
    std::array<std::string, kSettings.size()> settings;
    for (std::string& setting : settings) setting = select.read_text();
    const auto [found, is_new] = known.emplace(settings, all.size());
    if (is_new) all.push_back({.settings = settings});
    Combination& one = all[found->second];
    ++one.runs;
    for (Mean& mean : one.figures) {
      const bool is_known = !select.next_is_null();
      const double value = select.read_number();
      if (!is_known) continue;
      mean.sum += value;
      ++mean.count;
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

std::string figure_text(const Figure& figure, const Mean& mean) {
  if (!mean.value()) return "-";
  return figure.is_percent ? fmt::format("{:.3f}%", 100 * *mean.value())
                           : fmt::format("{:.1f}", *mean.value());
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

std::string life_summary_text(ResultsDatabase& results, Timing /*timing*/) {
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
      row.push_back(figure_text(kFigures[i], one.figures[i]));
    }
    table.add_row(std::move(row));
  }
  return fmt::format("Life of requests: {}",
                     runs_line(results.finished_runs().size(), results.record().run_count)) +
         shared_settings(all, varies) + table.text() +
         "(means over the workloads; VM loss, spot revenue: of what was requested; points, change: "
         "VM\n"
         "loss minus, and spot revenue relative to, that of the same runs with the life none; "
         "gain:\n"
         "over OTN 1 and SAF off with the same life)\n";
}

std::string life_summary_json(ResultsDatabase& results, Timing /*timing*/) {
  std::vector<std::string> combinations;
  for (const Combination& one : combinations_of(results)) {
    JsonObject json;
    for (std::size_t i = 0; i < kSettings.size(); ++i) {
      json.add(std::string(kSettings[i]), json_text(one.settings[i]));
    }
    json.add("runs", std::to_string(one.runs));
    for (std::size_t i = 0; i < kFigures.size(); ++i) {
      json.add(std::string(kFigures[i].column), json_number(one.figures[i].value()));
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
