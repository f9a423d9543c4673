#include "sim_harness/experiments/results/results_format.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/configuration/configuration_difference.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kApplicationId = 0x636f7370;  // "cosp"

constexpr std::array kTypes{ColumnType::kText,    ColumnType::kInteger, ColumnType::kNumber,
                            ColumnType::kBoolean, ColumnType::kRevenue, ColumnType::kIntegerOrText};
constexpr std::array kRoles{ColumnRole::kAxis,   ColumnRole::kMeasure, ColumnRole::kTime,
                            ColumnRole::kDetail, ColumnRole::kDerived, ColumnRole::kTimeline};

constexpr int kMostDecimals = 17;  // more than a number has
/// Before the names of its columns in the table `column`: `run` has some of the same name.
constexpr std::string_view kTimelinePrefix = "timeline.";

std::string_view sql_type(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return "TEXT";
    case ColumnType::kNumber:
    case ColumnType::kRevenue:
      return "REAL";
    case ColumnType::kInteger:
    case ColumnType::kBoolean:
    case ColumnType::kIntegerOrText:  // SQLite lets a column hold texts beside numbers
      break;
  }
  return "INTEGER";
}

/// The columns of `run` with their SQL types.
std::vector<std::pair<std::string, std::string>> run_columns(const Schema& schema) {
  std::vector<std::pair<std::string, std::string>> columns{
      {"run_index", "INTEGER PRIMARY KEY NOT NULL"}};
  for (const Column& column : schema.columns()) {
    const char* null = column.may_be_null ? "" : " NOT NULL";
    columns.emplace_back(column.name, fmt::format("{}{}", sql_type(column.type), null));
    if (column.type == ColumnType::kRevenue) {
      columns.emplace_back(column.name + "_exact", fmt::format("TEXT{}", null));
    }
  }
  columns.emplace_back("configuration", "TEXT NOT NULL");
  columns.emplace_back("version", "TEXT NOT NULL");
  return columns;
}

std::string column_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const auto& [name, type] : run_columns(schema)) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void create_run_table(SqliteConnection& connection, const Schema& schema) {
  std::vector<std::string> columns;
  for (const auto& [name, type] : run_columns(schema)) columns.push_back(name + " " + type);
  connection.execute(fmt::format("CREATE TABLE run ({})", fmt::join(columns, ", ")));
}

