#include "sim_harness/experiments/results/csv_sink.hpp"

#include <fmt/core.h>

#include <string_view>

#include "core/errors.hpp"
#include "sim_harness/base/files/stored_file.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

void add_line(std::string& text, const Schema& schema, const Row& row, Timing timing) {
  std::size_t position = 0;
  bool is_first = true;
  for (const std::vector<Column>* part : {&schema.axes, &schema.measures}) {
    for (const Column& column : *part) {
      const Value& value = row.values.at(position++);
      if (!column.is_in_csv()) continue;
      if (!is_first) text += ',';
      is_first = false;
      text += csv_value(column, with_timing(column, value, timing));
    }
  }
  text += '\n';
}

std::string header(const Schema& schema) {
  std::string text;
  for (const Column& column : schema.columns()) {
    if (column.is_in_csv()) text += (text.empty() ? "" : ",") + column.name;
  }
  return text + "\n";
}

}  // namespace

Value with_timing(const Column& column, const Value& value, Timing timing) {
  if (timing == Timing::kOn || column.role != ColumnRole::kTime) return value;
  if (column.type == ColumnType::kNumber) return 0.0;
  return std::int64_t{0};
}

std::string csv_text(const Schema& schema, std::span<const Row> rows, Timing timing) {
  std::string text = header(schema);
  for (const Row& row : rows) add_line(text, schema, row, timing);
  return text;
}

std::string csv_text(ResultsDatabase& results, Timing timing) {
  std::string text = header(results.schema());
  results.for_each_row([&](const Row& row) { add_line(text, results.schema(), row, timing); });
  return text;
}

std::string timeline_csv_text(ResultsDatabase& results) {
  const Schema& schema = results.schema();
  if (schema.timeline.empty()) {
    throw DatabaseError(results.name() +
                        ": has no timeline: its runs keep none; expected results of `cospot "
                        "compare --timeline`");
  }
  std::string text = "run_index";
  for (const std::vector<Column>* part : {&schema.axes, &schema.timeline}) {
    for (const Column& column : *part) text += "," + column.name;
  }
  text += "\n";
  results.for_each_row([&](const Row& row) {
    std::string run = fmt::format("{}", row.run_index);
    for (std::size_t i = 0; i < schema.axes.size(); ++i) {
      run += "," + csv_value(schema.axes[i], row.values[i]);
    }
    for (const std::vector<Value>& values : results.timeline_of(row.run_index)) {
      text += run;
      for (std::size_t i = 0; i < values.size(); ++i) {
        text += "," + csv_value(schema.timeline[i], values[i]);
      }
      text += "\n";
    }
  });
  return text;
}

void write_csv(const fs::path& file, ResultsDatabase& results, Timing timing) {
  write_stored_file(file, csv_text(results, timing));
}

void write_timeline_csv(const fs::path& file, ResultsDatabase& results) {
  write_stored_file(file, timeline_csv_text(results));
}

}  // namespace cospot
