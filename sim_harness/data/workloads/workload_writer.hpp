#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {

/// Writes `workload` in a schema, packed when the path ends in ".gz", all or nothing. Reading the
/// file back gives the same rows and window to the microsecond; equal workloads give equal bytes.
/// The window is written only where a reader would derive another one from the rows, `unit` only
/// where it is not a vCPU.
///
/// Errors: WorkloadError when the file cannot be written or the schema cannot hold a row or the
/// window.
void write_workload(const Workload& workload, const std::filesystem::path& path,
                    WorkloadSchema schema, const VcpusUnit& unit = {});

/// The text of such a file before packing.
[[nodiscard]] std::string format_workload(const Workload& workload, WorkloadSchema schema,
                                          const VcpusUnit& unit = {});

/// What a file in cospot's own schema states before its header line.
[[nodiscard]] std::string workload_statements(SimTime window, const VcpusUnit& unit);

/// Appends one line of such a text. Errors: WorkloadError when the schema cannot hold the row.
void append_workload_row(std::string& text, const WorkloadRow& row, WorkloadSchema schema);

/// The schema called `name`. Errors: ConfigError names the valid ones.
[[nodiscard]] WorkloadSchema find_workload_schema(std::string_view name);

}  // namespace cospot