std::string timeline_names(const Schema& schema) {
  std::vector<std::string_view> names;
  for (const Column& column : schema.timeline) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void create_timeline_table(SqliteConnection& connection, const Schema& schema) {
  if (schema.timeline.empty()) return;
  std::string columns = "run_index INTEGER NOT NULL";
  for (const Column& column : schema.timeline) {
    columns += fmt::format(", {} {} NOT NULL", column.name, sql_type(column.type));
  }
  connection.execute(
      fmt::format("CREATE TABLE timeline ({}, PRIMARY KEY (run_index, {})) WITHOUT ROWID", columns,
                  schema.timeline.front().name));
}

void write_record(SqliteConnection& connection, const ExperimentRecord& record) {
  connection.execute(
      "CREATE TABLE sweep (study TEXT NOT NULL, sha256 TEXT NOT NULL, configuration TEXT NOT NULL,"
      " run_count INTEGER NOT NULL, group_count INTEGER NOT NULL, version TEXT NOT NULL,"
      " created_by TEXT NOT NULL)");
  SqliteStatement(connection, "INSERT INTO sweep VALUES (?, ?, ?, ?, ?, ?, ?)")
      .bind(record.study)
      .bind(record.sha256())
      .bind(record.configuration)
      .bind(static_cast<std::int64_t>(record.run_count))
      .bind(static_cast<std::int64_t>(record.group_count))
      .bind(record.version)
      .bind(record.created_by)
      .step();
}

void write_inputs(SqliteConnection& connection, std::span<const InputRecord> inputs) {
  connection.execute(
      "CREATE TABLE input (label TEXT NOT NULL, sha256 TEXT NOT NULL, name TEXT NOT NULL,"
      " vcpus_unit TEXT NOT NULL, window_days REAL, key TEXT NOT NULL, PRIMARY KEY (key, label))");
  SqliteStatement insert(connection, "INSERT INTO input VALUES (?, ?, ?, ?, ?, ?)");
  for (const InputRecord& input : inputs) {
    insert.bind(input.label).bind(input.sha256).bind(input.name).bind(input.vcpus_unit);
    input.window_days ? insert.bind(*input.window_days) : insert.bind_null();
    insert.bind(input.key).step();
  }
}

/// The schema as a table, so that a database says itself what is in it.
void write_columns(SqliteConnection& connection, const Schema& schema) {
  connection.execute(
      "CREATE TABLE \"column\" (name TEXT PRIMARY KEY NOT NULL, role TEXT NOT NULL,"
      " type TEXT NOT NULL, unit TEXT NOT NULL, meaning TEXT NOT NULL,"
      " may_be_null INTEGER NOT NULL, decimals INTEGER NOT NULL)");
  SqliteStatement insert(connection, "INSERT INTO \"column\" VALUES (?, ?, ?, ?, ?, ?, ?)");
  std::vector<Column> columns = schema.columns();
  columns.insert(columns.end(), schema.derived.begin(), schema.derived.end());
  for (Column column : schema.timeline) {
    column.name.insert(0, kTimelinePrefix);
    columns.push_back(std::move(column));
  }
  for (const Column& column : columns) {
    insert.bind(column.name)
        .bind(std::string(column_role_name(column.role)))
        .bind(std::string(column_type_name(column.type)))
        .bind(column.unit)
        .bind(column.meaning)
        .bind(std::int64_t{column.may_be_null})
        .bind(std::int64_t{column.decimals})
        .step();
  }
}

void bind_value(SqliteStatement& statement, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    statement.bind(*integer);
  } else if (const auto* number = std::get_if<double>(&value)) {
    statement.bind(*number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    statement.bind(*text);
  } else if (const auto* revenue = std::get_if<Revenue>(&value)) {
    statement.bind(vcpu_seconds(*revenue));
  } else {
    statement.bind_null();
  }
}

void write_axes(SqliteConnection& connection, std::span<const GridAxis> axes) {
  connection.execute(
      "CREATE TABLE axis_value (axis TEXT NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL,"
      " value, label TEXT NOT NULL, yaml TEXT NOT NULL, needs_true_lifetimes INTEGER NOT NULL,"
      " PRIMARY KEY (axis, position))");
  SqliteStatement insert(connection, "INSERT INTO axis_value VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const GridAxis& axis : axes) {
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      const AxisValue& value = axis.values[i];
      insert.bind(axis.name).bind(static_cast<std::int64_t>(i)).bind(axis.key);
      bind_value(insert, value.value);
      insert.bind(value.label).bind(value.yaml).bind(std::int64_t{value.needs_true_lifetimes});
      insert.step();
    }
  }
}

std::vector<std::string> read_texts(SqliteConnection& connection, std::string_view sql) {
  SqliteStatement select(connection, sql);
  std::vector<std::string> texts;
  while (select.step()) texts.push_back(select.read_text());
  return texts;
}

/// Refuses a file that only looks like results: a view or a virtual table may compute its rows
/// anew, and without end, and a trigger changes what is written.
void require_own_tables(SqliteConnection& connection) {
  SqliteStatement select(
      connection,
      "SELECT type, name FROM sqlite_schema WHERE type NOT IN ('table', 'index', 'view')"
      " OR lower(name) IN ('run', 'timeline', 'sweep', 'input', 'column', 'axis_value')"
      " AND (type <> 'table' OR sql LIKE 'CREATE VIRTUAL%')");
  if (!select.step()) return;
  const std::string type = select.read_text();
  throw DatabaseError(fmt::format(
      "{}: has the {} {}, expected the tables of a results database alone", connection.name(),
      type == "table" ? "virtual table" : type, quoted_excerpt(select.read_text())));
}

/// The name of a column, which becomes a part of SQL.
std::string read_column_name(SqliteStatement& select, const std::string& database) {
  std::string name = select.read_text();
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  if (!name.empty() && std::ranges::all_of(name, is_of_name)) return name;
  throw DatabaseError(
      fmt::format("{}: has the column {}, expected a name of lower-case letters, digits and '_'",
                  database, quoted_excerpt(name)));
}

/// A number that the file states of itself, which loops and texts are as long as.
template <class Integer>
Integer read_count(SqliteStatement& select, const std::string& database, const char* column,
                   std::int64_t least, Integer most) {
  const std::int64_t count = select.read_integer();
  if (count >= least && count <= static_cast<std::int64_t>(most)) {
    return static_cast<Integer>(count);
  }
  throw DatabaseError(fmt::format("{}: {} is {}, expected a whole number from {} to {}", database,
                                  column, count, least, most));
}

