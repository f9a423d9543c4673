#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {

/// Writes `workload` in a schema, gzip-compressed if the path ends in ".gz", atomically. The file
/// reads back as the same rows and window, to the microsecond; equal workloads give equal bytes.
/// The window is written only if readers would derive another one from the rows, `unit` only if it
/// is not a vCPU.
///
/// Errors: WorkloadError if the file cannot be written or the schema cannot represent a row or the
/// window.
void write_workload(const Workload& workload, const std::filesystem::path& path,
                    WorkloadSchema schema, const VcpusUnit& unit = {});

/// The text of such a file before compression.
[[nodiscard]] std::string format_workload(const Workload& workload, WorkloadSchema schema,
                                          const VcpusUnit& unit = {});

/// The statements before the header line of a file in cospot's own schema.
[[nodiscard]] std::string workload_statements(SimTime window, const VcpusUnit& unit);

/// Appends one line of such a text. Errors: WorkloadError if the schema cannot represent the row.
void append_workload_row(std::string& text, const WorkloadRow& row, WorkloadSchema schema);

/// The schema called `name`. Errors: ConfigError that lists the valid names.
[[nodiscard]] WorkloadSchema find_workload_schema(std::string_view name);

}  // namespace cospot
