#pragma once

#include <filesystem>

#include "sim_harness/provider/disruptions/life_settings.hpp"

namespace cospot {

// Files that describe disruptions (docs/life.md): CSV with a header line, plain or gzip. Errors:
// WorkloadError with `file:line:`, what was found and what was expected.

/// `host,start_s,end_s`, and optionally `notice_s` for maintenance. The windows of a host must not
/// overlap.
[[nodiscard]] LifeFile<NamedOutage> read_outages(const std::filesystem::path& path,
                                                 OutageKind kind);

/// `instance_id,time_s,vcpus,memory_mb`, and optionally `disk_gb`. An instance has at most one
/// resize at a time.
[[nodiscard]] LifeFile<NamedResize> read_resizes(const std::filesystem::path& path);

}  // namespace cospot
