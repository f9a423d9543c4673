#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cospot {

/// The unit of a workload's vcpus: a number of vCPUs, or, if relative, an unknown share of a
/// machine. Texts then say units, and a vCPU has no price.
struct VcpusUnit {
  bool is_relative = false;
  double vcpus = 1;

  friend bool operator==(const VcpusUnit&, const VcpusUnit&) = default;
};

/// The valid values, for errors.
inline constexpr std::string_view kVcpusUnitExpected =
    "'relative', or how many vCPUs one is, a number from 0.000001 to 1000000";

/// Parses `relative` or a number. Nothing: neither.
[[nodiscard]] std::optional<VcpusUnit> parse_vcpus_unit(std::string_view text);

/// The same. Errors: ConfigError that starts with `option`.
[[nodiscard]] VcpusUnit stated_vcpus_unit(std::string_view option, std::string_view text);

/// The unit stated before the header line of a workload file; default: a vCPU. It is not part of a
/// Workload, because it affects texts only, never a run. Errors: WorkloadError.
[[nodiscard]] VcpusUnit read_vcpus_unit(const std::filesystem::path& path);

/// The units in texts after amounts of vcpus, memory and disk: vCPUs, MiB and GB, or, for relative
/// sizes, units. Relative vcpus imply relative memory: both are shares of a machine. Disk stays in
/// GB.
struct SizeWords {
  std::string_view vcpus = "vCPUs";
  std::string_view memory = "MiB";
  std::string_view disk = "GB";
  double vcpus_of_one = 1;  ///< vCPUs in one of a file's vcpus

  /// A file's vcpus, converted to vCPUs: `1,234`, `420.2`.
  [[nodiscard]] std::string count_of_vcpus(std::int64_t amount) const;
};

[[nodiscard]] SizeWords size_words(const VcpusUnit& unit);

/// A size as text: `64 vCPUs, 131,072 MiB, 0 GB`, or `10,000 units, 10,000 units of memory, 0 GB`.
[[nodiscard]] std::string size_text(const SizeWords& words, std::int64_t vcpus,
                                    std::int64_t memory_mb, std::int64_t disk_gb);

/// The inverse of parse_vcpus_unit.
[[nodiscard]] std::string vcpus_unit_text(const VcpusUnit& unit);

}  // namespace cospot
