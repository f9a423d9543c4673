#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/base/files/sqlite_connection.hpp"
#include "sim_harness/experiments/results/column.hpp"
#include "sim_harness/experiments/results/experiment_record.hpp"
#include "sim_harness/experiments/results/results_format.hpp"

namespace cospot {

/// The action for a database that already exists.
enum class IfPresent : std::uint8_t {
  kRefuse,
  kResume,   ///< continue if it contains the same experiment on the same inputs
  kReplace,  ///< drop its content; only a results database is ever replaced
};

/// The results of one experiment in an SQLite file; docs/results-format.md describes every column.
/// A commit is a transaction: a process killed at any point loses at most its uncommitted runs.
///
/// Errors: DatabaseError that names the file.
class ResultsDatabase {
 public:
  /// Opens the database of this experiment, or creates it with `rows`, in one transaction.
  ResultsDatabase(const std::filesystem::path& file, const ExperimentTables& tables,
                  std::span<const InputRecord> inputs, IfPresent if_present,
                  std::span<const Row> rows = {});

  /// Opens an existing database.
  explicit ResultsDatabase(const std::filesystem::path& file);

  /// Checks that the file has every column that its study has in this cospot, `current`. Errors:
  /// DatabaseError that names the missing ones and the command that writes the file anew.
  void require_columns(const Schema& current) const;

  /// A database in memory, for temporary results.
  [[nodiscard]] static ResultsDatabase in_memory(const ExperimentTables& tables,
                                                 std::span<const InputRecord> inputs,
                                                 std::span<const Row> rows = {});

  /// Adds finished runs, all or none. They must be new, and the file must still contain the
  /// experiment with which it was opened: another process may have replaced it.
  void commit(std::span<const Row> rows);

  [[nodiscard]] const Schema& schema() const { return schema_; }
  [[nodiscard]] ExperimentTables tables();  ///< including views
  [[nodiscard]] ExperimentRecord record();
  [[nodiscard]] std::vector<InputRecord> inputs();
  [[nodiscard]] std::vector<GridAxis> axes();
  [[nodiscard]] std::vector<std::size_t> finished_runs();  ///< ascending
  [[nodiscard]] std::vector<Row> read_rows();              ///< in grid order, as for_each_row

  /// Calls `use` for every run, in grid order, without its timeline; only one row is in memory at a
  /// time.
  void for_each_row(const std::function<void(const Row&)>& use);

  /// The timeline of a run, by the columns of the schema; empty if there is none.
  [[nodiscard]] std::vector<std::vector<Value>> timeline_of(std::size_t run_index);

  /// For queries on the views.
  [[nodiscard]] SqliteConnection& connection() { return connection_; }
  [[nodiscard]] const std::string& name() const { return connection_.name(); }

 private:
  explicit ResultsDatabase(SqliteConnection connection);

  SqliteConnection connection_;
  ExperimentRecord opened_;  ///< its content at that time
  Schema schema_;
};

}  // namespace cospot
