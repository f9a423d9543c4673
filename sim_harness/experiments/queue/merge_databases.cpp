#include "sim_harness/experiments/queue/merge_databases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/configuration_difference.hpp"
#include "sim_harness/experiments/grid/grid.hpp"
#include "sim_harness/experiments/grid/stored_axes.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

/// The most missing runs that are named one by one.
constexpr std::size_t kNamedRuns = 10;

struct Gathered {
  ExperimentTables tables;
  std::vector<InputRecord> inputs;
  std::map<std::size_t, std::pair<Row, std::string>> rows;  ///< run -> row, its file
  std::size_t duplicates = 0;
};

void require_same_as_first(const Gathered& gathered, ResultsDatabase& database,
                           const std::string& first, const std::string& name) {
  const ExperimentRecord& mine = gathered.tables.record;
  const ExperimentRecord record = database.record();
  if (record.study != mine.study) {
    throw DatabaseError(fmt::format("{} holds the study '{}' and {} the study '{}'", first,
                                    mine.study, name, record.study));
  }
  if (identity_of(record.configuration) != identity_of(mine.configuration)) {
    throw DatabaseError(fmt::format("{} and {} hold different studies: they differ in {}", first,
                                    name,
                                    describe_difference(mine.configuration, record.configuration)));
  }
  if (gathered.tables.schema.timeline.empty() != database.schema().timeline.empty()) {
    throw DatabaseError(
        fmt::format("{} and {}: only one of them was run with --timeline", first, name));
  }
  const std::vector<InputRecord> inputs = database.inputs();
  if (inputs == gathered.inputs) return;
  const auto [one, other] =
      std::mismatch(gathered.inputs.begin(), gathered.inputs.end(), inputs.begin(), inputs.end());
  const InputRecord& differs = one == gathered.inputs.end() ? *other : *one;
  throw DatabaseError(fmt::format("{} and {} ran different versions of the {} '{}'", first, name,
                                  differs.key.empty() ? "workload" : differs.key, differs.label));
}

/// Tells whether two rows of one run say the same, whatever their times and the version.
bool is_same_result(const Schema& schema, const Row& one, const Row& other) {
  const std::vector<Column> columns = schema.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].role == ColumnRole::kTime) continue;
    // As written: values that print alike are alike.
    if (csv_value(columns[i], one.values.at(i)) != csv_value(columns[i], other.values.at(i))) {
      return false;
    }
  }
  return one.configuration == other.configuration && one.timeline == other.timeline;
}

void gather_rows(Gathered& gathered, ResultsDatabase& database, const std::string& name) {
  database.for_each_row([&](const Row& row) {
    const std::size_t run = row.run_index;
    Row whole = row;
    whole.timeline = database.timeline_of(run);
    const auto [found, is_new] = gathered.rows.try_emplace(run, std::move(whole), name);
    if (is_new) return;
    const auto& [earlier, file] = found->second;
    if (!is_same_result(gathered.tables.schema, earlier, whole)) {
      throw DatabaseError(
          fmt::format("{} and {} have different results of run {} (cospot {} and {})", file, name,
                      run, earlier.version, row.version));
    }
    ++gathered.duplicates;
  });
}

Gathered gather(const std::vector<fs::path>& inputs) {
  Gathered gathered;
  for (const fs::path& input : inputs) {
    ResultsDatabase database(input);
    require_on_axes(database, database.axes());
    if (&input == &inputs.front()) {
      gathered.tables = database.tables();
      gathered.inputs = database.inputs();
    } else {
      require_same_as_first(gathered, database, inputs.front().string(), input.string());
    }
    gather_rows(gathered, database, input.string());
  }
  return gathered;
}

void require_distinct(const std::vector<fs::path>& inputs, const fs::path& output) {
  std::error_code error;
  for (const fs::path& input : inputs) {
    if (!fs::equivalent(input, output, error) || error) continue;
    throw DatabaseError(output.string() + ": is an input and the output; choose another output");
  }
}

}  // namespace

MergeReport merge_databases(const std::vector<std::filesystem::path>& inputs,
                            const std::filesystem::path& output, IfPresent if_present,
                            const std::string& command) {
  if (inputs.empty()) throw DatabaseError("merge needs at least one results database to read");
  require_distinct(inputs, output);
  Gathered gathered = gather(inputs);
  gathered.tables.record.created_by = command;
  std::vector<Row> rows;
  MergeReport report;
  for (auto& [run, row_and_file] : gathered.rows) rows.push_back(std::move(row_and_file.first));
  // The file may state more runs than its axes have.
  const std::size_t runs =
      std::min(gathered.tables.record.run_count, grid_of(gathered.tables.axes).run_count());
  for (std::size_t run = 0; run < runs; ++run) {
    if (!gathered.rows.contains(run)) report.missing.push_back(run);
  }
  const ResultsDatabase merged(output, gathered.tables, gathered.inputs, if_present, rows);
  report.runs = rows.size();
  report.duplicates = gathered.duplicates;
  return report;
}

std::string merge_text(const MergeReport& report, const fs::path& output) {
  std::string text = fmt::format("{}: {} runs", output.string(), report.runs);
  if (report.duplicates > 0) {
    text += fmt::format(", of which {} were in more than one input, with the same results",
                        report.duplicates);
  }
  if (report.missing.empty()) return text + "; the study is complete.\n";
  text += fmt::format("; {} runs of the study are missing:", report.missing.size());
  for (std::size_t i = 0; i < std::min(report.missing.size(), kNamedRuns); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : ",", report.missing[i]);
  }
  return text + (report.missing.size() > kNamedRuns ? ", ...\n" : "\n");
}

}  // namespace cospot
