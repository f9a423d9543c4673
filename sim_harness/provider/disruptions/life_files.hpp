#pragma once

#include <filesystem>

#include "sim_harness/provider/disruptions/life_settings.hpp"

namespace cospot {

// Files of the life of requests (docs/life.md), CSV with a header line, plain or gzip. Errors:
// WorkloadError with `file:line:`, what was found and what was expected.

/// `host,start_s,end_s`, and for maintenance `notice_s` if wanted. No two windows of a host
/// overlap.
[[nodiscard]] LifeFile<NamedOutage> read_outages(const std::filesystem::path& path,
                                                 OutageKind kind);

/// `instance_id,time_s,vcpus,memory_mb`, and `disk_gb` if wanted. No two of an instance at a time.
[[nodiscard]] LifeFile<NamedResize> read_resizes(const std::filesystem::path& path);

}  // namespace cospot
