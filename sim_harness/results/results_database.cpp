#include "sim_harness/results/results_database.hpp"

#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/interrupt/temporary_path.hpp"
#include "sim_harness/results/result_columns.hpp"
#include "sim_harness/sweeps/sweep_json.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kApplicationId = 0x636f7370;  // "cosp"
constexpr std::int64_t kFormatVersion = 2;           // 2: spot_revenue_first_hour_free

enum class Content : std::uint8_t { kNothing, kResults };

/// Tells what the file holds; throws when it is not ours to touch.
Content read_content(SqliteConnection& connection) {
  const std::int64_t application = connection.read_pragma("application_id");
  const std::int64_t version = connection.read_pragma("user_version");
  SqliteStatement count(connection, "SELECT count(*) FROM sqlite_schema");
  const bool has_tables = count.step() && count.read_integer() > 0;
  if (!has_tables && application == 0) return Content::kNothing;
  if (application != kApplicationId) {
    throw DatabaseError(connection.name() +
                        ": is a database of another program; choose another file");
  }
  if (version != kFormatVersion) {
    throw DatabaseError(
        fmt::format("{}: has results format {}; this cospot ({}) reads and writes format {}. Run "
                    "the sweep again "
                    "into another --db, or use the cospot that wrote it",
                    connection.name(), version, COSPOT_VERSION, kFormatVersion));
  }
  return Content::kResults;
}

void insert_rows(SqliteConnection& connection, std::span<const ResultRow> rows) {
  SqliteStatement there(connection, "SELECT 1 FROM run WHERE run_index = ?");
  SqliteStatement insert(connection, insert_run_sql());
  for (const ResultRow& row : rows) {
    if (there.bind(static_cast<std::int64_t>(row.run_index)).step()) {
      throw DatabaseError(fmt::format(
          "{}: run {} is there already: another process is writing the same sweep; give each its "
          "own --shard and --db",
          connection.name(), row.run_index));
    }
    bind_run(insert, row);
    insert.step();
  }
}

void create_content(SqliteConnection& connection, const SweepRecord& sweep,
                    std::span<const WorkloadRecord> workloads) {
  connection.execute(
      "DROP TABLE IF EXISTS run; DROP TABLE IF EXISTS workload; DROP TABLE IF EXISTS sweep");
  connection.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  connection.execute(fmt::format("PRAGMA user_version = {}", kFormatVersion));
  connection.execute(
      "CREATE TABLE sweep (sha256 TEXT NOT NULL, configuration TEXT NOT NULL,"
      " run_count INTEGER NOT NULL, version TEXT NOT NULL, created_by TEXT NOT NULL)");
  connection.execute(
      "CREATE TABLE workload (label TEXT PRIMARY KEY NOT NULL, sha256 TEXT NOT NULL,"
      " name TEXT NOT NULL)");
  connection.execute(create_run_table_sql());
  SqliteStatement(connection, "INSERT INTO sweep VALUES (?, ?, ?, ?, ?)")
      .bind(sweep.sha256())
      .bind(sweep.configuration)
      .bind(static_cast<std::int64_t>(sweep.run_count))
      .bind(sweep.version)
      .bind(sweep.created_by)
      .step();
  SqliteStatement insert(connection, "INSERT INTO workload VALUES (?, ?, ?)");
  for (const WorkloadRecord& workload : workloads) {
    insert.bind(workload.label).bind(workload.sha256).bind(workload.name).step();
  }
}

SweepRecord read_sweep_record(SqliteConnection& connection) {
  SqliteStatement select(connection,
                         "SELECT configuration, run_count, version, created_by FROM sweep");
  if (!select.step()) throw DatabaseError(connection.name() + ": has no sweep in it");
  SweepRecord sweep;
  sweep.configuration = select.read_text();
  sweep.run_count = static_cast<std::size_t>(select.read_integer());
  sweep.version = select.read_text();
  sweep.created_by = select.read_text();
  return sweep;
}

std::vector<WorkloadRecord> read_workload_records(SqliteConnection& connection) {
  SqliteStatement select(connection, "SELECT label, sha256, name FROM workload ORDER BY rowid");
  std::vector<WorkloadRecord> workloads;
  while (select.step()) {
    WorkloadRecord workload;
    workload.label = select.read_text();
    workload.sha256 = select.read_text();
    workload.name = select.read_text();
    workloads.push_back(std::move(workload));
  }
  return workloads;
}

std::int64_t count_runs(SqliteConnection& connection) {
  SqliteStatement count(connection, "SELECT count(*) FROM run");
  return count.step() ? count.read_integer() : 0;
}

