#include "sim_harness/results/result_columns.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/results/revenue_text.hpp"

namespace cospot {
namespace {

struct Column {
  std::string_view name;
  std::string_view type;
};

/// In the order of bind_run and read_run.
constexpr std::array kColumns{
    Column{"run_index", "INTEGER PRIMARY KEY NOT NULL"},
    Column{"workload", "TEXT NOT NULL"},
    Column{"headroom_percent", "REAL"},
    Column{"vm", "TEXT NOT NULL"},
    Column{"spot", "TEXT NOT NULL"},
    Column{"evictor", "TEXT NOT NULL"},
    Column{"saf", "INTEGER NOT NULL"},
    Column{"otn", "INTEGER NOT NULL"},
    Column{"hosts", "INTEGER NOT NULL"},
    Column{"vm_requests", "INTEGER NOT NULL"},
    Column{"vm_rejected", "INTEGER NOT NULL"},
    Column{"spot_requests", "INTEGER NOT NULL"},
    Column{"spot_admitted", "INTEGER NOT NULL"},
    Column{"evictions", "INTEGER NOT NULL"},
    Column{"vm_revenue_requested", "REAL NOT NULL"},
    Column{"vm_revenue", "REAL NOT NULL"},
    Column{"spot_revenue_requested", "REAL NOT NULL"},
    Column{"spot_revenue", "REAL NOT NULL"},
    Column{"alloc_p50_ns", "INTEGER NOT NULL"},
    Column{"alloc_p99_ns", "INTEGER NOT NULL"},
    Column{"alloc_max_ns", "INTEGER NOT NULL"},
    Column{"wall_ms", "REAL NOT NULL"},
    Column{"vm_too_large", "INTEGER NOT NULL"},
    Column{"vm_revenue_requested_exact", "TEXT NOT NULL"},
    Column{"vm_revenue_exact", "TEXT NOT NULL"},
    Column{"spot_revenue_requested_exact", "TEXT NOT NULL"},
    Column{"spot_revenue_exact", "TEXT NOT NULL"},
    Column{"workload_sha256", "TEXT NOT NULL"},
    Column{"configuration", "TEXT NOT NULL"},
    Column{"version", "TEXT NOT NULL"},
    Column{"seed", "INTEGER NOT NULL"},
    Column{"spot_revenue_first_hour_free", "REAL NOT NULL"},
    Column{"spot_revenue_first_hour_free_exact", "TEXT NOT NULL"},
};

std::string column_names() {
  std::vector<std::string_view> names;
  for (const Column& column : kColumns) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// SQLite's integers are signed; every count of a run is far below 2^63.
std::int64_t to_integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::uint64_t read_count(SqliteStatement& select) {
  return static_cast<std::uint64_t>(select.read_integer());
}

Revenue read_revenue(SqliteStatement& select, const std::string& database, std::size_t run_index) {
  const std::string text = select.read_text();
  const std::optional<Revenue> revenue = parse_revenue(text);
  if (revenue) return *revenue;
  throw DatabaseError(fmt::format("{}: run {}: found '{}', expected a revenue in vcpu-seconds",
                                  database, run_index, text));
}

OfferRule read_otn(SqliteStatement& select, const std::string& database, std::size_t run_index) {
  try {
    return OfferRule::parse(select.read_text());
  } catch (const ConfigError& error) {
    throw DatabaseError(fmt::format("{}: run {}: otn: {}", database, run_index, error.what()));
  }
}

}  // namespace

std::string create_run_table_sql() {
  std::vector<std::string> columns;
  for (const Column& column : kColumns) {
    columns.push_back(fmt::format("{} {}", column.name, column.type));
  }
  return fmt::format("CREATE TABLE run ({})", fmt::join(columns, ", "));
}

std::string insert_run_sql() {
  const std::vector<std::string_view> marks(kColumns.size(), "?");
  return fmt::format("INSERT INTO run ({}) VALUES ({})", column_names(), fmt::join(marks, ", "));
}

std::string select_runs_sql() {
  return fmt::format("SELECT {} FROM run ORDER BY run_index", column_names());
}

void bind_run(SqliteStatement& insert, const ResultRow& row) {
  const RunResult& result = row.result;
  insert.bind(to_integer(row.run_index)).bind(row.workload);
  row.headroom_percent ? insert.bind(*row.headroom_percent) : insert.bind_null();
  insert.bind(row.vm).bind(row.spot).bind(row.evictor);
  insert.bind(std::int64_t{row.saf});
  // A number where it is one; SQLite lets a column hold texts beside numbers.
  row.otn.kind() == OfferRule::Kind::kTopN ? insert.bind(to_integer(row.otn.otn()))
                                           : insert.bind(row.otn.label());
  for (const std::uint64_t count : {result.hosts, result.vm_requests, result.vm_rejected,
                                    result.spot_requests, result.spot_admitted, result.evictions}) {
    insert.bind(to_integer(count));
  }
  const std::array revenues{result.vm_revenue_requested, result.vm_revenue,
                            result.spot_revenue_requested, result.spot_revenue};
  for (const Revenue revenue : revenues) insert.bind(vcpu_seconds(revenue));
  for (const std::uint64_t time : {result.alloc_p50_ns, result.alloc_p99_ns, result.alloc_max_ns}) {
    insert.bind(to_integer(time));
  }
  insert.bind(result.wall_ms).bind(to_integer(result.vm_too_large));
  for (const Revenue revenue : revenues) insert.bind(revenue_text(revenue));
  insert.bind(row.workload_sha256).bind(row.configuration).bind(row.version);
  insert.bind(to_integer(row.seed));
  insert.bind(vcpu_seconds(result.spot_revenue_first_hour_free));
  insert.bind(revenue_text(result.spot_revenue_first_hour_free));
}

ResultRow read_run(SqliteStatement& select, const std::string& database) {
  ResultRow row;
  RunResult& result = row.result;
  row.run_index = read_count(select);
  row.workload = select.read_text();
  const bool has_headroom = !select.next_is_null();
  const double headroom = select.read_number();
  if (has_headroom) row.headroom_percent = headroom;
  row.vm = select.read_text();
  row.spot = select.read_text();
  row.evictor = select.read_text();
  row.saf = select.read_integer() != 0;
  row.otn = read_otn(select, database, row.run_index);
  for (std::uint64_t* count : {&result.hosts, &result.vm_requests, &result.vm_rejected,
                               &result.spot_requests, &result.spot_admitted, &result.evictions}) {
    *count = read_count(select);
  }
  const std::array revenues{&result.vm_revenue_requested, &result.vm_revenue,
                            &result.spot_revenue_requested, &result.spot_revenue};
  // The rounded columns are for SQL; the exact ones below count.
  for (std::size_t i = 0; i < revenues.size(); ++i) static_cast<void>(select.read_number());
  for (std::uint64_t* time : {&result.alloc_p50_ns, &result.alloc_p99_ns, &result.alloc_max_ns}) {
    *time = read_count(select);
  }
  result.wall_ms = select.read_number();
  result.vm_too_large = read_count(select);
  for (Revenue* revenue : revenues) *revenue = read_revenue(select, database, row.run_index);
  row.workload_sha256 = select.read_text();
  row.configuration = select.read_text();
  row.version = select.read_text();
  row.seed = read_count(select);
  static_cast<void>(select.read_number());
  result.spot_revenue_first_hour_free = read_revenue(select, database, row.run_index);
  return row;
}

}  // namespace cospot
