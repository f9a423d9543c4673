#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cospot {

/// What one of a workload's vcpus is: so many vCPUs, or, relative, some share of a machine that
/// nobody knows in vCPUs. Then people read of units, and no price can be put on a vCPU.
struct VcpusUnit {
  bool is_relative = false;
  double vcpus = 1;

  friend bool operator==(const VcpusUnit&, const VcpusUnit&) = default;
};

/// What it may be, for errors.
inline constexpr std::string_view kVcpusUnitExpected =
    "'relative', or how many vCPUs one is, a number from 0.000001 to 1000000";

/// Reads `relative` or a number. Nothing: neither.
[[nodiscard]] std::optional<VcpusUnit> parse_vcpus_unit(std::string_view text);

/// The same. Errors: ConfigError that starts with `option`.
[[nodiscard]] VcpusUnit stated_vcpus_unit(std::string_view option, std::string_view text);

/// What a workload file says of it before its header line; nothing: a vCPU. It is no part of a
/// Workload: no run goes by it, only what people read. Errors: WorkloadError.
[[nodiscard]] VcpusUnit read_vcpus_unit(const std::filesystem::path& path);

/// What people read after an amount of vcpus, of memory and of disk: vCPUs, MiB and GB, or, where
/// sizes are relative, units. A size in relative units has its memory in such units too: both are
/// shares of a machine. Disk stays in GB.
struct SizeWords {
  std::string_view vcpus = "vCPUs";
  std::string_view memory = "MiB";
  std::string_view disk = "GB";
  double vcpus_of_one = 1;  ///< vCPUs that one of a file's vcpus is

  /// So many vcpus as a file counts them, in vCPUs: `1,234`, `420.2`.
  [[nodiscard]] std::string count_of_vcpus(std::int64_t amount) const;
};

[[nodiscard]] SizeWords size_words(const VcpusUnit& unit);

/// A size for people: `64 vCPUs, 131,072 MiB, 0 GB`, or `10,000 units, 10,000 units of memory, 0
/// GB`.
[[nodiscard]] std::string size_text(const SizeWords& words, std::int64_t vcpus,
                                    std::int64_t memory_mb, std::int64_t disk_gb);

/// As parse_vcpus_unit reads it.
[[nodiscard]] std::string vcpus_unit_text(const VcpusUnit& unit);

}  // namespace cospot
