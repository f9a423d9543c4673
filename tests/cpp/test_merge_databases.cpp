#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/experiments/queue/merge_databases.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/studies/study.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

void write_database(const fs::path& file, const std::vector<ResultRow>& rows,
                    const std::vector<InputRecord>& workloads = small_sweep_workloads(),
                    const Sweep& sweep = small_sweep()) {
  const ResultsDatabase database(file, tables_of_sweep(sweep), workloads, IfPresent::kReplace,
                                 stored(rows));
}

MergeReport merge(const std::vector<fs::path>& inputs, const fs::path& output,
                  IfPresent if_present = IfPresent::kRefuse) {
  return merge_databases(inputs, output, if_present, "test");
}

std::string merge_error(const std::vector<fs::path>& inputs, const fs::path& output) {
  return error_text<DatabaseError>([&] { (void)merge(inputs, output); });
}

TEST_CASE("merge_databases: shards give the rows of one machine, in whatever order") {
  const ScratchFolder folder;
  std::vector<ResultRow> odd = made_rows(4, 4);
  for (const ResultRow& row : made_rows(12, 20)) odd.push_back(row);
  write_database(folder / "1.db", odd);
  std::vector<ResultRow> even = made_rows(0, 4);
  for (const ResultRow& row : made_rows(8, 4)) even.push_back(row);
  write_database(folder / "2.db", even);

  const MergeReport report = merge({folder / "1.db", folder / "2.db"}, folder / "all.db");
  CHECK(report.runs == 32);
  CHECK(report.missing.empty());
  CHECK(report.duplicates == 0);
  CHECK(csv_of_file(folder / "all.db", Timing::kOn) == csv_of(made_rows(0, 32), Timing::kOn));
  CHECK(contains(merge_text(report, "all.db"), "all.db: 32 runs; the study is complete."));
  (void)merge({folder / "2.db", folder / "1.db"}, folder / "all.db", IfPresent::kReplace);
  CHECK(csv_of_file(folder / "all.db", Timing::kOn) == csv_of(made_rows(0, 32), Timing::kOn));
}

TEST_CASE("merge_databases: missing and repeated runs are reported") {
  const ScratchFolder folder;
  std::vector<ResultRow> rows = made_rows(0, 6);
  write_database(folder / "1.db", rows);
  for (ResultRow& row : rows) row.result.wall_ms += 1;  // another machine's time
  write_database(folder / "2.db", {rows.begin() + 4, rows.end()});
  const MergeReport report = merge({folder / "1.db", folder / "2.db"}, folder / "all.db");
  CHECK(report.runs == 6);
  CHECK(report.duplicates == 2);
  CHECK(report.missing.size() == 26);
  CHECK(report.missing.front() == 6);
  CHECK(contains(merge_text(report, "all.db"),
                 "6 runs, of which 2 were in more than one input, with the same results; 26 runs "
                 "of the study are missing: 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ..."));
}

TEST_CASE("merge_databases: contradictions are errors and write nothing") {
  const ScratchFolder folder;
  const fs::path one = folder / "1.db";
  const fs::path two = folder / "2.db";
  const fs::path out = folder / "all.db";
  write_database(one, made_rows(0, 8));

  std::vector<ResultRow> rows = made_rows(4, 4);
  rows[1].result.spot_revenue += 1;  // one vcpu-microsecond
  write_database(two, rows);
  CHECK(contains(merge_error({one, two}, out), "have different results of run 5"));

  Sweep sweep = small_sweep();
  sweep.otn = {1, 8};
  write_database(two, {}, small_sweep_workloads(), sweep);
  CHECK(contains(merge_error({one, two}, out), "hold different studies: they differ in otn"));

  std::vector<InputRecord> workloads = small_sweep_workloads();
  workloads[1].sha256 = std::string(64, 'c');
  write_database(two, {}, workloads);
  CHECK(contains(merge_error({one, two}, out), "different versions of the workload 'b'"));

  CHECK(contains(merge_error({one}, one), "is an input and the output"));
  CHECK(contains(merge_error({}, out), "at least one results database"));
  CHECK(contains(merge_error({folder / "none.db"}, out), "none.db: there is no such file"));
  CHECK_FALSE(fs::exists(out));
  write_database(out, made_rows(0, 1));
  CHECK(contains(merge_error({one}, out), "already exists"));
  CHECK(ResultsDatabase(out).finished_runs().size() == 1);
}

}  // namespace
}  // namespace cospot
