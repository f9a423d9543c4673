#include "sim_harness/studies/provider/parts/reserve_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "sim_harness/base/configuration/config_value.hpp"

namespace cospot {
namespace {

constexpr double kMostNotice = 31 * 86'400;
constexpr double kLeastNotice = 1e-6;  // times count whole microseconds

/// The numbers between colons; nothing when there are others than two or three whole ones.
std::optional<ReservedCapacity> parse_reserve(std::string_view text) {
  std::array<ResourceAmount, 3> numbers{0, 0, 1};
  std::size_t count = 0;
  for (bool is_last = false; !is_last; ++count) {
    const std::size_t colon = text.find(':');
    is_last = colon == std::string_view::npos;
    const std::string_view part = text.substr(0, colon);
    if (count == numbers.size()) return std::nullopt;
    ResourceAmount& number = numbers.at(count);
    const auto [end, error] = std::from_chars(part.begin(), part.end(), number);
    if (error != std::errc() || end != part.end()) return std::nullopt;
    if (number < 0 || number > kMaxResourceAmount) return std::nullopt;
    if (!is_last) text.remove_prefix(colon + 1);
  }
  const auto [vcpus, memory_mb, vms] = numbers;
  if (count < 2 || (vcpus == 0 && memory_mb == 0) || vms == 0) return std::nullopt;
  return ReservedCapacity{.size = {vcpus, memory_mb, 0}, .count = vms};
}

ReserveSpec read_reserve(const ConfigNode& node, std::string_view key) {
  if (node.text == "none") return {};
  const std::optional<ReservedCapacity> reserved = parse_reserve(node.text);
  if (!reserved) {
    throw_bad_value(node, key,
                    "none, or vcpus:memory_mb:count of the VMs for which capacity is kept free");
  }
  return {.label = fmt::format("{}:{}:{}", reserved->size.vcpus, reserved->size.memory_mb,
                               reserved->count),
          .reserved = *reserved};
}

double read_notice(const ConfigNode& node, std::string_view key) {
  const double seconds = read_number(node, key, 0, kMostNotice);
  if (seconds > 0 && seconds < kLeastNotice) {
    throw_bad_value(node, key, "0, or at least a microsecond");
  }
  return seconds;
}

}  // namespace

const Axis<ReserveKeys, ReserveSpec> kReserveAxis{
    .name = "reserve",
    .meaning = "kept free of spots: vcpus:memory_mb:count of VMs, each on one host; or `none`",
    .values = &ReserveKeys::reserves,
    .read = read_reserve};

const Axis<ReserveKeys, double> kNoticeAxis{
    .name = "notice_s",
    .unit = "s",
    .meaning = "that a spot is told before it is evicted for the reserve; 0: not at all",
    .values = &ReserveKeys::notices_s,
    .read = read_notice};

}  // namespace cospot
