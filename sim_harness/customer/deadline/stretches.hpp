#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cospot {

/// Consecutive ticks that all have a spot, or all lack one.
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t ticks = 0;
  bool spot = false;
};

[[nodiscard]] inline std::vector<Stretch> stretches_of(const std::vector<bool>& spot) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < spot.size(); ++i) {
    if (stretches.empty() || stretches.back().spot != spot[i]) {
      stretches.push_back({.begin = static_cast<std::int64_t>(i), .ticks = 0, .spot = spot[i]});
    }
    ++stretches.back().ticks;
  }
  return stretches;
}

}  // namespace cospot
