#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/errors.hpp"
#include "core/model/revenue.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/experiments/results/results_database.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/study.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

ResultsDatabase open_small(const fs::path& file, IfPresent if_present = IfPresent::kRefuse) {
  return {file, small_sweep_tables(), small_sweep_workloads(), if_present};
}

std::string open_error(const fs::path& file, const ExperimentTables& tables,
                       const std::vector<InputRecord>& workloads, IfPresent if_present) {
  return error_text<DatabaseError>(
      [&] { const ResultsDatabase database(file, tables, workloads, if_present); });
}

std::string open_error(const fs::path& file, IfPresent if_present) {
  return open_error(file, small_sweep_tables(), small_sweep_workloads(), if_present);
}

/// Every column of a row as text, so that rows compare exactly.
std::string row_text(const ResultRow& row) {
  return csv_of({&row, 1}, Timing::kOn) + row.workload_sha256 + row.configuration + row.version +
         std::to_string(row.seed) + "/" + std::to_string(row.run_index);
}

TEST_CASE("revenue_text: exact decimals, and back") {
  // 1,209,600 s x 10,400 vcpus = 12,579,840,000 vcpu-seconds.
  CHECK(revenue_text(Revenue{1'209'600} * 10'400 * 1'000'000) == "12579840000");
  CHECK(revenue_text(1) == "0.000001");
  CHECK(revenue_text(1'500'000) == "1.5");
  CHECK(revenue_text(0) == "0");
  CHECK(revenue_text(-2'250'000) == "-2.25");
  const Revenue large = Revenue{INT64_MAX} * 1000 + 7;  // beyond 64 bits
  CHECK(parse_revenue(revenue_text(large)) == large);
  CHECK(parse_revenue("-2.25") == Revenue{-2'250'000});
  for (const char* text : {"", "-", ".5", "1.", "1.0000001", "1e3", "x", "1,5",
                           "999999999999999999999999999999999999999"}) {
    CHECK_MESSAGE(!parse_revenue(text), text);
  }
}

TEST_CASE("ResultsDatabase: rows come back exactly, in grid order") {
  const ScratchFolder folder;
  {
    ResultsDatabase database = open_small(folder / "r.db");
    database.commit(stored(made_rows(8, 4)));
    database.commit(stored(made_rows(0, 4)));
  }
  ResultsDatabase database(folder / "r.db");
  CHECK(database.finished_runs() == std::vector<std::size_t>{0, 1, 2, 3, 8, 9, 10, 11});
  const std::vector<ResultRow> rows = read_result_rows(database);
  REQUIRE(rows.size() == 8);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(row_text(rows[i]) == row_text(made_row(i)));
    CHECK(row_text(rows[4 + i]) == row_text(made_row(8 + i)));
  }
  CHECK(database.record().configuration == small_sweep_tables().record.configuration);
  CHECK(database.record().run_count == 32);
  CHECK(database.record().study == "compare");
  CHECK(database.inputs() == small_sweep_workloads());
}

TEST_CASE("ResultsDatabase: what is there is refused, resumed or replaced as asked") {
  const ScratchFolder folder;
  const fs::path file = folder / "r.db";
  open_small(file, IfPresent::kResume).commit(stored(made_rows(0, 4)));  // nothing there: starts it
  const std::string refused = open_error(file, IfPresent::kRefuse);
  CHECK(contains(refused, "already exists, with 4 of 32 runs; --resume continues it, --force"));
  CHECK(open_small(file, IfPresent::kResume).finished_runs().size() == 4);
  CHECK(open_small(file, IfPresent::kReplace).finished_runs().empty());
  // A file of no bytes, as a kill at the very start leaves it, is nothing.
  (void)folder.write("empty.db", "");
  CHECK(open_small(folder / "empty.db").finished_runs().empty());
}

TEST_CASE("ResultsDatabase: another sweep or a changed workload is not resumed") {
  const ScratchFolder folder;
  const fs::path file = folder / "r.db";
  open_small(file).commit(stored(made_rows(0, 4)));
  Sweep sweep = small_sweep();
  sweep.otn = {1, 8};
  const ExperimentTables other = tables_of_sweep(sweep);
  CHECK(contains(open_error(file, other, small_sweep_workloads(), IfPresent::kResume),
                 "holds another study: it differs in otn"));
  std::vector<InputRecord> workloads = small_sweep_workloads();
  workloads[1].sha256 = std::string(64, 'c');
  CHECK(contains(open_error(file, small_sweep_tables(), workloads, IfPresent::kResume),
                 "the workload 'b' has changed since the study was started: its SHA-256 was bbbb"));
  CHECK(open_small(file, IfPresent::kResume).finished_runs().size() == 4);
}

TEST_CASE("ResultsDatabase: a run that already exists undoes its whole commit") {
  const ScratchFolder folder;
  ResultsDatabase database = open_small(folder / "r.db");
  database.commit(stored(made_rows(4, 2)));
  const std::string error =
      error_text<DatabaseError>([&] { database.commit(stored(made_rows(2, 4))); });
  CHECK(contains(error, "run 4 already exists"));
  CHECK(database.finished_runs() == std::vector<std::size_t>{4, 5});
}

TEST_CASE("ResultsDatabase: another format is named, with what to do, and left as it is") {
  const ScratchFolder folder;
  const fs::path file = folder / "r.db";
  open_small(file).commit(stored(made_rows(0, 4)));
  SqliteConnection(file, SqliteOpen::kExisting).execute("PRAGMA user_version = 1");
  for (const IfPresent mode : {IfPresent::kRefuse, IfPresent::kResume, IfPresent::kReplace}) {
    const std::string error = open_error(file, mode);
    CHECK(contains(error, "r.db: has results format 1; this cospot ("));
    CHECK(contains(error, ") reads format 4. Run the study again into another --db"));
  }
  SqliteConnection(file, SqliteOpen::kExisting).execute("PRAGMA user_version = 4");
  CHECK(open_small(file, IfPresent::kResume).finished_runs().size() == 4);
}

TEST_CASE(
    "ResultsDatabase: a file of an older cospot names what it lacks, and how to write it anew") {
  const ScratchFolder folder;
  const fs::path file = folder / "r.db";
  open_small(file).commit(stored(made_rows(0, 4)));
  SqliteConnection(file, SqliteOpen::kExisting)
      .execute(
          "UPDATE sweep SET version = '0.0.9', created_by = 'cospot compare s.yaml --set otn=1';"
          "DELETE FROM \"column\" WHERE name IN ('evictions', 'vm_revenue')");
  const std::string expected =
      "r.db: was written by an older cospot (0.0.9), without the columns 'evictions', "
      "'vm_revenue', which the study compare has now; run `cospot compare s.yaml --set otn=1` "
      "again, into another --db or with --force";
  CHECK(contains(error_text<DatabaseError>([&] { (void)open_results(built_in_studies(), file); }),
                 expected));
  CHECK(contains(open_error(file, IfPresent::kResume), expected));
  CHECK(open_small(file, IfPresent::kReplace).finished_runs().empty());
}

TEST_CASE("ResultsDatabase: foreign files are never touched, not even by --force") {
  const ScratchFolder folder;
  const std::string text = "My thesis, chapter 1. " + std::string(2000, 'x');
  const fs::path thesis = folder.write("thesis.txt", text);
  const fs::path foreign = folder / "other.db";
  SqliteConnection(foreign, SqliteOpen::kCreate).execute("CREATE TABLE t (x)");
  for (const IfPresent mode : {IfPresent::kRefuse, IfPresent::kResume, IfPresent::kReplace}) {
    CHECK(contains(open_error(thesis, mode), "thesis.txt: is not a results database"));
    CHECK(contains(open_error(foreign, mode), "is a database of another program"));
    CHECK(contains(open_error(folder.path(), mode), "is a folder"));
    CHECK(contains(open_error(folder / "no/r.db", mode), "there is no folder"));
    CHECK(contains(open_error("", mode), "needs a file name"));
  }
  CHECK(ScratchFolder::read(thesis) == text);
  SqliteConnection(foreign, SqliteOpen::kExisting).execute("SELECT x FROM t");
  const auto open = [](const fs::path& file) {
    return error_text<DatabaseError>([&] { (void)ResultsDatabase(file); });
  };
  CHECK(contains(open(folder / "none.db"), "none.db: there is no such file"));
  CHECK(contains(open(folder.write("empty.db", "")), "is empty"));
  CHECK_FALSE(fs::exists(folder / "none.db"));
}

TEST_CASE("ResultsDatabase: a damaged database is an error, not a crash") {
  const ScratchFolder folder;
  const fs::path file = folder / "r.db";
  for (std::size_t i = 0; i < 8; ++i) {
    open_small(file, IfPresent::kResume).commit(stored(made_rows(4 * i, 4)));
  }
  const std::string whole = ScratchFolder::read(file);
  for (std::size_t i = 1; i < 8; ++i) {
    const fs::path cut = folder.write("cut.db", whole.substr(0, whole.size() * i / 8));
    CHECK_FALSE(error_text<DatabaseError>([&] { (void)ResultsDatabase(cut).read_rows(); }).empty());
  }
}

/// Runs `work` in a child process and gives its wait status.
template <class Work>
int in_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      work();
    } catch (const std::exception&) {
      _exit(3);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_CASE("ResultsDatabase: SIGKILL in the middle of a commit loses that commit and nothing else") {
  const ScratchFolder folder;
  const fs::path file = folder / "r.db";
  const int status = in_child([&] {
    open_small(file).commit(stored(made_rows(0, 4)));
    SqliteConnection connection(file, SqliteOpen::kExisting);
    // A cache of one page makes the unfinished transaction reach the file before the kill.
    connection.execute("PRAGMA cache_size = 1");
    connection.execute("BEGIN IMMEDIATE");
    connection.execute(
        "UPDATE run SET workload = 'damaged', configuration = hex(randomblob(20000))");
    kill(getpid(), SIGKILL);
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK(contains(ScratchFolder::read(file), "damaged"));
  REQUIRE(fs::exists(folder / "r.db-journal"));
  ResultsDatabase database = open_small(file, IfPresent::kResume);
  const std::vector<ResultRow> rows = read_result_rows(database);
  REQUIRE(rows.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(row_text(rows[i]) == row_text(made_row(i)));
  database.commit(stored(made_rows(4, 4)));
  CHECK(database.finished_runs().size() == 8);
}

TEST_CASE("ResultsDatabase: a file that cannot grow is an error, and nothing half-written stays") {
  const ScratchFolder folder;
  const auto limit_file_size = [](rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);  // the write fails instead of the process
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  int status = in_child([&] {
    limit_file_size(4096);  // room for one page: not for the tables
    const std::string error = open_error(folder / "r.db", IfPresent::kRefuse);
    _exit(contains(error, "r.db: cannot be opened or written") ? 0 : 1);
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK_FALSE(fs::exists(folder / "r.db"));

  open_small(folder / "r.db").commit(stored(made_rows(0, 4)));
  const std::uintmax_t size = fs::file_size(folder / "r.db");
  status = in_child([&] {
    limit_file_size(size);
    ResultsDatabase database(folder / "r.db");
    const std::string error =
        error_text<DatabaseError>([&] { database.commit(stored(made_rows(4, 28))); });
    _exit(contains(error, "cannot be opened or written") ? 0 : 1);
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(ResultsDatabase(folder / "r.db").finished_runs().size() == 4);
}

TEST_CASE("ResultsDatabase: a folder that cannot be written is an error") {
  // Not even root can create a file in /proc; there it stands for a read-only folder.
  CHECK(contains(open_error("/proc/cospot-test.db", IfPresent::kRefuse),
                 "/proc/cospot-test.db: cannot be opened or written"));
}

}  // namespace
}  // namespace cospot
