#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim_harness/data/imports/import_plan.hpp"
#include "sim_harness/data/imports/import_window.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"

namespace cospot {

/// What an import came to.
struct ImportSummary {
  std::uint64_t rows = 0;
  std::array<std::uint64_t, 2> requests{};  ///< VMs, spots
  std::uint64_t left_out = 0;               ///< rows that are no requests
  std::uint64_t ends_without_start = 0;
  std::uint64_t ended_early = 0;  ///< requests that ended long before the window
  std::uint64_t started_late = 0;
  std::uint64_t bad_rows = 0;
  std::string bad_kinds{};
  ImportWindow window{};
  SizeSums sizes{};
  TimeUnit unit = TimeUnit::kSeconds;
  VcpusUnit vcpus_unit{};
  std::vector<ImportedHost> hosts{};
  std::string spot_if{};  ///< the condition; empty: one that says the same of all rows
};

/// Reads files twice, and writes a workload in cospot's own schema, row by row; and the hosts,
/// where options ask for them.
///
/// Errors: ConfigError for options, WorkloadError with everything that is wrong in the files.
[[nodiscard]] ImportSummary import_workload(const ImportOptions& options,
                                            const std::filesystem::path& output);

/// The summary for people.
[[nodiscard]] std::string import_summary_text(const ImportSummary& summary,
                                              const std::filesystem::path& output);

/// What looks wrong, a sentence each that begins with the workload's name.
[[nodiscard]] std::vector<std::string> import_warnings(const ImportSummary& summary,
                                                       const std::filesystem::path& output);

}  // namespace cospot
