#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/base/files/sqlite_connection.hpp"
#include "sim_harness/experiments/results/column.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"

namespace cospot {

// The tables of a results database, format 4; docs/results-format.md describes every column.

inline constexpr std::int64_t kResultsFormat = 4;

/// The database's description of its experiment, except inputs and runs.
struct ExperimentTables {
  ExperimentRecord record;
  Schema schema;
  std::vector<GridAxis> axes;
};

enum class Content : std::uint8_t { kNothing, kResults };

/// Detects the content of a file. Errors: DatabaseError if the file is not a results database.
[[nodiscard]] Content read_content(SqliteConnection& connection);

/// Creates all tables and views, replacing existing ones.
void create_tables(SqliteConnection& connection, const ExperimentTables& tables,
                   std::span<const InputRecord> inputs);

[[nodiscard]] ExperimentRecord read_record(SqliteConnection& connection);
[[nodiscard]] std::vector<InputRecord> read_inputs(SqliteConnection& connection);
[[nodiscard]] Schema read_schema(SqliteConnection& connection);
[[nodiscard]] std::vector<GridAxis> read_axes(SqliteConnection& connection);

/// The columns of `run` for SQL, in the order of bind_row and read_row.
[[nodiscard]] std::string insert_run_sql(const Schema& schema);
[[nodiscard]] std::string select_runs_sql(const Schema& schema);  ///< in grid order
void bind_row(SqliteStatement& insert, const Schema& schema, const Row& row);
[[nodiscard]] Row read_row(SqliteStatement& select, const Schema& schema,
                           const std::string& database);

/// The same for the table `timeline`, which exists only in a schema with such columns. The
/// selection is for run ?1, in order of time.
[[nodiscard]] std::string insert_timeline_sql(const Schema& schema);
[[nodiscard]] std::string select_timeline_sql(const Schema& schema);
void bind_timeline(SqliteStatement& insert, std::size_t run_index,
                   const std::vector<Value>& values);
[[nodiscard]] std::vector<Value> read_timeline(SqliteStatement& select, const Schema& schema,
                                               const std::string& database, std::size_t run_index);

}  // namespace cospot
