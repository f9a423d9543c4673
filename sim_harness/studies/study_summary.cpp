#include "sim_harness/studies/study_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/text_table.hpp"

namespace cospot {
namespace {

/// Of one measure over the runs that have one.
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

}  // namespace

std::string runs_line(std::size_t runs, std::size_t expected_runs) {
  std::string line = fmt::format("{} run{}", runs, runs == 1 ? "" : "s");
  if (runs < expected_runs) {
    line +=
        fmt::format("; {} of the study's {} runs are missing", expected_runs - runs, expected_runs);
  }
  return line + "\n";
}

std::string measures_text(ResultsDatabase& results, Timing timing) {
  const ExperimentRecord record = results.record();
  std::string text = fmt::format("study {}: {}", record.study,
                                 runs_line(results.finished_runs().size(), record.run_count));
  TextTable table;
  table.add_column("measure", TextTable::Align::kLeft);
  for (const char* name : {"mean", "min", "max"}) table.add_column(name);
  table.add_column("unit", TextTable::Align::kLeft);
  for (const MeasureSummary& one : summarise_measures(results, timing)) {
    if (one.runs == 0) continue;
    const auto number = [](double value) { return fmt::format("{:.6g}", value); };
    table.add_row(
        {one.column.name, number(one.mean), number(one.min), number(one.max), one.column.unit});
  }
  return text + table.text();
}

std::string measures_json(ResultsDatabase& results, Timing timing) {
  const ExperimentRecord record = results.record();
  JsonObject measures;
  for (const MeasureSummary& one : summarise_measures(results, timing)) {
    const auto number = [&one](double value) {
      return json_number(one.runs == 0 ? std::nullopt : std::optional(value));
    };
    measures.add(one.column.name, JsonObject()
                                      .add("unit", json_text(one.column.unit))
                                      .add("runs", fmt::format("{}", one.runs))
                                      .add("mean", number(one.mean))
                                      .add("min", number(one.min))
                                      .add("max", number(one.max))
                                      .text());
  }
  return JsonObject()
      .add("study", json_text(record.study))
      .add("runs", fmt::format("{}", results.finished_runs().size()))
      .add("expected_runs", fmt::format("{}", record.run_count))
      .add("measures", measures.text())
      .text();
}

}  // namespace cospot
