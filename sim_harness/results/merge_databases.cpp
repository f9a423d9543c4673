#include "sim_harness/results/merge_databases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/sweeps/sweep_json.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

/// The most missing runs that are named one by one.
constexpr std::size_t kNamedRuns = 10;

struct Gathered {
  SweepRecord sweep;
  std::vector<WorkloadRecord> workloads;
  std::map<std::size_t, std::pair<ResultRow, std::string>> rows;  ///< run -> row, its file
  std::size_t duplicates = 0;
};

void require_same_sweep(const Gathered& gathered, ResultsDatabase& database,
                        const std::string& first, const std::string& name) {
  const SweepRecord sweep = database.sweep();
  if (sweep.configuration != gathered.sweep.configuration) {
    throw DatabaseError(
        fmt::format("{} and {} hold different sweeps: they differ in {}", first, name,
                    describe_difference(gathered.sweep.configuration, sweep.configuration)));
  }
  const std::vector<WorkloadRecord> workloads = database.workloads();
  if (workloads == gathered.workloads) return;
  const auto [mine, other] = std::mismatch(gathered.workloads.begin(), gathered.workloads.end(),
                                           workloads.begin(), workloads.end());
  const std::string label = mine == gathered.workloads.end() ? other->label : mine->label;
  throw DatabaseError(
      fmt::format("{} and {} ran different versions of the workload '{}'", first, name, label));
}

/// Tells whether two rows of one run say the same, whatever their times and the version.
bool is_same_result(ResultRow one, ResultRow other) {
  one.result = with_timing(one.result, Timing::kOff);
  other.result = with_timing(other.result, Timing::kOff);
  return one.configuration == other.configuration && one.workload_sha256 == other.workload_sha256 &&
         csv_text({&one, 1}, Timing::kOff) == csv_text({&other, 1}, Timing::kOff);
}

void gather_rows(Gathered& gathered, ResultsDatabase& database, const std::string& name) {
  for (ResultRow& row : database.read_rows()) {
    const std::size_t run = row.run_index;
    const auto found = gathered.rows.find(run);
    if (found == gathered.rows.end()) {
      gathered.rows.emplace(run, std::pair(std::move(row), name));
      continue;
    }
    const auto& [earlier, file] = found->second;
    if (!is_same_result(earlier, row)) {
      throw DatabaseError(
          fmt::format("{} and {} have different results of run {} (cospot {} and {})", file, name,
                      run, earlier.version, row.version));
    }
    ++gathered.duplicates;
  }
}

Gathered gather(const std::vector<fs::path>& inputs) {
  Gathered gathered;
  for (const fs::path& input : inputs) {
    ResultsDatabase database(input);
    if (&input == &inputs.front()) {
      gathered.sweep = database.sweep();
      gathered.workloads = database.workloads();
    } else {
      require_same_sweep(gathered, database, inputs.front().string(), input.string());
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

MergeReport merge_databases(const std::vector<fs::path>& inputs, const fs::path& output,
                            IfPresent if_present, const std::string& command) {
  if (inputs.empty()) throw DatabaseError("merge needs at least one results database to read");
  require_distinct(inputs, output);
  Gathered gathered = gather(inputs);
  gathered.sweep.created_by = command;
  std::vector<ResultRow> rows;
  MergeReport report;
  for (auto& [run, row_and_file] : gathered.rows) rows.push_back(std::move(row_and_file.first));
  for (std::size_t run = 0; run < gathered.sweep.run_count; ++run) {
    if (!gathered.rows.contains(run)) report.missing.push_back(run);
  }
  const ResultsDatabase merged(output, gathered.sweep, gathered.workloads, if_present, rows);
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
  if (report.missing.empty()) return text + "; the sweep is complete.\n";
  text += fmt::format("; {} runs of the sweep are missing:", report.missing.size());
  for (std::size_t i = 0; i < std::min(report.missing.size(), kNamedRuns); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : ",", report.missing[i]);
  }
  return text + (report.missing.size() > kNamedRuns ? ", ...\n" : "\n");
}

}  // namespace cospot