/// The statements that make the views, as they were created.
std::string read_views(SqliteConnection& connection) {
  std::string views;
  for (const std::string& sql :
       read_texts(connection, "SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY rowid")) {
    views += sql + ";\n";
  }
  return views;
}

void drop_everything(SqliteConnection& connection) {
  for (const std::string kind : {"view", "table"}) {
    const std::string query = fmt::format(
        "SELECT name FROM sqlite_schema WHERE type = '{}' AND name NOT LIKE 'sqlite_%'", kind);
    for (const std::string& name : read_texts(connection, query)) {
      connection.execute(fmt::format("DROP {} IF EXISTS \"{}\"", kind, name));
    }
  }
}

template <class Enum, std::size_t kCount, class NameOf>
Enum parse_name(const std::string& name, const std::array<Enum, kCount>& all, const NameOf& name_of,
                const std::string& database) {
  for (const Enum one : all) {
    if (name_of(one) == name) return one;
  }
  throw DatabaseError(fmt::format("{}: found a column of the kind '{}'", database, name));
}

Value read_any(SqliteStatement& select) {
  switch (select.next_type()) {
    case SqliteType::kNull:
      static_cast<void>(select.read_text());
      return {};
    case SqliteType::kInteger:
      return select.read_integer();
    case SqliteType::kNumber:
      return select.read_number();
    case SqliteType::kOther:
      break;
  }
  return select.read_text();
}

Value read_revenue(SqliteStatement& select, const std::string& database, std::size_t run_index) {
  static_cast<void>(select.read_number());  // rounded, for SQL; the exact one counts
  const std::string text = select.read_text();
  if (const std::optional<Revenue> revenue = parse_revenue(text)) return *revenue;
  throw DatabaseError(fmt::format("{}: run {}: found '{}', expected a revenue in vcpu-seconds",
                                  database, run_index, text));
}

Value read_value(SqliteStatement& select, const Column& column, const std::string& database,
                 std::size_t run_index) {
  if (column.type == ColumnType::kRevenue) return read_revenue(select, database, run_index);
  if (column.type == ColumnType::kIntegerOrText || select.next_is_null()) return read_any(select);
  if (column.type == ColumnType::kNumber) return select.read_number();
  if (column.type == ColumnType::kText) return select.read_text();
  return select.read_integer();
}

}  // namespace

std::string ExperimentRecord::sha256() const {
  return sha256_hex(compact_json(identity_of(configuration)));
}

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
  if (version == kResultsFormat) {
    require_own_tables(connection);
    return Content::kResults;
  }
  throw DatabaseError(
      fmt::format("{}: has results format {}; this cospot ({}) reads format {}. Run the "
                  "study again into another --db, or use the cospot that wrote it",
                  connection.name(), version, COSPOT_VERSION, kResultsFormat));
}

void create_tables(SqliteConnection& connection, const ExperimentTables& tables,
                   std::span<const InputRecord> inputs) {
  drop_everything(connection);
  connection.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  connection.execute(fmt::format("PRAGMA user_version = {}", kResultsFormat));
  create_run_table(connection, tables.schema);
  create_timeline_table(connection, tables.schema);
  write_record(connection, tables.record);
  write_inputs(connection, inputs);
  write_columns(connection, tables.schema);
  write_axes(connection, tables.axes);
  connection.execute(tables.schema.views);
}

ExperimentRecord read_record(SqliteConnection& connection) {
  SqliteStatement select(
      connection,
      "SELECT study, configuration, run_count, group_count, version, created_by FROM sweep");
  if (!select.step()) throw DatabaseError(connection.name() + ": has no study in it");
  ExperimentRecord record;
  record.study = select.read_text();
  record.configuration = select.read_text();
  record.run_count = read_count(select, connection.name(), "run_count", 0, kMostRuns);
  record.group_count = read_count(select, connection.name(), "group_count", 0, kMostRuns);
  record.version = select.read_text();
  record.created_by = select.read_text();
  return record;
}

