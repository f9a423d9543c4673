#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim_harness/base/files/stored_stream.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {

/// What a streamed workload states of itself. Without a window a reader derives one.
struct WorkloadStatements {
  SimTime window;
  VcpusUnit vcpus_unit{};
  /// What its rows ask beside room, known when a row is written; null: nothing, without columns.
  const WorkloadPlacements* placements = nullptr;
};

/// Writes a workload row by row, for those too large to be held in memory; all or nothing, as
/// write_workload does it.
///
/// Errors: InputError when the file cannot be written or the schema cannot hold a row.
class WorkloadStream {
 public:
  WorkloadStream(const std::filesystem::path& path, WorkloadSchema schema);

  /// In cospot's own schema, with what it states before the header line.
  WorkloadStream(const std::filesystem::path& path, const WorkloadStatements& statements);

  void write(const WorkloadRow& row);

  /// How many rows were written.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

  /// Puts the file in its place. Nothing can be written after it.
  void commit();

 private:
  StoredStream stream_;
  WorkloadSchema schema_;
  const WorkloadPlacements* placements_ = nullptr;
  std::string text_;  ///< lines that are not handed on yet
  std::uint64_t rows_ = 0;
};

}  // namespace cospot
