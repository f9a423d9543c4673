#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim_harness/data/traces/packing_trace.hpp"

namespace cospot {

/// The status of a VM type or machine type.
enum class Recovery : std::uint8_t {
  kRecovered,
  kInconsistent,   ///< VM type: its equations need slack
  kNoMachineType,  ///< VM type: no row of `vmType` with a machine type in use
  kNoVmType,       ///< machine type: only inconsistent VM types run on it
};

/// The size of a VM type or machine type in whole units of the solution. These units are not real
/// vCPUs or MiB, and each group has its own scale, so sizes of two groups cannot be compared.
struct RecoveredSize {
  std::int64_t id = 0;
  Recovery recovery = Recovery::kRecovered;
  bool vcpus_inconsistent = false;
  bool memory_inconsistent = false;
  std::size_t group = 0;  ///< from 1, the one with the most VM types; 0 when not recovered
  std::int64_t vcpus = 0;
  std::int64_t memory = 0;
  std::uint64_t requests = 0;  ///< of a VM type
};

/// The solution for all requested VM types.
struct RecoveredSizes {
  std::vector<RecoveredSize> vm_types;       ///< by id
  std::vector<RecoveredSize> machine_types;  ///< by id
  std::size_t groups = 0;
};

/// Prior knowledge, and the precision of the trace.
struct RecoveryOptions {
  std::vector<std::int64_t> machine_types{};           ///< to use; empty: all in the trace
  std::map<std::int64_t, std::int64_t> host_vcpus{};   ///< totals of machine types: set the scale
  std::map<std::int64_t, std::int64_t> host_memory{};  ///< the same for memory
  double tolerance = 1e-9;                             ///< relative, of a share
};

/// Recovers whole sizes from shares as in CoSpot, section 4.2: one integer program for vcpus and
/// one for memory. VM types whose equations need slack in either are left out of both.
///
/// Errors: ConfigError for options that do not fit the trace, or if no whole sizes up to
/// kMaxResourceAmount satisfy the remaining equations.
[[nodiscard]] RecoveredSizes recover_sizes(const std::vector<TypeShare>& shares,
                                           const std::map<std::int64_t, std::uint64_t>& requests,
                                           const RecoveryOptions& options);

/// A CSV table of all sizes; docs/reconstruct.md describes the columns.
[[nodiscard]] std::string recovered_sizes_csv(const RecoveredSizes& sizes);

/// A text of what was recovered and what was left out.
[[nodiscard]] std::string recovered_sizes_text(const RecoveredSizes& sizes);

}  // namespace cospot
