#include "sim_harness/experiments/summary/study_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/prices/sold_once_json.hpp"
#include "sim_harness/experiments/summary/best_of_each.hpp"
#include "sim_harness/experiments/summary/figure_answers.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"

namespace cospot {
namespace {

constexpr std::size_t kLineWidth = 100;

/// One measure over the runs that have it.
struct MeasureSummary {
  Column column;
  std::int64_t runs = 0;
  double mean = 0, min = 0, max = 0;
};

bool is_number(const Column& column) {
  return column.type != ColumnType::kText && column.type != ColumnType::kIntegerOrText &&
         column.role != ColumnRole::kDetail;
}

std::vector<MeasureSummary> summarise_measures(ResultsDatabase& results, Timing timing) {
  std::vector<MeasureSummary> all;
  std::vector<std::string> selected;
  for (const Column& column : results.schema().measures) {
    if (!is_number(column)) continue;
    all.push_back({.column = column});
    selected.push_back(fmt::format("count({0}), avg({0}), min({0}), max({0})", column.name));
  }
  if (all.empty()) return all;
  SqliteStatement select(results.connection(),
                         fmt::format("SELECT {} FROM run", fmt::join(selected, ", ")));
  if (!select.step()) return {};
  for (MeasureSummary& one : all) {
    one.runs = select.read_integer();
    one.mean = select.read_number();
    one.min = select.read_number();
    one.max = select.read_number();
  }
  std::erase_if(all, [timing](const MeasureSummary& one) {
    const bool is_timed = timing == Timing::kOn && one.max > 0;
    return one.column.role == ColumnRole::kTime && !is_timed;
  });
  return all;
}

/// The meaning of the titles, in lines.
std::string legend_text(const std::vector<Figure>& figures) {
  std::string text;
  std::size_t width = 0;
  std::vector<std::pair<std::string_view, std::string>> titles;  // by meaning
  for (const Figure& figure : figures) {
    if (figure.meaning.empty()) continue;
    const auto same =
        std::ranges::find(titles, figure.meaning, [](auto& one) { return one.first; });
    if (same == titles.end()) {
      titles.emplace_back(figure.meaning, figure.title);
    } else {
      same->second += fmt::format(", {}", figure.title);
    }
  }
  for (const auto& [meaning, title] : titles) {
    const std::string one = fmt::format("{}: {}", title, meaning);
    const bool fits = width + one.size() + 3 <= kLineWidth;
    text += text.empty() ? "(" : fits ? "; " : ";\n";
    width = (fits ? width + 2 : 1) + one.size();
    text += one;
  }
  return text.empty() ? text : text + ")\n";
}

}  // namespace

std::string SummaryTable::text(std::string_view indent) const {
  TextTable table;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].title.empty()) continue;
    table.add_column((shown.empty() ? std::string(indent) : "") + columns[i].title,
                     columns[i].align);
    shown.push_back(i);
  }
  for (const std::vector<SummaryCell>& row : rows) {
    std::vector<std::string> cells;
    for (const std::size_t i : shown) cells.push_back(row[i].text);
    if (!cells.empty()) cells.front().insert(0, indent);
    table.add_row(std::move(cells));
  }
  return table.text();
}

Json SummaryTable::json() const {
  return json_list_of(rows, [this](const std::vector<SummaryCell>& row) {
    Json object = Json::object();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].name.empty()) object[columns[i].name] = row[i].json;
    }
    return object;
  });
}

std::vector<Figure> StudyFigures::all() const {
  std::vector<Figure> made = figures;
  made.insert(made.end(), more.begin(), more.end());
  return made;
}

StudySummary summary_of_figures(ResultsDatabase& results, const StudyFigures& study) {
  const RunFigures figures = read_figures(results, study.figures);
  MeansTable table(results, figures.runs);
  if (!study.best) {
    table.add({"runs", "runs"}, [](std::span<const std::size_t> runs) {
      return SummaryCell{fmt::format("{}", runs.size()), runs.size()};
    });
  }
  for (std::size_t i = 0; i < study.figures.size(); ++i) {
    table.add(study.figures[i], figures.values[i]);
  }
  StudySummary summary{.text = fmt::format("{}{}{}", study.title, study.title.empty() ? "" : ": ",
                                           runs_line(results))};
  if (study.best) {
    add_best(results, study, table, summary);
    if (figures.runs.empty()) return summary;
  } else {
    const FigureAnswers answers = answers_of(study.figures, figures.values, table);
    summary.text.add_answer(answers.text);
    summary.text += table.heading();
    summary.text.add(table.table());
    summary.json["answers"] = answers.json;
    summary.json["combinations"] = table.table().json();
  }
  summary.text += legend_text(study.figures);
  summary.text += study.note;
  if (study.is_sold_once) {
    summary.text += kSoldOnce;
    summary.json["note"] = sold_once_note();
  }
  return summary;
}

