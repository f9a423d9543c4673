#include "sim_harness/studies/provider/combination_summary.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>

#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

constexpr std::string_view kSaf = "saf";

struct Combination {
  std::vector<std::string> settings;
  std::vector<FigureValues> figures;
  std::int64_t runs = 0;
};

std::string select_text(const CombinationSummary& summary) {
  std::string columns = "run.workload";
  for (const SummarySetting& setting : summary.settings)
    columns += fmt::format(", {}", setting.sql);
  for (const SummaryFigure& figure : summary.figures) columns += fmt::format(", {}", figure.column);
  return "SELECT " + columns + " FROM run JOIN run_figures USING (run_index) ORDER BY run_index";
}

std::vector<Combination> combinations_of(ResultsDatabase& results,
                                         const CombinationSummary& summary) {
  SqliteStatement select(results.connection(), select_text(summary));
  std::vector<Combination> all;
  std::map<std::vector<std::string>, std::size_t> known;
  while (select.step()) {
    const std::string workload = select.read_text();
    std::vector<std::string> settings(summary.settings.size());
    for (std::string& setting : settings) setting = select.read_text();
    const auto [found, is_new] = known.emplace(settings, all.size());
    if (is_new) {
      all.push_back(
          {.settings = settings, .figures = std::vector<FigureValues>(summary.figures.size())});
    }
    Combination& one = all[found->second];
    ++one.runs;
    for (FigureValues& values : one.figures) {
      const bool is_known = !select.next_is_null();
      const double value = select.read_number();
      if (is_known) values.push_back({workload, value});
    }
  }
  return all;
}

/// Which settings differ between combinations.
std::vector<bool> varying(const std::vector<Combination>& all, std::size_t settings) {
  std::vector<bool> varies;
  for (std::size_t i = 0; i < settings; ++i) {
    std::set<std::string> values;
    for (const Combination& one : all) values.insert(one.settings[i]);
    varies.push_back(values.size() > 1);
  }
  return varies;
}

std::string shared_settings(const CombinationSummary& summary, const std::vector<Combination>& all,
                            const std::vector<bool>& varies) {
  std::string text;
  for (std::size_t i = 0; i < varies.size(); ++i) {
    if (varies[i] || all.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", summary.settings[i].name,
                        all[0].settings[i]);
  }
  return text.empty() ? text : "All: " + text + "\n";
}

TextTable table_of(const CombinationSummary& summary, const std::vector<Combination>& all,
                   const std::vector<bool>& varies) {
  TextTable table;
  for (std::size_t i = 0; i < varies.size(); ++i) {
    if (varies[i]) {
      table.add_column(std::string(summary.settings[i].name), TextTable::Align::kLeft);
    }
  }
  table.add_column("runs");
  for (const SummaryFigure& figure : summary.figures) table.add_column(std::string(figure.title));
  for (const Combination& one : all) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i < varies.size(); ++i) {
      if (varies[i]) row.push_back(one.settings[i]);
    }
    row.push_back(fmt::format("{}", one.runs));
    for (std::size_t i = 0; i < summary.figures.size(); ++i) {
      row.push_back(summary.cell(summary.figures[i], one.figures[i]));
    }
    table.add_row(std::move(row));
  }
  return table;
}

std::string one_json(const CombinationSummary& summary, const Combination& one) {
  JsonObject json;
  for (std::size_t i = 0; i < summary.settings.size(); ++i) {
    const std::string& text = one.settings[i];
    const bool is_saf = summary.settings[i].name == kSaf;
    json.add(summary.settings[i].name, is_saf ? json_bool(text == "on") : json_text(text));
  }
  json.add("runs", std::to_string(one.runs));
  for (std::size_t i = 0; i < summary.figures.size(); ++i) {
    json.add(summary.figures[i].column, summary.json(one.figures[i]));
  }
  return json.text();
}

}  // namespace

std::vector<SummarySetting> provider_summary_settings(const std::vector<SummarySetting>& own) {
  std::vector<SummarySetting> settings{
      {"size",
       "CASE WHEN run.headroom_percent IS NULL THEN run.hosts || ' hosts' "
       "ELSE printf('%g%%', run.headroom_percent) END"},
      {"vm", "run.vm"},
      {"spot", "run.spot"},
      {"evictor", "run.evictor"},
      {kSaf, "CASE run.saf WHEN 1 THEN 'on' ELSE 'off' END"},
      {"otn", "run.otn"}};
  settings.insert(settings.end(), own.begin(), own.end());
  return settings;
}

std::string combination_text(ResultsDatabase& results, const CombinationSummary& summary) {
  const std::vector<Combination> all = combinations_of(results, summary);
  const std::vector<bool> varies = varying(all, summary.settings.size());
  return fmt::format("{}: {}", summary.title,
                     runs_line(results.finished_runs().size(), results.record().run_count)) +
         shared_settings(summary, all, varies) + table_of(summary, all, varies).text() +
         std::string(summary.note);
}

std::string combination_json(ResultsDatabase& results, const CombinationSummary& summary) {
  return JsonObject()
      .add("study", json_text(results.record().study))
      .add("runs", fmt::format("{}", results.finished_runs().size()))
      .add("expected_runs", fmt::format("{}", results.record().run_count))
      .add("combinations", list_of(combinations_of(results, summary),
                                   [&](const Combination& one) { return one_json(summary, one); }))
      .text();
}

}  // namespace cospot
