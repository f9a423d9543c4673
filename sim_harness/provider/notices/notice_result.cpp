#include "sim_harness/provider/notices/notice_result.hpp"

#include <algorithm>
#include <cmath>

namespace cospot {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

}  // namespace

std::optional<double> NoticeResult::mean_s() const {
  if (evictions == 0) return std::nullopt;
  SimTime sum{0};
  for (const SimTime length : lengths) sum += length;
  return static_cast<double>(sum.count()) / kMicrosecondsPerSecond / static_cast<double>(evictions);
}

std::optional<double> NoticeResult::quantile_s(double part) const {
  if (evictions == 0) return std::nullopt;
  const double place = std::ceil(part * static_cast<double>(evictions));
  const std::size_t rank = static_cast<std::size_t>(std::max(place, 1.0)) - 1;
  const std::size_t not_told = evictions - lengths.size();
  if (rank < not_told) return 0;
  std::vector<SimTime> sorted = lengths;
  const auto found = sorted.begin() + static_cast<std::ptrdiff_t>(rank - not_told);
  std::ranges::nth_element(sorted, found);
  return static_cast<double>(found->count()) / kMicrosecondsPerSecond;
}

}  // namespace cospot
