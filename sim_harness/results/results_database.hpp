#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim_harness/results/result_row.hpp"
#include "sim_harness/results/sqlite_connection.hpp"

namespace cospot {

/// What a results database says of its sweep.
struct SweepRecord {
  std::string configuration;  ///< sweep_json
  std::size_t run_count = 0;  ///< of the whole sweep, all shards
  std::string version;        ///< of the cospot that created the database
  std::string created_by;     ///< the command

  [[nodiscard]] std::string sha256() const;  ///< of the configuration
};

struct WorkloadRecord {
  std::string label;
  std::string sha256;
  std::string name;

  friend bool operator==(const WorkloadRecord&, const WorkloadRecord&) = default;
};

/// What to do when the database is there already.
enum class IfPresent : std::uint8_t {
  kRefuse,
  kResume,   ///< continue when it holds the same sweep of the same workloads
  kReplace,  ///< drop its content; only a results database is ever replaced
};

/// The results of one sweep in an SQLite file; docs/results-format.md describes every column.
/// A commit is a transaction: a process killed at any point loses at most what it had not yet
/// committed.
///
/// Errors: DatabaseError that names the file.
class ResultsDatabase {
 public:
  /// Opens the database of this sweep, or creates it with `rows` in it, in one transaction.
  ResultsDatabase(const std::filesystem::path& file, const SweepRecord& sweep,
                  std::span<const WorkloadRecord> workloads, IfPresent if_present,
                  std::span<const ResultRow> rows = {});

  /// Opens a database that is there.
  explicit ResultsDatabase(const std::filesystem::path& file);

  /// Adds finished runs, all or none. No run may be there already.
  void commit(std::span<const ResultRow> rows);

  [[nodiscard]] SweepRecord sweep();
  [[nodiscard]] std::vector<WorkloadRecord> workloads();
  [[nodiscard]] std::vector<std::size_t> finished_runs();  ///< ascending
  [[nodiscard]] std::vector<ResultRow> read_rows();        ///< in grid order

 private:
  SqliteConnection connection_;
};

}  // namespace cospot