SummaryTable over_runs_table() {
  return {
      .columns = {
          {"", "over all runs", TextTable::Align::kLeft}, {"", "runs"}, {"", "mean"}, {"", "max"}}};
}

void add_over_runs(ResultsDatabase& results, std::span<const Figure> figures, SummaryTable& table,
                   Json& json) {
  std::vector<std::string> selected;
  for (const Figure& figure : figures) {
    const std::string_view sql = figure.sql.empty() ? figure.name : figure.sql;
    const bool is_count = figure.unit == FigureUnit::kCount;
    selected.push_back(
        fmt::format(fmt::runtime(is_count ? "{0}" : "count({0}), avg({0}), max({0})"), sql));
  }
  SqliteStatement select(
      results.connection(),
      fmt::format("SELECT {} FROM run_figures AS figures JOIN run USING (run_index)",
                  fmt::join(selected, ", ")));
  select.step();
  for (const Figure& figure : figures) {
    const std::int64_t runs = select.read_integer();
    const std::string count = fmt::format("{}", runs);
    if (figure.unit == FigureUnit::kCount) {
      json[figure.name] = runs;
      if (runs == 0 && figure.better == Better::kUnsaid) continue;
      table.rows.push_back({{std::string(figure.title), {}}, {count, {}}, {}, {}});
      continue;
    }
    const double mean = select.read_number(), most = select.read_number();
    const auto known = [runs](double one) { return runs == 0 ? std::nullopt : std::optional(one); };
    json[figure.name] = {
        {"runs", runs}, {"mean", json_of(known(mean))}, {"max", json_of(known(most))}};
    if (runs == 0) continue;
    table.rows.push_back({{std::string(figure.title), {}},
                          {count, {}},
                          {figure_text(figure, mean), {}},
                          {figure_text(figure, most), {}}});
  }
}

std::string runs_line(ResultsDatabase& results) {
  const std::size_t runs = results.finished_runs().size();
  const std::size_t expected = results.record().run_count;
  std::string line = fmt::format("{} run{}", runs, runs == 1 ? "" : "s");
  if (runs < expected) {
    line += fmt::format("; {} of the study's {} runs are missing", expected - runs, expected);
  }
  return line + "\n";
}

std::string missing_runs_line(ResultsDatabase& results) {
  const bool is_complete = results.finished_runs().size() == results.record().run_count;
  return is_complete ? "" : runs_line(results);
}

SummaryText measures_text(ResultsDatabase& results, Timing timing) {
  constexpr auto kLeft = TextTable::Align::kLeft;
  SummaryTable table{
      .columns = {
          {"", "measure", kLeft}, {"", "mean"}, {"", "min"}, {"", "max"}, {"", "unit", kLeft}}};
  for (const MeasureSummary& one : summarise_measures(results, timing)) {
    if (one.runs == 0) continue;
    const auto number = [](double value) { return fmt::format("{:.6g}", value); };
    table.rows.push_back({{one.column.name, {}},
                          {number(one.mean), {}},
                          {number(one.min), {}},
                          {number(one.max), {}},
                          {one.column.unit, {}}});
  }
  SummaryText text(fmt::format("study {}: {}", results.schema().study, runs_line(results)));
  text.add(table);
  return text;
}

Json measures_json(ResultsDatabase& results, Timing timing) {
  Json measures = Json::object();
  for (const MeasureSummary& one : summarise_measures(results, timing)) {
    const auto number = [&one](double value) {
      return json_of(one.runs == 0 ? std::nullopt : std::optional(value));
    };
    measures[one.column.name] = {{"unit", one.column.unit},
                                 {"runs", one.runs},
                                 {"mean", number(one.mean)},
                                 {"min", number(one.min)},
                                 {"max", number(one.max)}};
  }
  return measures;
}

}  // namespace cospot