std::vector<InputRecord> read_inputs(SqliteConnection& connection) {
  SqliteStatement select(
      connection,
      "SELECT label, sha256, name, vcpus_unit, window_days, key FROM input ORDER BY rowid");
  std::vector<InputRecord> inputs;
  while (select.step()) {
    InputRecord input;
    input.label = select.read_text();
    input.sha256 = select.read_text();
    input.name = select.read_text();
    input.vcpus_unit = select.read_text();
    const bool has_window = !select.next_is_null();
    const double days = select.read_number();
    if (has_window) input.window_days = days;
    input.key = select.read_text();
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Schema read_schema(SqliteConnection& connection) {
  Schema schema;
  schema.study = read_record(connection).study;
  SqliteStatement select(connection,
                         "SELECT name, role, type, unit, meaning, may_be_null, decimals"
                         " FROM \"column\" ORDER BY rowid");
  while (select.step()) {
    Column column;
    column.name = read_column_name(select, connection.name());
    column.role = parse_name(select.read_text(), kRoles, column_role_name, connection.name());
    column.type = parse_name(select.read_text(), kTypes, column_type_name, connection.name());
    column.unit = select.read_text();
    column.meaning = select.read_text();
    column.may_be_null = select.read_integer() != 0;
    column.decimals = read_count(select, connection.name(), "decimals", -1, kMostDecimals);
    const bool is_of_timeline = column.role == ColumnRole::kTimeline;
    if (is_of_timeline) column.name.erase(0, kTimelinePrefix.size());
    std::vector<Column>& part = is_of_timeline                        ? schema.timeline
                                : column.role == ColumnRole::kAxis    ? schema.axes
                                : column.role == ColumnRole::kDerived ? schema.derived
                                                                      : schema.measures;
    part.push_back(std::move(column));
  }
  schema.views = read_views(connection);
  return schema;
}

std::vector<GridAxis> read_axes(SqliteConnection& connection) {
  SqliteStatement select(connection,
                         "SELECT axis, key, value, label, yaml, needs_true_lifetimes"
                         " FROM axis_value ORDER BY rowid");
  std::vector<GridAxis> axes;
  while (select.step()) {
    std::string name = select.read_text();
    std::string key = select.read_text();
    if (axes.empty() || axes.back().name != name) {
      axes.push_back({std::move(name), std::move(key), {}});
    }
    AxisValue& value = axes.back().values.emplace_back();
    value.value = read_any(select);
    value.label = select.read_text();
    value.yaml = select.read_text();
    value.needs_true_lifetimes = select.read_integer() != 0;
  }
  return axes;
}

std::string insert_run_sql(const Schema& schema) {
  const std::vector<std::string_view> marks(run_columns(schema).size(), "?");
  return fmt::format("INSERT INTO run ({}) VALUES ({})", column_names(schema),
                     fmt::join(marks, ", "));
}

std::string select_runs_sql(const Schema& schema) {
  return fmt::format("SELECT {} FROM run ORDER BY run_index", column_names(schema));
}

void bind_row(SqliteStatement& insert, const Schema& schema, const Row& row) {
  insert.bind(static_cast<std::int64_t>(row.run_index));
  std::size_t position = 0;
  for (const std::vector<Column>* part : {&schema.axes, &schema.measures}) {
    for (const Column& column : *part) {
      const Value& value = row.values.at(position++);
      bind_value(insert, value);
      if (column.type == ColumnType::kRevenue) insert.bind(csv_value(column, value));
    }
  }
  insert.bind(row.configuration).bind(row.version);
}

Row read_row(SqliteStatement& select, const Schema& schema, const std::string& database) {
  Row row;
  row.run_index = static_cast<std::size_t>(select.read_integer());
  for (const std::vector<Column>* part : {&schema.axes, &schema.measures}) {
    for (const Column& column : *part) {
      row.values.push_back(read_value(select, column, database, row.run_index));
    }
  }
  row.configuration = select.read_text();
  row.version = select.read_text();
  return row;
}

std::string insert_timeline_sql(const Schema& schema) {
  const std::vector<std::string_view> marks(schema.timeline.size() + 1, "?");
  return fmt::format("INSERT INTO timeline (run_index, {}) VALUES ({})", timeline_names(schema),
                     fmt::join(marks, ", "));
}

std::string select_timeline_sql(const Schema& schema) {
  return fmt::format("SELECT {} FROM timeline WHERE run_index = ?1 ORDER BY {}",
                     timeline_names(schema), schema.timeline.front().name);
}

void bind_timeline(SqliteStatement& insert, std::size_t run_index,
                   const std::vector<Value>& values) {
  insert.bind(static_cast<std::int64_t>(run_index));
  for (const Value& value : values) bind_value(insert, value);
}

std::vector<Value> read_timeline(SqliteStatement& select, const Schema& schema,
                                 const std::string& database, std::size_t run_index) {
  std::vector<Value> values;
  for (const Column& column : schema.timeline) {
    values.push_back(read_value(select, column, database, run_index));
  }
  return values;
}

}  // namespace cospot