[[noreturn]] void refuse(SqliteConnection& connection) {
  throw DatabaseError(fmt::format(
      "{}: is there already, with {} of {} runs; --resume continues it, --force "
      "replaces it, --db chooses another file",
      connection.name(), count_runs(connection), read_sweep_record(connection).run_count));
}

void require_same_sweep(SqliteConnection& connection, const SweepRecord& sweep,
                        std::span<const WorkloadRecord> workloads) {
  const SweepRecord stored = read_sweep_record(connection);
  if (stored.configuration != sweep.configuration) {
    throw DatabaseError(fmt::format(
        "{}: holds another sweep: it differs in {}; --force replaces it, --db chooses "
        "another file",
        connection.name(), describe_difference(stored.configuration, sweep.configuration)));
  }
  const std::vector<WorkloadRecord> stored_workloads = read_workload_records(connection);
  for (std::size_t i = 0; i < workloads.size() && i < stored_workloads.size(); ++i) {
    if (stored_workloads[i].sha256 == workloads[i].sha256) continue;
    throw DatabaseError(fmt::format(
        "{}: the workload '{}' has changed since the sweep was started: its SHA-256 was {} and is "
        "{} now; --force starts again",
        connection.name(), workloads[i].label, stored_workloads[i].sha256, workloads[i].sha256));
  }
}

/// Removes the file of a creation that failed, so that nothing half-written stays behind.
class RemoveUnlessKept {
 public:
  explicit RemoveUnlessKept(const std::filesystem::path& file) {
    std::error_code error;
    if (std::filesystem::exists(file, error)) return;
    file_ = file;
    temporary_.emplace(file);
    journal_.emplace(file.string() + "-journal");
  }
  ~RemoveUnlessKept() {
    std::error_code error;
    if (file_) std::filesystem::remove(*file_, error);
  }
  RemoveUnlessKept(const RemoveUnlessKept&) = delete;
  RemoveUnlessKept& operator=(const RemoveUnlessKept&) = delete;
  void keep() {
    file_.reset();
    temporary_.reset();
    journal_.reset();
  }

 private:
  std::optional<std::filesystem::path> file_;
  std::optional<TemporaryPath> temporary_;
  std::optional<TemporaryPath> journal_;
};

SqliteConnection open_or_create(const std::filesystem::path& file, const SweepRecord& sweep,
                                std::span<const WorkloadRecord> workloads, IfPresent if_present,
                                std::span<const ResultRow> rows) {
  RemoveUnlessKept created(file);
  SqliteConnection connection(file, SqliteOpen::kCreate);
  // Taken before the content is looked at, so that two processes cannot both create.
  SqliteTransaction transaction(connection);
  const bool present = read_content(connection) == Content::kResults;
  if (present && if_present == IfPresent::kRefuse) refuse(connection);
  if (present && if_present == IfPresent::kResume) {
    require_same_sweep(connection, sweep, workloads);
  } else {
    create_content(connection, sweep, workloads);
    insert_rows(connection, rows);
  }
  transaction.commit();
  created.keep();
  return connection;
}

SqliteConnection open_existing(const std::filesystem::path& file) {
  SqliteConnection connection(file, SqliteOpen::kExisting);
  if (read_content(connection) == Content::kNothing) {
    throw DatabaseError(connection.name() + ": is empty; expected a results database");
  }
  return connection;
}

}  // namespace

std::string SweepRecord::sha256() const { return sha256_hex(configuration); }

ResultsDatabase::ResultsDatabase(const std::filesystem::path& file, const SweepRecord& sweep,
                                 std::span<const WorkloadRecord> workloads, IfPresent if_present,
                                 std::span<const ResultRow> rows)
    : connection_(open_or_create(file, sweep, workloads, if_present, rows)) {}

ResultsDatabase::ResultsDatabase(const std::filesystem::path& file)
    : connection_(open_existing(file)) {}

void ResultsDatabase::commit(std::span<const ResultRow> rows) {
  SqliteTransaction transaction(connection_);
  insert_rows(connection_, rows);
  transaction.commit();
}

SweepRecord ResultsDatabase::sweep() { return read_sweep_record(connection_); }

std::vector<WorkloadRecord> ResultsDatabase::workloads() {
  return read_workload_records(connection_);
}

std::vector<std::size_t> ResultsDatabase::finished_runs() {
  SqliteStatement select(connection_, "SELECT run_index FROM run ORDER BY run_index");
  std::vector<std::size_t> runs;
  while (select.step()) runs.push_back(static_cast<std::size_t>(select.read_integer()));
  return runs;
}

std::vector<ResultRow> ResultsDatabase::read_rows() {
  SqliteStatement select(connection_, select_runs_sql());
  std::vector<ResultRow> rows;
  while (select.step()) rows.push_back(read_run(select, connection_.name()));
  return rows;
}

}  // namespace cospot
