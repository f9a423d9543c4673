#include "sim_harness/data/workloads/vcpus_unit.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {

std::optional<VcpusUnit> parse_vcpus_unit(std::string_view text) {
  constexpr double kLeast = 1e-6;
  constexpr double kMost = 1e6;
  if (text == "relative") return VcpusUnit{.is_relative = true};
  const std::optional<double> vcpus = parse_number(text);
  if (!vcpus || *vcpus < kLeast || *vcpus > kMost) return std::nullopt;
  return VcpusUnit{.vcpus = *vcpus};
}

VcpusUnit stated_vcpus_unit(std::string_view option, std::string_view text) {
  if (const std::optional<VcpusUnit> unit = parse_vcpus_unit(text)) return *unit;
  throw ConfigError(
      fmt::format("{}: found {}, expected {}", option, quoted_excerpt(text), kVcpusUnitExpected));
}

SizeWords size_words(const VcpusUnit& unit) {
  if (unit.is_relative) return {.vcpus = "units", .memory = "units of memory"};
  return {.vcpus_of_one = unit.vcpus};
}

std::string SizeWords::count_of_vcpus(std::int64_t amount) const {
  if (vcpus_of_one == 1) return count_text(amount);
  const double count = static_cast<double>(amount) * vcpus_of_one;
  return count < 100 ? fmt::format("{:.3g}", count) : amount_text(count);
}

std::string size_text(const SizeWords& words, std::int64_t vcpus, std::int64_t memory_mb,
                      std::int64_t disk_gb) {
  return fmt::format("{} {}, {} {}, {} {}", words.count_of_vcpus(vcpus), words.vcpus,
                     count_text(memory_mb), words.memory, count_text(disk_gb), words.disk);
}

std::string vcpus_unit_text(const VcpusUnit& unit) {
  return unit.is_relative ? "relative" : fmt::format("{}", unit.vcpus);
}

}  // namespace cospot
