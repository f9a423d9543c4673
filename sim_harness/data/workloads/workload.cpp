#include "sim_harness/data/workloads/workload.hpp"

#include <fmt/format.h>

namespace cospot {

std::string seconds_text(SimTime time) {
  if (time == kNever) return "never";
  constexpr std::uint64_t kMicrosecondsPerSecond = 1'000'000;
  const bool negative = time < SimTime(0);
  // Negated as unsigned, so that even the least number has its magnitude.
  const auto count = static_cast<std::uint64_t>(time.count());
  const std::uint64_t magnitude = negative ? 0 - count : count;
  std::string text =
      fmt::format("{}{}.{:06}", negative ? "-" : "", magnitude / kMicrosecondsPerSecond,
                  magnitude % kMicrosecondsPerSecond);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace cospot
