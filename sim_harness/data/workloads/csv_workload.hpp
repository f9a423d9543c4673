#pragma once

#include <filesystem>
#include <string_view>

#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {

/// Reads a workload file: CSV in either schema of workload_schema.hpp, detected by the header line,
/// plain or gzip. The rows keep the file's order; the name is the path as given. The window is
/// stated before the header line, or else from derive_window.
///
/// Errors: WorkloadError, `file:line: what is wrong and what was expected`.
[[nodiscard]] Workload read_workload(const std::filesystem::path& path);
[[nodiscard]] Workload read_workload(const std::filesystem::path& path, WorkloadClasses classes);

/// Detects the schema from the header line of such a file. Errors: as read_workload.
[[nodiscard]] WorkloadSchema read_workload_schema(const std::filesystem::path& path);

/// Parses a workload from the text of such a file. `name` identifies the file in errors; the digest
/// is that of `text`.
[[nodiscard]] Workload parse_workload(std::string_view text, std::string_view name);

}  // namespace cospot
