#pragma once

#include <string>

#include "sim_harness/results/result_row.hpp"
#include "sim_harness/results/sqlite_connection.hpp"

namespace cospot {

// The columns of the table `run` of a results database; docs/results-format.md describes them.

[[nodiscard]] std::string create_run_table_sql();
[[nodiscard]] std::string insert_run_sql();
[[nodiscard]] std::string select_runs_sql();  ///< in grid order

/// Binds every column for insert_run_sql().
void bind_run(SqliteStatement& insert, const ResultRow& row);

/// Reads the row that a select_runs_sql() statement stands on. Errors: DatabaseError for a revenue
/// that is not a decimal; `database` is the file's name.
[[nodiscard]] ResultRow read_run(SqliteStatement& select, const std::string& database);

}  // namespace cospot
