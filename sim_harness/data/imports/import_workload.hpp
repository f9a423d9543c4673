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

/// The result of an import.
struct ImportSummary {
  std::uint64_t rows = 0;
  std::array<std::uint64_t, 2> requests{};  ///< VMs, spots
  std::uint64_t left_out = 0;               ///< rows that are not requests
  std::uint64_t over = 0;                   ///< rows that have ended, at an unknown time
  std::uint64_t parts_of_rows = 0;          ///< lines that are parts of other rows
  std::uint64_t resizes = 0;
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
  std::string missing_pages{};  ///< why instances may be missing; empty: no sign of it
  std::string spot_if{};        ///< the condition; empty: the class is the same for all rows
};

/// Reads the files twice and writes a workload in cospot's own schema, row by row, and the hosts if
/// requested.
///
/// Errors: ConfigError for options, WorkloadError with all faults of the files.
[[nodiscard]] ImportSummary import_workload(const ImportOptions& options,
                                            const std::filesystem::path& output);

/// The summary as text.
[[nodiscard]] std::string import_summary_text(const ImportSummary& summary,
                                              const std::filesystem::path& output);

/// Suspicious findings, one sentence each, starting with the workload's name.
[[nodiscard]] std::vector<std::string> import_warnings(const ImportSummary& summary,
                                                       const std::filesystem::path& output);

}  // namespace cospot
