#include "sim_harness/experiments/results/results_database.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/configuration_difference.hpp"
#include "sim_harness/base/interrupt/temporary_path.hpp"

namespace cospot {
namespace {

void insert_rows(SqliteConnection& connection, const Schema& schema, std::span<const Row> rows) {
  SqliteStatement there(connection, "SELECT 1 FROM run WHERE run_index = ?");
  SqliteStatement insert(connection, insert_run_sql(schema));
  std::optional<SqliteStatement> insert_time;
  if (!schema.timeline.empty()) insert_time.emplace(connection, insert_timeline_sql(schema));
  for (const Row& row : rows) {
    if (there.bind(static_cast<std::int64_t>(row.run_index)).step()) {
      throw DatabaseError(
          fmt::format("{}: run {} already exists: another process is writing the same experiment; "
                      "give each its "
                      "own --shard and --db",
                      connection.name(), row.run_index));
    }
    bind_row(insert, schema, row);
    insert.step();
    for (const std::vector<Value>& at : row.timeline) {
      bind_timeline(insert_time.value(), row.run_index, at);
      insert_time->step();
    }
  }
}

std::int64_t count_runs(SqliteConnection& connection) {
  SqliteStatement count(connection, "SELECT count(*) FROM run");
  return count.step() ? count.read_integer() : 0;
}

std::int64_t count_all_runs(SqliteConnection& connection) {
  SqliteStatement count(connection, "SELECT run_count FROM sweep");
  return count.step() ? count.read_integer() : 0;
}

[[noreturn]] void refuse(SqliteConnection& connection) {
  throw DatabaseError(
      fmt::format("{}: already exists, with {} of {} runs; --resume continues it, --force "
                  "replaces it, --db chooses another file",
                  connection.name(), count_runs(connection), count_all_runs(connection)));
}

/// The columns of a database but those of its timeline, which is optional.
std::vector<Column> columns_of(const Schema& schema) {
  std::vector<Column> columns = schema.columns();
  columns.insert(columns.end(), schema.derived.begin(), schema.derived.end());
  return columns;
}

void require_columns_of(const std::string& name, const ExperimentRecord& record,
                        const Schema& stored, const Schema& current) {
  const std::vector<Column> there = columns_of(stored);
  std::vector<std::string> missing;
  for (const Column& column : columns_of(current)) {
    if (std::ranges::find(there, column.name, &Column::name) != there.end()) continue;
    missing.push_back("'" + column.name + "'");
  }
  if (missing.empty()) return;
  throw DatabaseError(
      fmt::format("{}: was written by an older cospot ({}), without the column{} {}, which the "
                  "study {} has now; run `{}` again, into another --db or with --force",
                  name, record.version, missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
                  record.study, record.created_by));
}

void require_same_experiment(SqliteConnection& connection, const ExperimentTables& tables,
                             std::span<const InputRecord> inputs) {
  const ExperimentRecord& record = tables.record;
  const ExperimentRecord stored = read_record(connection);
  if (stored.study != record.study) {
    throw DatabaseError(fmt::format(
        "{}: holds the study '{}', not '{}'; --force replaces it, --db chooses another file",
        connection.name(), stored.study, record.study));
  }
  if (identity_of(stored.configuration) != identity_of(record.configuration)) {
    throw DatabaseError(fmt::format(
        "{}: holds another study: it differs in {}; --force replaces it, --db chooses "
        "another file",
        connection.name(), describe_difference(stored.configuration, record.configuration)));
  }
  const Schema stored_schema = read_schema(connection);
  require_columns_of(connection.name(), stored, stored_schema, tables.schema);
  const bool has_timeline = !stored_schema.timeline.empty();
  if (has_timeline == tables.schema.timeline.empty()) {
    throw DatabaseError(
        fmt::format("{}: was started with {}; --resume continues it that way, --force starts again",
                    connection.name(), has_timeline ? "--timeline" : "--no-timeline"));
  }
  const std::vector<InputRecord> stored_inputs = read_inputs(connection);
  for (std::size_t i = 0; i < std::max(inputs.size(), stored_inputs.size()); ++i) {
    const InputRecord before = i < stored_inputs.size() ? stored_inputs[i] : InputRecord{};
    const InputRecord now = i < inputs.size() ? inputs[i] : InputRecord{};
    if (before.sha256 == now.sha256) continue;
    const InputRecord& named = now.label.empty() ? before : now;
    throw DatabaseError(fmt::format(
        "{}: the {} '{}' has changed since the study was started: its SHA-256 was {} and is "
        "{} now; --force starts again",
        connection.name(), named.key.empty() ? "workload" : named.key, named.label, before.sha256,
        now.sha256));
  }
}

void require_not_replaced(SqliteConnection& connection, const ExperimentRecord& opened) {
  if (read_record(connection) == opened) return;
  throw DatabaseError(fmt::format(
      "{}: another process has replaced the study in it; give each study a --db of its own",
      connection.name()));
}

/// Removes the file of a creation that failed, so that nothing half-written stays behind.
class RemoveUnlessKept {
 public:
  explicit RemoveUnlessKept(const std::filesystem::path& file) {
    std::error_code error;
    // A link to nothing is somebody's, too.
    if (std::filesystem::exists(symlink_status(file, error))) return;
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

SqliteConnection open_or_create(const std::filesystem::path& file, const ExperimentTables& tables,
                                std::span<const InputRecord> inputs, IfPresent if_present,
                                std::span<const Row> rows) {
  RemoveUnlessKept created(file);
  SqliteConnection connection(file, SqliteOpen::kCreate);
  // Taken before the content is looked at, so that two processes cannot both create.
  SqliteTransaction transaction(connection);
  const Content content = read_content(connection);
  if (content != Content::kNothing && if_present == IfPresent::kRefuse) refuse(connection);
  if (content != Content::kNothing && if_present == IfPresent::kResume) {
    require_same_experiment(connection, tables, inputs);
  } else {
    create_tables(connection, tables, inputs);
    insert_rows(connection, tables.schema, rows);
  }
  transaction.commit();
  created.keep();
  return connection;
}

SqliteConnection open_existing(const std::filesystem::path& file) {
  SqliteConnection connection(file, SqliteOpen::kExisting);
  if (read_content(connection) == Content::kResults) return connection;
  throw DatabaseError(connection.name() + ": is empty; expected a results database");
}

SqliteConnection create_in_memory(const ExperimentTables& tables,
                                  std::span<const InputRecord> inputs, std::span<const Row> rows) {
  SqliteConnection connection = SqliteConnection::in_memory("results");
  SqliteTransaction transaction(connection);
  create_tables(connection, tables, inputs);
  insert_rows(connection, tables.schema, rows);
  transaction.commit();
  return connection;
}

}  // namespace

ResultsDatabase::ResultsDatabase(SqliteConnection connection)
    : connection_(std::move(connection)),
      opened_(read_record(connection_)),
      schema_(read_schema(connection_)) {}

ResultsDatabase::ResultsDatabase(const std::filesystem::path& file, const ExperimentTables& tables,
                                 std::span<const InputRecord> inputs, IfPresent if_present,
                                 std::span<const Row> rows)
    : ResultsDatabase(open_or_create(file, tables, inputs, if_present, rows)) {}

ResultsDatabase::ResultsDatabase(const std::filesystem::path& file)
    : ResultsDatabase(open_existing(file)) {}

void ResultsDatabase::require_columns(const Schema& current) const {
  require_columns_of(name(), opened_, schema_, current);
}

ResultsDatabase ResultsDatabase::in_memory(const ExperimentTables& tables,
                                           std::span<const InputRecord> inputs,
                                           std::span<const Row> rows) {
  return ResultsDatabase(create_in_memory(tables, inputs, rows));
}

void ResultsDatabase::commit(std::span<const Row> rows) {
  SqliteTransaction transaction(connection_);
  require_not_replaced(connection_, opened_);
  insert_rows(connection_, schema_, rows);
  transaction.commit();
}

ExperimentTables ResultsDatabase::tables() { return {record(), schema_, axes()}; }

ExperimentRecord ResultsDatabase::record() { return read_record(connection_); }

std::vector<InputRecord> ResultsDatabase::inputs() { return read_inputs(connection_); }

std::vector<GridAxis> ResultsDatabase::axes() { return read_axes(connection_); }

std::vector<std::size_t> ResultsDatabase::finished_runs() {
  SqliteStatement select(connection_, "SELECT run_index FROM run ORDER BY run_index");
  std::vector<std::size_t> runs;
  while (select.step()) runs.push_back(static_cast<std::size_t>(select.read_integer()));
  return runs;
}

std::vector<Row> ResultsDatabase::read_rows() {
  std::vector<Row> rows;
  for_each_row([&rows](const Row& row) { rows.push_back(row); });
  return rows;
}

void ResultsDatabase::for_each_row(const std::function<void(const Row&)>& use) {
  SqliteStatement select(connection_, select_runs_sql(schema_));
  while (select.step()) use(read_row(select, schema_, connection_.name()));
}

std::vector<std::vector<Value>> ResultsDatabase::timeline_of(std::size_t run_index) {
  if (schema_.timeline.empty()) return {};
  SqliteStatement select(connection_, select_timeline_sql(schema_));
  select.bind(static_cast<std::int64_t>(run_index));
  std::vector<std::vector<Value>> timeline;
  while (select.step()) {
    timeline.push_back(read_timeline(select, schema_, connection_.name(), run_index));
  }
  return timeline;
}

}  // namespace cospot
