#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim_harness/base/files/stored_stream.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {

/// The statements of a streamed workload. Without a window, readers derive one.
struct WorkloadStatements {
  SimTime window;
  VcpusUnit vcpus_unit{};
  /// The placement requirements of its rows, known when a row is written; null: no such columns.
  const WorkloadPlacements* placements = nullptr;
};

/// Writes a workload row by row, for workloads too large for memory; atomic like write_workload.
///
/// Errors: InputError if the file cannot be written or the schema cannot represent a row.
class WorkloadStream {
 public:
  WorkloadStream(const std::filesystem::path& path, WorkloadSchema schema);

  /// In cospot's own schema, with statements before the header line.
  WorkloadStream(const std::filesystem::path& path, const WorkloadStatements& statements);

  void write(const WorkloadRow& row);

  /// The number of rows written.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

  /// Puts the file in place. Nothing can be written afterwards.
  void commit();

 private:
  StoredStream stream_;
  WorkloadSchema schema_;
  const WorkloadPlacements* placements_ = nullptr;
  std::string text_;  ///< lines not yet passed on
  std::uint64_t rows_ = 0;
};

}  // namespace cospot
