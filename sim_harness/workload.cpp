#include "sim_harness/workload.hpp"

#include <fmt/format.h>

namespace cospot {
namespace {

__extension__ using Magnitude = unsigned __int128;
constexpr std::uint64_t kMicrosecondsPerSecond = 1'000'000;

}  // namespace

std::string revenue_text(Revenue revenue) {
  // Negated as unsigned, so that even the least number has its magnitude.
  const Magnitude magnitude = revenue < 0 ? Magnitude{0} - static_cast<Magnitude>(revenue)
                                          : static_cast<Magnitude>(revenue);
  return fmt::format("{}{}.{:06}", revenue < 0 ? "-" : "", magnitude / kMicrosecondsPerSecond,
                     static_cast<std::uint64_t>(magnitude % kMicrosecondsPerSecond));
}

std::string seconds_text(SimTime time) {
  if (time == kNever) return "never";
  std::string text = revenue_text(time.count());
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace cospot
